// SPDX-License-Identifier: Apache-2.0
// Rate limits that workers of several databases share through Redis, and what becomes of them when it is away.

#include <cstdlib>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>

#include "integration/backfill/redis_server.hpp"
#include "integration/deletion/worker.hpp"
#include "winnow/store/redis_bucket.hpp"

namespace {

using namespace winnow_test;
using testing::HasSubstr;
using winnow::deletion_outcome;

class redis_buckets : public testing::Test {
protected:
    void SetUp() override { spy() = {}; }
    static void prepare(const fresh_database& at) {
        winnow::migrate(*at.open());
        make(
            at,
            "CREATE TABLE limited_parent (id {id});"
            "CREATE TABLE limited_bulk (id {id}, parent_id bigint NOT NULL REFERENCES limited_parent (id));"
            "CREATE TABLE limited_single (id {id}, parent_id bigint NOT NULL REFERENCES limited_parent (id));"
            "CREATE INDEX bulk_parent ON limited_bulk (parent_id); CREATE INDEX single_parent ON limited_single (parent_id);"
            "INSERT INTO limited_parent VALUES (1);");
        fill(*at.open(), "limited_bulk", 60, [](std::int64_t i) { return list(i, 1); });
        worker some(at, limited_models());
        some.set("deletion.target_milliseconds", "0");
        some.set("limited.bulk_rate", "2");
        some.set("deletion.rate_limit_in_redis", "true");
        some.schedule("limited.Parent", one);
    }
    static winnow::deletion_report run(worker& of, winnow::bucket_store* store) {
        winnow::context with = of.with();
        with.buckets = store;
        const auto report = winnow::run_next(with);
        if (!report) throw std::runtime_error("nothing was due");
        return *report;
    }

    fresh_redis redis_;
    fresh_sqlite first_;
    fresh_sqlite second_;
};

TEST_F(redis_buckets, leak_by_the_servers_clock_and_vanish_when_they_are_dry) {
    winnow::redis_buckets buckets(redis_.url());
    EXPECT_DOUBLE_EQ(buckets.charge("a", 500'000'000, 1'000), 500'000'000.0);
    const double level = buckets.charge("a", 1'000'000, 1'000);
    EXPECT_LE(level, 501'000'000.0);
    EXPECT_GT(level, 500'000'000.0) << "an hour has not passed";
    EXPECT_DOUBLE_EQ(buckets.charge("b", 7, 1), 7.0) << "each has its own";
    // As if the last charge had been ten thousand seconds ago.
    const std::string key = winnow::redis_buckets::key_of("a");
    const std::string at = redis_.command({"HGET", key, "at"}).text;
    (void)redis_.command({"HSET", key, "at", std::to_string(std::stod(at) - 10'000)});
    EXPECT_LE(buckets.charge("a", 0, 1'000), 491'000'000.0);
    EXPECT_GT(redis_.command({"PTTL", key}).integer, 0);
    EXPECT_LE(redis_.command({"PTTL", key}).integer, 491'000'000 + 1'000);
    (void)redis_.command({"SET", key, "no bucket"});
    EXPECT_DOUBLE_EQ(buckets.charge("a", 5, 1), 5.0) << "what is no bucket is begun anew";
    (void)redis_.command({"HSET", key, "at", "9999999999"});
    EXPECT_DOUBLE_EQ(buckets.charge("a", 5, 1), 10.0) << "a clock that was set back drains nothing";
}

TEST_F(redis_buckets, are_shared_by_databases) {
    prepare(first_);
    prepare(second_);
    winnow::redis_buckets store(redis_.url());
    winnow::redis_buckets other_store(redis_.url());
    worker here(first_, limited_models());
    worker there(second_, limited_models());
    const winnow::deletion_report report = run(here, &store);
    EXPECT_EQ(report.rows, 20);
    EXPECT_THAT(report.detail, testing::StrEq("rate limit limited.bulk_rate"));
    EXPECT_EQ(run(there, &other_store).rows, 10) << "the bucket is full already";
    for (const fresh_sqlite* each : {&first_, &second_})
        EXPECT_EQ(each->number("SELECT count(*) FROM winnow_rate_bucket"), 0);
}

TEST_F(redis_buckets, in_a_redis_that_is_away_are_counted_in_the_database_and_it_is_said) {
    prepare(first_);
    winnow::redis_buckets away("unix:/nowhere/redis.sock");
    worker some(first_, limited_models());
    const winnow::deletion_report report = run(some, &away);
    EXPECT_EQ(report.outcome, deletion_outcome::waiting);
    EXPECT_EQ(report.rows, 20) << "the limit holds";
    EXPECT_THAT(report.detail,
                HasSubstr("rate limit limited.bulk_rate (counted in the database: Redis at unix:/nowhere/redis.sock"));
    EXPECT_EQ(first_.number("SELECT count(*) FROM winnow_rate_bucket"), 1);
    EXPECT_EQ(some.watch.times("rate limits are counted in the database"), 1) << "once, however many chunks";
    EXPECT_EQ(some.request().attempts, 0);
    // It is back.
    winnow::redis_buckets store(redis_.url());
    some.end_waits();
    EXPECT_EQ(run(some, &store).detail, "rate limit limited.bulk_rate");
}

TEST_F(redis_buckets, without_a_redis_are_counted_in_the_database) {
    prepare(first_);
    worker some(first_, limited_models());
    EXPECT_THAT(run(some, nullptr).detail,
                HasSubstr("(counted in the database: this process has no Redis configured)"));
    (void)redis_.command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
}

TEST_F(redis_buckets, in_a_redis_that_refuses_to_write_are_counted_in_the_database) {
    prepare(first_);
    (void)redis_.command({"CONFIG", "SET", "maxmemory", "1"});
    winnow::redis_buckets full(redis_.url());
    worker some(first_, limited_models());
    const std::string detail = run(some, &full).detail;
    (void)redis_.command({"CONFIG", "SET", "maxmemory", "0"});
    EXPECT_THAT(detail, HasSubstr("counted in the database: "));
    EXPECT_THAT(detail, HasSubstr("OOM"));
}

}  // namespace
