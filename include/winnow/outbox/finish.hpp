// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/outbox/retry.hpp"
#include "winnow/outbox/work.hpp"
#include "winnow/store/own_statement.hpp"
#include "winnow/store/set_text.hpp"

namespace winnow::inline v0 {

/// What one turn, or all turns of a call, did.
struct drain_report {
    std::int64_t messages = 0;   ///< delivered and deleted
    std::int64_t objects = 0;    ///< delivered: those of one category and object together, events one by one
    std::int64_t failed = 0;     ///< objects or events that failed and back off
    std::int64_t dead = 0;       ///< messages that reached the last attempt
    std::int64_t overtaken = 0;  ///< shards that another worker took in the middle; nothing of them was deleted
    std::int64_t turns = 0;
    std::int64_t shards = 0;            ///< claimed, counted once a turn
    bool held = false;                  ///< a shard was left to a worker that is at it
    bool finished = true;               ///< false: the deadline came first
    std::vector<std::string> problems;  ///< the first few errors, each naming category, object, message and shard

    drain_report& operator+=(const drain_report& other) {
        messages += other.messages;
        objects += other.objects;
        failed += other.failed;
        dead += other.dead;
        overtaken += other.overtaken;
        turns += other.turns;
        shards += other.shards;
        held = held || other.held;
        finished = finished && other.finished;
        for (const std::string& one : other.problems) add_problem(one);
        return *this;
    }
    void add_problem(const std::string& text) {
        constexpr std::size_t most = 20;
        if (problems.size() < most) problems.push_back(text);
    }
};

namespace detail {

/// Text that every database takes: valid UTF-8 without NUL, not longer than a page.
[[nodiscard]] inline std::string storable(std::string_view text) {
    constexpr std::size_t most = 2000;
    std::string out;
    for (std::size_t at = 0; at < text.size() && out.size() < most;) {
        const std::size_t length = text[at] == '\0' ? 0 : utf8_length(text, at);
        if (length == 0) out += '?';
        else out.append(text, at, length);
        at += std::max<std::size_t>(length, 1);
    }
    return out;
}

/// Ends a turn: deletes what was delivered, lets back off what failed, gives the leases back. Each step locks the
/// shards' rows and leaves alone those whose token is not the newest any more (rule 7).
class turn_end {
public:
    turn_end(outbox_work& work, drain_report& report) : work_(work), report_(report) {}

    void run() {
        collect();
        do {
            step_ = {};
            in_source(work_.with, [&] { step(); });
            report();
        } while (!step_.last);
        for (const claimed_shard& one : work_.claim.shards)
            if (one.lost) ++report_.overtaken;
    }

private:
    static constexpr std::size_t batch = 10'000;

    struct entry {
        std::int64_t id;
        const outbox_unit* unit;
    };
    struct progress {
        std::size_t deleted = 0;  ///< entries that this step has done
        std::size_t failed = 0;
        std::int64_t dead = 0;
        std::vector<const outbox_unit*> gone_from;
        bool last = false;
    };

    void collect() {
        for (const outbox_unit& one : work_.units) {
            if (one.state != unit_state::delivered && one.state != unit_state::failed) continue;
            std::vector<entry>& to = one.state == unit_state::delivered ? delivered_ : failed_;
            for (const std::int64_t id : one.ids) to.push_back({id, &one});
        }
        std::sort(delivered_.begin(), delivered_.end(), [](const entry& a, const entry& b) { return a.id < b.id; });
    }

    void step() {
        const std::vector<std::size_t> mine = work_.shards();
        if (!mine.empty()) {
            const std::string lock = work_.spelled(
                "SELECT shard_scope, shard_identifier FROM winnow_{silo}_outbox_shard WHERE token = $1 AND cell_name = $2 "
                "AND " +
                in_shards(which(), 3) + " ORDER BY shard_scope, shard_identifier {lock}");
            work_.keep(mine,
                       work_.with.database.execute_once(
                           lock, {work_.claim.token, std::string_view(work_.claim.cell_name), work_.keys_of(mine)}));
        }
        step_ = {};
        remove();
        if (delivered_at_ + step_.deleted < delivered_.size()) return;
        back_off();
        if (failed_at_ + step_.failed < failed_.size()) return;
        release();
        step_.last = true;
    }

    void remove() {
        key_set ids(1);
        while (delivered_at_ + step_.deleted < delivered_.size() && ids.size() < batch) {
            const entry& one = delivered_[delivered_at_ + step_.deleted++];
            if (work_.lost(*one.unit)) continue;
            add_id(ids, one.id);
            step_.gone_from.push_back(one.unit);
        }
        if (ids.empty()) return;
        (void)work_.with.database.execute(
            work_.spelled("DELETE FROM winnow_{silo}_outbox WHERE " + in_set(which(), "id", 1)), {ids});
    }

