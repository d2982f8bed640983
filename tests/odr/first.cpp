// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.hpp"

using name_function = std::string_view (*)(winnow::dialect) noexcept;

const void* version_in_second_unit();
name_function name_in_second_unit();

TEST(Odr, TwoUnitsWithEveryHeaderLinkAndShareWhatIsInline) {
    EXPECT_EQ(static_cast<const void*>(&winnow::version_text), version_in_second_unit());
    EXPECT_EQ(static_cast<name_function>(&winnow::name_of), name_in_second_unit());
}
