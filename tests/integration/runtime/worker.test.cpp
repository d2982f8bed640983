// SPDX-License-Identifier: Apache-2.0
// Workers over one database: what they do by themselves, how they stop, and what they make of a broker or a database that
// is away.

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "integration/runtime/worker_shop.hpp"
#include "winnow/deletion/audit.hpp"
#include "winnow/runtime/job_state.hpp"

namespace {

using namespace winnow_test;

class workers : public testing::TestWithParam<winnow::dialect> {
protected:
    worker_shop shop_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(databases, workers, all_databases(), name_of_database);

constexpr const char* scheduled = "SELECT count(*) FROM winnow_cell_scheduled_deletion";
constexpr const char* wrong_copies =
    "SELECT (SELECT count(*) FROM shop_organization o LEFT JOIN shop_organizationcopy c ON c.organization_id = o.id AND "
    "c.cell = 'main' AND c.name = o.name WHERE c.cell IS NULL) + (SELECT count(*) FROM shop_organizationcopy c LEFT JOIN "
    "shop_organization o ON o.id = c.organization_id WHERE o.id IS NULL)";

TEST_P(workers, delete_backfill_and_drain_by_themselves) {
    shop_.add_organizations(20, 5, 4);
    shop_.run("INSERT INTO shop_user (email) VALUES ('a'), ('b')");
    for (int id = 1; id <= 3; ++id) shop_.schedule(id);
    shop_.set("outbox_replication.shop_organization.replication_version", "1");
    shop_.set("outbox_replication.shop_user.replication_version", "1");
    shop_worker one(shop_.database(), shop_.models(), "one", in_database(shop_.database()));
    one.start();
    EXPECT_TRUE(comes_true([&] { return shop_.number(scheduled) == 0; })) << one.log().all();
    EXPECT_TRUE(comes_true([&] {
        return shop_.number(wrong_copies) == 0 && shop_.number("SELECT count(*) FROM shop_usercopy") == 2 &&
               shop_.number("SELECT count(*) FROM winnow_cell_outbox") == 0;
    })) << one.log().all();
    EXPECT_TRUE(one->ready().ready) << one->ready().why;
    one.stop();
    EXPECT_EQ(shop_.number("SELECT count(*) FROM shop_organization"), 17);
    EXPECT_EQ(shop_.number("SELECT count(*) FROM shop_organizationcopy"), 17);
    EXPECT_EQ(shop_.number("SELECT count(*) FROM shop_badge"), 17 * 5 * 4);
    EXPECT_EQ(shop_.number("SELECT count(*) FROM winnow_audit WHERE action = 'completed'"), 3);
    EXPECT_EQ(shop_.number("SELECT count(*) FROM winnow_task WHERE owner IS NOT NULL"), 0);
    EXPECT_EQ(shop_.number("SELECT count(*) FROM winnow_leader"), 0) << "the lead was given back";
    winnow::steady_clock time;
    winnow::observer quiet;
    const winnow::context with{shop_.models(), shop_.session(), time, quiet};
    const std::vector<winnow::job_state> states = winnow::job_states(with);
    EXPECT_EQ(states.size(), winnow::periodic_jobs.size() * 2);
    for (const winnow::job_state& each : states) {
        EXPECT_EQ(each.last_error, "") << each.name;
        EXPECT_EQ(each.running_on, "") << each.name;
        EXPECT_GE(each.runs, 1) << each.name;
        EXPECT_NE(each.last_success, "") << each.name;
        EXPECT_GE(each.seconds_since_success, 0) << each.name;
    }
}

TEST_P(workers, one_round_does_everything_once_and_ends) {
    shop_.add_organizations(4, 3, 2);
    shop_.schedule(2);
    shop_.set("deletion.pass_rows", "2");
    shop_worker one(shop_.database(), shop_.models(), "one", in_memory());
    one->run_once();
    EXPECT_EQ(shop_.number(scheduled), 0) << "a deletion that yields goes on in the same round";
    EXPECT_EQ(shop_.number("SELECT count(*) FROM shop_organization"), 3);
    EXPECT_EQ(shop_.number("SELECT count(*) FROM winnow_job WHERE runs = 1"), 12);
}

TEST_P(workers, told_to_stop_put_a_deletion_down_and_the_next_start_goes_on) {
    shop_.add_organizations(1, 200, 50);
    shop_.schedule(1);
    shop_worker one(shop_.database(), shop_.models(), "one", in_memory());
    one.log().after_chunk = [&] { one.ask_to_stop(); };
    one.start();
    ASSERT_TRUE(comes_true([&] { return shop_.number("SELECT count(*) FROM shop_badge") < 10'000; }));
    (void)one.stop();
    one.log().after_chunk = {};
    ASSERT_EQ(shop_.number(scheduled), 1) << "it was to be stopped in the middle";
    EXPECT_EQ(shop_.number("SELECT count(*) FROM winnow_cell_scheduled_deletion WHERE lease_owner IS NULL AND NOT "
                           "in_progress AND state = 'scheduled' AND attempts = 0"),
              1);
    EXPECT_EQ(shop_.text("SELECT state_detail FROM winnow_cell_scheduled_deletion"),
              "its worker was told to stop; goes on");
    EXPECT_FALSE(one.log().lines("deletion failed")) << one.log().all();
    one.start();
    EXPECT_TRUE(comes_true([&] { return shop_.number(scheduled) == 0; }));
    one.stop();
    EXPECT_EQ(shop_.number("SELECT count(*) FROM shop_badge") + shop_.number("SELECT count(*) FROM shop_organization"),
              0);
    EXPECT_EQ(shop_.number("SELECT count(*) FROM winnow_audit WHERE action = 'completed'"), 1);
}

TEST_P(workers, told_to_stop_end_a_statement_that_does_not_end_by_itself) {
    shop_.run(
        GetParam() == winnow::dialect::sqlite
            ? "CREATE TRIGGER slow BEFORE DELETE ON shop_member BEGIN SELECT count(*) FROM (WITH RECURSIVE s(i) AS "
              "(SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 1000000000000) SELECT i FROM s); END"
            : "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(100000); RETURN "
              "OLD; END $$; CREATE TRIGGER slow BEFORE DELETE ON shop_member FOR EACH ROW EXECUTE FUNCTION slow()");
    shop_.add_organizations(1, 3, 2);
    shop_.schedule(1);
    shop_worker one(shop_.database(), shop_.models(), "one", in_memory());
    one.start();
    ASSERT_TRUE(comes_true([&] { return one.log().lines("deletion goes on") == 1; })) << one.log().all();
    if (GetParam() == winnow::dialect::postgres) {
        ASSERT_TRUE(comes_true([&] {
            return shop_.number(
                       "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = "
                       "'PgSleep'") == 1;
        })) << "it is in the middle of the statement";
    }
    (void)one.stop();
    EXPECT_EQ(shop_.number("SELECT count(*) FROM winnow_cell_scheduled_deletion WHERE lease_owner IS NULL AND NOT "
                           "in_progress AND state = 'scheduled' AND attempts = 0"),
              1)
        << one.log().all();
    EXPECT_EQ(shop_.number("SELECT count(*) FROM shop_member"), 3);
}

TEST_P(workers, a_deletion_that_becomes_due_between_two_rounds_does_not_wait_for_the_next) {
    shop_.set("job.run_scheduled_deletions.interval_seconds", "100000");
    shop_.add_organizations(2, 1, 1);
    shop_worker one(shop_.database(), shop_.models(), "one", in_database(shop_.database()));
    one.start();
    ASSERT_TRUE(comes_true([&] {
        return shop_.number("SELECT count(*) FROM winnow_job WHERE name = 'run_scheduled_deletions' AND runs = 1") == 2;
    }));
    shop_.schedule(1);
    EXPECT_TRUE(comes_true([&] { return shop_.number(scheduled) == 0; }, 30));
    one.stop();
}

TEST_P(workers, a_job_that_is_switched_off_does_not_run) {
    shop_.set("job.run_scheduled_deletions.enabled", "false");
    shop_.add_organizations(2, 1, 1);
    shop_.schedule(1);
    shop_worker one(shop_.database(), shop_.models(), "one", in_memory());
    one->run_once();
    EXPECT_EQ(shop_.number(scheduled), 1);
    EXPECT_EQ(shop_.number("SELECT count(*) FROM winnow_job WHERE name = 'run_scheduled_deletions' AND runs > 0"), 0);
    EXPECT_GT(shop_.number("SELECT count(*) FROM winnow_job WHERE runs > 0"), 0);
    shop_.set("job.run_scheduled_deletions.enabled", "true");
    one->run_once();
    EXPECT_EQ(shop_.number(scheduled), 0);
}

TEST_P(workers, keep_what_went_wrong_with_a_job_and_try_again) {
    shop_.run("ALTER TABLE shop_organization RENAME TO shop_elsewhere");
    shop_.set("outbox_replication.shop_organization.replication_version", "1");
    shop_.set("job.enqueue_outbox_jobs.interval_seconds", "3600");
    shop_.set("worker.retry_seconds", "1");
    shop_worker one(shop_.database(), shop_.models(), "one", in_memory());
    one.start();
    const char* failed = "SELECT count(*) FROM winnow_job WHERE name = 'enqueue_outbox_jobs' AND silo = 'cell' AND "
                         "last_error LIKE '%shop_organization%' AND last_success IS NULL AND runs >= 2";
    EXPECT_TRUE(comes_true([&] { return shop_.number(failed) == 1; })) << one.log().all();
    shop_.run("ALTER TABLE shop_elsewhere RENAME TO shop_organization");
    EXPECT_TRUE(comes_true([&] {
        return shop_.number("SELECT count(*) FROM winnow_job WHERE name = 'enqueue_outbox_jobs' AND silo = 'cell' AND "
                            "last_error IS NULL AND last_success IS NOT NULL") == 1;
    })) << one.log().all();
    one.stop();
}

TEST_P(workers, without_a_broker_work_is_taken_from_the_database_and_it_is_told_once) {
    shop_.add_organizations(6, 2, 2);
    for (int id = 1; id <= 3; ++id) shop_.schedule(id);
    shop_.set("outbox_replication.shop_organization.replication_version", "1");
    std::atomic<bool> away{true};
    const shop_broker memory = in_memory();
    shop_worker one(shop_.database(), shop_.models(), "one", [&](const winnow::broker_options& options) {
        if (away.load()) throw winnow::error(winnow::failure::connection, "the broker's server is down");
        return memory(options);
    });
    one.start();
    EXPECT_TRUE(comes_true([&] { return shop_.number(scheduled) == 0 && shop_.number(wrong_copies) == 0; }))
        << one.log().all();
    EXPECT_EQ(one.log().lines("cannot be reached"), 1) << one.log().all();
    EXPECT_FALSE(one->ready().ready);
    EXPECT_NE(one->ready().why.find("the broker's server is down"), std::string::npos);
    away.store(false);
    EXPECT_TRUE(comes_true([&] { return one.log().lines("can be reached again") == 1; }));
    shop_.schedule(4);
    EXPECT_TRUE(comes_true([&] { return shop_.number(scheduled) == 0; }));
    one.stop();
}

TEST_P(workers, several_share_the_work_and_one_leads) {
    shop_.add_organizations(12, 5, 5);
    for (int id = 1; id <= 12; ++id) shop_.schedule(id);
    // Longer than a busy machine keeps a leader from renewing its lease.
    shop_.set("worker.leader_seconds", "20");
    shop_worker first(shop_.database(), shop_.models(), "first", in_database(shop_.database()));
    shop_worker second(shop_.database(), shop_.models(), "second", in_database(shop_.database()));
    first.start();
    ASSERT_TRUE(comes_true([&] { return first.log().lines("this process schedules now") == 1; }));
    second.start();
    EXPECT_TRUE(comes_true([&] { return shop_.number(scheduled) == 0; }));
    EXPECT_EQ(second.log().lines("this process schedules now"), 0);
    first.stop();
    EXPECT_TRUE(comes_true([&] { return second.log().lines("this process schedules now") == 1; }));
    second.stop();
    EXPECT_EQ(shop_.number("SELECT count(*) FROM winnow_audit WHERE action = 'completed'"), 12) << "each once";
}

TEST_P(workers, a_lead_beyond_any_lease_is_one_of_a_clock_that_was_set_back) {
    shop_.run(
        GetParam() == winnow::dialect::postgres
            ? "INSERT INTO winnow_leader VALUES ('scheduler', 'x', clock_timestamp() + interval '1 day')"
            : "INSERT INTO winnow_leader VALUES ('scheduler', 'x', strftime('%Y-%m-%d %H:%M:%f', 'now', '+1 day'))");
    EXPECT_TRUE(winnow::lead(shop_.session(), "a", 15));
    EXPECT_TRUE(winnow::lead(shop_.session(), "a", 15)) << "renewed";
    EXPECT_FALSE(winnow::lead(shop_.session(), "b", 15));
    winnow::resign(shop_.session(), "b");
    EXPECT_FALSE(winnow::lead(shop_.session(), "b", 15)) << "nobody resigns for another one";
    winnow::resign(shop_.session(), "a");
    EXPECT_TRUE(winnow::lead(shop_.session(), "b", 15));
}

TEST_P(workers, prune_what_nobody_needs_and_nothing_else) {
    const bool postgres = GetParam() == winnow::dialect::postgres;
    const std::string old =
        postgres ? "clock_timestamp() - interval '40 days'" : "strftime('%Y-%m-%d %H:%M:%f', 'now', '-40 days')";
    const std::string later =
        postgres ? "clock_timestamp() + interval '1 hour'" : "strftime('%Y-%m-%d %H:%M:%f', 'now', '+1 hour')";
    shop_.run(
        "INSERT INTO winnow_inbox (source, message_id, handled_at) VALUES ('s', 1, " + old +
        ");"
        "INSERT INTO winnow_inbox (source, message_id) VALUES ('s', 2);"
        "INSERT INTO winnow_cell_outbox_shard (shard_scope, shard_identifier) VALUES (0, 1), (0, 2);"
        "INSERT INTO winnow_cell_outbox_shard (shard_scope, shard_identifier, lease_owner, lease_expires_at) VALUES "
        "(0, 3, 'x', " +
        later + "), (0, 4, 'x', " + old +
        ");"
        "INSERT INTO winnow_cell_outbox_shard (shard_scope, shard_identifier, skipped_by) VALUES (0, 5, 'ann');"
        "INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier) VALUES (0, 2, 0, 2);");
    winnow::steady_clock time;
    winnow::observer quiet;
    const winnow::context with{shop_.models(), shop_.session(), time, quiet};
    const winnow::prune_report done = winnow::prune_own_tables(with, winnow::silo::cell, 30, std::chrono::seconds(60));
    EXPECT_EQ(done.arrivals, 1);
    EXPECT_EQ(done.shards, 2);
    EXPECT_FALSE(done.more);
    EXPECT_EQ(shop_.number("SELECT message_id FROM winnow_inbox"), 2);
    EXPECT_EQ(shop_.number("SELECT CAST(sum(shard_identifier) AS bigint) FROM winnow_cell_outbox_shard"), 2 + 3 + 5);
}

}  // namespace
