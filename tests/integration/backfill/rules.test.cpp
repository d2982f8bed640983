// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/backfill/domain.hpp"
#include "integration/deletion/watched_connection.hpp"

/// Rules 14 to 17 of the protocol, each interleaving forced. 17 is in cursors_redis.test.cpp.
namespace winnow_test {
namespace {

using testing::HasSubstr;
using winnow::backfill_ending;
using winnow::backfill_record;
using winnow::backfill_stage;

class rule : public backfill_test {
protected:
    /// A process whose statements the test sees.
    backfiller watched_worker(const versioned_models& models) {
        auto session = std::make_unique<watched_connection>(database().open());
        watched_ = session.get();
        return {std::move(session), models.catalog()};
    }
    void run_sql(std::string_view script) const { database().run(script); }

    watched_connection* watched_ = nullptr;
};

TEST_P(rule, rule_14_a_version_is_announced_in_a_commit_of_its_own_before_the_bound_is_read) {
    add("t_organization", 2);
    backfiller one = watched_worker(models_);
    std::string seen;
    watched_->before = [&](std::string_view statement) {
        if (!statement.starts_with("SELECT min(") || statement.find("t_organization") == std::string_view::npos) return;
        seen = database()
                   .open()
                   ->execute_once("SELECT state FROM winnow_cell_backfill WHERE table_name = 't_organization'", {})
                   .text(0, 0);
        // A second writer of SQLite would wait for the transaction that is open here.
        if (database().kind() == dialect::sqlite) return;
        // Old code, without a message, after the announcement and before the bound.
        run_sql("INSERT INTO t_organization VALUES (7, 'late') ON CONFLICT DO NOTHING");
    };
    (void)one.to_the_end();
    EXPECT_EQ(seen, "announced");
    EXPECT_EQ(one.messages("cell", organization_update), database().kind() == dialect::postgres ? 3 : 2);
}

TEST_P(rule, rule_14_what_is_complete_is_announced_and_bounded_again_by_the_next_version) {
    add("t_organization", 3);
    backfiller one = worker(models_);
    (void)one.to_the_end();
    EXPECT_EQ(one.record("t_organization").version, 3);
    // Written by code that knew nothing of replication: version 3 has to find it, though the row says "version 3, 0".
    add("t_organization", 2, 50);
    const versioned_models third({{"t.Organization", 3}});
    backfiller two = worker(third);
    EXPECT_EQ(two.forced().rows, 5);
    EXPECT_EQ(two.record("t_organization").position(), (winnow::cursor_position{4, 0}));
}

TEST_P(rule, rule_14_an_empty_table_is_announced_too) {
    backfiller one = watched_worker(models_);
    bool announced = false;
    watched_->before_commit = [&] {
        for (const backfill_record& each : winnow::read_backfill(*one.session, winnow::silo::cell, "t_team"))
            announced = announced || each.stage == backfill_stage::announced;
    };
    (void)one.forced();
    EXPECT_TRUE(announced);
    EXPECT_EQ(one.record("t_team").stage, backfill_stage::complete);
    EXPECT_EQ(one.record("t_team").upper, std::nullopt);
}

TEST_P(rule, rule_14_the_bound_stays_while_rows_are_born) {
    add("t_organization", 10);
    backfiller one = worker(models_);
    EXPECT_EQ(one.forced(4).rows, 4);
    add("t_organization", 1'000, 100);  // each with a message of its own
    EXPECT_EQ(one.forced().rows, 6) << "a busy table's backfill ends";
    EXPECT_EQ(one.record("t_organization").version, 3);
}

TEST_P(rule, rule_15_a_completed_row_has_not_announced_the_version_that_it_says) {
    add("t_organization", 2);
    backfiller one = worker(models_);
    EXPECT_EQ(one.forced(1).rows, 1);
    EXPECT_EQ(one.record("t_organization").announced_version(), 2);
    (void)one.to_the_end();
    EXPECT_EQ(one.record("t_organization").version, 3);
    EXPECT_EQ(one.record("t_organization").announced_version(), 2);
}

TEST_P(rule, rule_16_messages_and_the_rows_advance_are_one_transaction) {
    add("t_organization", 3);
    backfiller one = watched_worker(models_);
    struct crash {};
    bool written = false;
    watched_->after = [&](std::string_view statement, const winnow::rows&) {
        written = written || statement.starts_with("INSERT INTO winnow_cell_outbox");
    };
    watched_->before_commit = [&] {
        if (written) throw crash{};
    };
    EXPECT_THROW((void)one.forced(), crash);
    EXPECT_EQ(one.messages("cell", organization_update), 0);
    EXPECT_EQ(one.record("t_organization").position(), (winnow::cursor_position{2, 0}));
    watched_->before_commit = nullptr;
    (void)one.to_the_end();
    EXPECT_EQ(one.messages("cell", organization_update), 3);
}

TEST_P(rule, rule_16_version_lower_bound_and_state_are_compared) {
    add("t_organization", 9);
    backfiller one = worker(models_);
    (void)one.forced(4);
    const backfill_record now = one.record("t_organization");
    ASSERT_EQ(now.stage, backfill_stage::bound);
    const auto exchanged = [&](const backfill_record& believed) {
        backfill_record after = now;
        after.lower = 9;
        return winnow::detail::exchange_backfill(*one.session, winnow::silo::cell, "t_organization", believed, after);
    };
    backfill_record wrong = now;
    wrong.version = 3;
    EXPECT_FALSE(exchanged(wrong));
    wrong = now;
    wrong.lower = 1;
    EXPECT_FALSE(exchanged(wrong));
    wrong = now;
    wrong.stage = backfill_stage::announced;
    EXPECT_FALSE(exchanged(wrong));
    EXPECT_EQ(one.record("t_organization").position(), now.position());
    EXPECT_TRUE(exchanged(now));
}

TEST_P(rule, rule_16_two_processes_in_the_middle_of_one_batch_write_no_row_twice) {
    add("t_organization", 300);
    backfiller first = watched_worker(models_);
    backfiller second = worker(models_);
    std::thread other;
    bool started = false;
    watched_->before = [&](std::string_view statement) {
        if (started || !statement.starts_with("INSERT INTO winnow_cell_outbox")) return;
        started = true;
        other = std::thread([&] { (void)second.to_the_end(7); });
    };
    (void)first.to_the_end(5);
    ASSERT_TRUE(started);
    other.join();
    EXPECT_EQ(first.messages("cell", organization_update), 300);
    EXPECT_EQ(first.number("SELECT count(DISTINCT object_identifier) FROM winnow_cell_outbox WHERE category = 0"), 300);
    EXPECT_EQ(first.record("t_organization").position(), (winnow::cursor_position{3, 0}));
}

TEST_P(rule, a_lowered_gate_lets_one_batch_finish_and_the_row_says_so) {
    add("t_organization", 1'000);
    backfiller one = worker(models_);
    backfiller operator_of_it = worker(models_);
    one.set(organization_version, "2");
    int batches = 0;
    winnow::backfill_request asked;
    asked.after_batch = [&](std::int64_t rows) {
        if (rows == 0) return;
        if (++batches == 2) operator_of_it.set(organization_version, "1");
    };
    const winnow::backfill_report report = one.run(asked);
    EXPECT_EQ(batches, 2);
    EXPECT_LT(report.rows, 1'000);
    const backfill_record stopped = one.record("t_organization");
    EXPECT_EQ(stopped.stage, backfill_stage::bound);
    EXPECT_THAT(stopped.last_error, HasSubstr("replication_version` is 1"));
    EXPECT_THAT(stopped.last_error, HasSubstr("version 2 stopped after " + std::to_string(report.rows) + " rows"));
    EXPECT_FALSE(one.run());

    one.set(organization_version, "2");
    EXPECT_EQ(one.run().rows, 1'000 - report.rows) << "it goes on from where it stopped";
    EXPECT_EQ(one.messages("cell", organization_update), 1'000);
    EXPECT_EQ(one.record("t_organization").last_error, "");
}

TEST_P(rule, paused_resumed_and_begun_again) {
    add("t_organization", 10);
    backfiller one = worker(models_);
    EXPECT_TRUE(winnow::pause_backfill(one.with(), "t.Organization"));
    EXPECT_FALSE(winnow::pause_backfill(one.with(), "t.Organization"));
    const winnow::backfill_report held = one.forced();
    EXPECT_FALSE(held);
    EXPECT_TRUE(held.any(backfill_ending::paused));
    EXPECT_THAT(held.tables.front().why, HasSubstr("paused by tester since"));

    EXPECT_TRUE(winnow::resume_backfill(one.with(), "t.Organization"));
    EXPECT_EQ(one.forced(4).rows, 4);
    EXPECT_TRUE(winnow::pause_backfill(one.with(), "t.Organization"));
    EXPECT_FALSE(one.forced());
    EXPECT_TRUE(winnow::resume_backfill(one.with(), "t.Organization"));
    EXPECT_EQ(one.forced().rows, 6);
    EXPECT_FALSE(winnow::resume_backfill(one.with(), "t.Organization"));

    EXPECT_EQ(winnow::restart_backfill(one.with(), "t.Organization", true), 2);
    EXPECT_EQ(one.record("t_organization").stage, backfill_stage::announced);
    EXPECT_EQ(one.forced().rows, 10);
    const winnow::error closed = error_of([&] { (void)winnow::restart_backfill(one.with(), "t.Organization"); });
    EXPECT_EQ(closed.kind(), winnow::failure::refused);
    EXPECT_THAT(closed.what(), HasSubstr("gate closed"));
    EXPECT_THAT(closed.hint(), HasSubstr("options set outbox_replication.t_organization.replication_version 2"));
}

TEST_P(rule, one_goes_back_to_a_lower_version_by_beginning_it_again) {
    add("t_organization", 10);
    const versioned_models third({{"t.Organization", 3}});
    backfiller one = worker(third);
    one.set(organization_version, "3");
    EXPECT_EQ(one.run({.max_batch_rate = 4}).rows, 4);
    one.set(organization_version, "2");
    EXPECT_FALSE(one.run());
    EXPECT_EQ(winnow::restart_backfill(one.with(), "t.Organization"), 2);
    EXPECT_EQ(one.run().rows, 10);
    EXPECT_EQ(one.record("t_organization").version, 3);
}

TEST_P(rule, a_status_knows_rows_done_left_rate_and_time_left) {
    add("t_organization", 100);
    backfiller one = worker(models_);
    winnow::backfill_status far = winnow::backfill_statuses(one.with(), "t.Organization").front();
    EXPECT_TRUE(far.record.never_begun());
    EXPECT_EQ(far.rows_left, 100);
    EXPECT_EQ(far.seconds_left, std::nullopt);

    (void)one.forced(40);
    const std::string a_minute_ago =
        winnow::own_statement("UPDATE winnow_cell_backfill SET started_at = {after -60}", database().kind());
    (void)one.session->execute_once(a_minute_ago, {});
    far = winnow::backfill_statuses(one.with(), "t.Organization").front();
    EXPECT_EQ(far.record.rows_done, 40);
    EXPECT_EQ(far.rows_left, 60);
    EXPECT_EQ(far.left, winnow::backfill_measure::counted);
    EXPECT_NEAR(far.rows_per_second, 40.0 / 60, 0.1);
    ASSERT_TRUE(far.seconds_left.has_value());
    EXPECT_NEAR(*far.seconds_left, 90, 15);
    EXPECT_EQ(far.gate.effective(), 0);

    (void)one.to_the_end();
    far = winnow::backfill_statuses(one.with(), "t.Organization", true).front();
    EXPECT_EQ(far.rows_left, 0);
    EXPECT_EQ(far.record.rows_done, 100);
}

TEST_P(rule, another_meaning_under_the_same_version_is_reported) {
    add("t_organization", 3);
    backfiller one = worker(models_);
    (void)one.to_the_end();
    const versioned_models changed({}, 1);
    backfiller two = worker(changed);
    const winnow::backfill_report report = two.forced();
    EXPECT_FALSE(report);
    EXPECT_TRUE(report.tables.front().mapping_changed);
    EXPECT_THAT(report.tables.front().why, HasSubstr("raise replication_version"));
    EXPECT_TRUE(winnow::backfill_statuses(two.with(), "t.Organization").front().mapping_changed);
    const versioned_models raised({{"t.Organization", 3}}, 1);
    backfiller three = worker(raised);
    EXPECT_FALSE(winnow::backfill_statuses(three.with(), "t.Organization").front().mapping_changed);
    EXPECT_EQ(three.forced().rows, 3);
}

TEST_P(rule, what_is_wrong_with_one_table_is_named_and_the_rest_goes_on) {
    add("t_organization", 3);
    add("t_token", 3);
    backfiller one = worker(models_);
    run_sql("INSERT INTO winnow_option (name, value, updated_by) VALUES ('" + std::string(organization_version) +
            "', 'two', 'x')");
    one.set("outbox_replication.t_team.replication_version", "1");
    one.set(token_version, "1");
    add("t_team", 3);
    winnow::backfill_report report = one.run();
    EXPECT_EQ(report.rows, 6);
    EXPECT_EQ(report.tables.front().ending, backfill_ending::failed);
    EXPECT_THAT(report.tables.front().why, HasSubstr("replication_version` holds `two`, which is no whole number"));
    EXPECT_EQ(one.messages("cell", team_update), 3);

    // A cell that nobody knows, and a list that is none.
    one.set(token_cells, R"(["fr"])");
    (void)one.with().options().unset(organization_version);
    EXPECT_THAT(one.run().tables[2].why, HasSubstr("names the cell `fr`, which is not known. Known are: de, us."));
    run_sql("UPDATE winnow_option SET value = 'us' WHERE name = '" + std::string(token_cells) + "'");
    report = one.run();
    EXPECT_THAT(report.tables[2].why, HasSubstr("target_cells` holds `us`, which is no JSON list of texts"));
    EXPECT_THAT(winnow::backfill_statuses(one.with(), "t.Token").front().problem, HasSubstr("no JSON list"));

    // A table that is not there.
    run_sql("DROP TABLE t_organization");
    report = one.forced();
    EXPECT_EQ(report.tables.front().ending, backfill_ending::failed);
    EXPECT_THAT(report.tables.front().why, HasSubstr("t_organization"));
    EXPECT_THAT(one.record("t_organization").last_error, HasSubstr("t_organization"));
}

TEST_P(rule, a_list_of_no_cells_is_said_to_be_one) {
    add("t_token", 3);
    backfiller one = worker(models_);
    one.set(token_cells, "[]");
    const winnow::backfill_report report = one.forced();
    EXPECT_TRUE(report.any(backfill_ending::no_target));
    EXPECT_EQ(one.messages("control", token_update), 0);
}

TEST_P(rule, models_that_are_not_replicated_are_refused) {
    backfiller one = worker(models_);
    EXPECT_THAT(error_of([&] { (void)winnow::pause_backfill(one.with(), "t.OrganizationCopy"); }).what(),
                HasSubstr("nothing to backfill"));
    EXPECT_EQ(error_of([&] { (void)winnow::pause_backfill(one.with(), "t.Nothing"); }).kind(),
              winnow::failure::not_found);
    one.mode = winnow::silo_mode::control;
    EXPECT_EQ(error_of([&] { (void)winnow::pause_backfill(one.with(), "t.Organization"); }).kind(),
              winnow::failure::availability);
}

INSTANTIATE_TEST_SUITE_P(databases, rule, all_databases(), name_of_database);

}  // namespace
}  // namespace winnow_test
