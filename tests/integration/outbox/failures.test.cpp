// SPDX-License-Identifier: Apache-2.0
// What fails, backs off, dies, is replayed and skipped; bad input; a target that is away.
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/outbox/silos.hpp"
#include "winnow/outbox/dead.hpp"
#include "winnow/outbox/status.hpp"

using namespace winnow_test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class OutboxFailure : public outbox_test {
protected:
    winnow::drain_report drain_now() {
        let_time_pass();
        return winnow::drain(worker_->context(), winnow::silo::cell);
    }
    void SetUp() override {
        outbox_test::SetUp();
        worker_ = make_worker();
        outbox_domain::hooks().replicate = [this](std::string_view, std::int64_t, const std::string& text,
                                                  winnow::delivery& about) {
            const std::string seen = about.payload.find("poison") != std::string_view::npos ? "poison" : text;
            if (seen == "poison" && poisonous_) throw std::runtime_error("it is poison");
            seen_.push_back(about.payload.empty() ? text : std::string(about.payload));
        };
    }
    void TearDown() override {
        worker_.reset();
        outbox_test::TearDown();
    }

    std::unique_ptr<worker> worker_;
    std::vector<std::string> seen_;
    bool poisonous_ = true;
};

TEST_P(OutboxFailure, APoisonRowIsFoundByHalvingAndStandsAlone) {
    for (std::int64_t id = 1; id <= 40; ++id) put_project(id, 9, id == 17 ? "poison" : "p");
    for (std::int64_t id = 1; id <= 5; ++id) put_org(id, "o" + std::to_string(id));
    int transactions = 0;
    worker_->silos.before = [&](std::string_view statement, std::span<const winnow::parameter>) {
        if (statement == "BEGIN") ++transactions;
    };
    const winnow::drain_report report = drain_now();
    EXPECT_EQ(report.failed, 1);
    EXPECT_EQ(report.messages, 44);
    EXPECT_LE(transactions, 20);
    EXPECT_EQ(control().number("SELECT count(*) FROM t_project_copy"), 39);
    EXPECT_EQ(control().number("SELECT count(*) FROM t_org_copy"), 5);
    ASSERT_EQ(report.problems.size(), 1U);
    EXPECT_THAT(report.problems.front(), HasSubstr("t.ProjectCopy (table t_project_copy)"));
    EXPECT_THAT(report.problems.front(), HasSubstr("object 17"));
    put_project(17, 9, "well again");
    EXPECT_EQ(drain_now().messages, 2);
    EXPECT_EQ(control().number("SELECT count(*) FROM t_project_copy"), 40);
}

TEST_P(OutboxFailure, TheDelayDoublesUpToAnHourAndAllMessagesOfAnObjectMoveTogether) {
    set_option("outbox.attempts", "40");
    set_option("outbox.retry_seconds", "8");
    put_note(1, 42, "poison");
    put_note(1, 42, "poison");
    double last = 0;
    for (int attempt = 1; attempt <= 11; ++attempt) {
        EXPECT_EQ(drain_now().failed, 1);
        const std::string wait = postgres() ? "extract(epoch FROM scheduled_for - clock_timestamp())"
                                            : "(julianday(scheduled_for) - julianday('now')) * 86400.0";
        const winnow::rows times = us().open()->execute_once(
            "SELECT CAST(min(" + wait + ") AS bigint), CAST(max(" + wait + ") AS bigint) FROM winnow_cell_outbox", {});
        const double wanted = std::min(3600.0, 8.0 * static_cast<double>(1 << (attempt - 1)));
        EXPECT_LE(static_cast<double>(times.integer(0, 1)), wanted + 1);
        EXPECT_GE(static_cast<double>(times.integer(0, 0)), wanted * 0.8 - 30);
        EXPECT_LE(times.integer(0, 1) - times.integer(0, 0), 1);
        last = static_cast<double>(times.integer(0, 1));
    }
    EXPECT_LE(last, 3601);
    EXPECT_EQ(messages("attempts = 11 AND dead_at IS NULL"), 2);
}

