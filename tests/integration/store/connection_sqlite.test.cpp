// SPDX-License-Identifier: Apache-2.0
// What only SQLite does.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "support/databases.hpp"
#include "winnow/store/pool.hpp"
#include "winnow/store/transaction.hpp"

namespace {

using namespace winnow_test;
using winnow::failure;
using winnow::transaction;
using winnow::transaction_kind;

[[nodiscard]] std::string without_mode(const fresh_sqlite& database) { return "sqlite:" + database.file().string(); }

[[nodiscard]] winnow::connection_ptr open(const std::string& url) {
    return winnow::open_connector(url, drivers)->open();
}

TEST(sqlite_codes, have_the_numbers_of_the_library) {
    using winnow::detail::sqlite_code_name;
    EXPECT_EQ(sqlite_code_name(SQLITE_BUSY), "SQLITE_BUSY");
    EXPECT_EQ(sqlite_code_name(SQLITE_BUSY_SNAPSHOT), "SQLITE_BUSY_SNAPSHOT");
    EXPECT_EQ(sqlite_code_name(SQLITE_LOCKED_SHAREDCACHE), "SQLITE_LOCKED_SHAREDCACHE");
    EXPECT_EQ(sqlite_code_name(SQLITE_CONSTRAINT_FOREIGNKEY), "SQLITE_CONSTRAINT_FOREIGNKEY");
    EXPECT_EQ(sqlite_code_name(SQLITE_CONSTRAINT_NOTNULL), "SQLITE_CONSTRAINT_NOTNULL");
    EXPECT_EQ(sqlite_code_name(SQLITE_CONSTRAINT_UNIQUE), "SQLITE_CONSTRAINT_UNIQUE");
    EXPECT_EQ(sqlite_code_name(SQLITE_CONSTRAINT_PRIMARYKEY), "SQLITE_CONSTRAINT_PRIMARYKEY");
    EXPECT_EQ(sqlite_code_name(SQLITE_CONSTRAINT_CHECK), "SQLITE_CONSTRAINT_CHECK");
    EXPECT_EQ(sqlite_code_name(SQLITE_CONSTRAINT_TRIGGER), "SQLITE_CONSTRAINT_TRIGGER");
    EXPECT_EQ(sqlite_code_name(SQLITE_READONLY_DBMOVED), "SQLITE_READONLY_DBMOVED");
    EXPECT_EQ(sqlite_code_name(SQLITE_IOERR_READ), "SQLITE_IOERR");
    EXPECT_EQ(sqlite_code_name(SQLITE_FULL), "SQLITE_FULL");
    EXPECT_EQ(sqlite_code_name(SQLITE_CANTOPEN), "SQLITE_CANTOPEN");
    EXPECT_EQ(sqlite_code_name(SQLITE_INTERRUPT), "SQLITE_INTERRUPT");
    EXPECT_EQ(sqlite_code_name(SQLITE_NOTADB), "SQLITE_NOTADB");
    EXPECT_EQ(sqlite_code_name(99), "SQLITE_99");
}

TEST(sqlite_connection, opens_with_foreign_keys_and_write_ahead_logging) {
    const fresh_sqlite database;
    EXPECT_EQ(database.number("PRAGMA foreign_keys"), 1);
    EXPECT_EQ(database.open()->execute_once("PRAGMA journal_mode", {}).text(0, 0), "wal");
}

TEST(sqlite_connection, does_not_make_a_file_by_accident) {
    const fresh_sqlite database;
    const winnow::error problem = error_of([&] { (void)open(without_mode(database)); });
    EXPECT_EQ(problem.kind(), failure::connection);
    EXPECT_EQ(problem.sqlstate(), "SQLITE_CANTOPEN");
    EXPECT_NE(problem.hint().find("mode=rwc"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(database.file()));
}

TEST(sqlite_connection, names_a_file_that_is_no_database) {
    const fresh_sqlite database;
    std::ofstream(database.file()) << std::string(4096, 'x');
    const winnow::error problem = error_of([&] { (void)database.open(); });
    EXPECT_EQ(problem.kind(), failure::connection);
    EXPECT_EQ(problem.sqlstate(), "SQLITE_NOTADB");
}

TEST(sqlite_connection, reads_a_file_that_may_not_be_written) {
    const fresh_sqlite database;
    database.run("CREATE TABLE t (id integer PRIMARY KEY); INSERT INTO t VALUES (1)");
    for (const char* mode : {"?mode=ro", "?immutable=1"}) {
        const winnow::connection_ptr reader = open(without_mode(database) + mode);
        EXPECT_TRUE(reader->read_only()) << mode;
        transaction reading(*reader, transaction_kind::read);
        EXPECT_EQ(reader->execute("SELECT count(*) FROM t").integer(0, 0), 1);
        reading.commit();
        const winnow::error problem = error_of([&] { reader->begin(transaction_kind::write, {}); });
        EXPECT_EQ(problem.kind(), failure::refused);
        EXPECT_FALSE(reader->in_transaction());
    }
}

TEST(sqlite_connection, refuses_to_write_when_somebody_switched_foreign_keys_off) {
    const fresh_sqlite database;
    const winnow::connection_ptr session = database.open();
    session->execute_script("PRAGMA foreign_keys = OFF");
    const winnow::error problem = error_of([&] { session->begin(transaction_kind::write, {}); });
    EXPECT_EQ(problem.kind(), failure::refused);
    EXPECT_NE(std::string(problem.what()).find("foreign keys are not enforced"), std::string::npos);
    session->execute_script("PRAGMA foreign_keys = ON");
    transaction(*session).commit();
}

TEST(sqlite_connection, inside_a_transaction_foreign_keys_cannot_be_switched_off) {
    const fresh_sqlite database;
    const winnow::connection_ptr session = database.open();
    transaction work(*session);
    session->execute_script("PRAGMA foreign_keys = OFF");
    EXPECT_EQ(session->execute("PRAGMA foreign_keys").integer(0, 0), 1);
    work.commit();
}

TEST(sqlite_connection, waits_for_another_writer_only_as_long_as_it_was_told) {
    const fresh_sqlite database;
    database.run("CREATE TABLE t (id integer PRIMARY KEY)");
    const winnow::connection_ptr first = database.open();
    const transaction writing(*first);
    const winnow::connection_ptr second = open(without_mode(database) + "?busy_timeout=1");
    const winnow::error problem = error_of([&] { second->begin(transaction_kind::write, {}); });
    EXPECT_EQ(problem.sqlstate(), "SQLITE_BUSY");
    EXPECT_TRUE(problem.may_retry());
    EXPECT_FALSE(second->in_transaction());
}

// A reader that turns writer cannot wait, whatever its time-out; so writers start as writers.
TEST(sqlite_connection, two_threads_that_read_then_write_never_see_busy) {
    const fresh_sqlite database;
    database.run("CREATE TABLE counter (id integer PRIMARY KEY, n integer); INSERT INTO counter VALUES (1, 0)");
    constexpr int rounds = 500;
    std::atomic<int> failures{0};
    const auto work = [&] {
        const winnow::connection_ptr session = database.open();
        for (int round = 0; round < rounds; ++round) {
            try {
                transaction both(*session);
                const std::int64_t n = session->execute("SELECT n FROM counter WHERE id = 1").integer(0, 0);
                (void)session->execute("UPDATE counter SET n = ?1 WHERE id = 1", {n + 1});
                both.commit();
            } catch (const winnow::error&) {
                ++failures;
            }
        }
    };
    std::thread first(work);
    std::thread second(work);
    first.join();
    second.join();
    EXPECT_EQ(failures.load(), 0);
    EXPECT_EQ(database.number("SELECT n FROM counter"), 2 * rounds);
}

TEST(sqlite_connection, many_may_open_a_new_file_at_once) {
    const fresh_sqlite database;
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&, i] {
            try {
                database.run("CREATE TABLE t" + std::to_string(i) + " (id integer PRIMARY KEY)");
            } catch (const winnow::error&) {
                ++failures;
            }
        });
    }
    for (std::thread& each : threads) each.join();
    EXPECT_EQ(failures.load(), 0);
    EXPECT_EQ(database.number("SELECT count(*) FROM sqlite_schema"), 8);
}

