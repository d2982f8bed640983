// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/core/error.hpp"
#include "winnow/outbox/retry.hpp"
#include "winnow/outbox/routes.hpp"
#include "winnow/outbox/shard.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

/// A message that failed at least once.
struct failed_message {
    std::int64_t id = 0;
    outbox_shard shard;
    std::int32_t category = 0;
    std::string category_name;  ///< the number, when this program does not know it
    std::int64_t object = 0;
    std::int64_t attempts = 0;
    std::string last_error;
    std::string added_at;  ///< `YYYY-MM-DD HH:MM:SS.mmm`, UTC
    std::string dead_at;   ///< the same; empty: it is tried again
    std::string due_at;
};

/// Which failed messages are listed.
enum class failed_kind : unsigned char {
    dead,      ///< those that are not tried any more
    retrying,  ///< those that are
};

/// Failed messages of a silo in id order, a page at a time.
/// @param after the last id of the page before
[[nodiscard]] inline std::vector<failed_message> failed_messages(const context& with, silo where,
                                                                 failed_kind kind = failed_kind::dead,
                                                                 std::int64_t after = 0, std::int64_t limit = 100) {
    const outbox_routes routes(with.models, where);
    const std::string_view condition =
        kind == failed_kind::dead ? "dead_at IS NOT NULL" : "dead_at IS NULL AND attempts > 0";
    const rows found = with.database.execute(
        own_statement(
            "SELECT id, shard_scope, shard_identifier, cell_name, category, object_identifier, attempts, "
            "last_error, {iso date_added}, {iso dead_at}, {iso scheduled_for} FROM winnow_{silo}_outbox WHERE " +
                std::string(condition) + " AND id > $1 ORDER BY id LIMIT $2",
            with.database.kind(), where),
        {after, limit});
    std::vector<failed_message> list;
    for (std::size_t row = 0; row < found.size(); ++row) {
        failed_message one;
        one.id = found.integer(row, 0);
        one.shard = {where, static_cast<std::int32_t>(found.integer(row, 1)), found.integer(row, 2),
                     found.text(row, 3)};
        one.category = static_cast<std::int32_t>(found.integer(row, 4));
        one.category_name = routes.category_name(one.category);
        one.object = found.integer(row, 5);
        one.attempts = found.integer(row, 6);
        one.last_error = found.text(row, 7);
        one.added_at = found.text(row, 8);
        one.dead_at = found.text(row, 9);
        one.due_at = found.text(row, 10);
        list.push_back(std::move(one));
    }
    return list;
}

namespace detail {

/// Runs `change(message row)` for one message with its shard's row locked, so that no claim looks at it meanwhile;
/// what stands behind the message becomes due.
/// @return false when there is no such message, or it is not dead
template <class Change>
bool change_dead(const context& with, silo where, std::int64_t id, Change&& change) {
    const dialect which = with.database.kind();
    const auto spelled = [&](std::string_view text) { return own_statement(text, which, where); };
    bool found = false;
    in_source(with, [&] {
        const rows of = with.database.execute(
            spelled("SELECT shard_scope, shard_identifier, cell_name, category, object_identifier FROM "
                    "winnow_{silo}_outbox WHERE id = $1"),
            {id});
        found = !of.empty();
        if (!found) return;
        const std::int64_t scope = of.integer(0, 0);
        const std::int64_t identifier = of.integer(0, 1);
        const std::string cell = of.text(0, 2);
        (void)with.database.execute(
            spelled("SELECT token FROM winnow_{silo}_outbox_shard WHERE shard_scope = $1 AND shard_identifier = $2 AND "
                    "cell_name = $3 {lock}"),
            {scope, identifier, std::string_view(cell)});
        found = change() > 0;
        if (!found) return;
        (void)with.database.execute(
            spelled(
                "UPDATE winnow_{silo}_outbox_shard SET waiting_for = NULL, waiting_until = NULL WHERE shard_scope = $1 "
                "AND shard_identifier = $2 AND cell_name = $3 AND waiting_until IS NOT NULL"),
            {scope, identifier, std::string_view(cell)});
        (void)with.database.execute(
            spelled(
                "UPDATE winnow_{silo}_outbox SET scheduled_for = {now} WHERE id IN (SELECT id FROM "
                "winnow_{silo}_outbox WHERE shard_scope = $1 AND shard_identifier = $2 AND cell_name = $3 AND category "
                "= $4 AND object_identifier = $5 AND id > $6 AND attempts = 0 AND dead_at IS NULL AND scheduled_for > "
                "{now} ORDER BY id LIMIT 5000)"),
            {scope, identifier, std::string_view(cell), of.integer(0, 3), of.integer(0, 4), id});
    });
    return found;
}

}  // namespace detail

/// Makes a dead message a message again: due at once, with all attempts before it (rule 13).
/// @return false when there is no such message, or it is not dead
inline bool replay_message(const context& with, silo where, std::int64_t id) {
    return detail::change_dead(with, where, id, [&] {
        return with.database
            .execute(
                own_statement("UPDATE winnow_{silo}_outbox SET dead_at = NULL, attempts = 0, scheduled_for = {now} "
                              "WHERE id = $1 AND dead_at IS NOT NULL",
                              with.database.kind(), where),
                {id})
            .affected();
    });
}

/// Gives a dead message up: it is deleted, and what stands behind it goes on (rule 13).
/// @return false when there is no such message, or it is not dead
inline bool skip_message(const context& with, silo where, std::int64_t id) {
    return detail::change_dead(with, where, id, [&] {
        return with.database
            .execute(own_statement("DELETE FROM winnow_{silo}_outbox WHERE id = $1 AND dead_at IS NOT NULL",
                                   with.database.kind(), where),
                     {id})
            .affected();
    });
}

/// Replays all dead messages of a category, or of all categories, in id order.
/// @return how many
inline std::int64_t replay_dead(const context& with, silo where, std::optional<std::int32_t> category = std::nullopt) {
    std::int64_t replayed = 0;
    std::int64_t after = 0;
    for (;;) {
        const std::vector<failed_message> page = failed_messages(with, where, failed_kind::dead, after);
        if (page.empty()) return replayed;
        for (const failed_message& one : page)
            if ((!category || *category == one.category) && replay_message(with, where, one.id)) ++replayed;
        after = page.back().id;
    }
}

}  // namespace winnow::inline v0