TEST_P(OutboxFailure, R13OnlyClaimedMessagesDieAndANewOneOfTheSameObjectIsTried) {
    set_option("outbox.attempts", "1");
    put_note(1, 42, "poison");
    outbox_domain::hooks().replicate = [&](std::string_view, std::int64_t, const std::string&, winnow::delivery&) {
        // Committed while the handler is at work: never tried, so never dead.
        us().run(
            "INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier) VALUES (0, 42, "
            "2, 1)");
        throw std::runtime_error("no");
    };
    EXPECT_EQ(winnow::drain_shard(worker_->context(), org_shard(42)).dead, 1);
    EXPECT_EQ(messages("dead_at IS NOT NULL"), 1);
    EXPECT_EQ(messages("dead_at IS NULL"), 1);
    std::vector<std::int64_t> calls;
    outbox_domain::hooks().replicate = [&](std::string_view, std::int64_t, const std::string&,
                                           winnow::delivery& about) { calls.push_back(about.message_id); };
    EXPECT_EQ(drain_now().messages, 1);
    EXPECT_EQ(calls.size(), 1U);
    EXPECT_EQ(messages("dead_at IS NOT NULL"), 1);
}

TEST_P(OutboxFailure, R13ADeadMessageIsReplayedWithTheRowAsItIsThen) {
    set_option("outbox.attempts", "1");
    put_project(1, 9, "poison");
    EXPECT_EQ(drain_now().dead, 1);
    const std::int64_t id = winnow::failed_messages(worker_->context(), winnow::silo::cell).front().id;
    us().run("UPDATE t_project SET name = 'well' WHERE id = 1");
    EXPECT_FALSE(winnow::replay_message(worker_->context(), winnow::silo::cell, id + 1));
    EXPECT_TRUE(winnow::replay_message(worker_->context(), winnow::silo::cell, id));
    EXPECT_FALSE(winnow::replay_message(worker_->context(), winnow::silo::cell, id));
    EXPECT_EQ(messages("attempts = 0 AND dead_at IS NULL"), 1);
    EXPECT_EQ(winnow::drain(worker_->context(), winnow::silo::cell).messages, 1);
    EXPECT_EQ(list(control(), "SELECT name FROM t_project_copy"), "well");
}

TEST_P(OutboxFailure, R13AnEventStandsBehindItsFailedOneAndOthersGoOn) {
    put_audit(1, 42, "one");
    put_audit(1, 42, "poison");
    put_audit(1, 42, "three");
    put_audit(2, 42, "other");
    winnow::drain_report report = winnow::drain(worker_->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 2);
    EXPECT_EQ(report.failed, 1);
    EXPECT_EQ(seen_.size(), 2U);
    EXPECT_EQ(messages("attempts = 0"), 1);
    // Looked at once more, it is parked with the one before it, and nobody looks again before that is due.
    put_audit(1, 42, "four");
    EXPECT_EQ(winnow::drain(worker_->context(), winnow::silo::cell).messages, 0);
    EXPECT_EQ(messages(postgres() ? "scheduled_for <= clock_timestamp()"
                                  : "scheduled_for <= strftime('%Y-%m-%d %H:%M:%f', 'now')"),
              0);
    poisonous_ = false;
    seen_.clear();
    EXPECT_EQ(drain_now().messages, 3);
    ASSERT_EQ(seen_.size(), 3U);
    EXPECT_THAT(seen_[0], HasSubstr("poison"));
    EXPECT_THAT(seen_[1], HasSubstr("three"));
    EXPECT_THAT(seen_[2], HasSubstr("four"));
}

