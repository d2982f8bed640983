// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "winnow/store/rows.hpp"

namespace {

using winnow::rows;
using winnow::value;

[[nodiscard]] std::int64_t integer_of(value cell) { return rows(1, {std::move(cell)}, 0).integer(0, 0, -7); }

TEST(rows, read_integers_out_of_what_databases_keep_them_in) {
    EXPECT_EQ(integer_of(std::int64_t{5}), 5);
    EXPECT_EQ(integer_of(true), 1);
    EXPECT_EQ(integer_of(2.9), 2);
    EXPECT_EQ(integer_of(-0x1p63), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(integer_of(winnow::null_value{}), -7);
}

TEST(rows, take_no_integer_out_of_a_real_beyond_all_integers) {
    for (const double beyond :
         {0x1p63, -0x1p64, 1e300, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        EXPECT_EQ(integer_of(beyond), -7) << beyond;
}

TEST(rows, hand_out_their_cells_as_keys_without_copying_them) {
    std::vector<value> cells{std::int64_t{1}, std::string(100, 'a'), std::int64_t{2}, std::string(100, 'b')};
    const char* const text = std::get<std::string>(cells[3]).data();
    const winnow::key_set keys = rows(2, std::move(cells), 0).take_keys();
    ASSERT_EQ(keys.size(), 2U);
    EXPECT_EQ(keys.width(), 2U);
    EXPECT_EQ(keys[1][0], value(std::int64_t{2}));
    EXPECT_EQ(std::get<std::string>(keys[1][1]).data(), text);
    EXPECT_TRUE(rows().take_keys().empty());
}

}  // namespace
