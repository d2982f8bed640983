// SPDX-License-Identifier: Apache-2.0
// R10 to R12: a worker that was overtaken while it stood still deletes nothing when it wakes, and cancel and pause
// wait for the chunk that is under way, so that what they say is exact.

#include <gtest/gtest.h>

#include <csignal>
#include <future>
#include <memory>
#include <thread>

#include "laws/child_process.hpp"
#include "laws/observed_connection.hpp"
#include "laws/run_tree.hpp"
#include "laws/tracker_tables.hpp"
#include "winnow/deletion/control.hpp"

namespace {

using namespace winnow_test;

constexpr std::int64_t all_rows = 1 + 4 + 4 * 5 + 4 * 5 * 6;  ///< of the tree that goes; a second one stays

std::int64_t rows_left(const fresh_database& database) {
    return database.number(
        "SELECT (SELECT count(*) FROM org) + (SELECT count(*) FROM proj) + (SELECT count(*) FROM issue) + (SELECT count(*) FROM event)");
}
bool deletes_rows(std::string_view statement) { return statement.starts_with("DELETE FROM \""); }

class fencing : public on_every_database {
protected:
    void SetUp() override {
        on_every_database::SetUp();
        tree_runner run(database().open(), tables_.models());
        install(*run.database);
        tracker_tables::create(*run.database, true, 2, 4, 5, 6);
        schedule_now(run.context(), run.models.at("tracker.org"), 1);
    }

    /// Starts a process that works, and stops itself the third time it is about to make a certain call.
    template <class Moment>
    [[nodiscard]] std::unique_ptr<child_process> start_stalling_worker(Moment moment) {
        return std::make_unique<child_process>([this, moment] {
            auto watched = std::make_unique<observed_connection>(database().open());
            bool deleted = false;
            int times = 0;
            watched->before = [&](std::string_view statement, std::span<const winnow::parameter>) {
                if (moment(statement, std::exchange(deleted, deletes_rows(statement))) && ++times == 3)
                    std::raise(SIGSTOP);
            };
            tree_runner run(std::move(watched), tables_.models());
            for (const winnow::deletion_report& one : winnow::run_scheduled_deletions(run.context(), 1))
                if (one.outcome != winnow::deletion_outcome::lost)
                    throw std::runtime_error("it ended as " + std::string(winnow::name_of(one.outcome)));
        });
    }

    /// Runs a taken-over deletion to its end and checks the counts.
    void finish(tree_runner& run, const winnow::deletion_request& claimed) {
        const winnow::deletion_report report = winnow::run_deletion(run.context(), claimed);
        ASSERT_EQ(winnow::name_of(report.outcome), "completed") << report.detail;
        EXPECT_EQ(report.rows, all_rows);
        EXPECT_EQ(rows_left(database()), all_rows);
        EXPECT_EQ(winnow::list_audit(*run.database, "", "").back().rows_done, all_rows);
    }

    tracker_tables tables_{2, 3, 5};
};
INSTANTIATE_TEST_SUITE_P(databases, fencing, all_databases(), name_of_database);

TEST_P(fencing, a_worker_that_stood_still_between_two_chunks_deletes_nothing_when_it_wakes) {
    const std::unique_ptr<child_process> worker =
        start_stalling_worker([](std::string_view statement, bool) { return statement == "BEGIN"; });
    ASSERT_TRUE(worker->wait_until_stopped());
    tree_runner run(database().open(), tables_.models());
    ASSERT_FALSE(winnow::claim_deletion(run.context(), winnow::silo::cell)) << "a lease that holds was taken";
    run.database->execute_script(
        GetParam() == winnow::dialect::sqlite
            ? "UPDATE winnow_cell_scheduled_deletion SET lease_expires_at = '2000-01-01 00:00:00.000'"
            : "UPDATE winnow_cell_scheduled_deletion SET lease_expires_at = clock_timestamp() - interval '1 second'");
    const std::optional<winnow::deletion_request> claimed = winnow::claim_deletion(run.context(), winnow::silo::cell);
    ASSERT_TRUE(claimed);
    const std::int64_t before = rows_left(database());
    worker->signal(SIGCONT);
    EXPECT_EQ(worker->wait().code, 0);
    EXPECT_EQ(rows_left(database()), before);
    finish(run, *claimed);
}

/// Only a server can take the locks away from a process that stands still in a transaction: a stopped writer
/// holds an SQLite file until somebody ends it.
TEST_P(fencing, a_worker_that_stood_still_inside_a_chunk_loses_it) {
    if (GetParam() == winnow::dialect::sqlite) {
        const std::unique_ptr<child_process> worker =
            start_stalling_worker([](std::string_view, bool deleted) { return deleted; });
        ASSERT_TRUE(worker->wait_until_stopped());
        worker->kill();
        EXPECT_TRUE(worker->wait().killed);
        tree_runner run(database().open(), tables_.models());
        expire_leases(*run.database);
        const std::optional<winnow::deletion_request> claimed =
            winnow::claim_deletion(run.context(), winnow::silo::cell);
        ASSERT_TRUE(claimed);
        EXPECT_EQ(rows_left(database()), 2 * all_rows - claimed->rows_done);
        finish(run, *claimed);
        return;
    }
    {
        tree_runner run(database().open(), tables_.models());
        run.context().options().set("deletion.lease_seconds", "1", "test");
    }
    const std::unique_ptr<child_process> worker =
        start_stalling_worker([](std::string_view, bool deleted) { return deleted; });
    ASSERT_TRUE(worker->wait_until_stopped());
    tree_runner run(database().open(), tables_.models());
    std::optional<winnow::deletion_request> claimed;
    for (int look = 0; look < 500 && !claimed; ++look) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        claimed = winnow::claim_deletion(run.context(), winnow::silo::cell);
    }
    ASSERT_TRUE(claimed) << "the server kept the locks of a silent worker";
    const std::int64_t before = rows_left(database());
    EXPECT_EQ(before, 2 * all_rows - claimed->rows_done) << "half a chunk was kept";
    worker->signal(SIGCONT);
    EXPECT_EQ(worker->wait().code, 1) << "it did not notice that its connection is gone";
    EXPECT_EQ(rows_left(database()), before);
    run.context().options().set("deletion.lease_seconds", "60", "test");
    finish(run, *claimed);
}

