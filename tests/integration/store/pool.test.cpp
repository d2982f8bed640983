// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>
#include <vector>

#include "support/databases.hpp"
#include "winnow/store/pool.hpp"
#include "winnow/store/transaction.hpp"

namespace {

using namespace winnow_test;
using winnow::connection_lease;
using winnow::connection_pool;
using winnow::failure;
using winnow::transaction_kind;

class any_pool : public on_every_database {};
INSTANTIATE_TEST_SUITE_P(databases, any_pool, all_databases(), name_of_database);

TEST_P(any_pool, never_lends_more_than_it_may) {
    connection_pool pool(database().connector(), 2);
    const connection_lease first = pool.acquire();
    connection_lease second = pool.acquire();
    const winnow::error problem = error_of([&] { (void)pool.acquire(std::chrono::milliseconds{1}); });
    EXPECT_EQ(problem.kind(), failure::connection);
    EXPECT_TRUE(problem.may_retry());
    second.give_back();
    EXPECT_EQ(pool.lent(), 1U);
    const connection_lease third = pool.acquire(std::chrono::milliseconds{1});
    EXPECT_EQ(pool.lent(), 2U);
}

TEST_P(any_pool, ends_the_transaction_of_a_careless_borrower) {
    database().run("CREATE TABLE t (id integer PRIMARY KEY)");
    connection_pool pool(database().connector(), 1);
    {
        const connection_lease lease = pool.acquire();
        lease->begin(transaction_kind::write, {});
        (void)lease->execute("INSERT INTO t VALUES (1)");
    }
    const connection_lease lease = pool.acquire();
    EXPECT_FALSE(lease->in_transaction());
    EXPECT_EQ(lease->execute("SELECT count(*) FROM t").integer(0, 0), 0);
}

TEST_P(any_pool, a_moved_lease_is_given_back_once) {
    connection_pool pool(database().connector(), 2);
    connection_lease first = pool.acquire();
    connection_lease second = std::move(first);
    EXPECT_EQ(pool.lent(), 1U);
    second = pool.acquire();
    EXPECT_EQ(pool.lent(), 1U);
    second.give_back();
    second.give_back();
    EXPECT_EQ(pool.lent(), 0U);
}

TEST_P(any_pool, serves_many_threads) {
    database().run("CREATE TABLE counter (id integer PRIMARY KEY, n integer); INSERT INTO counter VALUES (1, 0)");
    connection_pool pool(database().connector(), 2);
    std::atomic<std::size_t> most{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < 20; ++round) {
                const connection_lease lease = pool.acquire();
                if (pool.lent() > most) most = pool.lent();
                winnow::transaction work(*lease);
                (void)lease->execute("UPDATE counter SET n = n + 1");
                work.commit();
            }
        });
    }
    for (std::thread& each : threads) each.join();
    EXPECT_LE(most.load(), 2U);
    EXPECT_EQ(database().number("SELECT n FROM counter"), 120);
    EXPECT_EQ(pool.lent(), 0U);
}

TEST(pool, a_database_that_cannot_be_opened_leaves_the_pool_intact) {
    connection_pool pool(winnow::open_connector("sqlite:/nowhere/at/all.db", drivers), 1);
    for (int attempt = 0; attempt < 3; ++attempt) {
        EXPECT_EQ(error_of([&] { (void)pool.acquire(); }).sqlstate(), "SQLITE_CANTOPEN");
    }
    EXPECT_EQ(pool.lent(), 0U);
}

}  // namespace
