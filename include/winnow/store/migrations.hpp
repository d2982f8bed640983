// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "winnow/core/dialect.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/graph_records.hpp"
#include "winnow/plan/part.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/own_tables.hpp"
#include "winnow/store/sql_literal.hpp"

namespace winnow::inline v0 {

/// One step of a part's own tables, as a database remembers it.
struct applied_step {
    std::string part;
    std::string step;
    std::string digest;
    std::string part_version;  ///< of the part that applied it
};

/// What the steps of a catalog's parts and those of a database have to do with each other.
struct step_report {
    /// Steps that are still to be applied, in their order.
    std::vector<std::pair<const model_part*, const migration*>> pending;
    /// A sentence for each released step that was changed, left out, or put before one that is applied.
    std::vector<std::string> wrong;
    /// Parts that have applied steps here and are not in the catalog.
    std::vector<std::string> absent;
};

namespace detail {

/// Digest of a step's text, 16 hexadecimal digits. It tells a changed step from a released one, no more.
[[nodiscard]] inline std::string digest_of(std::string_view script) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::uint64_t hash = hash_of(script);
    std::string text(16, '0');
    for (std::size_t at = text.size(); at-- > 0; hash >>= 4U) text[at] = digits[hash & 15U];
    return text;
}

/// The version of winnow's own tables that brought the table of steps.
inline constexpr int steps_since_version = 3;

[[nodiscard]] inline std::vector<applied_step> applied_steps(connection& database) {
    std::vector<applied_step> found;
    if (installed_version(database) < steps_since_version) return found;
    const rows all = database.execute(
        "SELECT plugin, step, digest, plugin_version FROM winnow_plugin_step ORDER BY plugin, position");
    for (std::size_t row = 0; row < all.size(); ++row)
        found.push_back({all.text(row, 0), all.text(row, 1), all.text(row, 2), all.text(row, 3)});
    return found;
}

/// Steps of a part that belong to the databases of these silos.
[[nodiscard]] inline std::vector<const migration*> steps_for(const model_part& part, silo_mode mode) {
    std::vector<const migration*> found;
    for (const migration& one : part.migrations)
        if (reaches(mode, one.silo)) found.push_back(&one);
    return found;
}

inline void compare_part(const model_part& part, silo_mode mode, dialect which, std::span<const applied_step> applied,
                         step_report& to) {
    const auto own = [&](const applied_step& one) { return one.part == part.name; };
    const auto quoted = [](std::string_view step) { return "`" + std::string(step) + "`"; };
    const migration* first_pending = nullptr;
    for (const migration* step : steps_for(part, mode)) {
        const auto at = std::find_if(applied.begin(), applied.end(),
                                     [&](const applied_step& one) { return own(one) && one.step == step->name; });
        if (at == applied.end()) {
            if (first_pending == nullptr) first_pending = step;
            to.pending.emplace_back(&part, step);
            continue;
        }
        if (at->digest != digest_of(step->script[which]))
            to.wrong.push_back(title_of(part) + ": its step " + quoted(step->name) + " was applied here by version " +
                               at->part_version +
                               " and has changed since. A released step never changes: put it back, and "
                               "append a new one.");
        if (first_pending != nullptr)
            to.wrong.push_back(title_of(part) + ": its step " + quoted(first_pending->name) +
                               " was not applied here and "
                               "stands before " +
                               quoted(step->name) + ", which was. Append new steps at the end.");
    }
    for (const applied_step& one : applied) {
        const auto known = [&](const migration& step) { return step.name == one.step; };
        if (!own(one) || std::any_of(part.migrations.begin(), part.migrations.end(), known)) continue;
        to.wrong.push_back(title_of(part) + ": version " + one.part_version + " of it has applied the step " +
                           quoted(one.step) + " here, which version " + std::string(part.version) +
                           " does not know. Load a newer version of it.");
    }
}

}  // namespace detail

/// Compares the steps of parts with those that a database has; only looks.
/// @param mode the silos that are in this database
[[nodiscard]] inline step_report compare_steps(connection& database, std::span<const model_part> parts,
                                               silo_mode mode) {
    const std::vector<applied_step> applied = detail::applied_steps(database);
    step_report report;
    for (const model_part& part : parts)
        if (!part.migrations.empty()) detail::compare_part(part, mode, database.kind(), applied, report);
    for (const applied_step& one : applied) {
        const auto is_it = [&](const model_part& part) { return part.name == one.part; };
        if (std::any_of(parts.begin(), parts.end(), is_it)) continue;
        if (report.absent.empty() || report.absent.back() != one.part) report.absent.push_back(one.part);
    }
    return report;
}

/// What is said of a part that has tables in a database and is not in the catalog.
[[nodiscard]] inline std::string describe_absent(std::string_view part) {
    return "The tables of plugin " + std::string(part) +
           " are in this database and it is not loaded: give --plugin, so that its rows go too.";
}

