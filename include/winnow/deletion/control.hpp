// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/produce.hpp"
#include "winnow/context/context.hpp"
#include "winnow/deletion/audit.hpp"
#include "winnow/deletion/lane_rows.hpp"
#include "winnow/deletion/lease.hpp"
#include "winnow/store/object_id.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/deletion/schedule.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

/// The four answers of `cancel`.
enum class cancel_answer : unsigned char {
    before_start,   ///< it was scheduled and nothing of it had been deleted
    stopped,        ///< it stopped at the edge of a chunk; `rows` says what is gone already
    already_done,   ///< the deletion has ended before
    not_scheduled,  ///< there was nothing to cancel
};

[[nodiscard]] constexpr std::string_view name_of(cancel_answer answer) noexcept {
    switch (answer) {
        case cancel_answer::before_start: return "cancelled before start";
        case cancel_answer::stopped: return "stopped";
        case cancel_answer::already_done: return "already done";
        case cancel_answer::not_scheduled: return "not scheduled";
    }
    return "unknown";
}

struct cancel_result {
    cancel_answer answer = cancel_answer::not_scheduled;
    std::string guid;
    std::int64_t rows_done = 0;
    row_counts rows;  ///< by model
};

namespace detail {

inline std::vector<deletion_request> requests_of(const context& with, std::size_t model, std::span<const value> key) {
    const std::string object_id = object_id_of(key);
    std::vector<deletion_request> found;
    for (const std::string_view scheduled : scheduled_keys_of(with, model)) {
        request_filter only;
        only.model = scheduled;
        only.object_id = object_id;
        for (deletion_request& one : list_requests(with.database, with.models[model].silo, only))
            found.push_back(std::move(one));
    }
    return found;
}

/// Whether the object itself is gone and its deletion will end by itself: what is left is to sweep what late
/// writers hung below removed rows, and without that they would stay orphans for ever (R6 b).
inline bool is_beyond_cancelling(const context& with, std::optional<std::size_t> model, const deletion_request& now) {
    if (!model || now.rows_done == 0 || now.state == "failed" || now.state == "blocked" || now.paused_by) return false;
    const plan& about = with.models[*model];
    key_set keys(about.primary_key.size());
    keys.push_back(key_of_text(about, now.object_id));
    return with.database.execute(about.statements.count, {keys}).integer(0, 0) == 0;
}

/// Takes the row away under its lock: a worker's chunk is waited for, and those of its lanes (R14); their next fences
/// find no row and stop.
inline cancel_result cancel_row(const context& with, const deletion_request& about) {
    connection& database = with.database;
    const std::string lock =
        own_statement("SELECT " + std::string(request_columns) +
                          " FROM winnow_{silo}_scheduled_deletion WHERE id = $1 AND guid = $2 {lock}",
                      database.kind(), about.silo);
    joined_transaction scope(database);
    rows held = database.execute(lock, {about.id, std::string_view(about.guid)});
    if (!held.empty() && hold_lanes(database, about.silo, about.guid))
        held = database.execute(lock, {about.id, std::string_view(about.guid)});
    cancel_result result;
    result.guid = about.guid;
    if (held.empty()) {
        result.answer = cancel_answer::already_done;
        scope.commit();
        return result;
    }
    const deletion_request now = request_of(held, 0, about.silo);
    result.rows_done = now.rows_done;
    result.rows = counts_of(database, about.silo, about.id);
    result.answer = now.rows_done == 0 ? cancel_answer::before_start : cancel_answer::stopped;
    const std::optional<std::size_t> model = with.find_scheduled(now.model);
    if (is_beyond_cancelling(with, model, now)) {
        result.answer = cancel_answer::already_done;
        scope.commit();
        return result;
    }
    if (model && result.answer == cancel_answer::before_start && with.models[*model].status) {
        const plan& plan_of = with.models[*model];
        key_set keys(plan_of.primary_key.size());
        keys.push_back(key_of_text(plan_of, now.object_id));
        const rows object = database.execute(plan_of.statements.hold, {keys});
        if (!object.empty()) {
            const std::int64_t status =
                object.integer(0, static_cast<std::size_t>(plan_of.status.index), plan_of.status.active);
            if (status == plan_of.status.pending || status == plan_of.status.in_progress)
                mark_rows(with, plan_of, plan_of.status.active, keys);
        }
    }
    (void)end_lanes(database, about.silo, about.guid);
    record_audit(database, "cancelled", now, with.actor, name_of(result.answer));
    (void)database.execute(own_statement("DELETE FROM winnow_grave WHERE guid = $1", database.kind()),
                           {std::string_view(about.guid)});
    (void)database.execute(
        own_statement("DELETE FROM winnow_{silo}_scheduled_deletion WHERE id = $1", database.kind(), about.silo),
        {about.id});
    scope.commit();
    with.watch.log(log_level::info, "deletion cancelled",
                   {{"transaction_id", about.guid},
                    {"model", about.model},
                    {"object_id", about.object_id},
                    {"answer", name_of(result.answer)}});
    return result;
}

}  // namespace detail

