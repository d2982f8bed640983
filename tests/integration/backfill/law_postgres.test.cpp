// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <gtest/gtest.h>

#include "integration/backfill/law.hpp"
#include "laws/run_tree.hpp"

// WINNOW_SEED and WINNOW_TREES set the first seed and the number of histories.
TEST(law_6, holds_over_two_hundred_histories) {
    winnow_test::fresh_postgres database;
    winnow_test::backfill_law law(database);
    const std::uint64_t first = winnow_test::first_seed();
    const std::uint64_t last = first + winnow_test::tree_count(200);
    for (std::uint64_t seed = first; seed < last && !testing::Test::HasFailure(); ++seed) law.history(seed);
}