TEST_P(OutboxFailure, R13AnObjectStandsBehindItsDeadEventUntilReplayOrSkip) {
    set_option("outbox.attempts", "1");
    for (const bool replay : {true, false}) {
        poisonous_ = true;
        seen_.clear();
        put_audit(1, 42, "poison");
        put_audit(1, 42, "later");
        EXPECT_EQ(winnow::drain(worker_->context(), winnow::silo::cell).dead, 1);
        EXPECT_EQ(drain_now().messages, 0);
        EXPECT_THAT(seen_, IsEmpty());
        const std::int64_t id = winnow::failed_messages(worker_->context(), winnow::silo::cell).front().id;
        poisonous_ = false;
        EXPECT_TRUE(replay ? winnow::replay_message(worker_->context(), winnow::silo::cell, id)
                           : winnow::skip_message(worker_->context(), winnow::silo::cell, id));
        // What stands behind it is due at once, without any time passing.
        EXPECT_EQ(winnow::drain(worker_->context(), winnow::silo::cell).messages, replay ? 2 : 1);
        ASSERT_EQ(seen_.size(), replay ? 2U : 1U);
        EXPECT_THAT(seen_.front(), HasSubstr(replay ? "poison" : "later"));
        EXPECT_EQ(messages(), 0);
    }
}

TEST_P(OutboxFailure, R13AnOvertakenWorkerMarksNothing) {
    set_option("outbox.attempts", "1");
    const auto other = make_worker();
    put_audit(1, 42, "e1");
    put_audit(1, 42, "e2");
    bool first = true;
    std::vector<std::string> delivered;
    outbox_domain::hooks().replicate = [&](std::string_view, std::int64_t, const std::string&,
                                           winnow::delivery& about) {
        if (!std::exchange(first, false)) {
            delivered.emplace_back(about.payload);
            return;
        }
        let_time_pass();
        EXPECT_EQ(winnow::drain(other->context(), winnow::silo::cell).messages, 2);
        throw std::runtime_error("too late to fail");
    };
    const winnow::drain_report report = winnow::drain_shard(worker_->context(), org_shard(42));
    EXPECT_EQ(report.failed, 0);
    EXPECT_EQ(report.dead, 0);
    EXPECT_EQ(messages(), 0);
    ASSERT_EQ(delivered.size(), 2U);
    EXPECT_THAT(delivered.back(), HasSubstr("e2"));
}

TEST_P(OutboxFailure, AStrictScopeStopsAtItsFirstFailureAndSaysWhy) {
    put("t_ticket", "t.Ticket", 1, 5, "one");
    put("t_ticket", "t.Ticket", 2, 5, "poison");
    put("t_slot", "t.Slot", 3, 5, "three");
    put("t_ticket", "t.Ticket", 4, 5, "four");
    put("t_ticket", "t.Ticket", 9, 6, "another queue");
    winnow::drain_report report = winnow::drain(worker_->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 2);
    EXPECT_EQ(report.failed, 1);
    EXPECT_THAT(seen_, ElementsAre("one", "another queue"));
    EXPECT_EQ(control().number("SELECT count(*) FROM t_slot_copy"), 0);
    EXPECT_EQ(messages("attempts = 0"), 2);

    EXPECT_EQ(winnow::drain_shard(worker_->context(), queue_shard(5)).messages, 0);
    const std::vector<winnow::shard_depth> depths = winnow::shard_depths(worker_->context(), winnow::silo::cell);
    ASSERT_EQ(depths.size(), 1U);
    EXPECT_EQ(depths.front().messages, 3);
    EXPECT_THAT(depths.front().waiting_for, HasSubstr("ticket_update of object 2"));
    EXPECT_THAT(depths.front().waiting_for, HasSubstr("it is poison"));
    EXPECT_EQ(winnow::count_outbox(worker_->context(), winnow::silo::cell).waiting, 1);
    // The shard is parked: it is not found before the message is due.
    EXPECT_EQ(winnow::drain(worker_->context(), winnow::silo::cell).turns, 0);

    poisonous_ = false;
    seen_.clear();
    EXPECT_EQ(drain_now().messages, 3);
    EXPECT_THAT(seen_, ElementsAre("poison", "four"));
    EXPECT_EQ(list(control(), "SELECT body FROM t_slot_copy"), "three");
    EXPECT_THAT(winnow::shard_depths(worker_->context(), winnow::silo::cell), IsEmpty());
}

