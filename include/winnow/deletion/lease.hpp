// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "winnow/context/brakes.hpp"
#include "winnow/context/context.hpp"
#include "winnow/deletion/lane_rows.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/store/own_statement.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow::inline v0 {

namespace detail {

/// True in SQL when something pauses the row `s`. A pause of a model also holds what is still scheduled under a key that
/// the model had before.
[[nodiscard]] inline std::string paused_condition(const context& with) {
    std::string text = "(s.paused_by IS NOT NULL OR EXISTS (SELECT 1 FROM winnow_pause p WHERE p.scope = 'all' "
                       "OR (p.scope = 'model' AND (p.name = s.app_label || '.' || s.model_name";
    // Keys have no quotes or braces in them; what has is the key of no row.
    const auto is_key = [](std::string_view text_of_key) {
        return text_of_key.find_first_of("'{}\\") == std::string_view::npos;
    };
    for (const relocation& one : with.relocated) {
        if (with.models.find(one.from) || !is_key(one.from)) continue;
        const std::optional<std::size_t> model = with.find_scheduled(one.from);
        if (!model) continue;
        text += " OR (p.name = '" + std::string(with.models[*model].key) +
                "' AND s.app_label || '.' || s.model_name = '" + std::string(one.from) + "')";
    }
    return text + ")) OR (p.scope = 'batch' AND p.name = s.batch_id)))";
}

}  // namespace detail

/// Claims the next due deletion of a silo, if the windows of deletions are open: one conditional update, so that of any number of workers one
/// wins; a row that a live chunk holds is passed over (R11). The fencing token grows with each claim. Lanes that an
/// earlier worker left are ended, each after its chunk (R14).
/// @param guid when not empty, only this deletion is considered
/// @return nothing when no deletion is due, unpaused and free
[[nodiscard]] inline std::optional<deletion_request> claim_deletion(const context& with, silo where,
                                                                    std::string_view guid = {}) {
    connection& database = with.database;
    if (closed_window(with, "deletion.windows")) return std::nullopt;
    const std::string text = own_statement(
        "UPDATE winnow_{silo}_scheduled_deletion SET in_progress = true, lease_owner = $1, lease_token = lease_token + 1, "
        "lease_expires_at = {after $2}, started_at = coalesce(started_at, {now}), state = 'running', state_detail = NULL, "
        "state_since = {now} WHERE id = (SELECT s.id FROM winnow_{silo}_scheduled_deletion s WHERE s.date_scheduled <= {now} "
        "AND (NOT s.in_progress OR s.lease_expires_at < {now}) AND s.state NOT IN ('failed', 'blocked', 'unconfirmed') "
        "AND (s.wait_until IS NULL OR s.wait_until <= {now}) AND ($3 = '' OR s.guid = $3) AND NOT " +
            detail::paused_condition(with) + " ORDER BY s.date_scheduled, s.id LIMIT 1 {skip}) RETURNING " +
            std::string(detail::request_columns),
        database.kind(), where);
    transaction scope(database);
    const rows found = database.execute(
        text, {std::string_view(database.session_name()), with.options().integer("deletion.lease_seconds"), guid});
    std::optional<deletion_request> claimed;
    if (!found.empty()) claimed = detail::request_of(found, 0, where);
    if (claimed && detail::end_lanes(database, where, claimed->guid)) {
        const std::string again = own_statement("SELECT rows_done FROM winnow_{silo}_scheduled_deletion WHERE id = $1",
                                                database.kind(), where);
        claimed->rows_done = database.execute(again, {claimed->id}).integer(0, 0);
    }
    scope.commit();
    return claimed;
}

/// How a claimed deletion is put down again.
struct release_note {
    std::string_view state = "scheduled";
    std::string_view detail;
    std::string_view last_error;  ///< empty: kept as it was
    double wait_seconds = 0;      ///< not before that many seconds from now
    bool count_attempt = false;
    std::string_view since = {};  ///< UTC; empty: from now on
};

/// Gives the lease back and says why. Does nothing when the lease is lost already.
inline void release_deletion(connection& database, const deletion_request& held, const release_note& note) {
    const std::string text = own_statement(
        "UPDATE winnow_{silo}_scheduled_deletion SET in_progress = false, lease_owner = NULL, lease_expires_at = NULL, "
        "state = $1, state_detail = CASE WHEN $2 = '' THEN NULL ELSE $2 END, "
        "last_error = CASE WHEN $3 = '' THEN last_error ELSE $3 END, wait_until = {after $4}, attempts = attempts + $5, "
        "state_since = coalesce({moment $9}, {now}) WHERE id = $6 AND guid = $7 AND lease_token = $8",
        database.kind(), held.silo);
    transaction scope(database);
    (void)database.execute(
        text, {note.state, note.detail, note.last_error, value(note.wait_seconds),
               std::int64_t{note.count_attempt ? 1 : 0}, held.id, std::string_view(held.guid), held.lease_token,
               note.since.empty() ? parameter(null_value{}) : parameter(note.since)});
    scope.commit();
}

/// Makes deletions due again that waited because their model was not there, and whose model is there now.
inline void wake_deletions(const context& with) {
    for (const silo where : {silo::control, silo::cell}) {
        if (!reaches(with.mode, where)) continue;
        const dialect which = with.database.kind();
        const rows waiting = with.database.execute(own_statement(
            "SELECT DISTINCT app_label, model_name, state_detail FROM winnow_{silo}_scheduled_deletion WHERE "
            "state = 'waiting' AND NOT in_progress AND state_detail LIKE 'no loaded model has the key %'",
            which, where));
        for (std::size_t row = 0; row < waiting.size(); ++row) {
            const std::string key = waiting.text(row, 0) + "." + waiting.text(row, 1);
            if (waiting.text(row, 2) != unknown_model_text(key) || !with.find_scheduled(key)) continue;
            const std::string text = own_statement(
                "UPDATE winnow_{silo}_scheduled_deletion SET state = 'scheduled', state_detail = NULL, wait_until = NULL, "
                "state_since = {now} WHERE state = 'waiting' AND NOT in_progress AND app_label = $1 AND model_name = $2 AND "
                "state_detail = $3",
                which, where);
            transaction scope(with.database);
            (void)with.database.execute(text,
                                        {std::string_view(waiting.text(row, 0)), std::string_view(waiting.text(row, 1)),
                                         std::string_view(waiting.text(row, 2))});
            scope.commit();
        }
    }
}

/// Makes the deletions of dead workers due again: those whose lease has run out. One that is alive renews
/// its lease in every chunk and is never touched, however long ago it was due (L1 of the spec's "leases, not guesses").
/// Wakes those whose model has come, too.
/// @return how many were freed
inline std::int64_t reattempt_deletions(const context& with, silo where) {
    wake_deletions(with);
    connection& database = with.database;
    const std::string text = own_statement(
        "UPDATE winnow_{silo}_scheduled_deletion SET in_progress = false, lease_owner = NULL, lease_expires_at = NULL, "
        "lease_token = lease_token + 1, state = 'scheduled', state_detail = 'the worker ' || lease_owner || ' went silent', "
        "state_since = {now} WHERE in_progress AND lease_expires_at < {now}",
        database.kind(), where);
    transaction scope(database);
    const std::int64_t freed = database.execute(text).affected();
    scope.commit();
    return freed;
}

}  // namespace winnow::inline v0
