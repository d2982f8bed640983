// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/connections.hpp"
#include "winnow/cli/deleted_rows.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/cli/stop.hpp"
#include "winnow/cli/request_text.hpp"
#include "winnow/context/brakes.hpp"
#include "winnow/deletion/lease.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/deletion/run.hpp"
#include "winnow/plan/silo.hpp"

namespace winnow::inline v0::cli {

namespace detail {

/// What one call of `deletions run` did to one deletion, over all its passes.
struct run_summary {
    deletion_report last;
    std::int64_t rows = 0;  ///< gone in this call
    double seconds = 0;     ///< spent on it in this call
    std::int64_t passes = 0;

    [[nodiscard]] double rate() const { return seconds > 0 ? static_cast<double>(rows) / seconds : 0; }
    [[nodiscard]] bool needs_person() const {
        return last.outcome == deletion_outcome::failed || last.outcome == deletion_outcome::blocked;
    }
};

[[nodiscard]] inline json summary_json(const run_summary& one) {
    return {{"model", one.last.model},
            {"id", one.last.object_id},
            {"guid", one.last.guid},
            {"outcome", std::string(name_of(one.last.outcome))},
            {"detail", text_or_null(one.last.detail)},
            {"rows_total", one.last.rows},
            {"rows_by_model", deleted_rows_json(one.last.by_model)},
            {"rows", one.rows},
            {"passes", one.passes},
            {"seconds", one.seconds},
            {"rows_per_second", one.rate()},
            {"wait_seconds", one.last.wait_seconds}};
}

[[nodiscard]] inline std::string outcome_text(const deletion_report& report) {
    switch (report.outcome) {
        case deletion_outcome::completed: return "deleted";
        case deletion_outcome::dropped: return "dropped: " + report.detail;
        case deletion_outcome::yielded: return "goes on in the next pass";
        case deletion_outcome::waiting:
            return "waits, again in " + duration_text(report.wait_seconds) + ": " + report.detail;
        case deletion_outcome::unconfirmed: return "not started: " + report.detail + " (`deletions confirm`)";
        case deletion_outcome::blocked: return "blocked: " + report.detail;
        case deletion_outcome::failed: return "failed: " + report.detail;
        case deletion_outcome::paused: return "paused";
        case deletion_outcome::lost: return "given up: " + report.detail;
    }
    return "unknown";
}

inline void print_summary(environment& in, const run_summary& one, dialect which) {
    in.watch().clear();
    if (in.out().as_json()) return;
    in.out().line(one.last.model + " " + one.last.object_id + ": " + outcome_text(one.last));
    if (one.last.rows == 0) return;
    print_deleted_rows(in.out(), in.models(), one.last.by_model, which);
    std::string text = "  " + row_count(one.rows) + " in " + seconds_text(one.seconds) + " s";
    if (one.rate() >= 1) text += ", " + std::to_string(static_cast<std::int64_t>(one.rate())) + " rows/s";
    if (one.last.rows != one.rows) text += "; " + row_count(one.last.rows) + " with earlier passes";
    in.out().line(text);
}

/// Runs what is due, one pass after the other, and remembers what came of it.
class runner {
public:
    runner(environment& in, const context& with, std::int64_t passes_left)
        : in_(in), with_(with), passes_left_(passes_left) {}

    /// @return false when nothing is due, or the number of passes is used up
    bool run_one() {
        if (passes_left_ == 0 || with_.stopping()) return false;
        for (const silo where : {silo::control, silo::cell}) {
            if (!reaches(with_.mode, where)) continue;
            const std::optional<deletion_request> claimed = claim_deletion(with_, where);
            if (!claimed) continue;
            --passes_left_;
            note(*claimed, run_timed(*claimed));
            return true;
        }
        return false;
    }
    /// Prints what yielded and was not taken up again.
    void finish() {
        for (const run_summary& one : summaries_) {
            if (one.last.outcome == deletion_outcome::yielded) print_summary(in_, one, with_.database.kind());
        }
    }
    [[nodiscard]] bool may_go_on() const noexcept { return passes_left_ != 0; }
    [[nodiscard]] const std::vector<run_summary>& summaries() const noexcept { return summaries_; }

private:
    struct timed_report {
        deletion_report report;
        double seconds;
    };

    timed_report run_timed(const deletion_request& claimed) {
        in_.watch().start(claimed.guid, claimed.rows_done);
        const std::chrono::microseconds start = with_.time.now();
        deletion_report report = run_deletion(with_, claimed);
        return {std::move(report), std::chrono::duration<double>(with_.time.now() - start).count()};
    }

    void note(const deletion_request& claimed, timed_report done) {
        auto known = std::find_if(summaries_.begin(), summaries_.end(),
                                  [&](const run_summary& one) { return one.last.guid == claimed.guid; });
        if (known == summaries_.end()) known = summaries_.insert(summaries_.end(), run_summary{});
        known->rows += done.report.rows - claimed.rows_done;
        known->seconds += done.seconds;
        ++known->passes;
        known->last = std::move(done.report);
        if (known->last.outcome != deletion_outcome::yielded) print_summary(in_, *known, with_.database.kind());
    }

