// SPDX-License-Identifier: Apache-2.0
#include "plans.hpp"

#include "registry.hpp"

namespace tracker {

std::span<const winnow::plan> plans() noexcept { return winnow::plans_of<Models>; }

}  // namespace tracker
