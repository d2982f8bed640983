// SPDX-License-Identifier: Apache-2.0
// The contract of brokers, in memory and in both databases; in Redis: brokers_redis.test.cpp.

#include "integration/runtime/broker_contract.hpp"

#include "support/databases.hpp"
#include "winnow/runtime/jobs.hpp"
#include "winnow/runtime/memory_broker.hpp"
#include "winnow/runtime/sql_broker.hpp"
#include "winnow/store/own_tables.hpp"

namespace {

using namespace winnow_test;

class memory_place final : public broker_place {
public:
    std::unique_ptr<winnow::broker> open(const winnow::broker_options& options) override {
        return std::make_unique<winnow::memory_broker>(queue_, options);
    }

private:
    std::shared_ptr<winnow::memory_queue> queue_ = std::make_shared<winnow::memory_queue>();
};

class sql_place final : public broker_place {
public:
    explicit sql_place(dialect kind) : database_(make_database(kind)) { (void)winnow::migrate(*database_->open()); }
    std::unique_ptr<winnow::broker> open(const winnow::broker_options& options) override {
        // Each as if in a process of its own: nothing wakes it but its own looks.
        return std::make_unique<winnow::sql_broker>(database_->open(), std::make_shared<winnow::wakeup>(), options);
    }

private:
    std::unique_ptr<fresh_database> database_;
};

INSTANTIATE_TEST_SUITE_P(
    brokers, broker_contract,
    testing::Values(broker_kind{"memory", [] { return std::make_unique<memory_place>(); }},
                    broker_kind{"sqlite", [] { return std::make_unique<sql_place>(dialect::sqlite); }},
                    broker_kind{"postgresql", [] { return std::make_unique<sql_place>(dialect::postgres); }}),
    name_of_broker);

TEST(task_text, is_read_as_it_was_written_and_nothing_else_is) {
    const winnow::task what{"prune", winnow::silo::control, "", "a\n\nb", 2, 30};
    const auto read = winnow::parse_task(winnow::text_of_task(what));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->kind, "prune");
    EXPECT_EQ(read->argument, "a\n\nb");
    EXPECT_EQ(read->attempt, 2);
    EXPECT_EQ(read->deadline_seconds, 30);
    for (const char* wrong : {"", "x", "prune\ncontrol\n\n1\n", "\ncontrol\n\n1\n2\n", "prune\nmoon\n\n1\n2\n",
                              "prune\ncell\nus\n0\n2\n", "prune\ncell\nus\nmany\n2\n"})
        EXPECT_FALSE(winnow::parse_task(wrong)) << wrong;
}

TEST(sql_broker, does_not_add_a_task_that_waits_already) {
    const fresh_sqlite database;
    (void)winnow::migrate(*database.open());
    winnow::sql_broker one(database.open(), std::make_shared<winnow::wakeup>(), {{"control"}, 60, "a"});
    const winnow::task what{"prune", winnow::silo::control, "", "", 1, 30};
    one.push(what);
    one.push(what);
    EXPECT_EQ(one.statistics().waiting, 1);
    const auto taken = one.take(std::chrono::milliseconds(0));
    ASSERT_TRUE(taken);
    one.push(what);
    EXPECT_EQ(one.statistics().waiting, 1) << "one that is being done may be too late for what the new one is about";
}

TEST(sql_broker, ends_no_task_by_an_id_that_is_not_its_own) {
    for (const dialect kind : {dialect::sqlite, dialect::postgres}) {
        sql_place place(kind);
        const auto mine = place.open({{"control"}, 60, "a"});
        mine->push({"prune", winnow::silo::control, "", "", 1, 30});
        const auto taken = mine->take(std::chrono::milliseconds(0));
        ASSERT_TRUE(taken);
        for (const char* id : {"", "nothing", "1", "/", "1/1/1", "9999999999999999999999/1", "1-1", "1/1 OR 1=1"}) {
            winnow::taken_task other = *taken;
            other.id = id;
            EXPECT_FALSE(mine->done(other)) << id;
        }
        EXPECT_TRUE(mine->done(*taken));
    }
}

TEST(sql_broker, without_a_queue_it_serves_nothing) {
    for (const dialect kind : {dialect::sqlite, dialect::postgres}) {
        sql_place place(kind);
        place.open({{"control"}, 60, "a"})->push({"prune", winnow::silo::control, "", "", 1, 30});
        const auto none = place.open({{}, 60, "b"});
        EXPECT_FALSE(none->take(std::chrono::milliseconds(0)));
        EXPECT_EQ(none->statistics().waiting, 0);
    }
}

TEST(drain_task, for_no_range_is_refused_and_says_so) {
    const fresh_sqlite database;
    const auto session = database.open();
    (void)winnow::migrate(*session);
    const winnow::catalog models{std::span<const winnow::plan>()};
    winnow::steady_clock time;
    winnow::observer watch;
    const winnow::context with{models, *session, time, watch};
    EXPECT_FALSE(winnow::run_drain_task(with, {"drain_outbox", winnow::silo::cell, "us", "1:9", 1, 30}));
    for (const char* argument : {"", "17", "a:b", "1:2:3"}) {
        try {
            (void)winnow::run_drain_task(with, {"drain_outbox", winnow::silo::cell, "us", argument, 1, 30});
            ADD_FAILURE() << argument;
        } catch (const winnow::error& problem) {
            EXPECT_EQ(problem.kind(), winnow::failure::usage);
            EXPECT_NE(std::string(problem.what()).find("cell:us"), std::string::npos) << problem.what();
        }
    }
}

}  // namespace
