// SPDX-License-Identifier: Apache-2.0
// L4 and L5: after draining, each copy equals its row, and each event has had its effect once and in order, under any
// interleaving of writers and workers, with workers that stall past their lease, fail, and are killed.
//   WINNOW_SEED=… WINNOW_TREES=1 repeats one run.
#include <array>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

#include "laws/child_process.hpp"
#include "laws/replicated_rows.hpp"
#include "laws/run_tree.hpp"
#include "winnow/outbox/drain.hpp"

namespace law {

enum class Scope { organization = 0 };
enum class Category { doc_update = 0, trail_step = 1 };

struct Doc {
    std::int64_t id;
    std::int64_t org_id;
    std::int64_t body;
};
struct DocCopy {
    std::int64_t doc_id;
    std::int64_t body;
};
struct Trail {
    std::int64_t id;
    std::int64_t org_id;
    std::int64_t steps;
};
WINNOW_DESCRIBE(Doc, id, org_id, body)
WINNOW_DESCRIBE(DocCopy, doc_id, body)
WINNOW_DESCRIBE(Trail, id, org_id, steps)

/// What the handler does before it writes; null: nothing.
thread_local void (*before_effect)(void* state) = nullptr;
thread_local void* before_effect_state = nullptr;

}  // namespace law

template <> struct winnow::categories<law::Category> {
    static constexpr auto scopes =
        winnow::scopes(scope<law::Scope::organization, law::Category::doc_update, law::Category::trail_step>);
    static constexpr auto every_event = winnow::events<law::Category::trail_step>;
};
template <> struct winnow::model<law::Doc> {
    static constexpr text key = "law.Doc";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto replication = replicates<law::Category::doc_update>(
        shard<&law::Doc::org_id>,
        mirror<law::DocCopy>(map<&law::Doc::id, &law::DocCopy::doc_id>, map<&law::Doc::body, &law::DocCopy::body>));
};
template <> struct winnow::model<law::DocCopy> {
    static constexpr text key = "law.DocCopy";
    static constexpr text table = "law_doc_copy";
    static constexpr auto primary_key = winnow::primary_key<&law::DocCopy::doc_id>;
    static constexpr auto silo = winnow::silo::control;
};
template <> struct winnow::model<law::Trail> {
    static constexpr text key = "law.Trail";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto replication =
        replicates<law::Category::trail_step>(shard<&law::Trail::org_id>, payload<&law::Trail::steps>);
    static void replicate(const law::Trail& row, winnow::delivery& about) {
        if (law::before_effect != nullptr) law::before_effect(law::before_effect_state);
        (void)about.once([&](winnow::connection& target) {
            (void)target.execute("INSERT INTO law_effect (trail_id, step) VALUES ($1, $2)", {row.id, about.payload});
        });
    }
};

namespace winnow_test {

const winnow::catalog& replicated_models() {
    using Models = winnow::registry<law::Doc, law::DocCopy, law::Trail>;
    static const winnow::catalog all{std::span<const winnow::plan>(winnow::plans_of<Models>)};
    return all;
}

namespace {

struct killed : std::runtime_error {
    killed() : std::runtime_error("killed") {}
};

/// One process that drains, with something that happens before each of its statements.
struct drainer {
    drainer(const fresh_database& source_database, const fresh_database& target_database,
            observed_connection::before_call before)
        : source(source_database.open()), silos(target_database, before) {
        source.before = std::move(before);
    }
    [[nodiscard]] winnow::context context() {
        winnow::context made{replicated_models(), source, time, watch};
        made.silos = &silos;
        return made;
    }
    [[nodiscard]] bool in_transaction() const { return source.in_transaction() || silos.in_transaction(); }

