// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "winnow/plan/silo.hpp"

namespace winnow::inline v0 {

/// The periodic jobs of workers.
enum class job_kind : unsigned char {
    run_scheduled_deletions,
    reattempt_deletions,
    enqueue_outbox_jobs,
    work_off_tombstones,
    scrub_references,
    prune,
};

/// One periodic job: when, for how long, and in which silos. Intervals and deadlines are defaults; live options change
/// them, see `job_option`.
struct periodic_job {
    job_kind kind;
    std::string_view name;
    std::int64_t interval_seconds;  ///< from one start to the next
    std::int64_t deadline_seconds;  ///< a budget: it is put down at the next edge and goes on the next time
    bool in_control;
    bool in_cell;
    std::string_view meaning;

    [[nodiscard]] constexpr bool runs_in(silo where) const noexcept {
        return where == silo::control ? in_control : in_cell;
    }
};

/// All of them. What each does is in runtime/jobs.hpp.
inline constexpr std::array<periodic_job, 6> periodic_jobs = {{
    {job_kind::run_scheduled_deletions, "run_scheduled_deletions", 900, 60, true, true,
     "hands due deletions to the workers; between two rounds the scheduler hands over each one that becomes due"},
    {job_kind::reattempt_deletions, "reattempt_deletions", 86'400, 60, true, true,
     "makes deletions of silent workers due again; due ones are also taken over by themselves"},
    {job_kind::enqueue_outbox_jobs, "enqueue_outbox_jobs", 60, 30, true, true,
     "splits waiting messages over `outbox.concurrency` tasks, then backfills as much as they leave room for"},
    {job_kind::work_off_tombstones, "work_off_tombstones", 60, 300, true, true,
     "removes or unlinks what refers to rows that are gone in the other silo"},
    {job_kind::scrub_references, "scrub_references", 600, 120, true, true,
     "looks over references to the other silo for what raw SQL put there"},
    {job_kind::prune, "prune", 86'400, 300, true, true,
     "forgets tombstones, arrivals and leases that nobody needs any more"},
}};

namespace detail {

[[nodiscard]] constexpr bool job_table_is_in_order() noexcept {
    for (std::size_t at = 0; at < periodic_jobs.size(); ++at)
        if (static_cast<std::size_t>(periodic_jobs[at].kind) != at) return false;
    return true;
}
static_assert(job_table_is_in_order(), "a job stands where its kind says");

}  // namespace detail

[[nodiscard]] constexpr const periodic_job& job_of(job_kind kind) noexcept {
    return periodic_jobs[static_cast<std::size_t>(kind)];
}

/// The job of a name; null when there is none.
[[nodiscard]] constexpr const periodic_job* find_job(std::string_view name) noexcept {
    for (const periodic_job& one : periodic_jobs)
        if (one.name == name) return &one;
    return nullptr;
}

/// Name of a job's option: `job.NAME.interval_seconds`, `job.NAME.deadline_seconds` or `job.NAME.enabled`.
[[nodiscard]] inline std::string job_option(const periodic_job& of, std::string_view what) {
    return "job." + std::string(of.name) + "." + std::string(what);
}

}  // namespace winnow::inline v0
