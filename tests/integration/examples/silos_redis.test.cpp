// SPDX-License-Identifier: Apache-2.0
// The same on PostgreSQL, with the cursors of backfills in Redis.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "silos_cases.hpp"
#include "winnow/store/redis_cursor.hpp"

namespace {

class silos_redis : public testing::Test {
protected:
    void SetUp() override {
        if (!std::filesystem::exists(program_path("tracker"))) GTEST_SKIP() << "the examples were not built";
        ASSERT_NE(std::getenv("WINNOW_TEST_POSTGRES"), nullptr) << "see tests/support/with_postgres";
        ASSERT_NE(std::getenv("WINNOW_TEST_REDIS"), nullptr) << "see tests/support/with_redis";
        server_ = std::getenv("WINNOW_TEST_POSTGRES");
        redis_ = std::getenv("WINNOW_TEST_REDIS");
    }
    std::string server_;
    std::string redis_;
};

TEST_F(silos_redis, deletions_cross_silos_and_cursors_are_where_others_read_them) {
    const silos_test::installation tracker(server_, ", \"redis\": \"" + redis_ + "\"");
    ASSERT_EQ(tracker.trouble(), "");
    silos_test::deletions_cross_silos(tracker);
    winnow::redis_cursors cursors(redis_);
    EXPECT_EQ(cursors.read("outbox_backfill.tracker_organization"), "[0, 2]");
    EXPECT_EQ(cursors.read("outbox_backfill.tracker_user"), "[0, 2]");
}
TEST_F(silos_redis, a_broken_copy_is_named_and_replayed) {
    const silos_test::installation tracker(server_);
    ASSERT_EQ(tracker.trouble(), "");
    silos_test::a_broken_copy_is_named_and_replayed(tracker);
}
TEST_F(silos_redis, a_worker_for_each_silo_does_it_by_itself) {
    const silos_test::installation tracker(server_, ", \"redis\": \"" + redis_ + "\"");
    ASSERT_EQ(tracker.trouble(), "");
    silos_test::workers_do_it_by_themselves(tracker,
                                            {{"--silo-mode", "control", "worker", "--threads", "2"},
                                             {"--silo-mode", "cell", "--cell", "us", "worker", "--threads", "2"},
                                             {"--silo-mode", "cell", "--cell", "de", "worker", "--threads", "2"}});
}
TEST_F(silos_redis, a_worker_for_all_silos_needs_no_redis) {
    const silos_test::installation tracker(server_);
    ASSERT_EQ(tracker.trouble(), "");
    silos_test::workers_do_it_by_themselves(tracker, {{"worker", "--threads", "2"}});
}

}  // namespace
