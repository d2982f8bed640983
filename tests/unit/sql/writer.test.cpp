// SPDX-License-Identifier: Apache-2.0
#include "winnow/sql/writer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "winnow/sql/identifier.hpp"

namespace {

using winnow::dialect;
using winnow::identifier_fault;
using winnow::writer;

constexpr void greet(writer& out) { out.append("answer ").append_number(42).append("").append("!"); }

constexpr std::size_t greeting_size = [] {
    writer measure;
    greet(measure);
    return measure.size();
}();
constexpr std::array<char, greeting_size> greeting = [] {
    std::array<char, greeting_size> text{};
    writer out{std::span<char>(text)};
    greet(out);
    return text;
}();
static_assert(std::string_view(greeting.data(), greeting.size()) == "answer 42!");

std::string number(std::size_t value) {
    return winnow::written([&](writer& out) { out.append_number(value); });
}
std::string quoted(std::string_view name) {
    return winnow::written([&](writer& out) { winnow::write_quoted(out, name); });
}
std::string literal(std::string_view text) {
    return winnow::written([&](writer& out) { winnow::write_literal(out, text); });
}

TEST(writer, writes_numbers) {
    EXPECT_EQ(number(0), "0");
    EXPECT_EQ(number(10), "10");
    EXPECT_EQ(number(std::numeric_limits<std::size_t>::max()), std::to_string(std::numeric_limits<std::size_t>::max()));
}

TEST(writer, a_text_that_does_not_fit_is_an_error) {
    std::array<char, 3> buffer{};
    writer out{std::span<char>(buffer)};
    out.append("ab");
    EXPECT_THROW(out.append("cd"), std::length_error);
    EXPECT_EQ(out.size(), 2U);
    EXPECT_NO_THROW(out.append("c"));
}

TEST(writer, nothing_written_is_an_empty_text) {
    EXPECT_EQ(winnow::written([](writer&) {}), "");
}

TEST(identifier, quotes_are_doubled) {
    EXPECT_EQ(quoted("order"), "\"order\"");
    EXPECT_EQ(quoted("a\"b"), "\"a\"\"b\"");
    EXPECT_EQ(quoted("\"\""), "\"\"\"\"\"\"");
    EXPECT_EQ(literal("it's"), "'it''s'");
    EXPECT_EQ(literal("''"), "''''''");
}

TEST(identifier, the_schema_comes_first_if_there_is_one) {
    EXPECT_EQ(winnow::written([](writer& out) { winnow::write_qualified(out, "my schema", "T"); }),
              "\"my schema\".\"T\"");
    EXPECT_EQ(winnow::written([](writer& out) { winnow::write_qualified(out, "", "T"); }), "\"T\"");
}

TEST(identifier, names_are_checked) {
    using namespace std::string_view_literals;
    EXPECT_EQ(winnow::check_identifier("Line Item", dialect::postgres), identifier_fault::none);
    EXPECT_EQ(winnow::check_identifier("", dialect::sqlite), identifier_fault::empty);
    EXPECT_EQ(winnow::check_identifier("a\0b"sv, dialect::sqlite), identifier_fault::has_nul);
    const std::string longest(winnow::longest_postgres_name, 'x');
    EXPECT_EQ(winnow::check_identifier(longest, dialect::postgres), identifier_fault::none);
    EXPECT_EQ(winnow::check_identifier(longest + "x", dialect::postgres), identifier_fault::too_long);
    EXPECT_EQ(winnow::check_identifier(longest + "x", dialect::sqlite), identifier_fault::none);
    EXPECT_NE(winnow::describe(identifier_fault::too_long).find("63"), std::string_view::npos);
}

}  // namespace
