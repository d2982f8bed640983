// SPDX-License-Identifier: Apache-2.0
// Rate limits, health and lag queries, and chunks that adapt to the time they take.

#include <gmock/gmock.h>

#include "integration/deletion/watched_connection.hpp"
#include "integration/deletion/worker.hpp"
#include "support/table_plans.hpp"
#include "winnow/deletion/why.hpp"

namespace {

using namespace winnow_test;
using testing::Each;
using testing::HasSubstr;
using testing::Le;
using winnow::deletion_outcome;

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
    some.set("deletion.attempts", "1");
    some.schedule("field.Org", one);
    for (int pass = 0; pass < 4; ++pass) {
        const winnow::deletion_report report = some.run();
        EXPECT_EQ(report.outcome, deletion_outcome::waiting);
        EXPECT_FALSE(report.retried);
        some.end_waits();
    }
    const winnow::deletion_request row = some.request();
    EXPECT_EQ(row.attempts, 0) << "it is no fault of the deletion";
    EXPECT_THAT(row.last_error, HasSubstr("nowhere"));
    EXPECT_THAT(row.state_detail, HasSubstr("the health query cannot be asked"));
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org());
    EXPECT_EQ(some.watch.pending, 0) << "nobody is told of a deletion that has not begun";
    some.set("deletion.health_query", "SELECT 1");
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
}

TEST_P(brakes, a_health_query_has_to_answer_before_it_is_asked_again) {
    make_limited(5, 0);
    worker some(database(), limited_models());
    some.set("deletion.brake_seconds", "1");
    some.set("deletion.health_query", database().kind() == winnow::dialect::postgres
                                          ? "SELECT true FROM pg_sleep(60)"
                                          : "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                                            "SELECT count(*) FROM n");
    some.schedule("limited.Parent", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::waiting);
    EXPECT_THAT(report.detail, HasSubstr("the health query takes longer than 1 s"));
    EXPECT_EQ(some.request().attempts, 0);
    EXPECT_EQ(count("limited_bulk"), 10);
}

TEST_P(brakes, the_row_says_since_when_the_same_brake_is_on) {
    make_limited(5, 0);
    worker some(database(), limited_models());
    some.set("deletion.lag_query", "SELECT 60");
    some.schedule("limited.Parent", one);
    EXPECT_EQ(some.run().detail, "replica lag is 60 s");
    const std::string first = some.request().state_since;
    some.end_waits();
    some.set("deletion.lag_query", "SELECT 61");
    EXPECT_EQ(some.run().detail, "replica lag is 61 s");
    EXPECT_EQ(some.request().state_since, first) << "another text, the same brake";
    EXPECT_EQ(winnow::counts_of(*some.database, winnow::silo::cell, some.request().id), winnow::row_counts{});
    some.end_waits();
    some.set("deletion.health_query", "SELECT 0");
    some.set("deletion.lag_query", "");
    EXPECT_THAT(some.run().detail, HasSubstr("health query says no"));
    EXPECT_GT(some.request().state_since, first) << "another brake";
    some.end_waits();
    some.set("deletion.health_query", "");
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
    EXPECT_EQ(winnow::list_audit(*some.database, "limited.Parent", "1").back().progress.find('#'), std::string::npos);
}

/// A window of an hour that begins so many hours after the present one; the database's clock, UTC.
[[nodiscard]] std::string hour_window(const fresh_database& of, int ahead) {
    const std::int64_t hour =
        of.number(of.kind() == winnow::dialect::postgres ? "SELECT extract(hour FROM now() AT TIME ZONE 'UTC')::bigint"
                                                         : "SELECT cast(strftime('%H', 'now') AS integer)");
    const auto text = [](std::int64_t of_day) { return (of_day < 10 ? "0" : "") + std::to_string(of_day) + ":00"; };
    return text((hour + ahead) % 24) + "-" + text((hour + ahead) % 24 + 1);
}

TEST_P(brakes, outside_its_windows_nothing_is_claimed_and_show_says_until_when) {
    make_limited(5, 0);
    worker some(database(), limited_models());
    some.set("deletion.windows", hour_window(database(), 3));
    some.schedule("limited.Parent", one);
    EXPECT_FALSE(some.run_next());
    EXPECT_EQ(count("limited_bulk"), 10);
    EXPECT_EQ(some.watch.pending, 0);
    const std::string why = winnow::why_not_gone(some.with(), some.model("limited.Parent"), {&one, 1});
    EXPECT_THAT(why, HasSubstr("outside the windows " + hour_window(database(), 3) + " (UTC) since 20"));
    EXPECT_THAT(why, HasSubstr(", until 20"));
    EXPECT_THAT(why, HasSubstr(":00."));
    const winnow::error refused = error_of([&] { some.exec_sync("limited.Parent", std::int64_t{2}); });
    EXPECT_EQ(refused.kind(), winnow::failure::refused);
    EXPECT_THAT(refused.what(), HasSubstr("outside the windows"));
    // An option counts at once, whatever the row was told before.
    some.set("deletion.windows", "mon-sun");
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
}

TEST_P(brakes, a_window_that_closes_stops_the_deletion_within_a_chunk) {
    make_limited(60, 0);
    worker some(database(), limited_models());
    some.set("deletion.brake_seconds", "0");
    some.set("deletion.target_milliseconds", "0");
    some.schedule("limited.Parent", one);
    some.watch.on_progress = [&](const winnow::deletion_progress&) {
        worker(database(), limited_models()).set("deletion.windows", hour_window(database(), 3));
    };
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::waiting);
    EXPECT_THAT(report.detail, HasSubstr("outside the windows"));
    EXPECT_EQ(some.watch.chunks.size(), 1U);
    EXPECT_LE(report.wait_seconds, 1.0) << "a window may be opened by an option at any time";
    EXPECT_THAT(some.request().state_detail, HasSubstr(", until 20"));
    some.watch.on_progress = nullptr;
    some.end_waits();
    some.set("deletion.windows", hour_window(database(), 0) + ", " + hour_window(database(), 1));
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
}

