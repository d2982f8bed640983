// SPDX-License-Identifier: Apache-2.0
// What a connection says, and how long it waits, when something between it and the server misbehaves.

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/databases.hpp"
#include "support/proxy.hpp"
#include "winnow/store/pool.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow_test {
namespace {

using testing::HasSubstr;
using winnow::failure;
using message = misbehaving_proxy::message;

class bad_network : public testing::Test {
protected:
    void SetUp() override { database_.run("CREATE TABLE kept (id bigint PRIMARY KEY)"); }
    [[nodiscard]] winnow::connection_ptr open(std::string_view more = "&answer_timeout=1") {
        return winnow::open_connector(proxy_.url_of(database_.url(), more), drivers)->open();
    }
    /// Misbehaves at one statement, once.
    void at(std::string statement, proxy_fault how) {
        auto done = std::make_shared<bool>(false);
        proxy_.on_message([done, statement = std::move(statement), how](const message& seen) {
            if (*done || !seen.is(statement)) return proxy_fault::none;
            *done = true;
            return how;
        });
    }
    [[nodiscard]] std::int64_t rows() const { return database_.number("SELECT count(*) FROM kept"); }
    /// Inserts a row by way of the proxy. @return how its transaction ended
    winnow::outcome insert(winnow::connection& to, winnow::error& problem) {
        winnow::transaction scope(to);
        (void)to.execute("INSERT INTO kept VALUES ($1)", {std::int64_t{1}});
        try {
            scope.commit();
        } catch (const winnow::error& what) {
            problem = what;
        }
        return scope.state();
    }

