// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/context/job_table.hpp"
#include "winnow/context/options.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

/// How often and how long a job runs at present.
struct job_settings {
    std::int64_t interval_seconds = 0;  ///< at least 1
    std::int64_t deadline_seconds = 0;  ///< at least 1
    bool enabled = true;
};

/// The settings of all jobs, in the order of `periodic_jobs`. A number that is none counts as the default.
[[nodiscard]] inline std::array<job_settings, periodic_jobs.size()> read_job_settings(const context& with) {
    std::array<job_settings, periodic_jobs.size()> made{};
    for (std::size_t at = 0; at < made.size(); ++at)
        made[at] = {periodic_jobs[at].interval_seconds, periodic_jobs[at].deadline_seconds, true};
    const rows stored = with.database.execute("SELECT name, value FROM winnow_option WHERE name LIKE 'job.%'");
    for (std::size_t row = 0; row < stored.size(); ++row) {
        const std::string name = stored.text(row, 0);
        const std::string held = stored.text(row, 1);
        const std::size_t dot = name.rfind('.');
        if (dot == std::string::npos || dot < 4) continue;
        const periodic_job* of = find_job(std::string_view(name).substr(4, dot - 4));
        if (of == nullptr) continue;
        job_settings& to = made[static_cast<std::size_t>(of->kind)];
        const std::string_view what = std::string_view(name).substr(dot + 1);
        if (what == "enabled") to.enabled = held != "false";
        std::int64_t number = 0;
        const auto [end, fault] = std::from_chars(held.data(), held.data() + held.size(), number);
        if (fault != std::errc{} || end != held.data() + held.size()) continue;
        number = std::clamp<std::int64_t>(number, 1, largest_option);
        if (what == "interval_seconds") to.interval_seconds = number;
        if (what == "deadline_seconds") to.deadline_seconds = number;
    }
    return made;
}

/// How a job is doing in one silo. Moments are UTC, `YYYY-MM-DD HH:MM:SS.mmm`; empty: never.
struct job_state {
    std::string_view name;
    winnow::silo silo = winnow::silo::cell;
    std::int64_t interval_seconds = 0;
    std::int64_t deadline_seconds = 0;
    bool enabled = true;
    std::string last_started;
    std::string last_finished;
    std::string last_success;
    double seconds_since_success = -1;  ///< by the database's clock; negative: never
    std::string last_error;             ///< of the last run; empty: it went well
    std::string running_on;             ///< worker that is at it; empty: none
    std::int64_t runs = 0;              ///< that have ended
    std::int64_t rows_done = 0;         ///< in all of them: what a row is, depends on the job
};

/// All jobs of the silos that this process serves, those that never ran included.
[[nodiscard]] inline std::vector<job_state> job_states(const context& with) {
    const auto settings = read_job_settings(with);
    const rows stored = with.database.execute(own_statement(
        "SELECT name, silo, {iso last_started}, {iso last_finished}, {iso last_success}, coalesce({since last_success}, "
        "-1), coalesce(last_error, ''), coalesce(running_on, ''), runs, rows_done FROM winnow_job",
        with.database.kind()));
    std::vector<job_state> list;
    for (const periodic_job& job : periodic_jobs) {
        for (const silo where : {silo::control, silo::cell}) {
            if (!job.runs_in(where) || !reaches(with.mode, where)) continue;
            job_state one;
            one.name = job.name;
            one.silo = where;
            const job_settings& now = settings[static_cast<std::size_t>(job.kind)];
            one.interval_seconds = now.interval_seconds;
            one.deadline_seconds = now.deadline_seconds;
            one.enabled = now.enabled;
            for (std::size_t row = 0; row < stored.size(); ++row) {
                if (stored.text(row, 0) != job.name || stored.text(row, 1) != name_of(where)) continue;
                one.last_started = stored.text(row, 2);
                one.last_finished = stored.text(row, 3);
                one.last_success = stored.text(row, 4);
                if (const auto* age = std::get_if<double>(&stored.at(row, 5))) one.seconds_since_success = *age;
                one.last_error = stored.text(row, 6);
                one.running_on = stored.text(row, 7);
                one.runs = stored.integer(row, 8);
                one.rows_done = stored.integer(row, 9);
            }
            list.push_back(std::move(one));
        }
    }
    return list;
}

