// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "winnow/abi/types.h"
#include "winnow/core/dialect.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/value.hpp"

namespace winnow::inline v0::detail {

/// The same bytes. A text of the contract lives as long as what it was made of.
[[nodiscard]] constexpr winnow_text to_abi(std::string_view text) noexcept {
    return {text.empty() ? nullptr : text.data(), text.size()};
}
[[nodiscard]] constexpr winnow_dialect_text to_abi(const dialect_text& text) noexcept {
    return {to_abi(text.postgres), to_abi(text.sqlite)};
}
[[nodiscard]] constexpr std::string_view from_abi(const winnow_text& text) noexcept {
    return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}
[[nodiscard]] constexpr dialect_text from_abi(const winnow_dialect_text& text) noexcept {
    return {from_abi(text.postgres), from_abi(text.sqlite)};
}

/// A view of a value: its text is the value's own.
[[nodiscard]] inline winnow_value to_abi(const value& held) noexcept {
    winnow_value made{};
    if (const auto* integer = std::get_if<std::int64_t>(&held)) {
        made.holds = WINNOW_VALUE_INTEGER;
        made.as.integer = *integer;
    } else if (const auto* real = std::get_if<double>(&held)) {
        made.holds = WINNOW_VALUE_REAL;
        made.as.real = *real;
    } else if (const auto* boolean = std::get_if<bool>(&held)) {
        made.holds = WINNOW_VALUE_BOOLEAN;
        made.as.boolean = *boolean ? 1 : 0;
    } else if (const auto* text = std::get_if<std::string>(&held)) {
        made.holds = WINNOW_VALUE_TEXT;
        made.as.text = {text->data(), text->size()};
    }
    return made;
}
[[nodiscard]] inline std::vector<winnow_value> to_abi(std::span<const value> held) {
    std::vector<winnow_value> made;
    made.reserve(held.size());
    for (const value& one : held) made.push_back(to_abi(one));
    return made;
}

/// A copy of a value that the other side made.
/// @throws error of kind `usage` for a value that holds nothing known
[[nodiscard]] inline value from_abi(const winnow_value& held) {
    switch (held.holds) {
        case WINNOW_VALUE_NULL: return null_value{};
        case WINNOW_VALUE_INTEGER: return held.as.integer;
        case WINNOW_VALUE_REAL: return held.as.real;
        case WINNOW_VALUE_BOOLEAN: return held.as.boolean != 0;
        case WINNOW_VALUE_TEXT:
            if (held.as.text.data == nullptr && held.as.text.size != 0)
                throw error(failure::usage, "A value of " + std::to_string(held.as.text.size) +
                                                " bytes has null for its bytes. Hand over where they are.");
            return std::string(from_abi(held.as.text));
        default: break;
    }
    throw error(failure::usage, "A value holds " + std::to_string(held.holds) +
                                    ", which is no WINNOW_VALUE_... Set `holds` to what the value is.");
}
[[nodiscard]] inline std::vector<value> from_abi(std::span<const winnow_value> held) {
    std::vector<value> made;
    made.reserve(held.size());
    for (const winnow_value& one : held) made.push_back(from_abi(one));
    return made;
}

[[nodiscard]] inline key_set from_abi(const winnow_key_set& set) {
    const std::size_t size = set.width * set.rows;
    if (set.width == 0 || (set.values == nullptr && size != 0) || size / set.width != set.rows)
        throw error(failure::usage, "A set of keys of width " + std::to_string(set.width) + " and " +
                                        std::to_string(set.rows) +
                                        " rows was handed over. Give it a width of at least 1 and all its values.");
    return key_set(set.width, from_abi(std::span(set.values, size)));
}

}  // namespace winnow::inline v0::detail
