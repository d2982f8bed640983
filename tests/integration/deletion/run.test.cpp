// SPDX-License-Identifier: Apache-2.0
// How deletions run: hooks, passes, failures, calls that wait, and what is left to read afterwards.

#include <gmock/gmock.h>

#include <stdexcept>

#include "integration/deletion/worker.hpp"
#include "winnow/deletion/why.hpp"

namespace {

using namespace winnow_test;
using testing::HasSubstr;
using winnow::cancel_answer;
using winnow::deletion_outcome;

class running : public deletion_test {
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
    std::optional<worker> some;
};
INSTANTIATE_TEST_SUITE_P(databases, running, all_databases(), name_of_database);

TEST_P(running, pending_delete_is_sent_once_and_first) {
    int told = 0;
    std::string seen;
    spy().pending_delete = [&](std::int64_t id, const winnow::hook_context& context) {
        ++told;
        EXPECT_EQ(left_of_org(database(), {}, id), field_rows{}.of_one_org()) << "nothing is gone yet";
        seen = std::string(context.model) + " " + std::string(context.transaction_id) + " " +
               std::to_string(context.actor.value_or(-1)) + " " + std::string(context.data);
    };
    winnow::schedule_options how = at_once();
    how.actor = 42;
    how.data = R"({"why": "asked"})";
    const winnow::scheduled_deletion row = some->schedule("field.Org", one, how);
    some->set("deletion.pass_rows", "1");
    EXPECT_EQ(some->run().outcome, deletion_outcome::yielded);
    EXPECT_EQ(some->run().outcome, deletion_outcome::yielded);
    some->set("deletion.pass_rows", "0");
    EXPECT_EQ(some->run().outcome, deletion_outcome::completed);
    EXPECT_EQ(told, 1);
    EXPECT_EQ(some->watch.pending, 1);
    EXPECT_EQ(seen, "field.Org " + row.guid + " 42 {\"why\": \"asked\"}");
}

TEST_P(running, every_pass_moves_however_small_its_budget) {
    some->schedule("field.Org", one);
    some->set("deletion.pass_milliseconds", "1");
    some->time.each_look = std::chrono::milliseconds(50);
    std::int64_t left = field_rows{}.of_one_org();
    int passes = 0;
    for (winnow::deletion_report report = some->run(); report.outcome != deletion_outcome::completed;
         report = some->run()) {
        ASSERT_EQ(report.outcome, deletion_outcome::yielded);
        ASSERT_LT(left_of_org(database(), {}, 1), left) << "R19";
        left = left_of_org(database(), {}, 1);
        ASSERT_LT(++passes, 100);
    }
    EXPECT_GE(passes, 2);
    EXPECT_EQ(left_of_org(database(), {}, 1), 0);
}

TEST_P(running, a_budget_of_rows_is_kept) {
    some->schedule("field.Org", one);
    some->set("deletion.pass_rows", "7");
    std::int64_t before = 0;
    for (winnow::deletion_report report = some->run();; report = some->run()) {
        EXPECT_LE(report.rows - before, 7);
        before = report.rows;
        if (report.outcome != deletion_outcome::yielded) break;
    }
    EXPECT_EQ(before, field_rows{}.of_one_org());
}

TEST_P(running, progress_is_on_the_row_and_in_the_observer) {
    some->schedule("field.Org", one);
    worker other(database(), field_models());
    bool seen = false;
    some->watch.on_progress = [&](const winnow::deletion_progress& now) {
        const winnow::deletion_request row = other.request();
        EXPECT_EQ(row.rows_done, now.rows_done);
        EXPECT_EQ(row.rows_total, field_rows{}.of_one_org());
        EXPECT_EQ(now.rows_total, field_rows{}.of_one_org());
        EXPECT_EQ(now.object_id, "1");
        EXPECT_EQ(row.state, "running");
        EXPECT_TRUE(row.in_progress);
        EXPECT_FALSE(row.lease_owner.empty());
        seen = true;
    };
    const winnow::deletion_report report = some->run();
    EXPECT_TRUE(seen);
    winnow::row_counts counts = report.by_model;
    std::sort(counts.begin(), counts.end());
    EXPECT_EQ(counts,
              (winnow::row_counts{{"field.Event", 24}, {"field.Issue", 6}, {"field.Org", 1}, {"field.Proj", 2}}));
}

TEST_P(running, a_failure_waits_and_is_tried_again) {
    some->schedule("field.Org", one);
    spy().pending_delete = [](std::int64_t, const winnow::hook_context&) { throw std::runtime_error("no mail"); };
    const winnow::deletion_report report = some->run();
    EXPECT_EQ(report.outcome, deletion_outcome::waiting);
    EXPECT_NEAR(report.wait_seconds, 300, 30);
    const winnow::deletion_request row = some->request();
    EXPECT_EQ(row.attempts, 1);
    EXPECT_EQ(row.state, "waiting");
    EXPECT_NEAR(row.seconds_to_wait, 300, 35);
    EXPECT_THAT(row.last_error, HasSubstr("field.Org 1: pending_delete failed: no mail"));
    EXPECT_FALSE(row.in_progress);
    EXPECT_FALSE(some->run_next());
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org());
    spy().pending_delete = nullptr;
    some->end_waits();
    EXPECT_EQ(some->run().outcome, deletion_outcome::completed);
}

