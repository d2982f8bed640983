// SPDX-License-Identifier: Apache-2.0
// Deletions of overlapping trees while an application writes at every level of them, moves rows out of them and
// updates rows in any order, and while workers, some of which have several connections on one deletion, lose their
// connections and their leases. At the end: no orphan,
// what was moved away is alive with everything below it, each row counted once, no deadlock ever seen by the application.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <tuple>

#include "laws/observed_connector.hpp"
#include "laws/run_tree.hpp"
#include "laws/tracker_tables.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/store/transaction.hpp"

namespace {

using namespace winnow_test;
using level_ids = std::array<std::set<std::int64_t>, 4>;

enum class protection { keys, guards, none };

constexpr std::int64_t orgs = 6;
constexpr std::int64_t doomed_orgs = 2;  ///< organizations 1 and 2 go
constexpr std::int64_t projects = 8;     ///< of each organization; 1 and 9 are scheduled on their own as well
constexpr std::int64_t issues = 30;      ///< of each project; 1 is scheduled on its own as well
constexpr std::int64_t events = 25;      ///< of each issue

class concurrent_writers : public testing::TestWithParam<std::tuple<winnow::dialect, protection>> {
protected:
    void SetUp() override {
        database_ = make_database(std::get<0>(GetParam()));
        winnow::connection_ptr admin = database_->open();
        install(*admin);
        tracker_tables::create(*admin, std::get<1>(GetParam()) == protection::keys, orgs, projects, issues, events);
    }
    [[nodiscard]] bool on_server() const { return std::get<0>(GetParam()) == winnow::dialect::postgres; }

    /// Runs one writer until it is told to stop. Its own errors are noted; a missing parent is none.
    template <class Step>
    void start_writer(std::uint64_t seed, std::uint64_t longest_pause, Step step) {
        writers_.emplace_back([this, seed, longest_pause, step] {
            std::mt19937_64 random(seed);
            winnow::connection_ptr own = database_->open();
            while (!stop_writers_) {
                try {
                    step(*own, random);
                } catch (const winnow::error& problem) {
                    if (problem.sqlstate() == "23503" || problem.sqlstate() == "SQLITE_CONSTRAINT_FOREIGNKEY") continue;
                    const std::lock_guard hold(lock_);
                    problems_.push_back(std::string(problem.sqlstate()) + " " + problem.what() + " in " +
                                        std::string(problem.statement()));
                }
                std::this_thread::sleep_for(std::chrono::microseconds(random() % longest_pause));
            }
        });
    }

    /// Where the writers keep a parent from going while they write below it. @return whether it is there
    [[nodiscard]] bool guard(winnow::connection& own, std::size_t level, std::int64_t id) const {
        if (std::get<1>(GetParam()) != protection::guards) return true;
        return !own.execute("SELECT 1 FROM " + tracker_tables::table(level) + " WHERE id = $1" +
                                (on_server() ? " FOR KEY SHARE" : ""),
                            {id})
                    .empty();
    }

    void insert_somewhere(winnow::connection& own, std::mt19937_64& random) {
        winnow::transaction scope(own);
        std::array<std::int64_t, 4> written{};
        for (std::uint64_t rows = random() % 3 + 1; rows > 0; --rows) {
            const std::size_t level = tracker_tables::proj + random() % 3;
            const std::string parent = tracker_tables::table(level - 1);
            // Below the doomed more often than not.
            const winnow::rows at = own.execute(
                "SELECT id FROM " + parent +
                    (random() % 2 == 0 ? " ORDER BY id LIMIT 1 OFFSET $1" : " ORDER BY id DESC LIMIT 1 OFFSET $1"),
                {static_cast<std::int64_t>(random() % (level == tracker_tables::proj ? 6 : 40))});
            if (at.empty() || !guard(own, level - 1, at.integer(0, 0))) continue;
            written[level] += own.execute("INSERT INTO " + tracker_tables::table(level) + " (" +
                                              tracker_tables::reference(level) + ") VALUES ($1)",
                                          {at.integer(0, 0)})
                                  .affected();
        }
        scope.commit();
        for (std::size_t level = 0; level < written.size(); ++level) inserted_[level] += written[level];
    }

