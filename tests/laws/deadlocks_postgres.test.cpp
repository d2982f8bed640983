// SPDX-License-Identifier: Apache-2.0
// R8: when a chunk and a transaction of the application wait for each other, the engine gives up first, however
// long the chunk has been at work already.

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "laws/observed_connection.hpp"
#include "laws/run_tree.hpp"
#include "laws/tracker_tables.hpp"

namespace {

using namespace winnow_test;

TEST(deadlocks, are_never_seen_by_the_application) {
    fresh_postgres database;
    // Long enough for a busy machine.
    database.run(
        "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET deadlock_timeout = ''2s'''; END $$");
    const tracker_tables tables(10, 10, 10);
    auto watched = std::make_unique<observed_connection>(database.open());
    observed_connection& engine = *watched;
    tree_runner run(std::move(watched), tables.models());
    install(*run.database);
    tracker_tables::create(*run.database, true, 1, 1, 2, 3);
    schedule_now(run.context(), run.models.at("tracker.org"), 1);

    // The application holds an event of issue 1, and wants the issue, which the chunk holds when it comes to its events.
    const winnow::connection_ptr application = database.open();
    application->begin(winnow::transaction_kind::write, {});
    (void)application->execute("UPDATE event SET note = 1 WHERE id = 1");
    std::promise<void> issue_is_held;
    std::future<std::string> application_saw = std::async(std::launch::async, [&]() -> std::string {
        issue_is_held.get_future().wait();
        try {
            (void)application->execute("UPDATE issue SET note = 1 WHERE id = 1");
            application->commit();
            return {};
        } catch (const winnow::error& problem) {
            application->rollback();
            return std::string(problem.sqlstate()) + " " + problem.what();
        }
    });
    bool first = true;
    int given_up = 0;
    engine.before = [&](std::string_view statement, std::span<const winnow::parameter>) {
        if (statement == "BEGIN" && !first) ++given_up;
    };
    engine.after = [&](std::string_view statement, const winnow::rows& answer) {
        const bool locks_issues =
            statement.find("FROM \"issue\"") != std::string_view::npos && statement.ends_with("FOR UPDATE");
        if (!first || !locks_issues || answer.empty()) return;
        first = false;
        issue_is_held.set_value();
        // Something slow in the same chunk, before it comes to the events.
        std::this_thread::sleep_for(std::chrono::milliseconds(1'300));
    };
    const std::optional<winnow::deletion_report> report = winnow::run_next(run.context());
    EXPECT_EQ(application_saw.get(), "");
    ASSERT_TRUE(report);
    EXPECT_EQ(winnow::name_of(report->outcome), "completed") << report->detail;
    EXPECT_EQ(report->rows, 1 + 1 + 2 + 2 * 3);
    EXPECT_GE(given_up, 1);
    EXPECT_EQ(database.number("SELECT count(*) FROM event"), 0);
}

}  // namespace
