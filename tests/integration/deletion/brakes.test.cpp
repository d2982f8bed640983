// SPDX-License-Identifier: Apache-2.0
// Rate limits, health and lag queries, and chunks that adapt to the time they take.

#include <gmock/gmock.h>

#include "integration/deletion/worker.hpp"

namespace {

using namespace winnow_test;
using testing::Each;
using testing::HasSubstr;
using testing::Le;
using winnow::deletion_outcome;

const winnow::value one = std::int64_t{1};

class brakes : public deletion_test {
protected:
    /// Parents 1 and 2 with rows of both kinds below each.
    void make_limited(std::int64_t bulk, std::int64_t single) const {
        make(
            database(),
            "CREATE TABLE limited_parent (id {id});"
            "CREATE TABLE limited_bulk (id {id}, parent_id bigint NOT NULL REFERENCES limited_parent (id));"
            "CREATE TABLE limited_single (id {id}, parent_id bigint NOT NULL REFERENCES limited_parent (id));"
            "CREATE INDEX bulk_parent ON limited_bulk (parent_id); CREATE INDEX single_parent ON limited_single (parent_id);"
            "INSERT INTO limited_parent VALUES (1), (2);");
        const winnow::connection_ptr to = database().open();
        if (bulk > 0) fill(*to, "limited_bulk", 2 * bulk, [&](std::int64_t i) { return list(i, (i - 1) / bulk + 1); });
        if (single > 0)
            fill(*to, "limited_single", 2 * single, [&](std::int64_t i) { return list(i, (i - 1) / single + 1); });
    }
};
INSTANTIATE_TEST_SUITE_P(databases, brakes, all_databases(), name_of_database);

TEST_P(brakes, a_rate_limit_waits_without_a_worker) {
    make_limited(60, 0);
    worker some(database(), limited_models());
    some.set("deletion.target_milliseconds", "0");
    some.set("limited.bulk_rate", "2");
    some.schedule("limited.Parent", one);
    // The burst is ten rows; after twenty the bucket is ten rows too full, which is five seconds.
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::waiting);
    EXPECT_THAT(report.detail, HasSubstr("rate limit limited.bulk_rate"));
    EXPECT_EQ(report.rows, 20);
    EXPECT_GT(report.wait_seconds, 3.0);
    EXPECT_LE(report.wait_seconds, 5.0);
    const winnow::deletion_request row = some.request();
    EXPECT_EQ(row.state, "waiting");
    EXPECT_GT(row.seconds_to_wait, 2.0);
    EXPECT_FALSE(row.in_progress);
    EXPECT_EQ(row.attempts, 0);
    EXPECT_FALSE(some.database->in_transaction());
    EXPECT_FALSE(some.run_next());
    // Without a limit it goes on at once.
    some.set("limited.bulk_rate", "0");
    some.end_waits();
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
    EXPECT_EQ(count("limited_bulk"), 60);
}

TEST_P(brakes, a_short_wait_is_slept_between_transactions) {
    make_limited(35, 0);
    worker some(database(), limited_models());
    some.set("deletion.target_milliseconds", "0");
    some.set("limited.bulk_rate", "20");
    some.schedule("limited.Parent", one);
    some.time.on_sleep = [&] { EXPECT_FALSE(some.database->in_transaction()); };
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_GT(some.time.slept, std::chrono::microseconds(0));
    EXPECT_LE(some.time.slept, std::chrono::seconds(2));
}

TEST_P(brakes, all_workers_share_one_bucket) {
    make_limited(60, 0);
    worker first(database(), limited_models());
    worker second(database(), limited_models());
    first.set("deletion.target_milliseconds", "0");
    first.set("limited.bulk_rate", "2");
    first.schedule("limited.Parent", one);
    first.schedule("limited.Parent", std::int64_t{2});
    EXPECT_EQ(first.run().rows, 20) << "alone it has the whole burst";
    const winnow::deletion_report report = second.run();
    EXPECT_EQ(report.object_id, "2");
    EXPECT_EQ(report.outcome, deletion_outcome::waiting);
    EXPECT_EQ(report.rows, 10) << "the bucket is full already";
    EXPECT_GT(report.wait_seconds, 7.0);
    EXPECT_EQ(count("winnow_rate_bucket"), 1);
}

TEST_P(brakes, a_rate_limit_holds_for_single_rows_too) {
    make_limited(0, 60);
    int hooks = 0;
    spy().before_delete = [&](std::int64_t, const winnow::hook_context&) { ++hooks; };
    worker some(database(), limited_models());
    some.set("deletion.target_milliseconds", "0");
    some.set("limited.single_rate", "2");
    some.schedule("limited.Parent", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::waiting);
    EXPECT_THAT(report.detail, HasSubstr("limited.single_rate"));
    EXPECT_EQ(report.rows, 20);
    EXPECT_EQ(hooks, 20);
}