    void update_in_any_order(winnow::connection& own, std::mt19937_64& random) {
        winnow::transaction scope(own);
        for (int statement = 0; statement < 8; ++statement) {
            const std::size_t level = statement == 7      ? tracker_tables::proj
                                      : random() % 3 == 0 ? tracker_tables::issue
                                                          : tracker_tables::event;
            const std::int64_t most = orgs * projects *
                                      (level == tracker_tables::proj    ? 1
                                       : level == tracker_tables::issue ? issues
                                                                        : issues * events);
            for (int row = 0; row < 10; ++row)
                (void)own.execute("UPDATE " + tracker_tables::table(level) + " SET note = note + 1 WHERE id = $1",
                                  {static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)) + 1});
        }
        scope.commit();
    }

    /// Moves an issue, or now and then a whole project, from an organization that goes to one that stays.
    void move_to_safety(winnow::connection& own, std::mt19937_64& random) {
        const bool whole = random() % 40 == 0;
        const std::size_t level = whole ? tracker_tables::proj : tracker_tables::issue;
        const winnow::rows chosen = own.execute(
            whole
                ? "SELECT id FROM proj WHERE org_id <= 2 AND id NOT IN (1, 9) ORDER BY random() LIMIT 1"
                : "SELECT i.id FROM issue i JOIN proj p ON p.id = i.proj_id WHERE p.org_id <= 2 AND i.id <> 1 ORDER BY random() LIMIT 1");
        if (chosen.empty()) return;
        const std::int64_t id = chosen.integer(0, 0);
        const std::int64_t target =
            whole ? static_cast<std::int64_t>(random() % 4) + 3 : static_cast<std::int64_t>(random() % 32) + 17;
        winnow::transaction scope(own);
        if (!guard(own, level - 1, target)) return;
        if (own.execute("UPDATE " + tracker_tables::table(level) + " SET " + tracker_tables::reference(level) +
                            " = $1 WHERE id = $2",
                        {target, id})
                .affected() == 0)
            return;
        level_ids safe;
        safe[level].insert(id);
        for (std::size_t below = level + 1; below <= tracker_tables::event; ++below) {
            for (const std::int64_t above : safe[below - 1]) {
                const winnow::rows found = own.execute("SELECT id FROM " + tracker_tables::table(below) + " WHERE " +
                                                           tracker_tables::reference(below) + " = $1",
                                                       {above});
                for (std::size_t row = 0; row < found.size(); ++row) safe[below].insert(found.integer(row, 0));
            }
        }
        scope.commit();
        const std::lock_guard hold(lock_);
        for (std::size_t at = 0; at < safe.size(); ++at) moved_[at].merge(safe[at]);
    }

    void start_worker(std::size_t number, const tracker_tables& tables) {
        workers_.emplace_back([this, number, &tables] {
            while (!all_done_) {
                try {
                    tree_runner run(database_->open(), tables.models());
                    observed_connector opener(database_->connector());
                    winnow::context with = run.context();
                    opener.told = [this](std::int64_t pid) {
                        lane_backends_[static_cast<std::size_t>(pid) % lane_backends_.size()] = pid;
                    };
                    with.opener = &opener;
                    with.connections = static_cast<std::int64_t>(number) + 1;
                    if (on_server()) backends_[number] = run.database->execute("SELECT pg_backend_pid()").integer(0, 0);
                    while (!all_done_) {
                        for (const winnow::deletion_report& one : winnow::run_scheduled_deletions(with, 1)) {
                            if (one.outcome == winnow::deletion_outcome::lost) ++leases_lost_;
                            const bool wrong = one.outcome == winnow::deletion_outcome::blocked ||
                                               one.outcome == winnow::deletion_outcome::failed ||
                                               one.detail.find("retry after") != std::string::npos;
                            if (!wrong) continue;
                            const std::lock_guard hold(lock_);
                            problems_.push_back(std::string(winnow::name_of(one.outcome)) + ": " + one.detail);
                        }
                        std::this_thread::sleep_for(std::chrono::milliseconds(2));
                        lanes_opened_ += std::exchange(opener.opened, 0);
                    }
                } catch (const winnow::error& problem) {
                    if (problem.kind() == winnow::failure::connection) {
                        ++connections_lost_;
                        continue;
                    }
                    const std::lock_guard hold(lock_);
                    problems_.push_back(std::string("worker: ") + problem.what() + " in " + problem.statement());
                }
            }
        });
    }

    /// Ends the sessions of workers, and lets leases run out under workers that are alive.
    void disturb(winnow::connection& admin, std::mt19937_64& random) {
        if (on_server() && random() % 2 == 0)
            (void)admin.execute("SELECT pg_terminate_backend($1::integer)",
                                {backends_[random() % backends_.size()].load()});
        if (on_server() && random() % 2 == 0)
            (void)admin.execute("SELECT pg_terminate_backend($1::integer)",
                                {lane_backends_[random() % lane_backends_.size()].load()});
        const std::string text = winnow::own_statement(
            "UPDATE winnow_{silo}_scheduled_deletion SET lease_expires_at = {after $1} WHERE in_progress",
            admin.kind());
        winnow::transaction scope(admin);
        (void)admin.execute(text, {std::int64_t{-1}});
        scope.commit();
    }

    std::unique_ptr<fresh_database> database_;
    std::mutex lock_;
    std::atomic<bool> stop_writers_ = false;
    std::atomic<bool> all_done_ = false;
    std::array<std::atomic<std::int64_t>, 3> backends_{};
    std::array<std::atomic<std::int64_t>, 5> lane_backends_{};
    std::array<std::atomic<std::int64_t>, 4> inserted_{};
    std::atomic<int> leases_lost_ = 0;
    std::atomic<int> connections_lost_ = 0;
    std::atomic<std::size_t> lanes_opened_ = 0;
    level_ids moved_;                    ///< under lock_
    std::vector<std::string> problems_;  ///< under lock_
    std::vector<std::thread> writers_;
    std::vector<std::thread> workers_;
};

