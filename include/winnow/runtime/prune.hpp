// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "winnow/context/context.hpp"
#include "winnow/remote/scrub.hpp"
#include "winnow/store/own_statement.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow::inline v0 {

/// What was forgotten.
struct prune_report {
    std::int64_t tombstones = 0;
    std::int64_t arrivals = 0;  ///< of messages whose effect was made (`winnow_inbox`)
    std::int64_t shards = 0;    ///< leases of shards that have no message
    std::int64_t tasks = 0;     ///< of the SQL broker that nobody took: workers that served their queue are gone
    bool more = false;          ///< the time was used up

    [[nodiscard]] std::int64_t rows() const noexcept { return tombstones + arrivals + shards + tasks; }
};

/// Removes rows of winnow's own tables that nobody needs any more, in short transactions.
///
/// An arrival must outlive the message that it is about: one that stays undelivered for longer than `days` although its
/// effect was made, as in a shard that is skipped for so long, would have it made twice. The lease of a shard is forgotten
/// when nothing is in the shard and nobody has held it for a day; its tokens come from a sequence, and do not repeat.
/// @param time after it no further statement begins
inline prune_report prune_own_tables(const context& with, silo where, std::int64_t days, clock::duration time) {
    constexpr std::int64_t batch = 10'000;
    constexpr std::int64_t day = 86'400;
    const clock::duration end = with.time.now() + time;
    prune_report done;
    const auto in_time = [&] {
        done.more = done.more || with.stopping() || with.time.now() >= end;
        return !done.more;
    };
    const auto sweep = [&](std::string_view text, double age, std::int64_t& count) {
        const std::string statement = own_statement(text, with.database.kind(), where);
        for (std::int64_t gone = batch; gone >= batch && in_time();) {
            transaction open(with.database);
            gone = with.database.execute(statement, {value(-age), batch}).affected();
            open.commit();
            count += gone;
        }
    };
    for (std::int64_t gone = batch; gone >= batch && in_time();) {
        gone = prune_tombstones(with, std::chrono::seconds(days * day), batch);
        done.tombstones += gone;
    }
    const auto age = static_cast<double>(days * day);
    sweep("DELETE FROM winnow_inbox WHERE (source, message_id) IN (SELECT source, message_id FROM winnow_inbox WHERE "
          "handled_at < {after $1} ORDER BY handled_at LIMIT $2)",
          age, done.arrivals);
    // Asked again of the row that is deleted: a claim may have taken it meanwhile.
    const std::string idle = "(s.lease_owner IS NULL OR s.lease_expires_at < {after $1}) AND s.skipped_by IS NULL AND "
                             "(s.waiting_until IS NULL OR s.waiting_until < {now}) AND NOT EXISTS (SELECT 1 FROM "
                             "winnow_{silo}_outbox o WHERE o.shard_scope = s.shard_scope AND o.shard_identifier = "
                             "s.shard_identifier AND o.cell_name = s.cell_name)";
    sweep(
        "DELETE FROM winnow_{silo}_outbox_shard AS s WHERE (s.shard_scope, s.shard_identifier, s.cell_name) IN (SELECT "
        "s.shard_scope, s.shard_identifier, s.cell_name FROM winnow_{silo}_outbox_shard s WHERE " +
            idle + " LIMIT $2) AND " + idle,
        static_cast<double>(day), done.shards);
    sweep(
        "DELETE FROM winnow_task WHERE id IN (SELECT id FROM winnow_task WHERE visible_at < {after $1} ORDER BY id LIMIT "
        "$2)",
        7.0 * day, done.tasks);
    return done;
}

}  // namespace winnow::inline v0
