// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "winnow/backfill/run.hpp"
#include "winnow/context/context.hpp"
#include "winnow/context/job_table.hpp"
#include "winnow/deletion/lease.hpp"
#include "winnow/outbox/drain.hpp"
#include "winnow/outbox/status.hpp"
#include "winnow/remote/scrub.hpp"
#include "winnow/remote/work_off.hpp"
#include "winnow/runtime/broker.hpp"
#include "winnow/runtime/due_deletions.hpp"
#include "winnow/runtime/number_pair.hpp"
#include "winnow/runtime/outbox_jobs.hpp"
#include "winnow/runtime/prune.hpp"
#include "winnow/runtime/remote_jobs.hpp"

namespace winnow::inline v0 {

/// Kinds of tasks that are no job.
inline constexpr std::string_view run_deletion_task = "run_deletion";
inline constexpr std::string_view drain_outbox_task = "drain_outbox";

/// Takes tasks that a job splits its work into.
using task_sink = std::function<void(const task&)>;

/// One run of a job in one silo.
struct job_call {
    const context& with;  ///< of that silo alone
    winnow::silo silo;
    clock::duration time;  ///< its budget
    const task_sink& hand_over;
};

/// What a run came to.
struct job_result {
    std::int64_t rows = 0;
    std::string problem;  ///< empty: it is a success
};

namespace detail {

inline task task_for(const job_call& call, std::string_view kind, std::string argument, double deadline_seconds) {
    return {
        std::string(kind),   call.silo, call.silo == silo::control ? std::string() : std::string(call.with.cell_name),
        std::move(argument), 1,         deadline_seconds};
}

inline std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& one : texts) all += (all.empty() ? "" : "; ") + one;
    return all;
}

inline job_result hand_over_due_deletions(const job_call& call) {
    job_result done;
    for (std::string& guid : due_deletions(call.with, call.silo, 1'000)) {
        call.hand_over(task_for(call, run_deletion_task, std::move(guid), 0));
        ++done.rows;
    }
    return done;
}

inline job_result free_silent_deletions(const job_call& call) {
    return {reattempt_deletions(call.with, call.silo), {}};
}

/// New work goes first: what is left of the rate after the messages that wait is backfilled.
inline job_result hand_over_outbox(const job_call& call) {
    constexpr double drain_deadline = 90;
    const clock::duration begun = call.with.time.now();
    const options live = call.with.options();
    job_result done;
    done.rows = count_outbox(call.with, call.silo).due;
    if (done.rows != 0)
        for (const outbox_range& range : split_outbox(call.with, call.silo, live.integer("outbox.concurrency")))
            call.hand_over(task_for(call, drain_outbox_task,
                                    std::to_string(range.first) + ":" + std::to_string(range.last), drain_deadline));
    if (!live.boolean("outbox.process_backfills")) return done;
    backfill_request request;
    request.scheduled_count = done.rows;
    request.max_batch_rate = live.integer("backfill.max_batch_rate");
    request.time_limit = std::max<clock::duration>(call.time - (call.with.time.now() - begun), std::chrono::seconds(1));
    const backfill_report report = backfill_outboxes_for(call.with, request);
    done.rows += report.rows;
    for (const backfilled_table& one : report.tables)
        if (one.ending == backfill_ending::failed)
            done.problem += (done.problem.empty() ? "" : "; ") + one.table + ": " + one.why;
    return done;
}

inline job_result of_references(const remote_report& report) {
    return {report.removed + report.nulled + report.handed_over + report.passed, joined(report.problems)};
}
inline remote_limits limits_of(const job_call& call, deletion_scheduler& trees) {
    remote_limits limits;
    limits.trees = &trees;
    limits.time = std::chrono::duration_cast<std::chrono::milliseconds>(call.time);
    return limits;
}
inline job_result follow_tombstones(const job_call& call) {
    deletion_scheduler trees;
    return of_references(work_off_tombstones(call.with, limits_of(call, trees)));
}
inline job_result scrub_some(const job_call& call) {
    deletion_scheduler trees;
    return of_references(
        scrub_references(call.with, call.with.options().integer("scrub.rows"), limits_of(call, trees)));
}
inline job_result forget_old(const job_call& call) {
    const std::int64_t days = std::max<std::int64_t>(1, call.with.options().integer("prune.days"));
    return {prune_own_tables(call.with, call.silo, days, call.time).rows(), {}};
}

/// What each job of `periodic_jobs` does, in the same order.
inline constexpr std::array<job_result (*)(const job_call&), periodic_jobs.size()> job_functions = {
    hand_over_due_deletions, free_silent_deletions, hand_over_outbox, follow_tombstones, scrub_some, forget_old,
};

}  // namespace detail

/// Runs a job once, in one silo. It takes the time that it is given, as far as an edge of its work allows.
/// @throws error as the database does
[[nodiscard]] inline job_result run_job(const periodic_job& which, const job_call& call) {
    return detail::job_functions[static_cast<std::size_t>(which.kind)](call);
}

/// Delivers the messages of a `drain_outbox` task. @return whether more is due in its range
/// @throws error of kind `usage` when the task names no range
[[nodiscard]] inline bool run_drain_task(const context& with, const task& what) {
    const auto range = parse_number_pair(what.argument, ':');
    if (!range)
        throw error(failure::usage, "A task " + what.kind + " of " + queue_of(what) + " is for the messages `" +
                                        what.argument + "`, which is no range.")
            .with_hint("Nothing is lost: the next round of jobs makes new tasks for all messages that are due.");
    drain_limits limits;
    limits.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(std::max(what.deadline_seconds, 1.0) * 1000));
    return !drain_range(with, what.silo, range->first, range->second, limits).finished;
}

}  // namespace winnow::inline v0