TEST_P(running, exceptions_of_any_type_are_kept_out) {
    some->schedule("field.Org", one);
    spy().pending_delete = [](std::int64_t, const winnow::hook_context&) { throw 7; };
    EXPECT_EQ(some->run().outcome, deletion_outcome::waiting);
    EXPECT_THAT(some->request().last_error, HasSubstr("no std::exception"));
}

TEST_P(running, an_unknown_model_keeps_its_row) {
    some->schedule("field.Org", one);
    (void)some->database->execute_once("UPDATE winnow_cell_scheduled_deletion SET model_name = 'Gone'", {});
    const winnow::deletion_report report = some->run();
    EXPECT_EQ(report.outcome, deletion_outcome::waiting);
    const winnow::deletion_request row = some->request();
    EXPECT_EQ(row.model, "field.Gone");
    EXPECT_THAT(row.last_error, HasSubstr("field.Gone"));
    EXPECT_FALSE(row.in_progress);
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org());
    (void)some->database->execute_once("UPDATE winnow_cell_scheduled_deletion SET model_name = 'Org'", {});
    some->end_waits();
    EXPECT_EQ(some->run().outcome, deletion_outcome::completed) << "once the model is there";
}

constexpr winnow::relocation renamed[] = {
    {"old.Organisation", "older.Org"}, {"older.Org", "field.Org"}, {"loop.A", "loop.B"}, {"loop.B", "loop.A"}};

void rename_row(worker& some, std::string_view app, std::string_view model) {
    (void)some.database->execute_once("UPDATE winnow_cell_scheduled_deletion SET app_label = $1, model_name = $2",
                                      {app, model});
}

TEST_P(running, a_renamed_model_still_runs) {
    some->relocated = renamed;
    some->schedule("field.Org", one);
    rename_row(*some, "old", "Organisation");
    const winnow::deletion_report report = some->run();
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(left_of_org(database(), {}, 1), 0);
    EXPECT_EQ(some->cancel("field.Org", one).answer, cancel_answer::already_done);
}

TEST_P(running, a_renamed_model_can_be_cancelled_paused_and_rescheduled) {
    some->relocated = renamed;
    some->schedule("field.Org", one, {});
    rename_row(*some, "older", "Org");
    EXPECT_TRUE(some->pause("field.Org", one));
    EXPECT_TRUE(some->resume("field.Org", one));
    EXPECT_EQ(some->cancel("field.Org", one).answer, cancel_answer::before_start);
    EXPECT_EQ(database().number("SELECT status FROM org WHERE id = 1"), 0);
    EXPECT_TRUE(some->requests().empty());

    some->schedule("field.Org", one, {});
    rename_row(*some, "older", "Org");
    EXPECT_TRUE(some->schedule("field.Org", one).moved) << "one row for one object";
    EXPECT_EQ(some->request().model, "field.Org");
}

