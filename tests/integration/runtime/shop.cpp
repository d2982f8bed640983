// SPDX-License-Identifier: Apache-2.0
#include "integration/runtime/shop.hpp"

#include "integration/runtime/models.hpp"
#include "winnow/derive/plans_of.hpp"

namespace winnow_test {

std::span<const winnow::plan> shop_plans() { return winnow::plans_of<shop::models>; }

}  // namespace winnow_test
