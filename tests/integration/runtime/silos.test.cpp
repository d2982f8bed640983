// SPDX-License-Identifier: Apache-2.0
// Everything together over three databases: what the reference's own tests state of backfill and delivery, and that no
// statement leaves its silo (L7).

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "integration/runtime/models.hpp"
#include "integration/runtime/shop.hpp"
#include "winnow/backfill/upgrade.hpp"
#include "winnow/deletion/run.hpp"
#include "winnow/runtime/flush.hpp"
#include "winnow/runtime/outbox_jobs.hpp"
#include "winnow/runtime/remote_jobs.hpp"
#include "winnow/session.hpp"

namespace {

using winnow_test::observed_connection;
using winnow_test::shop_models;
using winnow_test::shop_silos;

class silos : public testing::TestWithParam<winnow::dialect> {
protected:
    static void add(winnow::connection& to, std::string_view table, std::string_view column, int rows) {
        for (int i = 0; i < rows; ++i)
            to.execute_script("INSERT INTO " + std::string(table) + " (" + std::string(column) + ") VALUES ('" +
                              std::string(column) + std::to_string(i) + "')");
    }
    std::int64_t backfill(const shop_models& models, winnow::connection& where, bool forced,
                          std::int64_t rate = 10'000) {
        winnow::backfill_request asked;
        asked.force_synchronous = forced;
        asked.max_batch_rate = rate;
        std::int64_t rows = 0;
        for (;;) {
            const winnow::backfill_report run = winnow::backfill_outboxes_for(all_.in(models, where), asked);
            rows += run.rows;
            if (!run) return rows;
        }
    }
    winnow::drain_report drain(winnow::connection& where) {
        const winnow::silo of = &where == &all_.control() ? winnow::silo::control : winnow::silo::cell;
        return winnow::drain(all_.in(models_, where), of);
    }

