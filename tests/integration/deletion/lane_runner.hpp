// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "laws/observed_connection.hpp"
#include "laws/observed_connector.hpp"
#include "laws/run_tree.hpp"
#include "laws/tracker_tables.hpp"
#include "winnow/store/connection.hpp"

namespace winnow_test {

/// A place where one thread stands still until another lets it go on.
class gate {
public:
    gate() = default;
    gate(const gate&) = delete;
    gate& operator=(const gate&) = delete;
    ~gate() { open(); }

    /// Waits here, unless it was opened before.
    void stand() {
        std::unique_lock guard(mutex_);
        arrived_ = true;
        changed_.notify_all();
        changed_.wait(guard, [&] { return open_; });
    }
    /// Waits until somebody stands here. @return false when nobody came within half a minute
    [[nodiscard]] bool await() {
        std::unique_lock guard(mutex_);
        return changed_.wait_for(guard, std::chrono::seconds(30), [&] { return arrived_; });
    }
    void open() {
        const std::lock_guard guard(mutex_);
        open_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool arrived_ = false;
    bool open_ = false;
};

/// Waits until another session waits for a lock, at most a few seconds.
inline void await_lock_waiter(fresh_database& database) {
    for (int look = 0; look < 400; ++look) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (database.number("SELECT count(*) FROM pg_locks WHERE NOT granted") != 0) return;
    }
}

/// One worker that may have several connections.
struct lane_runner {
    lane_runner(fresh_database& database, winnow::catalog catalog, std::int64_t connections)
        : run(std::make_unique<observed_connection>(database.open()), std::move(catalog)),
          opener(database.connector()),
          count(connections) {}

    [[nodiscard]] winnow::context context() {
        winnow::context with = run.context();
        with.opener = &opener;
        with.connections = count;
        return with;
    }
    /// One pass, in a thread of its own.
    [[nodiscard]] std::future<winnow::deletion_report> start() {
        return std::async(std::launch::async, [this] {
            std::optional<winnow::deletion_report> report = winnow::run_next(context());
            if (!report) throw std::runtime_error("nothing was due");
            return *std::move(report);
        });
    }
    /// The connection of the one that leads.
    [[nodiscard]] observed_connection& lead() { return static_cast<observed_connection&>(*run.database); }

    tree_runner run;
    observed_connector opener;
    std::int64_t count;
};

[[nodiscard]] inline bool deletes_rows(std::string_view statement) { return statement.starts_with("DELETE FROM \""); }
/// The last statement of a lane's chunk before it locks what all share.
[[nodiscard]] inline bool writes_lane(std::string_view statement) {
    return statement.starts_with("UPDATE winnow_cell_deletion_lane");
}

/// Whether the one that leads is not in a transaction: it begins a chunk, or renews its lease while it waits for lanes.
[[nodiscard]] inline bool is_between_chunks(std::string_view statement) {
    return statement == "BEGIN" || statement.starts_with("UPDATE winnow_cell_scheduled_deletion SET lease_expires_at");
}

/// A tracker with organizations to delete, and what is left of it.
class lanes_of_a_tree : public testing::Test {
protected:
    static constexpr std::int64_t projects = 3;
    static constexpr std::int64_t issues = 40;
    static constexpr std::int64_t events = 12;
    static constexpr std::int64_t all_rows = 1 + projects * (1 + issues * (1 + events));  ///< of each organization

    void SetUp() override {
        database_ = make_database(winnow::dialect::postgres);
        const winnow::connection_ptr admin = database_->open();
        install(*admin);
        tracker_tables::create(*admin, true, 2, projects, issues, events);
        tree_runner run(database_->open(), tables_.models());
        run.context().options().set("deletion.connections_from_rows", "0", "test");
        schedule_now(run.context(), run.models.at("tracker.org"), 1);
    }
    [[nodiscard]] fresh_database& database() { return *database_; }
    [[nodiscard]] std::int64_t rows_left() {
        return database_->number(
            "SELECT (SELECT count(*) FROM org) + (SELECT count(*) FROM proj) + (SELECT count(*) FROM issue) + (SELECT count(*) FROM event)");
    }
    /// What the scheduled deletion says is gone.
    [[nodiscard]] std::int64_t rows_told() {
        const winnow::connection_ptr own = database_->open();
        const std::vector<winnow::deletion_request> all = winnow::list_requests(*own, winnow::silo::cell);
        return all.size() == 1 ? all[0].rows_done : -1;
    }
    void expire_lease() {
        database_->run(
            "UPDATE winnow_cell_scheduled_deletion SET lease_expires_at = clock_timestamp() - interval '1 second'");
    }
    /// Runs what is left with one connection.
    void finish() {
        lane_runner last(*database_, tables_.models(), 1);
        const std::optional<winnow::deletion_report> report = winnow::run_next(last.context());
        ASSERT_TRUE(report);
        EXPECT_EQ(winnow::name_of(report->outcome), "completed") << report->detail;
        expect_completed();
    }
    [[nodiscard]] std::int64_t lanes_left() {
        return database_->number("SELECT count(*) FROM winnow_cell_deletion_lane");
    }
    /// The last line of the audit is that of a deletion which removed exactly the tree.
    void expect_completed() {
        tree_runner run(database_->open(), tables_.models());
        const winnow::audit_entry last = winnow::list_audit(*run.database, "", "").back();
        EXPECT_EQ(last.action, "completed");
        EXPECT_EQ(last.rows_done, all_rows);
        const auto part = [](std::string_view table, std::int64_t rows) {
            return "\"tracker." + std::string(table) + "\": " + std::to_string(rows);
        };
        for (const std::string& one : {part("org", 1), part("proj", projects), part("issue", projects * issues),
                                       part("event", projects * issues * events)})
            EXPECT_NE(last.progress.find(one), std::string::npos) << last.progress << " has not " << one;
        EXPECT_EQ(rows_left(), all_rows);
        EXPECT_EQ(orphans(run.context()), "");
        EXPECT_EQ(lanes_left(), 0);
        EXPECT_EQ(database_->number("SELECT count(*) FROM winnow_cell_scheduled_deletion"), 0);
    }

    std::unique_ptr<fresh_database> database_;
    tracker_tables tables_{10, 20, 30};
};

}  // namespace winnow_test
