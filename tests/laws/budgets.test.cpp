// SPDX-License-Identifier: Apache-2.0
// R19: a pass ends once its rows or its time are used up, and not before something is gone. Time is a clock that
// the statements which change rows move on, so what is late is late by a statement and not by the machine's mood.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>

#include "laws/observed_connection.hpp"
#include "laws/run_tree.hpp"
#include "laws/tracker_tables.hpp"

namespace {

using namespace winnow_test;
using std::chrono::microseconds;
using std::chrono::milliseconds;

class budgets : public on_every_database {};
INSTANTIATE_TEST_SUITE_P(databases, budgets, all_databases(), name_of_database);

/// Watches the passes of one connection: what was used up already when a statement that changes rows began.
class pass_watch {
public:
    pass_watch(observed_connection& on, const winnow::catalog& models, fake_clock& time) : time_(time) {
        for (std::size_t model = 0; model < models.size(); ++model) {
            removals_.emplace(models[model].statements.remove[on.kind()]);
            for (const winnow::edge& along : models.edges_from(model)) {
                const winnow::relation_statements& all = along.relation->statements;
                for (const winnow::dialect_text* one :
                     {&all.remove, &all.remove_some, &all.remove_some_by_key, &all.remove_unlocked})
                    sweeps_.emplace((*one)[on.kind()]);
                const bool stay = along.relation->kind == winnow::relation_kind::set_null;
                for (const winnow::dialect_text* one : {&all.nullify, &all.nullify_some})
                    (stay ? sweeps_ : removals_).emplace((*one)[on.kind()]);
            }
        }
        on.before = [this](std::string_view statement, std::span<const winnow::parameter>) { begin(statement); };
        on.after = [this](std::string_view statement, const winnow::rows& answer) { end(statement, answer); };
    }
    pass_watch(const pass_watch&) = delete;
    pass_watch& operator=(const pass_watch&) = delete;

    void begin_pass(std::int64_t most_rows, microseconds most_time) {
        most_rows_ = most_rows;
        most_time_ = most_time;
        start_ = time_.now();
        rows_ = 0;
        late_.clear();
    }
    [[nodiscard]] std::int64_t rows() const { return rows_; }
    /// The first statement that began although the budget was used up; empty when there was none.
    [[nodiscard]] const std::string& late() const { return late_; }

private:
    void begin(std::string_view statement) {
        if (statement == "BEGIN") removing_ = false;
        const bool removes = removals_.count(statement) != 0;
        if (!removes && sweeps_.count(statement) == 0) return;
        // Rows of one set go in one step, even where that takes a statement for each table of a cycle.
        if (removes && std::exchange(removing_, true)) return;
        const bool spent =
            (most_rows_ != 0 && rows_ >= most_rows_) || (most_time_.count() != 0 && time_.now() - start_ >= most_time_);
        if (rows_ > 0 && spent && late_.empty()) late_ = statement;
    }
    void end(std::string_view statement, const winnow::rows& answer) {
        if (removals_.count(statement) == 0 && sweeps_.count(statement) == 0) return;
        time_.advance(milliseconds(1) + microseconds(100) * answer.affected());
        if (statement.find("DELETE") != std::string_view::npos) rows_ += answer.affected();
    }