    shop_silos all_{GetParam()};
    shop_models models_;
};

std::string name_of_case(const testing::TestParamInfo<winnow::dialect>& of) {
    return of.param == winnow::dialect::sqlite ? "sqlite" : "postgresql";
}
INSTANTIATE_TEST_SUITE_P(databases, silos, testing::Values(winnow::dialect::sqlite, winnow::dialect::postgres),
                         name_of_case);

TEST_P(silos, five_organizations_become_five_messages_and_drained_five_copies) {
    add(all_.us(), "shop_organization", "name", 5);
    EXPECT_EQ(backfill(models_, all_.us(), true), 5);
    EXPECT_EQ(all_.number(all_.us(), "SELECT count(*) FROM winnow_cell_outbox"), 5);
    EXPECT_EQ(drain(all_.us()).messages, 5);
    EXPECT_EQ(all_.number(all_.us(), "SELECT count(*) FROM winnow_cell_outbox"), 0);
    EXPECT_EQ(all_.number(all_.control(), "SELECT count(*) FROM shop_organizationcopy WHERE cell = 'us'"), 5);
}

TEST_P(silos, batches_of_one_leave_the_next_version_and_a_raised_one_delivers_all_again) {
    add(all_.control(), "shop_user", "email", 10);
    EXPECT_EQ(backfill(models_, all_.control(), true, 1), 10);
    const std::string version = "SELECT DISTINCT version FROM winnow_control_backfill WHERE table_name = 'shop_user'";
    EXPECT_EQ(all_.number(all_.control(), version), 2);
    EXPECT_EQ(drain(all_.control()).messages, 20) << "two cells";
    EXPECT_EQ(backfill(models_, all_.control(), true, 1), 0) << "a second run produces nothing";
    all_.us().execute_script("DELETE FROM shop_usercopy");
    const shop_models raised(10'000);
    EXPECT_EQ(backfill(raised, all_.control(), true, 1), 10);
    EXPECT_EQ(all_.number(all_.control(), version), 10'001);
    (void)winnow::drain(all_.in(raised, all_.control()), winnow::silo::control);
    EXPECT_EQ(all_.number(all_.us(), "SELECT count(*) FROM shop_usercopy"), 10);
}

TEST_P(silos, nothing_runs_until_the_option_is_set_and_then_at_the_next_cycle) {
    add(all_.us(), "shop_organization", "name", 3);
    const winnow::context in_us = all_.in(models_, all_.us());
    const winnow::outbox_round_report closed = winnow::enqueue_outbox_jobs(in_us);
    ASSERT_TRUE(closed.backfilled);
    EXPECT_FALSE(*closed.backfilled);
    EXPECT_NE(closed.backfilled->tables.at(0).why.find("is not set"), std::string::npos);
    in_us.options().set("outbox_replication.shop_organization.replication_version", "1", "test");
    winnow::outbox_round without;
    without.process_outbox_backfills = false;
    EXPECT_FALSE(winnow::enqueue_outbox_jobs(in_us, without).backfilled);
    EXPECT_TRUE(*winnow::enqueue_outbox_jobs(in_us).backfilled);
    EXPECT_EQ(winnow::enqueue_outbox_jobs(in_us).drained.messages, 3) << "and delivered by the one after";
    EXPECT_EQ(all_.number(all_.control(), "SELECT count(*) FROM shop_organizationcopy"), 3);
}

/// Rule 15 to its end: the version is complete, its messages are still there, and only new code knows what they mean.
TEST_P(silos, old_code_leaves_the_messages_of_a_newer_version_alone_also_when_it_is_complete) {
    add(all_.us(), "shop_organization", "name", 3);
    const shop_models raised(2);
    EXPECT_EQ(backfill(raised, all_.us(), true), 3);
    ASSERT_EQ(all_.text(all_.us(), "SELECT state FROM winnow_cell_backfill"), "complete");
    const winnow::drain_report old = drain(all_.us());
    EXPECT_EQ(old.messages, 0);
    ASSERT_FALSE(old.problems.empty());
    EXPECT_NE(old.problems[0].find("higher version"), std::string::npos) << old.problems[0];
    EXPECT_EQ(winnow::drain(all_.in(raised, all_.us()), winnow::silo::cell).messages, 3);
    EXPECT_EQ(all_.number(all_.control(), "SELECT count(*) FROM shop_organizationcopy"), 3);
}

TEST_P(silos, target_cells_get_all_and_the_others_none) {
    add(all_.control(), "shop_user", "email", 2);
    const winnow::context in_control = all_.in(models_, all_.control());
    in_control.options().set("outbox_replication.shop_user.backfill.target_cells", R"(["us"])", "test");
    EXPECT_EQ(backfill(models_, all_.control(), true), 2);
    (void)drain(all_.control());
    EXPECT_EQ(all_.number(all_.us(), "SELECT count(*) FROM shop_usercopy"), 2);
    EXPECT_EQ(all_.number(all_.de(), "SELECT count(*) FROM shop_usercopy"), 0);
}

TEST_P(silos, upgrade_fills_every_mirror_and_only_where_it_is_self_hosted) {
    add(all_.us(), "shop_organization", "name", 4);
    const winnow::context in_us = all_.in(models_, all_.us());
    winnow::upgrade_request asked;
    asked.drain = [&] { return drain(all_.us()).messages; };
    EXPECT_FALSE(winnow::upgrade(in_us, asked).done);
    EXPECT_EQ(all_.number(all_.control(), "SELECT count(*) FROM shop_organizationcopy"), 0);
    asked.self_hosted = true;
    const winnow::upgrade_report done = winnow::upgrade(in_us, asked);
    EXPECT_TRUE(done.done) << done.why;
    EXPECT_EQ(done.delivered, 4);
    EXPECT_EQ(all_.number(all_.control(), "SELECT count(*) FROM shop_organizationcopy"), 4);
}

/// Rule 11: only a later message opens a tombstone again, and a delivery that finds the row alive says so.
TEST_P(silos, an_object_that_exists_again_is_known_to_do_so) {
    const winnow::context in_control = all_.in(models_, all_.control());
    winnow::drain_after_commit flush;
    const winnow::session<shop::models> session(in_control, &flush);
    shop::user ada{0, "ada@example.test"};
    session.insert(ada);
    session.erase(ada);
    const std::string known =
        "SELECT count(*) FROM winnow_cell_tombstone WHERE object_identifier = " + std::to_string(ada.id);
    EXPECT_EQ(all_.number(all_.us(), known + " AND recreated_at IS NULL"), 1);
    session.insert(ada);
    EXPECT_EQ(all_.number(all_.us(), known + " AND recreated_at IS NOT NULL"), 1);
    EXPECT_EQ(all_.number(all_.us(), "SELECT count(*) FROM shop_usercopy"), 1);
}

/// L7: each database has its own silo's tables only, and every statement is looked at besides.
TEST_P(silos, no_statement_leaves_its_silo) {
    std::vector<std::string> strays;
    std::int64_t statements = 0;
    const auto look = [&](observed_connection& at, std::vector<std::string_view> foreign) {
        at.before = [&, foreign](std::string_view text, std::span<const winnow::parameter>) {
            ++statements;
            for (const std::string_view table : foreign)
                if (text.find(table) != std::string_view::npos) strays.emplace_back(text);
        };
    };
    look(all_.control(), {"\"shop_organization\"", "\"shop_member\"", "\"shop_badge\"", "\"shop_usercopy\"",
                          "winnow_cell_outbox", "winnow_cell_backfill", "winnow_cell_scheduled"});
    for (observed_connection* cell : {&all_.us(), &all_.de()})
        look(*cell, {"\"shop_user\"", "\"shop_organizationcopy\"", "winnow_control_outbox", "winnow_control_backfill",
                     "winnow_control_scheduled"});

    winnow::drain_after_commit flush;
    const winnow::context in_control = all_.in(models_, all_.control());
    const winnow::session<shop::models> control(in_control, &flush);
    shop::user ada{0, "ada@example.test"};
    control.insert(ada);
    EXPECT_EQ(all_.number(all_.de(), "SELECT count(*) FROM shop_usercopy"), 1);
    for (observed_connection* cell : {&all_.us(), &all_.de()}) {
        const winnow::context in_cell = all_.in(models_, *cell);
        const winnow::session<shop::models> session(in_cell, &flush);
        shop::organization acme{0, "acme"};
        session.insert(acme);
        shop::member member{0, acme.id, ada.id};
        session.insert(member);
        shop::badge badge{0, member.id};
        session.insert(badge);
        acme.name = "acme 2";
        session.update(acme);
        (void)backfill(models_, *cell, true);
        (void)drain(*cell);
    }
    EXPECT_EQ(all_.number(all_.control(), "SELECT count(*) FROM shop_organizationcopy WHERE name = 'acme 2'"), 2);
    (void)backfill(models_, all_.control(), true);
    (void)drain(all_.control());

    control.erase(ada);
    EXPECT_EQ(all_.number(all_.us(), "SELECT count(*) FROM shop_usercopy"), 0);
    for (observed_connection* cell : {&all_.us(), &all_.de()}) {
        const winnow::context in_cell = all_.in(models_, *cell);
        EXPECT_EQ(winnow::run_remote_jobs(in_cell).worked_off.problems, std::vector<std::string>());
        (void)winnow::run_scheduled_deletions(in_cell);
        EXPECT_EQ(all_.number(*cell, "SELECT count(*) FROM shop_member"), 0);
        EXPECT_EQ(all_.number(*cell, "SELECT count(*) FROM shop_badge"), 0);
        const winnow::session<shop::models> session(in_cell, &flush);
        (void)session.exec_sync(shop::organization{1, ""});
        (void)drain(*cell);
    }
    EXPECT_EQ(all_.number(all_.control(), "SELECT count(*) FROM shop_organizationcopy"), 0);
    EXPECT_EQ(strays, std::vector<std::string>());
    EXPECT_GT(statements, 100);
}

}  // namespace
