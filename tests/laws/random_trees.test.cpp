// SPDX-License-Identifier: Apache-2.0
// Laws L2 and L3 over random trees, undisturbed: exactly the doomed closure goes, all else is untouched.

#include <gtest/gtest.h>

#include "laws/run_tree.hpp"

namespace {

using namespace winnow_test;

class random_trees : public on_every_database {};
INSTANTIATE_TEST_SUITE_P(databases, random_trees, all_databases(), name_of_database);

TEST_P(random_trees, exactly_the_closure_goes) {
    const std::uint64_t seed = first_seed();
    const std::uint64_t count = tree_count(GetParam() == winnow::dialect::sqlite ? 200 : 60);
    winnow::connection_ptr admin = database().open();
    install(*admin);
    for (std::uint64_t number = 0; number < count; ++number) {
        SCOPED_TRACE("WINNOW_SEED=" + std::to_string(seed + number) + " WINNOW_TREES=1");
        const random_tree tree(seed + number, (seed + number) % 3 != 0);
        prepare(database(), *admin, tree);
        tree_runner run(database().open(), tree);
        const winnow::context with = run.context();
        schedule_now(with, 0, 2);
        const std::vector<winnow::deletion_report> reports = run_to_end(with);
        ASSERT_FALSE(reports.empty());
        ASSERT_EQ(winnow::name_of(reports.back().outcome), "completed") << reports.back().detail;
        ASSERT_EQ(difference(tree.after_deleting(2), read_rows(*admin, tree)), "");
        ASSERT_EQ(orphans(with), "");
        ASSERT_EQ(winnow::list_audit(*admin, "", "").back().progress,
                  counts_between(tree.rows(), tree.after_deleting(2)));
        drop(*admin, tree);
        admin->execute_script("DELETE FROM winnow_audit");
    }
}

}  // namespace