TEST(sqlite_connection, a_full_disk_rolls_back_once_and_nothing_slips_out_of_the_transaction) {
    const fresh_sqlite database;
    database.run("CREATE TABLE t (id integer PRIMARY KEY, body text); INSERT INTO t VALUES (1, 'a')");
    const winnow::connection_ptr session = database.open();
    session->execute_script("PRAGMA max_page_count = " + std::to_string(database.number("PRAGMA page_count") + 2));
    transaction work(*session);
    (void)session->execute("INSERT INTO t VALUES (2, 'small')");
    const winnow::error problem = error_of([&] {
        (void)session->execute("INSERT INTO t SELECT 100 + value, hex(zeroblob(4000)) FROM generate_series(1, 100)");
    });
    if (problem.sqlstate() != "SQLITE_FULL") {  // builds without generate_series
        const winnow::error full = error_of([&] {
            (void)session->execute(
                "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 100) INSERT INTO t SELECT 100 + x, "
                "hex(zeroblob(4000)) FROM n");
        });
        ASSERT_EQ(full.sqlstate(), "SQLITE_FULL");
    }
    if (!session->in_transaction()) {
        EXPECT_EQ(error_of([&] { (void)session->execute("INSERT INTO t VALUES (3, 'alone')"); }).sqlstate(),
                  "SQLITE_ABORT");
        EXPECT_EQ(error_of([&] { work.commit(); }).sqlstate(), "SQLITE_ABORT");
    }
    work.rollback();
    EXPECT_TRUE(session->usable());
    EXPECT_EQ(session->execute("SELECT count(*) FROM t").integer(0, 0), 1);
    transaction next(*session);
    (void)session->execute("UPDATE t SET body = 'b'");
    next.commit();
}

