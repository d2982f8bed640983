// SPDX-License-Identifier: Apache-2.0
// Several workers on the same due deletions, whose trees overlap: each goes once, and each row is counted once.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <thread>

#include "laws/child_process.hpp"
#include "laws/run_tree.hpp"
#include "winnow/deletion/request.hpp"

namespace {

using namespace winnow_test;

class several_workers : public on_every_database {};
INSTANTIATE_TEST_SUITE_P(databases, several_workers, all_databases(), name_of_database);

/// Works until nothing is scheduled any more: what another worker holds is waited for.
void work_until_nothing_is_left(fresh_database& database, const random_tree& tree) {
    tree_runner run(database.open(), tree);
    while (!winnow::list_requests(*run.database, winnow::silo::cell).empty()) {
        for (const winnow::deletion_report& one : run_to_end(run.context()))
            if (one.outcome != winnow::deletion_outcome::completed && one.outcome != winnow::deletion_outcome::dropped)
                throw std::runtime_error(std::string(winnow::name_of(one.outcome)) + ": " + one.detail);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

/// Rows gone by table, summed over the last lines of all deletions.
std::map<std::string, std::int64_t> counted_rows(winnow::connection& database) {
    constexpr winnow::dialect_text text = {
        "SELECT key, sum(value::bigint)::bigint FROM winnow_audit, jsonb_each_text(progress) WHERE action IN ('completed', 'dropped') GROUP BY key",
        "SELECT key, sum(json_each.value) FROM winnow_audit, json_each(progress) WHERE action IN ('completed', 'dropped') GROUP BY key"};
    const winnow::rows found = database.execute(text);
    std::map<std::string, std::int64_t> counts;
    for (std::size_t row = 0; row < found.size(); ++row) counts[found.text(row, 0)] = found.integer(row, 1);
    return counts;
}

void check_overlapping_trees(fresh_database& database, std::uint64_t count, bool as_processes) {
    const std::uint64_t seed = first_seed();
    install(*database.open());
    for (std::uint64_t number = 0; number < count; ++number) {
        SCOPED_TRACE("WINNOW_SEED=" + std::to_string(seed + number) + " WINNOW_TREES=1");
        const random_tree tree(seed + number, (seed + number) % 3 != 0);
        std::vector<std::int64_t> doomed;
        {
            tree_runner run(database.open(), tree);
            prepare(database, *run.database, tree);
            for (const auto& [id, row] : tree.rows()[0]) {
                if (id == 1) continue;
                doomed.push_back(id);
                schedule_now(run.context(), 0, id);
            }
        }
        if (as_processes) {
            child_process first([&] { work_until_nothing_is_left(database, tree); });
            child_process second([&] { work_until_nothing_is_left(database, tree); });
            ASSERT_EQ(first.wait().code, 0);
            ASSERT_EQ(second.wait().code, 0);
        } else {
            std::array<std::string, 3> problems;
            std::vector<std::thread> workers;
            for (std::string& problem : problems)
                workers.emplace_back([&] {
                    try {
                        work_until_nothing_is_left(database, tree);
                    } catch (const std::exception& thrown) {
                        problem = thrown.what();
                    }
                });
            for (std::thread& one : workers) one.join();
            for (const std::string& problem : problems) ASSERT_EQ(problem, "");
        }
        tree_runner run(database.open(), tree);
        const std::vector<random_tree::table_rows> wanted = tree.after_deleting(doomed);
        ASSERT_EQ(difference(wanted, read_rows(*run.database, tree)), "");
        ASSERT_EQ(orphans(run.context()), "");
        ASSERT_EQ(database.number("SELECT count(*) FROM winnow_audit WHERE action IN ('completed', 'dropped')"),
                  static_cast<std::int64_t>(doomed.size()));
        std::map<std::string, std::int64_t> expected;
        for (std::size_t index = 0; index < tree.tables(); ++index) {
            const auto gone = static_cast<std::int64_t>(tree.rows()[index].size() - wanted[index].size());
            if (gone != 0) expected["random." + random_tree::table(index)] = gone;
        }
        ASSERT_EQ(counted_rows(*run.database), expected);
        drop(*run.database, tree);
        run.database->execute_script("DELETE FROM winnow_audit");
    }
}

TEST_P(several_workers, delete_overlapping_trees_once_from_threads) {
    check_overlapping_trees(database(), tree_count(GetParam() == winnow::dialect::sqlite ? 60 : 30), false);
}
TEST_P(several_workers, delete_overlapping_trees_once_from_processes) {
    check_overlapping_trees(database(), tree_count(GetParam() == winnow::dialect::sqlite ? 60 : 30), true);
}

}  // namespace
