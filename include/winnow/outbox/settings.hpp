// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/core/error.hpp"
#include "winnow/outbox/routes.hpp"
#include "winnow/outbox/shard.hpp"

namespace winnow::inline v0 {

/// The options of draining as they are now.
struct outbox_settings {
    std::int64_t turn_objects = 1000;
    std::int64_t turn_shards = 100;
    std::int64_t turn_room = 8000;  ///< objects of a turn that calls no handler; no option: it follows from time
    std::int64_t lease_seconds = 60;
    std::int64_t attempts = 10;
    std::int64_t retry_seconds = 5;
    std::int64_t sweep_seconds = 60;
    std::vector<outbox_shard> skipped;  ///< silo is not set

    [[nodiscard]] bool skips(const outbox_shard& which) const {
        return std::any_of(skipped.begin(), skipped.end(), [&](const outbox_shard& one) {
            return one.scope == which.scope && one.identifier == which.identifier &&
                   (one.cell_name.empty() || one.cell_name == which.cell_name);
        });
    }
};

namespace detail {

[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

[[nodiscard]] inline bool read_whole(std::string_view from, std::int64_t& to) {
    const auto [end, fault] = std::from_chars(from.data(), from.data() + from.size(), to);
    return fault == std::errc{} && end == from.data() + from.size();
}

}  // namespace detail

/// A shard from `SCOPE:IDENTIFIER` or `SCOPE:IDENTIFIER:CELL`; the scope by its name or its number.
/// @throws error of kind `usage` for anything else
[[nodiscard]] inline outbox_shard parse_shard(const outbox_routes& routes, silo where, std::string_view text) {
    outbox_shard made;
    made.silo = where;
    const std::string_view all = detail::trimmed(text);
    const std::size_t first = all.find(':');
    const std::size_t second = first == std::string_view::npos ? first : all.find(':', first + 1);
    bool right =
        first != std::string_view::npos && detail::read_whole(all.substr(0, second).substr(first + 1), made.identifier);
    if (right && second != std::string_view::npos) made.cell_name = all.substr(second + 1);
    const std::optional<std::int32_t> known = routes.find_scope(all.substr(0, first));
    right = right && known;
    if (right) made.scope = *known;
    if (right) return made;
    throw error(failure::usage, "`" + std::string(all) + "` names no shard.")
        .with_hint("Write SCOPE:IDENTIFIER or SCOPE:IDENTIFIER:CELL, the scope by its name or number.");
}

/// Reads the options of draining; one statement when none of them is set.
/// @throws error of kind `configuration` when one holds what it cannot
[[nodiscard]] inline outbox_settings read_outbox_settings(const context& with, const outbox_routes& routes,
                                                          silo where) {
    outbox_settings made;
    const rows stored = with.database.execute("SELECT name FROM winnow_option WHERE name LIKE 'outbox.%'");
    const options live = with.options();
    for (std::size_t row = 0; row < stored.size(); ++row) {
        const std::string name = stored.text(row, 0);
        const auto take = [&](std::string_view wanted, std::int64_t& to, std::int64_t least) {
            if (name == wanted) to = std::max(least, live.integer(wanted));
        };
        take("outbox.turn_objects", made.turn_objects, 1);
        take("outbox.turn_shards", made.turn_shards, 1);
        take("outbox.lease_seconds", made.lease_seconds, 1);
        take("outbox.attempts", made.attempts, 1);
        take("outbox.retry_seconds", made.retry_seconds, 0);
        take("outbox.sweep_seconds", made.sweep_seconds, 0);
        if (name != "outbox.skip_shards") continue;
        const std::string list = live.text(name);
        for (std::string_view rest = list; !detail::trimmed(rest).empty();) {
            const std::size_t comma = rest.find(',');
            try {
                made.skipped.push_back(parse_shard(routes, where, rest.substr(0, comma)));
            } catch (const error& problem) {
                throw error(failure::configuration, "Option `outbox.skip_shards`: " + std::string(problem.what()))
                    .with_hint(problem.hint());
            }
            rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
        }
    }
    made.turn_room = made.turn_objects * 8;
    return made;
}

}  // namespace winnow::inline v0
