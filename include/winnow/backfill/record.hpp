// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/plan/replication.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/cursor.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

/// How far the backfill of one version is (rule 14). What was never begun has no row, or a complete one of version 1.
enum class backfill_stage : unsigned char {
    announced,  ///< the version is known to everyone; no bound has been read
    bound,      ///< rows up to the upper bound are on their way
    complete,   ///< all of them have messages; the version counts one more than the one that was done
};

[[nodiscard]] constexpr std::string_view name_of(backfill_stage stage) noexcept {
    return stage == backfill_stage::announced ? "announced" : stage == backfill_stage::bound ? "bound" : "complete";
}

/// The row that a table's backfill to one target works through.
struct backfill_record {
    std::string target;  ///< the cell that messages go to; empty: the control silo
    backfill_stage stage = backfill_stage::complete;
    std::int64_t version = 1;
    std::string fingerprint;             ///< the version that the code had, and what it meant: `v2:0123456789abcdef`
    std::int64_t lower = 0;              ///< id that the next batch begins at
    std::optional<std::int64_t> upper;   ///< last id of the backfill
    std::optional<std::string> horizon;  ///< transactions to wait for before the bound is read; null: not looked at yet
    std::int64_t rows_done = 0;
    std::optional<std::int64_t> rows_total;  ///< null: too many to be counted
    std::string paused_by;                   ///< empty: not paused
    std::string paused_at;
    std::string last_error;
    double seconds = 0;       ///< from its announcement to its last change
    double seconds_idle = 0;  ///< since its last change

    [[nodiscard]] cursor_position position() const noexcept { return {version, lower}; }
    [[nodiscard]] bool never_begun() const noexcept { return stage == backfill_stage::complete && version <= 1; }
    /// The version that was announced last, which is what code that drains is compared with (rule 15).
    [[nodiscard]] std::int64_t announced_version() const noexcept {
        return stage == backfill_stage::complete ? version - 1 : version;
    }
};

/// What a version of a model means, as it is kept: a version whose mapping changed later can be told.
[[nodiscard]] inline std::string backfill_fingerprint(const replication& of) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "v" + std::to_string(of.version) + ":";
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[of.fingerprint >> static_cast<unsigned>(shift) & 15U];
    return text;
}

/// The rows of one table, by target.
/// @param lock keeps them from being changed until the caller's transaction ends
[[nodiscard]] inline std::vector<backfill_record> read_backfill(connection& database, silo where,
                                                                std::string_view table, bool lock = false) {
    const std::string text = own_statement(
        std::string("SELECT target, state, version, fingerprint, lower_bound, upper_bound, horizon, rows_done, "
                    "rows_total, paused_by, {iso paused_at}, last_error, {since started_at} - {since updated_at}, "
                    "{since updated_at} FROM winnow_{silo}_backfill WHERE table_name = $1 ORDER BY target ") +
            (lock ? "{lock}" : ""),
        database.kind(), where);
    const rows found = database.execute(text, {table});
    std::vector<backfill_record> all;
    for (std::size_t row = 0; row < found.size(); ++row) {
        backfill_record& one = all.emplace_back();
        const std::string stage = found.text(row, 1);
        one.target = found.text(row, 0);
        one.stage = stage == "announced" ? backfill_stage::announced
                    : stage == "bound"   ? backfill_stage::bound
                                         : backfill_stage::complete;
        one.version = found.integer(row, 2);
        one.fingerprint = found.text(row, 3);
        one.lower = found.integer(row, 4);
        if (!is_null(found.at(row, 5))) one.upper = found.integer(row, 5);
        if (!is_null(found.at(row, 6))) one.horizon = found.text(row, 6);
        one.rows_done = found.integer(row, 7);
        if (!is_null(found.at(row, 8))) one.rows_total = found.integer(row, 8);
        one.paused_by = found.text(row, 9);
        one.paused_at = found.text(row, 10);
        one.last_error = found.text(row, 11);
        const auto real = [&](std::size_t column) {
            const auto* held = std::get_if<double>(&found.at(row, column));
            return held != nullptr ? *held : static_cast<double>(found.integer(row, column));
        };
        one.seconds = real(12);
        one.seconds_idle = real(13);
    }
    return all;
}