namespace detail {

/// SQL: the job `j` has not begun within its interval of `$n` seconds. A start that lies in the future is one before the
/// clock was set back.
[[nodiscard]] inline std::string job_is_due(std::string_view interval) {
    return "(j.last_started IS NULL OR j.last_started > {now} OR {since j.last_started} >= " + std::string(interval) +
           ")";
}

}  // namespace detail

/// Jobs of the silos of this process that are due and were not handed to the workers a moment ago, as indices of
/// `periodic_jobs` and silos. One statement.
/// @param again_after seconds after which one that has not begun is due again: whatever carried it may be lost
[[nodiscard]] inline std::vector<std::pair<std::size_t, silo>> due_jobs(
    const context& with, const std::array<job_settings, periodic_jobs.size()>& settings, double again_after) {
    const rows stored = with.database.execute(
        own_statement("SELECT name, silo, coalesce({since last_started}, -1), coalesce({since last_enqueued}, -1) FROM "
                      "winnow_job",
                      with.database.kind()));
    std::vector<std::pair<std::size_t, silo>> due;
    for (std::size_t at = 0; at < periodic_jobs.size(); ++at) {
        for (const silo where : {silo::control, silo::cell}) {
            if (!settings[at].enabled || !periodic_jobs[at].runs_in(where) || !reaches(with.mode, where)) continue;
            double started = -1;
            double enqueued = -1;
            for (std::size_t row = 0; row < stored.size(); ++row) {
                if (stored.text(row, 0) != periodic_jobs[at].name || stored.text(row, 1) != name_of(where)) continue;
                if (const auto* age = std::get_if<double>(&stored.at(row, 2))) started = *age;
                if (const auto* age = std::get_if<double>(&stored.at(row, 3))) enqueued = *age;
            }
            // Negative: never, or before the clock was set back.
            if (started >= 0 && started < static_cast<double>(settings[at].interval_seconds)) continue;
            const bool begun_since = started >= 0 && started < enqueued;
            if (enqueued >= 0 && enqueued < again_after && !begun_since) continue;
            due.emplace_back(at, where);
        }
    }
    return due;
}

/// Says that a job was handed to the workers.
inline void note_enqueued(const context& with, const periodic_job& of, silo where) {
    const std::string text = own_statement(
        "INSERT INTO winnow_job (name, silo, last_enqueued) VALUES ($1, $2, {now}) ON CONFLICT (name, silo) "
        "DO UPDATE SET last_enqueued = excluded.last_enqueued",
        with.database.kind());
    (void)with.database.execute(text, {of.name, name_of(where)});
}

/// Begins a job: of any number of workers that were told to, one.
/// @param forced also when it is not due, as the next try of a run that failed
/// @return whether this worker does it
[[nodiscard]] inline bool begin_job(const context& with, const periodic_job& of, silo where,
                                    std::int64_t interval_seconds, bool forced) {
    (void)with.database.execute("INSERT INTO winnow_job (name, silo) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                                {of.name, name_of(where)});
    const std::string text = own_statement(
        "UPDATE winnow_job AS j SET last_started = {now}, running_on = $3 WHERE j.name = $1 AND j.silo = $2 AND ($4 OR " +
            detail::job_is_due("$5") + ")",
        with.database.kind());
    return with.database
               .execute(text, {of.name, name_of(where), std::string_view(with.database.session_name()), forced,
                               value(static_cast<double>(interval_seconds))})
               .affected() > 0;
}

/// Keeps how a run of a job ended.
/// @param problem what went wrong; empty: it is a success
inline void end_job(const context& with, const periodic_job& of, silo where, std::int64_t rows_done,
                    std::string_view problem) {
    const std::string text = own_statement(
        "UPDATE winnow_job SET last_finished = {now}, running_on = NULL, runs = runs + 1, rows_done = rows_done + $3, "
        "last_error = CASE WHEN $4 = '' THEN NULL ELSE $4 END, last_success = CASE WHEN $4 = '' THEN {now} ELSE "
        "last_success END WHERE name = $1 AND silo = $2",
        with.database.kind());
    (void)with.database.execute(text, {of.name, name_of(where), rows_done, problem});
}

}  // namespace winnow::inline v0
