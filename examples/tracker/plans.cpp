// SPDX-License-Identifier: Apache-2.0
#include "plans.hpp"

#include "registry.hpp"
#include "winnow/derive/plans_of.hpp"

namespace tracker {

std::span<const winnow::plan> plans() noexcept { return winnow::plans_of<Models>; }

}  // namespace tracker
