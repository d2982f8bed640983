// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "winnow/core/error.hpp"
#include "winnow/store/set_text.hpp"

namespace {

using winnow::null_value;
using winnow::value;

[[nodiscard]] winnow::key_set set_of(std::size_t width, const std::vector<value>& values) {
    winnow::key_set out(width);
    for (std::size_t at = 0; at < values.size(); at += width) out.push_back({values.data() + at, width});
    return out;
}

TEST(set_text, writes_json_with_text_quoted_and_numbers_bare) {
    EXPECT_EQ(winnow::json_array_text(set_of(1, {})), "[]");
    EXPECT_EQ(winnow::json_array_text(set_of(1, {std::int64_t{7}, "7", null_value{}, true})), "[7,\"7\",null,true]");
    EXPECT_EQ(winnow::json_array_text(set_of(2, {std::int64_t{1}, "a", std::int64_t{2}, "b"})),
              "[[1,\"a\"],[2,\"b\"]]");
    EXPECT_EQ(winnow::json_array_text(set_of(1, {std::numeric_limits<std::int64_t>::min()})), "[-9223372036854775808]");
    EXPECT_EQ(winnow::json_array_text(set_of(1, {"a\"b\\c\n\x01 \xC3\xA9"})),
              "[\"a\\\"b\\\\c\\u000a\\u0001 \xC3\xA9\"]");
}

TEST(set_text, keeps_reals_real) {
    EXPECT_EQ(winnow::json_array_text(set_of(1, {3.0, 0.1, 1e300})), "[3.0,0.1,1e+300]");
}

TEST(set_text, refuses_what_json_cannot_carry) {
    const std::vector<std::string> wrong{
        std::string("a\0b", 3), "\xff",          "\xc0\x80",     "\xed\xa0\x80",
        "\xf4\x90\x80\x80",     "ends \xe2\x82", "\xe0\x80\xaf", "\xf8\x88\x80\x80\x80"};
    for (const std::string& text : wrong) EXPECT_THROW((void)winnow::json_array_text(set_of(1, {text})), winnow::error);
    EXPECT_THROW((void)winnow::json_array_text(set_of(1, {std::numeric_limits<double>::infinity()})), winnow::error);
    EXPECT_NO_THROW((void)winnow::json_array_text(set_of(1, {"\xf0\x9f\x98\x80 \xe2\x82\xac"})));
}

TEST(set_text, writes_array_literals_column_by_column) {
    const winnow::key_set keys = set_of(2, {std::int64_t{1}, "a,\"b\\", std::int64_t{-2}, null_value{}, true, "NULL"});
    EXPECT_EQ(winnow::array_text(keys, 0), "{1,-2,t}");
    EXPECT_EQ(winnow::array_text(keys, 1), "{\"a,\\\"b\\\\\",NULL,\"NULL\"}");
    EXPECT_EQ(winnow::array_text(set_of(1, {}), 0), "{}");
    EXPECT_THROW((void)winnow::array_text(set_of(1, {std::string("\0", 1)}), 0), winnow::error);
}

}  // namespace
