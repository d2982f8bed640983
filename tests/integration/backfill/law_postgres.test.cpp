// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <gtest/gtest.h>

#include "integration/backfill/law.hpp"

TEST(law_6, holds_over_sixty_histories) {
    winnow_test::fresh_postgres database;
    winnow_test::backfill_law law(database);
    for (std::uint64_t seed = 1; seed <= 60 && !testing::Test::HasFailure(); ++seed) law.history(seed);
}
