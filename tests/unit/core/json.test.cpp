// SPDX-License-Identifier: Apache-2.0
#include "winnow/core/json.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using winnow::is_json;

TEST(json, takes_documents) {
    for (const char* text :
         {"{}", "[]", "null", "true", "false", "0", "-0.5e-10", "12E+3", "\"\"", " [1, [2, {\"a\" : []}]]\r\n\t",
          R"("\"\\\/\b\f\n\r\t\u00fc")", "\"\xC3\xBC\"", R"({"a":1,"a":2})"})
        EXPECT_TRUE(is_json(text)) << text;
}

TEST(json, refuses_everything_else) {
    for (const char* text : {"",          " ",           "{",         "}",        "[1,]",  "[,1]", "{\"a\":1,}",
                             "{a:1}",     "{'a':1}",     "{\"a\" 1}", "{\"a\":}", "01",    "1.",   ".5",
                             "+1",        "-",           "1e",        "nul",      "True",  "\"",   "\"\\q\"",
                             "\"\\u12\"", "\"\\u12g4\"", "\"\n\"",    "[1] 2",    "[1 2]", "NaN",  "// x\n1"})
        EXPECT_FALSE(is_json(text)) << text;
}

TEST(json, refuses_what_databases_do_not_keep) {
    EXPECT_FALSE(is_json(R"("\u0000")"));
    EXPECT_FALSE(is_json(std::string_view("1\0", 2)));
    EXPECT_FALSE(is_json(std::string_view("\"\0\"", 3)));
}

TEST(json, refuses_what_is_nested_without_end) {
    EXPECT_TRUE(is_json(std::string(500, '[') + std::string(500, ']')));
    EXPECT_FALSE(is_json(std::string(1'000'000, '[')));
    EXPECT_FALSE(is_json(std::string(502, '[') + std::string(502, ']')));
}

static_assert(is_json("{\"a\": [1, 2]}"));

}  // namespace
