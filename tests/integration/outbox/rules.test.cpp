// SPDX-License-Identifier: Apache-2.0
// The rules of draining, each with the interleaving that breaks a protocol without it. A worker stalls where a test
// says so; leases never help it, because every one of them is over by then.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/outbox/silos.hpp"
#include "winnow/outbox/dead.hpp"
#include "winnow/outbox/status.hpp"

using namespace winnow_test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// Thrown in the place of a process that dies.
struct killed : std::runtime_error {
    killed() : std::runtime_error("killed") {}
};

class OutboxRule : public outbox_test {
protected:
    using step = std::function<void()>;

    /// Runs `what` once, before the first statement that begins so.
    static observed_connection::before_call before(std::string beginning, step what) {
        return [beginning = std::move(beginning), what = std::move(what), done = false](
                   std::string_view statement, std::span<const winnow::parameter>) mutable {
            if (done || !statement.starts_with(beginning)) return;
            done = true;
            what();
        };
    }
    /// The worker stalls when it is about to write to the target.
    static void stall_before_writing(worker& one, step what) { one.silos.before = before("BEGIN", std::move(what)); }
    /// The worker stalls when it is about to delete: before the first transaction after it has read the rows.
    static void stall_before_deleting(worker& one, step what) {
        one.source.before = [what = std::move(what), state = 0](std::string_view statement,
                                                                std::span<const winnow::parameter>) mutable {
            if (state == 0 && statement.starts_with("SELECT \"id\"")) state = 1;
            if (state != 1 || statement != "BEGIN") return;
            state = 2;
            what();
        };
    }
    void drain_all() {
        const auto last = make_worker();
        let_time_pass();
        (void)winnow::drain(last->context(), winnow::silo::cell);
        EXPECT_EQ(messages("dead_at IS NULL"), 0);
    }
    static void record_into(std::vector<std::string>& seen) {
        outbox_domain::hooks().replicate = [&seen](std::string_view, std::int64_t, const std::string& text,
                                                   winnow::delivery& about) {
            (void)about.in_target([&](winnow::connection&) {});
            seen.push_back(about.payload.empty() ? text : std::string(about.payload));
        };
    }
};

TEST_P(OutboxRule, R1AClaimLocksFirstThenReadsThenDrawsThenChecksTheVersion) {
    const auto one = make_worker();
    put_org(1, "a");
    std::vector<std::string> order;
    bool locked = false;
    one->source.before = [&](std::string_view statement, std::span<const winnow::parameter>) {
        for (const auto& [part, name] : std::vector<std::pair<std::string, std::string>>{
                 {"SELECT shard_scope, shard_identifier, token", "lock"},
                 {"SELECT id, category", "ids"},
                 {postgres() ? "SELECT nextval" : "UPDATE winnow_cell_outbox_token", "token"},
                 {"SELECT table_name, max(", "version"},
                 {"UPDATE winnow_cell_outbox_shard SET token", "lease"},
                 {"SELECT \"id\", \"slug\"", "row"}})
            if (statement.starts_with(part)) order.push_back(name);
        if (!order.empty() && statement == "COMMIT") order.emplace_back("commit");
        if (!statement.starts_with("SELECT id, category")) return;
        // Nobody else gets in between.
        const winnow::connection_ptr other = us().open();
        try {
            if (postgres()) (void)other->execute_once("SELECT 1 FROM winnow_cell_outbox_shard FOR UPDATE NOWAIT", {});
            else other->execute_script("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; ROLLBACK");
        } catch (const winnow::error&) {
            locked = true;
        }
    };
    (void)winnow::drain_shard(one->context(), org_shard(1));
    order.resize(std::min<std::size_t>(order.size(), 7));
    EXPECT_THAT(order, ElementsAre("lock", "ids", "token", "version", "lease", "commit", "row"));
    EXPECT_TRUE(locked);
}

