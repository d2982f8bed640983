// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0::detail {

/// Locks the rows of a deletion's lanes, in their order, and so waits for at most one chunk of each (R14). In the
/// caller's transaction, in which the deletion's own row is locked already. @return whether there are any
inline bool hold_lanes(connection& database, silo where, std::string_view guid) {
    if (database.kind() == dialect::sqlite) return false;
    const std::string text =
        own_statement("SELECT lane FROM winnow_{silo}_deletion_lane WHERE deletion_guid = $1 ORDER BY lane FOR UPDATE",
                      database.kind(), where);
    return !database.execute(text, {guid}).empty();
}

/// Stops the lanes of a deletion at the edge of a chunk: no token fits any more. What they removed stays on their rows
/// for the worker that leads them, which still has the deletion. In the caller's transaction, as `hold_lanes`.
inline void stop_lanes(connection& database, silo where, std::string_view guid) {
    if (!hold_lanes(database, where, guid)) return;
    (void)database.execute(own_statement("UPDATE winnow_{silo}_deletion_lane SET token = 0 WHERE deletion_guid = $1",
                                         database.kind(), where),
                           {guid});
}

/// Ends the lanes of a deletion: waits for the chunk of each, adds what they removed to the deletion's own row, and
/// takes their rows away, without which none of them can begin another chunk. In the caller's transaction, as `hold_lanes`.
/// @return whether there were any
inline bool end_lanes(connection& database, silo where, std::string_view guid) {
    if (!hold_lanes(database, where, guid)) return false;
    const std::string add = own_statement(
        "UPDATE winnow_{silo}_scheduled_deletion s SET rows_done = s.rows_done + (SELECT sum(l.rows_done)::bigint FROM "
        "winnow_{silo}_deletion_lane l WHERE l.deletion_guid = $1), progress = s.progress || (SELECT "
        "coalesce(jsonb_object_agg(g.key, coalesce((s.progress ->> g.key)::bigint, 0) + g.gone), '{}') FROM (SELECT each.key, "
        "sum(each.value::bigint)::bigint AS gone FROM winnow_{silo}_deletion_lane l, jsonb_each_text(l.progress) each WHERE "
        "l.deletion_guid = $1 GROUP BY each.key) g) WHERE s.guid = $1",
        database.kind(), where);
    (void)database.execute(add, {guid});
    (void)database.execute(
        own_statement("DELETE FROM winnow_{silo}_deletion_lane WHERE deletion_guid = $1", database.kind(), where),
        {guid});
    return true;
}

/// Makes the rows of lanes 1 to `lanes`, fenced by the token of the lease that they work under. In the caller's
/// transaction, in which the lease was checked.
inline void begin_lanes(connection& database, silo where, std::string_view guid, std::int64_t token,
                        std::int64_t lanes) {
    const std::string text = own_statement(
        "INSERT INTO winnow_{silo}_deletion_lane (deletion_guid, lane, token) SELECT $1, n, $2 FROM generate_series(1, $3) n",
        database.kind(), where);
    (void)database.execute(text, {guid, token, lanes});
}

}  // namespace winnow::inline v0::detail
