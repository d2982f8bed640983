// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/context/job_table.hpp"
#include "winnow/core/error.hpp"
#include "winnow/deletion/lease.hpp"
#include "winnow/deletion/run.hpp"
#include "winnow/runtime/broker.hpp"
#include "winnow/runtime/due_deletions.hpp"
#include "winnow/runtime/job_state.hpp"
#include "winnow/runtime/jobs.hpp"
#include "winnow/runtime/outages.hpp"
#include "winnow/runtime/running_tasks.hpp"
#include "winnow/runtime/worker_lane.hpp"
#include "winnow/runtime/worker_site.hpp"

namespace winnow::inline v0 {

/// Does tasks, one at a time, in one thread.
class task_runner {
public:
    task_runner(const worker_parts& parts, worker_lane& lane, running_tasks& running)
        : parts_(parts), lane_(lane), running_(running) {}

    /// Does a task and tells its broker what came of it. Never throws: what the database does not remember is handed
    /// over again by the scheduler.
    void run(const taken_task& taken) {
        running_tasks::mark mark(running_, taken);
        std::optional<double> again;
        try {
            again = run_task(mark, taken.what);
        } catch (const std::exception& problem) {
            note_fault(taken.what, problem);
        }
        (void)lane_.guarded(std::string_view(taken.queue),
                            [&](broker& of) { return again ? of.retry(taken, *again) : of.done(taken); });
    }

    /// Takes what is due straight from a database, as long as the broker of its silo is away. @return whether there was any
    bool run_directly(std::size_t site) {
        if (lane_.session(site) == nullptr) return false;
        bool any = false;
        try {
            for (const silo where : parts_.sites[site].silos()) {
                if (parts_.stop.asked()) return any;
                if (lane_.session(site) == nullptr) return any;
                const context with = lane_.with(site, where);
                const auto settings = read_job_settings(with);
                for (const auto& [job, of] : due_jobs(with, settings, 0))
                    any = direct(site, task_of(site, of, periodic_jobs[job].name, {})) || any;
                if (lane_.session(site) == nullptr) return any;
                if (!settings[static_cast<std::size_t>(job_kind::run_scheduled_deletions)].enabled) continue;
                // Whoever looks takes another one, so that several do not wait for each other.
                std::vector<std::string> due = due_deletions(lane_.with(site, where), where, 50);
                if (due.empty()) continue;
                const std::size_t which = lane_.random()() % due.size();
                any = direct(site, task_of(site, where, run_deletion_task, std::move(due[which]))) || any;
            }
        } catch (const error& problem) {
            lost(site, problem);
        }
        return any;
    }

    [[nodiscard]] task task_of(std::size_t site, silo where, std::string_view kind, std::string argument) const {
        return {std::string(kind),   where, where == silo::control ? std::string() : parts_.sites[site].cell_name,
                std::move(argument), 1,     0};
    }

private:
    bool direct(std::size_t site, const task& what) {
        running_tasks::mark mark(running_, std::nullopt);
        try {
            (void)run_task(mark, what);
            return true;
        } catch (const error& problem) {
            lost(site, problem);
        } catch (const std::exception& problem) {
            note_fault(what, problem);
        }
        return false;
    }
    void lost(std::size_t site, const error& problem) {
        const site_session* session = lane_.session(site);
        if (problem.kind() == failure::connection || (session != nullptr && !session->database->usable()))
            lane_.lose(site, problem.what());
        else parts_.watch.log(log_level::error, "looking for work failed", {{"problem", problem.what()}});
    }
    void note_fault(const task& what, const std::exception& problem) {
        const std::optional<std::size_t> site = lane_.site_of(queue_of(what));
        const auto* known = dynamic_cast<const error*>(&problem);
        if (site && known != nullptr && known->kind() == failure::connection) return lane_.lose(*site, known->what());
        // A busy file, a deadlock: sooner than the scheduler, which believes it to be under way. Jobs are claimed by time.
        if (known != nullptr && known->may_retry() && find_job(what.kind) == nullptr)
            (void)lane_.push(fresh(what), with_jitter(1.0, lane_.random()));
        parts_.watch.log(log_level::error, "a task failed",
                         {{"task", what.kind}, {"argument", what.argument}, {"problem", problem.what()}});
    }