    fake_clock& time_;
    std::set<std::string, std::less<>> removals_;  ///< by key, and what frees rows of a cycle from each other before
    std::set<std::string, std::less<>> sweeps_;    ///< of children, by their parents
    std::int64_t most_rows_ = 0;
    microseconds most_time_{0};
    microseconds start_{0};
    std::int64_t rows_ = 0;
    bool removing_ = false;
    std::string late_;
};

/// Runs what is scheduled to its end under a budget, pass by pass. @return how many passes it took
int run_within(const winnow::context& with, pass_watch& watch, std::int64_t most_rows, milliseconds most_time) {
    with.options().set("deletion.pass_rows", std::to_string(most_rows), "test");
    with.options().set("deletion.pass_milliseconds", std::to_string(most_time.count()), "test");
    for (int pass = 1;; ++pass) {
        watch.begin_pass(most_rows, most_time);
        const std::optional<winnow::deletion_report> report = winnow::run_next(with);
        if (!report) {
            ADD_FAILURE() << "nothing is due";
            return pass;
        }
        EXPECT_EQ(watch.late(), "") << "pass " << pass;
        if (report->outcome == winnow::deletion_outcome::completed) return pass;
        if (report->detail.find("waiting for transactions") == 0) {
            // Another test's transaction; it is nothing that a budget has to do with.
            std::this_thread::sleep_for(milliseconds(20));
            with.database.execute_script(
                "UPDATE winnow_cell_scheduled_deletion SET wait_until = NULL WHERE state = 'waiting'");
            continue;
        }
        EXPECT_EQ(winnow::name_of(report->outcome), "yielded") << report->detail;
        EXPECT_GT(watch.rows(), 0) << "pass " << pass << " yielded before anything was gone";
        if (testing::Test::HasFailure()) return pass;
    }
}

TEST_P(budgets, hold_for_any_tree) {
    const std::uint64_t seed = first_seed();
    const std::uint64_t count = tree_count(GetParam() == winnow::dialect::sqlite ? 100 : 12);
    winnow::connection_ptr admin = database().open();
    install(*admin);
    for (std::uint64_t number = 0; number < count; ++number) {
        SCOPED_TRACE("WINNOW_SEED=" + std::to_string(seed + number) + " WINNOW_TREES=1");
        std::mt19937_64 random(seed + number);
        const random_tree tree(seed + number, random() % 3 != 0);
        prepare(database(), *admin, tree);
        fake_clock time;
        winnow::observer watch;
        auto watched = std::make_unique<observed_connection>(database().open());
        const winnow::catalog models = tree.models();
        pass_watch passes(*watched, models, time);
        const winnow::context with{models, *watched, time, watch, winnow::silo_mode::monolith, "test"};
        schedule_now(with, 0, 2);
        const std::int64_t rows = random() % 2 == 0 ? 0 : static_cast<std::int64_t>(random() % 20) + 1;
        const milliseconds longest(rows != 0 && random() % 2 == 0 ? 0 : random() % 20 + 1);
        (void)run_within(with, passes, rows, longest);
        ASSERT_FALSE(HasFailure()) << rows << " rows, " << longest.count() << " ms";
        ASSERT_EQ(difference(tree.after_deleting(2), read_rows(*admin, tree)), "");
        drop(*admin, tree);
    }
}

TEST_P(budgets, hold_for_a_hundred_thousand_rows) {
    const tracker_tables tables(100, 1'000, 1'000);
    fake_clock time;
    winnow::observer watch;
    auto watched = std::make_unique<observed_connection>(database().open());
    const winnow::catalog models = tables.models();
    install(*watched);
    tracker_tables::create(*watched, true, 1, 100, 1'000, 0);
    pass_watch passes(*watched, models, time);
    const winnow::context with{models, *watched, time, watch, winnow::silo_mode::monolith, "test"};
    schedule_now(with, models.at("tracker.org"), 1);
    // 100 101 rows: at most 9 000 in a pass, and no pass much shorter than that.
    const int passes_taken = run_within(with, passes, 9'000, std::chrono::hours(1));
    EXPECT_GE(passes_taken, 11);
    EXPECT_LE(passes_taken, 15);
    EXPECT_EQ(database().number(
                  "SELECT (SELECT count(*) FROM org) + (SELECT count(*) FROM proj) + (SELECT count(*) FROM issue)"),
              0);
    const winnow::audit_entry last = winnow::list_audit(*watched, "tracker.org", "1").back();
    EXPECT_EQ(last.action, "completed");
    EXPECT_EQ(last.rows_done, 100'101);
}

}  // namespace