    environment& in_;
    const context& with_;
    std::int64_t passes_left_;  ///< negative: no limit
    std::vector<run_summary> summaries_;
};

/// What is due and cannot be claimed at the moment.
struct not_ready {
    std::int64_t waiting = 0;            ///< for a rate limit, a brake or the next attempt
    std::int64_t elsewhere = 0;          ///< with another worker, or a dead one whose lease has not run out
    std::int64_t held = 0;               ///< paused, failed, blocked or unconfirmed
    std::optional<double> seconds;       ///< until the first of those that time alone brings on
    std::optional<brake_reason> closed;  ///< no window of deletions is open

    void add(const deletion_request& one, const std::string& state) {
        if (one.seconds_until_due > 0) return;
        if (state != "scheduled" && state != "running" && state != "waiting") {
            ++held;
            return;
        }
        ++(one.in_progress ? elsewhere : waiting);
        // Another worker's deletion is looked at again soon: it may end, or its lease may.
        const double left = one.in_progress ? 1.0 : std::max(one.seconds_to_wait, closed ? closed->seconds : 0.0);
        seconds = std::min(seconds.value_or(left), left);
    }
    [[nodiscard]] std::string text() const {
        if (waiting + elsewhere + held == 0) return "Nothing is due.";
        std::string parts;
        const auto part = [&](std::int64_t amount, std::string_view one, std::string_view many) {
            if (amount != 0) parts += (parts.empty() ? "" : ", ") + counted(amount, one, many);
        };
        part(waiting, "waits", "wait");
        part(elsewhere, "is with another worker", "are with other workers");
        part(held, "is held", "are held");
        if (closed) return "Nothing is run now: " + closed->text + ".";
        return "Nothing can be run now. Of what is due, " + parts + "; `deletions list` says why.";
    }
};

[[nodiscard]] inline not_ready find_not_ready(const context& with) {
    const std::vector<pause_entry> pauses = list_pauses(with.database);
    not_ready found;
    found.closed = closed_window(with, "deletion.windows");
    for (const silo where : {silo::control, silo::cell}) {
        if (!reaches(with.mode, where)) continue;
        request_filter page;
        for (;;) {
            const std::vector<deletion_request> rows = list_requests(with.database, where, page);
            for (const deletion_request& one : rows) found.add(one, shown_state(one, pauses));
            if (static_cast<std::int64_t>(rows.size()) < page.limit) break;
            page.after_id = rows.back().id;
        }
    }
    return found;
}

inline int run_deletions(environment& in, const given& arguments) {
    const std::int64_t passes = arguments.number("--passes", 1).value_or(-1);
    const std::int64_t connections = connections_of(in, arguments);
    context with = in.with(access::write);
    with.connections = connections;
    const stop_on_signal watching({}, [&] { with.database.interrupt(); });
    with.stop = &stop_on_signal::request();
    wake_deletions(with);
    runner work(in, with, passes);
    for (;;) {
        while (work.run_one()) {}
        if (!arguments.has("--until-idle") || !work.may_go_on() || with.stopping()) break;
        const std::optional<double> seconds = find_not_ready(with).seconds;
        if (!seconds) break;
        with.pause(std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(*seconds, 0.05, 5.0) * 1000)));
    }
    work.finish();
    bool failed = false;
    json list = json::array();
    for (const run_summary& one : work.summaries()) {
        failed = failed || one.needs_person();
        list.push_back(summary_json(one));
    }
    if (in.out().as_json()) in.out().print(json{{"deletions", std::move(list)}, {"failed", failed}});
    else if (work.summaries().empty() && !with.stopping()) in.out().line(find_not_ready(with).text());
    return stop_on_signal::exit_code(failed ? 1 : 0);
}

inline int run_reattempt(environment& in, const given&) {
    const context with = in.with(access::write);
    std::int64_t freed = 0;
    for (const silo where : {silo::control, silo::cell}) {
        if (reaches(with.mode, where)) freed += reattempt_deletions(with, where);
    }
    if (in.out().as_json()) in.out().print(json{{"freed", freed}});
    else in.out().line(counted(freed, "deletion", "deletions") + " of silent workers made due again.");
    return 0;
}

}  // namespace detail

/// `deletions run` and `reattempt`.
[[nodiscard]] inline std::vector<command> run_commands() {
    return {{"deletions run",
             "run whatever is due; exit code 1 if a deletion failed or is blocked",
             {option("--passes", "NUMBER", "at most so many passes"), detail::connections_option(),
              flag("--until-idle", "wait for deletions that wait, until no due one is left that time alone brings on")},
             detail::run_deletions,
             true},
            {"reattempt", "make the deletions of silent workers due again", {}, detail::run_reattempt, true}};
}

}  // namespace winnow::inline v0::cli
