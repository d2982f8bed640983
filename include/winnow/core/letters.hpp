// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace winnow::inline v0 {

namespace detail {

// The case of ASCII letters, whatever the locale. Everything else is left as it is.

constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr char lower(char c) noexcept { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// `app.Model`: two names of letters, digits and underscores, none of which starts with a digit.
[[nodiscard]] constexpr bool is_model_key(std::string_view key) noexcept {
    bool start = true;
    int names = 0;
    for (const char c : key) {
        if (c == '.') {
            if (start) return false;
            start = true;
            continue;
        }
        const bool letter = (lower(c) >= 'a' && lower(c) <= 'z') || c == '_';
        if (!letter && (start || c < '0' || c > '9')) return false;
        if (start) ++names;
        start = false;
    }
    return names == 2 && !start;
}

}  // namespace detail

}  // namespace winnow::inline v0