TEST(sqlite_connection, an_interrupted_write_does_not_go_on_outside_its_transaction) {
    const fresh_sqlite database;
    database.run("CREATE TABLE t (id integer PRIMARY KEY)");
    const winnow::connection_ptr session = database.open();
    {
        transaction work(*session, transaction_kind::write, {.statement_timeout = std::chrono::milliseconds{20}});
        (void)session->execute("INSERT INTO t VALUES (1)");
        const winnow::error late = error_of([&] {
            (void)session->execute(
                "WITH RECURSIVE n(x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM n) INSERT INTO t SELECT x FROM n");
        });
        EXPECT_EQ(late.sqlstate(), "SQLITE_INTERRUPT");
        EXPECT_EQ(error_of([&] { (void)session->execute("INSERT INTO t VALUES (2)"); }).sqlstate(), "SQLITE_ABORT");
    }
    EXPECT_EQ(database.number("SELECT count(*) FROM t"), 0);
}

TEST(sqlite_connection, reads_reals_and_raw_bytes) {
    const fresh_sqlite database;
    const winnow::rows found = database.open()->execute_once("SELECT 1.5, x'00ff61', '', x'', CAST(3 AS REAL)", {});
    EXPECT_EQ(found.at(0, 0), winnow::value(1.5));
    EXPECT_EQ(found.text(0, 1), std::string("\0\xff"
                                            "a",
                                            3));
    EXPECT_EQ(found.at(0, 2), winnow::value(std::string()));
    EXPECT_EQ(found.at(0, 3), winnow::value(std::string()));
    EXPECT_EQ(found.at(0, 4), winnow::value(3.0));
}

TEST(sqlite_connection, refuses_keys_that_json_cannot_carry) {
    const fresh_sqlite database;
    const winnow::connection_ptr session = database.open();
    const auto ask = [&](const winnow::value& v) {
        (void)session->execute("SELECT value FROM json_each(?1)", {keys({v})});
    };
    EXPECT_EQ(error_of([&] { ask("\xff\xfe"); }).kind(), failure::usage);
    EXPECT_EQ(error_of([&] { ask(1e308 * 10); }).kind(), failure::usage);
}

TEST(sqlite_connection, takes_one_statement_at_a_time) {
    const fresh_sqlite database;
    const winnow::connection_ptr session = database.open();
    EXPECT_EQ(error_of([&] { (void)session->execute("SELECT 1; SELECT 2"); }).kind(), failure::usage);
    EXPECT_EQ(error_of([&] { (void)session->execute("  "); }).kind(), failure::usage);
    EXPECT_EQ(session->execute("SELECT 1 ;\n").integer(0, 0), 1);
}

TEST(sqlite_connection, rows_that_go_together_do_not_hold_each_other) {
    const fresh_sqlite database;
    database.run("CREATE TABLE node (id integer PRIMARY KEY, up integer REFERENCES node);"
                 "INSERT INTO node VALUES (1, NULL), (2, 1), (3, 2)");
    const winnow::connection_ptr session = database.open();
    const std::array<std::string_view, 1> key{"id"};
    EXPECT_FALSE(
        winnow::find_blocking_reference(*session, "node", key, keys({std::int64_t{2}, std::int64_t{3}})).has_value());
    const auto held = winnow::find_blocking_reference(*session, "node", key, keys({std::int64_t{1}, std::int64_t{2}}));
    ASSERT_TRUE(held.has_value());
    EXPECT_EQ(held->columns, "up");
}

// The pragma belongs to one connection, not to the pool: a connection that takes another's place must have it.
TEST(sqlite_pool, a_replaced_connection_still_enforces_foreign_keys) {
    const fresh_sqlite database;
    database.run("CREATE TABLE parent (id integer PRIMARY KEY);"
                 "CREATE TABLE child (id integer PRIMARY KEY, parent_id integer REFERENCES parent ON DELETE CASCADE);"
                 "INSERT INTO parent VALUES (1), (2); INSERT INTO child VALUES (10, 1), (11, 2)");
    winnow::connection_pool pool(database.connector(), 1);
    for (std::int64_t parent = 1; parent <= 2; ++parent) {
        winnow::connection_lease lease = pool.acquire();
        transaction work(*lease);
        (void)lease->execute("DELETE FROM parent WHERE id = ?1", {parent});
        work.commit();
        lease.give_back();
        pool.close_idle();
    }
    EXPECT_EQ(database.number("SELECT count(*) FROM child"), 0);
    EXPECT_EQ(pool.acquire()->execute("PRAGMA foreign_keys").integer(0, 0), 1);
}

}  // namespace
