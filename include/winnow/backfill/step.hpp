// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/backfill/gate.hpp"
#include "winnow/backfill/record.hpp"
#include "winnow/context/context.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/store/horizon.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow::inline v0 {

/// What one step of a table's backfill came to.
enum class backfill_step_end : unsigned char {
    moved,      ///< something was committed; there may be more to do
    complete,   ///< nothing is left of this version
    closed,     ///< the gate lets nothing through
    paused,     ///< by a person
    waiting,    ///< for transactions that were open when it was announced
    no_target,  ///< the option limits it to no cell at all
};

/// One step of a table's backfill.
struct backfill_step {
    backfill_step_end end = backfill_step_end::moved;
    std::int64_t rows = 0;      ///< rows that got their messages
    std::int64_t messages = 0;  ///< as many, for each cell that they go to
    backfill_gate gate;
    std::string why;                       ///< one sentence, when nothing moved
    std::vector<backfill_record> records;  ///< as they were committed, of the targets that have a row
};

namespace detail {

/// One step of one table in one transaction, with the rows of its targets locked: two processes take turns.
class backfill_stepper {
public:
    backfill_stepper(const context& with, const plan& of, std::string_view table, std::span<const std::string> targets)
        : with_(with), of_(of), table_(table), targets_(targets) {}

