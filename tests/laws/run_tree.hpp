// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/databases.hpp"
#include "support/random_tree.hpp"
#include "winnow/context/context.hpp"
#include "winnow/deletion/audit.hpp"
#include "winnow/deletion/measure.hpp"
#include "winnow/deletion/run.hpp"
#include "winnow/deletion/schedule.hpp"
#include "winnow/store/own_tables.hpp"

namespace winnow_test {

/// Rows of all tables of a random tree, as they are in the database.
[[nodiscard]] inline std::vector<random_tree::table_rows> read_rows(winnow::connection& database,
                                                                    const random_tree& tree) {
    std::vector<random_tree::table_rows> found(tree.tables());
    for (std::size_t index = 0; index < tree.tables(); ++index) {
        const winnow::rows all =
            database.execute_once("SELECT * FROM " + random_tree::table(index) + " ORDER BY id", {});
        for (std::size_t at = 0; at < all.size(); ++at) {
            random_tree::row one{all.integer(at, 0), all.integer(at, 1), {}};
            for (std::size_t column = 2; column < all.width(); ++column)
                one.references.push_back(all.integer(at, column, 0));
            found[index].emplace(one.id, one);
        }
    }
    return found;
}

/// Text of the first difference; empty when both are equal.
[[nodiscard]] inline std::string difference(const std::vector<random_tree::table_rows>& wanted,
                                            const std::vector<random_tree::table_rows>& found) {
    for (std::size_t index = 0; index < wanted.size(); ++index) {
        for (const auto& [id, one] : wanted[index]) {
            const auto there = found[index].find(id);
            if (there == found[index].end())
                return random_tree::table(index) + " " + std::to_string(id) + " should have stayed";
            if (!(there->second == one))
                return random_tree::table(index) + " " + std::to_string(id) + " has another reference than it should";
        }
        for (const auto& [id, one] : found[index])
            if (wanted[index].count(id) == 0)
                return random_tree::table(index) + " " + std::to_string(id) + " should be gone";
    }
    return {};
}

/// A connection with a catalog and everything a deletion needs.
struct tree_runner {
    tree_runner(winnow::connection_ptr opened, const random_tree& tree)
        : tree_runner(std::move(opened), tree.models()) {}
    tree_runner(winnow::connection_ptr opened, winnow::catalog catalog)
        : database(std::move(opened)), models(std::move(catalog)) {}

    [[nodiscard]] winnow::context context() {
        return {models, *database, time, watch, winnow::silo_mode::monolith, "test"};
    }

    winnow::connection_ptr database;
    winnow::catalog models;
    winnow::steady_clock time;
    winnow::observer watch;
};

/// Seeds of one run: WINNOW_SEED, or a random one, printed when a test fails.
[[nodiscard]] inline std::uint64_t first_seed() {
    if (const char* given = std::getenv("WINNOW_SEED")) return std::strtoull(given, nullptr, 10);
    static const std::uint64_t drawn = std::random_device{}();
    return drawn;
}

/// How many trees a test tries: WINNOW_TREES, or `otherwise`.
[[nodiscard]] inline std::uint64_t tree_count(std::uint64_t otherwise) {
    if (const char* given = std::getenv("WINNOW_TREES")) return std::strtoull(given, nullptr, 10);
    return otherwise;
}

/// Schedules rows of table 0 for now.
inline void schedule_now(const winnow::context& with, std::size_t model, std::int64_t id) {
    const winnow::value key = id;
    winnow::schedule_options now;
    now.days = 0;
    now.permit = winnow::permit_purge;
    winnow::schedule(with, model, {&key, 1}, now);
}

/// What the progress of a deletion must be as JSON when everything that differs between two states went.
[[nodiscard]] inline std::string counts_between(const std::vector<random_tree::table_rows>& before,
                                                const std::vector<random_tree::table_rows>& after) {
    std::string text = "{";
    for (std::size_t index = 0; index < before.size(); ++index) {
        const std::size_t gone = before[index].size() - after[index].size();
        if (gone == 0) continue;
        if (text.size() > 1) text += ", ";
        text += "\"random." + random_tree::table(index) + "\": " + std::to_string(gone);
    }
    return text + "}";
}

/// Lets the lease of a dead worker run out. On a server, waits until it has noticed that the worker is dead.
inline void expire_leases(winnow::connection& on) {
    if (on.kind() == winnow::dialect::postgres) {
        while (
            on.execute_once(
                  "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
                  "AND backend_type = 'client backend'",
                  {})
                .integer(0, 0) != 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        on.execute_script(
            "UPDATE winnow_cell_scheduled_deletion SET lease_expires_at = clock_timestamp() - interval '1 second' WHERE in_progress");
    } else {
        on.execute_script(
            "UPDATE winnow_cell_scheduled_deletion SET lease_expires_at = '2000-01-01 00:00:00.000' WHERE in_progress");
    }
}

/// Runs what is scheduled until it has ended. Other tests on the same server may have transactions open that a
/// deletion without keys has to wait for; it is woken as soon as it may go on.
/// @return the reports of all passes but those that only waited
inline std::vector<winnow::deletion_report> run_to_end(const winnow::context& with) {
    std::vector<winnow::deletion_report> reports;
    while (true) {
        bool waits = false;
        for (winnow::deletion_report& one : winnow::run_scheduled_deletions(with)) {
            if (one.outcome == winnow::deletion_outcome::waiting && one.detail.find("waiting for transactions") == 0)
                waits = true;
            else reports.push_back(std::move(one));
        }
        if (!waits) return reports;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        with.database.execute_script(
            "UPDATE winnow_cell_scheduled_deletion SET wait_until = NULL WHERE state = 'waiting'");
    }
}

/// Names the relations that have orphans; empty when there are none.
[[nodiscard]] inline std::string orphans(const winnow::context& with) {
    std::string text;
    for (const winnow::orphan_count& one : winnow::find_orphans(with))
        if (one.rows != 0) text += one.child + "." + one.columns + ": " + std::to_string(one.rows) + " orphans; ";
    return text;
}

/// Creates winnow's tables. The server is told not to compile the counts of a few rows to machine code.
inline void install(winnow::connection& on) {
    winnow::migrate(on);
    if (on.kind() == winnow::dialect::postgres)
        on.execute_script("DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET jit = off'; END $$");
}

/// Tables and rows of a tree, and how its leaf rows are to be found: each shape in turn, with and without statistics.
inline void prepare(fresh_database& database, winnow::connection& on, const random_tree& tree) {
    on.execute_script(tree.schema_script(database.kind()));
    on.execute_script("BEGIN;" + tree.rows_script() + "COMMIT;");
    constexpr std::array shapes{"auto", "sets", "pages"};
    on.execute_script("INSERT INTO winnow_option (name, value) VALUES ('deletion.shape', '" +
                      std::string(shapes[tree.seed() / 3 % shapes.size()]) +
                      "') ON CONFLICT (name) DO UPDATE SET value = excluded.value");
    if (tree.seed() / 9 % 2 == 0) on.execute_script("ANALYZE");
}

inline void drop(winnow::connection& on, const random_tree& tree) {
    std::string script;
    if (on.kind() == winnow::dialect::sqlite) script = "PRAGMA foreign_keys = OFF;";
    for (std::size_t index = 0; index < tree.tables(); ++index)
        script +=
            "DROP TABLE " + random_tree::table(index) + (on.kind() == winnow::dialect::postgres ? " CASCADE;" : ";");
    if (on.kind() == winnow::dialect::sqlite) script += "PRAGMA foreign_keys = ON;";
    on.execute_script(script);
}

}  // namespace winnow_test
