// SPDX-License-Identifier: Apache-2.0
// The brakes of deletions that hold backfills back as well: windows, health, lag.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/backfill/domain.hpp"

namespace winnow_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class backfill_brakes : public backfill_test {
protected:
    void SetUp() override {
        backfill_test::SetUp();
        add_rows(*database().open(), "t_organization", 300);
    }
    [[nodiscard]] static winnow::backfilled_table organizations(const winnow::backfill_report& report) {
        for (const winnow::backfilled_table& one : report.tables)
            if (one.model == "t.Organization") return one;
        ADD_FAILURE() << "there is no such table";
        return {};
    }
    [[nodiscard]] std::string note(backfiller& of) const {
        const auto rows = winnow::read_backfill(*of.session, winnow::silo::cell, "t_organization");
        return rows.empty() ? "(no row)" : rows.front().last_error;
    }
};

TEST_P(backfill_brakes, a_health_query_that_turns_stops_a_backfill_between_two_batches) {
    database().run("CREATE TABLE health (fine integer); INSERT INTO health VALUES (1)");
    backfiller one = worker(models_);
    one.set(organization_version, "1");
    one.set("deletion.health_query", "SELECT fine FROM health");
    one.set("deletion.brake_seconds", "0");
    winnow::backfill_request asked;
    asked.only = "t.Organization";
    asked.after_batch = [&](std::int64_t rows) {
        if (rows != 0) database().run("UPDATE health SET fine = 0");
    };
    const winnow::backfill_report report = one.run(asked);
    EXPECT_GT(report.rows, 0);
    EXPECT_LT(report.rows, 300);
    EXPECT_EQ(organizations(report).ending, winnow::backfill_ending::braked);
    EXPECT_EQ(organizations(report).why, "the health query says no: SELECT fine FROM health");
    EXPECT_EQ(report.why, organizations(report).why);
    const std::string first = note(one);
    EXPECT_THAT(first, StartsWith("waits since 20"));
    EXPECT_THAT(first, HasSubstr(" UTC: the health query says no"));
    one.set("deletion.health_query", "SELECT fine FROM nowhere");
    EXPECT_EQ(one.run(asked).rows, 0);
    EXPECT_THAT(note(one), StartsWith(first.substr(0, 41))) << "since when nothing has moved";
    EXPECT_THAT(note(one), HasSubstr("cannot be asked"));
    one.set("deletion.health_query", "");
    asked.after_batch = {};
    const winnow::backfill_report rest = one.run(asked);
    EXPECT_EQ(report.rows + rest.rows, 300);
    EXPECT_EQ(one.record("t_organization").stage, winnow::backfill_stage::complete);
    EXPECT_EQ(note(one), "");
}

TEST_P(backfill_brakes, windows_of_its_own_hold_it_back_and_not_what_is_forced) {
    backfiller one = worker(models_);
    one.set(organization_version, "1");
    // A minute that is as far from now as can be, so that no test meets it.
    const std::int64_t hour = database().number(GetParam() == winnow::dialect::postgres
                                                    ? "SELECT extract(hour FROM now() AT TIME ZONE 'UTC')::bigint"
                                                    : "SELECT cast(strftime('%H', 'now') AS integer)");
    const std::string far = std::to_string(100 + (hour + 12) % 24).substr(1);
    one.set("backfill.windows", far + ":00-" + far + ":01");
    const winnow::backfill_report report = one.run();
    EXPECT_EQ(report.rows, 0);
    EXPECT_EQ(organizations(report).ending, winnow::backfill_ending::braked);
    EXPECT_THAT(report.why, HasSubstr("outside the windows " + far + ":00-" + far + ":01 (UTC) since "));
    one.set("backfill.windows", "mon-sun");
    one.set("deletion.windows", far + ":00-" + far + ":01");
    EXPECT_GT(one.run().rows, 0) << "deletions have windows of their own";
    one.set("backfill.windows", far + ":00-" + far + ":01");
    winnow::backfill_request forced;
    forced.force_synchronous = true;
    EXPECT_EQ(organizations(one.run(forced)).ending, winnow::backfill_ending::complete) << "a person waits for it";
}

INSTANTIATE_TEST_SUITE_P(databases, backfill_brakes, all_databases(), name_of_database);

}  // namespace
}  // namespace winnow_test
