// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/store/connection.hpp"

namespace winnow::inline v0 {

/// The horizon of R20: who is open now, by virtual transaction id, and an own transaction id behind them.
///
/// Whoever could not see what the caller has committed or seen committed is among them. Call it outside of a
/// transaction, after that.
/// @return a text to be kept; empty on SQLite, where a stale reader cannot write
[[nodiscard]] inline std::string fix_horizon(connection& database) {
    if (database.kind() == dialect::sqlite) return {};
    const rows open = database.execute_once(
        "SELECT coalesce(string_agg(l.virtualtransaction, ','), '') || ';' || pg_postmaster_start_time()::text FROM pg_locks l "
        "LEFT JOIN pg_stat_activity s USING (pid) WHERE l.locktype = 'virtualxid' AND l.granted AND l.mode = 'ExclusiveLock' "
        "AND l.pid <> pg_backend_pid() AND (s.datid IS NULL OR s.datid = (SELECT oid FROM pg_database WHERE datname = current_database()))",
        {});
    const rows own = database.execute_once("SELECT pg_current_xact_id()::text", {});
    return open.text(0, 0) + ";" + own.text(0, 0);
}

/// Whether every transaction that was open when the horizon was fixed has ended (R20). Call it outside of a transaction.
/// Nothing has to end for an empty one.
/// @param[out] who names one that has not
[[nodiscard]] inline bool has_passed(connection& database, std::string_view horizon, std::string& who) {
    if (horizon.empty()) return true;
    const std::size_t first = horizon.find(';');
    const std::size_t second = horizon.find(';', first + 1);
    const std::string_view open = horizon.substr(0, first);
    const std::string_view server = horizon.substr(first + 1, second - first - 1);
    const std::string_view own = horizon.substr(second + 1);
    const rows still = database.execute_once(
        "SELECT l.pid, coalesce(s.datname, '?') FROM pg_locks l LEFT JOIN pg_stat_activity s USING (pid) "
        "WHERE l.locktype = 'virtualxid' AND l.granted AND l.virtualtransaction = ANY(string_to_array($1, ',')) "
        "AND pg_postmaster_start_time()::text = $2 LIMIT 1",
        {open, server});
    if (!still.empty()) {
        who = "process " + std::to_string(still.integer(0, 0)) + " in database " + still.text(0, 1);
        return false;
    }
    // Prepared transactions leave no virtual id behind; only the oldest running transaction id shows them.
    const rows passed = database.execute_once("SELECT pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8", {own});
    if (passed.integer(0, 0) != 0) return true;
    who = "an older transaction, perhaps a prepared one";
    return false;
}

}  // namespace winnow::inline v0