    fresh_postgres database_;
    misbehaving_proxy proxy_{misbehaving_proxy::socket_of(database_.url())};
    winnow::error problem_{failure::usage, "none"};
};

TEST_F(bad_network, an_honest_proxy_is_not_noticed) {
    const winnow::connection_ptr one = open();
    EXPECT_EQ(insert(*one, problem_), winnow::outcome::committed);
    EXPECT_EQ(rows(), 1);
    EXPECT_EQ(proxy_.connections(), 1);
}

TEST_F(bad_network, single_bytes_are_only_slow) {
    proxy_.on_message([](const message& seen) { return seen.type == 0 ? proxy_fault::slice : proxy_fault::none; });
    const winnow::connection_ptr one = open();
    EXPECT_EQ(insert(*one, problem_), winnow::outcome::committed);
    EXPECT_EQ(one->execute_once("SELECT repeat('x', 3000)", {}).text(0, 0).size(), 3000U);
    EXPECT_GT(proxy_.faults(), 0);
}

TEST_F(bad_network, a_commit_that_the_server_never_saw_is_in_doubt_and_did_not_happen) {
    at("COMMIT", proxy_fault::cut_before);
    const winnow::connection_ptr one = open();
    EXPECT_EQ(insert(*one, problem_), winnow::outcome::in_doubt);
    EXPECT_TRUE(problem_.in_doubt());
    EXPECT_FALSE(problem_.may_retry()) << "it is looked up, not repeated";
    EXPECT_FALSE(one->usable());
    EXPECT_EQ(rows(), 0);
}

TEST_F(bad_network, a_commit_that_the_server_saw_is_in_doubt_and_did_happen) {
    at("COMMIT", proxy_fault::cut_after);
    const winnow::connection_ptr one = open();
    EXPECT_EQ(insert(*one, problem_), winnow::outcome::in_doubt);
    EXPECT_EQ(rows(), 1);
}

TEST_F(bad_network, a_server_that_says_nothing_at_a_commit_leaves_it_in_doubt_after_a_while) {
    at("COMMIT", proxy_fault::silence);
    const winnow::connection_ptr one = open();
    EXPECT_EQ(insert(*one, problem_), winnow::outcome::in_doubt);
    EXPECT_THAT(problem_.what(), HasSubstr("COMMIT was under way; the server said nothing for more than 1 s"));
    EXPECT_EQ(rows(), 1);
}

TEST_F(bad_network, a_server_that_says_nothing_in_a_statement_is_given_up) {
    for (const proxy_fault how : {proxy_fault::silence, proxy_fault::swallow}) {
        proxy_.on_message({});
        const winnow::connection_ptr one = open();
        proxy_.on_message([how](const message&) { return how; });
        const winnow::error lost = error_of([&] { (void)one->execute_once("SELECT 1", {}); });
        EXPECT_EQ(lost.kind(), failure::connection);
        EXPECT_TRUE(lost.may_retry());
        EXPECT_FALSE(lost.in_doubt());
        EXPECT_THAT(lost.what(), HasSubstr("the server said nothing for more than 1 s, and the session was given up"));
        EXPECT_THAT(lost.hint(), HasSubstr("answer_timeout"));
        EXPECT_FALSE(one->usable());
        EXPECT_THAT(error_of([&] { (void)one->execute_once("SELECT 1", {}); }).what(), HasSubstr("lost earlier"));
    }
}

TEST_F(bad_network, a_rollback_that_nobody_answers_ends_too) {
    const winnow::connection_ptr one = open();
    one->begin(winnow::transaction_kind::write, {});
    at("ROLLBACK", proxy_fault::swallow);
    one->rollback();
    EXPECT_FALSE(one->usable());
}

TEST_F(bad_network, a_slow_statement_is_no_silence) {
    const winnow::connection_ptr one = open("&answer_timeout=30");
    EXPECT_FALSE(one->execute_once("SELECT pg_sleep(0.3)", {}).empty());
    EXPECT_TRUE(one->usable());
    const winnow::connection_ptr patient = open("&answer_timeout=0");
    EXPECT_FALSE(patient->execute_once("SELECT pg_sleep(0.3)", {}).empty()) << "0: no bound";
}

TEST_F(bad_network, a_time_out_of_the_statement_comes_before_that_of_the_session) {
    const winnow::connection_ptr one = open();
    winnow::transaction_limits limits;
    limits.statement_timeout = std::chrono::milliseconds(1'500);
    winnow::transaction scope(*one, winnow::transaction_kind::read, limits);
    const winnow::error late = error_of([&] { (void)one->execute_once("SELECT pg_sleep(60)", {}); });
    EXPECT_EQ(late.sqlstate(), "57014") << "the server said so itself, although it took longer than answer_timeout";
    EXPECT_TRUE(one->usable());
}

TEST_F(bad_network, a_server_that_takes_connections_and_says_nothing_is_given_up) {
    proxy_.stay_silent(true);
    const winnow::error none = error_of([&] { (void)open("&connect_timeout=2"); });
    EXPECT_EQ(none.kind(), failure::connection);
    EXPECT_TRUE(none.may_retry());
    EXPECT_THAT(none.what(), HasSubstr("cannot connect to postgresql://"));
    EXPECT_THAT(none.what(), HasSubstr("timeout expired"));
    // It took the start of the session and goes silent at the first statement.
    proxy_.stay_silent(false);
    proxy_.on_message([](const message& seen) { return seen.type == 0 ? proxy_fault::none : proxy_fault::swallow; });
    const winnow::error mute = error_of([&] { (void)open(); });
    EXPECT_EQ(mute.kind(), failure::connection);
    EXPECT_TRUE(mute.may_retry());
    EXPECT_THAT(mute.what(), HasSubstr("said nothing"));
}

TEST_F(bad_network, a_refused_connection_says_so_and_a_pool_opens_a_new_one_later) {
    winnow::connection_pool pool(winnow::open_connector(proxy_.url_of(database_.url()), drivers), 2);
    (void)pool.acquire()->execute_once("SELECT 1", {});
    proxy_.on_message([](const message&) { return proxy_fault::cut_before; });
    {
        const winnow::connection_lease held = pool.acquire();
        EXPECT_EQ(error_of([&] { (void)held->execute_once("SELECT 1", {}); }).sqlstate(), "08006");
    }
    proxy_.refuse();
    const winnow::error refused = error_of([&] { (void)pool.acquire(); });
    EXPECT_EQ(refused.kind(), failure::connection);
    EXPECT_TRUE(refused.may_retry());
    EXPECT_THAT(refused.what(), HasSubstr("refused"));
    proxy_.on_message({});
    proxy_.listen_again();
    EXPECT_EQ(pool.acquire()->execute_once("SELECT 1", {}).integer(0, 0), 1);
    EXPECT_EQ(pool.lent(), 0U);
}

TEST(answer_timeout, is_taken_out_of_the_url_and_checked) {
    const auto parsed = [](std::string_view url) { return winnow::parse_postgres_url(url); };
    EXPECT_EQ(parsed("postgresql://h/d").answer_timeout, std::chrono::minutes(5));
    EXPECT_EQ(parsed("postgresql://h/d?answer_timeout=7").url, "postgresql://h/d");
    EXPECT_EQ(parsed("postgresql://h/d?answer_timeout=7").answer_timeout, std::chrono::seconds(7));
    EXPECT_EQ(parsed("postgresql://h/d?a=1&answer_timeout=0&b=2").url, "postgresql://h/d?a=1&b=2");
    EXPECT_EQ(parsed("postgresql://h/d?answer_timeout=9&b=2").url, "postgresql://h/d?b=2");
    EXPECT_EQ(parsed("postgresql://h/d?answer_timeout=1&answer_timeout=2").url, "postgresql://h/d");
    for (const char* text : {"", "-1", "1s", "99999999"})
        EXPECT_THAT(
            error_of([&] { (void)parsed("postgresql://u:secret@h/d?answer_timeout=" + std::string(text)); }).what(),
            testing::AllOf(HasSubstr("answer_timeout is no number"), testing::Not(HasSubstr("secret"))));
}

}  // namespace
}  // namespace winnow_test
