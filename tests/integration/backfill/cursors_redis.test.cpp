// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/backfill/domain.hpp"
#include "integration/backfill/redis_server.hpp"
#include "winnow/backfill/upgrade.hpp"
#include "winnow/store/redis_cursor.hpp"

/// Cursors in Redis: what readers of the reference find there, and that nothing rests on it.
namespace winnow_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using winnow::cursor_health;
using winnow::cursor_position;

constexpr std::string_view key = "outbox_backfill.t_organization";
constexpr std::string_view missing = "backfill_outboxes.watermark_missing";

class redis_backfill : public backfill_test {
protected:
    backfiller mirrored(const versioned_models& models) { return {database().open(), models.catalog(), &cursors_}; }
    /// As if the last batch was a while ago: nobody is in the middle of one.
    static void let_time_pass(backfiller& one) {
        (void)one.session->execute_once(
            winnow::own_statement("UPDATE winnow_cell_backfill SET updated_at = {after -60}", one.session->kind()), {});
    }

    fresh_redis redis_;
    winnow::redis_cursors cursors_{redis_.url()};
};

TEST_P(redis_backfill, the_key_holds_what_a_reader_of_the_reference_expects) {
    add("t_organization", 5);
    backfiller one = mirrored(models_);
    EXPECT_FALSE(one.run());
    EXPECT_EQ(redis_.at(key), "[0, 1]") << "created lazily";
    std::vector<std::string> seen;
    do seen.push_back(redis_.at(key));
    while (one.forced(1));
    EXPECT_EQ(seen, (std::vector<std::string>{"[0, 1]", "[2, 2]", "[3, 2]", "[4, 2]", "[5, 2]", "[0, 3]"}));
    const versioned_models raised({{"t.Organization", 10'000}});
    backfiller two = mirrored(raised);
    EXPECT_EQ(two.forced(2).rows, 2);
    EXPECT_EQ(redis_.at(key), "[3, 10000]");
    (void)two.to_the_end();
    EXPECT_EQ(redis_.at(key), "[0, 10001]");
    EXPECT_EQ(one.watch.counted(missing) + two.watch.counted(missing), 0) << "no false alarm";
}

TEST_P(redis_backfill, A_02_a_lost_cursor_is_told_and_restored_and_nothing_is_done_twice) {
    add("t_organization", 200);
    backfiller one = mirrored(models_);
    EXPECT_EQ(one.forced(100).rows, 100);
    (void)redis_.command({"DEL", key});
    EXPECT_EQ(winnow::backfill_statuses(one.with(), "t.Organization").front().cursor, cursor_health::lost);

    EXPECT_EQ(one.forced(10).rows, 10);
    EXPECT_EQ(one.watch.counted(missing, "reason", "lost"), 1);
    EXPECT_EQ(one.watch.counted(missing, "table_name", "t_organization"), 1);
    EXPECT_THAT(one.watch.lines.back().name, HasSubstr("repaired from the database"));
    EXPECT_EQ(redis_.at(key), "[111, 2]");
    EXPECT_EQ(winnow::backfill_statuses(one.with(), "t.Organization").front().cursor, cursor_health::good);
    (void)one.to_the_end();
    EXPECT_EQ(one.messages("cell", organization_update), 200);
}

TEST_P(redis_backfill, rule_17_a_key_that_was_moved_decides_nothing_and_is_put_right) {
    add("t_organization", 100);
    backfiller one = mirrored(models_);
    EXPECT_EQ(one.forced(50).rows, 50);
    for (const auto& [text, reason] :
         std::vector<std::pair<std::string, std::string>>{{"[0, 2]", "behind"},
                                                          {"[0, 1]", "behind"},
                                                          {"[90, 2]", "ahead"},
                                                          {"[0, 3]", "ahead"},
                                                          {"[51]", "malformed"},
                                                          {"nonsense", "malformed"},
                                                          {"", "malformed"},
                                                          {"[51, 2, 3]", "malformed"},
                                                          {"{\"a\": 1}", "malformed"},
                                                          {"[51.5, 2]", "malformed"},
                                                          {"[\"51\", 2]", "malformed"},
                                                          {"[99999999999999999999, 2]", "malformed"}}) {
        SCOPED_TRACE(text);
        let_time_pass(one);
        redis_.server().set(key, text);
        const double before = one.watch.counted(missing, "reason", reason);
        EXPECT_EQ(winnow::backfill_statuses(one.with(), "t.Organization").front().cursor_text, text);
        EXPECT_EQ(one.forced(1).rows, 1);
        EXPECT_EQ(one.watch.counted(missing, "reason", reason), before + 1);
        EXPECT_EQ(winnow::parse_cursor(redis_.at(key)), one.record("t_organization").position());
    }
    (void)redis_.command({"DEL", key});
    (void)redis_.command({"RPUSH", key, "a", "list"});
    EXPECT_EQ(one.forced(1).rows, 1) << "a value of another type";
    EXPECT_EQ(winnow::parse_cursor(redis_.at(key)), one.record("t_organization").position());
    (void)one.to_the_end();
    EXPECT_EQ(one.messages("cell", organization_update), 100) << "each row once, whatever the key said";
    EXPECT_EQ(one.number("SELECT count(DISTINCT object_identifier) FROM winnow_cell_outbox WHERE category = 0"), 100);
}

TEST_P(redis_backfill, rule_17_the_key_is_written_after_the_commit_and_forward_only) {
    add("t_organization", 10);
    backfiller one = mirrored(models_);
    (void)one.forced(3);
    EXPECT_EQ(redis_.at(key), "[4, 2]");
    // A process that was slow to write what it had committed.
    EXPECT_FALSE(cursors_.advance(key, {2, 2}).written);
    EXPECT_FALSE(cursors_.advance(key, {1, 99}).written);
    EXPECT_FALSE(cursors_.advance(key, {2, 4}).written);
    EXPECT_EQ(redis_.at(key), "[4, 2]");
    EXPECT_TRUE(cursors_.advance(key, {2, 5}).written);
    EXPECT_TRUE(cursors_.advance(key, {3, -7}).written) << "first by version";
    EXPECT_EQ(redis_.at(key), "[-7, 3]");
    EXPECT_FALSE(cursors_.advance(key, {3, -8}).written);
    EXPECT_TRUE(cursors_.advance(key, {3, 9'007'199'254'740'993}).written);
    EXPECT_FALSE(cursors_.advance(key, {3, 9'007'199'254'740'992}).written) << "not by what a double can tell apart";
    EXPECT_TRUE(cursors_.advance(key, {3, 9'007'199'254'740'994}).written);
    // What was seen has changed meanwhile.
    EXPECT_FALSE(cursors_.replace(key, "[4, 2]", {2, 4}));
    EXPECT_FALSE(cursors_.replace(key, std::nullopt, {2, 4}));
    EXPECT_TRUE(cursors_.replace(key, "[9007199254740994, 3]", {2, 4}));
    EXPECT_EQ(redis_.at(key), "[4, 2]");
}

TEST_P(redis_backfill, flushed_in_the_middle_of_a_run_it_is_noticed_in_that_run) {
    add("t_organization", 5'000);
    backfiller one = mirrored(models_);
    int batches = 0;
    winnow::backfill_request asked;
    asked.force_synchronous = true;
    asked.only = "t.Organization";
    asked.after_batch = [&](std::int64_t rows) {
        if (rows != 0 && ++batches == 2) (void)redis_.command({"FLUSHALL"});
    };
    EXPECT_EQ(one.run(asked).rows, 5'000);
    EXPECT_EQ(one.watch.counted(missing, "reason", "lost"), 1);
    EXPECT_EQ(redis_.at(key), "[0, 3]");
}

TEST_P(redis_backfill, of_several_targets_the_key_holds_the_least_advanced) {
    add("t_token", 10);
    backfiller one = mirrored(models_);
    one.set(token_cells, R"(["us"])");
    EXPECT_EQ(one.forced(4).rows, 4);
    EXPECT_EQ(redis_.at("outbox_backfill.t_token"), "[5, 1]");
    (void)one.with().options().unset(token_cells);
    EXPECT_EQ(one.forced(2).rows, 2);
    EXPECT_EQ(redis_.at("outbox_backfill.t_token"), "[3, 1]") << "the cell that came later";
    (void)one.to_the_end();
    EXPECT_EQ(redis_.at("outbox_backfill.t_token"), "[0, 2]");
    EXPECT_EQ(one.messages("control", token_update), 20);
    EXPECT_EQ(one.watch.counted(missing), 0) << "one more target is no fault";
}

TEST_P(redis_backfill, begun_again_the_key_goes_back_without_alarm) {
    add("t_organization", 10);
    backfiller one = mirrored(models_);
    (void)one.to_the_end();
    EXPECT_EQ(redis_.at(key), "[0, 3]");
    (void)winnow::restart_backfill(one.with(), "t.Organization", true);
    EXPECT_EQ(redis_.at(key), "[0, 2]");
    EXPECT_EQ(one.forced().rows, 10);
    EXPECT_EQ(redis_.at(key), "[0, 3]");
    EXPECT_EQ(one.watch.counted(missing), 0);
}

TEST_P(redis_backfill, without_a_server_the_backfill_goes_on_and_says_so) {
    add("t_organization", 10);
    backfiller one = worker(models_);
    winnow::redis_cursors nowhere("unix:/nonexistent/redis.sock?password=hunter2");
    one.cursors = &nowhere;
    const winnow::backfill_report report = one.forced();
    EXPECT_EQ(report.rows, 10);
    EXPECT_THAT(report.cursor_trouble, HasSubstr("cannot be reached"));
    EXPECT_THAT(report.cursor_trouble, Not(HasSubstr("hunter2")));
    EXPECT_THAT(one.watch.lines.front().name, HasSubstr("goes on without"));
    EXPECT_EQ(winnow::backfill_statuses(one.with(), "t.Organization").front().cursor, cursor_health::unknown);
}

TEST_P(redis_backfill, A_38_a_server_that_evicts_is_told_and_the_database_has_what_matters) {
    (void)redis_.command({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
    add("t_organization", 10);
    backfiller one = mirrored(models_);
    const winnow::backfill_report report = one.forced();
    EXPECT_EQ(report.rows, 10);
    EXPECT_THAT(report.cursor_trouble, HasSubstr("evicts keys when its memory is full (maxmemory-policy allkeys-lru)"));
    EXPECT_THAT(report.cursor_trouble, HasSubstr("the database has what matters"));
    EXPECT_EQ(one.watch.lines.front().name, report.cursor_trouble);
    // State that is nowhere else is refused.
    const winnow::error refused = error_of([&] { winnow::require_lasting(redis_.server(), "The queue of jobs"); });
    EXPECT_EQ(refused.kind(), winnow::failure::configuration);
    EXPECT_THAT(refused.what(), HasSubstr("The queue of jobs would be lost"));
    EXPECT_THAT(refused.hint(), HasSubstr("noeviction"));
}

TEST_P(redis_backfill, A_38_where_config_is_forbidden_it_says_that_it_could_not_check) {
    (void)redis_.command({"ACL", "SETUSER", "closed", "on", ">hunter2", "~*", "+@all", "-config", "-info"});
    (void)redis_.command({"ACL", "SETUSER", "half", "on", ">hunter2", "~*", "+@all", "-config"});
    add("t_organization", 10);
    backfiller one = worker(models_);
    winnow::redis_cursors closed(redis_.url() + "?user=closed&password=hunter2");
    one.cursors = &closed;
    const winnow::backfill_report report = one.forced();
    EXPECT_EQ(report.rows, 10);
    EXPECT_THAT(report.cursor_trouble, HasSubstr("could not be checked: CONFIG and INFO are forbidden"));
    EXPECT_THAT(report.cursor_trouble, Not(HasSubstr("hunter2")));
    EXPECT_EQ(redis_.at(key), "[0, 3]") << "it is written all the same";
    // INFO tells it as well.
    winnow::redis half(redis_.url() + "?user=half&password=hunter2");
    EXPECT_EQ(winnow::eviction_risk(half), "");
    (void)redis_.command({"CONFIG", "SET", "maxmemory-policy", "volatile-ttl"});
    EXPECT_THAT(winnow::eviction_risk(half), HasSubstr("volatile-ttl"));
}

INSTANTIATE_TEST_SUITE_P(databases, redis_backfill, all_databases(), name_of_database);

TEST(redis_session, speaks_over_tcp_and_a_socket_with_a_password_that_it_never_tells) {
    fresh_redis server;
    (void)server.command({"ACL", "SETUSER", "secret", "on", ">hun/ter@2", "~*", "+@all"});
    const std::string host = redis_url("WINNOW_TEST_REDIS_TCP").substr(std::string("redis://").size());
    winnow::redis tcp("redis://secret:hun/ter@2@" + host + "/3");
    tcp.set("a", "b");
    EXPECT_EQ(tcp.get("a"), "b");
    EXPECT_EQ(server.at("a"), "(nothing)") << "another database";
    EXPECT_EQ(tcp.description(), "redis://secret:***@" + host + "/3");
    winnow::redis wrong("redis://secret:wr0ng@" + host);
    const winnow::error refused = error_of([&] { (void)wrong.get("a"); });
    EXPECT_EQ(refused.kind(), winnow::failure::configuration);
    EXPECT_THAT(refused.what(), HasSubstr("refused AUTH"));
    EXPECT_THAT(refused.what(), Not(HasSubstr("wr0ng")));
}

TEST(redis_session, comes_back_after_the_server_has_closed_it) {
    fresh_redis server;
    winnow::redis one(server.url());
    one.set("a", "b");
    (void)server.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    EXPECT_EQ(one.get("a"), "b");
}

TEST(redis_session, says_that_tls_is_not_built_in) {
#ifdef WINNOW_HIREDIS_SSL
    EXPECT_NO_THROW(winnow::redis("rediss://localhost"));
#else
    const winnow::error refused = error_of([] { (void)winnow::redis("rediss://:hunter2@localhost"); });
    EXPECT_EQ(refused.kind(), winnow::failure::configuration);
    EXPECT_THAT(refused.what(), HasSubstr("asks for TLS"));
    EXPECT_THAT(refused.what(), Not(HasSubstr("hunter2")));
#endif
}

}  // namespace
}  // namespace winnow_test
