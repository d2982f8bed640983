// SPDX-License-Identifier: Apache-2.0
#include "winnow/core/dialect.hpp"

#include <gtest/gtest.h>

using winnow::dialect;
using winnow::dialect_text;

TEST(Dialect, NamesAreTheOnesOfUrls) {
    EXPECT_EQ(winnow::name_of(dialect::postgres), "postgresql");
    EXPECT_EQ(winnow::name_of(dialect::sqlite), "sqlite");
}

TEST(Dialect, ATextIsPickedByDialect) {
    constexpr dialect_text text{"\"invoice_line\"", "\"InvoiceLine\""};
    static_assert(text[dialect::postgres] == "\"invoice_line\"");
    EXPECT_EQ(text[dialect::sqlite], "\"InvoiceLine\"");
}

TEST(Dialect, ATextIsEmptyOnlyWhenBothAre) {
    EXPECT_TRUE(dialect_text{}.empty());
    EXPECT_FALSE((dialect_text{"a", ""}).empty());
    EXPECT_FALSE((dialect_text{"", "a"}).empty());
}
