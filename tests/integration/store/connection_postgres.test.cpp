// SPDX-License-Identifier: Apache-2.0
// What only PostgreSQL does.
#include <array>
#include <atomic>
#include <string>
#include <thread>

#include "support/databases.hpp"
#include "winnow/store/pool.hpp"
#include "winnow/store/transaction.hpp"

namespace {

using namespace winnow_test;
using winnow::failure;
using winnow::outcome;
using winnow::transaction;
using winnow::transaction_kind;
using winnow::value;

/// Ends the server side of a session, and waits until it is gone.
void end_session(const fresh_postgres& database, std::int64_t pid) {
    const winnow::connection_ptr other = database.open();
    ASSERT_EQ(other->execute_once("SELECT pg_terminate_backend($1::integer, 10000)", {pid}).integer(0, 0), 1);
}

[[nodiscard]] std::int64_t pid_of(winnow::connection& session) {
    return session.execute_once("SELECT pg_backend_pid()", {}).integer(0, 0);
}

TEST(postgres_connection, reads_every_kind_of_cell) {
    const fresh_postgres database;
    const winnow::rows found = database.open()->execute_once(
        "SELECT 1::smallint, -2::integer, 9223372036854775807::bigint, true, false, 0.1::double precision, "
        "2.5::real, 12.50::numeric, '\\x00ff61'::bytea, 'text', NULL::integer, "
        "'6f1c2b1e-0000-4000-8000-000000000001'::uuid, '{\"a\":1}'::jsonb",
        {});
    const std::vector<value> expected{std::int64_t{1},
                                      std::int64_t{-2},
                                      std::int64_t{9223372036854775807},
                                      true,
                                      false,
                                      0.1,
                                      2.5,
                                      "12.50",
                                      std::string("\0\xff"
                                                  "a",
                                                  3),
                                      "text",
                                      winnow::null_value{},
                                      "6f1c2b1e-0000-4000-8000-000000000001",
                                      "{\"a\": 1}"};
    ASSERT_EQ(found.width(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(found.at(0, i), expected[i]) << "column " << i;
}

TEST(postgres_connection, binds_every_kind_of_parameter) {
    const fresh_postgres database;
    const winnow::rows found =
        database.open()->execute("SELECT $1::boolean, $2::double precision, $3::bigint, $4::text, $5::jsonb",
                                 {value(true), value(0.1), std::int64_t{-5}, winnow::null_value{}, "{\"b\": [1]}"});
    EXPECT_EQ(found.at(0, 0), value(true));
    EXPECT_EQ(found.at(0, 1), value(0.1));
    EXPECT_EQ(found.at(0, 2), value(std::int64_t{-5}));
    EXPECT_TRUE(winnow::is_null(found.at(0, 3)));
    EXPECT_EQ(found.text(0, 4), "{\"b\": [1]}");
}

TEST(postgres_connection, keeps_its_session_settings) {
    const fresh_postgres database;
    const winnow::connection_ptr session = database.open();
    const auto shown = [&](const char* name) {
        return session->execute_once("SELECT current_setting($1)", {std::string_view(name)}).text(0, 0);
    };
    EXPECT_EQ(shown("row_security"), "off");
    EXPECT_EQ(shown("idle_in_transaction_session_timeout"), "1min");
    EXPECT_EQ(shown("client_connection_check_interval"), "5s");
    EXPECT_EQ(shown("application_name"), "winnow");
    EXPECT_EQ(shown("standard_conforming_strings"), "on");
    EXPECT_EQ(session->deadlock_timeout().count(),
              database.number("SELECT setting::bigint FROM pg_settings WHERE name = 'deadlock_timeout'"));
}

TEST(postgres_connection, transactions_do_not_inherit_the_defaults_of_the_database) {
    const fresh_postgres database;
    database.run("ALTER DATABASE " + database.name() +
                 " SET default_transaction_isolation = 'serializable';"
                 "ALTER DATABASE " +
                 database.name() + " SET statement_timeout = '7s'");
    const winnow::connection_ptr session = database.open();
    const auto shown = [&](const char* name) {
        return session->execute("SELECT current_setting($1)", {name}).text(0, 0);
    };
    transaction work(*session, transaction_kind::write, {.lock_timeout = std::chrono::milliseconds{123}});
    EXPECT_EQ(shown("transaction_isolation"), "read committed");
    EXPECT_EQ(shown("lock_timeout"), "123ms");
    EXPECT_EQ(shown("statement_timeout"), "0");
    session->set_limits({.statement_timeout = std::chrono::milliseconds{1'500}});
    EXPECT_EQ(shown("statement_timeout"), "1500ms");
    EXPECT_EQ(shown("lock_timeout"), "0");
    work.commit();
    EXPECT_EQ(shown("statement_timeout"), "7s");
    const transaction reading(*session, transaction_kind::read);
    EXPECT_EQ(shown("transaction_read_only"), "on");
}

TEST(postgres_connection, a_limit_that_the_server_refuses_leaves_no_transaction_behind) {
    const fresh_postgres database;
    const winnow::connection_ptr session = database.open();
    const winnow::transaction_limits beyond{.statement_timeout = std::chrono::hours{24 * 365}};
    EXPECT_EQ(error_of([&] { session->begin(transaction_kind::write, beyond); }).sqlstate(), "22023");
    EXPECT_FALSE(session->in_transaction());
    transaction next(*session);
    EXPECT_EQ(session->execute("SELECT 1").integer(0, 0), 1);
    next.commit();
}

TEST(postgres_connection, gives_up_waiting_for_a_lock_and_may_retry) {
    const fresh_postgres database;
    database.run("CREATE TABLE t (id integer PRIMARY KEY); INSERT INTO t VALUES (1)");
    const winnow::connection_ptr first = database.open();
    const transaction holding(*first);
    (void)first->execute("UPDATE t SET id = 1");
    const winnow::connection_ptr second = database.open();
    const transaction waiting(*second, transaction_kind::write, {.lock_timeout = std::chrono::milliseconds{30}});
    const winnow::error problem = error_of([&] { (void)second->execute("DELETE FROM t"); });
    EXPECT_EQ(problem.sqlstate(), "55P03");
    EXPECT_TRUE(problem.may_retry());
    EXPECT_TRUE(second->usable());
}

TEST(postgres_connection, notices_that_the_server_ended_the_session) {
    const fresh_postgres database;
    database.run("CREATE TABLE t (id integer PRIMARY KEY)");
    const winnow::connection_ptr session = database.open();
    {
        transaction work(*session);
        (void)session->execute("INSERT INTO t VALUES (1)");
        end_session(database, pid_of(*session));
        const winnow::error problem = error_of([&] { (void)session->execute("INSERT INTO t VALUES (2)"); });
        EXPECT_EQ(problem.kind(), failure::connection);
        EXPECT_TRUE(problem.may_retry());
        EXPECT_FALSE(problem.in_doubt());
        EXPECT_FALSE(session->usable());
        EXPECT_FALSE(session->in_transaction());
    }
    EXPECT_EQ(error_of([&] { (void)session->execute("SELECT 1"); }).kind(), failure::connection);
    EXPECT_EQ(database.number("SELECT count(*) FROM t"), 0);
}

TEST(postgres_connection, a_session_lost_before_the_commit_is_not_in_doubt) {
    const fresh_postgres database;
    database.run("CREATE TABLE t (id integer PRIMARY KEY)");
    const winnow::connection_ptr session = database.open();
    transaction work(*session);
    (void)session->execute("INSERT INTO t VALUES (1)");
    end_session(database, pid_of(*session));
    const winnow::error problem = error_of([&] { work.commit(); });
    EXPECT_FALSE(problem.in_doubt());
    EXPECT_TRUE(problem.may_retry());
    EXPECT_EQ(work.state(), outcome::rolled_back);
    EXPECT_EQ(database.number("SELECT count(*) FROM t"), 0);
}

/// While it lives, commits that ask for it wait for a standby that does not exist.
class missing_standby {
public:
    explicit missing_standby(const fresh_postgres& database) : database_(database) { set("'nobody'"); }
    ~missing_standby() { set("''"); }
    missing_standby(const missing_standby&) = delete;
    missing_standby& operator=(const missing_standby&) = delete;

private:
    void set(const std::string& names) const {
        const winnow::connection_ptr session = database_.open();
        (void)session->execute_once("ALTER SYSTEM SET synchronous_standby_names = " + names, {});
        (void)session->execute_once("SELECT pg_reload_conf()", {});
    }
    const fresh_postgres& database_;
};

// The rows are safe, and the client cannot know it: the session ends while its COMMIT waits.
TEST(postgres_connection, a_session_lost_in_the_commit_is_in_doubt) {
    const fresh_postgres database;
    database.run("CREATE TABLE t (id integer PRIMARY KEY)");
    const winnow::connection_ptr session = database.open();
    const winnow::connection_ptr other = database.open();
    session->execute_script("SET synchronous_commit = on");
    const std::int64_t pid = pid_of(*session);
    const missing_standby standby(database);
    std::atomic<bool> over{false};
    std::thread ender([&] {
        const auto waits = [&] {
            return other
                       ->execute("SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'",
                                 {pid})
                       .integer(0, 0) != 0;
        };
        while (!over && !waits()) std::this_thread::yield();
        (void)other->execute("SELECT pg_terminate_backend($1::integer)", {pid});
    });
    winnow::error problem(failure::usage, "every commit was answered");
    outcome ended = outcome::open;
    std::int64_t rows = 0;
    while (ended != outcome::in_doubt && rows < 10'000) {  // the server takes up the setting when it likes
        transaction work(*session);
        (void)session->execute("INSERT INTO t VALUES ($1)", {++rows});
        try {
            work.commit();
        } catch (const winnow::error& thrown) {
            problem = thrown;
        }
        ended = work.state();
        if (ended == outcome::rolled_back) break;
    }
    over = true;
    ender.join();
    EXPECT_TRUE(problem.in_doubt());
    EXPECT_FALSE(problem.may_retry());
    EXPECT_EQ(problem.kind(), failure::connection);
    EXPECT_EQ(ended, outcome::in_doubt);
    EXPECT_FALSE(session->usable());
    EXPECT_EQ(database.number("SELECT count(*) FROM t"), rows);
}

TEST(postgres_connection, an_idle_transaction_loses_its_session) {
    const fresh_postgres database;
    database.run("CREATE TABLE t (id integer PRIMARY KEY)");
    winnow::postgres_connection session(
        {.url = database.url(), .idle_in_transaction_timeout = std::chrono::milliseconds{50}});
    const std::int64_t pid = pid_of(session);
    const transaction work(session);
    const winnow::connection_ptr other = database.open();
    while (other->execute("SELECT count(*) FROM pg_stat_activity WHERE pid = $1", {pid}).integer(0, 0) != 0) {}
    EXPECT_EQ(error_of([&] { (void)session.execute("INSERT INTO t VALUES (1)"); }).kind(), failure::connection);
    EXPECT_FALSE(session.usable());
}

// Waiting happens between transactions. A connection that is not in one survives any idle time-out, and
// the server lists it as idle.
TEST(postgres_connection, holds_no_transaction_between_chunks) {
    const fresh_postgres database;
    database.run("CREATE TABLE t (id integer PRIMARY KEY); INSERT INTO t VALUES (1), (2)");
    winnow::postgres_connection session(
        {.url = database.url(), .idle_in_transaction_timeout = std::chrono::milliseconds{50}});
    const std::int64_t pid = pid_of(session);
    const winnow::connection_ptr other = database.open();
    const auto state = [&] {
        const winnow::rows found =
            other->execute("SELECT state, xact_start IS NULL FROM pg_stat_activity WHERE pid = $1", {pid});
        return found.empty() ? std::string("gone")
                             : found.text(0, 0) + (found.integer(0, 1) != 0 ? "" : " in transaction");
    };
    for (const std::int64_t id : {1, 2}) {
        transaction chunk(session);
        (void)session.execute("DELETE FROM t WHERE id = $1", {id});
        chunk.commit();
        EXPECT_EQ(state(), "idle");
        (void)other->execute("SELECT pg_sleep(0.15)");
        EXPECT_EQ(state(), "idle");
    }
    EXPECT_EQ(database.number("SELECT count(*) FROM t"), 0);
}

TEST(postgres_connection, names_the_key_whatever_language_and_schema) {
    const fresh_postgres database;
    database.run(
        "CREATE SCHEMA \"Odd\"; CREATE TABLE \"Odd\".\"Par\"\"ent\" (id integer PRIMARY KEY);"
        "CREATE TABLE \"Odd\".\"chi ld\" (id integer PRIMARY KEY, p integer CONSTRAINT \"my key\" REFERENCES \"Odd\".\"Par\"\"ent\");"
        "INSERT INTO \"Odd\".\"Par\"\"ent\" VALUES (1); INSERT INTO \"Odd\".\"chi ld\" VALUES (1, 1)");
    const winnow::error problem =
        error_of([&] { (void)database.open()->execute_once("DELETE FROM \"Odd\".\"Par\"\"ent\"", {}); });
    EXPECT_EQ(problem.table(), "Odd.chi ld");
    EXPECT_EQ(problem.constraint(), "my key");
    EXPECT_EQ(std::string(problem.what()).find("LOCATION"), std::string::npos);
}

TEST(postgres_connection, says_what_a_role_lacks) {
    const fresh_postgres database;
    const std::string role = unused_name();
    database.run("CREATE TABLE t (id integer PRIMARY KEY); CREATE ROLE " + role + " LOGIN; GRANT SELECT ON t TO " +
                 role);
    {
        const winnow::connection_ptr session = winnow::open_connector(database.url_as(role), drivers)->open();
        const winnow::error problem = error_of([&] { (void)session->execute("DELETE FROM t"); });
        EXPECT_EQ(problem.sqlstate(), "42501");
        EXPECT_NE(problem.hint().find("UPDATE"), std::string::npos);
    }
    database.run("DROP OWNED BY " + role + "; DROP ROLE " + role);
}

TEST(postgres_connection, a_role_that_may_only_read_is_read_only) {
    const fresh_postgres database;
    database.run("ALTER DATABASE " + database.name() + " SET default_transaction_read_only = on");
    EXPECT_TRUE(database.open()->read_only());
}

TEST(postgres_connection, notices_and_warnings_stay_out_of_the_terminal) {
    const fresh_postgres database;
    testing::internal::CaptureStderr();
    database.run("DROP TABLE IF EXISTS nothing; DO $$ BEGIN RAISE WARNING 'loud'; END $$");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(postgres_pool, replaces_a_connection_that_was_lost) {
    const fresh_postgres database;
    winnow::connection_pool pool(database.connector(), 1);
    std::int64_t first = 0;
    {
        const winnow::connection_lease lease = pool.acquire();
        first = pid_of(*lease);
        end_session(database, first);
        EXPECT_EQ(error_of([&] { (void)lease->execute("SELECT 1"); }).kind(), failure::connection);
    }
    const winnow::connection_lease lease = pool.acquire();
    EXPECT_NE(pid_of(*lease), first);
    EXPECT_EQ(lease->execute("SELECT current_setting('row_security')").text(0, 0), "off");
}

}  // namespace
