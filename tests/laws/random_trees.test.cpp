// SPDX-License-Identifier: Apache-2.0
// Laws L2 and L3 over random trees, undisturbed: exactly the doomed closure goes, all else is untouched. By one
// connection, and by several.

#include <gtest/gtest.h>

#include "laws/observed_connector.hpp"
#include "laws/run_tree.hpp"

namespace {

using namespace winnow_test;

class random_trees : public on_every_database {};
INSTANTIATE_TEST_SUITE_P(databases, random_trees, all_databases(), name_of_database);

/// Deletes row 2 of table 0 of so many trees.
/// @param connections of the first; later ones have up to two more. 0: one
/// @return how many connections were opened beside the one that leads
std::size_t delete_trees(fresh_database& database, std::uint64_t count, std::int64_t connections) {
    const std::uint64_t seed = first_seed();
    winnow::connection_ptr admin = database.open();
    install(*admin);
    admin->execute_script("INSERT INTO winnow_option (name, value) VALUES ('deletion.connections_from_rows', '0')");
    std::size_t opened = 0;
    for (std::uint64_t number = 0; number < count; ++number) {
        SCOPED_TRACE("WINNOW_SEED=" + std::to_string(seed + number) + " WINNOW_TREES=1");
        const random_tree tree(seed + number, (seed + number) % 3 != 0);
        prepare(database, *admin, tree);
        tree_runner run(database.open(), tree);
        observed_connector opener(database.connector());
        winnow::context with = run.context();
        if (connections != 0) {
            with.opener = &opener;
            with.connections = connections + static_cast<std::int64_t>((seed + number) % 3);
        }
        schedule_now(with, 0, 2);
        const std::vector<winnow::deletion_report> reports = run_to_end(with);
        const auto check = [&] {
            ASSERT_FALSE(reports.empty());
            ASSERT_EQ(winnow::name_of(reports.back().outcome), "completed") << reports.back().detail;
            ASSERT_EQ(difference(tree.after_deleting(2), read_rows(*admin, tree)), "");
            ASSERT_EQ(orphans(with), "");
            ASSERT_EQ(winnow::list_audit(*admin, "", "").back().progress,
                      counts_between(tree.rows(), tree.after_deleting(2)));
        };
        check();
        if (testing::Test::HasFatalFailure()) return opened;
        drop(*admin, tree);
        admin->execute_script("DELETE FROM winnow_audit");
        opened += opener.opened;
    }
    return opened;
}

TEST_P(random_trees, exactly_the_closure_goes) {
    (void)delete_trees(database(), tree_count(GetParam() == winnow::dialect::sqlite ? 200 : 60), 0);
}

TEST(random_trees_in_lanes, exactly_the_closure_goes) {
    const std::unique_ptr<fresh_database> database = make_database(winnow::dialect::postgres);
    const std::uint64_t count = tree_count(60);
    const std::size_t opened = delete_trees(*database, count, 2);
    // Trees that are all too small, or have what lanes leave alone, would prove nothing.
    if (count >= 20) {
        EXPECT_GT(opened, 0U);
    }
    RecordProperty("connections_opened", std::to_string(opened));
}

}  // namespace