TEST_P(OutboxFailure, AStrictScopeOfCopiesWritesWhatIsBeforeTheFailureAndNothingBehind) {
    for (std::int64_t id = 1; id <= 9; ++id) put("t_slot", "t.Slot", id, 5, id == 6 ? "poison" : "s");
    const winnow::drain_report report = winnow::drain(worker_->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 5);
    EXPECT_EQ(report.failed, 1);
    EXPECT_EQ(list(control(), "SELECT slot_id FROM t_slot_copy ORDER BY slot_id"), "1 2 3 4 5");
    EXPECT_EQ(messages("attempts > 0"), 1);
    set_option("outbox.attempts", "1");
    EXPECT_EQ(drain_now().dead, 1);
    EXPECT_EQ(drain_now().messages, 0);
    const std::int64_t dead = winnow::failed_messages(worker_->context(), winnow::silo::cell).front().id;
    EXPECT_TRUE(winnow::skip_message(worker_->context(), winnow::silo::cell, dead));
    EXPECT_EQ(winnow::drain(worker_->context(), winnow::silo::cell).messages, 3);
}

TEST_P(OutboxFailure, AnUnknownCategoryIsNamedTriedForEverAndTheRestGoesOn) {
    const auto fewer = make_worker(outbox_domain::fewer_models());
    set_option("outbox.attempts", "1");
    put_note(1, 42, "n");
    put_project(2, 42, "p");
    const winnow::drain_report report = winnow::drain(fewer->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 1);
    EXPECT_EQ(report.dead, 0);
    ASSERT_EQ(report.problems.size(), 1U);
    EXPECT_THAT(report.problems.front(), HasSubstr("Category 2 of message"));
    EXPECT_THAT(report.problems.front(), HasSubstr("winnow_cell_outbox"));
    EXPECT_EQ(drain_now().messages, 1);
}

TEST_P(OutboxFailure, AMissingColumnOrTableOfACopyIsNamedAndTheRestGoesOn) {
    control().run("ALTER TABLE t_project_copy RENAME COLUMN name TO title; ALTER TABLE t_org_copy RENAME TO gone");
    for (std::int64_t id = 1; id <= 30; ++id) put_project(id, 9, "p");
    put_org(1, "a");
    put("t_slot", "t.Slot", 3, 5, "s");
    int transactions = 0;
    worker_->silos.before = [&](std::string_view statement, std::span<const winnow::parameter>) {
        if (statement == "BEGIN") ++transactions;
    };
    const winnow::drain_report report = winnow::drain(worker_->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 1);
    EXPECT_EQ(report.failed, 31);
    EXPECT_LE(transactions, 6) << "nothing is to be found by halving";
    EXPECT_THAT(report.problems, Contains(testing::AllOf(HasSubstr("t_project_copy"), HasSubstr("name"))));
    EXPECT_THAT(report.problems, Contains(testing::AllOf(HasSubstr("t_org_copy"), HasSubstr("t.Org"))));
    control().run("ALTER TABLE t_project_copy RENAME COLUMN title TO name; ALTER TABLE gone RENAME TO t_org_copy");
    EXPECT_EQ(drain_now().messages, 31);
}

TEST_P(OutboxFailure, APayloadThatIsNoJsonIsNamedAndTheRestGoesOn) {
    put_note(1, 42, "a");
    put_note(2, 42, "b");
    if (postgres()) {
        // A jsonb column refuses it before it gets here.
        EXPECT_THROW(us().run("UPDATE winnow_cell_outbox SET payload = '{no' WHERE object_identifier = 1"),
                     winnow::error);
        return;
    }
    us().run("UPDATE winnow_cell_outbox SET payload = '{no' WHERE object_identifier = 1");
    const winnow::drain_report report = winnow::drain(worker_->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 1);
    ASSERT_EQ(report.problems.size(), 1U);
    EXPECT_THAT(report.problems.front(), HasSubstr("about t.Note 1 is no JSON"));
}

