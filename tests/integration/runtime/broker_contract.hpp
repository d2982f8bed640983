// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "winnow/runtime/broker.hpp"

namespace winnow_test {

/// A place of tasks, empty at first, that any number of brokers can be opened to.
class broker_place {
public:
    virtual ~broker_place() = default;
    [[nodiscard]] virtual std::unique_ptr<winnow::broker> open(const winnow::broker_options& options) = 0;
};

/// How a test gets its place.
struct broker_kind {
    std::string name;
    std::function<std::unique_ptr<broker_place>()> make;
};

/// What every broker promises, whatever it keeps its tasks in.
class broker_contract : public testing::TestWithParam<broker_kind> {
protected:
    static constexpr std::chrono::milliseconds at_once{0};
    static constexpr std::chrono::milliseconds a_while{10'000};

    [[nodiscard]] std::unique_ptr<winnow::broker> open(const std::string& owner, double lease_seconds = 60,
                                                       std::vector<std::string> queues = {"control", "cell:us"}) {
        return place_->open({std::move(queues), lease_seconds, owner});
    }
    [[nodiscard]] static winnow::task some(std::string argument, winnow::silo where = winnow::silo::cell,
                                           std::string cell = "us") {
        return {"run_deletion", where, where == winnow::silo::cell ? std::move(cell) : "", std::move(argument), 1, 1.5};
    }

private:
    std::unique_ptr<broker_place> place_ = GetParam().make();
};

inline std::string name_of_broker(const testing::TestParamInfo<broker_kind>& info) { return info.param.name; }

TEST_P(broker_contract, hands_out_what_was_pushed_word_for_word) {
    const auto pushing = open("a");
    const auto taking = open("b");
    winnow::task what = some("two\nlines \"and\" 'quotes' \\ \u00e4");
    what.attempt = 3;
    pushing->push(what);
    const std::optional<winnow::taken_task> taken = taking->take(at_once);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->what.kind, what.kind);
    EXPECT_EQ(taken->what.argument, what.argument);
    EXPECT_EQ(taken->what.silo, winnow::silo::cell);
    EXPECT_EQ(taken->what.cell, "us");
    EXPECT_EQ(taken->what.attempt, 3);
    EXPECT_EQ(taken->what.deadline_seconds, 1.5);
    EXPECT_EQ(taken->queue, "cell:us");
    EXPECT_EQ(taken->owner, "b");
    EXPECT_FALSE(taking->take(at_once)) << "it was there once";
    EXPECT_TRUE(taking->done(*taken));
    EXPECT_FALSE(taking->done(*taken)) << "it is gone";
}

TEST_P(broker_contract, gives_the_oldest_of_a_queue_first) {
    const auto one = open("a");
    for (const char* argument : {"1", "2", "3"}) one->push(some(argument));
    std::string order;
    for (int i = 0; i < 3; ++i) {
        const auto taken = one->take(at_once);
        ASSERT_TRUE(taken);
        order += taken->what.argument;
    }
    EXPECT_EQ(order, "123");
}

TEST_P(broker_contract, keeps_queues_apart) {
    const auto all = open("a");
    const auto control = open("b", 60, {"control"});
    const auto other = open("c", 60, {"cell:de"});
    all->push(some("us"));
    EXPECT_TRUE(all->serves("cell:us"));
    EXPECT_FALSE(control->serves("cell:us"));
    EXPECT_FALSE(control->take(at_once));
    EXPECT_FALSE(other->take(at_once));
    all->push(some("global", winnow::silo::control));
    const auto taken = control->take(at_once);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->what.silo, winnow::silo::control);
    EXPECT_EQ(taken->what.cell, "");
    std::set<std::string> rest;
    while (const auto each = all->take(at_once)) rest.insert(each->what.argument);
    EXPECT_EQ(rest, std::set<std::string>{"us"});
}

TEST_P(broker_contract, a_queue_may_have_any_name) {
    const std::vector<std::string> names = {"cell:o'neill", "cell:') OR 1=1 --", "cell:$1", "cell:\u00e4 \\ \"%"};
    for (const std::string& name : names) {
        const auto mine = open("mine", 60, {"control", name});
        const auto others = open("others", 60, {"cell:us"});
        mine->push(some("x", winnow::silo::cell, name.substr(5)));
        EXPECT_FALSE(others->take(at_once)) << name;
        EXPECT_EQ(others->statistics().waiting, 0) << name;
        EXPECT_EQ(mine->statistics().waiting, 1) << name;
        const auto taken = mine->take(at_once);
        ASSERT_TRUE(taken) << name;
        EXPECT_EQ(taken->queue, name);
        EXPECT_EQ(taken->what.cell, name.substr(5));
        EXPECT_TRUE(mine->done(*taken)) << name;
    }
}

