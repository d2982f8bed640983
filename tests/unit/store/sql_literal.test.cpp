// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "winnow/store/sql_literal.hpp"

namespace {

TEST(sql_literal, stands_in_quotes_and_doubles_those_inside) {
    EXPECT_EQ(winnow::sql_literal(""), "''");
    EXPECT_EQ(winnow::sql_literal("plain \"text\" \\ %"), "'plain \"text\" \\ %'");
    EXPECT_EQ(winnow::sql_literal("'; DROP TABLE t; --"), "'''; DROP TABLE t; --'");
    EXPECT_EQ(winnow::sql_literal("it''s"), "'it''''s'");
}

}  // namespace