TEST_P(OutboxRule, R2TokensComeFromOneSequenceAndNeverStartAgain) {
    const auto one = make_worker();
    std::vector<std::int64_t> tokens;
    const auto newest = [&] { return control().number("SELECT max(token) FROM winnow_fence"); };
    for (std::int64_t org = 1; org <= 3; ++org) {
        put_org(org, "o" + std::to_string(org));
        (void)winnow::drain(one->context(), winnow::silo::cell);
        tokens.push_back(newest());
        // The lease row going does not take the count with it.
        us().run("DELETE FROM winnow_cell_outbox_shard");
        put_org(org, "p" + std::to_string(org));
        (void)winnow::drain(one->context(), winnow::silo::cell);
        tokens.push_back(newest());
    }
    EXPECT_TRUE(std::is_sorted(tokens.begin(), tokens.end()));
    EXPECT_EQ(std::adjacent_find(tokens.begin(), tokens.end()), tokens.end());
    EXPECT_EQ(org_copies(), "1,p1 2,p2 3,p3");
    if (!postgres()) return;
    EXPECT_EQ(us().number("SELECT cache_size FROM pg_sequences WHERE sequencename = 'winnow_cell_outbox_token'"), 1);
}

TEST_P(OutboxRule, R3RowsAreReadAfterTheClaim) {
    const auto one = make_worker();
    put_org(1, "old");
    bool changed = false;
    one->source.before = before("SELECT \"id\", \"slug\"", [&] {
        EXPECT_FALSE(one->source.in_transaction());
        put_org(1, "new");
        changed = true;
    });
    one->silos.before = before("BEGIN", [&] { EXPECT_TRUE(changed); });
    EXPECT_EQ(winnow::drain_shard(one->context(), org_shard(1)).messages, 1);
    EXPECT_EQ(org_copies(), "1,new");
    EXPECT_EQ(messages(), 1) << "a message that the claim did not read was deleted";
}

TEST_P(OutboxRule, R4ACommitInDoubtIsRepeatedWithTheSameIdsAndToken) {
    const auto one = make_worker();
    put_org(1, "a");
    std::vector<std::int64_t> tokens;
    int upserts = 0;
    bool doubt = true;
    one->silos.before = [&](std::string_view statement, std::span<const winnow::parameter> given) {
        if (statement.starts_with("INSERT INTO winnow_fence"))
            tokens.push_back(std::get<std::int64_t>(given[1].as_value()));
        if (statement.starts_with("INSERT INTO \"t_org_copy\"")) ++upserts;
    };
    one->silos.after = [&](std::string_view statement, const winnow::rows&) {
        if (statement != "COMMIT" || !std::exchange(doubt, false)) return;
        throw winnow::error(winnow::failure::connection, "no answer came").with_doubt(true);
    };
    const winnow::drain_report report = winnow::drain_shard(one->context(), org_shard(1));
    EXPECT_EQ(report.messages, 1);
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_EQ(upserts, 2);
    ASSERT_EQ(tokens.size(), 2U);
    EXPECT_EQ(tokens[0], tokens[1]);
    EXPECT_EQ(org_copies(), "1,a");
}

TEST_P(OutboxRule, R4EveryReadOfIdsDrawsANewToken) {
    const auto one = make_worker();
    set_option("outbox.turn_objects", "2");
    for (std::int64_t id = 1; id <= 6; ++id) put_project(id, 9, "p");
    std::vector<std::int64_t> tokens;
    one->silos.before = [&](std::string_view statement, std::span<const winnow::parameter> given) {
        if (statement.starts_with("INSERT INTO winnow_fence"))
            tokens.push_back(std::get<std::int64_t>(given[1].as_value()));
    };
    EXPECT_EQ(winnow::drain_shard(one->context(), org_shard(9)).turns, 3);
    ASSERT_EQ(tokens.size(), 3U);
    EXPECT_LT(tokens[0], tokens[1]);
    EXPECT_LT(tokens[1], tokens[2]);
}

TEST_P(OutboxRule, R5TheFenceIsRaisedInTheTransactionThatWritesAndBeforeAnythingElse) {
    const auto one = make_worker();
    put_org(1, "a");
    std::vector<std::string> statements;
    one->silos.before = [&](std::string_view statement, std::span<const winnow::parameter>) {
        statements.emplace_back(statement.substr(0, statement.find('(')));
    };
    (void)winnow::drain(one->context(), winnow::silo::cell);
    EXPECT_THAT(statements, ElementsAre("BEGIN", "INSERT INTO winnow_fence ", "INSERT INTO \"t_org_copy\" ",
                                        testing::StartsWith("SELECT 1 FROM winnow_control_tombstone"), "COMMIT"));
}

