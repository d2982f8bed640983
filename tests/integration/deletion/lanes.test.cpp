// SPDX-License-Identifier: Apache-2.0
// R14: several connections on one deletion. Each row goes once and is counted once, whatever ends one of them.

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <map>
#include <mutex>
#include <random>

#include "integration/deletion/lane_runner.hpp"
#include "laws/child_process.hpp"
#include "winnow/context/stop.hpp"
#include "winnow/deletion/control.hpp"

namespace {

using namespace winnow_test;

class lanes : public lanes_of_a_tree {};

class lanes_by_number : public lanes_of_a_tree, public testing::WithParamInterface<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(connections, lanes_by_number, testing::Values(2, 3, 4, 8));

TEST_P(lanes_by_number, delete_a_tree_and_count_each_row_once) {
    lane_runner lead(database(), tables_.models(), GetParam());
    std::mutex lock;
    std::map<std::size_t, int> deletes;
    lead.opener.before = [&](std::size_t lane, std::string_view statement) {
        const std::lock_guard guard(lock);
        if (deletes_rows(statement)) ++deletes[lane];
    };
    const std::optional<winnow::deletion_report> report = winnow::run_next(lead.context());
    ASSERT_TRUE(report);
    EXPECT_EQ(winnow::name_of(report->outcome), "completed") << report->detail;
    EXPECT_EQ(report->rows, all_rows);
    std::map<std::string, std::int64_t> by_model(report->by_model.begin(), report->by_model.end());
    EXPECT_EQ(by_model["tracker.event"], projects * issues * events);
    EXPECT_EQ(by_model["tracker.issue"], projects * issues);
    EXPECT_EQ(lead.opener.opened, static_cast<std::size_t>(GetParam() - 1));
    EXPECT_FALSE(deletes.empty()) << "one connection did it all";
    expect_completed();
}

/// Holds lane 1 in the middle of its third chunk: rows are gone in its transaction, what all share is not locked yet.
class held_lane {
public:
    explicit held_lane(lane_runner& lead, std::string_view at = "UPDATE winnow_cell_deletion_lane") {
        lead.opener.before = [this, at](std::size_t lane, std::string_view statement) {
            if (lane != 1) return;
            deleted_ = deleted_ || deletes_rows(statement);
            if (statement.starts_with(at) && (at == "BEGIN" || std::exchange(deleted_, false)) && ++times_ == 3)
                here.stand();
        };
    }
    gate here;

private:
    bool deleted_ = false;
    int times_ = 0;
};

TEST_F(lanes, cancel_waits_for_the_chunk_of_each_and_answers_exactly) {
    lane_runner lead(database(), tables_.models(), 2);
    held_lane held(lead);
    std::future<winnow::deletion_report> pass = lead.start();
    ASSERT_TRUE(held.here.await());
    std::future<winnow::cancel_result> answer = std::async(std::launch::async, [&] {
        tree_runner run(database().open(), tables_.models());
        const winnow::value key = std::int64_t{1};
        return winnow::cancel(run.context(), run.models.at("tracker.org"), {&key, 1});
    });
    await_lock_waiter(database());
    EXPECT_EQ(answer.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout)
        << "it did not wait for the chunk of the lane";
    held.here.open();
    const winnow::cancel_result cancelled = answer.get();
    const std::int64_t left = rows_left();
    EXPECT_EQ(winnow::name_of(cancelled.answer), "stopped");
    EXPECT_EQ(left, 2 * all_rows - cancelled.rows_done);
    std::int64_t by_model = 0;
    for (const auto& [model, rows] : cancelled.rows) by_model += rows;
    EXPECT_EQ(by_model, cancelled.rows_done);
    EXPECT_EQ(winnow::name_of(pass.get().outcome), "lost");
    EXPECT_EQ(rows_left(), left) << "rows went after the answer";
    EXPECT_EQ(lanes_left(), 0);
    tree_runner run(database().open(), tables_.models());
    const winnow::audit_entry last = winnow::list_audit(*run.database, "", "").back();
    EXPECT_EQ(last.action, "cancelled");
    EXPECT_EQ(last.rows_done, cancelled.rows_done);
    EXPECT_EQ(orphans(run.context()), "");
}

TEST_F(lanes, pause_waits_for_the_chunk_of_each_and_nothing_goes_after_it) {
    lane_runner lead(database(), tables_.models(), 2);
    held_lane held(lead);
    std::future<winnow::deletion_report> pass = lead.start();
    ASSERT_TRUE(held.here.await());
    tree_runner run(database().open(), tables_.models());
    const winnow::value key = std::int64_t{1};
    const std::size_t org = run.models.at("tracker.org");
    std::future<bool> answer =
        std::async(std::launch::async, [&] { return winnow::pause(run.context(), org, {&key, 1}); });
    await_lock_waiter(database());
    EXPECT_EQ(answer.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout)
        << "it did not wait for the chunk of the lane";
    held.here.open();
    EXPECT_TRUE(answer.get());
    const std::int64_t left = rows_left();
    EXPECT_EQ(rows_told(), 2 * all_rows - left) << "what lanes did and nobody has added up yet is not told";
    EXPECT_EQ(winnow::name_of(pass.get().outcome), "paused");
    EXPECT_EQ(rows_left(), left) << "rows went after the answer";
    EXPECT_EQ(rows_told(), 2 * all_rows - left);
    EXPECT_EQ(lanes_left(), 0);
    EXPECT_TRUE(winnow::resume(run.context(), org, {&key, 1}));
    finish();
}

TEST_F(lanes, a_pause_of_everything_ends_them_all) {
    lane_runner lead(database(), tables_.models(), 4);
    std::atomic<int> chunks = 0;
    lead.opener.before = [&](std::size_t, std::string_view statement) {
        if (!writes_lane(statement) || ++chunks != 3) return;
        tree_runner run(database().open(), tables_.models());
        winnow::pause(run.context(), winnow::pause_scope::all);
    };
    EXPECT_EQ(winnow::name_of(lead.start().get().outcome), "paused");
    EXPECT_EQ(rows_told(), 2 * all_rows - rows_left());
    EXPECT_EQ(lanes_left(), 0);
    tree_runner run(database().open(), tables_.models());
    EXPECT_TRUE(winnow::resume(run.context(), winnow::pause_scope::all));
    finish();
}

TEST_F(lanes, one_that_stood_still_between_two_chunks_deletes_nothing_after_a_takeover) {
    lane_runner lead(database(), tables_.models(), 2);
    held_lane held(lead, "BEGIN");
    gate leader;
    std::atomic<bool> stop_leader = false;
    lead.lead().before = [&](std::string_view statement, std::span<const winnow::parameter>) {
        if (stop_leader && is_between_chunks(statement)) leader.stand();
    };
    std::future<winnow::deletion_report> pass = lead.start();
    ASSERT_TRUE(held.here.await());
    stop_leader = true;
    ASSERT_TRUE(leader.await());
    expire_lease();
    tree_runner other(database().open(), tables_.models());
    const std::optional<winnow::deletion_request> claimed = winnow::claim_deletion(other.context(), winnow::silo::cell);
    ASSERT_TRUE(claimed);
    const std::int64_t left = rows_left();
    EXPECT_EQ(claimed->rows_done, 2 * all_rows - left);
    held.here.open();
    leader.open();
    EXPECT_EQ(winnow::name_of(pass.get().outcome), "lost");
    EXPECT_EQ(rows_left(), left) << "a token that is no longer good deleted rows";
    EXPECT_EQ(winnow::name_of(winnow::run_deletion(other.context(), *claimed).outcome), "completed");
    expect_completed();
}

TEST_F(lanes, one_that_stood_still_inside_a_chunk_loses_it) {
    lane_runner lead(database(), tables_.models(), 2);
    lead.context().options().set("deletion.lease_seconds", "1", "test");
    held_lane held(lead);
    gate leader;
    std::atomic<bool> stop_leader = false;
    lead.lead().before = [&](std::string_view statement, std::span<const winnow::parameter>) {
        if (stop_leader && is_between_chunks(statement)) leader.stand();
    };
    std::future<winnow::deletion_report> pass = lead.start();
    ASSERT_TRUE(held.here.await());
    stop_leader = true;
    ASSERT_TRUE(leader.await());
    expire_lease();
    tree_runner other(database().open(), tables_.models());
    // Waits until the server has ended the silent session.
    const std::optional<winnow::deletion_request> claimed = winnow::claim_deletion(other.context(), winnow::silo::cell);
    ASSERT_TRUE(claimed);
    const std::int64_t left = rows_left();
    EXPECT_EQ(claimed->rows_done, 2 * all_rows - left) << "half a chunk was kept, or not counted";
    held.here.open();
    leader.open();
    EXPECT_EQ(winnow::name_of(pass.get().outcome), "lost");
    EXPECT_EQ(rows_left(), left);
    other.context().options().set("deletion.lease_seconds", "60", "test");
    EXPECT_EQ(winnow::name_of(winnow::run_deletion(other.context(), *claimed).outcome), "completed");
    expect_completed();
}

TEST_F(lanes, one_of_a_former_worker_deletes_nothing_beside_those_of_the_new_one) {
    lane_runner lead(database(), tables_.models(), 2);
    gate stale;
    gate leader;
    std::atomic<bool> stop_leader = false;
    std::atomic<int> looks_of_stale = 0;
    int times = 0;
    lead.opener.before = [&](std::size_t, std::string_view statement) {
        if (statement == "BEGIN" && ++times == 3) stale.stand();
        // The new worker may have removed its rows by then, so that it would find none to delete.
        if (times >= 3 && statement.find("\"issue\"") != std::string_view::npos) ++looks_of_stale;
    };
    lead.lead().before = [&](std::string_view statement, std::span<const winnow::parameter>) {
        if (stop_leader && is_between_chunks(statement)) leader.stand();
    };
    std::future<winnow::deletion_report> pass = lead.start();
    ASSERT_TRUE(stale.await());
    stop_leader = true;
    ASSERT_TRUE(leader.await());
    expire_lease();
    lane_runner next(database(), tables_.models(), 2);
    held_lane held(next, "BEGIN");
    std::future<winnow::deletion_report> takeover = next.start();
    ASSERT_TRUE(held.here.await());
    ASSERT_EQ(lanes_left(), 1) << "there is no row that the old lane could take for its own";
    stale.open();
    leader.open();
    EXPECT_EQ(winnow::name_of(pass.get().outcome), "lost");
    EXPECT_EQ(looks_of_stale, 0);
    held.here.open();
    EXPECT_EQ(winnow::name_of(takeover.get().outcome), "completed");
    expect_completed();
}

TEST_F(lanes, a_lease_that_was_freed_stops_them_without_a_new_worker) {
    lane_runner lead(database(), tables_.models(), 2);
    held_lane held(lead, "BEGIN");
    std::future<winnow::deletion_report> pass = lead.start();
    ASSERT_TRUE(held.here.await());
    tree_runner other(database().open(), tables_.models());
    // Between two looks of the leader, which would renew it.
    std::int64_t freed = 0;
    for (int look = 0; look < 1000 && freed == 0; ++look) {
        expire_lease();
        freed = winnow::reattempt_deletions(other.context(), winnow::silo::cell);
    }
    ASSERT_EQ(freed, 1);
    const std::int64_t left = rows_left();
    held.here.open();
    EXPECT_EQ(winnow::name_of(pass.get().outcome), "lost");
    EXPECT_EQ(rows_left(), left) << "rows went under a lease that nobody has";
    EXPECT_EQ(rows_told(), 2 * all_rows - rows_left());
    finish();
}

TEST_F(lanes, killed_at_any_moment_and_taken_over_end_where_an_undisturbed_run_ends) {
    const std::uint64_t seed = first_seed();
    SCOPED_TRACE("WINNOW_SEED=" + std::to_string(seed));
    std::mt19937_64 random(seed);
    int kills = 0;
    for (int round = 0; round < 12; ++round) {
        const int last = static_cast<int>(random() % 120);
        const auto connections = static_cast<std::int64_t>(2 + random() % 3);
        child_process worker([&] {
            lane_runner own(database(), tables_.models(), connections);
            std::atomic<int> number = 0;
            own.opener.before = [&](std::size_t, std::string_view) {
                if (number++ == last) std::raise(SIGKILL);
            };
            (void)winnow::run_next(own.context());
        });
        if (!worker.wait().killed) break;
        ++kills;
        tree_runner look(database().open(), tables_.models());
        look.database.reset();
        expire_leases(*database().open());
        look.database = database().open();
        ASSERT_EQ(rows_told(), 2 * all_rows - rows_left());
        ASSERT_EQ(orphans(look.context()), "");
    }
    EXPECT_GT(kills, 0);
    if (database().number("SELECT count(*) FROM winnow_cell_scheduled_deletion") != 0) finish();
    else expect_completed();
}

TEST_F(lanes, one_that_loses_its_connection_is_done_without) {
    lane_runner lead(database(), tables_.models(), 3);
    std::atomic<int> chunks = 0;
    lead.opener.before = [&](std::size_t lane, std::string_view statement) {
        if (lane != 1 || !writes_lane(statement) || ++chunks != 2) return;
        database().run("SELECT pg_terminate_backend(" + std::to_string(lead.opener.pids[0]) + ")");
    };
    const winnow::deletion_report report = lead.start().get();
    EXPECT_EQ(winnow::name_of(report.outcome), "completed") << report.detail;
    EXPECT_EQ(report.rows, all_rows);
    EXPECT_EQ(chunks, 2);
    expect_completed();
}

TEST_F(lanes, connections_that_cannot_be_had_are_done_without) {
    class refusing final : public winnow::connector {
    public:
        [[nodiscard]] winnow::dialect kind() const noexcept override { return winnow::dialect::postgres; }
        [[nodiscard]] std::string description() const override { return "a full server"; }
        [[nodiscard]] winnow::connection_ptr open() override {
            throw winnow::error(winnow::failure::connection, "sorry, too many clients already").with_retry(true);
        }
    };
    refusing full;
    lane_runner lead(database(), tables_.models(), 4);
    winnow::context with = lead.context();
    with.opener = &full;
    const std::optional<winnow::deletion_report> report = winnow::run_next(with);
    ASSERT_TRUE(report);
    EXPECT_EQ(winnow::name_of(report->outcome), "completed") << report->detail;
    expect_completed();
}

TEST_F(lanes, a_row_that_refuses_is_named_and_stops_them_all) {
    database().run(
        "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.id IN (500, 1000) THEN RAISE "
        "'row % is under legal hold', OLD.id; END IF; RETURN OLD; END $$; "
        "CREATE TRIGGER k BEFORE DELETE ON event FOR EACH ROW EXECUTE FUNCTION keep()");
    lane_runner lead(database(), tables_.models(), 3);
    const winnow::deletion_report report = lead.start().get();
    EXPECT_EQ(winnow::name_of(report.outcome), "failed");
    EXPECT_NE(report.detail.find("refused by trigger \"k\""), std::string::npos) << report.detail;
    EXPECT_EQ(lanes_left(), 0);
    EXPECT_EQ(rows_told(), 2 * all_rows - rows_left());
    database().run("DROP TRIGGER k ON event");
    tree_runner run(database().open(), tables_.models());
    const winnow::value key = std::int64_t{1};
    EXPECT_TRUE(winnow::retry(run.context(), run.models.at("tracker.org"), {&key, 1}));
    finish();
}

TEST_F(lanes, are_put_down_together_when_the_worker_is_to_stop) {
    lane_runner lead(database(), tables_.models(), 4);
    winnow::stop_request stop;
    std::atomic<int> chunks = 0;
    lead.opener.before = [&](std::size_t, std::string_view statement) {
        if (writes_lane(statement) && ++chunks == 4) stop.ask();
    };
    winnow::context with = lead.context();
    with.stop = &stop;
    const std::optional<winnow::deletion_report> report = winnow::run_next(with);
    ASSERT_TRUE(report);
    EXPECT_EQ(winnow::name_of(report->outcome), "yielded") << report->detail;
    EXPECT_EQ(report->rows, 2 * all_rows - rows_left());
    EXPECT_EQ(rows_told(), report->rows);
    EXPECT_EQ(lanes_left(), 0);
    finish();
}

/// `should_proceed` of an organization whose column `note` is 0.
bool has_no_note(const void*, winnow::row_values row, const winnow::hook_context&) {
    return std::get<std::int64_t>(row[1]) == 0;
}

TEST_F(lanes, no_chunk_is_kept_that_ends_after_should_proceed_says_no) {
    tables_.plans()[tracker_tables::org].hooks.should_proceed = {&has_no_note, nullptr};
    lane_runner lead(database(), tables_.models(), 2);
    held_lane held(lead);
    std::future<winnow::deletion_report> pass = lead.start();
    ASSERT_TRUE(held.here.await());
    database().run("UPDATE org SET note = 1 WHERE id = 1");
    const std::int64_t left = rows_left();
    held.here.open();
    const winnow::deletion_report report = pass.get();
    EXPECT_EQ(winnow::name_of(report.outcome), "dropped");
    EXPECT_EQ(rows_left(), left);
    EXPECT_EQ(report.rows, 2 * all_rows - left);
    EXPECT_EQ(lanes_left(), 0);
}

/// Everything of organization 1 moves to organization 2 while lanes stand on it, and nothing of it may go.
class lanes_and_movers : public lanes_of_a_tree {
protected:
    /// @return rows that are there when the move is seen by its own transaction
    static std::int64_t move(winnow::connection& own) {
        (void)own.execute("UPDATE proj SET org_id = 2 WHERE org_id = 1");
        return own
            .execute(
                "SELECT (SELECT count(*) FROM org) + (SELECT count(*) FROM proj) + (SELECT count(*) FROM issue) + (SELECT count(*) FROM event)")
            .integer(0, 0);
    }
    void expect_kept(winnow::deletion_report report, std::int64_t counted) {
        EXPECT_EQ(winnow::name_of(report.outcome), "completed") << report.detail;
        EXPECT_EQ(rows_left(), counted - 1) << "rows that had been moved to safety are gone";
        EXPECT_EQ(report.rows, 2 * all_rows - rows_left());
        EXPECT_EQ(lanes_left(), 0);
        EXPECT_EQ(database().number("SELECT count(*) FROM proj WHERE org_id = 2"), 2 * projects);
    }
};

TEST_F(lanes_and_movers, a_move_that_commits_inside_a_chunk_takes_the_chunk_back) {
    lane_runner lead(database(), tables_.models(), 2);
    held_lane held(lead);
    std::future<winnow::deletion_report> pass = lead.start();
    ASSERT_TRUE(held.here.await());
    const winnow::connection_ptr mover = database().open();
    mover->begin(winnow::transaction_kind::write, {});
    const std::int64_t counted = move(*mover);
    mover->commit();
    held.here.open();
    expect_kept(pass.get(), counted);
}

TEST_F(lanes_and_movers, a_move_that_is_under_way_is_waited_for) {
    lane_runner lead(database(), tables_.models(), 2);
    held_lane held(lead);
    std::future<winnow::deletion_report> pass = lead.start();
    ASSERT_TRUE(held.here.await());
    const winnow::connection_ptr mover = database().open();
    mover->begin(winnow::transaction_kind::write, {});
    const std::int64_t counted = move(*mover);
    held.here.open();
    await_lock_waiter(database());
    mover->commit();
    expect_kept(pass.get(), counted);
}

TEST_F(lanes_and_movers, a_move_that_comes_while_a_chunk_commits_waits_for_it) {
    lane_runner lead(database(), tables_.models(), 2);
    held_lane held(lead, "COMMIT");
    std::future<winnow::deletion_report> pass = lead.start();
    ASSERT_TRUE(held.here.await());
    std::future<std::int64_t> counted = std::async(std::launch::async, [&] {
        const winnow::connection_ptr mover = database().open();
        mover->begin(winnow::transaction_kind::write, {});
        const std::int64_t there = move(*mover);
        mover->commit();
        return there;
    });
    await_lock_waiter(database());
    EXPECT_EQ(counted.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout)
        << "rows of a chunk were moved away while it committed";
    held.here.open();
    const std::int64_t there = counted.get();
    expect_kept(pass.get(), there);
}

/// Which deletions have one connection all the same.
class single_lanes : public lanes_of_a_tree {
protected:
    void expect_one_connection() {
        lane_runner lead(database(), tables_.models(), 4);
        const winnow::deletion_report report = lead.start().get();
        EXPECT_EQ(winnow::name_of(report.outcome), "completed") << report.detail;
        EXPECT_EQ(lead.opener.opened, 0U);
        expect_completed();
    }
};

void count_calls(const void* state, winnow::row_values, const winnow::hook_context&) {
    ++*static_cast<int*>(const_cast<void*>(state));
}

TEST_F(single_lanes, because_hooks_are_called_for_rows_that_would_be_shared) {
    int calls = 0;
    tables_.plans()[tracker_tables::issue].hooks.before_delete = {&count_calls, &calls};
    expect_one_connection();
    EXPECT_EQ(calls, projects * issues);
}
TEST_F(single_lanes, because_hooks_are_called_for_rows_below_them) {
    int calls = 0;
    tables_.plans()[tracker_tables::event].hooks.after_delete = {&count_calls, &calls};
    tables_.plans()[tracker_tables::event].strategy = winnow::strategy::per_row;
    expect_one_connection();
    EXPECT_EQ(calls, projects * issues * events);
}
TEST_F(single_lanes, because_it_is_small) {
    tree_runner run(database().open(), tables_.models());
    run.context().options().set("deletion.connections_from_rows", "5000", "test");
    expect_one_connection();
}
TEST_F(single_lanes, because_its_passes_are_bounded_in_rows) {
    tree_runner run(database().open(), tables_.models());
    run.context().options().set("deletion.pass_rows", "100000", "test");
    expect_one_connection();
}

TEST_F(lanes, leave_hooks_of_the_rows_above_to_the_one_that_leads) {
    int calls = 0;
    tables_.plans()[tracker_tables::proj].hooks.before_delete = {&count_calls, &calls};
    lane_runner lead(database(), tables_.models(), 2);
    EXPECT_EQ(winnow::name_of(lead.start().get().outcome), "completed");
    EXPECT_EQ(lead.opener.opened, 1U);
    EXPECT_EQ(calls, projects);
    expect_completed();
}

TEST_F(lanes, are_as_many_as_the_option_says_unless_the_caller_does) {
    tree_runner run(database().open(), tables_.models());
    run.context().options().set("deletion.connections", "3", "test");
    lane_runner lead(database(), tables_.models(), 0);
    EXPECT_EQ(winnow::name_of(lead.start().get().outcome), "completed");
    EXPECT_EQ(lead.opener.opened, 2U);
    expect_completed();
}

TEST_F(lanes, charge_rate_limits_with_what_all_of_them_removed) {
    tables_.plans()[tracker_tables::event].rate_limit_option = "tracker.event_rate";
    lane_runner lead(database(), tables_.models(), 3);
    lead.context().options().set("tracker.event_rate", "1000000000", "test");
    double charged = 0;
    double charged_before_sum = -1;
    std::int64_t gone_before_sum = 0;
    lead.lead().before = [&](std::string_view statement, std::span<const winnow::parameter> given) {
        if (statement.starts_with("INSERT INTO winnow_rate_bucket")) charged += std::get<double>(given[1].as_value());
        // Not only in the end: what lanes have removed is charged before it is added up.
        if (statement.starts_with("DELETE FROM winnow_cell_deletion_lane") && charged_before_sum < 0) {
            charged_before_sum = charged;
            gone_before_sum = 2 * projects * issues * events - database().number("SELECT count(*) FROM event");
        }
    };
    EXPECT_EQ(winnow::name_of(lead.start().get().outcome), "completed");
    EXPECT_EQ(charged, static_cast<double>(projects * issues * events));
    EXPECT_EQ(charged_before_sum, static_cast<double>(gone_before_sum));
    EXPECT_EQ(lead.opener.opened, 2U);
    expect_completed();
}

TEST_F(lanes, charge_rate_limits_with_what_they_removed_before_they_were_put_down) {
    tables_.plans()[tracker_tables::event].rate_limit_option = "tracker.event_rate";
    lane_runner lead(database(), tables_.models(), 4);
    lead.context().options().set("tracker.event_rate", "1000000000", "test");
    winnow::stop_request stop;
    std::atomic<int> chunks = 0;
    lead.opener.before = [&](std::size_t, std::string_view statement) {
        if (writes_lane(statement) && ++chunks == 4) stop.ask();
    };
    double charged = 0;
    lead.lead().before = [&](std::string_view statement, std::span<const winnow::parameter> given) {
        if (statement.starts_with("INSERT INTO winnow_rate_bucket")) charged += std::get<double>(given[1].as_value());
    };
    winnow::context with = lead.context();
    with.stop = &stop;
    EXPECT_EQ(winnow::name_of(winnow::run_next(with)->outcome), "yielded");
    EXPECT_EQ(charged,
              static_cast<double>(2 * projects * issues * events - database().number("SELECT count(*) FROM event")));
    finish();
}

TEST(lanes_on_sqlite, there_is_one_writer) {
    fresh_sqlite database;
    const tracker_tables tables(10, 20, 30);
    tree_runner run(database.open(), tables.models());
    install(*run.database);
    tracker_tables::create(*run.database, true, 2, 3, 10, 5);
    const winnow::error refused = error_of([&] { run.context().options().set("deletion.connections", "2", "test"); });
    EXPECT_NE(std::string(refused.what()).find("SQLite has one writer"), std::string::npos) << refused.what();
    schedule_now(run.context(), run.models.at("tracker.org"), 1);
    const winnow::connector_ptr opener = database.connector();
    winnow::context with = run.context();
    with.opener = opener.get();
    with.connections = 4;
    const std::optional<winnow::deletion_report> report = winnow::run_next(with);
    ASSERT_TRUE(report);
    EXPECT_EQ(winnow::name_of(report->outcome), "completed") << report->detail;
}

TEST_F(lanes, have_a_number_that_makes_sense) {
    tree_runner run(database().open(), tables_.models());
    for (const std::string_view wrong : {"0", "33", "1000"}) {
        const winnow::error refused =
            error_of([&] { run.context().options().set("deletion.connections", wrong, "test"); });
        EXPECT_NE(std::string(refused.what()).find("1 to 32"), std::string::npos) << refused.what();
    }
}

}  // namespace
