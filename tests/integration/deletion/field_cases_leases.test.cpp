// SPDX-License-Identifier: Apache-2.0
// Field cases about who runs a deletion, and what stops it.

#include <csignal>
#include <random>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "integration/deletion/watched_connection.hpp"
#include "integration/deletion/worker.hpp"

namespace {

using namespace winnow_test;
using winnow::cancel_answer;
using winnow::deletion_outcome;

TEST_P(field_cases, A_07_alive_is_not_dead) {
    make_field_tables(database());
    fill_field(database());
    worker alive(database(), field_models());
    worker other(database(), field_models());
    alive.schedule("field.Org", one);
    (void)alive.database->execute_once(
        spelled(GetParam() == dialect::postgres
                    ? "UPDATE winnow_cell_scheduled_deletion SET date_scheduled = date_scheduled - interval '7 hours'"
                    : "UPDATE winnow_cell_scheduled_deletion SET date_scheduled = datetime(date_scheduled, '-7 hours')",
                GetParam()),
        {});
    const auto claimed = alive.claim();
    ASSERT_TRUE(claimed);
    EXPECT_LT(claimed->seconds_until_due, -6.0 * 3600) << "due long ago";

    EXPECT_EQ(winnow::reattempt_deletions(other.with(), winnow::silo::cell), 0);
    EXPECT_FALSE(other.claim()) << "there is one worker on it, and it lives";

    other.let_leases_run_out();
    EXPECT_EQ(winnow::reattempt_deletions(other.with(), winnow::silo::cell), 1);
    EXPECT_EQ(winnow::reattempt_deletions(other.with(), winnow::silo::cell), 0);
    EXPECT_NE(other.request().state_detail.find(claimed->lease_owner), std::string::npos) << "says who went silent";
    const auto taken = other.claim();
    ASSERT_TRUE(taken);
    EXPECT_GT(taken->lease_token, claimed->lease_token);
    EXPECT_FALSE(alive.claim()) << "claimed once";

    // The first worker wakes up: its token is stale, so it deletes nothing and says nothing.
    EXPECT_EQ(winnow::run_deletion(alive.with(), *claimed).outcome, deletion_outcome::lost);
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org());
    EXPECT_EQ(winnow::run_deletion(other.with(), *taken).outcome, deletion_outcome::completed);
    EXPECT_EQ(left_of_org(database(), {}, 1), 0);
}

TEST_P(field_cases, A_07_each_chunk_renews_the_lease) {
    make_field_tables(database());
    fill_field(database());
    worker alive(database(), field_models());
    worker other(database(), field_models());
    alive.schedule("field.Org", one);
    const auto claimed = alive.claim();
    ASSERT_TRUE(claimed);
    int chunks = 0;
    alive.watch.on_progress = [&](const winnow::deletion_progress&) {
        ++chunks;
        EXPECT_GT(other.request().lease_seconds_left, 30.0);
        EXPECT_FALSE(other.claim());
        // As if the time of the lease had nearly passed since.
        (void)other.database->execute_once(
            GetParam() == dialect::postgres
                ? "UPDATE winnow_cell_scheduled_deletion SET lease_expires_at = clock_timestamp() + interval '5 seconds'"
                : "UPDATE winnow_cell_scheduled_deletion SET lease_expires_at = strftime('%Y-%m-%d %H:%M:%f', 'now', '5 seconds')",
            {});
    };
    EXPECT_EQ(winnow::run_deletion(alive.with(), *claimed).outcome, deletion_outcome::completed);
    EXPECT_GT(chunks, 2);
}

/// Numbers that a child process writes and its parent reads.
struct shared_counts {
    std::int64_t deleted;     ///< rows that DELETE statements took, committed or not
    std::int64_t statements;  ///< of all runs
};

