// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace winnow::inline v0 {

/// Two whole numbers in one text, as `17:42`; nothing for any other text.
/// @param between what stands between them, no digit and no sign
[[nodiscard]] inline std::optional<std::pair<std::int64_t, std::int64_t>> parse_number_pair(std::string_view text,
                                                                                            char between) noexcept {
    const auto number = [](std::string_view digits, std::int64_t& to) {
        const auto [stopped, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), to);
        return fault == std::errc{} && stopped == digits.data() + digits.size();
    };
    const std::size_t at = text.find(between);
    std::pair<std::int64_t, std::int64_t> both{};
    if (at == std::string_view::npos || !number(text.substr(0, at), both.first) ||
        !number(text.substr(at + 1), both.second))
        return std::nullopt;
    return both;
}

}  // namespace winnow::inline v0
