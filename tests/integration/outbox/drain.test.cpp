// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/outbox/silos.hpp"

using namespace winnow_test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class OutboxDrain : public outbox_test {};

TEST_P(OutboxDrain, ACopyFollowsItsRow) {
    const auto one = make_worker();
    put_org(1, "a");
    put_org(2, "b");
    winnow::drain_report report = winnow::drain(one->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 2);
    EXPECT_EQ(report.objects, 2);
    EXPECT_TRUE(report.problems.empty());
    EXPECT_EQ(list(control(), "SELECT org_id, slug, cell, note FROM t_org_copy ORDER BY org_id"),
              "1,a,us,null 2,b,us,null");
    EXPECT_EQ(messages(), 0);

    put_org(1, "c");
    change("t.Org", 2, "DELETE FROM t_org WHERE id = 2");
    report = winnow::drain(one->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 2);
    EXPECT_EQ(org_copies(), "1,c");
    EXPECT_EQ(list(control(), "SELECT model, object_identifier FROM winnow_control_tombstone"), "t.Org,2");
    EXPECT_EQ(messages(), 0);
    EXPECT_EQ(one->watch.counts["outbox.processed.org_update"], 4);
}

TEST_P(OutboxDrain, AControlRowIsCopiedToEveryCell) {
    const auto one = make_control_worker();
    const winnow::connection_ptr app = control().open();
    change(*app, "t.User", 7, "INSERT INTO t_user (id, email) VALUES (7, 'x@y')");
    EXPECT_EQ(control().number("SELECT count(*) FROM winnow_control_outbox"), 2);
    winnow::drain_report report = winnow::drain(one->context(), winnow::silo::control);
    EXPECT_EQ(report.messages, 2);
    EXPECT_EQ(list(us(), "SELECT user_id, cell, email FROM t_user_copy"), "7,us,x@y");
    EXPECT_EQ(list(de(), "SELECT user_id, cell, email FROM t_user_copy"), "7,de,x@y");
    change(*app, "t.User", 7, "DELETE FROM t_user WHERE id = 7");
    (void)winnow::drain(one->context(), winnow::silo::control);
    EXPECT_EQ(us().number("SELECT count(*) FROM t_user_copy"), 0);
    EXPECT_EQ(de().number("SELECT count(*) FROM t_user_copy"), 0);
    EXPECT_EQ(list(us(), "SELECT model, object_identifier FROM winnow_cell_tombstone"), "t.User,7");
}

TEST_P(OutboxDrain, AMonolithDeliversToItself) {
    winnow::connection_ptr only = us().open();
    winnow::one_database silos(*only);
    winnow::steady_clock time;
    listening watch;
    winnow::context with{outbox_domain::models(), *only, time, watch};
    with.silos = &silos;
    put_org(1, "a");
    put_note(5, 1, "n");
    std::vector<std::string> calls;
    outbox_domain::hooks().replicate = [&](std::string_view, std::int64_t, const std::string& text,
                                           winnow::delivery& about) {
        EXPECT_FALSE(only->in_transaction());
        calls.push_back(text);
        about.in_target([&](winnow::connection& target) {
            (void)target.execute_once("INSERT INTO effect (what) VALUES ('seen')", {});
        });
    };
    EXPECT_EQ(winnow::drain(with, winnow::silo::cell).messages, 2);
    EXPECT_EQ(list(us(), "SELECT org_id, slug, cell FROM t_org_copy"), "1,a,main");
    EXPECT_EQ(us().number("SELECT count(*) FROM effect"), 1);
    EXPECT_THAT(calls, ElementsAre("n"));
}

