// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/backfill/mirror.hpp"
#include "winnow/backfill/pace.hpp"
#include "winnow/backfill/status.hpp"
#include "winnow/backfill/step.hpp"
#include "winnow/context/brakes.hpp"
#include "winnow/context/context.hpp"
#include "winnow/core/error.hpp"

namespace winnow::inline v0 {

/// What one run of backfills may take.
struct backfill_request {
    std::int64_t scheduled_count = 0;      ///< messages that are waiting already: new work goes first
    std::int64_t max_batch_rate = 10'000;  ///< rows, less those that are waiting
    bool force_synchronous = false;        ///< the coded versions count, and no brake, whatever the options say
    /// Looked at between batches; zero: no limit. One batch is written in any case, so that each run makes progress.
    winnow::clock::duration time_limit{0};
    /// How long to wait, when nothing else is to be done, for transactions that a first backfill has to wait for.
    winnow::clock::duration patience = std::chrono::seconds(2);
    std::string_view only = {};                               ///< key of one model; empty: all
    const std::atomic<bool>* stop = nullptr;                  ///< ends the run at the edge of a batch
    std::function<void(std::int64_t rows)> after_batch = {};  ///< called between transactions
};

/// How a run left a table.
enum class backfill_ending : unsigned char {
    complete,   ///< nothing is left of its version
    closed,     ///< its gate lets nothing through
    paused,     ///< by a person
    waiting,    ///< for transactions that were open when it was announced
    no_target,  ///< its option names no cell
    more,       ///< the run ended first: budget, time, or told to
    braked,     ///< a window is closed, or the database is not well; see `why`
    failed,     ///< see `why`
};

[[nodiscard]] constexpr std::string_view name_of(backfill_ending ending) noexcept {
    switch (ending) {
        case backfill_ending::complete: return "complete";
        case backfill_ending::closed: return "closed";
        case backfill_ending::paused: return "paused";
        case backfill_ending::waiting: return "waiting";
        case backfill_ending::no_target: return "no target";
        case backfill_ending::more: return "more is left";
        case backfill_ending::braked: return "braked";
        case backfill_ending::failed: return "failed";
    }
    return "unknown";
}

/// What a run did with one table.
struct backfilled_table {
    std::string_view model;
    std::string table;
    backfill_gate gate;
    backfill_ending ending = backfill_ending::more;
    std::string why;        ///< one sentence
    std::int64_t rows = 0;  ///< that got their messages in this run
    std::int64_t messages = 0;
    double rows_per_second = 0;  ///< in this run
    bool mapping_changed = false;
};

/// What a run of backfills came to.
struct backfill_report {
    std::int64_t rows = 0;
    std::int64_t messages = 0;
    std::string why;             ///< why the run ended, or did nothing
    std::string cursor_trouble;  ///< what is wrong with the store of cursors; empty: nothing
    std::vector<backfilled_table> tables;

    /// Whether anything was backfilled, so that a caller can loop.
    explicit operator bool() const noexcept { return rows > 0; }
    [[nodiscard]] bool any(backfill_ending ending) const noexcept {
        return std::any_of(tables.begin(), tables.end(), [&](const auto& one) { return one.ending == ending; });
    }
};

namespace detail {

/// One run over all tables.
class backfill_runner {
public:
    backfill_runner(const context& with, const backfill_request& asked) : with_(with), asked_(asked), mirror_(with) {}

    backfill_report run() {
        begin_ = with_.time.now();
        std::int64_t budget = asked_.max_batch_rate - asked_.scheduled_count;
        gather();
        if (budget <= 0) {
            report_.why = std::to_string(asked_.scheduled_count) + " messages are waiting and " +
                          std::to_string(asked_.max_batch_rate) + " rows are the limit: new work goes first";
            for (job& one : jobs_) table_of(one).why = report_.why;
            return finish();
        }
        while (!open_.empty() && budget > 0 && !out_of_time() && !braked()) budget -= round(budget);
        if (report_.why.empty()) {
            report_.why = !open_.empty() && budget <= 0 ? "the budget of this run is used up" : "nothing is left to do";
            if (told_to_stop()) report_.why = "told to stop";
        }
        return finish();
    }

private:
    struct job {
        const plan* of = nullptr;
        std::size_t table = 0;  ///< index into `report_.tables`
        std::vector<std::string> targets;
        backfill_pace pace;
        int failures = 0;
        bool waiting = false;
        std::size_t known_targets = 0;
        double idle = 0;  ///< seconds since it was served last
    };

