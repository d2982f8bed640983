// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "winnow/context/context.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

/// The scheduled deletions of a silo in numbers.
struct deletion_counts {
    std::int64_t scheduled = 0;       ///< all of them, whatever their state
    std::int64_t in_progress = 0;     ///< held by a worker
    std::int64_t waiting = 0;         ///< for a rate limit, a brake or the next attempt
    std::int64_t failed = 0;          ///< and not tried again
    std::int64_t blocked = 0;         ///< by rows or by the schema
    std::int64_t unconfirmed = 0;     ///< above the cap
    std::int64_t expired_leases = 0;  ///< held by a worker that has gone silent
    double overdue_seconds = 0;       ///< how long the one that could run and is due longest has been due
};

/// Counts, and reports the gauges `deletions.scheduled`, `.in_progress`, `.failed`, `.blocked`, `.unconfirmed`,
/// `.expired_leases` and `.overdue_seconds`. Reads all scheduled deletions of the silo, and nothing of its own; a
/// deletion that is paused, alone or with others, does not count as overdue.
inline deletion_counts count_deletions(const context& with, silo where) {
    const rows found = with.database.execute(own_statement(
        "SELECT count(*), count(CASE WHEN s.in_progress THEN 1 END), count(CASE WHEN s.state = 'waiting' THEN 1 END), "
        "count(CASE WHEN s.state = 'failed' THEN 1 END), count(CASE WHEN s.state = 'blocked' THEN 1 END), "
        "count(CASE WHEN s.state = 'unconfirmed' THEN 1 END), "
        "count(CASE WHEN s.in_progress AND s.lease_expires_at < {now} THEN 1 END), "
        "coalesce(max(CASE WHEN NOT s.in_progress AND s.state NOT IN ('failed', 'blocked', 'unconfirmed') "
        "AND (s.wait_until IS NULL OR s.wait_until <= {now}) AND s.paused_by IS NULL AND NOT EXISTS (SELECT 1 FROM "
        "winnow_pause p WHERE p.scope = 'all' OR (p.scope = 'model' AND p.name = s.app_label || '.' || s.model_name) "
        "OR (p.scope = 'batch' AND p.name = s.batch_id)) THEN {since s.date_scheduled} END), 0.0) "
        "FROM winnow_{silo}_scheduled_deletion s",
        with.database.kind(), where));
    deletion_counts made;
    made.scheduled = found.integer(0, 0);
    made.in_progress = found.integer(0, 1);
    made.waiting = found.integer(0, 2);
    made.failed = found.integer(0, 3);
    made.blocked = found.integer(0, 4);
    made.unconfirmed = found.integer(0, 5);
    made.expired_leases = found.integer(0, 6);
    made.overdue_seconds = std::max(0.0, detail::seconds(found, 0, 7));
    const std::string_view name = name_of(where);
    const auto tell = [&](std::string_view metric, double level) { with.watch.gauge(metric, level, {{"silo", name}}); };
    tell("deletions.scheduled", static_cast<double>(made.scheduled));
    tell("deletions.in_progress", static_cast<double>(made.in_progress));
    tell("deletions.failed", static_cast<double>(made.failed));
    tell("deletions.blocked", static_cast<double>(made.blocked));
    tell("deletions.unconfirmed", static_cast<double>(made.unconfirmed));
    tell("deletions.expired_leases", static_cast<double>(made.expired_leases));
    tell("deletions.overdue_seconds", made.overdue_seconds);
    return made;
}

}  // namespace winnow::inline v0
