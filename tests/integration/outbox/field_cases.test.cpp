// SPDX-License-Identifier: Apache-2.0
// Field cases of the outbox, by their number.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/outbox/silos.hpp"
#include "winnow/outbox/dead.hpp"
#include "winnow/outbox/status.hpp"

using namespace winnow_test;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Le;

namespace {

class OutboxCase : public outbox_test {
protected:
    /// Messages without rows, as many as wanted: objects `first` to `last` of one shard, `times` times.
    void fill(std::int32_t category, std::int64_t shard, std::int64_t first, std::int64_t last) {
        const std::string series =
            postgres() ? "generate_series(" + std::to_string(first) + ", " + std::to_string(last) + ") AS s(n)"
                       : "(WITH RECURSIVE s(n) AS (SELECT " + std::to_string(first) +
                             " UNION ALL SELECT n + 1 FROM s WHERE n < " + std::to_string(last) + ") SELECT n FROM s)";
        us().run(
            "INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier) SELECT 0, " +
            std::to_string(shard) + ", " + std::to_string(category) + ", n FROM " + series);
    }
};

TEST_P(OutboxCase, A26OneFailingCategoryDoesNotBlockItsShard) {
    const auto one = make_worker();
    outbox_domain::hooks().replicate = [](std::string_view, std::int64_t, const std::string&, winnow::delivery&) {
        throw std::runtime_error("the mail server is down");
    };
    for (std::int64_t i = 0; i < 5; ++i) {
        put_note(i, 42, "x");
        put_project(i, 42, "y");
    }
    const winnow::drain_report report = winnow::drain(one->context(), winnow::silo::cell);
    EXPECT_EQ(control().number("SELECT count(*) FROM t_project_copy"), 5);
    EXPECT_EQ(report.messages, 5);
    EXPECT_EQ(report.failed, 5);
    EXPECT_EQ(messages("category = 2 AND attempts = 1 AND dead_at IS NULL"), 5);
    EXPECT_EQ(messages("category <> 2"), 0);
    ASSERT_FALSE(report.problems.empty());
    EXPECT_THAT(report.problems.front(), HasSubstr("note_update of object "));
    EXPECT_THAT(report.problems.front(), HasSubstr("shard organization 42"));
    EXPECT_THAT(report.problems.front(), HasSubstr("the mail server is down"));

    // It backs off alone: what comes later in the shard is delivered, and X is not tried before its time.
    int calls = 0;
    outbox_domain::hooks().replicate = [&](std::string_view, std::int64_t, const std::string&, winnow::delivery&) {
        ++calls;
    };
    put_project(9, 42, "z");
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell).messages, 1);
    EXPECT_EQ(calls, 0);
    let_time_pass();
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell).messages, 5);
    EXPECT_EQ(calls, 5);
}

TEST_P(OutboxCase, A27AHandlerRunsOutsideOfEveryTransaction) {
    const auto one = make_worker();
    const auto other = make_worker();
    put_note(1, 42, "x");
    int calls = 0;
    outbox_domain::hooks().replicate = [&](std::string_view, std::int64_t, const std::string&, winnow::delivery&) {
        ++calls;
        EXPECT_FALSE(one->source.in_transaction());
        for (const fresh_database* each : {&us(), &control()}) {
            if (postgres()) {
                EXPECT_EQ(
                    each->number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
                                 "pg_backend_pid() AND xact_start IS NOT NULL"),
                    0);
            } else {
                EXPECT_NO_THROW(each->run("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE; COMMIT"));
            }
        }
        EXPECT_TRUE(winnow::drain_shard(other->context(), org_shard(42)).held);
        EXPECT_TRUE(winnow::drain(other->context(), winnow::silo::cell).held);
    };
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell).messages, 1);
    EXPECT_EQ(calls, 1);
}