    /// @return seconds until it is to be tried again; nothing: it is done
    std::optional<double> run_task(running_tasks::mark& mark, const task& what) {
        const std::optional<std::size_t> site = lane_.site_of(queue_of(what));
        // Without the database there is nothing to do; the scheduler hands it over again when it is back.
        if (!site || lane_.session(*site) == nullptr || parts_.stop.asked()) return std::nullopt;
        const context with = lane_.with(*site, what.silo);
        if (what.kind == run_deletion_task) return run_deletion_of(mark, with, what);
        if (what.kind == drain_outbox_task) {
            if (run_drain_task(with, what) && !parts_.stop.asked()) (void)lane_.push(fresh(what));
            return std::nullopt;
        }
        if (const periodic_job* job = find_job(what.kind)) return run_job_of(with, *job, what);
        parts_.watch.log(log_level::warning, "nobody here knows a task of this kind", {{"task", what.kind}});
        return std::nullopt;
    }

    [[nodiscard]] static task fresh(task what) {
        what.attempt = 1;
        return what;
    }

    std::optional<double> run_deletion_of(running_tasks::mark& mark, const context& with, const task& what) {
        const std::optional<deletion_request> claimed = claim_deletion(with, what.silo, what.argument);
        if (!claimed) return std::nullopt;  // another worker has it, or it is not due any more
        parts_.watch.log(log_level::info, "deletion goes on",
                         {{"transaction_id", claimed->guid},
                          {"model", claimed->model},
                          {"object_id", claimed->object_id},
                          {"rows_done", std::to_string(claimed->rows_done)},
                          {"worker", lane_.owner()}});
        deletion_report report;
        {
            const running_tasks::interruptible while_it_runs(mark, with.database);
            report = run_deletion(with, *claimed);
        }
        // At once, behind what waits already: the interval of the job is for looking, not for going on. Also when this
        // process stops: then another one takes it.
        if (report.outcome == deletion_outcome::yielded) (void)lane_.push(fresh(what));
        // The scheduler sees it too, but not so soon after it was handed over.
        const bool soon = report.outcome == deletion_outcome::waiting && report.wait_seconds < 60;
        if (soon) (void)lane_.push(fresh(what), report.wait_seconds * 1.001 + 0.01);
        return std::nullopt;
    }

    std::optional<double> run_job_of(const context& with, const periodic_job& job, const task& what) {
        const job_settings now = read_job_settings(with)[static_cast<std::size_t>(job.kind)];
        const bool forced = what.attempt > 1 || what.argument == "now";
        if (!now.enabled || !begin_job(with, job, what.silo, now.interval_seconds, forced)) return std::nullopt;
        const clock::duration begun = with.time.now();
        std::vector<task> left;
        const task_sink hand_over = [&](const task& one) {
            if (!lane_.push(one)) left.push_back(one);
        };
        job_result done;
        try {
            done = run_job(job, {with, what.silo, std::chrono::seconds(now.deadline_seconds), hand_over});
            // The broker is away: this thread does them itself.
            for (const task& one : left) {
                running_tasks::mark mark(running_, std::nullopt);
                (void)run_task(mark, one);
            }
        } catch (const error& problem) {
            if (!with.database.usable()) throw;
            done.problem = problem.what();
            if (!problem.hint().empty()) done.problem += " " + problem.hint();
        }
        end_job(with, job, what.silo, done.rows, done.problem);
        const double seconds = std::chrono::duration<double>(with.time.now() - begun).count();
        const log_level level = !done.problem.empty() ? log_level::error
                                : done.rows != 0      ? log_level::info
                                                      : log_level::debug;
        parts_.watch.log(level, done.problem.empty() ? "job done" : "job failed",
                         {{"job", job.name},
                          {"silo", name_of(what.silo)},
                          {"rows", std::to_string(done.rows)},
                          {"seconds", std::to_string(seconds)},
                          {"problem", done.problem}});
        const options live = with.options();
        if (done.problem.empty() || what.attempt > live.integer("worker.retries")) return std::nullopt;
        // Its next round comes by itself; trying again is for jobs that are seldom.
        const std::int64_t pause = live.integer("worker.retry_seconds");
        if (pause >= now.interval_seconds) return std::nullopt;
        return with_jitter(static_cast<double>(pause), lane_.random());
    }

    const worker_parts& parts_;
    worker_lane& lane_;
    running_tasks& running_;
};

}  // namespace winnow::inline v0
