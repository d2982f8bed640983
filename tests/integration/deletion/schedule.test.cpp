// SPDX-License-Identifier: Apache-2.0
// What scheduling writes, and what it refuses.

#include <gmock/gmock.h>

#include "integration/deletion/worker.hpp"
#include "winnow/store/transaction.hpp"

namespace {

using namespace winnow_test;
using testing::HasSubstr;
using testing::MatchesRegex;
using winnow::cancel_answer;
using winnow::deletion_outcome;

class scheduling : public deletion_test {
protected:
    void SetUp() override {
        deletion_test::SetUp();
        make_field_tables(database());
        fill_field(database());
        some.emplace(database(), field_models());
    }
    void TearDown() override {
        some.reset();
        deletion_test::TearDown();
    }
    [[nodiscard]] std::int64_t status_of(std::int64_t org) const {
        return database().number("SELECT status FROM org WHERE id = " + std::to_string(org));
    }
    std::optional<worker> some;
};
INSTANTIATE_TEST_SUITE_P(databases, scheduling, all_databases(), name_of_database);

TEST_P(scheduling, gives_thirty_days_of_grace) {
    const winnow::scheduled_deletion done = some->schedule("field.Org", one, {});
    EXPECT_THAT(done.guid, MatchesRegex("[0-9a-f]{32}"));
    EXPECT_FALSE(done.moved);
    const winnow::deletion_request row = some->request();
    EXPECT_EQ(row.guid, done.guid);
    EXPECT_EQ(row.model, "field.Org");
    EXPECT_EQ(row.object_id, "1");
    EXPECT_EQ(row.date_scheduled, done.date_scheduled);
    EXPECT_NEAR(row.seconds_until_due, 30 * 86400.0, 60);
    EXPECT_FALSE(row.actor);
    EXPECT_EQ(row.data, "{}");
    EXPECT_FALSE(row.in_progress);
    ASSERT_EQ(some->watch.times("deletion scheduled"), 1);
    EXPECT_EQ(some->watch.lines.back().label("transaction_id"), done.guid);
    EXPECT_FALSE(some->run_next()) << "not due";
    EXPECT_EQ(status_of(1), 2) << "pending";
}

TEST_P(scheduling, again_moves_the_date_and_adds_no_row) {
    winnow::schedule_options how;
    how.days = 0;
    how.hours = 1;
    how.actor = 7;
    how.data = R"({"a": 1})";
    const winnow::scheduled_deletion first = some->schedule("field.Org", one, how);
    how.hours = 0;
    how.days = 3;
    how.actor = 8;
    how.data = R"({"b": "ü 'quoted'"})";
    const winnow::scheduled_deletion second = some->schedule("field.Org", one, how);
    EXPECT_TRUE(second.moved);
    EXPECT_EQ(second.guid, first.guid);
    EXPECT_NE(second.date_scheduled, first.date_scheduled);
    const winnow::deletion_request row = some->request();
    EXPECT_NEAR(row.seconds_until_due, 3 * 86400.0, 60);
    EXPECT_EQ(row.actor, 8);
    EXPECT_THAT(row.data, HasSubstr("ü 'quoted'"));
    EXPECT_EQ(some->audit("field.Org", "1"), "scheduled rescheduled");
}

TEST_P(scheduling, refuses_what_is_no_json_and_changes_nothing) {
    for (const std::string_view bad :
         {"{", "", "{'a': 1}", "{\"a\": 1} x", "nonsense", "{\"a\": 1,}", "\"\\q\"", "[1, 2"}) {
        winnow::schedule_options how;
        how.data = bad;
        const winnow::error refused = error_of([&] { some->schedule("field.Org", one, how); });
        EXPECT_EQ(refused.kind(), winnow::failure::usage) << bad;
        EXPECT_THAT(refused.what(), HasSubstr("JSON")) << bad;
        EXPECT_TRUE(some->requests().empty()) << bad;
        EXPECT_EQ(status_of(1), 0) << bad;
    }
    // An existing schedule is not touched either, and an open transaction of the caller stays usable.
    some->schedule("field.Org", one, {});
    const winnow::deletion_request before = some->request();
    winnow::transaction outer(*some->database);
    winnow::schedule_options how;
    how.days = 1;
    how.data = "{broken";
    EXPECT_EQ(error_of([&] { some->schedule("field.Org", one, how); }).kind(), winnow::failure::usage);
    EXPECT_EQ(error_of([&] { some->schedule("field.Org", std::int64_t{2}, how); }).kind(), winnow::failure::usage);
    outer.commit();
    EXPECT_EQ(some->request().date_scheduled, before.date_scheduled);
    EXPECT_EQ(status_of(2), 0);
    for (const std::string_view good :
         {"{}", "[]", " {\"a\": [1, -2.5e+3, true, null, \"\\u00fc\\n\"]} ", "{\"a\": {\"b\": {}}}"}) {
        how.data = good;
        EXPECT_NO_THROW(some->schedule("field.Org", one, how)) << good;
    }
}

TEST_P(scheduling, joins_the_callers_transaction) {
    {
        winnow::transaction outer(*some->database);
        some->schedule("field.Org", one, {});
        outer.rollback();
    }
    EXPECT_TRUE(some->requests().empty());
    EXPECT_EQ(status_of(1), 0);
    winnow::transaction outer(*some->database);
    some->schedule("field.Org", one, {});
    EXPECT_TRUE(some->database->in_transaction());
    outer.commit();
    EXPECT_EQ(some->request().object_id, "1");
}

TEST_P(scheduling, refuses_a_missing_object_and_dates_in_the_past) {
    const winnow::error missing = error_of([&] { some->schedule("field.Org", std::int64_t{99}, {}); });
    EXPECT_EQ(missing.kind(), winnow::failure::not_found);
    EXPECT_THAT(missing.what(), HasSubstr("field.Org 99 does not exist"));
    winnow::schedule_options how;
    how.days = -1;
    EXPECT_EQ(error_of([&] { some->schedule("field.Org", one, how); }).kind(), winnow::failure::usage);
    EXPECT_TRUE(some->requests().empty());
    EXPECT_EQ(winnow::list_audit(*some->database, "", "").size(), 0U);
}

TEST_P(scheduling, many_are_scheduled_all_or_none) {
    winnow::key_set both(1);
    const winnow::value ids[] = {std::int64_t{1}, std::int64_t{99}};
    for (const winnow::value& id : ids) both.push_back({&id, 1});
    EXPECT_EQ(error_of([&] { (void)winnow::schedule_many(some->with(), some->model("field.Org"), both, {}); }).kind(),
              winnow::failure::not_found);
    EXPECT_TRUE(some->requests().empty());
    EXPECT_EQ(status_of(1), 0);
}

TEST_P(scheduling, the_status_follows_the_deletion) {
    some->schedule("field.Org", one);
    EXPECT_EQ(status_of(1), 2) << "pending";
    some->set("deletion.pass_rows", "1");
    EXPECT_EQ(some->run().outcome, deletion_outcome::yielded);
    EXPECT_EQ(status_of(1), 3) << "in progress once the first chunk has run";
    EXPECT_EQ(status_of(2), 0);

    some->schedule("field.Org", std::int64_t{2}, {});
    EXPECT_EQ(status_of(2), 2);
    EXPECT_EQ(some->cancel("field.Org", std::int64_t{2}).answer, cancel_answer::before_start);
    EXPECT_EQ(status_of(2), 0) << "active again";
}

TEST_P(scheduling, a_hidden_object_keeps_its_status) {
    make(database(), "UPDATE org SET status = 1 WHERE id = 1;");
    some->schedule("field.Org", one, {});
    EXPECT_EQ(status_of(1), 1);
    some->cancel("field.Org", one);
    EXPECT_EQ(status_of(1), 1);
}

TEST_P(scheduling, should_proceed_drops_it_and_deletes_nothing) {
    some->schedule("field.Org", one);
    make(database(), "UPDATE org SET status = 0 WHERE id = 1;");  // somebody restored it
    const winnow::deletion_report report = some->run();
    EXPECT_EQ(report.outcome, deletion_outcome::dropped);
    EXPECT_THAT(report.detail, HasSubstr("should_proceed"));
    EXPECT_TRUE(some->requests().empty());
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org());
    EXPECT_EQ(some->watch.pending, 0);
    EXPECT_EQ(some->audit("field.Org", "1"), "scheduled dropped");
    EXPECT_EQ(some->cancel("field.Org", one).answer, cancel_answer::not_scheduled);
}

