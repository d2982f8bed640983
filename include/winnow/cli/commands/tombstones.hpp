// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/cli/text.hpp"
#include "winnow/runtime/remote_jobs.hpp"

namespace winnow::inline v0::cli {

namespace detail {

inline int run_tombstones(environment& in, const given&) {
    const context with = in.with(access::write);
    const remote_round_report done = run_remote_jobs(with);
    std::vector<std::string> problems = done.worked_off.problems;
    problems.insert(problems.end(), done.scrubbed.problems.begin(), done.scrubbed.problems.end());
    const auto sum = [&](auto member) { return done.worked_off.*member + done.scrubbed.*member; };
    const std::int64_t removed = sum(&remote_report::removed);
    const std::int64_t nulled = sum(&remote_report::nulled);
    const std::int64_t scheduled = sum(&remote_report::handed_over);
    if (in.out().as_json()) {
        in.out().print(json{{"removed", removed},
                            {"nulled", nulled},
                            {"scheduled", scheduled},
                            {"passed", done.worked_off.passed},
                            {"pruned", done.pruned},
                            {"more", done.worked_off.more},
                            {"waiting_for", text_or_null(done.worked_off.waiting_for)},
                            {"problems", problems}});
    } else {
        in.out().line(row_count(removed) + " removed, " + row_count(nulled) + " unlinked, " +
                      counted(scheduled, "deletion", "deletions") + " scheduled; " +
                      counted(done.worked_off.passed, "tombstone", "tombstones") + " passed, " +
                      std::to_string(done.pruned) + " pruned.");
        if (!done.worked_off.waiting_for.empty()) in.out().line("Waits for " + done.worked_off.waiting_for + ".");
        for (const std::string& one : problems) in.out().line("  " + one);
    }
    return problems.empty() ? 0 : 1;
}

}  // namespace detail

/// `tombstones run`.
[[nodiscard]] inline std::vector<command> tombstones_commands() {
    return {{"tombstones run",
             "remove or unlink what refers to rows that are gone in the other silo",
             {},
             detail::run_tombstones,
             true}};
}

}  // namespace winnow::inline v0::cli
