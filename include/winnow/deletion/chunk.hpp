// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/context/produce.hpp"
#include "winnow/core/error.hpp"
#include "winnow/deletion/lease.hpp"
#include "winnow/deletion/path.hpp"
#include "winnow/deletion/user_code.hpp"
#include "winnow/deletion/work.hpp"
#include "winnow/store/own_statement.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow::inline v0 {

/// How a chunk ended.
enum class chunk_end : unsigned char {
    committed,
    again,        ///< something moved or was in the way; nothing was changed, look again
    lost,         ///< the lease went to another worker, or the deletion was cancelled: stop and say nothing
    paused,       ///< somebody paused it
    root_gone,    ///< the object is not there
    root_reborn,  ///< the key now belongs to another object (R22)
    vetoed,       ///< `should_proceed` says no
};

/// What one chunk knows while its transaction is open.
struct chunk {
    int attempt = 1;                 ///< counts from 1; the second passes over rows that others hold (R9)
    key_set root;                    ///< identity of the root, locked; empty for a ghost
    std::vector<std::int64_t> rows;  ///< gone in this chunk, by model
    std::int64_t total = 0;
    std::size_t busy_with = 0;  ///< model whose statement runs, for time-outs and messages
    std::chrono::microseconds begun{0};

    void count(std::size_t model, std::int64_t gone) {
        rows[model] += gone;
        total += gone;
    }
};

