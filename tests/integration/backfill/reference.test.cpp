// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/backfill/domain.hpp"

/// What the reference's own tests state of its backfill, as far as messages go.
namespace winnow_test {
namespace {

using testing::HasSubstr;
using winnow::backfill_ending;
using winnow::backfill_stage;

const winnow::backfilled_table& table_of(const winnow::backfill_report& report, std::string_view table) {
    for (const winnow::backfilled_table& one : report.tables)
        if (one.table == table) return one;
    throw std::runtime_error("the report has no such table");
}

using reference = backfill_test;

TEST_P(reference, five_organizations_get_five_messages) {
    add("t_organization", 5);
    backfiller one = worker(models_);
    EXPECT_GE(one.to_the_end(), 1);
    EXPECT_EQ(one.messages("cell", organization_update), 5);
    EXPECT_EQ(one.number("SELECT count(DISTINCT object_identifier) FROM winnow_cell_outbox WHERE category = 0"), 5);
    EXPECT_EQ(one.record("t_organization").position(), (winnow::cursor_position{3, 0}));
}

TEST_P(reference, batch_size_one_to_the_end_leaves_the_next_version) {
    add("t_organization", 5);
    backfiller one = worker(models_);
    EXPECT_EQ(one.to_the_end(1), 5) << "one row a run";
    EXPECT_EQ(one.record("t_organization").position(), (winnow::cursor_position{3, 0}));
    EXPECT_EQ(one.messages("cell", organization_update), 5);
}

TEST_P(reference, a_second_run_produces_nothing) {
    add("t_organization", 5);
    backfiller one = worker(models_);
    (void)one.to_the_end();
    const winnow::backfill_report again = one.forced();
    EXPECT_FALSE(again);
    EXPECT_EQ(again.messages, 0);
    EXPECT_EQ(table_of(again, "t_organization").ending, backfill_ending::complete);
    EXPECT_THAT(table_of(again, "t_organization").why, HasSubstr("version 2 is complete"));
    EXPECT_EQ(one.messages("cell", organization_update), 5);
}

TEST_P(reference, a_raised_version_produces_all_again) {
    add("t_organization", 10);
    backfiller one = worker(models_);
    (void)one.to_the_end();
    const versioned_models raised({{"t.Organization", 10'000}});
    backfiller two = worker(raised);
    (void)two.to_the_end();
    EXPECT_EQ(two.messages("cell", organization_update), 20);
    EXPECT_EQ(two.record("t_organization").position(), (winnow::cursor_position{10'001, 0}));
}

TEST_P(reference, without_the_option_nothing_runs_and_the_run_says_so) {
    add("t_organization", 5);
    backfiller one = worker(models_);
    const winnow::backfill_report closed = one.run();
    EXPECT_FALSE(closed);
    EXPECT_EQ(table_of(closed, "t_organization").ending, backfill_ending::closed);
    EXPECT_EQ(table_of(closed, "t_organization").why,
              "gate closed: option `outbox_replication.t_organization.replication_version` is not set, the code has "
              "version 2");
    EXPECT_EQ(one.messages("cell", organization_update), 0);
    EXPECT_EQ(one.number("SELECT count(*) FROM winnow_cell_backfill"), 0);

    one.set(organization_version, "2");
    EXPECT_TRUE(one.run()) << "it runs at the next cycle";
    EXPECT_EQ(one.messages("cell", organization_update), 5);
    EXPECT_EQ(table_of(one.run(), "t_team").ending, backfill_ending::closed) << "its own option is not set";
}

TEST_P(reference, an_option_above_the_code_counts_as_the_code) {
    add("t_organization", 5);
    backfiller one = worker(models_);
    one.set(organization_version, "7");
    EXPECT_TRUE(one.run());
    EXPECT_EQ(one.record("t_organization").version, 3);
}

TEST_P(reference, the_first_version_is_backfilled_too) {
    add("t_team", 3);
    backfiller one = worker(models_);
    one.set("outbox_replication.t_team.replication_version", "1");
    EXPECT_TRUE(one.run());
    EXPECT_EQ(one.messages("cell", team_update), 3);
    EXPECT_EQ(one.record("t_team").position(), (winnow::cursor_position{2, 0}));
}

TEST_P(reference, target_cells_limit_where_messages_go) {
    add("t_token", 2);
    backfiller one = worker(models_);
    one.set(token_cells, R"(["us"])");
    (void)one.to_the_end();
    EXPECT_EQ(one.number("SELECT count(*) FROM winnow_control_outbox WHERE cell_name = 'us'"), 2);
    EXPECT_EQ(one.number("SELECT count(*) FROM winnow_control_outbox WHERE cell_name = 'de'"), 0);
    EXPECT_EQ(one.record("t_token", "us", winnow::silo::control).version, 2);

    // Taken back, the other cell gets what it missed, and the first one nothing again.
    ASSERT_TRUE(one.with().options().unset(token_cells));
    (void)one.to_the_end();
    EXPECT_EQ(one.number("SELECT count(*) FROM winnow_control_outbox WHERE cell_name = 'us'"), 2);
    EXPECT_EQ(one.number("SELECT count(*) FROM winnow_control_outbox WHERE cell_name = 'de'"), 2);
}

TEST_P(reference, all_cells_get_one_message_each_for_every_row_that_counts_once) {
    add("t_token", 4);
    backfiller one = worker(models_);
    const winnow::backfill_report report = one.forced(3);
    EXPECT_EQ(report.rows, 3);
    EXPECT_EQ(report.messages, 6);
    EXPECT_EQ(one.number("SELECT count(*) FROM winnow_control_outbox WHERE cell_name = 'us'"), 3);
    EXPECT_EQ(one.number("SELECT count(*) FROM winnow_control_outbox WHERE payload IS NULL"), 0);
}

TEST_P(reference, waiting_messages_are_taken_off_the_budget) {
    add("t_organization", 10);
    backfiller one = worker(models_);
    const winnow::backfill_report some =
        one.run({.scheduled_count = 6, .max_batch_rate = 10, .force_synchronous = true});
    EXPECT_EQ(some.rows, 4);
    const winnow::backfill_report none =
        one.run({.scheduled_count = 10, .max_batch_rate = 10, .force_synchronous = true});
    EXPECT_FALSE(none);
    EXPECT_THAT(none.why, HasSubstr("new work goes first"));
}

TEST_P(reference, a_process_backfills_models_of_its_own_silo_only) {
    add("t_organization", 2);
    add("t_token", 2);
    backfiller one = worker(models_);
    one.mode = winnow::silo_mode::control;
    (void)one.to_the_end();
    EXPECT_EQ(one.messages("cell", organization_update), 0);
    EXPECT_EQ(one.messages("control", token_update), 4);
    one.mode = winnow::silo_mode::cell;
    (void)one.to_the_end();
    EXPECT_EQ(one.messages("cell", organization_update), 2);
    EXPECT_EQ(one.messages("control", token_update), 4);
}

TEST_P(reference, an_empty_table_is_complete_at_once) {
    backfiller one = worker(models_);
    EXPECT_FALSE(one.forced());
    EXPECT_EQ(one.record("t_organization").position(), (winnow::cursor_position{3, 0}));
}

TEST_P(reference, sparse_and_negative_ids_cost_nothing) {
    add("t_organization", 2, -5);
    add("t_organization", 1, 1'000'000'000'000);
    add("t_organization", 1, 9'223'372'036'854'775'807);
    backfiller one = worker(models_);
    const winnow::backfill_report report = one.forced();
    EXPECT_EQ(report.rows, 4);
    EXPECT_EQ(one.messages("cell", organization_update), 4);
    EXPECT_EQ(one.record("t_organization").position(), (winnow::cursor_position{3, 0}));
}

TEST_P(reference, metrics_have_the_names_of_the_contract) {
    add("t_organization", 3);
    backfiller one = worker(models_);
    (void)one.forced(2);
    EXPECT_EQ(one.watch.counted("backfill_outboxes.backfilled", "force_synchronous", "true"), 2);
    EXPECT_EQ(one.watch.counted("backfill_outboxes.backfilled", "silo_mode", "monolith"), 2);
    EXPECT_EQ(one.watch.counted("outbox.saved", "category", "organization_update"), 2);
    const auto last = [&](std::string_view metric) {
        const backfill_recorder::entry* found = nullptr;
        for (const backfill_recorder::entry& each : one.watch.gauges)
            if (each.name == metric && each.with.at("table_name") == "t_organization") found = &each;
        return found;
    };
    ASSERT_NE(last("backfill_outboxes.low_bound"), nullptr);
    EXPECT_EQ(last("backfill_outboxes.low_bound")->number, 3);
    EXPECT_EQ(last("backfill_outboxes.low_bound")->with.at("version"), "2");
    ASSERT_NE(last("backfill_outboxes.watermark_version"), nullptr);
    EXPECT_EQ(last("backfill_outboxes.watermark_version")->number, 1);
    EXPECT_EQ(last("backfill_outboxes.watermark_target_version")->number, 2);
}

INSTANTIATE_TEST_SUITE_P(databases, reference, all_databases(), name_of_database);

}  // namespace
}  // namespace winnow_test