TEST_P(OutboxRule, R5AStalledWorkerDoesNotWriteOverANewerCopy) {
    const auto slow = make_worker();
    const auto fast = make_worker();
    put_org(1, "old");
    stall_before_writing(*slow, [&] {
        let_time_pass();
        put_org(1, "new");
        EXPECT_EQ(winnow::drain(fast->context(), winnow::silo::cell).messages, 2);
        EXPECT_EQ(org_copies(), "1,new");
    });
    const winnow::drain_report report = winnow::drain_shard(slow->context(), org_shard(1));
    EXPECT_EQ(report.overtaken, 1);
    EXPECT_EQ(report.messages, 0);
    EXPECT_EQ(org_copies(), "1,new");
    EXPECT_EQ(slow->watch.counts["outbox.overtaken"], 1);
}

TEST_P(OutboxRule, R6ARefusedWorkerDeletesNothing) {
    const auto slow = make_worker();
    const auto fast = make_worker();
    put_org(1, "old");
    // The other one has written a copy of what it read, and dies before it deletes.
    stall_before_deleting(*fast, [] { throw killed(); });
    stall_before_writing(*slow, [&] {
        let_time_pass();
        EXPECT_THROW((void)winnow::drain(fast->context(), winnow::silo::cell), killed);
        put_org(1, "new");
    });
    EXPECT_EQ(winnow::drain_shard(slow->context(), org_shard(1)).messages, 0);
    EXPECT_EQ(messages(), 2);
    EXPECT_EQ(org_copies(), "1,old");
    drain_all();
    EXPECT_EQ(org_copies(), "1,new");
}

TEST_P(OutboxRule, R6OneRefusedShardOfATurnDoesNotStopTheOthers) {
    const auto slow = make_worker();
    const auto fast = make_worker();
    put_org(1, "a");
    put_org(2, "b");
    put_org(3, "c");
    stall_before_writing(*slow, [&] {
        let_time_pass();
        put_org(2, "newer");
        (void)winnow::drain_shard(fast->context(), org_shard(2));
    });
    const winnow::drain_report report = winnow::drain(slow->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 2);
    EXPECT_EQ(report.overtaken, 1);
    EXPECT_EQ(org_copies(), "1,a 2,newer 3,c");
    EXPECT_EQ(messages(), 0);
}

TEST_P(OutboxRule, R7WhatWasNotClaimedIsNotDeleted) {
    const auto one = make_worker();
    put_org(9, "x");
    (void)winnow::drain(one->context(), winnow::silo::cell);
    put_org(1, "a");
    // A lower id becomes visible after the claim: drawn before, committed now.
    stall_before_deleting(*one, [&] {
        us().run("INSERT INTO winnow_cell_outbox (id, shard_scope, shard_identifier, category, object_identifier) " +
                 std::string(postgres() ? "OVERRIDING SYSTEM VALUE " : "") + "VALUES (1, 0, 1, 0, 1)");
        us().run("UPDATE t_org SET slug = 'late' WHERE id = 1");
    });
    const winnow::drain_report report = winnow::drain_shard(one->context(), org_shard(1));
    EXPECT_EQ(report.messages, 1);
    EXPECT_EQ(messages("id = 1"), 1);
    drain_all();
    EXPECT_EQ(org_copies(), "1,late 9,x");
}

TEST_P(OutboxRule, R7IdsAreNeverGivenTwice) {
    const auto slow = make_worker();
    const auto fast = make_worker();
    put_org(1, "a");
    std::int64_t first = us().number("SELECT max(id) FROM winnow_cell_outbox");
    stall_before_deleting(*slow, [&] {
        let_time_pass();
        EXPECT_EQ(winnow::drain(fast->context(), winnow::silo::cell).messages, 1);
        put_org(1, "b");
        EXPECT_GT(us().number("SELECT max(id) FROM winnow_cell_outbox"), first);
    });
    (void)winnow::drain_shard(slow->context(), org_shard(1));
    EXPECT_EQ(messages(), 1);
    drain_all();
    EXPECT_EQ(org_copies(), "1,b");
}

