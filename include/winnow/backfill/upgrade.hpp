// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/backfill/run.hpp"
#include "winnow/backfill/status.hpp"
#include "winnow/context/context.hpp"

namespace winnow::inline v0 {

/// How far an upgrade is.
struct upgrade_progress {
    std::int64_t rows_done = 0;                         ///< in this upgrade
    std::int64_t rows_left = 0;                         ///< of all tables
    backfill_measure left = backfill_measure::counted;  ///< what that number is worth
    double rows_per_second = 0;                         ///< in this upgrade
    std::optional<double> seconds_left;                 ///< nothing: not known, or nothing is left
    std::string waiting;                                ///< what nothing moves for; empty: it moves
};

/// What an upgrade of a self-hosted installation may do.
struct upgrade_request {
    bool self_hosted = false;                 ///< what the configuration says; otherwise nothing is done
    std::int64_t max_batch_rate = 1'000;      ///< rows of one run
    const std::atomic<bool>* stop = nullptr;  ///< ends it at the edge of a batch; the next upgrade goes on from there
    /// Delivers all messages that wait, of all shards. @return how many it delivered
    std::function<std::int64_t()> drain = {};
    /// Told at the beginning, at the end and at least every two seconds between.
    std::function<void(const upgrade_progress&)> progress = {};
};

/// What an upgrade came to.
struct upgrade_report {
    bool done = false;                     ///< all tables are complete and all messages were handed to `drain`
    bool stopped = false;                  ///< told to
    std::int64_t rows = 0;                 ///< that got their messages
    std::int64_t delivered = 0;            ///< as `drain` says
    std::string why;                       ///< one sentence
    std::vector<backfilled_table> tables;  ///< as the last run left them
};

namespace detail {

class upgrade_meter {
public:
    upgrade_meter(const context& with, const upgrade_request& asked)
        : with_(with), asked_(asked), begin_(with.time.now()) {}

    void batch(std::int64_t rows) { done_ += rows; }
    void wait(std::string_view why) { waiting_ = why; }
    /// @param always also when something was told a moment ago
    void tell(bool always = false) {
        if (!asked_.progress) return;
        const clock::duration now = with_.time.now();
        if (!always && now - told_ < std::chrono::seconds(1)) return;
        upgrade_progress far;
        far.rows_done = done_;
        far.waiting = waiting_;
        for (const backfill_status& one : backfill_statuses(with_, {}, true)) {
            if (!one.problem.empty() || one.left == backfill_measure::unknown) far.left = backfill_measure::unknown;
            if (one.left == backfill_measure::estimated && far.left == backfill_measure::counted) far.left = one.left;
            far.rows_left += one.rows_left;
        }
        const double seconds = std::chrono::duration<double>(now - begin_).count();
        if (seconds > 0) far.rows_per_second = static_cast<double>(done_) / seconds;
        if (far.rows_left != 0 && far.rows_per_second > 0)
            far.seconds_left = static_cast<double>(far.rows_left) / far.rows_per_second;
        asked_.progress(far);
        told_ = now;
    }

private:
    const context& with_;
    const upgrade_request& asked_;
    clock::duration begin_;
    clock::duration told_{0};
    std::int64_t done_ = 0;
    std::string waiting_;
};

}  // namespace detail

/// Backfills everything that the code asks for, whatever the options say, and delivers it: what an installation that
/// one person runs does once after a new version was put in place. Does nothing unless the configuration says that it
/// is one. May be stopped, killed and called again at any time.
/// @throws error of kind `connection` when the database is lost, and what `drain` throws
[[nodiscard]] inline upgrade_report upgrade(const context& with, const upgrade_request& asked) {
    upgrade_report report;
    if (!asked.self_hosted) {
        report.why = "this installation is not self-hosted: its backfills are opened by options";
        return report;
    }
    detail::upgrade_meter meter(with, asked);
    meter.tell(true);
    backfill_request run;
    run.max_batch_rate = asked.max_batch_rate;
    run.force_synchronous = true;
    run.patience = std::chrono::seconds(1);
    run.stop = asked.stop;
    run.after_batch = [&](std::int64_t rows) {
        meter.batch(rows);
        meter.tell();
    };
    const auto told_to_stop = [&] { return with.stopping() || (asked.stop != nullptr && asked.stop->load()); };
    bool waiting = true;
    for (bool moved = true; (moved || waiting) && !told_to_stop();) {
        backfill_report last = backfill_outboxes_for(with, run);
        report.rows += last.rows;
        report.tables = std::move(last.tables);
        moved = last.rows != 0;
        waiting = false;
        std::string what;
        for (const backfilled_table& one : report.tables) {
            if (one.ending != backfill_ending::waiting) continue;
            waiting = true;
            what = one.table + ": " + one.why;
        }
        meter.wait(what);
        meter.tell();
    }
    bool complete = true;
    for (const backfilled_table& one : report.tables) {
        if (one.ending == backfill_ending::complete || one.ending == backfill_ending::no_target) continue;
        complete = false;
        report.why += (report.why.empty() ? "" : "; ") + one.table + ": " + one.why;
    }
    report.stopped = told_to_stop();
    if (report.stopped) report.why = "stopped at the edge of a batch; the next upgrade goes on from there";
    if (!report.stopped && asked.drain) report.delivered = asked.drain();
    report.done = complete && !report.stopped;
    if (report.done) report.why = "everything is backfilled";
    meter.tell(true);
    return report;
}

}  // namespace winnow::inline v0
