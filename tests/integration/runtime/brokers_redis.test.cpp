// SPDX-License-Identifier: Apache-2.0
// The contract of brokers in Redis, and what only a server can do to it.

#include "integration/runtime/broker_contract.hpp"

#include <cstdlib>
#include <stdexcept>

#include "support/databases.hpp"
#include "winnow/runtime/stream_broker.hpp"
#include "winnow/store/redis_stream.hpp"

namespace {

using namespace winnow_test;
using redis_broker = winnow::stream_broker<winnow::redis_stream>;

std::string server_url() {
    const char* url = std::getenv("WINNOW_TEST_REDIS");
    if (url == nullptr) throw std::runtime_error("WINNOW_TEST_REDIS is not set; run through tests/support/with_redis");
    return url;
}

std::unique_ptr<winnow::broker> open_broker(const winnow::broker_options& options) {
    return std::make_unique<redis_broker>(
        std::make_unique<winnow::redis_stream>(winnow::parse_redis_url(server_url()), options.queues, options.owner,
                                               static_cast<std::int64_t>(options.lease_seconds * 1000)),
        options);
}

class redis_place final : public broker_place {
public:
    redis_place() { (void)winnow::redis(server_url()).command({"FLUSHALL"}); }
    std::unique_ptr<winnow::broker> open(const winnow::broker_options& options) override {
        return open_broker(options);
    }
};

INSTANTIATE_TEST_SUITE_P(brokers, broker_contract,
                         testing::Values(broker_kind{"redis", [] { return std::make_unique<redis_place>(); }}),
                         name_of_broker);

class redis_brokers : public testing::Test {
protected:
    static constexpr std::chrono::milliseconds at_once{0};
    [[nodiscard]] static winnow::task some(std::string argument) {
        return {"run_deletion", winnow::silo::cell, "us", std::move(argument), 1, 0};
    }
    redis_place place_;
    winnow::redis server_{server_url()};
};

TEST_F(redis_brokers, go_on_with_a_server_that_was_emptied) {
    const auto one = place_.open({{"cell:us"}, 60, "a"});
    one->push(some("1"));
    const auto taken = one->take(at_once);
    ASSERT_TRUE(taken);
    one->push(some("2"));
    one->push(some("3"), 100);
    (void)server_.command({"FLUSHALL"});
    EXPECT_FALSE(one->done(*taken));
    EXPECT_FALSE(one->extend(*taken));
    EXPECT_FALSE(one->retry(*taken, 0));
    EXPECT_FALSE(one->take(at_once));
    one->push(some("4"));
    const auto next = one->take(at_once);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->what.argument, "4");
    EXPECT_TRUE(one->done(*next));
}

TEST_F(redis_brokers, wait_on_while_the_server_is_emptied) {
    std::optional<winnow::taken_task> taken;
    std::atomic<bool> waits{false};
    std::thread waiting([&] {
        const auto one = place_.open({{"cell:us"}, 60, "a"});
        (void)one->take(at_once);
        waits.store(true);
        for (int i = 0; i < 20 && !taken; ++i) taken = one->take(std::chrono::milliseconds(500));
    });
    while (!waits.load()) std::this_thread::yield();
    for (int i = 0; i < 5; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        (void)server_.command({"FLUSHALL"});
    }
    place_.open({{"cell:us"}, 60, "b"})->push(some("x"));
    waiting.join();
    ASSERT_TRUE(taken) << "no error came between";
    EXPECT_EQ(taken->what.argument, "x");
}

TEST_F(redis_brokers, bound_their_streams) {
    const auto one = place_.open({{"cell:us"}, 60, "a"});
    const std::string script = "for i = 1, 130000 do redis.call('XADD', KEYS[1], '*', 'task', 'x') end return 1";
    (void)server_.eval(script, "winnow:{cell:us}:tasks", {});
    // Cut a part at a time, so that no push takes long.
    for (int i = 0; i < 10; ++i) one->push(some("last"));
    EXPECT_LT(server_.command({"XLEN", "winnow:{cell:us}:tasks"}).integer, 101'000);
    EXPECT_GE(server_.command({"XLEN", "winnow:{cell:us}:tasks"}).integer, 100'000);
}

TEST_F(redis_brokers, drop_what_is_no_task_and_what_was_cut_off) {
    const auto one = place_.open({{"cell:us"}, 0.2, "a"});
    (void)server_.command({"XADD", "winnow:{cell:us}:tasks", "*", "task", "nonsense"});
    one->push(some("right"));
    const auto taken = one->take(at_once);
    const auto second = taken ? taken : one->take(at_once);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->what.argument, "right");
    (void)server_.command({"XDEL", "winnow:{cell:us}:tasks", second->id});
    const auto other = place_.open({{"cell:us"}, 0.2, "b"});
    EXPECT_FALSE(other->take(std::chrono::milliseconds(800))) << "there is no text left to work on";
}

TEST_F(redis_brokers, leave_no_names_of_workers_behind) {
    (void)place_.open({{"cell:us"}, 60, "a"})->take(at_once);
    const auto busy = place_.open({{"cell:us"}, 60, "b"});
    busy->push(some("x"));
    const auto taken = busy->take(at_once);
    ASSERT_TRUE(taken);
    EXPECT_EQ(server_.command({"XINFO", "CONSUMERS", "winnow:{cell:us}:tasks", "workers"}).items.size(), 1U)
        << "one that has a task stays";
}

TEST_F(redis_brokers, say_which_server_is_away) {
    winnow::redis_options nowhere = winnow::parse_redis_url("redis://:secret@127.0.0.1:1");
    redis_broker one(std::make_unique<winnow::redis_stream>(nowhere, std::vector<std::string>{"cell:us"}, "a", 1000),
                     {{"cell:us"}, 1, "a"});
    const winnow::error problem = error_of([&] { one.push(some("x")); });
    EXPECT_EQ(problem.kind(), winnow::failure::connection);
    EXPECT_TRUE(problem.may_retry());
    EXPECT_EQ(std::string(problem.what()).find("secret"), std::string::npos) << problem.what();
    EXPECT_EQ(one.description(), "Redis at redis://:***@127.0.0.1:1") << one.description();
}

}  // namespace
