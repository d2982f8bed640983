// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "winnow/plan/value.hpp"
#include "winnow/sql/identifier.hpp"
#include "winnow/sql/writer.hpp"

namespace winnow::inline v0 {

/// The constant of a filtered relation.
struct filter_value {
    enum class type : std::uint8_t { integer, boolean, text, other };
    type held = type::integer;
    std::int64_t integer = 0;
    std::string_view characters;

    /// True if a column of this kind can hold it.
    [[nodiscard]] constexpr bool fits(value_kind kind) const noexcept {
        switch (held) {
            case type::integer: return kind == value_kind::integer32 || kind == value_kind::integer64;
            case type::boolean: return kind == value_kind::boolean;
            case type::text: return kind == value_kind::text || kind == value_kind::uuid;
            case type::other: break;
        }
        return false;
    }
};

/// An integer, an enum, a boolean or a text as the constant of a filter; anything else fits no column.
template <class Value>
[[nodiscard]] consteval filter_value filter_value_of(const Value& given) {
    if constexpr (std::is_same_v<Value, bool>) {
        return {filter_value::type::boolean, given ? 1 : 0, {}};
    } else if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>) {
        return {filter_value::type::integer, static_cast<std::int64_t>(given), {}};
    } else if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
        return {filter_value::type::text, 0, std::string_view(given)};
    } else {
        return {filter_value::type::other, 0, {}};
    }
}

/// Appends the SQL literal, the same on both dialects.
constexpr void write_filter_value(writer& out, const filter_value& given) {
    switch (given.held) {
        case filter_value::type::text: write_literal(out, given.characters); return;
        case filter_value::type::boolean: out.append(given.integer != 0 ? "TRUE" : "FALSE"); return;
        case filter_value::type::other: return;
        case filter_value::type::integer: break;
    }
    if (given.integer < 0) out.append("-");
    const auto bits = static_cast<std::uint64_t>(given.integer);
    out.append_number(static_cast<std::size_t>(given.integer < 0 ? 0 - bits : bits));
}

}  // namespace winnow::inline v0