TEST_P(scheduling, should_proceed_is_asked_in_every_chunk) {
    some->schedule("field.Org", one);
    int asked = 0;
    spy().should_proceed = [&](std::int64_t, bool) { return ++asked <= 3; };
    const winnow::deletion_report report = some->run();
    EXPECT_EQ(report.outcome, deletion_outcome::dropped);
    EXPECT_GT(report.rows, 0);
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org() - report.rows);
    EXPECT_EQ(count("org"), 2);
    EXPECT_TRUE(some->requests().empty());
}

TEST_P(scheduling, an_object_that_went_by_itself_is_dropped) {
    some->schedule("field.Proj", one);
    make(database(),
         "DELETE FROM event WHERE issue_id <= 3; DELETE FROM issue WHERE proj_id = 1; DELETE FROM proj WHERE id = 1;");
    EXPECT_EQ(some->run().outcome, deletion_outcome::dropped);
    EXPECT_TRUE(some->requests().empty());
    EXPECT_EQ(some->audit("field.Proj", "1"), "scheduled dropped");
}

TEST_P(scheduling, one_object_can_be_paused) {
    some->schedule("field.Org", one);
    EXPECT_TRUE(some->pause("field.Org", one));
    EXPECT_EQ(some->request().paused_by, "tester");
    EXPECT_FALSE(some->run_next());
    EXPECT_TRUE(some->resume("field.Org", one));
    EXPECT_FALSE(some->request().paused_by);
    EXPECT_EQ(some->run().outcome, deletion_outcome::completed);
    EXPECT_FALSE(some->pause("field.Org", one)) << "not scheduled";
    EXPECT_EQ(some->audit("field.Org", "1"), "scheduled paused resumed started completed");
}

TEST_P(scheduling, everything_or_one_model_can_be_paused) {
    some->schedule("field.Org", one);
    some->schedule("field.Proj", std::int64_t{4});
    winnow::pause(some->with(), winnow::pause_scope::model, "field.Org");
    const winnow::deletion_report report = some->run();
    EXPECT_EQ(report.model, "field.Proj");
    EXPECT_FALSE(some->run_next());
    winnow::pause(some->with(), winnow::pause_scope::all);
    EXPECT_TRUE(winnow::resume(some->with(), winnow::pause_scope::model, "field.Org"));
    EXPECT_FALSE(some->run_next());
    EXPECT_TRUE(winnow::resume(some->with(), winnow::pause_scope::all));
    EXPECT_EQ(some->run().outcome, deletion_outcome::completed);
    EXPECT_EQ(error_of([&] { winnow::pause(some->with(), winnow::pause_scope::model, "field.Orgg"); }).kind(),
              winnow::failure::not_found);
}

}  // namespace