TEST_P(OutboxDrain, SeveralModelsOfOneShardAndSeveralShardsAreOneTransactionOfTheTarget) {
    const auto one = make_worker();
    for (std::int64_t org = 1; org <= 3; ++org) {
        put_org(org, "o" + std::to_string(org));
        for (std::int64_t i = 0; i < 4; ++i) put_project(org * 10 + i, org, "p");
    }
    int commits = 0;
    int upserts = 0;
    one->silos.before = [&](std::string_view statement, std::span<const winnow::parameter>) {
        if (statement == "COMMIT") ++commits;
        if (statement.starts_with("INSERT INTO \"t_")) ++upserts;
    };
    const winnow::drain_report report = winnow::drain(one->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 15);
    EXPECT_EQ(report.turns, 1);
    EXPECT_EQ(report.shards, 3);
    EXPECT_EQ(commits, 1);
    EXPECT_EQ(upserts, 2);
    EXPECT_EQ(control().number("SELECT count(*) FROM t_project_copy"), 12);
}

TEST_P(OutboxDrain, ATurnTakesSoManyObjectsAndAllTheirMessages) {
    const auto one = make_worker();
    set_option("outbox.turn_objects", "2");
    for (int round = 0; round < 3; ++round)
        for (std::int64_t id = 1; id <= 5; ++id) put_project(id, 9, "r" + std::to_string(round));
    const winnow::drain_report report = winnow::drain_shard(one->context(), org_shard(9));
    EXPECT_EQ(report.messages, 15);
    EXPECT_EQ(report.objects, 5);
    EXPECT_EQ(report.turns, 3);
    EXPECT_EQ(messages(), 0);
}

TEST_P(OutboxDrain, ARangeOfIdsDrainsTheShardsInIt) {
    const auto one = make_worker();
    for (std::int64_t org = 1; org <= 4; ++org) put_org(org, "o" + std::to_string(org));
    const std::int64_t second = us().number("SELECT id FROM winnow_cell_outbox WHERE object_identifier = 2");
    EXPECT_EQ(winnow::drain_range(one->context(), winnow::silo::cell, second, second + 1).messages, 2);
    EXPECT_EQ(org_copies(), "2,o2 3,o3");
}

TEST_P(OutboxDrain, ASkippedShardIsLeftAlone) {
    const auto one = make_worker();
    for (std::int64_t org = 1; org <= 3; ++org) put_org(org, "o" + std::to_string(org));
    set_option("outbox.skip_shards", "organization:1, user:5:us");
    (void)winnow::drain_shard(one->context(), org_shard(3));
    us().run("UPDATE winnow_cell_outbox_shard SET skipped_by = 'ann' WHERE shard_identifier = 3");
    put_org(3, "new");
    (void)winnow::drain(one->context(), winnow::silo::cell);
    EXPECT_EQ(org_copies(), "2,o2 3,o3");
    EXPECT_EQ(winnow::drain_shard(one->context(), org_shard(1)).messages, 0);
    EXPECT_EQ(winnow::drain_shard(one->context(), org_shard(3)).messages, 0);
    set_option("outbox.skip_shards", "nothing");
    const winnow::error wrong = error_of([&] { (void)winnow::drain(one->context(), winnow::silo::cell); });
    EXPECT_EQ(wrong.kind(), winnow::failure::configuration);
    EXPECT_THAT(wrong.what(), HasSubstr("outbox.skip_shards"));
}

TEST_P(OutboxDrain, AnOpenTransactionIsRefused) {
    const auto one = make_worker();
    winnow::transaction open(one->source);
    const winnow::error refused = error_of([&] { (void)winnow::drain_shard(one->context(), org_shard(1)); });
    EXPECT_EQ(refused.kind(), winnow::failure::usage);
}

TEST_P(OutboxDrain, ADeadlineEndsTheCallBetweenTurns) {
    const auto one = make_worker();
    set_option("outbox.turn_shards", "1");
    for (std::int64_t org = 1; org <= 3; ++org) put_org(org, "o" + std::to_string(org));
    winnow::drain_limits limits;
    limits.deadline = std::chrono::microseconds{1};
    winnow::drain_report report = winnow::drain(one->context(), winnow::silo::cell, limits);
    EXPECT_FALSE(report.finished);
    EXPECT_LT(report.messages, 3);
    report = winnow::drain(one->context(), winnow::silo::cell);
    EXPECT_TRUE(report.finished);
    EXPECT_EQ(messages(), 0);
}