/// Runs what is due in a process of its own, which kills itself before statement `at_statement`, or after
/// chunk `at_chunk`; 0: never.
int run_in_process(const fresh_database& where, shared_counts* counts, std::int64_t at_statement,
                   std::int64_t at_chunk) {
    const pid_t child = ::fork();
    if (child == 0) {
        auto connection = std::make_unique<watched_connection>(where.open());
        std::int64_t statements = 0;
        connection->before = [&](std::string_view) {
            ++counts->statements;
            if (++statements == at_statement) ::kill(::getpid(), SIGKILL);
        };
        connection->after = [&](std::string_view statement, const winnow::rows& result) {
            if (statement.starts_with("DELETE") && statement.find("winnow") == std::string_view::npos)
                counts->deleted += result.affected();
        };
        worker runs(std::move(connection), field_models());
        std::int64_t chunks = 0;
        runs.watch.on_progress = [&](const winnow::deletion_progress&) {
            if (++chunks == at_chunk) ::kill(::getpid(), SIGKILL);
        };
        int code = 1;
        try {
            const auto report = runs.run_next();
            code = report && report->outcome == deletion_outcome::completed ? 0 : 2;
        } catch (...) {
            code = 3;
        }
        ::_exit(code);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

TEST_P(field_cases, A_08_killed_twenty_times) {
    const field_rows rows{.orgs = 2, .projs = 3, .issues = 1000, .events = 5};
    make_field_tables(database());
    fill_field(database(), rows);
    {
        worker schedules(database(), field_models());
        schedules.schedule("field.Org", one);
    }
    auto* counts = static_cast<shared_counts*>(
        ::mmap(nullptr, sizeof(shared_counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(counts, MAP_FAILED);
    *counts = {};

    std::mt19937 random(8);
    for (int kill = 0; kill < 20; ++kill) {
        const bool at_edge = kill % 2 == 0;
        const int status =
            run_in_process(database(), counts, at_edge ? 0 : 20 + random() % 40, at_edge ? 1 + random() % 3 : 0);
        ASSERT_TRUE(WIFSIGNALED(status)) << "run " << kill << " was to be killed and ended with "
                                         << WEXITSTATUS(status);
        ASSERT_EQ(field_orphans(database()), 0) << "a row went before its children, run " << kill;
        worker(database(), field_models()).let_leases_run_out();
    }
    ASSERT_LT(left_of_org(database(), rows, 1), rows.of_one_org()) << "every run that was not killed at once moved";
    const int status = run_in_process(database(), counts, 0, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(left_of_org(database(), rows, 1), 0);
    EXPECT_EQ(left_of_org(database(), rows, 2), rows.of_one_org());
    EXPECT_LE(static_cast<double>(counts->deleted), 1.2 * static_cast<double>(rows.of_one_org()));
    const auto audit = winnow::list_audit(*database().open(), "field.Org", "1");
    EXPECT_EQ(audit.back().action, "completed");
    EXPECT_EQ(audit.back().rows_done, rows.of_one_org()) << "each row is counted once";
    ::munmap(counts, sizeof(shared_counts));
}

TEST_P(field_cases, A_25_cancel_before_it_is_due) {
    make_field_tables(database());
    fill_field(database());
    worker some(database(), field_models());
    some.schedule("field.Org", one, {});
    EXPECT_EQ(database().number("SELECT status FROM org WHERE id = 1"), 2);
    const winnow::cancel_result result = some.cancel("field.Org", one);
    EXPECT_EQ(result.answer, cancel_answer::before_start);
    EXPECT_EQ(result.rows_done, 0);
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org());
    EXPECT_EQ(database().number("SELECT status FROM org WHERE id = 1"), 0);
    EXPECT_TRUE(some.requests().empty());
}

TEST_P(field_cases, A_25_cancel_between_claim_and_first_chunk) {
    make_field_tables(database());
    fill_field(database());
    worker runs(database(), field_models());
    worker cancels(database(), field_models());
    bool told = false;
    spy().pending_delete = [&](std::int64_t, const winnow::hook_context&) { told = true; };
    runs.schedule("field.Org", one);
    const auto claimed = runs.claim();
    ASSERT_TRUE(claimed);
    EXPECT_EQ(cancels.cancel("field.Org", one).answer, cancel_answer::before_start);
    EXPECT_EQ(winnow::run_deletion(runs.with(), *claimed).outcome, deletion_outcome::lost);
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org());
    EXPECT_EQ(database().number("SELECT status FROM org WHERE id = 1"), 0);
    EXPECT_FALSE(told) << "nobody may be told of a deletion that was cancelled";
}

TEST_P(field_cases, A_25_cancel_half_way) {
    make_field_tables(database());
    fill_field(database());
    worker runs(database(), field_models());
    worker cancels(database(), field_models());
    runs.set("deletion.target_milliseconds", "0");
    (void)runs.schedule("field.Org", one);
    std::optional<winnow::cancel_result> result;
    runs.watch.on_progress = [&](const winnow::deletion_progress& now) {
        if (!result && now.rows_done * 2 >= field_rows{}.of_one_org()) result = cancels.cancel("field.Org", one);
    };
    const winnow::deletion_report report = runs.run();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->answer, cancel_answer::stopped);
    EXPECT_EQ(report.outcome, deletion_outcome::lost);
    std::int64_t listed = 0;
    for (const auto& [model, count] : result->rows) listed += count;
    EXPECT_EQ(listed, result->rows_done);
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org() - listed) << "it stopped at the next edge";
    EXPECT_GE(listed * 2, field_rows{}.of_one_org());
    EXPECT_EQ(count("org"), 2);
    EXPECT_EQ(runs.audit("field.Org", "1"), "scheduled started cancelled");
}

TEST_P(field_cases, A_25_cancel_after_the_end) {
    make_field_tables(database());
    fill_field(database());
    worker some(database(), field_models());
    EXPECT_EQ(some.cancel("field.Org", one).answer, cancel_answer::not_scheduled);
    const winnow::scheduled_deletion row = some.schedule("field.Org", one);
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
    const winnow::cancel_result result = some.cancel("field.Org", one);
    EXPECT_EQ(result.answer, cancel_answer::already_done);
    EXPECT_EQ(result.guid, row.guid);
}

TEST_P(field_cases, A_42_due_by_the_clock_of_the_database) {
    make_field_tables(database());
    fill_field(database());
    worker early(database(), field_models());
    early.time.advance(std::chrono::minutes(10));
    winnow::schedule_options how;
    how.days = 0;
    how.hours = 1;
    early.schedule("field.Org", one, how);
    const auto move = [&](const std::string& minutes) {
        (void)early.database->execute_once(
            GetParam() == dialect::postgres
                ? "UPDATE winnow_cell_scheduled_deletion SET date_scheduled = date_scheduled - interval '" + minutes +
                      " minutes'"
                : "UPDATE winnow_cell_scheduled_deletion SET date_scheduled = strftime('%Y-%m-%d %H:%M:%f', date_scheduled, '-" +
                      minutes + " minutes')",
            {});
    };
    move("55");
    EXPECT_NEAR(early.request().seconds_until_due, 300, 20);
    EXPECT_FALSE(early.run_next()) << "due in five minutes, whatever the worker's clock says";
    move("5");
    EXPECT_EQ(early.run().outcome, deletion_outcome::completed);
}

TEST_P(field_cases, A_42_leases_last_by_the_clock_of_the_database) {
    make_field_tables(database());
    fill_field(database());
    worker holds(database(), field_models());
    worker early(database(), field_models());
    holds.schedule("field.Org", one);
    const auto claimed = holds.claim();
    ASSERT_TRUE(claimed);
    early.time.advance(std::chrono::minutes(10));
    EXPECT_EQ(winnow::reattempt_deletions(early.with(), winnow::silo::cell), 0);
    EXPECT_FALSE(early.claim());
    // The holder's own clock jumps as well; it still deletes, and no pass is cut short before it deleted.
    holds.time.advance(std::chrono::hours(2));
    EXPECT_EQ(winnow::run_deletion(holds.with(), *claimed).outcome, deletion_outcome::completed);
}

}  // namespace

namespace winnow_test {
INSTANTIATE_TEST_SUITE_P(databases, field_cases, all_databases(), name_of_database);
}  // namespace winnow_test
