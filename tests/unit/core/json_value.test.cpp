// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "winnow/core/json_value.hpp"

namespace {

using winnow::json_value;
using winnow::parse_json;
using winnow::parse_text_list;

TEST(json_value, keeps_every_kind) {
    const auto read = parse_json(R"( {"a" : [1, -2.5e3, true, null, "x"], "b": {}, "a": 7 , "": []} )");
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->type, json_value::kind::object);
    EXPECT_EQ(read->names, (std::vector<std::string>{"a", "b", "a", ""}));
    EXPECT_EQ(read->member("a")->text, "7") << "the last of that name";
    EXPECT_EQ(read->member("c"), nullptr);
    const json_value& list = read->items[0];
    ASSERT_EQ(list.items.size(), 5U);
    EXPECT_EQ(list.items[1].text, "-2.5e3");
    EXPECT_EQ(list.items[1].type, json_value::kind::number);
    EXPECT_EQ(list.items[2].type, json_value::kind::boolean);
    EXPECT_EQ(list.items[3].type, json_value::kind::null);
    EXPECT_EQ(list.items[4].type, json_value::kind::text);
    EXPECT_TRUE(read->member("b")->items.empty());
}

TEST(json_value, decodes_texts) {
    EXPECT_EQ(parse_json(R"("a\"b\\c\/\n\t\b\f\r")")->text, "a\"b\\c/\n\t\b\f\r");
    EXPECT_EQ(parse_json(R"("\u0041\u00e9\u20AC\ud83d\ude00")")->text, "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    EXPECT_EQ(parse_json("\"\"")->text, "");
}

TEST(json_value, refuses_what_is_no_json) {
    for (const char* text : {"", "{", "[1,]", "\"a", "nul", "{\"a\" 1}", "[1] 2"})
        EXPECT_FALSE(parse_json(text)) << text;
}

TEST(text_list, is_a_list_of_texts_and_nothing_else) {
    EXPECT_EQ(parse_text_list(R"(["us", "de"])"), (std::vector<std::string>{"us", "de"}));
    EXPECT_EQ(parse_text_list("[]"), std::vector<std::string>{});
    for (const char* text : {"us", "\"us\"", "[1]", "{\"us\": 1}", "[\"us\"", "[null]", "[[\"us\"]]", ""})
        EXPECT_FALSE(parse_text_list(text)) << text;
}

}  // namespace