TEST_P(brakes, replicas_that_do_not_stream_count_as_lagging) {
    make_limited(5, 0);
    worker some(database(), limited_models());
    some.set("deletion.replicas", "1");
    some.schedule("limited.Parent", one);
    const winnow::deletion_report report = some.run();
    if (database().kind() == winnow::dialect::sqlite) {
        EXPECT_EQ(report.outcome, deletion_outcome::completed) << "it has none";
        return;
    }
    EXPECT_EQ(report.outcome, deletion_outcome::waiting);
    EXPECT_EQ(report.detail, "0 of 1 replicas stream; one that has stopped counts as lagging");
    EXPECT_EQ(some.request().last_error, "") << "nothing is broken about the brake";
    EXPECT_EQ(count("limited_bulk"), 10);
}

TEST_P(brakes, what_is_no_window_is_refused_and_what_is_stored_anyhow_holds_everything) {
    make_limited(5, 0);
    worker some(database(), limited_models());
    for (const char* option : {"deletion.windows", "backfill.windows"}) {
        const winnow::error refused = error_of([&] { some.set(option, "weekdays"); });
        EXPECT_EQ(refused.kind(), winnow::failure::usage);
        EXPECT_THAT(refused.what(), HasSubstr("`weekdays` is no window"));
        EXPECT_FALSE(some.with().options().stored(option));
    }
    EXPECT_THAT(error_of([&] { some.set("windows.time_zone", "Mars/Olympus"); }).what(),
                HasSubstr(database().kind() == winnow::dialect::postgres ? "no time zone `Mars/Olympus`"
                                                                         : "SQLite knows UTC only"));
    some.set("windows.time_zone", "UTC");
    some.schedule("limited.Parent", one);
    make(database(), "INSERT INTO winnow_option (name, value) VALUES ('deletion.windows', 'weekdays');");
    EXPECT_FALSE(some.run_next());
    EXPECT_THAT(winnow::why_not_gone(some.with(), some.model("limited.Parent"), {&one, 1}),
                HasSubstr("option `deletion.windows` holds no windows that can be read: `weekdays`"));
}

