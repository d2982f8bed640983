// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/cli/table.hpp"
#include "winnow/cli/text.hpp"
#include "winnow/runtime/job_state.hpp"

namespace winnow::inline v0::cli {

namespace detail {

[[nodiscard]] inline json job_json(const job_state& one) {
    return {{"name", std::string(one.name)},
            {"silo", std::string(name_of(one.silo))},
            {"interval_seconds", one.interval_seconds},
            {"deadline_seconds", one.deadline_seconds},
            {"enabled", one.enabled},
            {"last_started", text_or_null(one.last_started)},
            {"last_finished", text_or_null(one.last_finished)},
            {"last_success", text_or_null(one.last_success)},
            {"seconds_since_success", one.seconds_since_success < 0 ? json(nullptr) : json(one.seconds_since_success)},
            {"last_error", text_or_null(one.last_error)},
            {"running_on", text_or_null(one.running_on)},
            {"runs", one.runs},
            {"rows_done", one.rows_done}};
}

inline int list_jobs(environment& in, const given&) {
    json list = json::array();
    table lines{"job", "silo", "every", "last success", ">runs", ">rows", "now"};
    for (const job_state& one : job_states(in.with(access::report))) {
        if (in.out().as_json()) {
            list.push_back(job_json(one));
            continue;
        }
        lines.add({std::string(one.name), std::string(name_of(one.silo)),
                   duration_text(static_cast<double>(one.interval_seconds)),
                   one.seconds_since_success < 0 ? "never" : duration_text(one.seconds_since_success) + " ago",
                   std::to_string(one.runs), std::to_string(one.rows_done),
                   !one.enabled              ? "off"
                   : !one.running_on.empty() ? "at " + one.running_on
                   : !one.last_error.empty() ? "failed: " + shortened(one.last_error, 100)
                                             : ""});
    }
    if (in.out().as_json()) in.out().print(json{{"jobs", std::move(list)}});
    else in.out().print(lines);
    return 0;
}

}  // namespace detail

/// `jobs`.
[[nodiscard]] inline std::vector<command> jobs_commands() {
    return {{"jobs", "what workers do by themselves, and when it last succeeded", {}, detail::list_jobs, true}};
}

}  // namespace winnow::inline v0::cli