    /// @param limit most rows that may get messages; positive
    backfill_step run(std::int64_t limit, bool forced) {
        transaction scope(with_.database, transaction_kind::write, limits());
        step_.records = read_backfill(with_.database, of_.silo, table_, true);
        step_.gate = read_gate(with_, of_, table_, forced);
        const auto stays = std::remove_if(step_.records.begin(), step_.records.end(), [&](const backfill_record& one) {
            return std::find(targets_.begin(), targets_.end(), one.target) == targets_.end();
        });
        step_.records.erase(stays, step_.records.end());
        if (targets_.empty()) {
            step_.end = backfill_step_end::no_target;
            step_.why = "option `" + target_cells_option(table_) + "` names no cell";
        } else if (!announce() && !fix_bounds() && !batch(limit)) {
            settle();
        }
        scope.commit();
        return std::move(step_);
    }

private:
    [[nodiscard]] transaction_limits limits() const {
        transaction_limits wait;
        // Where rows are held, this side gives up before anybody's deadlock check fires (R8).
        wait.lock_timeout = holds_rows() ? with_.database.deadlock_timeout() / 2 : std::chrono::milliseconds(5'000);
        return wait;
    }
    /// Messages that are never merged are numbered while the row is held, so that numbers follow commits (rule 13).
    [[nodiscard]] bool holds_rows() const {
        return of_.replication->kind == category_kind::every_event && with_.database.kind() == dialect::postgres;
    }
    [[nodiscard]] std::int64_t effective() const { return step_.gate.effective(); }

    void exchange(backfill_record& before, backfill_record after, bool anew = false) {
        if (!exchange_backfill(with_.database, of_.silo, table_, before, after, anew))
            throw error(failure::refused, "The backfill of " + std::string(of_.key) + " was moved by another process.")
                .with_model(of_.key)
                .with_table(table_)
                .with_retry(true);
        if (anew) after.seconds = 0;
        after.seconds_idle = 0;
        after.last_error.clear();
        before = std::move(after);
    }

    /// The version in a commit of its own, before any bound is read (rule 14).
    bool announce() {
        if (effective() < 1) return false;
        bool moved = false;
        for (const std::string& target : targets_) {
            const auto found = std::find_if(step_.records.begin(), step_.records.end(),
                                            [&](const backfill_record& one) { return one.target == target; });
            backfill_record made;
            made.target = target;
            made.stage = backfill_stage::announced;
            made.version = effective();
            made.fingerprint = backfill_fingerprint(*of_.replication);
            if (found == step_.records.end()) {
                if (insert_backfill(with_.database, of_.silo, table_, made)) step_.records.push_back(made);
                moved = true;
                continue;
            }
            const bool begun = found->stage != backfill_stage::complete && found->version == effective();
            if (!found->paused_by.empty() || found->version > effective() || begun) continue;
            made.horizon = horizon_when_announced(*found);
            exchange(*found, made, true);
            moved = true;
        }
        return moved;
    }

    /// The bound, in a transaction that began after the announcement was committed.
    bool fix_bounds() {
        bool moved = false;
        for (backfill_record& one : step_.records) {
            if (one.stage != backfill_stage::announced || one.version != effective() || !one.paused_by.empty())
                continue;
            backfill_record made = one;
            if (!one.horizon) {
                made.horizon = fix_horizon(with_.database);
                exchange(one, made);
                moved = true;
                continue;
            }
            std::string who;
            if (!has_passed(with_.database, *one.horizon, who)) {
                waits_for_ = who;
                continue;
            }
            const rows found = with_.database.execute(of_.replication->statements.bounds);
            made.horizon.reset();
            if (is_null(found.at(0, 0))) {
                made.rows_total = 0;
                finish(made);
            } else {
                made.stage = backfill_stage::bound;
                made.lower = std::min<std::int64_t>(0, found.integer(0, 0));
                made.upper = found.integer(0, 1);
                made.rows_total = count(made.lower, *made.upper);
            }
            exchange(one, made);
            moved = true;
        }
        return moved;
    }
    /// Rows of a range, or nothing when there are too many to be counted.
    [[nodiscard]] std::optional<std::int64_t> count(std::int64_t lower, std::int64_t upper) {
        constexpr std::int64_t most = 1'000'000;
        const rows found =
            with_.database.execute(of_.replication->statements.batch, {lower, upper, std::int64_t{most + 1}});
        if (found.integer(0, 0) > most) return std::nullopt;
        return found.integer(0, 0);
    }
    static void finish(backfill_record& of) {
        of.stage = backfill_stage::complete;
        ++of.version;
        of.lower = 0;
        of.upper.reset();
    }

    /// Messages of the next rows for those targets that are least advanced, and their rows' advance, together (rule 16).
    bool batch(std::int64_t limit) {
        std::vector<backfill_record*> group;
        for (backfill_record& one : step_.records) {
            if (one.stage != backfill_stage::bound || one.version != effective() || !one.paused_by.empty()) continue;
            if (!group.empty() && one.lower < group.front()->lower) group.clear();
            const bool fits = group.empty() || (one.lower == group.front()->lower && one.upper == group.front()->upper);
            if (fits) group.push_back(&one);
        }
        if (group.empty()) return false;
        const std::int64_t lower = group.front()->lower;
        const std::int64_t upper = group.front()->upper.value_or(lower);
        const rows found = with_.database.execute(of_.replication->statements.batch, {lower, upper, limit});
        const std::int64_t last = found.integer(0, 1);
        step_.rows = found.integer(0, 0);
        if (step_.rows != 0) {
            hold(lower, last);
            key_set cells(1);
            for (const backfill_record* one : group) {
                const value name{one->target};
                cells.push_back(std::span<const value>(&name, 1));
            }
            step_.messages =
                with_.database.execute(of_.replication->statements.produce_range, {lower, last, cells}).affected();
        }
        for (backfill_record* one : group) {
            backfill_record made = *one;
            made.rows_done += step_.rows;
            if (step_.rows < limit || last >= upper) finish(made);
            else made.lower = last + 1;
            made.fingerprint = backfill_fingerprint(*of_.replication);
            exchange(*one, made);
        }
        return true;
    }
    void hold(std::int64_t lower, std::int64_t last) {
        if (!holds_rows()) return;
        const std::string key(of_.columns[of_.primary_key[0]].quoted.postgres);
        (void)with_.database.execute("SELECT count(*) FROM (SELECT 1 FROM " + std::string(of_.quoted_table.postgres) +
                                         " WHERE " + key + " >= $1 AND " + key + " <= $2 ORDER BY " + key +
                                         " FOR SHARE) AS held",
                                     {lower, last});
    }

    /// Nothing moved: says why, and keeps it where a gate was lowered in the middle.
    void settle() {
        const backfill_record* paused = nullptr;
        bool lowered = false;
        for (const backfill_record& one : step_.records) {
            if (!one.paused_by.empty() && one.version <= effective()) paused = &one;
            if (one.stage == backfill_stage::complete || one.version <= effective()) continue;
            lowered = true;
            std::string why = why_closed(step_.gate, table_);
            why += "; version " + std::to_string(one.version) + " stopped after " + std::to_string(one.rows_done) +
                   " rows";
            if (one.last_error != why) note_backfill(with_.database, of_.silo, table_, one.target, why);
            step_.why = std::move(why);
        }
        if (!waits_for_.empty()) {
            step_.end = backfill_step_end::waiting;
            step_.why = "waiting for transactions that were open when it was announced: " + waits_for_;
        } else if (paused != nullptr) {
            step_.end = backfill_step_end::paused;
            step_.why = "paused by " + paused->paused_by + " since " + paused->paused_at;
        } else if (effective() < step_.gate.coded || lowered) {
            step_.end = backfill_step_end::closed;
            if (!lowered) step_.why = why_closed(step_.gate, table_);
        } else {
            step_.end = backfill_step_end::complete;
            step_.why = "version " + std::to_string(effective()) + " is complete";
        }
    }

    const context& with_;
    const plan& of_;
    std::string_view table_;
    std::span<const std::string> targets_;
    backfill_step step_;
    std::string waits_for_;
};

}  // namespace detail

/// Does one thing for a table's backfill: announces a version, fixes its bound, or writes the messages of one batch;
/// each is one transaction. Safe from several processes at once. No transaction may be open.
/// @param targets as `backfill_targets` gives them
/// @param limit most rows of a batch; positive
/// @param forced the coded version counts, whatever the option says
/// @throws error, with `may_retry()` when trying again helps
[[nodiscard]] inline backfill_step step_backfill(const context& with, const plan& of, std::string_view table,
                                                 std::span<const std::string> targets, std::int64_t limit,
                                                 bool forced) {
    return detail::backfill_stepper(with, of, table, targets).run(limit, forced);
}

}  // namespace winnow::inline v0