namespace detail {

[[nodiscard]] inline bool is_foreign_key_violation(const error& problem) noexcept {
    return problem.sqlstate() == "23503" || problem.sqlstate() == "23001" ||
           problem.sqlstate() == "SQLITE_CONSTRAINT_FOREIGNKEY";
}
[[nodiscard]] inline bool is_time_out(const error& problem) noexcept {
    return problem.sqlstate() == "57014" || problem.sqlstate() == "SQLITE_INTERRUPT";
}

/// Locks the scheduled row by id, guid and token: the fence (R10). No row: another worker has it, or nobody. A lane
/// locks its own row, and only looks at the other (R14).
/// A server is told, for this transaction, to end it when this process goes silent for half a lease: whoever
/// takes over would wait for its locks otherwise (R12).
inline chunk_end pass_fence(deletion_work& work) {
    const dialect which = work.database().kind();
    const std::string silence = which == dialect::postgres ? ", set_config('idle_in_transaction_session_timeout', '" +
                                                                 std::to_string(work.longest_silence()) + "', true)"
                                                           : std::string();
    const std::string text = own_statement(
        "SELECT CASE WHEN " + paused_condition(work.with) + " THEN 1 ELSE 0 END" + silence +
            (work.lane == 0 ? " FROM winnow_{silo}_scheduled_deletion s "
                              "WHERE s.id = $1 AND s.guid = $2 AND s.lease_token = $3 {lock}"
                            : " FROM winnow_{silo}_deletion_lane l JOIN winnow_{silo}_scheduled_deletion s "
                              "ON s.guid = l.deletion_guid AND s.lease_token = l.token "
                              "WHERE l.lane = $1 AND l.deletion_guid = $2 AND l.token = $3 {lock} OF l"),
        which, work.request.silo);
    const rows found = work.database().execute(text, {work.lane == 0 ? work.request.id : work.lane,
                                                      std::string_view(work.request.guid), work.request.lease_token});
    if (found.empty()) return chunk_end::lost;
    return found.integer(0, 0) != 0 ? chunk_end::paused : chunk_end::committed;
}

/// Locks the root and asks `should_proceed`, in every chunk (R13).
inline chunk_end hold_root(deletion_work& work, chunk& now) {
    const plan& about = work.plan_of(work.root);
    if (!work.stack.empty() && work.stack[0].ghost) return chunk_end::committed;
    const rows found = work.database().execute(about.statements.hold, {work.root_key});
    if (found.empty()) return chunk_end::root_gone;
    const row_values row = found[0];
    if (about.birth >= 0 && work.request.birth &&
        text_of(row[static_cast<std::size_t>(about.birth)]) != *work.request.birth)
        return chunk_end::root_reborn;
    if (about.hooks.should_proceed) {
        const bool proceed = guarded(work, work.root, "should_proceed", work.request.object_id,
                                     [&] { return about.hooks.should_proceed(row, work.hooks_for(work.root)); });
        if (!proceed) return chunk_end::vetoed;
    }
    now.root = key_set(about.identity.size());
    std::vector<value> identity;
    for (const std::uint16_t column : about.identity) identity.push_back(row[column]);
    now.root.push_back(identity);
    if (work.lane == 0 && about.status && !work.stack.empty() && !work.stack[0].marked) {
        mark_rows(work.with, about, about.status.in_progress, work.root_key);
        work.stack[0].marked = true;
    }
    return chunk_end::committed;
}

/// Locks the levels that several connections work below, from the root down, when everything else of a chunk is done: so
/// each holds them only while it commits, and they do not wait for each other's chunks (R14). As safe as before the
/// chunk, for what counts is that they are locked, and as they were, when it commits: a row that has been moved away,
/// or a `should_proceed` that says no, takes the whole chunk back. Rows that moved are left out from then on.
inline chunk_end hold_shared(deletion_work& work, chunk& now) {
    const bool marked = work.stack[0].marked;
    const chunk_end end = hold_root(work, now);
    if (end != chunk_end::committed) return end;
    held_parts above{{work.root, now.root}};
    for (std::size_t level = 1; level < work.shared_levels; ++level) {
        frame& here = work.stack[level];
        part& asked = here.parts[0];
        const std::size_t count = asked.rows.size();
        key_set held = lock_through(work, *here.via, asked.rows, above[0].rows, false);
        above.assign(1, {asked.model, held});
        if (held.size() < count) {
            if (held.empty()) work.stack.resize(work.shared_levels);
            asked.rows = std::move(held);
            work.stack[0].marked = marked;
            return chunk_end::again;
        }
        if (work.lane == 0) mark_level(work, here, above);
    }
    return chunk_end::committed;
}

/// Counts and lease in one update, under the fence's lock.
inline void write_progress(deletion_work& work, const chunk& now) {
    for (std::size_t model = 0; model < now.rows.size(); ++model) work.rows[model] += now.rows[model];
    if (work.lane != 0) {
        const std::string own = own_statement(
            "UPDATE winnow_{silo}_deletion_lane SET rows_done = rows_done + $1, progress = $2 WHERE lane = $3 AND deletion_guid = $4",
            work.database().kind(), work.request.silo);
        (void)work.database().execute(own, {now.total, std::string_view(work.counts_as_json() + "}"), work.lane,
                                            std::string_view(work.request.guid)});
        return;
    }
    if (now.total > 0) work.brake.clear();
    const std::string text = own_statement(
        "UPDATE winnow_{silo}_scheduled_deletion SET rows_done = rows_done + $1, progress = $2, lease_expires_at = {after $3} WHERE id = $4",
        work.database().kind(), work.request.silo);
    (void)work.database().execute(
        text, {now.total, std::string_view(work.progress_as_json()), work.lease_seconds, work.request.id});
}

inline void report_chunk(const deletion_work& work, const chunk& now, std::chrono::microseconds start) {
    if (now.total == 0) return;
    observer& watch = work.with.watch;
    for (std::size_t model = 0; model < now.rows.size(); ++model) {
        if (now.rows[model] == 0) continue;
        const plan& about = work.plan_of(model);
        watch.count("deletions.rows", now.rows[model], {{"model", about.key}, {"strategy", name_of(about.strategy)}});
    }
    watch.observe("deletions.chunk.duration", static_cast<double>((work.with.time.now() - start).count()) / 1e6,
                  {{"model", work.plan_of(work.root).key}});
}

/// Who holds locks on a table, for a person who has to find out what is in the way (R9).
inline std::string holders_of(const deletion_work& work, std::size_t model) {
    if (work.database().kind() != dialect::postgres) return {};
    const rows found = work.database().execute_once(
        "SELECT DISTINCT l.pid, coalesce(s.usename::text, '?'), coalesce(s.state, '?') FROM pg_locks l LEFT JOIN pg_stat_activity s USING (pid) "
        "WHERE l.relation = to_regclass($1) AND l.granted AND l.pid <> pg_backend_pid() LIMIT 5",
        {work.plan_of(model).quoted_table.postgres});
    std::string text;
    for (std::size_t row = 0; row < found.size(); ++row)
        text += (row == 0 ? " Locks on its table are held by process " : ", ") + std::to_string(found.integer(row, 0)) +
                " (" + found.text(row, 1) + ", " + found.text(row, 2) + ")";
    return text.empty() ? text : text + ".";
}

/// Shortens the waits for locks as a chunk grows older: a session that has waited for it from its beginning looks
/// for a deadlock after the server's `deadlock_timeout`, and by then the engine must have given up (R8).
inline void shorten_waits(deletion_work& work, const chunk& now) {
    const std::chrono::microseconds whole = work.database().deadlock_timeout();
    const std::chrono::microseconds age = work.with.time.now() - now.begun;
    if (age < whole / 8 || whole.count() == 0) return;
    const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(whole - age) / 2;
    transaction_limits limits;
    limits.lock_timeout = std::max(rest, std::chrono::milliseconds(1));
    limits.statement_timeout = work.statement_timeout;
    work.database().set_limits(limits);
}

inline void pause_with_jitter(const deletion_work& work, int attempt) {
    std::random_device source;
    const auto ceiling = static_cast<std::uint32_t>(20'000) * static_cast<std::uint32_t>(std::min(attempt, 10));
    work.with.time.sleep(std::chrono::microseconds(2'000 + source() % ceiling));
}

}  // namespace detail

/// Runs one chunk: a transaction of the one shape (fence, root, then `body`), retried alone when it collides
/// with others (R8, R9). `body(work, chunk)` returns whether to commit; false rolls back and gives `again`.
/// @throws error when the work itself is wrong, or after ten collisions
template <class Body>
chunk_end run_chunk(deletion_work& work, Body&& body) {
    connection& database = work.database();
    transaction_limits limits;
    limits.lock_timeout = database.deadlock_timeout() / 2;
    limits.statement_timeout = work.statement_timeout;
    const std::vector<std::int64_t> before = work.rows;
    for (chunk now;; ++now.attempt) {
        now.rows.assign(work.rows.size(), 0);
        const std::chrono::microseconds start = work.with.time.now();
        now.begun = start;
        now.total = 0;
        work.rows = before;
        try {
            transaction scope(database, transaction_kind::write, limits);
            chunk_end end = detail::pass_fence(work);
            if (work.shared_levels != 0) now.root = work.root_identity;
            else if (end == chunk_end::committed) end = detail::hold_root(work, now);
            if (end != chunk_end::committed) return end;
            if (!body(work, now)) {
                work.rows = before;
                return chunk_end::again;
            }
            detail::write_progress(work, now);
            std::unique_lock<std::mutex> turn;
            if (work.shared_levels != 0) {
                turn = std::unique_lock(*work.shared_turn);
                detail::shorten_waits(work, now);
                end = detail::hold_shared(work, now);
                if (end != chunk_end::committed) {
                    work.rows = before;
                    return end;
                }
            }
            scope.commit();
            if (turn.owns_lock()) turn.unlock();
            work.rows_done += now.total;
            detail::report_chunk(work, now, start);
            work.rows_this_pass += now.total;
            if (now.total > 0) {
                ++work.chunks_this_pass;
                work.current =
                    static_cast<std::size_t>(std::max_element(now.rows.begin(), now.rows.end()) - now.rows.begin());
            }
            return chunk_end::committed;
        } catch (const error& problem) {
            work.rows = before;
            if (!work.stack.empty()) work.stack[0].marked = false;
            if (!database.usable()) throw;
            // Interrupted on purpose, or about to be: the walk puts the deletion down.
            if (work.with.stopping() && problem.may_retry()) return chunk_end::again;
            if (detail::is_foreign_key_violation(problem)) {
                if (now.attempt >= 5) throw;
            } else if (!problem.may_retry()) {
                throw;
            } else if (now.attempt >= 10) {
                error given_up(problem.kind(), std::string(work.plan_of(now.busy_with).key) + ": gave up after " +
                                                   std::to_string(now.attempt) +
                                                   " collisions with other sessions, last: " + problem.what() + "." +
                                                   detail::holders_of(work, now.busy_with));
                given_up.with_model(work.plan_of(now.busy_with).key).with_sqlstate(problem.sqlstate()).with_retry(true);
                throw given_up;
            }
            if (detail::is_time_out(problem)) {
                if (work.tuning[now.busy_with].now <= 1) throw;
                work.tuning[now.busy_with].halve();
                now.attempt = 0;
            }
            work.with.watch.log(
                log_level::debug, "chunk is tried again",
                {{"transaction_id", work.request.guid}, {"sqlstate", problem.sqlstate()}, {"problem", problem.what()}});
            detail::pause_with_jitter(work, now.attempt + 1);
        }
    }
}

}  // namespace winnow::inline v0
