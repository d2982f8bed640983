// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "winnow/core/error.hpp"
#include "winnow/plan/value.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/set_text.hpp"
#include "winnow/store/url.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Object identifiers of the types that are read as something else than text. Fixed in PostgreSQL.
enum class postgres_type_id : std::uint32_t {
    boolean = 16,
    bytes = 17,
    int8 = 20,
    int2 = 21,
    int4 = 23,
    oid = 26,
    float4 = 700,
    float8 = 701,
};

[[nodiscard]] inline std::string bytes_from_hexadecimal(std::string_view text) {
    if (!text.starts_with("\\x")) return std::string(text);
    std::string out;
    out.reserve(text.size() / 2);
    for (std::size_t i = 2; i + 1 < text.size(); i += 2) {
        out += static_cast<char>(hexadecimal_digit(text[i]) * 16 + hexadecimal_digit(text[i + 1]));
    }
    return out;
}

template <class Number> [[nodiscard]] value number_from(std::string_view text) {
    Number number{};
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// A cell of a result, from the server's text form.
/// \param type  object identifier of the column's type
[[nodiscard]] inline value read_cell(std::string_view text, std::uint32_t type) {
    switch (static_cast<postgres_type_id>(type)) {
        case postgres_type_id::boolean: return text == "t";
        case postgres_type_id::bytes: return bytes_from_hexadecimal(text);
        case postgres_type_id::int8:
        case postgres_type_id::int2:
        case postgres_type_id::int4:
        case postgres_type_id::oid: return number_from<std::int64_t>(text);
        case postgres_type_id::float4:
        case postgres_type_id::float8: return number_from<double>(text);
    }
    return std::string(text);
}

/// A value that is not null in the text form that the server reads.
/// \throws error(failure::usage) for text with NUL.
[[nodiscard]] inline std::string parameter_text(const value& v) {
    std::string text;
    if (const auto* held = std::get_if<std::string>(&v)) {
        if (held->find('\0') != std::string::npos) {
            throw error(failure::usage, "PostgreSQL cannot hold text with a NUL character")
                .with_hint("Send bytes in their text form, \\x followed by hexadecimal digits.");
        }
        text = *held;
    } else if (const auto* integer = std::get_if<std::int64_t>(&v)) {
        append_number(text, *integer);
    } else if (const auto* real = std::get_if<double>(&v)) {
        append_number(text, *real);
    } else {
        text = std::get<bool>(v) ? "t" : "f";
    }
    return text;
}

/// Sets the bounds of waits for the rest of a transaction.
[[nodiscard]] inline std::string limits_statement(const transaction_limits& limits) {
    return "SELECT set_config('lock_timeout', '" + std::to_string(limits.lock_timeout.count()) +
           "', true), set_config('statement_timeout', '" + std::to_string(limits.statement_timeout.count()) +
           "', true)";
}

}  // namespace detail

}  // namespace winnow::inline v0