TEST_P(OutboxCase, A28ABigCoalescedGroupIsOneCallAndIsCleanedInBoundedSteps) {
    const auto one = make_worker();
    us().run("INSERT INTO t_note (id, org_id, body) VALUES (7, 42, 'newest')");
    fill(outbox_domain::note_update, 42, 1, 50'000);
    us().run("UPDATE winnow_cell_outbox SET object_identifier = 7");
    const std::int64_t newest = us().number("SELECT max(id) FROM winnow_cell_outbox");
    std::vector<std::int64_t> calls;
    outbox_domain::hooks().replicate = [&](std::string_view, std::int64_t, const std::string& text,
                                           winnow::delivery& about) {
        EXPECT_EQ(text, "newest");
        calls.push_back(about.message_id);
    };
    std::vector<std::int64_t> deleted;
    std::vector<std::int64_t> read;
    std::string last;
    one->source.before = [&](std::string_view statement, std::span<const winnow::parameter>) { last = statement; };
    one->source.after = [&](std::string_view, const winnow::rows& answer) {
        if (last.starts_with("DELETE")) deleted.push_back(answer.affected());
        read.push_back(static_cast<std::int64_t>(answer.size()));
    };
    const winnow::drain_report report = winnow::drain(one->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 50'000);
    EXPECT_THAT(calls, ElementsAre(newest));
    EXPECT_EQ(messages(), 0);
    EXPECT_EQ(deleted.size(), 5U);
    EXPECT_THAT(deleted, Each(Le(10'000)));
    EXPECT_THAT(read, Each(Le(25'000)));
}

TEST_P(OutboxCase, A29EventsAreDeliveredEachAndInOrderAndStatesOnce) {
    const auto one = make_worker();
    std::vector<std::pair<std::string, std::int64_t>> calls;
    std::vector<std::string> payloads;
    outbox_domain::hooks().replicate = [&](std::string_view model, std::int64_t, const std::string&,
                                           winnow::delivery& about) {
        calls.emplace_back(model, about.message_id);
        if (model == "t.Audit") payloads.emplace_back(about.payload);
    };
    for (const char* text : {"first", "second", "third"}) {
        put_audit(1, 42, text);
        put_note(1, 42, text);
    }
    const winnow::drain_report report = winnow::drain(one->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 6);
    EXPECT_EQ(report.objects, 4);
    std::vector<std::int64_t> audits;
    for (const auto& [model, id] : calls)
        if (model == "t.Audit") audits.push_back(id);
    ASSERT_EQ(audits.size(), 3U);
    EXPECT_TRUE(std::is_sorted(audits.begin(), audits.end()));
    EXPECT_EQ(calls.size(), 4U);
    ASSERT_EQ(payloads.size(), 3U);
    EXPECT_THAT(payloads[0], HasSubstr("first"));
    EXPECT_THAT(payloads[2], HasSubstr("third"));
}

TEST_P(OutboxCase, A30APoisonMessageIsSetAsideWithItsReason) {
    const auto one = make_worker();
    set_option("outbox.attempts", "3");
    outbox_domain::hooks().replicate = [](std::string_view, std::int64_t id, const std::string&, winnow::delivery&) {
        if (id == 1) throw std::runtime_error("cannot decode the payload");
    };
    for (std::int64_t id = 1; id <= 10; ++id) put_note(id, 42, "n");
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell).messages, 9);
    for (int attempt = 2; attempt <= 3; ++attempt) {
        EXPECT_EQ(messages("dead_at IS NOT NULL"), 0);
        let_time_pass();
        EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell).failed, 1);
    }
    const std::vector<winnow::failed_message> dead = winnow::failed_messages(one->context(), winnow::silo::cell);
    ASSERT_EQ(dead.size(), 1U);
    EXPECT_EQ(dead.front().object, 1);
    EXPECT_EQ(dead.front().attempts, 3);
    EXPECT_EQ(dead.front().category_name, "note_update");
    EXPECT_THAT(dead.front().last_error, HasSubstr("cannot decode the payload"));
    EXPECT_FALSE(dead.front().dead_at.empty());
    EXPECT_EQ(winnow::count_outbox(one->context(), winnow::silo::cell).dead, 1);
    EXPECT_EQ(one->watch.gauges["outbox.dead_messages"], 1);
    EXPECT_EQ(one->watch.counts["outbox.dead"], 1);
    let_time_pass();
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell).turns, 0);
}

TEST_P(OutboxCase, A31AnEarlyIdThatCommitsLateIsDelivered) {
    if (!postgres()) {
        // One writer at a time: ids follow commits. What is left to see is that they are never given twice.
        const auto one = make_worker();
        put_org(1, "a");
        const std::int64_t first = us().number("SELECT max(id) FROM winnow_cell_outbox");
        (void)winnow::drain(one->context(), winnow::silo::cell);
        put_org(2, "b");
        EXPECT_GT(us().number("SELECT max(id) FROM winnow_cell_outbox"), first);
        return;
    }
    const auto one = make_worker();
    const winnow::connection_ptr late = us().open();
    late->begin(winnow::transaction_kind::write, {});
    (void)late->execute_once("INSERT INTO t_org (id, slug) VALUES (1, 'late')", {});
    produce(*late, "t.Org", {1});
    put_org(2, "early");
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell).messages, 1);
    EXPECT_EQ(org_copies(), "2,early");
    late->commit();
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell).messages, 1);
    EXPECT_EQ(org_copies(), "1,late 2,early");
    EXPECT_EQ(messages(), 0);
}

