// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/outbox/retry.hpp"
#include "winnow/outbox/shard.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

/// How many messages a shard has, and who is at it.
struct shard_depth {
    outbox_shard shard;
    std::int64_t messages = 0;
    std::int64_t dead = 0;
    double oldest_seconds = 0;  ///< age of the oldest message
    std::string held_by;        ///< owner of the lease; empty: nobody is at it
    std::string skipped_by;     ///< empty: it is not skipped by a person
    std::string waiting_for;    ///< why a strict shard, or one whose target is away, does not go on
};

/// The deepest shards first. Reads all messages of the silo.
[[nodiscard]] inline std::vector<shard_depth> shard_depths(const context& with, silo where, std::int64_t limit = 20) {
    const rows found = with.database.execute(
        own_statement(
            "SELECT g.shard_scope, g.shard_identifier, g.cell_name, g.messages, g.dead, {since g.oldest}, CASE WHEN "
            "s.lease_expires_at > {now} THEN s.lease_owner END, s.skipped_by, CASE WHEN s.waiting_until > {now} THEN "
            "s.waiting_for END FROM (SELECT shard_scope, shard_identifier, cell_name, count(*) AS messages, count(dead_at) "
            "AS dead, min(date_added) AS oldest FROM winnow_{silo}_outbox GROUP BY shard_scope, shard_identifier, "
            "cell_name ORDER BY count(*) DESC, 1, 2, 3 LIMIT $1) AS g LEFT JOIN winnow_{silo}_outbox_shard s ON "
            "s.shard_scope = g.shard_scope AND s.shard_identifier = g.shard_identifier AND s.cell_name = g.cell_name "
            "ORDER BY g.messages DESC, 1, 2, 3",
            with.database.kind(), where),
        {limit});
    std::vector<shard_depth> list;
    for (std::size_t row = 0; row < found.size(); ++row) {
        shard_depth one;
        one.shard = {where, static_cast<std::int32_t>(found.integer(row, 0)), found.integer(row, 1),
                     found.text(row, 2)};
        one.messages = found.integer(row, 3);
        one.dead = found.integer(row, 4);
        if (const auto* seconds = std::get_if<double>(&found.at(row, 5))) one.oldest_seconds = *seconds;
        one.held_by = found.text(row, 6);
        one.skipped_by = found.text(row, 7);
        one.waiting_for = found.text(row, 8);
        list.push_back(std::move(one));
    }
    return list;
}

/// The outbox of a silo in numbers.
struct outbox_totals {
    std::int64_t messages = 0;
    std::int64_t due = 0;
    std::int64_t retrying = 0;  ///< failed and to be tried again
    std::int64_t dead = 0;
    std::int64_t shards = 0;
    std::int64_t deepest = 0;        ///< messages of the deepest shard
    std::int64_t skipped = 0;        ///< shards that a person skips
    std::int64_t waiting = 0;        ///< shards that wait for a message or for their target
    double oldest_due_seconds = 0;   ///< how long the message that is due longest has been
    double oldest_transaction = -1;  ///< seconds since the oldest open transaction of this database began; -1: unknown
    std::int64_t dead_rows = -1;     ///< of the outbox's table that the database could not clean yet; -1: unknown
};

