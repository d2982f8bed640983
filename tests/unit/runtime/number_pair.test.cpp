// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "winnow/runtime/number_pair.hpp"

namespace {

using pair = std::pair<std::int64_t, std::int64_t>;

TEST(number_pair, is_read_as_it_was_written) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (const pair& one : {pair{17, 42}, pair{0, 0}, pair{-3, 5}, pair{-most, most}})
        for (const char between : {':', '/'})
            EXPECT_EQ(
                winnow::parse_number_pair(std::to_string(one.first) + between + std::to_string(one.second), between),
                one);
}

TEST(number_pair, any_other_text_is_refused) {
    for (const char* text : {"", ":", "1", "1:", ":2", "1:2:3", "1:2 ", " 1:2", "1;2", "one:2", "1:2x", "+1:2",
                             "9223372036854775808:1", "1/2"})
        EXPECT_EQ(winnow::parse_number_pair(text, ':'), std::nullopt) << text;
}

}  // namespace
