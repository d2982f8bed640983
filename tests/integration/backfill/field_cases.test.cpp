// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/backfill/domain.hpp"
#include "integration/deletion/watched_connection.hpp"
#include "winnow/backfill/upgrade.hpp"

/// Faults that others have met in public; each test bears its number.
namespace winnow_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using winnow::backfill_ending;

using field_case = backfill_test;

TEST_P(field_case, A_01_completion_is_recorded_for_the_version_that_was_done) {
    add("t_organization", 5);
    const versioned_models third({{"t.Organization", 3}});
    backfiller one = worker(third);
    one.set(organization_version, "2");
    while (one.run()) {}
    EXPECT_EQ(one.messages("cell", organization_update), 5);
    EXPECT_EQ(one.record("t_organization").position(), (winnow::cursor_position{3, 0}));
    const winnow::backfill_status before = winnow::backfill_statuses(one.with(), "t.Organization").front();
    EXPECT_EQ(before.record.announced_version(), 2) << "version 3 is not said to be done";
    EXPECT_EQ(before.gate.effective(), 2);

    one.set(organization_version, "3");
    while (one.run()) {}
    EXPECT_EQ(one.messages("cell", organization_update), 10);
    EXPECT_EQ(one.record("t_organization").position(), (winnow::cursor_position{4, 0}));
}

TEST_P(field_case, A_03_a_run_that_is_killed_at_its_deadline_has_moved) {
    add("t_organization", 40);
    add("t_team", 40, 1'000);
    winnow::connection_ptr inner = database().open();
    auto session = std::make_unique<watched_connection>(std::move(inner));
    watched_connection& watched = *session;
    backfiller one(std::move(session), models_.catalog());
    struct killed {};
    std::int64_t limit_ends = 0;
    // Each row takes 10 ms to write. Whoever has not committed after 50 ms is killed.
    std::int64_t rows_of_batch = 0;
    watched.after = [&](std::string_view statement, const winnow::rows& result) {
        if (statement.starts_with("SELECT count(*), max(")) rows_of_batch = result.integer(0, 0);
        if (!statement.starts_with("INSERT INTO winnow_cell_outbox")) return;
        one.time.sleep(10ms * rows_of_batch);
        if (one.time.now().count() > limit_ends) throw killed{};
    };
    int runs = 0;
    std::int64_t before = 0;
    for (bool more = true; more; ++runs) {
        ASSERT_LT(runs, 60);
        limit_ends = (one.time.now() + 50ms).count();
        try {
            more =
                static_cast<bool>(one.run({.force_synchronous = true, .time_limit = 50ms, .only = "t.Organization"}));
        } catch (const killed&) {}
        const std::int64_t now = one.messages("cell", organization_update);
        EXPECT_TRUE(now > before || !more) << "every run moves the cursor";
        before = now;
    }
    EXPECT_EQ(one.messages("cell", organization_update), 40) << "no row is written twice";
    EXPECT_LT(runs, 41);
    EXPECT_EQ(one.record("t_organization").version, 3);
}

TEST_P(field_case, A_04_the_first_model_does_not_eat_the_budget) {
    add("t_organization", 10'000);
    add("t_team", 10);
    backfiller one = worker(models_);
    int cycles = 0;
    do {
        const winnow::backfill_report report = one.forced(100);
        EXPECT_EQ(report.rows, 100);
        ++cycles;
    } while (one.record("t_team").version < 2 && cycles < 10);
    EXPECT_LE(cycles, 3);
    EXPECT_EQ(one.messages("cell", team_update), 10);
}

TEST_P(field_case, A_04_with_one_row_a_cycle_models_take_turns) {
    add("t_organization", 100);
    add("t_team", 2);
    backfiller one = worker(models_);
    for (int cycle = 0; cycle < 6; ++cycle) EXPECT_EQ(one.forced(1).rows, 1);
    EXPECT_EQ(one.messages("cell", team_update), 2);
}

TEST_P(field_case, A_05_a_budget_is_kept_to_the_row) {
    add("t_organization", 5);
    backfiller one = worker(models_);
    std::vector<std::int64_t> rows;
    while (const winnow::backfill_report report = one.forced(2)) rows.push_back(report.rows);
    EXPECT_EQ(rows, (std::vector<std::int64_t>{2, 2, 1}));
    EXPECT_EQ(one.messages("cell", organization_update), 5);
}

TEST_P(field_case, A_06_an_upgrade_tells_how_far_it_is_and_stops_at_a_batch) {
    add("t_organization", 20'000);
    backfiller one = worker(models_);
    one.time.each_look = 20ms;
    std::vector<winnow::upgrade_progress> told;
    std::vector<std::chrono::microseconds> when;
    std::atomic<bool> stop{false};
    int drains = 0;
    winnow::upgrade_request asked;
    asked.self_hosted = true;
    asked.stop = &stop;
    asked.drain = [&] { return ++drains; };
    asked.progress = [&](const winnow::upgrade_progress& far) {
        told.push_back(far);
        when.push_back(one.time.now());
        if (far.rows_done > 5'000) stop = true;
    };
    const winnow::upgrade_report stopped = winnow::upgrade(one.with(), asked);
    EXPECT_TRUE(stopped.stopped);
    EXPECT_FALSE(stopped.done);
    EXPECT_EQ(drains, 0);
    EXPECT_THAT(stopped.why, HasSubstr("goes on from there"));
    const std::int64_t first = one.messages("cell", organization_update);
    EXPECT_EQ(first, stopped.rows);
    EXPECT_GT(first, 5'000);
    EXPECT_LT(first, 20'000);
    EXPECT_EQ(told.front().rows_left, 20'000);
    EXPECT_EQ(told.back().rows_left, 20'000 - first);
    EXPECT_GT(told.back().rows_per_second, 0);
    ASSERT_TRUE(told.back().seconds_left.has_value());
    for (std::size_t at = 1; at < when.size(); ++at) EXPECT_LE(when[at] - when[at - 1], 2s);
    EXPECT_GT(told.size(), 3U);

    stop = false;
    asked.progress = [&](const winnow::upgrade_progress& far) { told.push_back(far); };
    const winnow::upgrade_report done = winnow::upgrade(one.with(), asked);
    EXPECT_TRUE(done.done) << done.why;
    EXPECT_EQ(drains, 1);
    EXPECT_EQ(done.rows, 20'000 - first) << "it went on from there";
    EXPECT_EQ(told.back().rows_left, 0);
    EXPECT_EQ(one.messages("cell", organization_update), 20'000);
}

TEST_P(field_case, an_upgrade_does_nothing_unless_self_hosted) {
    add("t_organization", 5);
    backfiller one = worker(models_);
    const winnow::upgrade_report report = winnow::upgrade(one.with(), {});
    EXPECT_FALSE(report.done);
    EXPECT_THAT(report.why, HasSubstr("not self-hosted"));
    EXPECT_EQ(one.messages("cell", organization_update), 0);
}

INSTANTIATE_TEST_SUITE_P(databases, field_case, all_databases(), name_of_database);

}  // namespace
}  // namespace winnow_test
