// SPDX-License-Identifier: Apache-2.0
// What every connection promises, on both databases.
#include <cstdint>
#include <limits>
#include <string>

#include "support/databases.hpp"
#include "winnow/store/transaction.hpp"

namespace {

using namespace winnow_test;
using winnow::failure;
using winnow::null_value;
using winnow::outcome;
using winnow::transaction;
using winnow::transaction_kind;
using winnow::value;

class any_connection : public on_every_database {
protected:
    void SetUp() override {
        on_every_database::SetUp();
        database().run(
            "CREATE TABLE parent (id integer PRIMARY KEY, name text);"
            "CREATE TABLE child (id integer PRIMARY KEY, parent_id integer CONSTRAINT child_parent_fk REFERENCES parent);"
            "CREATE TABLE late (id integer PRIMARY KEY, parent_id integer CONSTRAINT late_parent_fk REFERENCES parent "
            "DEFERRABLE INITIALLY DEFERRED);"
            "INSERT INTO parent VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, NULL);"
            "INSERT INTO child VALUES (10, 1); INSERT INTO late VALUES (20, 2);");
        session_ = database().open();
    }
    [[nodiscard]] winnow::connection& session() { return *session_; }
    [[nodiscard]] static winnow::dialect_text in_set() {
        return {"SELECT id FROM parent WHERE id = ANY($1::bigint[]) ORDER BY id",
                "SELECT id FROM parent WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id"};
    }

private:
    winnow::connection_ptr session_;
};
INSTANTIATE_TEST_SUITE_P(databases, any_connection, all_databases(), name_of_database);

TEST_P(any_connection, reads_integers_text_and_null) {
    const winnow::rows found = session().execute("SELECT id, name FROM parent ORDER BY id DESC LIMIT 2");
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found.at(0, 0), value(std::int64_t{4}));
    EXPECT_EQ(found.at(0, 1), value(null_value{}));
    EXPECT_EQ(found.at(1, 1), value(std::string("three")));
    EXPECT_EQ(found.affected(), 0);
}

TEST_P(any_connection, binds_values_and_never_pastes_them) {
    const std::string odd = "'; DROP TABLE parent; -- \" \\ \xC3\xA9";
    const winnow::dialect_text add{"INSERT INTO parent VALUES ($1, $2)", "INSERT INTO parent VALUES (?1, ?2)"};
    EXPECT_EQ(session().execute(add, {std::int64_t{5}, std::string_view(odd)}).affected(), 1);
    EXPECT_EQ(session().execute(add, {std::int64_t{6}, null_value{}}).affected(), 1);
    const winnow::rows found = session().execute("SELECT name FROM parent WHERE id > 4 ORDER BY id");
    EXPECT_EQ(found.text(0, 0), odd);
    EXPECT_TRUE(winnow::is_null(found.at(1, 0)));
}

TEST_P(any_connection, numbers_parameters_by_their_names_and_not_by_their_first_use) {
    const winnow::rows found = session().execute(
        "SELECT CAST($2 AS text), CAST($3 AS text), CAST($1 AS text), CAST($2 AS text)", {"one", "two", "three"});
    EXPECT_EQ(found.text(0, 0), "two");
    EXPECT_EQ(found.text(0, 1), "three");
    EXPECT_EQ(found.text(0, 2), "one");
    EXPECT_EQ(found.text(0, 3), "two");
}

TEST_P(any_connection, keeps_the_whole_range_of_64_bits) {
    const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    const std::int64_t highest = std::numeric_limits<std::int64_t>::max();
    const winnow::dialect_text back{"SELECT x FROM unnest($1::bigint[]) AS t(x) ORDER BY x",
                                    "SELECT value FROM json_each(?1) ORDER BY value"};
    const winnow::rows found = session().execute(back, {keys({highest, lowest, std::int64_t{0}})});
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found.at(0, 0), value(lowest));
    EXPECT_EQ(found.at(2, 0), value(highest));
}

TEST_P(any_connection, takes_sets_of_any_size_with_one_statement) {
    EXPECT_TRUE(session().execute(in_set(), {keys({})}).empty());
    EXPECT_EQ(session().execute(in_set(), {keys({std::int64_t{3}, std::int64_t{1}, std::int64_t{99}})}).size(), 2U);
    winnow::key_set many(1);
    for (std::int64_t i = 1; i <= 10'000; ++i) {
        const value v = i;
        many.push_back({&v, 1});
    }
    EXPECT_EQ(session().execute(in_set(), {many}).size(), 4U);
}