TEST_P(OutboxRule, R7AnOvertakenWorkerDoesNotDeleteEventsThatItHasDelivered) {
    const auto slow = make_worker();
    const auto fast = make_worker();
    std::vector<std::string> seen;
    outbox_domain::hooks().replicate = [&](std::string_view, std::int64_t, const std::string&,
                                           winnow::delivery& about) { seen.push_back(std::string(about.payload)); };
    put_audit(1, 42, "e2");
    put_audit(1, 42, "e3");
    // The other one claims both and has written nothing yet: no fence stands in the way of this one.
    stall_before_deleting(*slow, [&] {
        let_time_pass();
        fast->source.before = before("SELECT \"id\", \"org_id\"", [] { throw killed(); });
        EXPECT_THROW((void)winnow::drain(fast->context(), winnow::silo::cell), killed);
    });
    EXPECT_EQ(winnow::drain_shard(slow->context(), org_shard(42)).messages, 0);
    EXPECT_EQ(messages(), 2);
    drain_all();
    ASSERT_EQ(seen.size(), 4U);
    EXPECT_THAT(seen.back(), HasSubstr("e3"));
}

TEST_P(OutboxRule, R8EachShardHasAFenceOfItsOwn) {
    const auto slow = make_worker();
    const auto fast = make_worker();
    put_org(1, "a");
    put_org(2, "b");
    // A higher token in another shard is no reason to refuse.
    stall_before_writing(*slow, [&] { EXPECT_EQ(winnow::drain_shard(fast->context(), org_shard(2)).messages, 1); });
    EXPECT_EQ(winnow::drain_shard(slow->context(), org_shard(1)).messages, 1);
    EXPECT_EQ(org_copies(), "1,a 2,b");
    EXPECT_EQ(control().number("SELECT count(*) FROM winnow_fence"), 2);
}

TEST_P(OutboxRule, R8TwoCellsInOneDatabaseDoNotShareAFence) {
    // Both names lead to the same database.
    const auto open = [&] {
        return std::make_unique<worker>(
            control(), control(),
            std::vector<std::pair<std::string, const fresh_database*>>{{"us", &us()}, {"de", &us()}});
    };
    const auto slow = open();
    const auto fast = open();
    const winnow::connection_ptr app = control().open();
    change(*app, "t.User", 7, "INSERT INTO t_user (id, email) VALUES (7, 'x')");
    const winnow::outbox_shard to_us{winnow::silo::control, outbox_domain::user, 7, "us"};
    const winnow::outbox_shard to_de{winnow::silo::control, outbox_domain::user, 7, "de"};
    stall_before_writing(*slow, [&] { EXPECT_EQ(winnow::drain_shard(fast->context(), to_de).messages, 1); });
    EXPECT_EQ(winnow::drain_shard(slow->context(), to_us).messages, 1);
    EXPECT_EQ(list(us(), "SELECT user_id, cell FROM t_user_copy ORDER BY cell"), "7,de 7,us");
}

TEST_P(OutboxRule, R9ReadersMaySeeACopyGoBackButItConverges) {
    // The second claim reads last, the third writes first and is refused to nobody: v2, v1 is allowed, v2 is the end.
    const auto second = make_worker();
    const auto third = make_worker();
    put_org(1, "v1");
    second->source.before = before("SELECT \"id\", \"slug\"", [&] {
        let_time_pass();
        third->source.before = before("SELECT \"id\", \"slug\"", [] {});
        stall_before_writing(*third, [&] { put_org(1, "v2"); });
        (void)winnow::drain_shard(third->context(), org_shard(1));
    });
    (void)winnow::drain_shard(second->context(), org_shard(1));
    drain_all();
    EXPECT_EQ(org_copies(), "1,v2");
}

TEST_P(OutboxRule, R10AFlushLeavesAtOnceWhenTheShardIsHeldEvenByItsOwnProcess) {
    const auto scheduler = make_worker();
    const auto flush = make_worker();
    put_org(1, "a");
    bool looked = false;
    scheduler->silos.before = before("BEGIN", [&] {
        looked = true;
        const std::string owner = list(us(), "SELECT lease_owner FROM winnow_cell_outbox_shard");
        EXPECT_THAT(owner, HasSubstr(scheduler->source.session_name()));
        EXPECT_NE(owner, scheduler->source.session_name());
        const winnow::drain_report report = winnow::drain_shard(flush->context(), org_shard(1));
        EXPECT_TRUE(report.held);
        EXPECT_EQ(report.turns, 0);
    });
    EXPECT_EQ(winnow::drain(scheduler->context(), winnow::silo::cell).messages, 1);
    EXPECT_TRUE(looked);
    EXPECT_EQ(list(us(), "SELECT lease_owner FROM winnow_cell_outbox_shard"), "null");
}