/// Pages that a statement touches, by the server's own count.
std::int64_t pages(const fresh_database& of, const std::string& statement, std::vector<winnow::value> values) {
    const winnow::connection_ptr session = of.open();
    const std::vector<winnow::parameter> given(values.begin(), values.end());
    const std::string plan =
        session->execute_once("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + statement, given).text(0, 0);
    std::int64_t found = 0;
    for (const char* name : {"\"Shared Hit Blocks\": ", "\"Shared Read Blocks\": "})
        found += std::stoll(plan.substr(plan.find(name) + std::string_view(name).size()));
    return found;
}

TEST_P(OutboxCase, A32WhatWasDeliveredUnderAnOldSnapshotIsNotLookedAtAgain) {
    const auto one = make_worker();
    fill(outbox_domain::project_update, 42, 1, 20'000);
    us().run(postgres()
                 ? "UPDATE winnow_cell_outbox SET scheduled_for = clock_timestamp() - interval '6 hours' + id * "
                   "interval '1 s'"
                 : "UPDATE winnow_cell_outbox SET scheduled_for = strftime('%Y-%m-%d %H:%M:%f', 'now', '-1 hour')");
    if (postgres()) us().run("VACUUM ANALYZE winnow_cell_outbox");
    const winnow::connection_ptr old = us().open();
    if (postgres()) {
        old->execute_script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM winnow_cell_outbox");
    } else {
        old->begin(winnow::transaction_kind::read, {});
        (void)old->execute_once("SELECT count(*) FROM winnow_cell_outbox", {});
    }
    winnow::outbox_position position;
    winnow::drain_limits limits;
    limits.position = &position;
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell, limits).messages, 20'000);
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell, limits).messages, 0);

    put_org(1, "a");
    std::string statement;
    std::vector<winnow::value> values;
    one->source.before = [&](std::string_view text, std::span<const winnow::parameter> given) {
        if (!text.starts_with("WITH w AS")) return;
        statement = text;
        values.clear();
        for (const winnow::parameter& each : given) values.push_back(each.as_value());
    };
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell, limits).messages, 1);
    ASSERT_FALSE(statement.empty());
    EXPECT_EQ(org_copies(), "1,a");
    if (!postgres()) return;
    const std::int64_t with_position = pages(us(), statement, values);
    values[0] = std::string("-infinity");
    const std::int64_t from_the_start = pages(us(), statement, values);
    EXPECT_LT(with_position, 40);
    EXPECT_GT(from_the_start, 5 * with_position) << "the test sees no difference";

    (void)one->source.execute_once("SELECT pg_stat_force_next_flush()", {});
    const winnow::outbox_totals health = winnow::count_outbox(one->context(), winnow::silo::cell);
    EXPECT_GT(health.oldest_transaction, 0);
    EXPECT_GE(health.dead_rows, 20'000);
}