TEST_P(any_connection, tells_text_keys_from_numbers) {
    database().run(
        "CREATE TABLE named (code text PRIMARY KEY); INSERT INTO named VALUES ('7'), ('a\"\\b'), ('{x,y}'), ('NULL')");
    const winnow::dialect_text find{"SELECT count(*) FROM named WHERE code = ANY($1::text[])",
                                    "SELECT count(*) FROM named WHERE code IN (SELECT value FROM json_each(?1))"};
    EXPECT_EQ(session().execute(find, {keys({"7", "a\"\\b", "{x,y}", "NULL"})}).integer(0, 0), 4);
    EXPECT_EQ(session().execute(find, {keys({"8", null_value{}})}).integer(0, 0), 0);
}

TEST_P(any_connection, takes_sets_of_composite_keys) {
    database().run(
        "CREATE TABLE pair (a integer, b text, PRIMARY KEY (a, b)); INSERT INTO pair VALUES (1, 'x'), (1, 'y'), (2, 'x')");
    winnow::key_set wanted(2);
    for (const auto& tuple : {std::array<value, 2>{std::int64_t{1}, "y"}, std::array<value, 2>{std::int64_t{2}, "x"},
                              std::array<value, 2>{std::int64_t{2}, "y"}}) {
        wanted.push_back(tuple);
    }
    const winnow::dialect_text find{
        "SELECT a, b FROM pair WHERE (a, b) IN (SELECT * FROM unnest($1::integer[], $2::text[])) ORDER BY a",
        "SELECT a, b FROM pair WHERE (a, b) IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM "
        "json_each(?1)) ORDER BY a"};
    winnow::rows found = session().execute(find, {wanted});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found.text(0, 1), "y");
    const winnow::key_set taken = std::move(found).take_keys();
    EXPECT_EQ(taken.width(), 2U);
    EXPECT_EQ(taken[1][0], value(std::int64_t{2}));
}

TEST_P(any_connection, refuses_keys_with_nul) {
    const winnow::error problem =
        error_of([&] { (void)session().execute(in_set(), {keys({std::string("a\0b", 3)})}); });
    EXPECT_EQ(problem.kind(), failure::usage);
}

TEST_P(any_connection, counts_what_a_statement_changed) {
    EXPECT_EQ(session().execute("UPDATE parent SET name = 'x' WHERE id > 2").affected(), 2);
    const winnow::rows gone = session().execute("DELETE FROM parent WHERE id > 2 RETURNING id");
    EXPECT_EQ(gone.affected(), 2);
    EXPECT_EQ(gone.size(), 2U);
    EXPECT_EQ(session().execute("DELETE FROM parent WHERE id > 2 RETURNING id").affected(), 0);
}

TEST_P(any_connection, commits_and_rolls_back_by_scope) {
    {
        transaction kept(session());
        (void)session().execute("INSERT INTO parent VALUES (5, 'kept')");
        kept.commit();
        EXPECT_EQ(kept.state(), outcome::committed);
        EXPECT_EQ(error_of([&] { kept.commit(); }).kind(), failure::usage);
    }
    {
        const transaction dropped(session());
        (void)session().execute("INSERT INTO parent VALUES (6, 'dropped')");
        EXPECT_TRUE(session().in_transaction());
    }
    EXPECT_FALSE(session().in_transaction());
    EXPECT_EQ(database().number("SELECT max(id) FROM parent"), 5);
}

TEST_P(any_connection, refuses_a_transaction_inside_a_transaction) {
    const transaction outer(session());
    EXPECT_EQ(error_of([&] { session().begin(transaction_kind::write, {}); }).kind(), failure::usage);
    EXPECT_TRUE(session().in_transaction());
}

TEST_P(any_connection, a_reading_transaction_sees_committed_rows) {
    transaction reading(session(), transaction_kind::read);
    EXPECT_EQ(session().execute("SELECT count(*) FROM parent").integer(0, 0), 4);
    reading.commit();
    EXPECT_FALSE(session().in_transaction());
}

