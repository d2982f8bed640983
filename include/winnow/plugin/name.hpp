// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "winnow/core/letters.hpp"

namespace winnow::inline v0 {

/// Whether a plugin may be called that: 1 to 64 letters, digits, _ and -.
[[nodiscard]] constexpr bool is_plugin_name(std::string_view name) noexcept {
    for (const char c : name) {
        const char folded = detail::lower(c);
        if (!(folded >= 'a' && folded <= 'z') && !(c >= '0' && c <= '9') && c != '_' && c != '-') return false;
    }
    return !name.empty() && name.size() <= 64;
}

}  // namespace winnow::inline v0