TEST_P(broker_contract, a_delayed_task_is_not_there_before_its_time_and_comes_by_itself) {
    const auto one = open("a");
    one->push(some("later"), 0.8);
    one->push(some("much later"), 3600);
    EXPECT_FALSE(one->take(at_once));
    EXPECT_EQ(one->statistics().delayed, 2);
    EXPECT_EQ(one->statistics().waiting, 0);
    const auto taken = one->take(a_while);
    ASSERT_TRUE(taken) << "its time came while somebody waited";
    EXPECT_EQ(taken->what.argument, "later");
    EXPECT_EQ(one->statistics().delayed, 1);
}

TEST_P(broker_contract, a_waiting_worker_gets_what_another_pushes) {
    std::optional<winnow::taken_task> taken;
    std::thread waiting([&] { taken = open("b")->take(a_while); });
    open("a")->push(some("x"));
    waiting.join();
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->what.argument, "x");
}

TEST_P(broker_contract, retry_counts_the_attempt_and_waits) {
    const auto one = open("a");
    one->push(some("x"));
    auto taken = one->take(at_once);
    ASSERT_TRUE(taken);
    EXPECT_TRUE(one->retry(*taken, 0.5));
    EXPECT_FALSE(one->retry(*taken, 0)) << "it is no longer in this worker's hands";
    EXPECT_FALSE(one->take(at_once));
    taken = one->take(a_while);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->what.attempt, 2);
    EXPECT_TRUE(one->retry(*taken, 0));
    taken = one->take(a_while);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->what.attempt, 3);
    EXPECT_EQ(taken->what.argument, "x");
}

TEST_P(broker_contract, a_silent_worker_loses_its_task_and_cannot_end_it_any_more) {
    const auto silent = open("silent", 0.4);
    const auto lively = open("lively", 0.4);
    silent->push(some("x"));
    const auto first = silent->take(at_once);
    ASSERT_TRUE(first);
    EXPECT_FALSE(lively->take(at_once)) << "its lease runs";
    const auto second = lively->take(a_while);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->what.argument, "x");
    EXPECT_FALSE(silent->done(*first));
    EXPECT_FALSE(silent->extend(*first));
    EXPECT_FALSE(silent->retry(*first, 0));
    EXPECT_TRUE(lively->done(*second));
    EXPECT_FALSE(lively->take(at_once)) << "what the silent one said changed nothing";
}

TEST_P(broker_contract, a_worker_that_says_it_lives_keeps_its_task) {
    const auto busy = open("busy", 1.5);
    const auto keeper = open("keeper", 1.5);
    const auto other = open("other", 1.5);
    busy->push(some("x"));
    const auto taken = busy->take(at_once);
    ASSERT_TRUE(taken);
    for (int i = 0; i < 8; ++i) {
        EXPECT_FALSE(other->take(std::chrono::milliseconds(250)));
        EXPECT_TRUE(keeper->extend(*taken)) << "another broker of the same process may say so";
    }
    EXPECT_TRUE(busy->done(*taken));
}

TEST_P(broker_contract, counts_what_it_holds) {
    const auto one = open("a");
    for (const char* argument : {"1", "2", "3"}) one->push(some(argument));
    one->push(some("later"), 100);
    const auto taken = one->take(at_once);
    ASSERT_TRUE(taken);
    const winnow::broker_statistics now = one->statistics();
    EXPECT_EQ(now.waiting, 2);
    EXPECT_EQ(now.running, 1);
    EXPECT_EQ(now.delayed, 1);
    EXPECT_TRUE(one->done(*taken));
    EXPECT_EQ(one->statistics().running, 0);
}

TEST_P(broker_contract, many_workers_do_each_task_once) {
    constexpr int tasks = 120;
    constexpr int workers = 4;
    const auto one = open("pusher");
    for (int i = 0; i < tasks; ++i) one->push(some(std::to_string(i)));
    std::vector<std::vector<std::string>> done(workers);
    std::vector<std::thread> threads;
    for (int w = 0; w < workers; ++w)
        threads.emplace_back([&, w] {
            const auto mine = open("worker " + std::to_string(w));
            while (const auto taken = mine->take(at_once)) {
                done[static_cast<std::size_t>(w)].push_back(taken->what.argument);
                if (!mine->done(*taken)) done[static_cast<std::size_t>(w)].push_back("lost");
            }
        });
    for (std::thread& each : threads) each.join();
    std::set<std::string> all;
    std::size_t count = 0;
    for (const auto& each : done) {
        count += each.size();
        all.insert(each.begin(), each.end());
    }
    EXPECT_EQ(count, std::size_t{tasks});
    EXPECT_EQ(all.size(), std::size_t{tasks});
    EXPECT_EQ(all.count("lost"), 0U);
}

}  // namespace winnow_test
