// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/context/locked_observer.hpp"
#include "winnow/deletion/audit.hpp"
#include "winnow/deletion/horizon.hpp"
#include "winnow/deletion/lease.hpp"
#include "winnow/deletion/measure.hpp"
#include "winnow/deletion/put_down.hpp"
#include "winnow/deletion/schedule.hpp"
#include "winnow/deletion/share.hpp"
#include "winnow/deletion/survey.hpp"
#include "winnow/deletion/walk.hpp"

namespace winnow::inline v0 {

namespace detail {

inline void note_signalled(deletion_work& work) {
    const std::string text =
        own_statement("UPDATE winnow_{silo}_scheduled_deletion SET signalled = true WHERE id = $1 AND guid = $2",
                      work.database().kind(), work.request.silo);
    (void)work.database().execute(text, {work.request.id, std::string_view(work.request.guid)});
    work.request.signalled = true;
}

/// How many connections may work on one deletion.
inline std::int64_t connections_for(const context& with, const options& live) {
    if (with.opener == nullptr || with.database.kind() != dialect::postgres) return 1;
    const std::int64_t wanted = with.connections != 0 ? with.connections : live.integer("deletion.connections");
    return std::clamp<std::int64_t>(wanted, 1, most_connections);
}

inline deletion_work begin_work(const context& with, const deletion_request& claimed, std::size_t model) {
    const plan& about = with.models[model];
    deletion_work work{with, claimed, model, key_set(about.primary_key.size())};
    work.root_key.push_back(key_of_text(about, claimed.object_id));
    work.rows.assign(with.models.size(), 0);
    work.rows_done = claimed.rows_done;
    for (const auto& [key, count] : counts_of(with.database, claimed.silo, claimed.id))
        if (const auto index = with.models.find(key)) work.rows[*index] = count;
    work.charged = work.rows;
    held_brake before = brake_of(with.database, claimed.silo, claimed.id);
    work.brake = std::move(before.name);
    work.brake_since = std::move(before.since);
    work.external_done = external_tasks_done(with.database, claimed.silo, claimed.id);
    for (std::size_t index = 0; index < with.models.size(); ++index) {
        const plan& one = with.models[index];
        // What somebody's code does with each row is not known before it has been called; nor is how many pages rows lie
        // on, each of which the server writes whole to its log when it is first touched.
        const std::int64_t most = one.chunk_size;
        const std::int64_t first = std::min<std::int64_t>(most, one.strategy == strategy::per_row ? 100 : 2'500);
        work.tuning.push_back({most, first, first});
    }
    for (std::size_t index = 0; index < with.models.size(); ++index) {
        // The last look at rows with a tree below them passes over what is left of that tree in every index, and
        // nobody knows how much that is before the first one.
        bool deep = false;
        for (const edge& along : with.models.edges_from(index))
            deep = deep || (along.child != edge::none && along.relation->kind == relation_kind::cascade &&
                            !with.models.edges_from(along.child).empty());
        const std::int64_t most = with.models[index].chunk_size;
        const std::int64_t first = deep && !with.models.is_cyclic(index) ? 1 : most;
        work.ending.push_back({most, first, first});
    }
    const options live = with.options().snapshot();
    work.target = std::chrono::milliseconds(live.integer("deletion.target_milliseconds"));
    // Goes on with the size that the last pass found right; without a target it could not grow again.
    if (work.target.count() == 0)
        for (chunk_tuning& one : work.tuning) one.now = one.first = one.most;
    else
        for (const auto& [key, size] : fitted_chunks_of(with.database, claimed.silo, claimed.id))
            if (const auto index = with.models.find(key))
                work.tuning[*index].now = std::clamp<std::int64_t>(size, 1, work.tuning[*index].most);
    work.shape = shape_of(live.text("deletion.shape"));
    work.statement_timeout = std::chrono::milliseconds(live.integer("deletion.statement_milliseconds"));
    work.lease_seconds = live.integer("deletion.lease_seconds");
    // A stalled session must lose its locks before its lease runs out, or nobody can take over (R12).
    if (with.database.kind() == dialect::postgres)
        (void)with.database.execute("SELECT set_config('idle_in_transaction_session_timeout', $1, false)",
                                    {std::string_view(std::to_string(work.longest_silence()))});
    const std::int64_t pass = live.integer("deletion.pass_milliseconds");
    work.budget.time =
        pass != 0 ? std::chrono::milliseconds(pass) : std::chrono::minutes(claimed.silo == silo::control ? 15 : 20);
    work.budget.rows = live.integer("deletion.pass_rows");
    work.connections = connections_for(with, live);
    // Nobody could say which of several may remove the last rows of such a pass.
    if (work.budget.rows != 0) work.connections = 1;
    work.pass_started = with.time.now();
    begin_turn(with);
    return work;
}

/// Everything that must hold before the first row goes; all of it only looks. @return a report when it must not go
inline std::optional<deletion_report> check_before_start(deletion_work& work, const rows& root_row) {
    const plan& about = work.plan_of(work.root);
    const row_values row = root_row[0];
    if (about.birth >= 0 && work.request.birth &&
        text_of(row[static_cast<std::size_t>(about.birth)]) != *work.request.birth)
        return close(work, deletion_outcome::dropped, "dropped", "the id now belongs to another object");
    if (about.hooks.should_proceed && !guarded(work, work.root, "should_proceed", work.request.object_id, [&] {
            return about.hooks.should_proceed(row, work.hooks_for(work.root));
        }))
        return close(work, deletion_outcome::dropped, "dropped", "should_proceed said no");
    if (const std::string wrong = survey_schema(work); !wrong.empty())
        return put_down(work, deletion_outcome::blocked, {"blocked", wrong, wrong, 0, false}, "blocked");
    if (const std::string wrong = find_restriction(work); !wrong.empty())
        return put_down(work, deletion_outcome::blocked, {"blocked", wrong, wrong, 0, false}, "blocked");
    const std::int64_t cap = work.with.options().integer("deletion.max_rows");
    if (!work.request.rows_total) measure_total(work, cap > 0 && !work.request.confirmed);
    if (cap > 0 && !work.request.confirmed && work.request.rows_total.value_or(cap + 1) > cap) {
        const std::string why = "more than " + std::to_string(cap) +
                                " rows (option deletion.max_rows) would go; waiting for a confirmation";
        return put_down(work, deletion_outcome::unconfirmed, {"unconfirmed", why, "", 0, false}, "unconfirmed");
    }
    if (!work.request.signalled) {
        if (about.hooks.pending_delete)
            guarded(work, work.root, "pending_delete", work.request.object_id,
                    [&] { about.hooks.pending_delete(row, work.hooks_for(work.root)); });
        work.with.watch.pending_delete(about.key, work.request.object_id, work.request.guid);
        record_audit(work.database(), "started", work.request, work.with.actor, "");
        note_signalled(work);
    }
    return std::nullopt;
}

/// One pass over a claimed deletion whose model is known.
inline deletion_report run_pass(deletion_work& work) {
    const plan& about = work.plan_of(work.root);
    brake_reason brake;
    if (brake_is_on(work, brake)) return put_down_for(work, brake);
    const rows root_row = work.database().execute(about.statements.read, {work.root_key});
    std::vector<value> identity;
    if (!root_row.empty()) {
        if (auto stop = check_before_start(work, root_row)) return *stop;
        for (const std::uint16_t column : about.identity) identity.push_back(root_row[0][column]);
        work.root_identity = key_set(about.identity.size());
        work.root_identity.push_back(identity);
        frame root;
        root.parts.push_back({work.root, work.root_identity});
        work.stack.push_back(std::move(root));
        work.root_seen = true;
    } else if (work.rows_done == 0 && !has_graves(work)) {
        return close(work, deletion_outcome::dropped, "dropped", "the object does not exist any more");
    } else if (const std::string wrong = survey_schema(work); !wrong.empty()) {
        return put_down(work, deletion_outcome::blocked, {"blocked", wrong, wrong, 0, false}, "blocked");
    } else if (about.identity.size() == about.primary_key.size()) {
        // A former pass began and the root is gone: what still refers to it is found by its key.
        work.root_identity = work.root_key;
        frame root;
        root.ghost = true;
        root.parts.push_back({work.root, work.root_identity});
        work.stack.push_back(std::move(root));
    }
    walk_end end = with_lanes(work, [&] { return walk(work, brake); });
    if (end == walk_end::done) end = clear_graves(work, brake);
    switch (end) {
        case walk_end::done: return close(work, deletion_outcome::completed, "completed", "");
        case walk_end::more:
            return put_down(work, deletion_outcome::yielded, {"scheduled", why_yielded(work), "", 0, false});
        case walk_end::waiting: return put_down_for(work, brake);
        case walk_end::paused: return put_down(work, deletion_outcome::paused, {"scheduled", "paused", "", 0, false});
        case walk_end::vetoed: return close(work, deletion_outcome::dropped, "dropped", "should_proceed said no");
        case walk_end::root_reborn:
            return close(work, deletion_outcome::dropped, "dropped", "the id now belongs to another object");
        case walk_end::root_gone: return close(work, deletion_outcome::completed, "completed", "");
        case walk_end::lost: break;
    }
    return report_of(work, deletion_outcome::lost, "cancelled, or taken over by another worker");
}

/// Runs one claimed deletion for one pass, in a context whose observer is used by one thread at a time.
/// @param collision_seconds how long it is put down when others hold what it needs
inline deletion_report run_claimed_in(const context& with, const deletion_request& claimed, double collision_seconds) {
    const std::optional<std::size_t> model = with.find_scheduled(claimed.model);
    if (!model) {
        const std::string why = unknown_model_text(claimed.model);
        release_deletion(with.database, claimed, {"waiting", why, why, 900, false});
        return {
            deletion_outcome::waiting, claimed.guid, claimed.model, claimed.object_id, why, claimed.rows_done, {}, 900};
    }
    deletion_work work = begin_work(with, claimed, *model);
    work.collision_seconds = collision_seconds;
    try {
        return run_pass(work);
    } catch (const error& problem) {
        if (with.database.usable()) return put_down_after(work, problem);
        if (problem.kind() == failure::connection) throw;
        // It broke in the middle of another error: that it is gone is what the caller has to know.
        error gone(failure::connection, std::string(problem.what()) + "; then the connection was lost");
        throw gone.with_model(problem.model()).with_sqlstate("08006").with_retry(true);
    }
}

}  // namespace detail

namespace detail {

inline deletion_report run_claimed(const context& with, const deletion_request& claimed, double collision_seconds) {
    if (with.opener == nullptr) return run_claimed_in(with, claimed, collision_seconds);
    locked_observer watch(with.watch);
    return run_claimed_in(with.told_to(watch), claimed, collision_seconds);
}

}  // namespace detail

/// Runs one claimed deletion for one pass. Errors of the work end up on its row and in the report; only a
/// database that cannot be reached any more throws.
/// @throws error of kind `connection`
inline deletion_report run_deletion(const context& with, const deletion_request& claimed) {
    return detail::run_claimed(with, claimed, 30);
}

/// Claims and runs one due deletion. @return nothing when none is due in the silos of this process
inline std::optional<deletion_report> run_next(const context& with) {
    for (const silo where : {silo::control, silo::cell}) {
        if (!reaches(with.mode, where)) continue;
        if (const std::optional<deletion_request> claimed = claim_deletion(with, where))
            return run_deletion(with, *claimed);
    }
    return std::nullopt;
}

/// Runs whatever is due until nothing is.
/// @param most at most so many passes; 0: no limit
inline std::vector<deletion_report> run_scheduled_deletions(const context& with, std::int64_t most = 0) {
    wake_deletions(with);
    std::vector<deletion_report> reports;
    while (!with.stopping() && (most == 0 || static_cast<std::int64_t>(reports.size()) < most)) {
        std::optional<deletion_report> one = run_next(with);
        if (!one) break;
        reports.push_back(std::move(*one));
    }
    return reports;
}

/// Deletes one object now, in this call: scheduled without grace, claimed and run to its end. If the process
/// dies, the scheduled row is there and any worker goes on. Waits for brakes and for locks that others hold; the
/// observer is told why, as `deletion waits`.
/// @throws error when it cannot be completed; its text is what is on the row as well
inline deletion_report exec_sync(const context& with, std::size_t model, std::span<const value> key,
                                 schedule_options how = {}) {
    how.days = 0;
    how.hours = 0;
    how.permit = permit_purge;
    how.confirmed = true;
    const scheduled_deletion row = schedule(with, model, key, how);
    const plan& about = with.models[model];
    // Somebody waits for this call, so a lock that others hold is looked at again soon.
    constexpr double first_pause = 0.2;
    constexpr double longest_pause = 2;
    double collision_seconds = first_pause;
    std::int64_t rows_before = 0;
    for (;;) {
        const std::optional<deletion_request> claimed = claim_deletion(with, about.silo, row.guid);
        if (!claimed) {
            const std::string name = std::string(about.key) + " " + object_id_of(key);
            if (const std::optional<brake_reason> closed = closed_window(with, "deletion.windows"))
                throw error(failure::refused, name + " is not deleted now: " + closed->text + ".")
                    .with_model(about.key)
                    .with_hint("It stays scheduled and goes when a window opens; or change option `deletion.windows`.");
            throw error(failure::refused,
                        name + " cannot be deleted now: it is paused, waiting, or another worker has it.")
                .with_model(about.key)
                .with_hint("`deletions show` says why.");
        }
        deletion_report report = detail::run_claimed(with, *claimed, collision_seconds);
        const bool moved = std::exchange(rows_before, report.rows) != report.rows;
        collision_seconds = moved ? first_pause : std::min(2 * collision_seconds, longest_pause);
        if (report.outcome == deletion_outcome::yielded) continue;
        if (report.outcome == deletion_outcome::waiting && !report.retried) {
            // A little longer: the database's clock decides, and this one may run faster.
            with.time.sleep(
                std::chrono::microseconds(static_cast<std::int64_t>(report.wait_seconds * 1.001e6) + 10'000));
            continue;
        }
        if (report.outcome == deletion_outcome::completed || report.outcome == deletion_outcome::dropped) return report;
        throw error(
            report.retried || report.outcome == deletion_outcome::failed ? failure::statement : failure::blocked,
            std::string(about.key) + " " + object_id_of(key) + " was not deleted: " + report.detail)
            .with_model(about.key);
    }
}

/// The same for several objects of one model, one after the other.
inline std::vector<deletion_report> exec_sync_many(const context& with, std::size_t model, const key_set& keys,
                                                   const schedule_options& how = {}) {
    std::vector<deletion_report> reports;
    for (std::size_t row = 0; row < keys.size(); ++row) reports.push_back(exec_sync(with, model, keys[row], how));
    return reports;
}

}  // namespace winnow::inline v0
