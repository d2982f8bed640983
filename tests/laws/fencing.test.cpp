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

/// Holds a worker in the middle of a chunk that deletes issues, and again before the chunk after that one, so that
/// whoever waited for the first can act.
class held_worker {
public:
    held_worker(fresh_database& database, tracker_tables& tables) {
        tables.plans()[tracker_tables::issue].hooks.after_delete = {&held_worker::hold, this};
        thread_ = std::thread([this, &database, &tables] {
            auto watched = std::make_unique<observed_connection>(database.open());
            watched->before = [this](std::string_view statement, std::span<const winnow::parameter>) {
                if (statement == "BEGIN" && std::exchange(released_, false)) begin_.get_future().wait();
            };
            tree_runner run(std::move(watched), tables.models());
            outcome_ = winnow::run_next(run.context())->outcome;
        });
        inside_.get_future().wait();
    }
    held_worker(const held_worker&) = delete;
    held_worker& operator=(const held_worker&) = delete;
    ~held_worker() {
        finish_chunk();
        (void)go_on();
    }

    void finish_chunk() {
        if (!std::exchange(chunk_finished_, true)) commit_.set_value();
    }
    /// @return how its pass ended
    winnow::deletion_outcome go_on() {
        if (thread_.joinable()) {
            begin_.set_value();
            thread_.join();
        }
        return outcome_;
    }

private:
    static void hold(const void* self, winnow::row_values, const winnow::hook_context&) {
        auto* const of = static_cast<held_worker*>(const_cast<void*>(self));
        if (++of->calls_ != 10) return;
        of->inside_.set_value();
        of->commit_.get_future().wait();
        of->released_ = true;
    }

    int calls_ = 0;          ///< of the worker's thread
    bool released_ = false;  ///< of the worker's thread
    bool chunk_finished_ = false;
    std::promise<void> inside_;
    std::promise<void> commit_;
    std::promise<void> begin_;
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
    worker.finish_chunk();
    const winnow::cancel_result cancelled = answer.get();
    EXPECT_EQ(winnow::name_of(worker.go_on()), "lost");
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
        worker.finish_chunk();
        EXPECT_TRUE(answer.get());
        EXPECT_EQ(winnow::name_of(worker.go_on()), "paused");
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

/// A deletion whose object is gone only waits to sweep what late writers have hung below it; without that these
/// rows would stay orphans.
TEST(cancelling, comes_too_late_once_the_object_is_gone_and_leaves_the_last_sweep_to_be_done) {
    const std::unique_ptr<fresh_database> database = make_database(winnow::dialect::postgres);
    const tracker_tables tables(2, 3, 5);
    tree_runner run(database->open(), tables.models());
    const winnow::context with = run.context();
    install(*run.database);
    tracker_tables::create(*run.database, false, 2, 4, 5, 6);
    const std::size_t org = run.models.at("tracker.org");
    schedule_now(with, org, 1);
    // A writer who knows nothing of winnow saw a project, and no key in the database keeps it.
    const winnow::connection_ptr writer = database->open();
    writer->begin(winnow::transaction_kind::write, {});
    (void)writer->execute("INSERT INTO issue (proj_id) VALUES (1)");
    fake_clock patience;  // so that the wait for the writer is given up at once
    const std::optional<winnow::deletion_report> waits =
        winnow::run_next({run.models, *run.database, patience, run.watch, winnow::silo_mode::monolith, "test"});
    ASSERT_TRUE(waits);
    EXPECT_EQ(winnow::name_of(waits->outcome), "waiting") << waits->detail;
    EXPECT_NE(waits->detail.find("waiting for transactions"), std::string::npos) << waits->detail;
    EXPECT_EQ(database->number("SELECT count(*) FROM org"), 1);
    const winnow::value key = std::int64_t{1};
    const winnow::cancel_result answer = winnow::cancel(with, org, {&key, 1});
    EXPECT_EQ(winnow::name_of(answer.answer), "already done");
    EXPECT_EQ(answer.rows_done, all_rows);
    writer->commit();
    EXPECT_NE(orphans(with), "");
    run.database->execute_script("UPDATE winnow_cell_scheduled_deletion SET wait_until = NULL");
    const std::vector<winnow::deletion_report> reports = run_to_end(with);
    ASSERT_EQ(reports.size(), 1U);
    EXPECT_EQ(winnow::name_of(reports[0].outcome), "completed") << reports[0].detail;
    EXPECT_EQ(reports[0].rows, all_rows + 1);
    EXPECT_EQ(orphans(with), "");
}

}  // namespace