TEST_P(OutboxFailure, R15OldCodeLeavesAloneWhatABackfillHasAnnounced) {
    const auto old = make_worker(outbox_domain::older_models());
    put_org(1, "a");
    put_project(2, 1, "p");
    us().run("INSERT INTO winnow_cell_backfill (table_name, state, version) VALUES ('t_org', 'complete', 2)");
    // A completed row says one more than what was announced.
    EXPECT_EQ(winnow::drain(old->context(), winnow::silo::cell).messages, 2);
    put_org(1, "b");
    put_project(2, 1, "q");
    us().run("UPDATE winnow_cell_backfill SET state = 'announced', version = 2");
    const winnow::drain_report report = winnow::drain(old->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 1);
    ASSERT_FALSE(report.problems.empty());
    EXPECT_THAT(report.problems.front(), HasSubstr("org_update"));
    EXPECT_EQ(org_copies(), "1,a");
    EXPECT_EQ(messages("attempts = 0"), 1);
    us().run("UPDATE winnow_cell_backfill SET state = 'complete', version = 3");
    EXPECT_EQ(winnow::drain(old->context(), winnow::silo::cell).messages, 0);
    EXPECT_EQ(winnow::drain(worker_->context(), winnow::silo::cell).messages, 1);
    EXPECT_EQ(org_copies(), "1,b");
}

TEST_P(OutboxFailure, R15ATableInASchemaIsAnnouncedWithIt) {
    const auto old = make_worker(outbox_domain::older_models_in_schema());
    put_org(1, "a");
    us().run("INSERT INTO winnow_cell_backfill (table_name, state, version) VALUES ('app.t_org', 'announced', 2)");
    EXPECT_EQ(winnow::drain(old->context(), winnow::silo::cell).messages, 0);
    us().run("UPDATE winnow_cell_backfill SET table_name = 't_org'");
    EXPECT_EQ(winnow::drain(old->context(), winnow::silo::cell).messages, 1);
}

TEST_P(OutboxFailure, R15AVersionThatIsAnnouncedAfterTheIdsWereReadCounts) {
    const auto old = make_worker(outbox_domain::older_models());
    put_org(1, "a");
    if (!postgres()) {
        // The file is locked from the claim's first statement on; nothing can be announced in between.
        us().run("INSERT INTO winnow_cell_backfill (table_name, state, version) VALUES ('t_org', 'announced', 2)");
    }
    old->source.after = [&, done = !postgres()](std::string_view statement, const winnow::rows&) mutable {
        if (done || !statement.starts_with("SELECT nextval")) return;
        done = true;
        us().run("INSERT INTO winnow_cell_backfill (table_name, state, version) VALUES ('t_org', 'announced', 2)");
    };
    EXPECT_EQ(winnow::drain(old->context(), winnow::silo::cell).messages, 0);
    EXPECT_EQ(org_copies(), "");
}

TEST_P(OutboxFailure, ATargetThatIsAwayCostsNoAttempt) {
    for (std::int64_t org = 1; org <= 3; ++org) put_org(org, "o" + std::to_string(org));
    put_note(1, 1, "n");
    fake_clock time;
    winnow::context base = worker_->context();
    const winnow::context with{base.models, base.database, time, base.watch, base.mode, "test", {}, base.silos, "us"};
    worker_->silos.away = true;
    winnow::drain_report report = winnow::drain(with, winnow::silo::cell);
    EXPECT_EQ(report.messages, 0);
    EXPECT_EQ(report.failed, 0);
    ASSERT_FALSE(report.problems.empty());
    EXPECT_THAT(report.problems.front(), HasSubstr("the control silo wait: the server is away"));
    EXPECT_EQ(messages("attempts = 0 AND dead_at IS NULL"), 4);
    EXPECT_THAT(winnow::shard_depths(with, winnow::silo::cell).front().waiting_for, HasSubstr("the server is away"));
    worker_->silos.away = false;
    let_time_pass();
    EXPECT_EQ(winnow::drain(with, winnow::silo::cell).messages, 4);
}

