// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

#include "integration/backfill/law.hpp"
#include "integration/backfill/redis_server.hpp"
#include "laws/run_tree.hpp"
#include "winnow/store/redis_cursor.hpp"

// The same with cursors in Redis, which loses them now and then (rule 17).
TEST(law_6, holds_while_redis_loses_its_keys) {
    winnow_test::fresh_redis redis;
    winnow_test::fresh_sqlite database;
    winnow_test::backfill_law::cursors store;
    store.open = [&] { return std::make_unique<winnow::redis_cursors>(redis.url()); };
    store.lose = [&] { (void)redis.command({"DEL", "outbox_backfill.t_organization"}); };
    winnow_test::backfill_law law(database, store);
    const std::uint64_t first = winnow_test::first_seed();
    const std::uint64_t last = first + winnow_test::tree_count(200);
    for (std::uint64_t seed = first; seed < last && !testing::Test::HasFailure(); ++seed) {
        store.lose();
        law.history(seed);
        EXPECT_EQ(redis.at("outbox_backfill.t_organization"), "[0, 4]") << "WINNOW_SEED=" << seed;
    }
}