TEST_P(OutboxDrain, ACopyThatTakesOverAUniqueValueOfAnErasedOneIsWritten) {
    const auto one = make_worker();
    put_org(1, "acme");
    (void)winnow::drain(one->context(), winnow::silo::cell);
    change("t.Org", 1, "DELETE FROM t_org WHERE id = 1");
    put_org(2, "acme");
    const winnow::drain_report report = winnow::drain(one->context(), winnow::silo::cell);
    EXPECT_EQ(report.failed, 0);
    EXPECT_EQ(org_copies(), "2,acme");
}

/// Texts that mean something inside of an array or of JSON; quotes are those of SQL.
constexpr std::array<std::string_view, 8> awkward{
    "", "NULL", "{a,b}", "\"q\" \\ ''x''", "a\nb\tc", " ", "\xC3\xA4\xE2\x82\xAC", "null"};

TEST_P(OutboxDrain, ManyCopiesAreWhatTheirRowsAre) {
    const auto one = make_worker();
    for (std::int64_t id = 1; id <= 150; ++id)
        put_org(id, std::to_string(id) + std::string(awkward[static_cast<std::size_t>(id) % awkward.size()]));
    us().run("UPDATE t_org SET note = slug WHERE id % 3 = 0");
    us().run("UPDATE t_org SET note = 'NULL' WHERE id % 5 = 0");
    us().run("DELETE FROM t_org WHERE id % 7 = 0 OR id IN (1, 2, 149, 150)");
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell).messages, 150);
    EXPECT_EQ(list(control(), "SELECT org_id, slug, note, cell FROM t_org_copy ORDER BY org_id"),
              list(us(), "SELECT id, slug, note, 'us' FROM t_org ORDER BY id"));
    EXPECT_EQ(control().number("SELECT count(*) FROM t_org_copy"), 125);
    EXPECT_EQ(control().number("SELECT count(*) FROM winnow_control_tombstone"), 25);
    EXPECT_EQ(messages(), 0);
}

TEST_P(OutboxDrain, OfManyCopiesThePoisonOneStandsAlone) {
    const auto one = make_worker();
    for (std::int64_t id = 1; id <= 100; ++id) put_project(id, 9, id == 17 ? "poison" : "p" + std::to_string(id));
    const winnow::drain_report report = winnow::drain(one->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 99);
    EXPECT_EQ(report.failed, 1);
    EXPECT_EQ(list(control(), "SELECT project_id, org_id, name FROM t_project_copy ORDER BY project_id"),
              list(us(), "SELECT id, org_id, name FROM t_project WHERE id <> 17 ORDER BY id"));
}

TEST_P(OutboxDrain, OfManyShardsThoseThatAreLostAreNotWritten) {
    const auto slow = make_worker();
    const auto fast = make_worker();
    for (std::int64_t id = 1; id <= 90; ++id) put_org(id, "old" + std::to_string(id));
    bool stalled = false;
    slow->silos.before = [&](std::string_view statement, std::span<const winnow::parameter>) {
        if (statement != "BEGIN" || std::exchange(stalled, true)) return;
        let_time_pass();
        put_org(2, "new");
        EXPECT_EQ(winnow::drain_shard(fast->context(), org_shard(2)).messages, 2);
    };
    const winnow::drain_report report = winnow::drain(slow->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 89);
    EXPECT_EQ(report.overtaken, 1);
    EXPECT_EQ(list(control(), "SELECT org_id, slug FROM t_org_copy ORDER BY org_id"),
              list(us(), "SELECT id, slug FROM t_org ORDER BY id"));
}

INSTANTIATE_TEST_SUITE_P(databases, OutboxDrain, all_databases(), name_of_database);

}  // namespace
