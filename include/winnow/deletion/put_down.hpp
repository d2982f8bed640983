// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "winnow/deletion/audit.hpp"
#include "winnow/deletion/brake.hpp"
#include "winnow/deletion/chunk.hpp"
#include "winnow/deletion/lease.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/deletion/row_refusal.hpp"
#include "winnow/deletion/work.hpp"
#include "winnow/store/own_statement.hpp"
#include "winnow/store/transaction.hpp"
#include "winnow/store/write_ahead_log.hpp"

namespace winnow::inline v0 {

/// How a run of one deletion ended.
enum class deletion_outcome : unsigned char {
    completed,  ///< the object and everything below it is gone
    dropped,  ///< there was nothing to delete any more, or `should_proceed` said no: the schedule is gone, the rows stay
    yielded,      ///< the pass used up its budget; due again at once
    waiting,      ///< a brake, a retry or an unknown model: due again later
    unconfirmed,  ///< above `deletion.max_rows`: waits for a person
    blocked,      ///< rows that will not go, or a refusal: a person has to look
    failed,       ///< the last attempt failed
    paused,
    lost,  ///< cancelled meanwhile, or taken over by another worker
};

[[nodiscard]] constexpr std::string_view name_of(deletion_outcome outcome) noexcept {
    switch (outcome) {
        case deletion_outcome::completed: return "completed";
        case deletion_outcome::dropped: return "dropped";
        case deletion_outcome::yielded: return "yielded";
        case deletion_outcome::waiting: return "waiting";
        case deletion_outcome::unconfirmed: return "unconfirmed";
        case deletion_outcome::blocked: return "blocked";
        case deletion_outcome::failed: return "failed";
        case deletion_outcome::paused: return "paused";
        case deletion_outcome::lost: return "lost";
    }
    return "unknown";
}

struct deletion_report {
    deletion_outcome outcome = deletion_outcome::completed;
    std::string guid;
    std::string model;
    std::string object_id;
    std::string detail;       ///< why, for people
    std::int64_t rows = 0;    ///< gone in all passes
    row_counts by_model;      ///< the same by model
    double wait_seconds = 0;  ///< `waiting`: until it is due again
    bool retried = false;     ///< `waiting`: because an attempt failed
};

namespace detail {

/// Takes the scheduled row away at the end, with a last line in the audit; only while the lease is held.
inline bool close_request(deletion_work& work, std::string_view action, std::string_view why) {
    connection& database = work.database();
    transaction scope(database);
    if (pass_fence(work) == chunk_end::lost) return false;
    record_audit(database, action, work.request, work.with.actor, why);
    (void)database.execute(own_statement("DELETE FROM winnow_grave WHERE guid = $1", database.kind()),
                           {std::string_view(work.request.guid)});
    (void)database.execute(
        own_statement("DELETE FROM winnow_{silo}_scheduled_deletion WHERE id = $1", database.kind(), work.request.silo),
        {work.request.id});
    scope.commit();
    work.with.watch.log(log_level::info, "deletion ended",
                        {{"transaction_id", work.request.guid},
                         {"model", work.request.model},
                         {"object_id", work.request.object_id},
                         {"action", action},
                         {"why", why}});
    return true;
}

inline deletion_report report_of(const deletion_work& work, deletion_outcome outcome, std::string why) {
    deletion_report report{
        outcome, work.request.guid, work.request.model, work.request.object_id, std::move(why), work.rows_done, {}, 0};
    for (std::size_t model = 0; model < work.rows.size(); ++model)
        if (work.rows[model] != 0) report.by_model.emplace_back(work.plan_of(model).key, work.rows[model]);
    return report;
}

inline deletion_report close(deletion_work& work, deletion_outcome outcome, std::string_view action, std::string why) {
    if (!close_request(work, action, why))
        return report_of(work, deletion_outcome::lost, "another worker or a cancellation was first");
    return report_of(work, outcome, std::move(why));
}

/// Sizes that changed in a chunk which was rolled back are on no row yet, nor is the brake.
inline void keep_notes(deletion_work& work) {
    const bool fitted = std::any_of(work.tuning.begin(), work.tuning.end(),
                                    [](const chunk_tuning& one) { return one.now != one.most; });
    if (!fitted && work.brake.empty()) return;
    const std::string text = own_statement(
        "UPDATE winnow_{silo}_scheduled_deletion SET progress = $1 WHERE id = $2 AND guid = $3 AND lease_token = $4",
        work.database().kind(), work.request.silo);
    (void)work.database().execute(text, {std::string_view(work.progress_as_json()), work.request.id,
                                         std::string_view(work.request.guid), work.request.lease_token});
}

inline deletion_report put_down(deletion_work& work, deletion_outcome outcome, const release_note& note,
                                std::string_view audit = {}) {
    if (!audit.empty()) record_audit(work.database(), audit, work.request, work.with.actor, note.detail);
    keep_notes(work);
    release_deletion(work.database(), work.request, note);
    if (outcome == deletion_outcome::waiting && !note.count_attempt)
        work.with.watch.log(log_level::info, "deletion waits",
                            {{"transaction_id", work.request.guid},
                             {"model", work.request.model},
                             {"object_id", work.request.object_id},
                             {"seconds", std::to_string(note.wait_seconds)},
                             {"why", note.detail}});
    deletion_report report = report_of(work, outcome, std::string(note.detail));
    report.wait_seconds = note.wait_seconds;
    report.retried = note.count_attempt;
    return report;
}

/// Puts it down for a brake. The same brake as last time, with no row gone in between, has been on since then.
inline deletion_report put_down_for(deletion_work& work, const brake_reason& brake) {
    if (brake.name.empty() || work.brake != brake.name) {
        work.brake = brake.name;
        const dialect which = work.database().kind();
        constexpr dialect_text now = {"SELECT {iso clock_timestamp()}", "SELECT {now}"};
        work.brake_since = work.database().execute(own_statement(now[which], which)).text(0, 0);
    }
    release_note note{"waiting", brake.text, brake.problem, brake.seconds, false};
    note.since = work.brake_since;
    return put_down(work, deletion_outcome::waiting, note);
}

/// The disk is full: SQLite has rolled the chunk back by itself, what was committed is safe. Makes what room there is
/// and waits, as for a brake (S4).
inline deletion_report wait_for_room(deletion_work& work, const std::string& text) {
    const bool emptied = empty_sqlite_log(work.database());
    for (chunk_tuning& one : work.tuning) one.halve();  // what did not fit whole may fit in parts
    const std::string why = "the disk is full; the last chunk was rolled back and " +
                            std::string(emptied ? "the write-ahead log emptied" : "the write-ahead log stays") +
                            ". Goes on when there is room: " + text;
    const double seconds = brake_seconds(work);
    try {
        return put_down_for(work, {why, seconds, "disk", text});
    } catch (const error& problem) {
        if (problem.sqlstate() != "SQLITE_FULL") throw;
        // Not even the row can be written. Its lease runs out; then whoever finds room takes it.
        deletion_report report = report_of(work, deletion_outcome::waiting, why);
        report.wait_seconds = static_cast<double>(work.lease_seconds);
        return report;
    }
}

/// Why a pass ended with more to do.
[[nodiscard]] inline std::string_view why_yielded(const deletion_work& work) noexcept {
    return work.with.stopping() ? "its worker was told to stop; goes on" : "a pass used up its budget; goes on";
}

/// What an error means for the deletion's row.
inline deletion_report put_down_after(deletion_work& work, const error& problem) {
    std::string text = problem.what();
    if (!problem.hint().empty()) text += " " + problem.hint();
    // A statement that was interrupted so that the worker can stop is no fault of anybody.
    if (work.with.stopping() && is_time_out(problem))
        return put_down(work, deletion_outcome::yielded, {"scheduled", why_yielded(work), "", 0, false});
    if (problem.sqlstate() == "SQLITE_FULL") return wait_for_room(work, text);
    // Somebody else's locks are no fault of this deletion; it waits for them as for a brake (R9).
    if (problem.may_retry() && !is_time_out(problem) && !is_foreign_key_violation(problem))
        return put_down(work, deletion_outcome::waiting, {"waiting", text, text, work.collision_seconds, false});
    work.with.watch.log(log_level::error, "deletion failed",
                        {{"transaction_id", work.request.guid},
                         {"model", work.request.model},
                         {"object_id", work.request.object_id},
                         {"problem", text}});
    // The rest of the chunk is gone, and trying again would only be refused again.
    if (dynamic_cast<const rows_refused*>(&problem) != nullptr)
        return put_down(work, deletion_outcome::failed, {"failed", text, text, 0, true}, "failed");
    const bool needs_person =
        problem.kind() == failure::refused || problem.kind() == failure::blocked || is_foreign_key_violation(problem);
    if (needs_person) return put_down(work, deletion_outcome::blocked, {"blocked", text, text, 0, true}, "blocked");
    const options live = work.with.options();
    if (work.request.attempts >= live.integer("deletion.attempts"))
        return put_down(work, deletion_outcome::failed, {"failed", text, text, 0, true}, "failed");
    // Give or take a tenth: what failed together is not tried again together.
    std::random_device source;
    const double tenth = static_cast<double>(source() % 2001) / 10'000 - 0.1;
    const double pause = static_cast<double>(live.integer("deletion.retry_seconds")) * (1 + tenth);
    return put_down(work, deletion_outcome::waiting, {"waiting", "retry after: " + text, text, pause, true});
}

}  // namespace detail

}  // namespace winnow::inline v0