std::string name_of_case(const testing::TestParamInfo<std::tuple<winnow::dialect, protection>>& info) {
    constexpr std::array<const char*, 3> names = {"keys", "guarded_writers", "raw_writers"};
    return std::string(winnow::name_of(std::get<0>(info.param))) + "_" +
           names[static_cast<std::size_t>(std::get<1>(info.param))];
}

INSTANTIATE_TEST_SUITE_P(databases, concurrent_writers,
                         testing::Combine(all_databases(),
                                          testing::Values(protection::keys, protection::guards, protection::none)),
                         name_of_case);

TEST_P(concurrent_writers, leave_no_orphan_and_lose_no_moved_row) {
    const std::uint64_t seed = first_seed();
    SCOPED_TRACE("WINNOW_SEED=" + std::to_string(seed));
    std::mt19937_64 random(seed);
    const tracker_tables tables(3, 7, 20);
    tree_runner look(database_->open(), tables.models());
    const winnow::context with = look.context();
    with.options().set("deletion.connections_from_rows", "0", "test");
    constexpr std::array shapes{"auto", "sets", "pages"};
    with.options().set("deletion.shape", shapes[seed % shapes.size()], "test");
    for (std::int64_t org = 1; org <= doomed_orgs; ++org) schedule_now(with, with.models.at("tracker.org"), org);
    schedule_now(with, with.models.at("tracker.proj"), 1);
    schedule_now(with, with.models.at("tracker.proj"), 9);
    schedule_now(with, with.models.at("tracker.issue"), 1);

    for (std::uint64_t number = 0; number < 2; ++number)
        start_writer(seed + number, 2'000,
                     [this](winnow::connection& own, std::mt19937_64& from) { insert_somewhere(own, from); });
    start_writer(seed + 2, 2'000,
                 [this](winnow::connection& own, std::mt19937_64& from) { update_in_any_order(own, from); });
    start_writer(seed + 3, 10'000,
                 [this](winnow::connection& own, std::mt19937_64& from) { move_to_safety(own, from); });
    for (std::size_t number = 0; number < backends_.size(); ++number) start_worker(number, tables);

    const auto begun = std::chrono::steady_clock::now();
    const auto patience = [&](int seconds) {
        return std::chrono::steady_clock::now() - begun < std::chrono::seconds(seconds);
    };
    while (patience(60) && !winnow::list_requests(*look.database, winnow::silo::cell).empty()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 100 + 20));
        if (patience(4)) disturb(*look.database, random);
        else stop_writers_ = true;
    }
    std::string not_ended;
    for (const winnow::deletion_request& one : winnow::list_requests(*look.database, winnow::silo::cell))
        not_ended +=
            one.model + " " + one.object_id + ": " + one.state + ", " + one.state_detail + ", " + one.last_error + "\n";
    stop_writers_ = true;
    all_done_ = true;
    for (std::thread& one : writers_) one.join();
    for (std::thread& one : workers_) one.join();

    ASSERT_EQ(not_ended, "");
    EXPECT_EQ(problems_, std::vector<std::string>());
    EXPECT_EQ(orphans(with), "");
    EXPECT_EQ(database_->number("SELECT count(*) FROM winnow_grave"), 0);
    EXPECT_EQ(database_->number("SELECT count(*) FROM org"), orgs - doomed_orgs);
    RecordProperty("moved_issues", std::to_string(moved_[tracker_tables::issue].size()));
    RecordProperty("leases_lost", std::to_string(leases_lost_.load()));
    RecordProperty("connections_lost", std::to_string(connections_lost_.load()));
    RecordProperty("lanes_opened", std::to_string(lanes_opened_.load()));
    if (on_server()) {
        // Without any of these the rest would prove nothing.
        EXPECT_GT(moved_[tracker_tables::issue].size(), 0U);
        EXPECT_GT(leases_lost_ + connections_lost_, 0) << "which of them is a matter of luck";
        EXPECT_GT(lanes_opened_, 0U);
    }
    const winnow::rows counted = look.database->execute(winnow::dialect_text{
        "SELECT key, sum(value::bigint)::bigint FROM winnow_audit, jsonb_each_text(progress) WHERE action IN ('completed', 'dropped') GROUP BY key",
        "SELECT key, sum(json_each.value) FROM winnow_audit, json_each(progress) WHERE action IN ('completed', 'dropped') GROUP BY key"});
    std::map<std::string, std::int64_t> gone;
    for (std::size_t row = 0; row < counted.size(); ++row) gone[counted.text(row, 0)] = counted.integer(row, 1);
    const std::array<std::int64_t, 4> first = {orgs, orgs * projects, orgs * projects * issues,
                                               orgs * projects * issues * events};
    for (std::size_t level = tracker_tables::org; level <= tracker_tables::event; ++level) {
        const std::string table = tracker_tables::table(level);
        const winnow::rows left = look.database->execute("SELECT id FROM " + table);
        std::set<std::int64_t> ids;
        for (std::size_t row = 0; row < left.size(); ++row) ids.insert(left.integer(row, 0));
        for (const std::int64_t id : moved_[level])
            EXPECT_EQ(ids.count(id), 1U) << table << " " << id << " was moved away and went all the same";
        EXPECT_EQ(first[level] + inserted_[level] - static_cast<std::int64_t>(ids.size()), gone["tracker." + table])
            << table;
    }
}

}  // namespace