TEST_P(running, a_pause_of_the_new_key_holds_what_is_kept_under_the_old_one) {
    some->relocated = renamed;
    some->schedule("field.Org", one);
    rename_row(*some, "old", "Organisation");
    winnow::pause(some->with(), winnow::pause_scope::model, "field.Org");
    EXPECT_FALSE(some->run_next());
    EXPECT_THAT(winnow::why_not_gone(some->with(), some->request()),
                HasSubstr("old.Organisation 1: deletions of field.Org are paused by tester since"));
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org());
    EXPECT_TRUE(winnow::resume(some->with(), winnow::pause_scope::model, "field.Org"));

    // While it runs: it stops at the edge of a chunk.
    some->watch.on_progress = [&](const winnow::deletion_progress&) {
        winnow::pause(some->with(), winnow::pause_scope::model, "field.Org");
    };
    EXPECT_EQ(some->run().outcome, deletion_outcome::paused);
    EXPECT_EQ(some->watch.chunks.size(), 1U);
    some->watch.on_progress = nullptr;
    EXPECT_TRUE(winnow::resume(some->with(), winnow::pause_scope::model, "field.Org"));

    // A pause of another model holds nothing.
    winnow::pause(some->with(), winnow::pause_scope::model, "field.Proj");
    EXPECT_EQ(some->run().outcome, deletion_outcome::completed);
}

TEST_P(running, a_name_that_leads_nowhere_is_unknown) {
    some->relocated = renamed;
    some->schedule("field.Org", one);
    rename_row(*some, "loop", "A");
    EXPECT_EQ(some->run().outcome, deletion_outcome::waiting);
    EXPECT_EQ(some->request().model, "loop.A");
}

TEST_P(running, exec_sync_deletes_in_the_call) {
    some->set("deletion.pass_rows", "5");
    some->set("deletion.max_rows", "3");
    const winnow::deletion_report report = some->exec_sync("field.Org", one);
    EXPECT_EQ(report.outcome, deletion_outcome::completed);
    EXPECT_EQ(report.rows, field_rows{}.of_one_org());
    EXPECT_EQ(left_of_org(database(), {}, 1), 0);
    EXPECT_EQ(left_of_org(database(), {}, 2), field_rows{}.of_one_org());
    EXPECT_TRUE(some->requests().empty());
}

TEST_P(running, exec_sync_of_several) {
    winnow::key_set both(1);
    const winnow::value ids[] = {std::int64_t{3}, std::int64_t{1}};
    for (const winnow::value& id : ids) both.push_back({&id, 1});
    const std::vector<winnow::deletion_report> reports =
        winnow::exec_sync_many(some->with(), some->model("field.Proj"), both);
    ASSERT_EQ(reports.size(), 2U);
    EXPECT_EQ(reports[0].object_id, "3");
    EXPECT_EQ(reports[0].rows, 16);
    EXPECT_EQ(reports[1].outcome, deletion_outcome::completed);
    EXPECT_EQ(count("proj"), 2);
    EXPECT_EQ(count("org"), 2);
}

TEST_P(running, exec_sync_throws_at_once_when_it_fails) {
    spy().pending_delete = [](std::int64_t, const winnow::hook_context&) { throw std::runtime_error("no mail"); };
    const winnow::error failed = error_of([&] { (void)some->exec_sync("field.Org", one); });
    EXPECT_THAT(failed.what(), HasSubstr("no mail"));
    EXPECT_LT(some->time.slept, std::chrono::seconds(30)) << "a caller is not kept waiting for retries";
    EXPECT_EQ(some->request().attempts, 1) << "any worker goes on";
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org());
}

TEST_P(running, exec_sync_does_not_wait_for_a_pause) {
    winnow::pause(some->with(), winnow::pause_scope::all);
    const winnow::error refused = error_of([&] { (void)some->exec_sync("field.Org", one); });
    EXPECT_EQ(refused.kind(), winnow::failure::refused);
    EXPECT_THAT(refused.what(), HasSubstr("paused"));
}

TEST_P(running, exec_sync_of_a_missing_object) {
    EXPECT_EQ(error_of([&] { (void)some->exec_sync("field.Org", std::int64_t{9}); }).kind(),
              winnow::failure::not_found);
}