TEST_P(any_connection, a_key_that_refuses_a_delete_leaves_the_transaction_to_the_caller) {
    transaction work(session());
    const winnow::error problem = error_of([&] { (void)session().execute("DELETE FROM parent WHERE id = 1"); });
    EXPECT_EQ(problem.kind(), failure::statement);
    EXPECT_FALSE(problem.may_retry());
    if (GetParam() == dialect::postgres) {
        EXPECT_EQ(problem.sqlstate(), "23503");
        EXPECT_EQ(problem.table(), "child");
        EXPECT_EQ(problem.constraint(), "child_parent_fk");
    } else {
        EXPECT_EQ(problem.sqlstate(), "SQLITE_CONSTRAINT_FOREIGNKEY");
        const std::array<std::string_view, 1> key{"id"};
        const auto held =
            winnow::find_blocking_reference(session(), "parent", key, keys({std::int64_t{1}, std::int64_t{3}}));
        ASSERT_TRUE(held.has_value());
        EXPECT_EQ(held->text(), "child.parent_id refers to parent");
        EXPECT_FALSE(winnow::find_blocking_reference(session(), "parent", key, keys({std::int64_t{3}})).has_value());
    }
    work.rollback();
    EXPECT_EQ(session().execute("SELECT count(*) FROM parent").integer(0, 0), 4);
}

TEST_P(any_connection, a_deferred_key_fails_in_commit_with_its_name_and_ends_the_transaction) {
    transaction work(session());
    (void)session().execute("DELETE FROM parent WHERE id = 2");
    const winnow::error problem = error_of([&] { work.commit(); });
    EXPECT_EQ(problem.table(), "late");
    EXPECT_FALSE(problem.in_doubt());
    EXPECT_NE(std::string(problem.what()).find(GetParam() == dialect::postgres ? "late_parent_fk" : "late.parent_id"),
              std::string::npos)
        << problem.what();
    EXPECT_EQ(work.state(), outcome::rolled_back);
    EXPECT_FALSE(session().in_transaction());
    // The file or the rows are free again for others.
    database().run("UPDATE parent SET name = 'free' WHERE id = 2");
}

TEST_P(any_connection, a_unique_violation_names_its_table) {
    const winnow::error problem = error_of([&] { (void)session().execute("INSERT INTO parent VALUES (1, 'again')"); });
    EXPECT_EQ(problem.table(), "parent");
    EXPECT_FALSE(problem.constraint().empty());
    EXPECT_NE(problem.statement().find("INSERT"), std::string::npos);
}

TEST_P(any_connection, a_statement_that_takes_too_long_is_cut_off_and_may_be_retried) {
    const winnow::dialect_text slow{
        "SELECT pg_sleep(60)",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 4000000000) SELECT max(x) FROM n"};
    {
        const transaction work(session(), transaction_kind::write,
                               {.statement_timeout = std::chrono::milliseconds{50}});
        const winnow::error problem = error_of([&] { (void)session().execute(slow); });
        EXPECT_TRUE(problem.may_retry());
        EXPECT_EQ(problem.sqlstate(), GetParam() == dialect::postgres ? "57014" : "SQLITE_INTERRUPT");
    }
    EXPECT_TRUE(session().usable());
    transaction next(session());  // the bound belonged to its transaction
    (void)session().execute("UPDATE parent SET name = 'later' WHERE id = 1");
    next.commit();
}

TEST_P(any_connection, statements_after_a_failed_one_never_commit) {
    {
        transaction work(session());
        (void)session().execute("INSERT INTO parent VALUES (7, 'x')");
        (void)error_of([&] { (void)session().execute("SELECT no_such_column FROM parent"); });
        if (GetParam() == dialect::postgres) {
            EXPECT_EQ(error_of([&] { work.commit(); }).sqlstate(), "25P02");
            EXPECT_EQ(work.state(), outcome::rolled_back);
        }
    }
    EXPECT_EQ(database().number("SELECT count(*) FROM parent WHERE id = 7"), 0);
}

TEST_P(any_connection, prepared_statements_survive_a_change_of_the_schema) {
    EXPECT_EQ(session().execute("SELECT count(*) FROM child").integer(0, 0), 1);
    database().run("ALTER TABLE child ADD COLUMN extra integer");
    EXPECT_EQ(session().execute("SELECT count(*) FROM child").integer(0, 0), 1);
    EXPECT_EQ(session().execute("SELECT extra FROM child").size(), 1U);
}

TEST_P(any_connection, says_how_many_parameters_a_statement_takes) {
    EXPECT_THROW((void)session().execute(in_set(), {std::int64_t{1}, std::int64_t{2}}), winnow::error);
    EXPECT_TRUE(session().usable());
}

TEST_P(any_connection, knows_who_and_where_it_is) {
    EXPECT_EQ(session().kind(), GetParam());
    EXPECT_FALSE(session().read_only());
    EXPECT_NE(session().session_name().find(std::to_string(::getpid())), std::string::npos);
    EXPECT_EQ(session().deadlock_timeout().count() > 0, GetParam() == dialect::postgres);
}

}  // namespace