TEST_P(OutboxFailure, ATargetThatIsLostInTheMiddleIsOpenedAgain) {
    put_org(1, "a");
    if (!postgres()) {
        worker_->silos.before = [&, done = false](std::string_view statement,
                                                  std::span<const winnow::parameter>) mutable {
            if (std::exchange(done, true) || statement != "BEGIN") return;
            throw winnow::error(winnow::failure::connection, "the disk is away").with_retry(true);
        };
        EXPECT_EQ(winnow::drain(worker_->context(), winnow::silo::cell).messages, 1);
        return;
    }
    bool done = false;
    worker_->silos.before = [&](std::string_view statement, std::span<const winnow::parameter>) {
        if (done || !statement.starts_with("INSERT INTO \"t_org_copy\"")) return;
        done = true;
        control().run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
            "pg_backend_pid()");
    };
    const winnow::drain_report report = winnow::drain(worker_->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 1);
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_EQ(worker_->silos.opened, 2);
    EXPECT_EQ(org_copies(), "1,a");
}

TEST_P(OutboxFailure, ADeadlockInTheTargetNeverReachesTheCaller) {
    put_org(1, "a");
    int tries = 0;
    worker_->silos.before = [&](std::string_view statement, std::span<const winnow::parameter>) {
        if (!statement.starts_with("INSERT INTO \"t_org_copy\"") || ++tries > 3) return;
        throw winnow::error(winnow::failure::statement, "deadlock detected").with_sqlstate("40P01").with_retry(true);
    };
    const winnow::drain_report report = winnow::drain(worker_->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 1);
    EXPECT_EQ(report.failed, 0);
    EXPECT_EQ(tries, 4);
}

TEST_P(OutboxFailure, ShardsAreListedDeepestFirstAndCanBeSkipped) {
    for (std::int64_t id = 1; id <= 3; ++id) put_project(id, 7, "p");
    put_project(9, 8, "p");
    std::vector<winnow::shard_depth> depths = winnow::shard_depths(worker_->context(), winnow::silo::cell);
    ASSERT_EQ(depths.size(), 2U);
    EXPECT_EQ(depths[0].shard, org_shard(7));
    EXPECT_EQ(depths[0].messages, 3);
    EXPECT_EQ(depths[1].messages, 1);
    EXPECT_TRUE(winnow::skip_shard(worker_->context(), org_shard(7)));
    EXPECT_FALSE(winnow::skip_shard(worker_->context(), org_shard(7)));
    EXPECT_EQ(winnow::drain(worker_->context(), winnow::silo::cell).messages, 1);
    depths = winnow::shard_depths(worker_->context(), winnow::silo::cell);
    EXPECT_EQ(depths.front().skipped_by, "test");
    const winnow::outbox_totals totals = winnow::count_outbox(worker_->context(), winnow::silo::cell);
    EXPECT_EQ(totals.messages, 3);
    EXPECT_EQ(totals.due, 3);
    EXPECT_EQ(totals.deepest, 3);
    EXPECT_EQ(totals.skipped, 1);
    EXPECT_EQ(worker_->watch.gauges["deliver_from_outbox.maximum_shard_depth"], 3);
    EXPECT_EQ(worker_->watch.gauges["deliver_from_outbox.total_outbox_count"], 3);
    EXPECT_TRUE(winnow::unskip_shard(worker_->context(), org_shard(7)));
    EXPECT_FALSE(winnow::unskip_shard(worker_->context(), org_shard(7)));
    const auto [first, last] = winnow::outbox_id_range(worker_->context(), winnow::silo::cell);
    EXPECT_EQ(last - first, 2);
    EXPECT_EQ(winnow::drain_range(worker_->context(), winnow::silo::cell, first, last).messages, 3);
}

INSTANTIATE_TEST_SUITE_P(databases, OutboxFailure, all_databases(), name_of_database);

}  // namespace
