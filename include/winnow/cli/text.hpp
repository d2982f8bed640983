// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "winnow/core/error.hpp"

namespace winnow::inline v0::cli {

/// Text fit for a terminal: control characters, which could move its cursor or change its state, are spelled out.
[[nodiscard]] inline std::string printable(std::string_view from) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(from.size());
    for (const char c : from) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f) {
            text += c;
        } else {
            text += "\\x";
            text += digits[byte >> 4U];
            text += digits[byte & 15U];
        }
    }
    return text;
}

/// The beginning of a text that is longer than a number of bytes, with an ellipsis; no character is cut in two.
[[nodiscard]] inline std::string shortened(std::string text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
    text.resize(most);
    return text + "…";
}

/// `1 row`, `2 rows`.
[[nodiscard]] inline std::string counted(std::int64_t amount, std::string_view one, std::string_view many) {
    std::string text = std::to_string(amount) + " ";
    return text += amount == 1 ? one : many;
}
[[nodiscard]] inline std::string row_count(std::int64_t amount) { return counted(amount, "row", "rows"); }

/// A length of time for people: `3 s`, `12 min`, `5 h`, `30 days`. Rounded up, so that it is never over too early.
[[nodiscard]] inline std::string duration_text(double seconds) {
    if (seconds <= 0) return "0 s";
    if (seconds < 90) return std::to_string(static_cast<std::int64_t>(std::ceil(seconds))) + " s";
    if (seconds < 90 * 60) return std::to_string(static_cast<std::int64_t>(std::ceil(seconds / 60))) + " min";
    if (seconds < 48 * 3600) return std::to_string(static_cast<std::int64_t>(std::ceil(seconds / 3600))) + " h";
    return std::to_string(static_cast<std::int64_t>(std::ceil(seconds / 86400))) + " days";
}

/// Seconds with as many digits as say something: `0.013`, `2.4`, `130`.
[[nodiscard]] inline std::string seconds_text(double seconds) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.*f", seconds < 1 ? 3 : seconds < 100 ? 1 : 0, seconds);
    return buffer;
}

/// A time until a deletion starts.
struct grace {
    int days = 0;
    int hours = 0;
};

/// Reads `30d`, `12h`, `1d12h` or `0d`; at most 100 years.
/// @throws error of kind `usage` for anything else
[[nodiscard]] inline grace parse_grace(std::string_view from) {
    const auto refuse = [&] {
        return error(failure::usage, "--in takes a time such as 30d, 12h or 1d12h, not `" + printable(from) + "`.")
            .with_hint("0d means: as soon as a worker comes by.");
    };
    grace found;
    bool days_seen = false;
    bool hours_seen = false;
    for (std::size_t at = 0; at < from.size(); ++at) {
        std::int64_t amount = 0;
        const std::size_t start = at;
        for (; at < from.size() && from[at] >= '0' && from[at] <= '9'; ++at) {
            amount = amount * 10 + (from[at] - '0');
            if (amount > std::int64_t{36'500} * 24) throw refuse();
        }
        if (at == start || at == from.size()) throw refuse();
        if (from[at] == 'd' && !days_seen && !hours_seen && amount <= 36'500) {
            found.days = static_cast<int>(amount);
            days_seen = true;
        } else if (from[at] == 'h' && !hours_seen) {
            found.hours = static_cast<int>(amount);
            hours_seen = true;
        } else {
            throw refuse();
        }
    }
    if (!days_seen && !hours_seen) throw refuse();
    return found;
}

}  // namespace winnow::inline v0::cli
