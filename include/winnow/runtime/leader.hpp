// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "winnow/store/connection.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

/// Which of the processes on a database hands out its work: a row with a lease by the database's clock, no lock of a
/// session. Two leaders for a moment do no harm, since whoever does the work claims it.
///
/// Renews the lease, or takes it when nobody has it: it was given back, it has run out, or the clock was set back and
/// would keep it for longer than any lease lasts.
/// @return whether `owner` is the leader for another lease
[[nodiscard]] inline bool lead(connection& database, std::string_view owner, double lease_seconds) {
    constexpr std::string_view name = "scheduler";
    const std::string text = own_statement(
        "INSERT INTO winnow_leader AS l (name, owner, expires_at) VALUES ($1, $2, {after $3}) ON CONFLICT (name) DO UPDATE "
        "SET owner = excluded.owner, expires_at = excluded.expires_at WHERE l.owner = excluded.owner OR l.expires_at < "
        "{now} OR l.expires_at > {after $4}",
        database.kind());
    return database.execute(text, {name, owner, value(lease_seconds), value(lease_seconds * 2 + 60)}).affected() > 0;
}

/// Gives the lease back, so that nobody has to wait for its end.
inline void resign(connection& database, std::string_view owner) {
    (void)database.execute("DELETE FROM winnow_leader WHERE name = $1 AND owner = $2", {"scheduler", owner});
}

}  // namespace winnow::inline v0
