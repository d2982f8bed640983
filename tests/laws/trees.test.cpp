// SPDX-License-Identifier: Apache-2.0
// R15, R16: tables that refer to themselves or to each other, of any shape, with cycles in their rows, and while
// subtrees are moved away.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "laws/node_tables.hpp"
#include "laws/observed_connection.hpp"
#include "winnow/deletion/control.hpp"

namespace {

using namespace winnow_test;

class trees : public on_every_database {};
INSTANTIATE_TEST_SUITE_P(databases, trees, all_databases(), name_of_database);

/// What one run asked of the database at most, and what it held itself.
struct run_size {
    std::size_t statements = 0;
    std::size_t largest_set = 0;
    std::size_t largest_answer = 0;
    std::size_t rows_read = 0;
    std::size_t rows_held = 0;  ///< in all levels of the stack, without those that were only passed
};

/// A run of which everything is measured.
class measured_run {
public:
    measured_run(fresh_database& database, winnow::catalog models)
        : models_(std::move(models)), connection_(database.open()) {
        connection_.before = [this](std::string_view statement, std::span<const winnow::parameter> parameters) {
            ++size.statements;
            if (statement == "BEGIN" && before_chunk) before_chunk();
            for (const winnow::parameter& one : parameters)
                if (one.as_set() != nullptr) size.largest_set = std::max(size.largest_set, one.as_set()->size());
            std::size_t held = 0;
            if (work_ != nullptr)
                for (const winnow::frame& level : work_->stack) held += level.size();
            size.rows_held = std::max(size.rows_held, held);
        };
        connection_.after = [this](std::string_view, const winnow::rows& answer) {
            size.largest_answer = std::max(size.largest_answer, answer.size());
            size.rows_read += answer.size();
        };
    }

    winnow::context context() { return {models_, connection_, time_, watch_, winnow::silo_mode::monolith, "test"}; }

    winnow::deletion_report delete_row(std::int64_t id) {
        const winnow::context with = context();
        schedule_now(with, 0, id);
        const std::optional<winnow::deletion_request> claimed = winnow::claim_deletion(with, winnow::silo::cell);
        winnow::deletion_work work = winnow::detail::begin_work(with, *claimed, 0);
        work_ = &work;
        try {
            winnow::deletion_report report = winnow::detail::run_pass(work);
            work_ = nullptr;
            return report;
        } catch (const winnow::error& problem) {
            work_ = nullptr;
            return winnow::detail::put_down_after(work, problem);
        }
    }

