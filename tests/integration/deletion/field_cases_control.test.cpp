// SPDX-License-Identifier: Apache-2.0
// Field cases about waiting, batches, caps and failures.

#include <gmock/gmock.h>

#include <stdexcept>

#include "integration/deletion/worker.hpp"

namespace {

using namespace winnow_test;
using testing::HasSubstr;
using winnow::cancel_answer;
using winnow::deletion_outcome;

winnow::key_set ids(std::int64_t first, std::int64_t last) {
    winnow::key_set keys(1);
    for (std::int64_t id = first; id <= last; ++id) {
        const winnow::value key = id;
        keys.push_back({&key, 1});
    }
    return keys;
}

TEST_P(field_cases, A_16_a_stopped_replica_is_not_healthy) {
    make_field_tables(database());
    fill_field(database());
    make(database(), "CREATE TABLE lag (seconds double precision); INSERT INTO lag VALUES (0.1);");
    worker some(database(), field_models());
    some.set("deletion.lag_query", "SELECT seconds FROM lag");
    some.set("deletion.brake_seconds", "0");
    some.set("deletion.pass_rows", "5");
    some.schedule("field.Org", one);
    EXPECT_EQ(some.run().outcome, deletion_outcome::yielded);
    const std::int64_t left = left_of_org(database(), {}, 1);
    EXPECT_LT(left, field_rows{}.of_one_org());

    make(database(), "UPDATE lag SET seconds = NULL;");
    const winnow::deletion_report waits = some.run();
    EXPECT_EQ(waits.outcome, deletion_outcome::waiting);
    EXPECT_THAT(waits.detail, HasSubstr("replica not running"));
    EXPECT_EQ(some.request().state, "waiting");
    EXPECT_THAT(some.request().state_detail, HasSubstr("replica not running"));
    EXPECT_EQ(some.request().attempts, 0) << "waiting is no failure";
    EXPECT_FALSE(some.run_next()) << "no worker is kept meanwhile";
    some.end_waits();
    EXPECT_EQ(some.run().outcome, deletion_outcome::waiting);
    EXPECT_EQ(left_of_org(database(), {}, 1), left) << "nothing goes meanwhile";

    make(database(), "UPDATE lag SET seconds = 30;");
    some.end_waits();
    EXPECT_THAT(some.run().detail, HasSubstr("replica lag is 30"));

    make(database(), "UPDATE lag SET seconds = 0.1;");
    some.end_waits();
    some.set("deletion.pass_rows", "0");
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
}

TEST_P(field_cases, A_22_wrong_list_scheduled_in_bulk) {
    make_field_tables(database());
    fill_field(database(), {.orgs = 500, .projs = 1, .issues = 1, .events = 1});
    worker some(database(), field_models());
    some.set("deletion.max_objects", "500");
    some.actor = "ana";
    winnow::schedule_options how = at_once();
    how.batch = "spring-clean";
    EXPECT_EQ(winnow::schedule_many(some.with(), some.model("field.Org"), ids(1, 500), how), "spring-clean");
    EXPECT_EQ(some.requests({.batch = "spring-clean"}).size(), 500U);

    worker stops(database(), field_models());
    stops.actor = "ben";
    std::int64_t gone_at_pause = -1;
    some.watch.on_progress = [&](const winnow::deletion_progress& now) {
        if (gone_at_pause >= 0 || now.object_id != "2") return;
        gone_at_pause = 2000 - count("org") - count("proj") - count("issue") - count("event");
        winnow::pause(stops.with(), winnow::pause_scope::batch, "spring-clean");
    };
    const auto last = some.run_all();
    ASSERT_TRUE(last);
    EXPECT_EQ(last->outcome, deletion_outcome::paused);
    EXPECT_EQ(2000 - count("org") - count("proj") - count("issue") - count("event"), gone_at_pause)
        << "within one chunk";
    EXPECT_FALSE(some.run_next()) << "nothing of the batch is due while it is paused";

    // Ten stay scheduled: 3 to 12; the two that were worked on are cancelled or done.
    int before_start = 0;
    for (std::int64_t id = 13; id <= 500; ++id)
        before_start += stops.cancel("field.Org", id).answer == cancel_answer::before_start ? 1 : 0;
    EXPECT_EQ(before_start, 488);
    EXPECT_EQ(stops.cancel("field.Org", std::int64_t{1}).answer, cancel_answer::already_done);
    EXPECT_EQ(stops.cancel("field.Org", std::int64_t{2}).answer, cancel_answer::stopped);
    EXPECT_EQ(some.requests().size(), 10U);
    EXPECT_TRUE(winnow::resume(stops.with(), winnow::pause_scope::batch, "spring-clean"));
    EXPECT_FALSE(winnow::resume(stops.with(), winnow::pause_scope::batch, "spring-clean"));
    EXPECT_EQ(some.run_all()->outcome, deletion_outcome::completed);
    EXPECT_EQ(database().number("SELECT count(*) FROM org WHERE id BETWEEN 3 AND 12"), 0);
    EXPECT_EQ(database().number("SELECT count(*) FROM event WHERE id > 12"), 488);
    EXPECT_EQ(database().number("SELECT count(*) FROM org WHERE id > 12 AND status = 0"), 488);

    const auto audit = winnow::list_audit(*some.database, "field.Org", "200");
    ASSERT_EQ(audit.size(), 2U);
    EXPECT_EQ(audit[0].action + " " + audit[0].actor + " " + audit[0].batch, "scheduled ana spring-clean");
    EXPECT_EQ(audit[1].action + " " + audit[1].actor + " " + audit[1].batch, "cancelled ben spring-clean");
    std::string decisions;
    for (const winnow::audit_entry& entry : winnow::list_audit(*some.database, "", "", 10'000))
        if (entry.model.empty()) decisions += entry.action + " " + entry.actor + " " + entry.detail + ";";
    EXPECT_EQ(decisions, "paused ben batch spring-clean;resumed ben batch spring-clean;");
}

TEST_P(field_cases, A_22_a_batch_is_cancelled_as_a_whole) {
    make_field_tables(database());
    fill_field(database(), {.orgs = 3, .projs = 1, .issues = 1, .events = 1});
    worker some(database(), field_models());
    const std::string batch = winnow::schedule_many(some.with(), some.model("field.Org"), ids(1, 2), at_once());
    some.schedule("field.Org", std::int64_t{3});
    EXPECT_EQ(winnow::cancel_batch(some.with(), batch).size(), 2U);
    EXPECT_EQ(some.request().object_id, "3");
    EXPECT_TRUE(winnow::cancel_batch(some.with(), batch).empty());
}

TEST_P(field_cases, A_23_a_purge_needs_a_permit) {
    make_field_tables(database());
    fill_field(database());
    worker some(database(), field_models());
    winnow::schedule_options how;
    how.days = 0;
    const winnow::error refused = error_of([&] { some.schedule("field.Org", one, how); });
    EXPECT_EQ(refused.kind(), winnow::failure::refused);
    EXPECT_THAT(refused.what(), HasSubstr("permit"));
    EXPECT_TRUE(some.requests().empty());
    EXPECT_EQ(database().number("SELECT status FROM org WHERE id = 1"), 0);
    how.permit = winnow::permit_purge;
    EXPECT_NO_THROW(some.schedule("field.Org", one, how));
}

TEST_P(field_cases, A_23_at_most_a_hundred_objects_in_one_call) {
    make_field_tables(database());
    fill_field(database(), {.orgs = 101, .projs = 1, .issues = 1, .events = 1});
    worker some(database(), field_models());
    const winnow::error refused =
        error_of([&] { (void)winnow::schedule_many(some.with(), some.model("field.Org"), ids(1, 101), at_once()); });
    EXPECT_EQ(refused.kind(), winnow::failure::refused);
    EXPECT_THAT(refused.what(), HasSubstr("101 objects of field.Org"));
    EXPECT_TRUE(some.requests().empty());
    EXPECT_EQ(database().number("SELECT count(*) FROM org WHERE status <> 0"), 0);
    (void)winnow::schedule_many(some.with(), some.model("field.Org"), ids(1, 100), at_once());
    EXPECT_EQ(some.requests().size(), 100U);
}

TEST_P(field_cases, A_24_a_failed_delete_stays_in_view) {
    make_hooked(database(), 2, 5);
    spy().before_delete = [](std::int64_t id, const winnow::hook_context&) {
        if (id == 3) throw std::runtime_error("the archive is down");
    };
    worker some(database(), hooked_models());
    some.set("deletion.attempts", "2");
    some.set("deletion.retry_seconds", "0");
    some.set("deletion.target_milliseconds", "0");
    some.schedule("hooked.Parent", one);
    EXPECT_EQ(some.run().outcome, deletion_outcome::waiting);
    EXPECT_THAT(some.request().last_error, HasSubstr("the archive is down"));
    EXPECT_EQ(some.run().outcome, deletion_outcome::waiting);
    EXPECT_EQ(some.run().outcome, deletion_outcome::failed);
    EXPECT_FALSE(some.run_next()) << "nothing loops for ever";

    const auto failed = some.requests({.state = "failed"});
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_EQ(failed[0].model, "hooked.Parent");
    EXPECT_EQ(failed[0].object_id, "1");
    EXPECT_EQ(failed[0].attempts, 3);
    EXPECT_THAT(failed[0].last_error, HasSubstr("hooked.Child 3: before_delete failed: the archive is down"));
    const winnow::row_counts gone = winnow::counts_of(*some.database, winnow::silo::cell, failed[0].id);
    EXPECT_EQ(gone, (winnow::row_counts{{"hooked.Child", 2}}));
    EXPECT_EQ(count("child"), 8);

    spy().before_delete = nullptr;
    EXPECT_TRUE(some.retry("hooked.Parent", one));
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::completed);
    EXPECT_EQ(report.rows, 6);
    EXPECT_EQ(count("child"), 5);
    EXPECT_EQ(some.audit("hooked.Parent", "1"), "scheduled started failed retried completed");
}

}  // namespace