TEST_P(brakes, exec_sync_waits_for_the_rate_limit_itself) {
    make_limited(30, 0);
    worker some(database(), limited_models());
    some.set("deletion.target_milliseconds", "0");
    some.set("limited.bulk_rate", "2");
    some.time.on_sleep = [&] { some.end_waits(); };
    EXPECT_EQ(some.exec_sync("limited.Parent", one).outcome, deletion_outcome::completed);
    EXPECT_GT(some.time.slept, std::chrono::seconds(3));
}

TEST_P(brakes, the_health_query_says_no) {
    make_field_tables(database());
    fill_field(database());
    make(database(), "CREATE TABLE health (fine boolean); INSERT INTO health VALUES (true);");
    worker some(database(), field_models());
    some.set("deletion.health_query", "SELECT fine FROM health");
    some.set("deletion.brake_seconds", "0");
    some.schedule("field.Org", one);
    some.watch.on_progress = [&](const winnow::deletion_progress&) {
        make(database(), "UPDATE health SET fine = false;");
    };
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::waiting);
    EXPECT_THAT(report.detail, HasSubstr("health query says no: SELECT fine FROM health"));
    EXPECT_EQ(some.watch.chunks.size(), 1U) << "it takes effect within one chunk";
    some.watch.on_progress = nullptr;
    some.end_waits();
    const std::int64_t left = left_of_org(database(), {}, 1);
    EXPECT_EQ(some.run().outcome, deletion_outcome::waiting);
    EXPECT_EQ(left_of_org(database(), {}, 1), left);
    make(database(), "UPDATE health SET fine = true;");
    some.end_waits();
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
}

TEST_P(brakes, a_lag_that_is_no_number_brakes) {
    make_limited(5, 0);
    worker some(database(), limited_models());
    some.schedule("limited.Parent", one);
    for (const std::string_view lag : {"'00:00:05'", "'5 s'", "''", "'nan'"}) {
        some.set("deletion.lag_query", "SELECT " + std::string(lag));
        const winnow::deletion_report report = some.run();
        EXPECT_EQ(report.outcome, deletion_outcome::waiting) << lag;
        EXPECT_THAT(report.detail, HasSubstr("no number of seconds")) << lag;
        EXPECT_EQ(report.rows, 0) << lag;
        some.end_waits();
    }
    some.set("deletion.lag_query", "SELECT '2.5'");
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
}

TEST_P(brakes, a_health_query_that_would_change_something_does_not) {
    make_limited(5, 0);
    worker some(database(), limited_models());
    make(database(), "CREATE TABLE precious (id bigint); INSERT INTO precious VALUES (1);");
    some.set("deletion.health_query", "DELETE FROM precious RETURNING 1");
    some.schedule("limited.Parent", one);
    (void)some.run();
    EXPECT_EQ(count("precious"), 1);
}

TEST_P(brakes, a_broken_health_query_deletes_nothing_and_says_so) {
    make_field_tables(database());
    fill_field(database());
    worker some(database(), field_models());
    some.set("deletion.health_query", "SELECT fine FROM nowhere");
    some.schedule("field.Org", one);
    EXPECT_EQ(some.run().outcome, deletion_outcome::waiting);
    EXPECT_THAT(some.request().last_error, HasSubstr("nowhere"));
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org());
}

TEST(chunk_tuning, shrinks_to_the_target_and_grows_back) {
    using std::chrono::milliseconds;
    winnow::chunk_tuning chunk{1000, 1000};
    chunk.took(milliseconds(400), milliseconds(100), 1000);
    EXPECT_EQ(chunk.now, 250) << "in proportion";
    chunk.took(milliseconds(90), milliseconds(100), 250);
    EXPECT_EQ(chunk.now, 250) << "near the target it stays";
    chunk.took(milliseconds(20), milliseconds(100), 10);
    EXPECT_EQ(chunk.now, 250) << "a chunk that was not full says nothing";
    chunk.took(milliseconds(20), milliseconds(100), 250);
    EXPECT_EQ(chunk.now, 375);
    for (int i = 0; i < 10; ++i) chunk.took(milliseconds(1), milliseconds(100), chunk.now);
    EXPECT_EQ(chunk.now, 1000) << "never above what the plan allows";
    chunk.took(milliseconds(1'000'000), milliseconds(100), 1000);
    EXPECT_EQ(chunk.now, 1) << "never below one row";
    chunk.halve();
    EXPECT_EQ(chunk.now, 1);
    chunk.took(milliseconds(500), milliseconds(0), 1);
    EXPECT_EQ(chunk.now, 1) << "no target, no adapting";
}

