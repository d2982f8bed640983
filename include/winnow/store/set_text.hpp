// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "winnow/core/error.hpp"
#include "winnow/plan/value.hpp"

namespace winnow::inline v0 {

namespace detail {

template <class Number> void append_number(std::string& out, Number number) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
}

[[nodiscard]] inline error unfit_key(std::string_view why) {
    return error(failure::usage, "a key cannot be sent to the database: " + std::string(why));
}

/// Length of the UTF-8 sequence that starts at `at`; 0 when there is no valid one.
[[nodiscard]] inline std::size_t utf8_length(std::string_view text, std::size_t at) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80) return 0;
    }
    const unsigned char second = byte(at + 1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool surrogate = first == 0xED && second > 0x9F;
    const bool beyond = first == 0xF4 && second > 0x8F;
    return overlong || surrogate || beyond ? 0 : length;
}

inline void append_json_text(std::string& out, std::string_view text) {
    constexpr std::string_view hexadecimal = "0123456789abcdef";
    out += '"';
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text, at);
        if (length == 0) throw unfit_key("its text is not valid UTF-8 (keys of raw bytes are not supported)");
        const char c = text[at];
        const auto code = static_cast<unsigned char>(c);
        if (c == '\0') throw unfit_key("its text contains a NUL character");
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (code < 0x20) {
            out += "\\u00";
            out += hexadecimal[code >> 4U];
            out += hexadecimal[code & 15U];
        } else {
            out.append(text, at, length);
        }
        at += length;
    }
    out += '"';
}

inline void append_json_value(std::string& out, const value& v) {
    if (const auto* integer = std::get_if<std::int64_t>(&v)) return append_number(out, *integer);
    if (const auto* text = std::get_if<std::string>(&v)) return append_json_text(out, *text);
    if (const auto* boolean = std::get_if<bool>(&v)) {
        out += *boolean ? "true" : "false";
    } else if (const auto* real = std::get_if<double>(&v)) {
        if (!std::isfinite(*real)) throw unfit_key("it is not a finite number");
        const std::size_t before = out.size();
        append_number(out, *real);
        // 1e+20 and 3 would come back as integers or not at all; a fraction keeps them real.
        if (out.find_first_of(".e", before) == std::string::npos) out += ".0";
    } else {
        out += "null";
    }
}

}  // namespace detail

/// A set of keys as the JSON text that SQLite's `json_each(?)` takes (S6): `[1,2]` and `["7","8"]` for
/// one column, `[[1,"a"],[2,"b"]]` for several.
/// \throws error(failure::usage) for text with NUL or invalid UTF-8 and for numbers that are not finite.
[[nodiscard]] inline std::string json_array_text(const key_set& keys) {
    std::string out;
    out.reserve(keys.values().size() * 12 + 2);
    out += '[';
    for (std::size_t row = 0; row < keys.size(); ++row) {
        if (row != 0) out += ',';
        if (keys.width() == 1) {
            detail::append_json_value(out, keys[row][0]);
            continue;
        }
        out += '[';
        for (std::size_t column = 0; column < keys.width(); ++column) {
            if (column != 0) out += ',';
            detail::append_json_value(out, keys[row][column]);
        }
        out += ']';
    }
    out += ']';
    return out;
}

/// One column of a set of keys as a PostgreSQL array literal, `{"1","2"}`; the statement casts it.
/// \throws error(failure::usage) for text with NUL.
[[nodiscard]] inline std::string array_text(const key_set& keys, std::size_t column) {
    std::string out;
    out.reserve(keys.size() * 12 + 2);
    out += '{';
    for (std::size_t row = 0; row < keys.size(); ++row) {
        if (row != 0) out += ',';
        const value& v = keys[row][column];
        if (const auto* integer = std::get_if<std::int64_t>(&v)) {
            detail::append_number(out, *integer);
        } else if (const auto* boolean = std::get_if<bool>(&v)) {
            out += *boolean ? 't' : 'f';
        } else if (const auto* real = std::get_if<double>(&v)) {
            detail::append_number(out, *real);
        } else if (const auto* text = std::get_if<std::string>(&v)) {
            out += '"';
            for (const char c : *text) {
                if (c == '\0') throw detail::unfit_key("its text contains a NUL character");
                if (c == '"' || c == '\\') out += '\\';
                out += c;
            }
            out += '"';
        } else {
            out += "NULL";
        }
    }
    out += '}';
    return out;
}

}  // namespace winnow::inline v0