    /// Messages with one error in one statement.
    void back_off() {
        while (failed_at_ + step_.failed < failed_.size() && step_.failed < batch) {
            const outbox_unit& first = *failed_[failed_at_ + step_.failed].unit;
            key_set delays(2);
            while (failed_at_ + step_.failed < failed_.size() && step_.failed < batch) {
                const entry& one = failed_[failed_at_ + step_.failed];
                if (one.unit->error != first.error || one.unit->may_die != first.may_die) break;
                ++step_.failed;
                if (!work_.lost(*one.unit)) add_pair(delays, one.id, delay(*one.unit));
            }
            if (delays.empty()) continue;
            const std::string text = work_.spelled(
                "UPDATE winnow_{silo}_outbox AS o SET attempts = o.attempts + 1, last_error = $1, dead_at = CASE WHEN "
                "o.attempts + 1 >= $2 THEN {now} END, scheduled_for = {after d.number} FROM " +
                pairs(which(), 3) +
                " WHERE o.id = d.id AND o.dead_at IS NULL RETURNING CASE WHEN dead_at IS NULL THEN "
                "0 ELSE 1 END");
            constexpr std::int64_t never = 2'147'483'647;
            const rows changed = work_.with.database.execute(
                text,
                {std::string_view(storable(first.error)), first.may_die ? work_.settings.attempts : never, delays});
            for (std::size_t row = 0; row < changed.size(); ++row) step_.dead += changed.integer(row, 0);
        }
    }

    /// Seconds, doubling with each attempt up to an hour; spread, so that what failed together does not come back
    /// together; one for all messages of an object, so that they still do.
    [[nodiscard]] double delay(const outbox_unit& of) {
        constexpr double longest = 3600;
        const auto exponent = static_cast<int>(std::min<std::int64_t>(of.most_attempts, 30));
        const double seconds =
            std::min(longest, static_cast<double>(work_.settings.retry_seconds) * std::ldexp(1.0, exponent));
        if (delayed_ != &of) spread_ = std::uniform_real_distribution<double>(0.8, 1.0)(random_);
        delayed_ = &of;
        return seconds * spread_;
    }

    void release() {
        const std::vector<std::size_t> mine = work_.shards();
        if (mine.empty()) return;
        const std::string lease = "UPDATE winnow_{silo}_outbox_shard SET lease_owner = NULL, lease_expires_at = NULL";
        if (work_.unreachable.empty()) {
            (void)work_.with.database.execute_once(
                work_.spelled(lease + " WHERE cell_name = $1 AND " + in_shards(which(), 2)),
                {std::string_view(work_.claim.cell_name), work_.keys_of(mine)});
            return;
        }
        const std::string why = storable("the target cannot be reached: " + work_.unreachable);
        (void)work_.with.database.execute_once(
            work_.spelled(lease + ", waiting_for = $1, waiting_until = {after $2} WHERE cell_name = $3 AND " +
                          in_shards(which(), 4)),
            {std::string_view(why), std::int64_t{unreachable_seconds}, std::string_view(work_.claim.cell_name),
             work_.keys_of(mine)});
    }

    /// Only after the commit, and once for each entry.
    void report() {
        delivered_at_ += step_.deleted;
        report_.messages += static_cast<std::int64_t>(step_.gone_from.size());
        const std::vector<const outbox_unit*>& gone = step_.gone_from;
        for (std::size_t from = 0; from < gone.size();) {
            std::size_t to = from;
            while (to < gone.size() && gone[to]->category == gone[from]->category) ++to;
            work_.with.watch.count("outbox.processed", static_cast<std::int64_t>(to - from),
                                   {{"category", work_.routes.category_name(gone[from]->category)}});
            from = to;
        }
        const outbox_unit* said = nullptr;
        for (std::size_t i = failed_at_; i < failed_at_ + step_.failed; ++i) {
            const outbox_unit& one = *failed_[i].unit;
            if (work_.lost(one) || failed_[i].id != one.ids.back()) continue;
            ++report_.failed;
            if (said != nullptr && said->error == one.error) continue;
            said = &one;
            const std::string text = work_.text_of(one) + ": " + one.error;
            report_.add_problem(text);
            work_.with.watch.log(log_level::warning, text, {{"category", work_.routes.category_name(one.category)}});
        }
        failed_at_ += step_.failed;
        report_.dead += step_.dead;
        if (step_.dead != 0) work_.with.watch.count("outbox.dead", step_.dead, {});
        if (!step_.last) return;
        for (const outbox_unit& one : work_.units)
            if (one.state == unit_state::delivered && !work_.lost(one)) ++report_.objects;
    }

    [[nodiscard]] dialect which() const { return work_.with.database.kind(); }

    static constexpr int unreachable_seconds = 10;

    outbox_work& work_;
    drain_report& report_;
    std::vector<entry> delivered_;  // by id
    std::vector<entry> failed_;     // by unit
    std::size_t delivered_at_ = 0;
    std::size_t failed_at_ = 0;
    progress step_;
    std::minstd_rand random_{std::random_device{}()};
    const outbox_unit* delayed_ = nullptr;
    double spread_ = 1;
};

}  // namespace detail

}  // namespace winnow::inline v0