    backfilled_table& table_of(const job& one) { return report_.tables[one.table]; }

    void gather() {
        const std::int64_t most = option("backfill.batch_rows", 50'000);
        // On SQLite half of a tenth of a second goes into the pages of the indices, whatever the number of rows.
        const std::int64_t wanted = option("backfill.target_milliseconds", 100);
        const auto target =
            std::chrono::milliseconds(with_.database.kind() == dialect::sqlite ? wanted * 3 / 2 : wanted);
        for (std::size_t model = 0; model < with_.models.size(); ++model) {
            const plan& of = with_.models[model];
            if (of.replication == nullptr || !reaches(with_.mode, of.silo)) continue;
            if (!asked_.only.empty() && of.key != asked_.only) continue;
            job one;
            one.of = &of;
            one.table = report_.tables.size();
            one.pace = backfill_pace(most, target);
            backfilled_table& line = report_.tables.emplace_back();
            line.model = of.key;
            line.table = replicated_table(of, with_.database.kind());
            line.gate.coded = of.replication->version;
            line.gate.forced = asked_.force_synchronous;
            jobs_.push_back(std::move(one));
        }
        for (job& one : jobs_) guarded(one, [&] { look_at(one); });
        // Who was served longest ago comes first: with a budget of few rows nobody waits for ever.
        std::erase_if(open_,
                      [&](std::size_t which) { return table_of(jobs_[which]).ending == backfill_ending::failed; });
        std::sort(open_.begin(), open_.end(), [&](std::size_t a, std::size_t b) {
            return jobs_[a].idle != jobs_[b].idle ? jobs_[a].idle > jobs_[b].idle : a < b;
        });
    }
    /// A number that is wrong slows nothing down: it is told, and the default counts.
    [[nodiscard]] std::int64_t option(std::string_view name, std::int64_t otherwise) const {
        try {
            return std::max<std::int64_t>(1, with_.options().integer(name));
        } catch (const error& problem) {
            if (problem.kind() != failure::configuration) throw;
            with_.watch.log(log_level::error, "an option is not what it should be; its default counts",
                            {{"option", name}, {"reason", problem.what()}});
            return otherwise;
        }
    }
    void look_at(job& one) {
        backfilled_table& line = table_of(one);
        open_.push_back(one.table);
        one.targets = backfill_targets(with_, *one.of, line.table);
        line.gate = read_gate(with_, *one.of, line.table, asked_.force_synchronous);
        const std::vector<backfill_record> records = read_backfill(with_.database, one.of->silo, line.table);
        one.idle = records.empty() ? 1e18 : 0;
        for (const backfill_record& each : records) {
            one.idle = std::max(one.idle, each.seconds_idle);
            line.mapping_changed = line.mapping_changed || mapping_changed(each, *one.of->replication);
        }
        one.known_targets = records.size();
        if (line.mapping_changed)
            with_.watch.log(log_level::warning, "a copy is made of other columns than when its version was backfilled",
                            {{"model", one.of->key},
                             {"replication_version", std::to_string(line.gate.coded)},
                             {"hint", "raise replication_version"}});
        mirror_.check(one.of->silo, line.table, one.targets);
        const cursor_position at = cursor_of(records);
        with_.watch.gauge("backfill_outboxes.watermark_version", static_cast<double>(at.version),
                          {{"table_name", line.table}});
        with_.watch.gauge("backfill_outboxes.watermark_target_version", static_cast<double>(line.gate.effective()),
                          {{"table_name", line.table}});
    }

    /// One turn for every table that has something to do. @return rows that it took
    std::int64_t round(std::int64_t budget) {
        std::int64_t taken = 0;
        bool moved = false;
        const auto tables = static_cast<std::int64_t>(open_.size());
        const std::int64_t share = std::max<std::int64_t>(1, budget / tables);
        std::vector<std::size_t> left;
        for (const std::size_t which : open_) {
            job& one = jobs_[which];
            if (taken >= budget || out_of_time()) {
                left.push_back(which);
                continue;
            }
            bool stays = true;
            guarded(one, [&] {
                const std::int64_t rows = step(one, std::min(share, budget - taken), stays);
                taken += rows;
                moved = moved || !one.waiting;
            });
            if (table_of(one).ending == backfill_ending::failed) stays = false;
            if (stays) left.push_back(which);
        }
        open_ = std::move(left);
        if (!open_.empty() && !moved) await();
        return taken;
    }
    std::int64_t step(job& one, std::int64_t share, bool& stays) {
        backfilled_table& line = table_of(one);
        one.targets = backfill_targets(with_, *one.of, line.table);
        const winnow::clock::duration before = with_.time.now();
        const backfill_step done =
            step_backfill(with_, *one.of, line.table, one.targets, std::min(share, one.pace.rows(time_left(before))),
                          asked_.force_synchronous);
        const winnow::clock::duration taken = with_.time.now() - before;
        one.failures = 0;
        line.gate = done.gate;
        one.waiting = done.end == backfill_step_end::waiting;
        if (done.end == backfill_step_end::moved) {
            if (done.rows != 0) one.pace.learn(done.rows, taken);
            account(one, done, taken);
            return done.rows;
        }
        line.why = done.why;
        line.ending = ending_of(done.end);
        if (done.end == backfill_step_end::complete && line.mapping_changed)
            line.why += ", but a copy is made of other columns now: raise replication_version";
        stays = one.waiting;
        return 0;
    }
    void account(job& one, const backfill_step& done, winnow::clock::duration taken) {
        backfilled_table& line = table_of(one);
        report_.rows += done.rows;
        report_.messages += done.messages;
        line.rows += done.rows;
        line.messages += done.messages;
        if (done.messages != 0)
            with_.watch.count("outbox.saved", done.messages, {{"category", one.of->replication->category_name}});
        seconds_[one.table] += std::chrono::duration<double>(taken).count();
        if (done.records.size() > one.known_targets && one.known_targets != 0)
            mirror_.restart(one.of->silo, line.table, one.targets);
        one.known_targets = std::max(one.known_targets, done.records.size());
        mirror_.write(line.table, done.records);
        if (asked_.after_batch) asked_.after_batch(done.rows);
    }
    static backfill_ending ending_of(backfill_step_end end) noexcept {
        switch (end) {
            case backfill_step_end::complete: return backfill_ending::complete;
            case backfill_step_end::closed: return backfill_ending::closed;
            case backfill_step_end::paused: return backfill_ending::paused;
            case backfill_step_end::waiting: return backfill_ending::waiting;
            case backfill_step_end::no_target: return backfill_ending::no_target;
            case backfill_step_end::moved: return backfill_ending::more;
        }
        return backfill_ending::more;
    }

    /// What goes wrong with one table does not stop the others; a lost connection does.
    template <class Work>
    void guarded(job& one, const Work& work) {
        try {
            work();
        } catch (const error& problem) {
            if (!with_.database.usable()) throw;
            if (problem.may_retry() && ++one.failures < 5) {
                one.pace.shrink();
                with_.time.sleep(std::chrono::milliseconds(5 << one.failures));
                return;
            }
            backfilled_table& line = table_of(one);
            line.ending = backfill_ending::failed;
            line.why = problem.what();
            if (!problem.hint().empty()) line.why += " " + problem.hint();
            with_.watch.log(log_level::error, "a backfill failed",
                            {{"model", one.of->key}, {"table_name", line.table}, {"reason", line.why}});
            keep(one, line.why);
        }
    }
    void keep(const job& one, std::string_view why) {
        try {
            for (const std::string& target : one.targets)
                note_backfill(with_.database, one.of->silo, table_of(one).table, target, why);
        } catch (const error&) {
            // What went wrong has been told; that it could not be kept besides helps nobody.
            if (!with_.database.usable()) throw;
        }
    }

    [[nodiscard]] bool limited() const noexcept { return asked_.time_limit.count() != 0; }
    [[nodiscard]] winnow::clock::duration time_left(winnow::clock::duration now) const {
        return limited() ? begin_ + asked_.time_limit - now : winnow::clock::duration::max();
    }
    [[nodiscard]] bool told_to_stop() const noexcept {
        return with_.stopping() || (asked_.stop != nullptr && asked_.stop->load());
    }
    bool out_of_time() {
        if (told_to_stop()) return true;
        if (!limited() || report_.rows == 0 || time_left(with_.time.now()).count() > 0) return false;
        report_.why = "the time of this run is used up";
        return true;
    }
    /// Windows, health and lag: a brake ends the run, and a later one looks again.
    bool braked() {
        if (asked_.force_synchronous) return false;
        const std::optional<brake_reason> brake = brakes_.look(with_, "backfill.windows");
        if (!brake) return false;
        report_.why = brake->text;
        for (const std::size_t which : open_) {
            const job& one = jobs_[which];
            backfilled_table& line = table_of(one);
            line.ending = backfill_ending::braked;
            line.why = brake->text;
            keep_brake(with_.database, one.of->silo, line.table, brake->text);
        }
        open_.clear();
        return true;
    }
    /// Nothing moves: a while for those transactions that a table waits for.
    void await() {
        const winnow::clock::duration now = with_.time.now();
        if (waited_since_.count() == 0) waited_since_ = now;
        const bool tired = now - waited_since_ >= asked_.patience || time_left(now).count() <= 0;
        if (!tired) return with_.time.sleep(std::chrono::milliseconds(25));
        open_.clear();
    }

    backfill_report finish() {
        for (std::size_t table = 0; table < report_.tables.size(); ++table) {
            backfilled_table& line = report_.tables[table];
            if (seconds_.count(table) != 0 && seconds_[table] > 0)
                line.rows_per_second = static_cast<double>(line.rows) / seconds_[table];
            if (line.ending == backfill_ending::more && line.why.empty()) line.why = report_.why;
        }
        report_.cursor_trouble = mirror_.trouble();
        with_.watch.count(
            "backfill_outboxes.backfilled", report_.rows,
            {{"silo_mode", name_of(with_.mode)}, {"force_synchronous", asked_.force_synchronous ? "true" : "false"}});
        return std::move(report_);
    }

    const context& with_;
    const backfill_request& asked_;
    backfill_mirror mirror_;
    brake_watch brakes_;
    backfill_report report_;
    std::vector<job> jobs_;
    std::vector<std::size_t> open_;
    std::map<std::size_t, double> seconds_;
    winnow::clock::duration begin_{0};
    winnow::clock::duration waited_since_{0};
};

}  // namespace detail

/// Writes messages for rows that were there before their model was replicated in its present way, a version at a time
/// and as far as options allow. Safe to call at any time, from several processes at once; no transaction may be open.
///
/// The budget, `max_batch_rate` less `scheduled_count`, counts rows. Tables of the silos that this process serves take
/// turns; what fails is told and does not stop the others. Each batch is one transaction, together with the row that
/// the backfill works through, so that a process may end anywhere.
/// @throws error of kind `connection` when the database is lost: what was committed stays, and the next run goes on
[[nodiscard]] inline backfill_report backfill_outboxes_for(const context& with, const backfill_request& asked = {}) {
    return detail::backfill_runner(with, asked).run();
}

}  // namespace winnow::inline v0
