// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <gtest/gtest.h>

#include "integration/backfill/law.hpp"

TEST(law_6, holds_over_two_hundred_histories) {
    winnow_test::fresh_sqlite database;
    winnow_test::backfill_law law(database);
    for (std::uint64_t seed = 1; seed <= 200 && !testing::Test::HasFailure(); ++seed) law.history(seed);
}
