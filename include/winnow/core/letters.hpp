// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace winnow::inline v0 {

namespace detail {

// The case of ASCII letters, whatever the locale. Everything else is left as it is.

constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr char lower(char c) noexcept { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

}  // namespace detail

}  // namespace winnow::inline v0
