// SPDX-License-Identifier: Apache-2.0
// Workers whose tasks are in Redis, which is emptied under their hands.

#include <gtest/gtest.h>

#include <cstdlib>

#include "integration/runtime/worker_shop.hpp"
#include "winnow/runtime/stream_broker.hpp"
#include "winnow/store/redis_stream.hpp"

namespace {

using namespace winnow_test;

class workers_on_redis : public testing::TestWithParam<winnow::dialect> {
protected:
    void SetUp() override { (void)server_.command({"FLUSHALL"}); }
    [[nodiscard]] shop_broker in_redis() const {
        return [url = url_](const winnow::broker_options& options) {
            auto stream =
                std::make_unique<winnow::redis_stream>(winnow::parse_redis_url(url), options.queues, options.owner,
                                                       static_cast<std::int64_t>(options.lease_seconds * 1000));
            return std::make_unique<winnow::stream_broker<winnow::redis_stream>>(std::move(stream), options);
        };
    }
    std::string url_ = std::getenv("WINNOW_TEST_REDIS") == nullptr ? "" : std::getenv("WINNOW_TEST_REDIS");
    winnow::redis server_{url_};
    worker_shop shop_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(databases, workers_on_redis, all_databases(), name_of_database);

constexpr const char* scheduled = "SELECT count(*) FROM winnow_cell_scheduled_deletion";

TEST_P(workers_on_redis, lose_no_work_with_what_redis_loses) {
    shop_.add_organizations(12, 10, 10);
    for (int id = 1; id <= 8; ++id) shop_.schedule(id);
    shop_.set("deletion.pass_rows", "20");
    shop_.set("outbox_replication.shop_organization.replication_version", "1");
    shop_worker one(shop_.database(), shop_.models(), "one", in_redis(), 2);
    shop_worker two(shop_.database(), shop_.models(), "two", in_redis(), 2);
    one.start();
    two.start();
    std::int64_t before = shop_.number("SELECT count(*) FROM shop_badge");
    for (int flush = 0; flush < 5 && shop_.number(scheduled) != 0; ++flush) {
        (void)server_.command({"FLUSHALL"});
        ASSERT_TRUE(comes_true(
            [&] { return shop_.number("SELECT count(*) FROM shop_badge") < before || shop_.number(scheduled) == 0; }));
        before = shop_.number("SELECT count(*) FROM shop_badge");
    }
    EXPECT_TRUE(comes_true([&] { return shop_.number(scheduled) == 0; })) << one.log().all() << two.log().all();
    EXPECT_TRUE(comes_true([&] {
        return shop_.number("SELECT count(*) FROM shop_organizationcopy") == 4 &&
               shop_.number("SELECT count(*) FROM winnow_cell_outbox") == 0;
    })) << one.log().all();
    one.stop();
    two.stop();
    EXPECT_EQ(shop_.number("SELECT count(*) FROM winnow_audit WHERE action = 'completed'"), 8) << "each once";
    EXPECT_EQ(shop_.number("SELECT count(*) FROM shop_badge"), 4 * 10 * 10);
}

}  // namespace