TEST_P(OutboxCase, A32AMessageThatBecomesVisibleLateIsFoundByTheNextSweep) {
    const auto one = make_worker();
    set_option("outbox.sweep_seconds", "0");
    winnow::outbox_position position;
    winnow::drain_limits limits;
    limits.position = &position;
    put_org(1, "a");
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell, limits).messages, 1);
    put_org(2, "b");
    us().run(postgres()
                 ? "UPDATE winnow_cell_outbox SET scheduled_for = clock_timestamp() - interval '1 hour'"
                 : "UPDATE winnow_cell_outbox SET scheduled_for = strftime('%Y-%m-%d %H:%M:%f', 'now', '-1 hour')");
    set_option("outbox.sweep_seconds", "1000");
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell, limits).messages, 0);
    set_option("outbox.sweep_seconds", "0");
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell, limits).messages, 1);
}

TEST_P(OutboxCase, A34AHandlerThatRunsTwiceMakesItsEffectOnce) {
    const auto one = make_worker();
    const auto next = make_worker();
    put_note(1, 42, "x");
    std::vector<std::int64_t> ids;
    std::vector<int> attempts;
    std::vector<bool> ran;
    outbox_domain::hooks().replicate = [&](std::string_view, std::int64_t, const std::string& text,
                                           winnow::delivery& about) {
        ids.push_back(about.message_id);
        attempts.push_back(about.attempt);
        ran.push_back(about.once([&](winnow::connection& target) {
            (void)target.execute("INSERT INTO effect (what) VALUES ($1)", {std::string_view(text)});
        }));
    };
    one->source.before = [](std::string_view statement, std::span<const winnow::parameter>) {
        if (statement.starts_with("DELETE")) throw std::runtime_error("killed");
    };
    EXPECT_THROW((void)winnow::drain(one->context(), winnow::silo::cell), std::runtime_error);
    EXPECT_TRUE(winnow::drain(next->context(), winnow::silo::cell).held);
    let_time_pass();
    EXPECT_EQ(winnow::drain(next->context(), winnow::silo::cell).messages, 1);
    ASSERT_EQ(ids.size(), 2U);
    EXPECT_EQ(ids[0], ids[1]);
    EXPECT_THAT(attempts, ElementsAre(1, 2));
    EXPECT_THAT(ran, ElementsAre(true, false));
    EXPECT_EQ(control().number("SELECT count(*) FROM effect"), 1);
    EXPECT_EQ(messages(), 0);
}

TEST_P(OutboxCase, A35ATenantWithVeryManyMessagesDoesNotKeepAnotherWaiting) {
    const auto one = make_worker();
    fill(outbox_domain::note_update, 1, 1, 10'000);
    fill(outbox_domain::note_update, 2, 77'777, 77'777);
    std::int64_t calls = 0;
    std::int64_t before_the_other = -1;
    outbox_domain::hooks().erased = [&](std::string_view, std::int64_t id, winnow::delivery&) {
        if (id == 77'777) before_the_other = calls;
        ++calls;
    };
    const winnow::drain_report report = winnow::drain(one->context(), winnow::silo::cell);
    EXPECT_EQ(report.messages, 10'001);
    EXPECT_GE(before_the_other, 0);
    EXPECT_LE(before_the_other, 2'000);
    // Alone, each turn is a full one.
    EXPECT_EQ(report.turns, 10);
}

TEST_P(OutboxCase, A35ManyTenantsWithVeryManyMessagesDoNotKeepAnotherWaiting) {
    const auto one = make_worker();
    // More of them than a turn has room for, and all before the other in the order of keys.
    for (std::int64_t org = 1; org <= 4; ++org)
        fill(outbox_domain::note_update, org, org * 10'000 + 1, org * 10'000 + 3'000);
    fill(outbox_domain::note_update, 5, 77'777, 77'777);
    std::int64_t calls = 0;
    std::int64_t before_the_other = -1;
    outbox_domain::hooks().erased = [&](std::string_view, std::int64_t id, winnow::delivery&) {
        if (id == 77'777) before_the_other = calls;
        ++calls;
    };
    EXPECT_EQ(winnow::drain(one->context(), winnow::silo::cell).messages, 12'001);
    EXPECT_GE(before_the_other, 0);
    EXPECT_LE(before_the_other, 5'000);
}

INSTANTIATE_TEST_SUITE_P(databases, OutboxCase, all_databases(), name_of_database);

}  // namespace
