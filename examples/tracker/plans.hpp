// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <winnow/plan/plan.hpp>

namespace tracker {

/// The tracker's models as plain data. What only runs them includes this and never sees a model.
[[nodiscard]] std::span<const winnow::plan> plans() noexcept;

}  // namespace tracker