/// Cancels the deletion of one object. A chunk that is under way is waited for, so that the answer is exact.
/// Where the model has a status and nothing is gone yet, the object becomes active again.
inline cancel_result cancel(const context& with, std::size_t model, std::span<const value> key) {
    with.require_reachable(model);
    const std::vector<deletion_request> found = detail::requests_of(with, model, key);
    if (!found.empty()) return detail::cancel_row(with, found.front());
    const std::string text = own_statement(
        "SELECT action, guid FROM winnow_audit WHERE model = $1 AND object_id = $2 AND action IN ('completed', 'cancelled', 'dropped') "
        "ORDER BY id DESC LIMIT 1",
        with.database.kind());
    cancel_result result;
    for (const std::string_view scheduled : detail::scheduled_keys_of(with, model)) {
        const rows last = with.database.execute(text, {scheduled, std::string_view(object_id_of(key))});
        if (last.empty() || last.text(0, 0) != "completed") continue;
        result.answer = cancel_answer::already_done;
        result.guid = last.text(0, 1);
    }
    return result;
}

/// Cancels every deletion of a batch that has not ended, in this process's silos.
/// @throws error of kind `usage` for an empty id, which to a filter would mean all batches
[[nodiscard]] inline std::vector<cancel_result> cancel_batch(const context& with, std::string_view batch) {
    if (batch.empty()) throw error(failure::usage, "Cancel which batch? Its id is empty.");
    std::vector<cancel_result> results;
    for (const silo where : {silo::control, silo::cell}) {
        if (!reaches(with.mode, where)) continue;
        request_filter only;
        only.batch = batch;
        only.limit = std::int64_t{1} << 40;
        for (const deletion_request& one : list_requests(with.database, where, only))
            results.push_back(detail::cancel_row(with, one));
    }
    return results;
}

/// What a pause is about.
enum class pause_scope : unsigned char { all, model, batch };

[[nodiscard]] constexpr std::string_view name_of(pause_scope scope) noexcept {
    return scope == pause_scope::all ? "all" : scope == pause_scope::model ? "model" : "batch";
}

namespace detail {

inline void note_pause(const context& with, std::string_view action, std::string_view detail) {
    const std::string text =
        own_statement("INSERT INTO winnow_audit (action, actor, detail) VALUES ($1, $2, $3)", with.database.kind());
    (void)with.database.execute(text, {action, with.actor, detail});
}

}  // namespace detail

/// Pauses everything, one model or one batch. Takes effect within one chunk, without a restart.
/// @param name key of the model or id of the batch; ignored for `all`
inline void pause(const context& with, pause_scope scope, std::string_view name = {}) {
    if (scope == pause_scope::model) (void)with.models.at(name);
    detail::joined_transaction inside(with.database);
    const std::string text = own_statement(
        "INSERT INTO winnow_pause (scope, name, paused_by) VALUES ($1, $2, $3) ON CONFLICT (scope, name) DO NOTHING",
        with.database.kind());
    (void)with.database.execute(text,
                                {name_of(scope), scope == pause_scope::all ? std::string_view() : name, with.actor});
    detail::note_pause(with, "paused", std::string(name_of(scope)) + " " + std::string(name));
    inside.commit();
}

/// Ends a pause of the same scope and name. @return whether there was one
inline bool resume(const context& with, pause_scope scope, std::string_view name = {}) {
    detail::joined_transaction inside(with.database);
    const std::string text =
        own_statement("DELETE FROM winnow_pause WHERE scope = $1 AND name = $2", with.database.kind());
    const bool was =
        with.database.execute(text, {name_of(scope), scope == pause_scope::all ? std::string_view() : name})
            .affected() > 0;
    if (was) detail::note_pause(with, "resumed", std::string(name_of(scope)) + " " + std::string(name));
    inside.commit();
    return was;
}

namespace detail {

/// One update of one object's row, with its line in the audit. @return false without such a row
inline bool change_row(const context& with, std::size_t model, std::span<const value> key, std::string_view assignments,
                       std::string_view action, std::string_view condition = "true") {
    with.require_reachable(model);
    const std::vector<deletion_request> found = requests_of(with, model, key);
    if (found.empty()) return false;
    const std::string text = own_statement("UPDATE winnow_{silo}_scheduled_deletion SET " + std::string(assignments) +
                                               " WHERE $1 = $1 AND id = $2 AND guid = $3 AND " + std::string(condition),
                                           with.database.kind(), found.front().silo);
    joined_transaction scope(with.database);
    const bool changed =
        with.database.execute(text, {with.actor, found.front().id, std::string_view(found.front().guid)}).affected() >
        0;
    if (changed && action == "paused") stop_lanes(with.database, found.front().silo, found.front().guid);
    if (changed) record_audit(with.database, action, found.front(), with.actor, "");
    scope.commit();
    return changed;
}

}  // namespace detail

/// Pauses one object's deletion; waits for a chunk that is under way, of each of its connections. @return false when it is not scheduled
inline bool pause(const context& with, std::size_t model, std::span<const value> key) {
    return detail::change_row(with, model, key, "paused_by = $1, paused_at = {now}", "paused");
}
inline bool resume(const context& with, std::size_t model, std::span<const value> key) {
    return detail::change_row(with, model, key, "paused_by = NULL, paused_at = NULL", "resumed");
}
/// Lets a deletion above `deletion.max_rows` go.
inline bool confirm(const context& with, std::size_t model, std::span<const value> key) {
    return detail::change_row(
        with, model, key, "confirmed = true, state = CASE WHEN state = 'unconfirmed' THEN 'scheduled' ELSE state END",
        "confirmed");
}
/// Puts a failed or blocked deletion back; it goes on from what is left.
/// @return false when the object has no failed, blocked or waiting deletion
inline bool retry(const context& with, std::size_t model, std::span<const value> key) {
    return detail::change_row(with, model, key,
                              "state = 'scheduled', state_detail = NULL, attempts = 0, wait_until = NULL", "retried",
                              "NOT in_progress AND state IN ('failed', 'blocked', 'waiting')");
}

}  // namespace winnow::inline v0
