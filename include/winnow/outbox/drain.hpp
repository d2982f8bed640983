// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/core/error.hpp"
#include "winnow/outbox/claim.hpp"
#include "winnow/outbox/find.hpp"
#include "winnow/outbox/finish.hpp"
#include "winnow/outbox/routes.hpp"
#include "winnow/outbox/settings.hpp"
#include "winnow/outbox/turn.hpp"
#include "winnow/outbox/work.hpp"

namespace winnow::inline v0 {

/// Bounds of one call.
struct drain_limits {
    /// No turn begins after that time; zero: until everything that was due at the start is done.
    clock::duration deadline{0};
    /// Where an earlier call ended and this one goes on; null: it looks at all messages.
    outbox_position* position = nullptr;
};

namespace detail {

/// Drains shards of one silo, turn by turn.
class outbox_drainer {
public:
    /// @throws error of kind `usage` while a transaction is open: its messages cannot be seen, and handlers would run
    ///         inside of it (rule 10)
    outbox_drainer(const context& with, silo where)
        : with_(with), where_(where), routes_(with.models, where), settings_() {
        if (with.database.in_transaction())
            throw error(failure::usage, "Messages cannot be delivered while a transaction is open.")
                .with_hint("Commit first, then drain.");
        settings_ = read_outbox_settings(with, routes_, where);
        start_ = with.time.now();
    }

    drain_report run_shard(const outbox_shard& shard) {
        drain_report report;
        wanted_shard wanted{shard, 0, 0, false};
        for (bool more = true; more;) {
            const outbox_claim claim = turn(std::span<const wanted_shard>(&wanted, 1), report);
            // Its row was forgotten as one that nobody needed; the next call makes it again.
            if (claim.shards.empty()) break;
            const claimed_shard& one = claim.shards.front();
            report.held = report.held || one.answer == claim_answer::held;
            more = goes_on(one, wanted, claim.token) && !with_.stopping();
        }
        return report;
    }

    drain_report run(std::optional<std::pair<std::int64_t, std::int64_t>> ids, const drain_limits& limits) {
        drain_report report;
        due_finder finder(with_, where_, ids);
        const bool sweep = !limits.position || limits.position->moment.empty() ||
                           start_ - limits.position->last_sweep >= std::chrono::seconds{settings_.sweep_seconds};
        if (!sweep) finder.start_from(*limits.position);
        for (;;) {
            look(finder, report);
            if (queue_.empty()) break;
            if (with_.stopping() || (limits.deadline.count() != 0 && with_.time.now() - start_ >= limits.deadline)) {
                report.finished = false;
                break;
            }
            round(report);
        }
        if (limits.position && report.finished) {
            if (!finder.moment().empty()) limits.position->moment = finder.moment();
            limits.position->id = finder.id();
            if (sweep) limits.position->last_sweep = start_;
        }
        return report;
    }

private:
    static constexpr int windows_a_round = 5;

    [[nodiscard]] std::size_t together() const { return static_cast<std::size_t>(settings_.turn_shards); }

    /// Keeps as many shards in the queue as a turn takes, so that a shard with very many messages does not hide those
    /// behind it.
    void look(due_finder& finder, drain_report& report) {
        for (int windows = 0; windows < windows_a_round && !finder.done() && queue_.size() < together(); ++windows) {
            std::vector<const outbox_shard*> strange;
            std::vector<found_shard> found = finder.next();
            for (const found_shard& one : found)
                if (one.free && !one.known) strange.push_back(&one.key);
            make_shard_rows(with_, where_, strange);
            for (found_shard& one : found) {
                if (!one.free) report.held = true;
                else if (queued_.insert(one.key).second) queue_.push_back({std::move(one.key), 0, 0, true});
            }
        }
    }

    /// One turn of the first shards in the queue that have the same target. Those with more to do go to its end.
    void round(drain_report& report) {
        std::vector<wanted_shard> chosen;
        const std::string cell = queue_.front().key.cell_name;
        for (auto one = queue_.begin(); one != queue_.end() && chosen.size() < together();) {
            if (one->key.cell_name != cell) {
                ++one;
                continue;
            }
            chosen.push_back(std::move(*one));
            one = queue_.erase(one);
        }
        const outbox_claim claim = turn(chosen, report);
        for (wanted_shard& one : chosen) {
            const auto found = std::find_if(claim.shards.begin(), claim.shards.end(),
                                            [&](const claimed_shard& each) { return each.key == one.key; });
            if (found == claim.shards.end()) {
                queued_.erase(one.key);
            } else if (found->answer == claim_answer::later) {
                queue_.push_front(std::move(one));
            } else if (goes_on(*found, one, claim.token)) {
                queue_.push_back(std::move(one));
            } else {
                report.held = report.held || found->answer == claim_answer::held;
                queued_.erase(one.key);
            }
        }
    }

    /// Whether the shard gets another turn, which then starts behind this one.
    [[nodiscard]] static bool goes_on(const claimed_shard& one, wanted_shard& wanted, std::int64_t token) {
        wanted.known = true;
        const bool tried = one.answer == claim_answer::claimed || one.answer == claim_answer::nothing_due;
        wanted.token = one.answer == claim_answer::claimed ? token : one.before;
        wanted.after = one.after;
        return tried && one.more && !one.lost;
    }