    observed_connection source;
    target_of silos;
    winnow::steady_clock time;
    winnow::observer watch;
};

/// All leases are over and everything is due, however long it would have taken.
void let_all_time_pass(winnow::connection& source) {
    const bool postgres = source.kind() == dialect::postgres;
    const std::string past =
        postgres ? "clock_timestamp() - interval '1 s'" : "strftime('%Y-%m-%d %H:%M:%f', 'now', '-1 seconds')";
    const std::string now = postgres ? "clock_timestamp()" : "strftime('%Y-%m-%d %H:%M:%f', 'now')";
    (void)source.execute("UPDATE winnow_cell_outbox_shard SET lease_expires_at = " + past +
                         ", waiting_until = NULL WHERE lease_expires_at IS NOT NULL OR waiting_until IS NOT NULL");
    (void)source.execute("UPDATE winnow_cell_outbox SET scheduled_for = " + past + " WHERE scheduled_for > " + now);
}

/// Two workers on threads of their own, of which one runs at a time. Whenever no transaction is open, chance says who
/// goes on, and what the writers and the clock do in between.
class random_run {
public:
    random_run(const fresh_database& source, const fresh_database& target, std::uint64_t seed)
        : random_(seed), writer_(source, random_), clock_session_(source.open()) {
        for (std::size_t me = 0; me < 2; ++me)
            workers_[me] = std::make_unique<drainer>(
                source, target, [this, me](std::string_view, std::span<const winnow::parameter>) { before(me); });
    }

    void run() {
        for (int i = 0; i < 4; ++i) writer_.step();
        std::array<std::thread, 2> threads;
        for (std::size_t me = 0; me < 2; ++me) threads[me] = std::thread([this, me] { work(me); });
        for (std::thread& one : threads) one.join();
        writer_.finish();
        let_all_time_pass(*clock_session_);
    }

private:
    [[nodiscard]] bool chance(std::uint64_t one_in) { return random_() % one_in == 0; }

    void work(std::size_t me) {
        wait_for(me);
        law::before_effect_state = this;
        law::before_effect = [](void* self) {
            if (static_cast<random_run*>(self)->chance(5)) throw std::runtime_error("the handler has failed");
        };
        try {
            for (int call = 0; call < 3; ++call) {
                const winnow::context with = workers_[me]->context();
                if (chance(2)) {
                    (void)winnow::drain(with, winnow::silo::cell);
                } else {
                    (void)winnow::drain_shard(
                        with, {winnow::silo::cell, 0, static_cast<std::int64_t>(random_() % 2), std::string()});
                }
            }
        } catch (const killed&) {
        } catch (const std::exception& problem) {
            // Nothing else may reach the caller.
            ADD_FAILURE() << problem.what();
        }
        workers_[me].reset();
        hand_over(me, true);
    }

    void before(std::size_t me) {
        if (chance(60)) throw killed();
        if (workers_[me]->in_transaction()) return;
        while (chance(3)) writer_.step();
        if (chance(6)) let_all_time_pass(*clock_session_);
        if (chance(2)) {
            hand_over(me, false);
            wait_for(me);
        }
    }

    void wait_for(std::size_t me) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return turn_ == me; });
    }
    void hand_over(std::size_t me, bool ended) {
        const std::lock_guard lock(mutex_);
        if (ended) ended_[me] = true;
        if (!ended_[1 - me]) turn_ = 1 - me;
        changed_.notify_all();
    }

    std::mt19937_64 random_;
    random_writer writer_;
    winnow::connection_ptr clock_session_;
    std::array<std::unique_ptr<drainer>, 2> workers_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t turn_ = 0;
    std::array<bool, 2> ended_{};
};

/// A process that writes and drains until it kills itself at some statement.
void run_until_killed(const fresh_database& source, const fresh_database& target, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    random_writer writer(source, random);
    for (int i = 0; i < 6; ++i) writer.step();
    writer.finish();
    std::uint64_t left = 1 + random() % 40;
    drainer one(source, target, [&](std::string_view, std::span<const winnow::parameter>) {
        if (--left == 0) std::raise(SIGKILL);
    });
    (void)winnow::drain(one.context(), winnow::silo::cell);
}