TEST_P(OutboxRule, R10ALeaseThatIsOverIsTakenAndALongTurnRenewsIts) {
    const auto one = make_worker();
    const auto other = make_worker();
    winnow::clock::duration passed{0};
    fake_clock time;
    winnow::context with = one->context();
    const winnow::context fast{with.models, with.database, time, with.watch, with.mode, "test", {}, with.silos, "us"};
    put_note(1, 42, "a");
    put_note(2, 42, "b");
    outbox_domain::hooks().replicate = [&](std::string_view, std::int64_t id, const std::string&, winnow::delivery&) {
        // The lease would be over for the second handler, had it not been renewed.
        if (id == 1) {
            us().run(postgres()
                         ? "UPDATE winnow_cell_outbox_shard SET lease_expires_at = clock_timestamp() - interval '1 s'"
                         : "UPDATE winnow_cell_outbox_shard SET lease_expires_at = strftime('%Y-%m-%d %H:%M:%f', "
                           "'now', '-1 seconds')");
            time.advance(std::chrono::seconds{50});
        } else {
            EXPECT_TRUE(winnow::drain_shard(other->context(), org_shard(42)).held);
        }
    };
    EXPECT_EQ(winnow::drain_shard(fast, org_shard(42)).messages, 2);
    EXPECT_EQ(passed.count(), 0);
}

TEST_P(OutboxRule, R11TheRowDecidesWhetherAnObjectExists) {
    const auto one = make_worker();
    put_org(1, "a");
    (void)winnow::drain(one->context(), winnow::silo::cell);
    change("t.Org", 1, "DELETE FROM t_org WHERE id = 1");
    put_org(1, "again");
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell).objects, 1);
    EXPECT_EQ(org_copies(), "1,again");
    EXPECT_EQ(control().number("SELECT count(*) FROM winnow_control_tombstone"), 0);
}

TEST_P(OutboxRule, R11OnlyALaterMessageOpensATombstoneAgain) {
    const auto first = make_worker();
    const auto second = make_worker();
    put_org(1, "a");
    (void)winnow::drain(first->context(), winnow::silo::cell);
    change("t.Org", 1, "DELETE FROM t_org WHERE id = 1");
    // Both claim the erase. The first writes the tombstone, which is worked off; then the second writes.
    stall_before_writing(*second, [] {});
    stall_before_deleting(*first, [&] {
        control().run(postgres()
                          ? "UPDATE winnow_control_tombstone SET passed_at = clock_timestamp()"
                          : "UPDATE winnow_control_tombstone SET passed_at = strftime('%Y-%m-%d %H:%M:%f', 'now')");
        let_time_pass();
        EXPECT_EQ(winnow::drain(second->context(), winnow::silo::cell).messages, 1);
    });
    (void)winnow::drain(first->context(), winnow::silo::cell);
    EXPECT_EQ(control().number("SELECT count(*) FROM winnow_control_tombstone WHERE passed_at IS NOT NULL"), 1);
    // A later erase does.
    put_org(1, "again");
    (void)winnow::drain(second->context(), winnow::silo::cell);
    change("t.Org", 1, "DELETE FROM t_org WHERE id = 1");
    (void)winnow::drain(second->context(), winnow::silo::cell);
    EXPECT_EQ(control().number("SELECT count(*) FROM winnow_control_tombstone WHERE passed_at IS NULL"), 1);
}

TEST_P(OutboxRule, R11AHandlerIsToldOfAGoneObjectBeforeItsTombstoneIsWritten) {
    const auto one = make_worker();
    put_note(1, 42, "text");
    change("t.Note", 1, "DELETE FROM t_note WHERE id = 1");
    std::string payload;
    outbox_domain::hooks().erased = [&](std::string_view, std::int64_t id, winnow::delivery& about) {
        EXPECT_EQ(id, 1);
        payload = std::string(about.payload);
        EXPECT_EQ(control().number("SELECT count(*) FROM winnow_control_tombstone"), 0);
    };
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell).messages, 2);
    EXPECT_THAT(payload, HasSubstr("text"));
    EXPECT_EQ(list(control(), "SELECT model, object_identifier FROM winnow_control_tombstone"), "t.Note,1");
}

INSTANTIATE_TEST_SUITE_P(databases, OutboxRule, all_databases(), name_of_database);

}  // namespace