    outbox_claim turn(std::span<const wanted_shard> wanted, drain_report& report) {
        outbox_work work{with_, routes_, settings_, {}, {}, {}, {}, {}, clock::duration{0}, {}};
        work.claim = claim_shards(with_, routes_, settings_, wanted, held_back_);
        for (const std::int32_t category : held_back_) tell_held_back(category, report);
        if (work.claim.token == 0) return std::move(work.claim);
        ++report.turns;
        report.shards += static_cast<std::int64_t>(work.shards().size());
        work.renewed = with_.time.now();
        work.source = source(wanted.front().key.cell_name);
        observe_lag(work);
        make_units(work);
        read_rows(work);
        const clock::duration before = with_.time.now();
        unit_delivery(work).run();
        learn(work, with_.time.now() - before);
        turn_end(work, report).run();
        if (!work.unreachable.empty()) {
            const std::string text = "messages to " + target_name(work.claim) + " wait: " + work.unreachable;
            report.add_problem(text);
            with_.watch.log(log_level::error, text, {});
            for (claimed_shard& one : work.claim.shards) one.more = false;
        }
        for (claimed_shard& one : work.claim.shards) one.messages.clear();
        return std::move(work.claim);
    }

    /// So many objects a turn that the transaction which writes their copies takes about a tenth of a second; two on
    /// SQLite, where each turn writes pages from all over the table of messages once more.
    void learn(const outbox_work& work, clock::duration taken) {
        constexpr std::int64_t most_shards = 16;
        constexpr std::int64_t least_shards = 4;
        const double wanted = with_.database.kind() == dialect::postgres ? 100'000 : 200'000;  // microseconds
        if (work.units.size() < 1'000) return;
        const double each = std::max(1.0, static_cast<double>(taken.count())) / static_cast<double>(work.units.size());
        const std::int64_t most = settings_.turn_objects * most_shards;
        const double fit = std::min(wanted / each, static_cast<double>(most));
        settings_.turn_room = std::max(settings_.turn_objects * least_shards, static_cast<std::int64_t>(fit));
    }

    [[nodiscard]] static std::string target_name(const outbox_claim& of) {
        return of.where == silo::cell ? std::string("the control silo") : "cell " + of.cell_name;
    }

    void tell_held_back(std::int32_t category, drain_report& report) {
        if (!told_.insert(category).second) return;
        const std::string text =
            "messages of " + routes_.category_name(category) +
            " are left alone: the backfill of their table has announced a higher version than this "
            "program has";
        report.add_problem(text);
        with_.watch.log(log_level::warning, text, {});
    }

    void observe_lag(const outbox_work& work) {
        std::int64_t oldest = std::numeric_limits<std::int64_t>::max();
        for (const claimed_shard& one : work.claim.shards)
            if (!one.messages.empty()) oldest = std::min(oldest, one.messages.front().id);
        const rows found = with_.database.execute(
            work.spelled("SELECT {since scheduled_from} FROM winnow_{silo}_outbox WHERE id = $1"), {oldest});
        if (found.empty()) return;
        const auto* seconds = std::get_if<double>(&found.at(0, 0));
        if (seconds != nullptr) with_.watch.observe("outbox.processing_lag", *seconds, {});
    }

    /// Unique everywhere; with the target's cell, so that two cells in one database do not share a fence.
    std::string source(std::string_view cell) {
        if (guid_.empty()) guid_ = with_.database.execute("SELECT guid FROM winnow_database").text(0, 0);
        std::string text = guid_ + "/" + std::string(name_of(where_));
        if (where_ == silo::control) text += "/" + std::string(cell);
        return text;
    }

    const context& with_;
    silo where_;
    outbox_routes routes_;
    outbox_settings settings_;
    clock::duration start_{0};
    std::string guid_;
    std::set<std::int32_t> held_back_;  // categories that this program is too old for
    std::set<std::int32_t> told_;
    std::deque<wanted_shard> queue_;
    std::set<outbox_shard> queued_;
};

}  // namespace detail

/// Delivers what is due in one shard and deletes it, turn by turn, until nothing is due any more. Leaves at once, and
/// says `held`, when another worker is at the shard. This is also what flushes after a commit (rule 10).
/// @throws error of kind `connection` when the source is lost; never for a message or for the target
inline drain_report drain_shard(const context& with, const outbox_shard& shard) {
    return detail::outbox_drainer(with, shard.silo).run_shard(shard);
}

/// Delivers what is due in a silo. Shards take turns, so that one with very many messages does not keep the others
/// waiting; a few of one target are taken together.
/// @throws as `drain_shard`
inline drain_report drain(const context& with, silo where, const drain_limits& limits = {}) {
    return detail::outbox_drainer(with, where).run(std::nullopt, limits);
}

/// The same for the shards that have a due message whose id lies between the two, both included: several workers
/// share the work by splitting the range.
inline drain_report drain_range(const context& with, silo where, std::int64_t first, std::int64_t last,
                                const drain_limits& limits = {}) {
    return detail::outbox_drainer(with, where).run(std::pair(first, last), limits);
}

}  // namespace winnow::inline v0