class Replication : public testing::TestWithParam<dialect> {
protected:
    static std::string all(const fresh_database& of, const std::string& query) {
        const winnow::rows found = of.open()->execute_once(query, {});
        std::string text;
        for (std::size_t row = 0; row < found.size(); ++row)
            for (std::size_t column = 0; column < found.width(); ++column)
                text += std::to_string(found.integer(row, column)) + (column + 1 == found.width() ? "\n" : " ");
        return text;
    }
    static void empty(const fresh_database& source, const fresh_database& target) {
        source.run("DELETE FROM law_doc; DELETE FROM law_trail; DELETE FROM winnow_cell_outbox; DELETE FROM "
                   "winnow_cell_outbox_shard");
        target.run("DELETE FROM law_doc_copy; DELETE FROM law_effect; DELETE FROM winnow_inbox; DELETE FROM "
                   "winnow_control_tombstone");
    }
    static void check(const fresh_database& source, const fresh_database& target) {
        EXPECT_EQ(source.number("SELECT count(*) FROM winnow_cell_outbox"), 0);
        EXPECT_EQ(all(target, "SELECT doc_id, body FROM law_doc_copy ORDER BY doc_id"),
                  all(source, "SELECT id, body FROM law_doc ORDER BY id"));
        // Every step of every trail, once, in order.
        std::map<std::int64_t, std::int64_t> steps;
        const winnow::rows effects =
            target.open()->execute_once("SELECT trail_id, step FROM law_effect ORDER BY id", {});
        for (std::size_t row = 0; row < effects.size(); ++row) {
            const std::string payload = effects.text(row, 1);
            const std::int64_t step = std::stoll(payload.substr(payload.find(':') + 1));
            EXPECT_EQ(step, ++steps[effects.integer(row, 0)]) << "trail " << effects.integer(row, 0);
        }
        std::string made;
        for (const auto& [trail, count] : steps) made += std::to_string(trail) + " " + std::to_string(count) + "\n";
        EXPECT_EQ(made, all(source, "SELECT id, steps FROM law_trail ORDER BY id"));
    }
};

TEST_P(Replication, CopiesEqualTheirRowsAndEventsHaveOneEffectUnderAnyInterleaving) {
    const std::unique_ptr<fresh_database> source = make_database(GetParam());
    const std::unique_ptr<fresh_database> target = make_database(GetParam());
    for (const fresh_database* one : {source.get(), target.get()}) {
        (void)winnow::migrate(*one->open());
        one->run(replicated_tables);
    }
    source->run("INSERT INTO winnow_option (name, value, updated_by) VALUES ('outbox.attempts', '100000', 'test'), "
                "('outbox.turn_objects', '3', 'test')");
    const std::uint64_t runs = tree_count(200);
    int kills = 0;
    for (std::uint64_t number = 0; number < runs && !HasFailure(); ++number) {
        const std::uint64_t seed = first_seed() + number;
        SCOPED_TRACE("WINNOW_SEED=" + std::to_string(seed) + " WINNOW_TREES=1");
        empty(*source, *target);
        {
            child_process child([&] { run_until_killed(*source, *target, seed); });
            const child_process::ending ended = child.wait();
            ASSERT_TRUE(ended.killed || ended.code == 0);
            kills += ended.killed ? 1 : 0;
        }
        let_all_time_pass(*source->open());
        random_run(*source, *target, seed).run();
        drainer last(*source, *target, [](std::string_view, std::span<const winnow::parameter>) {});
        const winnow::drain_report report = winnow::drain(last.context(), winnow::silo::cell);
        EXPECT_TRUE(report.problems.empty());
        check(*source, *target);
    }
    if (runs < 50) return;
    EXPECT_GT(kills, static_cast<int>(runs) / 4);
}

INSTANTIATE_TEST_SUITE_P(databases, Replication, all_databases(), name_of_database);

}  // namespace

}  // namespace winnow_test