    run_size size;
    std::function<void()> before_chunk;  ///< no transaction is open then

private:
    winnow::catalog models_;
    observed_connection connection_;
    winnow::steady_clock time_;
    winnow::observer watch_;
    const winnow::deletion_work* work_ = nullptr;
};

/// A tree below row 1 and a second one, of three rows, that must stay.
void check_shape(fresh_database& database, const tree_shape& shape, std::int64_t rows, std::int32_t chunk,
                 std::size_t depth) {
    SCOPED_TRACE(std::string(shape.name) + ", " + std::to_string(rows) + " rows, chunk " + std::to_string(chunk));
    winnow::connection_ptr admin = database.open();
    admin->execute_script("DELETE FROM winnow_audit; DROP TABLE IF EXISTS node");
    node_table::create(*admin);
    std::mt19937_64 random(7);
    node_table::fill(*admin, rows + 3, [&](std::int64_t id) {
        return id <= rows ? shape.parent(id, random) : id == rows + 1 ? 0 : id - 1;
    });
    if (database.kind() == winnow::dialect::postgres) admin->execute_script("ANALYZE node");
    const node_table table(chunk);
    measured_run run(database, table.models());
    const winnow::deletion_report report = run.delete_row(1);
    ASSERT_EQ(winnow::name_of(report.outcome), "completed") << report.detail;
    EXPECT_EQ(report.rows, rows);
    EXPECT_EQ(database.number("SELECT count(*) FROM node"), 3);
    const auto most = static_cast<std::size_t>(chunk);
    // A set together with what it was reached through; nowhere near the number of rows.
    // Levels of one tree are checked together, in statements of about a thousand rows.
    EXPECT_LE(run.size.largest_set, 1'000 + 2 * most + 2);
    EXPECT_LE(run.size.largest_answer, 1'000 + 2 * most + 2);
    EXPECT_LE(run.size.rows_held, 5 * most + depth / most * 2);
    // Each chunk checks the path anew, up to 2 500 rows of it.
    const std::size_t checked =
        static_cast<std::size_t>(rows) / most * std::min<std::size_t>(static_cast<std::size_t>(rows), 2'500);
    EXPECT_LE(run.size.rows_read, 50 * static_cast<std::size_t>(rows) + checked + 1'000);
}

std::size_t depth_of(const tree_shape& shape, std::int64_t rows) {
    if (shape.name == "chain") return static_cast<std::size_t>(rows);
    if (shape.name == "caterpillar") return static_cast<std::size_t>(rows) / 5;
    return shape.name == "broom" ? 1'000 : 40;
}

TEST_P(trees, of_any_shape_go_in_bounded_pieces) {
    install(*database().open());
    for (const tree_shape& shape : tree_shapes) {
        check_shape(database(), shape, 5'000, 100, depth_of(shape, 5'000));
        check_shape(database(), shape, 300, 2, depth_of(shape, 300));
        check_shape(database(), shape, 60, 1, depth_of(shape, 60));
    }
}

TEST_P(trees, as_deep_as_a_hundred_thousand_go_in_bounded_pieces) {
    install(*database().open());
    check_shape(database(), tree_shapes[0], 100'000, 1'000, 100'000);
}

TEST_P(trees, with_very_many_children_of_one_row_go_without_reading_them_again) {
    install(*database().open());
    check_shape(database(), tree_shapes[1], 20'000, 200, 2);
    check_shape(database(), tree_shapes[5], 20'000, 200, 1'000);
}

/// A ring of rows `first` to `last`, each the parent of the next, the last the parent of the first.
void close_ring(winnow::connection& on, std::int64_t first, std::int64_t last) {
    (void)on.execute("UPDATE node SET parent_id = $1 WHERE id = $2", {last, first});
}

TEST_P(trees, with_a_cycle_in_the_data_go_whole) {
    install(*database().open());
    struct ring_case {
        std::int64_t ring;  ///< rows in it, the root among them
        std::int64_t rows;  ///< those after the ring hang below its last row, one below the other
        std::int32_t chunk;
    };
    for (const ring_case& one : {ring_case{1, 1, 100}, ring_case{1, 5, 100}, ring_case{40, 60, 100},
                                 ring_case{450, 700, 100}, ring_case{100, 100, 100}, ring_case{101, 101, 100},
                                 ring_case{20, 30, 2}, ring_case{1'000, 3'000, 50}, ring_case{5, 20, 1}}) {
        SCOPED_TRACE(std::to_string(one.ring) + " of " + std::to_string(one.rows) + " rows in a ring, chunk " +
                     std::to_string(one.chunk));
        winnow::connection_ptr admin = database().open();
        admin->execute_script("DELETE FROM winnow_audit; DROP TABLE IF EXISTS node");
        node_table::create(*admin);
        node_table::fill(*admin, one.rows + 2, [&](std::int64_t id) { return id <= one.rows ? id - 1 : 0; });
        close_ring(*admin, 1, one.ring);
        const node_table table(one.chunk);
        measured_run run(database(), table.models());
        const winnow::deletion_report report = run.delete_row(1);
        ASSERT_EQ(winnow::name_of(report.outcome), "completed") << report.detail;
        EXPECT_EQ(report.rows, one.rows);
        EXPECT_EQ(database().number("SELECT count(*) FROM node"), 2);
    }
}

/// Tables `a` and `b` refer to each other: row n of `a` is above row n of `b`, and that above row n + 1 of `a`.
TEST_P(trees, over_two_tables_go_with_their_cycle_whole) {
    winnow::connection_ptr admin = database().open();
    install(*admin);
    const std::string reference =
        database().kind() == winnow::dialect::postgres ? "; ALTER TABLE a ADD FOREIGN KEY (b_id) REFERENCES b(id)" : "";
    for (const bool round : {false, true}) {
        for (const std::int32_t chunk : {1, 2, 50, 1'000}) {
            SCOPED_TRACE("chunk " + std::to_string(chunk) + (round ? ", a ring" : ", a chain"));
            const std::int64_t pairs = chunk < 50 ? 12 : 300;
            if (database().kind() == winnow::dialect::sqlite)
                admin->execute_script(
                    "PRAGMA foreign_keys = OFF; DROP TABLE IF EXISTS a; DROP TABLE IF EXISTS b; PRAGMA foreign_keys = ON");
            else admin->execute_script("DROP TABLE IF EXISTS a, b CASCADE");
            admin->execute_script(
                "CREATE TABLE a (id INTEGER PRIMARY KEY" + std::string(reference.empty() ? " AUTOINCREMENT" : "") +
                ", b_id INTEGER" + (reference.empty() ? " REFERENCES b(id)" : "") +
                "); CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER NOT NULL REFERENCES a(id))" + reference +
                "; CREATE INDEX a_b ON a(b_id); CREATE INDEX b_a ON b(a_id); DELETE FROM winnow_audit");
            const std::string numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
                                        std::to_string(pairs) + ") SELECT i";
            const std::string to_a =
                std::string("INSERT INTO a ") + numbers + ", NULL FROM n; INSERT INTO b " + numbers + ", i FROM n;";
            admin->execute_script(
                to_a +
                "UPDATE a SET b_id = id - 1 WHERE id > 1; INSERT INTO a VALUES (1000, NULL); INSERT INTO b VALUES (1000, 1000)");
            if (round) (void)admin->execute("UPDATE a SET b_id = $1 WHERE id = 1", {pairs});
            table_plans plans("pair");
            plans.add_table("a", {{"b_id", true}}, chunk);
            plans.add_table("b", {{"a_id"}}, chunk);
            plans.add_relation(0, 1, "a_id", false);
            plans.add_relation(1, 0, "b_id", true);
            plans.finish();
            measured_run run(database(), plans.models());
            const winnow::deletion_report report = run.delete_row(1);
            ASSERT_EQ(winnow::name_of(report.outcome), "completed") << report.detail;
            EXPECT_EQ(report.rows, 2 * pairs);
            EXPECT_EQ(database().number("SELECT (SELECT count(*) FROM a) + (SELECT count(*) FROM b)"), 2);
        }
    }
}

TEST_P(trees, with_a_cycle_of_more_than_ten_thousand_rows_are_refused_by_name) {
    install(*database().open());
    winnow::connection_ptr admin = database().open();
    node_table::create(*admin);
    node_table::fill(*admin, 10'100, [](std::int64_t id) { return id - 1; });
    close_ring(*admin, 1, 10'100);
    const node_table table(100);
    measured_run run(database(), table.models());
    const winnow::deletion_report report = run.delete_row(1);
    EXPECT_EQ(winnow::name_of(report.outcome), "blocked");
    EXPECT_NE(report.detail.find("tree.node"), std::string::npos) << report.detail;
    EXPECT_NE(report.detail.find("10000"), std::string::npos) << report.detail;
    EXPECT_EQ(database().number("SELECT count(*) FROM node"), 10'100);
    // The way out that the message names.
    admin->execute_script("UPDATE node SET parent_id = NULL WHERE id = 1");
    const winnow::context with = run.context();
    const winnow::value root = std::int64_t{1};
    ASSERT_TRUE(winnow::retry(with, 0, {&root, 1}));
    const std::vector<winnow::deletion_report> again = winnow::run_scheduled_deletions(with, 10);
    ASSERT_EQ(winnow::name_of(again.back().outcome), "completed") << again.back().detail;
    EXPECT_EQ(database().number("SELECT count(*) FROM node"), 0);
}

/// Everything below a row, itself included, as it is now.
std::set<std::int64_t> subtree(winnow::connection& on, std::int64_t id) {
    const winnow::rows found = on.execute(
        "WITH RECURSIVE t(id) AS (SELECT id FROM node WHERE id = $1 UNION SELECT n.id FROM node n JOIN t ON n.parent_id = t.id) SELECT id FROM t",
        {id});
    std::set<std::int64_t> ids;
    for (std::size_t row = 0; row < found.size(); ++row) ids.insert(found.integer(row, 0));
    return ids;
}

/// Moves subtrees to a tree that stays, at moments between two chunks; each must survive as it was when it moved.
void check_moves(fresh_database& database, const tree_shape& shape, std::int64_t rows, std::int32_t chunk,
                 std::uint64_t seed) {
    SCOPED_TRACE(std::string(shape.name) + " WINNOW_SEED=" + std::to_string(seed));
    winnow::connection_ptr admin = database.open();
    admin->execute_script("DELETE FROM winnow_audit; DROP TABLE IF EXISTS node");
    node_table::create(*admin);
    std::mt19937_64 random(seed);
    node_table::fill(*admin, rows + 1, [&](std::int64_t id) { return id <= rows ? shape.parent(id, random) : 0; });
    const node_table table(chunk);
    measured_run run(database, table.models());
    std::set<std::int64_t> safe{rows + 1};
    std::uint64_t wait = 3;
    run.before_chunk = [&] {
        if (--wait != 0) return;
        wait = random() % 15 + 1;
        const std::int64_t from = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows)) + 1;
        const winnow::rows chosen = admin->execute(
            "SELECT id FROM node WHERE id >= $1 AND id <= $2 AND id > 1 AND parent_id IS NOT NULL ORDER BY id LIMIT 1",
            {from, rows});
        if (chosen.empty() || safe.count(chosen.integer(0, 0)) != 0) return;
        const std::set<std::int64_t> moved = subtree(*admin, chosen.integer(0, 0));
        if (admin->execute("UPDATE node SET parent_id = $1 WHERE id = $2", {rows + 1, chosen.integer(0, 0)})
                .affected() == 1) {
            safe.insert(moved.begin(), moved.end());
        }
    };
    const winnow::deletion_report report = run.delete_row(1);
    ASSERT_EQ(winnow::name_of(report.outcome), "completed") << report.detail;
    EXPECT_GT(safe.size(), 1U);
    EXPECT_EQ(subtree(*admin, rows + 1), safe);
    EXPECT_EQ(database.number("SELECT count(*) FROM node"), static_cast<std::int64_t>(safe.size()));
    EXPECT_EQ(report.rows, rows + 1 - static_cast<std::int64_t>(safe.size()));
}

TEST_P(trees, keep_what_is_moved_away_while_they_are_peeled) {
    install(*database().open());
    const std::uint64_t seed = first_seed();
    const std::uint64_t rounds = GetParam() == winnow::dialect::sqlite ? 10 : 3;
    for (std::uint64_t round = 0; round < rounds; ++round)
        for (const tree_shape& shape : tree_shapes) check_moves(database(), shape, 600, 20, seed + round);
}

}  // namespace
