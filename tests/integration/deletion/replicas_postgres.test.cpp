// SPDX-License-Identifier: Apache-2.0
// Option `deletion.replicas` with a standby that streams, falls behind, catches up and goes.

#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include "integration/deletion/worker.hpp"

namespace {

using namespace winnow_test;
using testing::HasSubstr;
using winnow::deletion_outcome;

/// A standby of the tests' server.
class standby {
public:
    standby() { call("start"); }
    standby(const standby&) = delete;
    standby& operator=(const standby&) = delete;
    ~standby() {
        if (!runs_) return;
        try {
            stop();
        } catch (const std::exception& problem) {
            ADD_FAILURE() << problem.what();
        }
    }
    void stop() {
        runs_ = false;
        call("stop");
    }
    void execute(std::string_view script) const {
        winnow::open_connector("postgresql://postgres@/postgres?host=" + folder_.string(), drivers)
            ->open()
            ->execute_once(script, {});
    }

private:
    void call(const std::string& what) const {
        const char* support = std::getenv("WINNOW_TEST_SUPPORT");
        if (support == nullptr) throw std::runtime_error("run the tests through tests/support/with_postgres");
        const std::string line = std::string(support) + "/standby " + what + " " + folder_.string();
        if (std::system(line.c_str()) != 0) throw std::runtime_error(line + " failed");
    }
    std::filesystem::path folder_ = std::filesystem::temp_directory_path() / unused_name();
    bool runs_ = true;
};

class replicas : public postgres_deletion_test {
protected:
    template <class Condition>
    [[nodiscard]] static bool comes_true(const Condition& condition) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (std::chrono::steady_clock::now() < end) {
            if (condition()) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        return false;
    }
};

TEST_F(replicas, hold_deletions_back_when_they_are_behind_or_gone) {
    make(
        database(),
        "CREATE TABLE limited_parent (id {id});"
        "CREATE TABLE limited_bulk (id {id}, parent_id bigint NOT NULL REFERENCES limited_parent (id));"
        "CREATE TABLE limited_single (id {id}, parent_id bigint NOT NULL REFERENCES limited_parent (id));"
        "CREATE INDEX bulk_parent ON limited_bulk (parent_id); CREATE INDEX single_parent ON limited_single (parent_id);"
        "INSERT INTO limited_parent VALUES (1), (2), (3);");
    standby copy;
    worker some(database(), limited_models());
    some.set("deletion.replicas", "1");
    some.set("deletion.lag_seconds", "2");
    const auto schedule = [&](std::int64_t id) { some.schedule("limited.Parent", id); };
    const auto streams = [&] {
        return database().number("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == 1;
    };
    ASSERT_TRUE(comes_true(streams));
    schedule(1);
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed) << "it streams and keeps up";

    copy.execute("SELECT pg_wal_replay_pause()");
    schedule(2);
    ASSERT_TRUE(comes_true([&] {
        make(database(), "UPDATE limited_parent SET id = 3 WHERE id = 3;");  // something to be behind with
        return database().number("SELECT coalesce(extract(epoch FROM max(replay_lag)), 0)::bigint FROM "
                                 "pg_stat_replication") > 3;
    }));
    const winnow::deletion_report behind = some.run();
    EXPECT_EQ(behind.outcome, deletion_outcome::waiting);
    EXPECT_THAT(behind.detail, HasSubstr("replica lag is "));
    EXPECT_EQ(count("limited_parent"), 2);
    copy.execute("SELECT pg_wal_replay_resume()");
    EXPECT_TRUE(comes_true([&] {
        some.end_waits();
        return some.run().outcome == deletion_outcome::completed;
    })) << "it has caught up";

    copy.stop();
    ASSERT_TRUE(comes_true([&] { return !streams(); }));
    schedule(3);
    const winnow::deletion_report gone = some.run();
    EXPECT_EQ(gone.outcome, deletion_outcome::waiting);
    EXPECT_EQ(gone.detail, "0 of 1 replicas stream; one that has stopped counts as lagging");
    EXPECT_EQ(count("limited_parent"), 1);
}

}  // namespace