namespace detail {

/// The horizon of a version that is announced over what was there. Code that has replicated a model before writes messages
/// of its own. What is replicated for the first time waits for transactions of code that does not; and what still waits
/// when its version is raised, waits on.
[[nodiscard]] inline std::optional<std::string> horizon_when_announced(const backfill_record& before) {
    if (before.never_begun()) return std::nullopt;
    if (before.stage == backfill_stage::announced) return before.horizon;
    return std::string();
}

/// Adds a row that is not there yet. @return whether it was not
inline bool insert_backfill(connection& database, silo where, std::string_view table, const backfill_record& made) {
    const std::string text = own_statement(
        "INSERT INTO winnow_{silo}_backfill (table_name, target, state, version, fingerprint, horizon) VALUES ($1, $2, "
        "$3, $4, $5, $6) ON CONFLICT (table_name, target) DO NOTHING",
        database.kind(), where);
    const value horizon = made.horizon ? value(*made.horizon) : value(null_value{});
    return database
               .execute(text, {table, std::string_view(made.target), name_of(made.stage), made.version,
                               std::string_view(made.fingerprint), horizon})
               .affected() == 1;
}

/// Changes a row if version, lower bound and state are still those that were read (rule 16).
/// @param anew it is announced: its time starts again
/// @return whether they were
inline bool exchange_backfill(connection& database, silo where, std::string_view table, const backfill_record& before,
                              const backfill_record& after, bool anew = false) {
    const std::string text = own_statement(
        "UPDATE winnow_{silo}_backfill SET state = $1, version = $2, fingerprint = $3, lower_bound = $4, upper_bound = "
        "$5, horizon = $6, rows_done = $7, rows_total = $8, last_error = NULL, started_at = CASE WHEN $9 = 1 THEN "
        "{now} ELSE started_at END, updated_at = {now} WHERE table_name = $10 AND target = $11 AND version = $12 AND "
        "lower_bound = $13 AND state = $14",
        database.kind(), where);
    const auto number = [](const std::optional<std::int64_t>& held) {
        return held ? value(*held) : value(null_value{});
    };
    const value upper = number(after.upper);
    const value total = number(after.rows_total);
    const value horizon = after.horizon ? value(*after.horizon) : value(null_value{});
    const std::int64_t restarted = anew ? 1 : 0;
    return database
               .execute(text, {name_of(after.stage), after.version, std::string_view(after.fingerprint), after.lower,
                               upper, horizon, after.rows_done, total, restarted, table,
                               std::string_view(before.target), before.version, before.lower, name_of(before.stage)})
               .affected() == 1;
}

/// Writes why a table's backfill does not go on, for people to read; empty takes it back.
inline void note_backfill(connection& database, silo where, std::string_view table, std::string_view target,
                          std::string_view why) {
    const std::string text = own_statement(
        "UPDATE winnow_{silo}_backfill SET last_error = nullif($1, '') WHERE table_name = $2 AND target = $3",
        database.kind(), where);
    (void)database.execute(text, {why, table, target});
}

/// Writes which brake is on to the rows of a table that have more to do, with the time at which the first brake since
/// their last batch came on.
inline void keep_brake(connection& database, silo where, std::string_view table, std::string_view why) {
    const std::string now = database.kind() == dialect::postgres ? "{iso clock_timestamp()}" : "{now}";
    const std::string text =
        own_statement("UPDATE winnow_{silo}_backfill SET last_error = CASE WHEN last_error LIKE 'waits since %' "
                      "THEN substr(last_error, 1, 41) ELSE 'waits since ' || " +
                          now + " || ' UTC: ' END || $1 WHERE table_name = $2 AND state <> 'complete'",
                      database.kind(), where);
    (void)database.execute(text, {why, table});
}

}  // namespace detail

}  // namespace winnow::inline v0
