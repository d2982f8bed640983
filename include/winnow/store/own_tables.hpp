// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/deletion_tables.hpp"
#include "winnow/store/lane_tables.hpp"
#include "winnow/store/own_statement.hpp"
#include "winnow/store/plugin_tables.hpp"
#include "winnow/store/replication_tables.hpp"
#include "winnow/store/runtime_tables.hpp"

namespace winnow::inline v0 {

namespace detail {

/// One forward step of winnow's own tables. Steps are only ever appended; a released one never changes.
struct own_table_step {
    dialect_text each_silo;  ///< run once for `control` and once for `cell`, with `{silo}` replaced
    dialect_text shared;
};

inline constexpr std::array<own_table_step, 5> own_table_steps = {{
    {deletion_tables, deletion_tables_shared},
    {replication_tables, replication_tables_shared},
    {{"\n", "\n"}, plugin_tables_shared},
    {runtime_tables, runtime_tables_shared},
    {lane_tables, {"\n", "\n"}},
}};

inline constexpr dialect_text create_schema_table = {
    "CREATE TABLE IF NOT EXISTS winnow_schema (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT "
    "clock_timestamp())",
    "CREATE TABLE IF NOT EXISTS winnow_schema (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL DEFAULT "
    "(strftime('%Y-%m-%d %H:%M:%f', 'now')))"};

inline std::string step_script(std::size_t step, dialect which) {
    const own_table_step& texts = own_table_steps[step];
    std::string script = own_statement(texts.each_silo[which].substr(1), which, silo::control);
    script += own_statement(texts.each_silo[which].substr(1), which, silo::cell);
    script += texts.shared[which].substr(1);
    script += "INSERT INTO winnow_schema (version) VALUES (" + std::to_string(step + 1) + ");\n";
    return script;
}

}  // namespace detail

/// Number of the newest form of winnow's own tables that this program knows.
inline constexpr int own_tables_version = static_cast<int>(detail::own_table_steps.size());

/// Form of winnow's own tables in a database; 0 when they are not there.
[[nodiscard]] inline int installed_version(connection& database) {
    constexpr dialect_text present = {
        "SELECT CASE WHEN to_regclass('winnow_schema') IS NULL THEN 0 ELSE 1 END",
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'winnow_schema'"};
    if (database.execute(present).integer(0, 0) == 0) return 0;
    try {
        return static_cast<int>(database.execute("SELECT coalesce(max(version), 0) FROM winnow_schema").integer(0, 0));
    } catch (error& problem) {
        if (problem.sqlstate() == "42703" || problem.sqlstate() == "SQLITE_ERROR")
            problem.with_hint("The table winnow_schema is not winnow's; rename it. Names that begin with winnow_ are "
                              "kept for winnow.");
        throw;
    }
}

/// The statements that `migrate` would run on an empty database, as one script.
[[nodiscard]] inline std::string own_tables_ddl(dialect which) {
    std::string script(detail::create_schema_table[which]);
    script += ";\n";
    for (std::size_t step = 0; step < detail::own_table_steps.size(); ++step)
        script += detail::step_script(step, which);
    return script;
}

namespace detail {

/// Whether a table or index could not be made because something has its name.
inline bool name_is_taken(const error& problem) {
    const std::string_view text = problem.what();
    return problem.sqlstate() == "42P07" || problem.sqlstate() == "42710" ||
           (problem.sqlstate() == "SQLITE_ERROR" && text.find("already exists") != std::string_view::npos) ||
           (problem.sqlstate() == "SQLITE_ERROR" && text.find("already a table named") != std::string_view::npos);
}

}  // namespace detail

/// Creates or upgrades winnow's own tables, each step in a transaction of its own. Safe to call at any
/// time and from several processes at once.
/// @return how many steps were applied
/// @throws error of kind `configuration` when the database is newer than this program, or read-only
inline int migrate(connection& database) {
    if (database.read_only())
        throw error(failure::configuration,
                    "winnow's tables cannot be created: " + database.description() + " is read-only.");
    int applied = 0;
    for (;;) {
        database.begin(transaction_kind::write, {});
        try {
            // Two migrations at once would both see the table missing.
            if (database.kind() == dialect::postgres)
                (void)database.execute("SELECT 1 FROM pg_advisory_xact_lock(7017268431462233)");
            (void)database.execute(detail::create_schema_table);
            const int version = installed_version(database);
            if (version > own_tables_version)
                throw error(failure::configuration, "winnow's tables in " + database.description() + " have version " +
                                                        std::to_string(version) + ", this program knows up to " +
                                                        std::to_string(own_tables_version) + ".")
                    .with_hint("Upgrade the program; tables are never taken back.");
            if (version == own_tables_version) {
                database.commit();
                return applied;
            }
            database.execute_script(detail::step_script(static_cast<std::size_t>(version), database.kind()));
            database.commit();
            ++applied;
        } catch (error& problem) {
            if (database.in_transaction()) database.rollback();
            if (detail::name_is_taken(problem))
                problem.with_hint(
                    "What has that name is not winnow's, or is what is left of its tables: rename it. Names "
                    "that begin with winnow_ are kept for winnow. Nothing was changed.");
            throw;
        } catch (...) {
            if (database.in_transaction()) database.rollback();
            throw;
        }
    }
}

/// Refuses a database without winnow's own tables, or with another version of them.
/// @throws error of kind `configuration` that names the command to run
inline void require_own_tables(connection& database) {
    const int version = installed_version(database);
    if (version == own_tables_version) return;
    if (version == 0)
        throw error(failure::configuration, "winnow's tables are missing in " + database.description() + ".")
            .with_hint("Run `migrate` once, or apply the output of `ddl`.");
    throw error(failure::configuration, "winnow's tables in " + database.description() + " have version " +
                                            std::to_string(version) + ", this program needs " +
                                            std::to_string(own_tables_version) + ".")
        .with_hint(version < own_tables_version ? "Run `migrate`." : "Upgrade the program.");
}

}  // namespace winnow::inline v0
