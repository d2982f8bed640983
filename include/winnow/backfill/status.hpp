// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/backfill/gate.hpp"
#include "winnow/backfill/mirror.hpp"
#include "winnow/backfill/record.hpp"
#include "winnow/context/context.hpp"
#include "winnow/plan/plan.hpp"

namespace winnow::inline v0 {

/// What a count is worth.
enum class backfill_measure : unsigned char { counted, estimated, unknown };

/// How far a table's backfill to one target is.
struct backfill_status {
    std::string_view model;  ///< key of the model
    std::string table;
    std::string target;  ///< the cell; empty: the control silo
    backfill_gate gate;
    backfill_record record;  ///< as the database has it; `never_begun()` when there is none
    std::int64_t rows_left = 0;
    backfill_measure left = backfill_measure::counted;
    double rows_per_second = 0;          ///< since it was announced, pauses included
    std::optional<double> seconds_left;  ///< at that rate; nothing: not known, or nothing is left
    bool mapping_changed = false;        ///< the version that was done last did not mean what it means now
    cursor_health cursor = cursor_health::none;
    std::string cursor_text;  ///< what the key holds
    std::string problem;      ///< why more is not known: an option that cannot be read
};

namespace detail {

/// Rows that are left, measured as cheaply as can be told.
inline void measure_backfill(const context& with, const plan& of, backfill_status& to) {
    const backfill_record& record = to.record;
    const auto counted = [&](std::int64_t rows) {
        to.rows_left = std::max<std::int64_t>(0, rows);
        to.left = backfill_measure::counted;
    };
    if (record.stage == backfill_stage::complete && !record.never_begun() && record.version > to.gate.effective())
        return counted(0);
    if (record.stage == backfill_stage::bound && record.rows_total) {
        counted(*record.rows_total - record.rows_done);
    } else {
        const rows ends = with.database.execute(of.replication->statements.bounds);
        if (is_null(ends.at(0, 0))) return counted(0);
        const bool bound = record.stage == backfill_stage::bound;
        const std::int64_t first = ends.integer(0, 0);
        const std::int64_t upper = bound ? record.upper.value_or(ends.integer(0, 1)) : ends.integer(0, 1);
        const std::int64_t lower = bound ? std::max(record.lower, first) : first;
        constexpr std::int64_t most = 100'000;
        const rows found =
            with.database.execute(of.replication->statements.batch, {lower, upper, std::int64_t{most + 1}});
        counted(found.integer(0, 0));
        if (to.rows_left > most) {
            // So many in so much of the ids; the rest is taken to be as dense.
            const double span = static_cast<double>(found.integer(0, 1)) - static_cast<double>(lower) + 1;
            const double all = static_cast<double>(upper) - static_cast<double>(lower) + 1;
            to.rows_left = static_cast<std::int64_t>(static_cast<double>(most) * all / span);
            to.left = backfill_measure::estimated;
        }
    }
    if (record.seconds > 0) to.rows_per_second = static_cast<double>(record.rows_done) / record.seconds;
    if (to.rows_left != 0 && to.rows_per_second > 0)
        to.seconds_left = static_cast<double>(to.rows_left) / to.rows_per_second;
}

}  // namespace detail

/// Whether the version that was announced last has another meaning now, though the code's version is the same.
[[nodiscard]] inline bool mapping_changed(const backfill_record& record, const replication& of) {
    const std::string now = backfill_fingerprint(of);
    const std::string_view version = std::string_view(now).substr(0, now.find(':') + 1);
    return record.fingerprint.starts_with(version) && record.fingerprint != now;
}

/// How far the backfills of this process's silos are, in the catalog's order, each model's targets by name.
/// Counts up to 100 000 rows a table and estimates beyond. Never throws for what is wrong with one table: `problem`.
/// @param only key of one model; empty: all
/// @param forced the coded versions count, whatever the options say
[[nodiscard]] inline std::vector<backfill_status> backfill_statuses(const context& with, std::string_view only = {},
                                                                    bool forced = false) {
    std::vector<backfill_status> all;
    for (std::size_t model = 0; model < with.models.size(); ++model) {
        const plan& of = with.models[model];
        if (of.replication == nullptr || !reaches(with.mode, of.silo) || (!only.empty() && of.key != only)) continue;
        backfill_status blank;
        blank.model = of.key;
        blank.table = replicated_table(of, with.database.kind());
        blank.gate = {of.replication->version, std::nullopt, forced};
        std::vector<backfill_record> records = read_backfill(with.database, of.silo, blank.table);
        std::vector<std::string> targets;
        try {
            targets = backfill_targets(with, of, blank.table);
            blank.gate = read_gate(with, of, blank.table, forced);
        } catch (const error& problem) {
            if (!with.database.usable()) throw;
            blank.problem = problem.what();
        }
        std::vector<backfill_record> aimed_at;
        for (const std::string& target : targets) {
            const auto found = std::find_if(records.begin(), records.end(),
                                            [&](const backfill_record& one) { return one.target == target; });
            if (found == records.end()) records.emplace_back().target = target;
            else aimed_at.push_back(*found);
        }
        if (with.cursors != nullptr) {
            try {
                const std::optional<std::string> text = with.cursors->read(cursor_key(blank.table));
                blank.cursor = health_of(text, cursor_of(aimed_at));
                if (!text && aimed_at.empty()) blank.cursor = cursor_health::good;
                blank.cursor_text = text.value_or("");
            } catch (const error&) {
                blank.cursor = cursor_health::unknown;
            }
        }
        std::sort(records.begin(), records.end(),
                  [](const backfill_record& a, const backfill_record& b) { return a.target < b.target; });
        for (backfill_record& one : records) {
            backfill_status& line = all.emplace_back(blank);
            line.target = one.target;
            line.record = std::move(one);
            line.mapping_changed = mapping_changed(line.record, *of.replication);
            detail::measure_backfill(with, of, line);
        }
    }
    return all;
}

}  // namespace winnow::inline v0