TEST_P(running, above_max_rows_it_waits_for_a_confirmation) {
    some->set("deletion.max_rows", "20");
    some->schedule("field.Org", one);
    const winnow::deletion_report report = some->run();
    EXPECT_EQ(report.outcome, deletion_outcome::unconfirmed);
    EXPECT_THAT(report.detail, HasSubstr("20 rows"));
    EXPECT_EQ(some->request().state, "unconfirmed");
    EXPECT_EQ(some->request().rows_total, field_rows{}.of_one_org());
    EXPECT_FALSE(some->run_next());
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org());
    EXPECT_EQ(some->watch.pending, 0) << "nobody is told of what may not happen";

    some->schedule("field.Proj", one);
    EXPECT_EQ(some->run().outcome, deletion_outcome::completed) << "16 rows are below the cap";

    EXPECT_TRUE(some->confirm("field.Org", one));
    EXPECT_EQ(some->run().outcome, deletion_outcome::completed);
    EXPECT_EQ(some->audit("field.Org", "1"), "scheduled unconfirmed confirmed started completed");
}

TEST_P(running, the_audit_outlives_the_object) {
    winnow::schedule_options how = at_once();
    how.actor = 5;
    const winnow::scheduled_deletion row = some->schedule("field.Org", one, how);
    EXPECT_EQ(some->run().outcome, deletion_outcome::completed);
    EXPECT_EQ(database().number("SELECT count(*) FROM org WHERE id = 1"), 0);
    const std::vector<winnow::audit_entry> audit = winnow::list_audit(*some->database, "field.Org", "1");
    ASSERT_EQ(audit.size(), 3U);
    EXPECT_EQ(audit[0].action, "scheduled");
    EXPECT_THAT(audit[0].detail, HasSubstr(row.date_scheduled));
    EXPECT_EQ(audit[1].action, "started");
    EXPECT_EQ(audit[2].action, "completed");
    EXPECT_EQ(audit[2].rows_done, field_rows{}.of_one_org());
    EXPECT_THAT(audit[2].progress, HasSubstr("\"field.Event\": 24"));
    for (const winnow::audit_entry& entry : audit) {
        EXPECT_EQ(entry.guid, row.guid);
        EXPECT_EQ(entry.actor, "tester");
        EXPECT_FALSE(entry.happened_at.empty());
    }
    EXPECT_EQ(database().number("SELECT count(*) FROM winnow_audit WHERE actor_id = 5"), 3);
}

TEST_P(running, an_object_without_children_goes_by_itself) {
    some->schedule("field.Event", std::int64_t{5});
    const winnow::deletion_report report = some->run();
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(report.rows, 1);
    EXPECT_EQ(count("event"), 47);
}

TEST_P(running, many_due_deletions_run_in_the_order_of_their_dates) {
    winnow::schedule_options later = at_once();
    later.hours = 1;
    some->schedule("field.Event", std::int64_t{1}, later);
    some->schedule("field.Event", std::int64_t{2});
    some->schedule("field.Event", std::int64_t{3});
    const std::vector<winnow::deletion_report> reports = winnow::run_scheduled_deletions(some->with());
    ASSERT_EQ(reports.size(), 2U);
    EXPECT_EQ(reports[0].object_id, "2");
    EXPECT_EQ(reports[1].object_id, "3");
    EXPECT_EQ(some->request().object_id, "1");
}

TEST_P(running, retry_needs_something_to_retry) {
    EXPECT_FALSE(some->retry("field.Org", one));
    some->schedule("field.Org", one, {});
    EXPECT_FALSE(some->retry("field.Org", one)) << "it has not failed";
}

TEST_P(running, the_pass_goes_on_when_the_root_went_meanwhile) {
    make(database(), "DROP TABLE event; DROP TABLE issue; DROP TABLE proj; DROP TABLE org;");
    make_field_tables(database(), {.keys = false, .indexes = true});
    fill_field(database());
    some->schedule("field.Org", one);
    some->set("deletion.pass_rows", "3");
    EXPECT_EQ(some->run().outcome, deletion_outcome::yielded);
    make(database(), "DELETE FROM org WHERE id = 1;");  // somebody else was quicker
    some->set("deletion.pass_rows", "0");
    const winnow::deletion_report report = some->run_to_end();
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(left_of_org(database(), {}, 1), 0) << "what it left behind is cleared";
}

}  // namespace