TEST(chunk_tuning, shrinks_to_the_target_and_grows_back) {
    using std::chrono::milliseconds;
    winnow::chunk_tuning chunk{1000, 1000, 1000};
    chunk.took(milliseconds(400), milliseconds(100), 1000);
    EXPECT_EQ(chunk.now, 250) << "in proportion";
    chunk.took(milliseconds(90), milliseconds(100), 250);
    EXPECT_EQ(chunk.now, 250) << "near the target it stays";
    chunk.took(milliseconds(20), milliseconds(100), 10);
    EXPECT_EQ(chunk.now, 250) << "a chunk that was not full says nothing";
    chunk.took(milliseconds(20), milliseconds(100), 250);
    EXPECT_EQ(chunk.now, 375);
    chunk.took(milliseconds(20), milliseconds(100), 300);
    EXPECT_EQ(chunk.now, 562) << "a set of whole parents seldom fills it";
    for (int i = 0; i < 10; ++i) chunk.took(milliseconds(1), milliseconds(100), chunk.now);
    EXPECT_EQ(chunk.now, 1000) << "never above what the plan allows";
    chunk.took(milliseconds(1'000'000), milliseconds(100), 1000);
    EXPECT_EQ(chunk.now, 1) << "never below one row";
    chunk.halve();
    EXPECT_EQ(chunk.now, 1);
    chunk.took(milliseconds(500), milliseconds(0), 1);
    EXPECT_EQ(chunk.now, 1) << "no target, no adapting";
    chunk.now = 1000;
    chunk.took(milliseconds(200), milliseconds(100), 500);
    EXPECT_EQ(chunk.now, 250) << "what the rows took that there were";
    chunk.took(milliseconds(200), milliseconds(100), 1);
    EXPECT_EQ(chunk.now, 31) << "one row may have waited for something else";
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
    // Each look at the clock costs so much that the first chunk of 2 500 rows is over the target.
    some.time.each_look = std::chrono::milliseconds(200);
    some.watch.on_progress = [&](const winnow::deletion_progress&) {
        if (some.watch.chunks.size() == 3) some.time.each_look = std::chrono::milliseconds(1);
    };
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
    ASSERT_GE(some.watch.chunks.size(), 6U);
    EXPECT_EQ(some.watch.chunks[0], 2'500);
    EXPECT_LE(some.watch.chunks[1], 1'250) << "in proportion to how far it was over the target";
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
    first.set("deletion.pass_rows", "3500");
    first.schedule("field.Org", one);
    first.time.each_look = std::chrono::milliseconds(200);
    EXPECT_EQ(first.run().outcome, deletion_outcome::yielded);
    ASSERT_GE(first.watch.chunks.size(), 2U);
    EXPECT_EQ(first.watch.chunks.front(), 2'500);
    const std::int64_t done = first.watch.rows_done;
    const winnow::row_counts sizes = winnow::fitted_chunks_of(*first.database, winnow::silo::cell, first.request().id);
    ASSERT_EQ(sizes.size(), 1U);
    EXPECT_EQ(sizes[0].first, "field.Event");
    EXPECT_LE(sizes[0].second, 1'250);
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

/// Looks below rows that found nothing were in an earlier chunk: the last step counts them all the same.
TEST_P(brakes, last_steps_are_sized_by_the_looks_before_them_too) {
    table_plans plans("looks");
    const std::size_t org = plans.add_table("org", {});
    const std::size_t team = plans.add_table("team", {{"org_id"}}, 1'000);
    plans.add_relation(org, team, "org_id", false);
    for (const char* leaf : {"badge", "trophy", "medal"})
        plans.add_relation(team, plans.add_table(leaf, {{"team_id"}}, 1'000), "team_id", false);
    plans.finish();
    const winnow::catalog models = plans.models();
    make(
        database(),
        "CREATE TABLE org (id {id}); CREATE TABLE team (id {id}, org_id bigint NOT NULL);"
        "CREATE TABLE badge (id {id}, team_id bigint NOT NULL); CREATE TABLE trophy (id {id}, team_id bigint NOT NULL);"
        "CREATE INDEX team_org ON team (org_id); CREATE INDEX badge_team ON badge (team_id);"
        "CREATE TABLE medal (id {id}, team_id bigint NOT NULL); CREATE INDEX medal_team ON medal (team_id);"
        "CREATE INDEX trophy_team ON trophy (team_id); INSERT INTO org VALUES (1);");
    fill(*database().open(), "team", 600, [](std::int64_t i) { return list(i, 1); });
    fill(*database().open(), "badge", 600, [](std::int64_t i) { return list(i, i); });
    auto opened = std::make_unique<watched_connection>(database().open());
    watched_connection& watched = *opened;
    worker some(std::move(opened), models);
    std::vector<std::size_t> together;
    bool looked = false;  // what was passed over once costs nothing the second time
    watched.with_parameters = [&](std::string_view text, std::span<const winnow::parameter> with) {
        const std::size_t rows = with.empty() || with[0].as_set() == nullptr ? 0 : with[0].as_set()->size();
        if (text.starts_with("DELETE FROM \"team\"")) {
            together.push_back(rows);
            looked = false;
        } else if (text.find("count(*) FROM (SELECT 1 FROM \"trophy\"") != text.npos && !std::exchange(looked, true)) {
            some.time.advance(std::chrono::milliseconds(10 * rows));
        }
    };
    some.schedule("looks.org", one);
    const winnow::deletion_report report = some.run_to_end();
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    ASSERT_GE(together.size(), 10U);
    for (std::size_t set = 3; set < together.size(); ++set)
        EXPECT_LE(together[set], 10U) << "as many as can be looked at in 100 milliseconds, in set " << set;
}

}  // namespace
