// SPDX-License-Identifier: Apache-2.0
// An SQLite file has one writer and no queue for others (S2, S9): a deletion leaves it to them now and then, more
// often while they write. Measured with a clock that statements and sleeps move on, so that nothing depends on the
// machine.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "laws/observed_connection.hpp"
#include "laws/run_tree.hpp"
#include "laws/tracker_tables.hpp"

namespace {

using namespace winnow_test;
using std::chrono::microseconds;
using std::chrono::milliseconds;

/// What every statement takes, and about what a chunk of this test's tree does.
constexpr milliseconds statement_time{2};
constexpr milliseconds chunk_time{60};
/// What it reads before its first chunk; nobody has to wait for that.
constexpr milliseconds survey_time{150};

/// One time during which the deletion kept the file, and the pause after it.
struct turn {
    microseconds begun;
    microseconds held;
    microseconds left;
};

/// Notes when the file is left alone.
class turn_clock final : public winnow::clock {
public:
    explicit turn_clock(const winnow::connection& on) : on_(on) {}
    [[nodiscard]] duration now() override { return now_; }
    void sleep(duration how_long) override {
        EXPECT_FALSE(on_.in_transaction()) << "it sleeps while it holds the file";
        turns.push_back({last_, now_ - last_, how_long});
        now_ += how_long;
        last_ = now_;
    }
    void advance(duration by) { now_ += by; }
    [[nodiscard]] duration since_start() const { return now_ - start; }

    static constexpr duration start{1'000'000};
    std::vector<turn> turns;

private:
    const winnow::connection& on_;
    duration now_ = start;
    duration last_ = start;
};

struct run_turns {
    std::vector<turn> turns;
    microseconds whole{0};

    /// Part of the time from `from` on, counted from the beginning, that was left to others.
    [[nodiscard]] double share_from(microseconds from) const {
        microseconds left{0};
        for (const turn& one : turns)
            if (one.begun - turn_clock::start >= from) left += one.left;
        return std::chrono::duration<double>(left) / std::chrono::duration<double>(whole - from);
    }
};

/// Deletes trees of 111 rows and ten times as many events as given, in chunks of 5, one after the other.
/// @param others_write whether another connection writes at that time, before each of the deletions' transactions
template <class Predicate>
run_turns turns_of_deletions(int trees, int events, Predicate others_write) {
    fresh_sqlite database;
    const tracker_tables tables(5, 5, 5);
    observed_connection watched(database.open());
    install(watched);
    tracker_tables::create(watched, true, trees, 10, 10, events);
    const winnow::catalog models = tables.models();
    turn_clock time(watched);
    winnow::observer watch;
    const winnow::context with{models, watched, time, watch, winnow::silo_mode::monolith, "test"};
    for (int tree = 1; tree <= trees; ++tree) schedule_now(with, models.at("tracker.org"), tree);
    const winnow::connection_ptr other = database.open();
    watched.before = [&](std::string_view statement, std::span<const winnow::parameter>) {
        if (statement == "BEGIN" && others_write(time.since_start()))
            other->execute_script("INSERT INTO org DEFAULT VALUES");
    };
    watched.after = [&](std::string_view, const winnow::rows&) { time.advance(statement_time); };
    for (int tree = 1; tree <= trees; ++tree) {
        const std::optional<winnow::deletion_report> report = winnow::run_next(with);
        EXPECT_TRUE(report && report->outcome == winnow::deletion_outcome::completed);
    }
    return {time.turns, time.since_start()};
}

/// What nobody uses: two turns soon, because who is there is not known yet, then one now and then.
void expect_rare_turns(const run_turns& run) {
    ASSERT_GT(run.turns.size(), 3U);
    EXPECT_LT(run.turns[0].held, milliseconds(100) + chunk_time + survey_time);
    EXPECT_GE(run.turns[0].left, milliseconds(25)) << "as long as one that came at the beginning may look away";
    EXPECT_LE(run.turns[0].left, milliseconds(100));
    for (std::size_t at = 1; at < run.turns.size(); ++at) {
        const turn& one = run.turns[at];
        EXPECT_EQ(one.left, milliseconds(100)) << "as long as one that has waited for long may look away";
        EXPECT_LT(one.held, milliseconds(at == 1 ? 500 : 2'000) + chunk_time + survey_time);
    }
}

TEST(sharing_a_file, costs_a_twentieth_while_nobody_else_writes) {
    const run_turns run = turns_of_deletions(1, 100, [](microseconds) { return false; });
    expect_rare_turns(run);
    EXPECT_GT(run.share_from(milliseconds(1'000)), 0.04);
    EXPECT_LT(run.share_from(milliseconds(1'000)), 0.05);
}

TEST(sharing_a_file, goes_on_from_one_deletion_to_the_next) {
    const run_turns run = turns_of_deletions(8, 0, [](microseconds) { return false; });
    ASSERT_GT(run.whole, milliseconds(4'000)) << "each of them alone is too short to be seen";
    expect_rare_turns(run);
}

TEST(sharing_a_file, gives_others_a_turn_after_each_tenth_of_a_second_while_they_write) {
    const run_turns run = turns_of_deletions(1, 20, [](microseconds) { return true; });
    ASSERT_GT(run.turns.size(), 30U);
    EXPECT_LT(run.turns[0].held, milliseconds(150) + chunk_time + survey_time) << "how long it may take to notice them";
    for (std::size_t at = 1; at < run.turns.size(); ++at) {
        EXPECT_EQ(run.turns[at].left, milliseconds(25));
        EXPECT_LT(run.turns[at].held, milliseconds(100) + chunk_time);
    }
    EXPECT_GT(run.share_from(milliseconds(500)), 0.15);
    EXPECT_LT(run.share_from(milliseconds(500)), 0.20);
}

TEST(sharing_a_file, goes_back_to_rare_turns_ten_seconds_after_they_stopped) {
    const auto stop = milliseconds(4'000);
    const run_turns run = turns_of_deletions(1, 60, [&](microseconds at) { return at < stop; });
    bool rare = false;
    for (const turn& one : run.turns) {
        const microseconds at = one.begun - turn_clock::start;
        if (at > milliseconds(500) && at < stop) {
            EXPECT_LT(one.held, milliseconds(100) + chunk_time);
        }
        if (at < stop + milliseconds(10'500)) continue;
        EXPECT_GT(one.held, milliseconds(1'900));
        rare = true;
    }
    EXPECT_TRUE(rare) << "the deletion takes " << run.whole.count() << " us, too short to see it";
}

/// Somebody who looks away for a tenth of a second, as after many vain looks, and happens to miss all short turns.
TEST(sharing_a_file, has_a_long_turn_among_the_short_ones_that_nobody_used) {
    const auto stop = milliseconds(1'000);
    const run_turns run = turns_of_deletions(1, 20, [&](microseconds at) { return at < stop; });
    int short_ones = 0;
    int long_ones = 0;
    for (const turn& one : run.turns) {
        const microseconds at = one.begun - turn_clock::start;
        if (at < stop || at > stop + milliseconds(9'000)) continue;
        EXPECT_LT(one.held, milliseconds(100) + chunk_time);
        if (one.left == milliseconds(100)) {
            EXPECT_GE(short_ones, long_ones == 0 ? 2 : 3);
            ++long_ones;
            short_ones = 0;
        } else {
            EXPECT_EQ(one.left, milliseconds(25));
            EXPECT_LE(++short_ones, 4);
        }
    }
    EXPECT_GT(long_ones, 2);
}

}  // namespace