/// Holds a worker in the middle of its fourth chunk that deletes issues, for as long as it is told to.
class held_worker {
public:
    held_worker(fresh_database& database, tracker_tables& tables) {
        tables.plans()[tracker_tables::issue].hooks.after_delete = {&held_worker::hold, this};
        thread_ = std::thread([this, &database, &tables] {
            tree_runner run(database.open(), tables.models());
            outcome_ = winnow::run_next(run.context())->outcome;
        });
        inside_.get_future().wait();
    }
    held_worker(const held_worker&) = delete;
    held_worker& operator=(const held_worker&) = delete;
    ~held_worker() { (void)release(); }

    /// Lets it go on. @return how its pass ended
    winnow::deletion_outcome release() {
        if (thread_.joinable()) {
            go_on_.set_value();
            thread_.join();
        }
        return outcome_;
    }

private:
    static void hold(const void* self, winnow::row_values, const winnow::hook_context&) {
        auto* const of = static_cast<held_worker*>(const_cast<void*>(self));
        if (++of->calls_ != 10) return;
        of->inside_.set_value();
        of->go_on_.get_future().wait();
    }

    int calls_ = 0;
    std::promise<void> inside_;
    std::promise<void> go_on_;
    winnow::deletion_outcome outcome_ = winnow::deletion_outcome::failed;
    std::thread thread_;
};

/// Waits until another session waits for a lock; on SQLite nobody can tell, and a moment has to do.
void await_waiter(fresh_database& database) {
    for (int look = 0; look < 400; ++look) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (database.kind() == winnow::dialect::sqlite
                ? look == 10
                : database.number("SELECT count(*) FROM pg_locks WHERE NOT granted") != 0)
            return;
    }
}

TEST_P(fencing, cancel_waits_for_the_chunk_and_answers_exactly) {
    held_worker worker(database(), tables_);
    std::future<winnow::cancel_result> answer = std::async(std::launch::async, [&] {
        tree_runner run(database().open(), tables_.models());
        const winnow::value key = std::int64_t{1};
        return winnow::cancel(run.context(), run.models.at("tracker.org"), {&key, 1});
    });
    await_waiter(database());
    EXPECT_EQ(answer.wait_for(std::chrono::seconds(0)), std::future_status::timeout) << "it did not wait for the chunk";
    const winnow::deletion_outcome outcome = worker.release();
    const winnow::cancel_result cancelled = answer.get();
    EXPECT_EQ(winnow::name_of(outcome), "lost");
    EXPECT_EQ(winnow::name_of(cancelled.answer), "stopped");
    EXPECT_EQ(rows_left(database()), 2 * all_rows - cancelled.rows_done);
    std::int64_t by_model = 0;
    for (const auto& [model, rows] : cancelled.rows) by_model += rows;
    EXPECT_EQ(by_model, cancelled.rows_done);
    EXPECT_GE(cancelled.rows_done, 10);
    EXPECT_EQ(database().number("SELECT count(*) FROM winnow_cell_scheduled_deletion"), 0);
    tree_runner run(database().open(), tables_.models());
    EXPECT_EQ(winnow::list_audit(*run.database, "", "").back().rows_done, cancelled.rows_done);
    EXPECT_FALSE(winnow::run_next(run.context()));
    EXPECT_EQ(orphans(run.context()), "");
}

TEST_P(fencing, pause_waits_for_the_chunk_and_takes_effect_at_its_edge) {
    {
        held_worker worker(database(), tables_);
        std::future<bool> answer = std::async(std::launch::async, [&] {
            tree_runner run(database().open(), tables_.models());
            const winnow::value key = std::int64_t{1};
            return winnow::pause(run.context(), run.models.at("tracker.org"), {&key, 1});
        });
        await_waiter(database());
        EXPECT_EQ(answer.wait_for(std::chrono::seconds(0)), std::future_status::timeout)
            << "it did not wait for the chunk";
        EXPECT_EQ(winnow::name_of(worker.release()), "paused");
        EXPECT_TRUE(answer.get());
    }
    tables_.plans()[tracker_tables::issue].hooks.after_delete = {};
    tree_runner run(database().open(), tables_.models());
    const winnow::context with = run.context();
    const std::vector<winnow::deletion_request> known = winnow::list_requests(*run.database, winnow::silo::cell);
    ASSERT_EQ(known.size(), 1U);
    EXPECT_TRUE(known[0].paused_by);
    EXPECT_FALSE(known[0].in_progress);
    EXPECT_EQ(rows_left(database()), 2 * all_rows - known[0].rows_done);
    EXPECT_FALSE(winnow::run_next(with));
    const winnow::value key = std::int64_t{1};
    EXPECT_TRUE(winnow::resume(with, run.models.at("tracker.org"), {&key, 1}));
    const std::optional<winnow::deletion_request> claimed = winnow::claim_deletion(with, winnow::silo::cell);
    ASSERT_TRUE(claimed);
    finish(run, *claimed);
}

}  // namespace
