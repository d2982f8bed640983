// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/backfill/domain.hpp"

/// Transactions that were open before anything was replicated, and those that hold rows.
namespace winnow_test {
namespace {

using testing::HasSubstr;
using winnow::backfill_ending;
using winnow::backfill_stage;

class backfill_horizon : public testing::Test {
protected:
    void SetUp() override { make_replicated_tables(*database_.open()); }

    fresh_postgres database_;
    versioned_models models_;
};

TEST_F(backfill_horizon, rule_14_a_first_backfill_waits_for_transactions_of_old_code) {
    backfiller one(database_.open(), models_.catalog());
    const winnow::connection_ptr old_code = database_.open();
    old_code->begin(winnow::transaction_kind::write, {});
    (void)old_code->execute_once("INSERT INTO t_organization VALUES (1, 'no message')", {});

    const winnow::backfill_report waiting = one.run({.force_synchronous = true, .only = "t.Organization"});
    EXPECT_FALSE(waiting);
    EXPECT_EQ(waiting.tables.front().ending, backfill_ending::waiting);
    EXPECT_THAT(waiting.tables.front().why, HasSubstr("transactions that were open when it was announced: process"));
    EXPECT_EQ(one.record("t_organization").stage, backfill_stage::announced);

    // Whoever begins now knows that messages have to be written, and is not waited for.
    const winnow::connection_ptr new_code = database_.open();
    old_code->commit();
    new_code->begin(winnow::transaction_kind::read, {});
    (void)new_code->execute_once("SELECT count(*) FROM t_team", {});
    EXPECT_EQ(one.forced().rows, 1);
    EXPECT_EQ(one.messages("cell", organization_update), 1);
    new_code->rollback();
}

TEST_F(backfill_horizon, a_version_that_is_raised_while_it_waits_waits_on) {
    backfiller one(database_.open(), models_.catalog());
    const winnow::connection_ptr old_code = database_.open();
    old_code->begin(winnow::transaction_kind::write, {});
    (void)old_code->execute_once("INSERT INTO t_organization VALUES (1, 'no message')", {});
    EXPECT_TRUE(one.forced().any(backfill_ending::waiting));
    const versioned_models third({{"t.Organization", 3}});
    backfiller two(database_.open(), third.catalog());
    EXPECT_TRUE(two.forced().any(backfill_ending::waiting));
    EXPECT_EQ(winnow::restart_backfill(two.with(), "t.Organization", true), 3);
    EXPECT_TRUE(two.forced().any(backfill_ending::waiting));
    old_code->commit();
    EXPECT_EQ(two.forced().rows, 1);
}

TEST_F(backfill_horizon, a_prepared_transaction_is_waited_for_too) {
    backfiller one(database_.open(), models_.catalog());
    database_.run("BEGIN; INSERT INTO t_organization VALUES (1, 'x'); PREPARE TRANSACTION '" + database_.name() + "'");
    EXPECT_TRUE(one.forced().any(backfill_ending::waiting));
    database_.run("COMMIT PREPARED '" + database_.name() + "'");
    EXPECT_EQ(one.forced().rows, 1);
}

TEST_F(backfill_horizon, later_versions_wait_for_nobody) {
    add_rows(*database_.open(), "t_organization", 3);
    backfiller one(database_.open(), models_.catalog());
    (void)one.to_the_end();
    const winnow::connection_ptr open = database_.open();
    open->begin(winnow::transaction_kind::write, {});
    (void)open->execute_once("INSERT INTO t_organization VALUES (9, 'with a message of its own')", {});
    const versioned_models third({{"t.Organization", 3}});
    backfiller two(database_.open(), third.catalog());
    EXPECT_EQ(two.run({.force_synchronous = true, .only = "t.Organization"}).rows, 3);
    open->rollback();
}

TEST_F(backfill_horizon, rule_13_messages_that_are_never_merged_are_numbered_while_their_row_is_held) {
    add_rows(*database_.open(), "t_event", 3);
    add_rows(*database_.open(), "t_organization", 3);
    backfiller one(database_.open(), models_.catalog());
    EXPECT_EQ(one.run({.max_batch_rate = 2, .force_synchronous = true}).rows, 2);
    const winnow::connection_ptr writer = database_.open();
    writer->begin(winnow::transaction_kind::write, {});
    (void)writer->execute_once("UPDATE t_event SET name = 'changed' WHERE id = 3", {});
    const winnow::backfill_report held = one.forced();
    EXPECT_EQ(one.messages("cell", organization_update), 3) << "the others go on";
    EXPECT_EQ(held.tables.back().ending, backfill_ending::failed);
    (void)writer->execute_once(
        "INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier) VALUES (0, 3, 3, 3)",
        {});
    writer->commit();
    (void)one.to_the_end();
    EXPECT_EQ(one.number("SELECT count(*) FROM winnow_cell_outbox WHERE category = 3"), 4);
    EXPECT_EQ(
        one.number("SELECT object_identifier FROM winnow_cell_outbox WHERE category = 3 ORDER BY id DESC LIMIT 1"), 3)
        << "the backfill's message came after the writer's";
}

}  // namespace
}  // namespace winnow_test