/// Counts, and reports the gauges `deliver_from_outbox.maximum_shard_depth`, `deliver_from_outbox.total_outbox_count`
/// and `outbox.dead_messages`. Reads all messages of the silo.
[[nodiscard]] inline outbox_totals count_outbox(const context& with, silo where) {
    connection& database = with.database;
    const auto run = [&](std::string_view text) {
        return database.execute(own_statement(text, database.kind(), where));
    };
    outbox_totals made;
    const rows all =
        run("SELECT count(*), count(CASE WHEN dead_at IS NULL AND scheduled_for <= {now} THEN 1 END), count(CASE WHEN "
            "attempts > 0 AND dead_at IS NULL THEN 1 END), count(dead_at) FROM winnow_{silo}_outbox");
    made.messages = all.integer(0, 0);
    made.due = all.integer(0, 1);
    made.retrying = all.integer(0, 2);
    made.dead = all.integer(0, 3);
    const rows oldest_due = run(
        "SELECT {since scheduled_for} FROM winnow_{silo}_outbox WHERE dead_at IS NULL ORDER BY scheduled_for LIMIT 1");
    if (!oldest_due.empty())
        if (const auto* seconds = std::get_if<double>(&oldest_due.at(0, 0)))
            made.oldest_due_seconds = *seconds < 0 ? 0 : *seconds;
    const rows depth = run(
        "SELECT count(*), coalesce(max(messages), 0) FROM (SELECT count(*) AS messages FROM winnow_{silo}_outbox GROUP "
        "BY shard_scope, shard_identifier, cell_name) AS g");
    made.shards = depth.integer(0, 0);
    made.deepest = depth.integer(0, 1);
    const rows held = run(
        "SELECT count(skipped_by), count(CASE WHEN waiting_until > {now} THEN 1 END) FROM winnow_{silo}_outbox_shard");
    made.skipped = held.integer(0, 0);
    made.waiting = held.integer(0, 1);
    if (database.kind() == dialect::postgres) {
        // What keeps the database from cleaning the table; other roles' transactions may be hidden from this one.
        const rows health = run(
            "SELECT extract(epoch FROM max(clock_timestamp() - xact_start))::double precision, (SELECT n_dead_tup FROM "
            "pg_stat_user_tables WHERE relid = 'winnow_{silo}_outbox'::regclass) FROM pg_stat_activity WHERE datname = "
            "current_database() AND pid <> pg_backend_pid()");
        const auto* oldest = std::get_if<double>(&health.at(0, 0));
        made.oldest_transaction = oldest == nullptr ? 0 : *oldest;
        made.dead_rows = health.integer(0, 1, -1);
    }
    const std::string_view name = name_of(where);
    with.watch.gauge("deliver_from_outbox.maximum_shard_depth", static_cast<double>(made.deepest), {{"silo", name}});
    with.watch.gauge("deliver_from_outbox.total_outbox_count", static_cast<double>(made.messages), {{"silo", name}});
    with.watch.gauge("outbox.dead_messages", static_cast<double>(made.dead), {{"silo", name}});
    return made;
}

/// The smallest and the greatest id of a silo's messages that are not dead, for splitting them among workers; both 0
/// when there is none.
[[nodiscard]] inline std::pair<std::int64_t, std::int64_t> outbox_id_range(const context& with, silo where) {
    const rows found = with.database.execute(own_statement(
        "SELECT coalesce((SELECT id FROM winnow_{silo}_outbox WHERE dead_at IS NULL ORDER BY id LIMIT 1), "
        "0), coalesce((SELECT id FROM winnow_{silo}_outbox WHERE dead_at IS NULL ORDER BY id DESC LIMIT 1), "
        "0)",
        with.database.kind(), where));
    return {found.integer(0, 0), found.integer(0, 1)};
}

/// Leaves a shard alone until `unskip_shard`, or says who does already. A turn that is under way ends.
/// @return false when it was skipped before
inline bool skip_shard(const context& with, const outbox_shard& shard) {
    const std::string text = own_statement(
        "INSERT INTO winnow_{silo}_outbox_shard (shard_scope, shard_identifier, cell_name, skipped_by, skipped_at) VALUES "
        "($1, $2, $3, $4, {now}) ON CONFLICT (shard_scope, shard_identifier, cell_name) DO UPDATE SET skipped_by = "
        "excluded.skipped_by, skipped_at = excluded.skipped_at WHERE winnow_{silo}_outbox_shard.skipped_by IS NULL",
        with.database.kind(), shard.silo);
    bool changed = false;
    detail::in_source(with, [&] {
        changed = with.database
                      .execute(text, {std::int64_t{shard.scope}, shard.identifier, std::string_view(shard.cell_name),
                                      with.actor})
                      .affected() > 0;
    });
    return changed;
}

/// @return false when it was not skipped
inline bool unskip_shard(const context& with, const outbox_shard& shard) {
    const std::string text = own_statement(
        "UPDATE winnow_{silo}_outbox_shard SET skipped_by = NULL, skipped_at = NULL WHERE shard_scope = $1 AND "
        "shard_identifier = $2 AND cell_name = $3 AND skipped_by IS NOT NULL",
        with.database.kind(), shard.silo);
    bool changed = false;
    detail::in_source(with, [&] {
        changed = with.database
                      .execute(text, {std::int64_t{shard.scope}, shard.identifier, std::string_view(shard.cell_name)})
                      .affected() > 0;
    });
    return changed;
}

}  // namespace winnow::inline v0
