// SPDX-License-Identifier: Apache-2.0
// Field cases about live traffic, size and connections.

#include <atomic>
#include <fstream>
#include <thread>

#include "integration/deletion/worker.hpp"
#include "winnow/store/pool.hpp"
#include "winnow/store/transaction.hpp"

namespace {

using namespace winnow_test;
using winnow::deletion_outcome;

TEST_P(field_cases, A_11_children_arrive_while_the_parent_goes) {
    make_field_tables(database());
    fill_field(database(), {.orgs = 2, .projs = 2, .issues = 100, .events = 5});
    std::atomic<bool> started{false};
    std::thread writer([&] {
        const winnow::connection_ptr own = database().open();
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
        started = true;
        for (std::int64_t id = 100'000; std::chrono::steady_clock::now() < end; ++id) {
            try {
                (void)own->execute("INSERT INTO event VALUES ($1, 150)", {id});
            } catch (const winnow::error&) {
                continue;  // the parent is gone, or about to go
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    while (!started) std::this_thread::yield();
    worker some(database(), field_models());
    some.real_time = true;
    some.schedule("field.Org", one);
    std::optional<winnow::deletion_report> report = some.run_all();
    writer.join();
    // What the writer held up goes once it has stopped.
    if (report && report->outcome == deletion_outcome::waiting) {
        some.end_waits();
        report = some.run_all();
    }
    ASSERT_TRUE(report);
    EXPECT_EQ(report->outcome, deletion_outcome::completed) << report->detail;
    EXPECT_EQ(field_orphans(database()), 0);
    EXPECT_EQ(left_of_org(database(), {.orgs = 2, .projs = 2, .issues = 100, .events = 5}, 1), 0);
    EXPECT_EQ(database().number("SELECT count(*) FROM event WHERE issue_id = 150"), 0);
    EXPECT_THROW((void)some.database->execute("INSERT INTO event VALUES (1, 150)"), winnow::error)
        << "the parent is gone";
    EXPECT_EQ(count("issue"), 200);
}

TEST_P(field_cases, A_13_no_deadlock_reaches_the_caller) {
    // SQLite has one writer and no deadlocks; a few rounds show that the waits end.
    const std::int64_t rounds = GetParam() == dialect::postgres ? 200 : 30;
    make(database(), "CREATE TABLE leftside (id {id}); CREATE TABLE rightside (id {id});"
                     "CREATE TABLE link (id {id}, left_id bigint NOT NULL REFERENCES leftside (id), "
                     "right_id bigint NOT NULL REFERENCES rightside (id));"
                     "CREATE TABLE link_note (id {id}, link_id bigint NOT NULL REFERENCES link (id) ON DELETE CASCADE);"
                     "CREATE INDEX link_left ON link (left_id); CREATE INDEX link_right ON link (right_id);"
                     "CREATE INDEX link_note_link ON link_note (link_id);");
    {
        const winnow::connection_ptr to = database().open();
        fill(*to, "leftside", rounds, [](std::int64_t i) { return list(i); });
        fill(*to, "rightside", rounds, [](std::int64_t i) { return list(i); });
        // Each pair shares ten links; the right side reaches them in the opposite order of their ids.
        fill(*to, "link", rounds * 10, [](std::int64_t i) { return list(i, (i - 1) / 10 + 1, (i - 1) / 10 + 1); });
        fill(*to, "link_note", rounds * 20, [](std::int64_t i) { return list(i, (i - 1) / 2 + 1); });
    }
    std::atomic<int> ready{0};
    std::atomic<std::int64_t> completed{0};
    std::string faults[2];
    const auto work = [&](std::size_t which, std::string_view key) {
        worker own(database(), pair_models());
        own.real_time = true;
        ++ready;
        while (ready < 2) std::this_thread::yield();
        for (std::int64_t round = 1; round <= rounds; ++round) {
            try {
                const std::int64_t id = which == 0 ? round : round % 2 == 0 ? round - 1 : std::min(round + 1, rounds);
                completed += own.exec_sync(key, id).outcome == deletion_outcome::completed ? 1 : 0;
            } catch (const std::exception& problem) {
                faults[which] += std::string(problem.what()) + "\n";
            }
        }
    };
    std::thread other([&] { work(1, "pair.Right"); });
    work(0, "pair.Left");
    other.join();
    EXPECT_EQ(faults[0] + faults[1], "");
    EXPECT_EQ(completed, 2 * rounds);
    EXPECT_EQ(count("link") + count("link_note") + count("leftside") + count("rightside"), 0);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WINNOW_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WINNOW_TEST_SANITIZED 1
#endif
#endif
#ifdef WINNOW_TEST_SANITIZED
constexpr double memory_bound = 512;  // a sanitizer keeps what was freed
#else
constexpr double memory_bound = 64;
#endif

/// Peak memory of this process since the last reset, in MiB.
double peak_memory(bool reset) {
    if (reset) std::ofstream("/proc/self/clear_refs") << 5;
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
    return -1;
}

TEST_P(field_cases, A_17_memory_does_not_grow_with_the_cascade) {
    constexpr std::int64_t children = 400'000;
    make_field_tables(database());
    make(database(), "INSERT INTO org VALUES (1, 0); INSERT INTO proj VALUES (1, 1); INSERT INTO issue VALUES (1, 1);");
    make(database(),
         GetParam() == dialect::postgres
             ? "INSERT INTO event SELECT n, 1 FROM generate_series(1, 400000) AS n;"
             : "INSERT INTO event WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 400000) "
               "SELECT n, 1 FROM s;");
    worker some(database(), field_models());
    some.real_time = true;
    some.schedule("field.Org", one);
    const double idle = peak_memory(true);
    ASSERT_GT(idle, 0);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(report.rows, children + 3);
    EXPECT_LT(peak_memory(false) - idle, memory_bound);
    for (const std::int64_t rows : some.watch.chunks) EXPECT_LE(rows, 10'001);
}

TEST_P(field_cases, A_40_a_fresh_connection_enforces_foreign_keys) {
    make_hooked(database(), 2, 3, "ON DELETE CASCADE");
    winnow::connection_pool pool(database().connector(), 1);
    {
        const winnow::connection_lease first = pool.acquire();
        (void)first->execute("SELECT count(*) FROM parent");
    }
    pool.close_idle();  // the pool has to open another one
    const winnow::connection_lease fresh = pool.acquire();
    (void)fresh->execute("DELETE FROM parent WHERE id = 1");
    EXPECT_EQ(count("child"), 3);
    EXPECT_EQ(database().number("SELECT count(*) FROM child WHERE parent_id = 1"), 0) << "no orphans";
    if (GetParam() == dialect::sqlite) {
        EXPECT_EQ(fresh->execute("PRAGMA foreign_keys").integer(0, 0), 1);
    }
}

TEST_P(field_cases, A_41_readers_that_become_writers_wait) {
    make(database(), "CREATE TABLE counter (id {id}, n bigint NOT NULL); INSERT INTO counter VALUES (1, 0);");
    constexpr int rounds = 500;
    std::string faults[2];
    const auto work = [&](std::size_t which) {
        const winnow::connection_ptr own = database().open();
        for (int round = 0; round < rounds; ++round) {
            try {
                winnow::transaction scope(*own);
                const std::int64_t n =
                    own->execute(winnow::dialect_text{"SELECT n FROM counter WHERE id = 1 FOR UPDATE",
                                                      "SELECT n FROM counter WHERE id = 1"})
                        .integer(0, 0);
                (void)own->execute("UPDATE counter SET n = $1 WHERE id = 1", {n + 1});
                scope.commit();
            } catch (const std::exception& problem) {
                faults[which] += std::string(problem.what()) + "\n";
            }
        }
    };
    std::thread other([&] { work(1); });
    work(0);
    other.join();
    EXPECT_EQ(faults[0] + faults[1], "");
    EXPECT_EQ(database().number("SELECT n FROM counter"), 2 * rounds);
}

}  // namespace