TEST_P(brakes, chunks_adapt_to_the_target) {
    make_field_tables(database());
    make(database(), "INSERT INTO org VALUES (1, 0); INSERT INTO proj VALUES (1, 1); INSERT INTO issue VALUES (1, 1);");
    {
        const winnow::connection_ptr to = database().open();
        fill(*to, "event", 25'000, [](std::int64_t i) { return list(i, 1); });
    }
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    // Each look at the clock costs so much that the first chunk of 10 000 rows is over the target.
    some.time.each_look = std::chrono::milliseconds(200);
    some.watch.on_progress = [&](const winnow::deletion_progress&) {
        if (some.watch.chunks.size() == 3) some.time.each_look = std::chrono::milliseconds(1);
    };
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
    ASSERT_GE(some.watch.chunks.size(), 6U);
    EXPECT_EQ(some.watch.chunks[0], 10'000);
    EXPECT_LE(some.watch.chunks[1], 5'000) << "in proportion to how far it was over the target";
    EXPECT_LT(some.watch.chunks[2], some.watch.chunks[1]);
    EXPECT_LT(some.watch.chunks[3], some.watch.chunks[2]);
    EXPECT_GT(some.watch.chunks[4], some.watch.chunks[3]) << "grows again";
    EXPECT_GT(some.watch.chunks[5], some.watch.chunks[4]);
}

TEST_P(brakes, the_size_that_was_fitted_outlives_the_pass) {
    make_field_tables(database());
    make(database(), "INSERT INTO org VALUES (1, 0); INSERT INTO proj VALUES (1, 1); INSERT INTO issue VALUES (1, 1);");
    fill(*database().open(), "event", 25'000, [](std::int64_t i) { return list(i, 1); });
    worker first(database(), field_models());
    first.set("deletion.pass_rows", "12000");
    first.schedule("field.Org", one);
    first.time.each_look = std::chrono::milliseconds(200);
    EXPECT_EQ(first.run().outcome, deletion_outcome::yielded);
    ASSERT_GE(first.watch.chunks.size(), 2U);
    EXPECT_EQ(first.watch.chunks.front(), 10'000);
    const std::int64_t done = first.watch.rows_done;
    const winnow::row_counts sizes = winnow::fitted_chunks_of(*first.database, winnow::silo::cell, first.request().id);
    ASSERT_EQ(sizes.size(), 1U);
    EXPECT_EQ(sizes[0].first, "field.Event");
    EXPECT_LE(sizes[0].second, 5'000);
    const winnow::row_counts gone = winnow::counts_of(*first.database, winnow::silo::cell, first.request().id);
    EXPECT_EQ(gone, (winnow::row_counts{{"field.Event", first.request().rows_done}})) << "sizes are no counts";

    // Another process; statements are fast for it, so that it only grows from where the first one stopped.
    worker second(database(), field_models());
    EXPECT_EQ(second.run().outcome, deletion_outcome::yielded);
    ASSERT_FALSE(second.watch.chunks.empty());
    EXPECT_EQ(second.watch.chunks.front(), done + sizes[0].second) << "the first report counts from the beginning";
    second.set("deletion.pass_rows", "0");
    EXPECT_EQ(second.run().outcome, deletion_outcome::completed);
    const std::vector<winnow::audit_entry> audit = winnow::list_audit(*second.database, "field.Org", "1");
    ASSERT_FALSE(audit.empty());
    EXPECT_THAT(audit.back().progress,
                testing::AllOf(HasSubstr("\"field.Event\": 25000"), testing::Not(HasSubstr("#chunk"))));
}

TEST_P(brakes, a_size_that_a_time_out_halved_is_kept_although_its_chunk_was_rolled_back) {
    make_field_tables(database());
    fill_field(database());
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    winnow::deletion_work work = winnow::detail::begin_work(some.with(), *some.claim(), some.model("field.Org"));
    work.tuning[some.model("field.Event")].now = 625;
    (void)winnow::detail::put_down(work, deletion_outcome::waiting, {"waiting", "a test", "", 0, false}, "failed");
    EXPECT_EQ(winnow::fitted_chunks_of(*some.database, winnow::silo::cell, some.request().id),
              (winnow::row_counts{{"field.Event", 625}}));
    const auto begun = [&] {
        winnow::deletion_work next = winnow::detail::begin_work(some.with(), *some.claim(), some.model("field.Org"));
        (void)winnow::detail::put_down(next, deletion_outcome::waiting, {"waiting", "a test", "", 0, false}, "failed");
        return next.tuning[some.model("field.Event")].now;
    };
    EXPECT_EQ(begun(), 625);
    some.set("deletion.target_milliseconds", "0");
    EXPECT_EQ(begun(), 10'000) << "it could never grow again";
    EXPECT_EQ(winnow::list_audit(*some.database, "field.Org", "1").back().progress, "{}");
}

}  // namespace