namespace detail {

/// The statement that remembers a step; names and versions are bound.
inline constexpr std::string_view remember_step =
    "INSERT INTO winnow_plugin_step (plugin, step, position, digest, plugin_version) VALUES ($1, $2, $3, $4, $5)";

[[nodiscard]] inline std::int64_t position_of(const model_part& part, const migration& step) noexcept {
    return &step - part.migrations.data();
}

inline void apply_step(connection& database, const model_part& part, const migration& step) {
    // On PostgreSQL a transaction that was ended and begun again has another number.
    constexpr dialect_text number = {"SELECT txid_current()", "SELECT 0"};
    const std::int64_t before = database.execute(number).integer(0, 0);
    database.execute_script(step.script[database.kind()]);
    if (!database.in_transaction() || database.execute(number).integer(0, 0) != before)
        throw error(failure::configuration, "it ends the transaction that it runs in")
            .with_hint("Leave BEGIN, COMMIT and ROLLBACK out of the steps.");
    (void)database.execute(remember_step, {part.name, step.name, position_of(part, step),
                                           std::string_view(digest_of(step.script[database.kind()])), part.version});
}

}  // namespace detail

/// Applies the steps of parts that a database lacks, each in a transaction of its own, in their order; after winnow's own
/// `migrate`. Safe to call from several processes at once.
/// @return how many were applied
/// @throws error of kind `configuration` when a released step was changed or left out, or `statement` for one that fails;
///         the steps before it stay
inline int migrate_parts(connection& database, std::span<const model_part> parts, silo_mode mode) {
    int applied = 0;
    for (;;) {
        database.begin(transaction_kind::write, {});
        const model_part* part = nullptr;
        const migration* step = nullptr;
        try {
            // The same lock as that of winnow's own steps.
            if (database.kind() == dialect::postgres)
                (void)database.execute("SELECT 1 FROM pg_advisory_xact_lock(7017268431462233)");
            const step_report report = compare_steps(database, parts, mode);
            if (!report.wrong.empty()) {
                std::string text;
                for (const std::string& one : report.wrong) text += (text.empty() ? "" : "\n  ") + one;
                throw error(failure::configuration, text);
            }
            if (report.pending.empty()) {
                database.commit();
                return applied;
            }
            std::tie(part, step) = report.pending.front();
            detail::apply_step(database, *part, *step);
            database.commit();
            ++applied;
        } catch (const error& problem) {
            if (database.in_transaction()) database.rollback();
            if (step == nullptr) throw;
            error named(problem.kind(), title_of(*part) + ": its step `" + std::string(step->name) +
                                            "` failed: " + problem.what() + ". Nothing of this step was kept.");
            named.with_sqlstate(problem.sqlstate()).with_retry(problem.may_retry()).with_doubt(problem.in_doubt());
            named.with_hint(
                detail::name_is_taken(problem)
                    ? "What has that name is not of this plugin, or was made by hand: rename it, or drop it."
                    : problem.hint());
            throw named;
        } catch (...) {
            if (database.in_transaction()) database.rollback();
            throw;
        }
    }
}

/// The statements that `migrate_parts` would run on an empty database, as one script.
[[nodiscard]] inline std::string parts_ddl(std::span<const model_part> parts, silo_mode mode, dialect which) {
    std::string script;
    for (const model_part& part : parts) {
        for (const migration* step : detail::steps_for(part, mode)) {
            const std::string_view text = step->script[which];
            script += "\n-- " + std::string(part.name) + " " + std::string(part.version) + ", step " +
                      std::string(step->name) + "\n" + std::string(text);
            const std::size_t last = text.find_last_not_of(" \t\r\n");
            if (last != std::string_view::npos && text[last] != ';') script += ';';
            if (!script.ends_with('\n')) script += '\n';
            script += "INSERT INTO winnow_plugin_step (plugin, step, position, digest, plugin_version) VALUES (" +
                      sql_literal(part.name) + ", " + sql_literal(step->name) + ", " +
                      std::to_string(detail::position_of(part, *step)) + ", " + sql_literal(detail::digest_of(text)) +
                      ", " + sql_literal(part.version) + ");\n";
        }
    }
    return script;
}

/// Refuses a database in which steps of these parts are still to be applied, or were changed since.
/// @throws error of kind `configuration` that says what to do
inline void require_steps(connection& database, std::span<const model_part> parts, silo_mode mode) {
    if (std::all_of(parts.begin(), parts.end(), [](const model_part& one) { return one.migrations.empty(); })) return;
    const step_report report = compare_steps(database, parts, mode);
    if (!report.wrong.empty()) throw error(failure::configuration, report.wrong.front());
    if (report.pending.empty()) return;
    const auto& [part, step] = report.pending.front();
    throw error(failure::configuration, "The tables of " + title_of(*part) + " in " + database.description() +
                                            " are not up to date: step `" + std::string(step->name) + "` is missing.")
        .with_hint("Run `migrate`.");
}

}  // namespace winnow::inline v0
