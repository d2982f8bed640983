// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "integration/deletion/catalogs.hpp"
#include "integration/deletion/schema.hpp"
#include "winnow/context/context.hpp"
#include "winnow/deletion/audit.hpp"
#include "winnow/deletion/control.hpp"
#include "winnow/deletion/run.hpp"
#include "winnow/deletion/schedule.hpp"
#include "winnow/store/own_tables.hpp"

namespace winnow_test {

/// A clock that moves only when it is told to, when somebody sleeps, and by `each_look` whenever it is read.
class test_clock final : public winnow::clock {
public:
    [[nodiscard]] duration now() override { return now_ += each_look; }
    void sleep(duration how_long) override {
        now_ += how_long;
        slept += how_long;
        if (on_sleep) on_sleep();
    }
    void advance(duration by) { now_ += by; }

    duration each_look{0};
    duration slept{0};
    std::function<void()> on_sleep;

private:
    duration now_{1};
};

/// Keeps what it is told.
class recorder final : public winnow::observer {
public:
    struct line {
        std::string message;
        std::vector<std::pair<std::string, std::string>> labels;

        [[nodiscard]] std::string label(std::string_view name) const {
            for (const auto& [key, text] : labels)
                if (key == name) return text;
            return {};
        }
    };

    void log(winnow::log_level, std::string_view message, std::initializer_list<winnow::label> labels) override {
        line& one = lines.emplace_back(line{std::string(message), {}});
        for (const winnow::label& each : labels) one.labels.emplace_back(each.name, each.text);
    }
    void progress(const winnow::deletion_progress& now) override {
        chunks.push_back(now.rows_done - (chunks.empty() ? 0 : rows_done));
        rows_done = now.rows_done;
        if (on_progress) on_progress(now);
    }
    void pending_delete(std::string_view, std::string_view, std::string_view) override { ++pending; }

    [[nodiscard]] std::int64_t times(std::string_view message) const {
        std::int64_t found = 0;
        for (const line& one : lines) found += one.message == message ? 1 : 0;
        return found;
    }

    std::vector<line> lines;
    std::vector<std::int64_t> chunks;  ///< rows that went between two reports
    std::int64_t rows_done = 0;
    int pending = 0;
    std::function<void(const winnow::deletion_progress&)> on_progress;
};

/// Due at once.
[[nodiscard]] inline winnow::schedule_options at_once() {
    winnow::schedule_options how;
    how.days = 0;
    how.permit = winnow::permit_purge;
    return how;
}

/// The id that most tests give to what they delete.
inline const winnow::value one = std::int64_t{1};

/// One process that deletes: a connection of its own, a clock and an observer.
class worker {
public:
    worker(const fresh_database& where, const winnow::catalog& models) : worker(where.open(), models) {}
    worker(winnow::connection_ptr opened, const winnow::catalog& models)
        : database(std::move(opened)), models_(&models) {}

    /// What the functions of winnow take; valid as long as the worker.
    [[nodiscard]] const winnow::context& with() {
        context_.emplace(winnow::context{*models_, *database, real_time ? static_cast<winnow::clock&>(steady) : time,
                                         watch, mode, actor, relocated});
        return *context_;
    }
    [[nodiscard]] std::size_t model(std::string_view key) const { return models_->at(key); }

    winnow::scheduled_deletion schedule(std::string_view key, const winnow::value& id,
                                        const winnow::schedule_options& how = at_once()) {
        return winnow::schedule(with(), model(key), {&id, 1}, how);
    }
    winnow::cancel_result cancel(std::string_view key, const winnow::value& id) {
        return winnow::cancel(with(), model(key), {&id, 1});
    }
    bool pause(std::string_view key, const winnow::value& id) { return winnow::pause(with(), model(key), {&id, 1}); }
    bool resume(std::string_view key, const winnow::value& id) { return winnow::resume(with(), model(key), {&id, 1}); }
    bool confirm(std::string_view key, const winnow::value& id) {
        return winnow::confirm(with(), model(key), {&id, 1});
    }
    bool retry(std::string_view key, const winnow::value& id) { return winnow::retry(with(), model(key), {&id, 1}); }
    winnow::deletion_report exec_sync(std::string_view key, const winnow::value& id,
                                      const winnow::schedule_options& how = {}) {
        return winnow::exec_sync(with(), model(key), {&id, 1}, how);
    }
    [[nodiscard]] std::optional<winnow::deletion_request> claim(std::string_view guid = {}) {
        return winnow::claim_deletion(with(), winnow::silo::cell, guid);
    }
    [[nodiscard]] std::optional<winnow::deletion_report> run_next() { return winnow::run_next(with()); }
    /// Runs the one deletion that must be due.
    [[nodiscard]] winnow::deletion_report run() {
        std::optional<winnow::deletion_report> report = run_next();
        if (report) return *report;
        ADD_FAILURE() << "nothing was due";
        return {winnow::deletion_outcome::failed, "", "", "", "nothing was due", 0, {}, 0};
    }
    /// The same, again and again while it waits for transactions that were open when its rows went. On PostgreSQL
    /// these may be those of other tests on the same server (R20).
    [[nodiscard]] winnow::deletion_report run_to_end() {
        time.on_sleep = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
        winnow::deletion_report report = run();
        for (int pass = 0; pass < 1'000 && report.detail.starts_with("waiting for transactions"); ++pass) {
            end_waits();
            report = run();
        }
        time.on_sleep = nullptr;
        return report;
    }
    /// Runs whatever is due until nothing is; the last report, if there was any.
    [[nodiscard]] std::optional<winnow::deletion_report> run_all(std::int64_t most = 10'000) {
        const std::vector<winnow::deletion_report> all = winnow::run_scheduled_deletions(with(), most);
        return all.empty() ? std::nullopt : std::optional(all.back());
    }

    void set(std::string_view option, std::string_view to) { with().options().set(option, to, "test"); }
    [[nodiscard]] std::vector<winnow::deletion_request> requests(const winnow::request_filter& only = {}) {
        return winnow::list_requests(*database, winnow::silo::cell, only);
    }
    /// The one scheduled deletion that must be there.
    [[nodiscard]] winnow::deletion_request request() {
        const std::vector<winnow::deletion_request> all = requests();
        EXPECT_EQ(all.size(), 1U);
        return all.empty() ? winnow::deletion_request{} : all.front();
    }
    /// Ends every wait, as if its time had passed.
    void end_waits() {
        (void)database->execute_once("UPDATE winnow_cell_scheduled_deletion SET wait_until = NULL", {});
    }
    /// Lets every lease run out, as if its worker had been silent long enough.
    void let_leases_run_out() {
        (void)database->execute_once(
            "UPDATE winnow_cell_scheduled_deletion SET lease_expires_at = date_added WHERE in_progress", {});
    }
    /// Actions in the audit of one object, oldest first, separated by blanks.
    [[nodiscard]] std::string audit(std::string_view key = {}, std::string_view object_id = {}) {
        std::string text;
        for (const winnow::audit_entry& entry : winnow::list_audit(*database, key, object_id))
            text += (text.empty() ? "" : " ") + entry.action;
        return text;
    }

    winnow::connection_ptr database;
    test_clock time;
    winnow::steady_clock steady;
    recorder watch;
    bool real_time = false;
    winnow::silo_mode mode = winnow::silo_mode::monolith;
    std::string_view actor = "tester";
    std::span<const winnow::relocation> relocated;

private:
    const winnow::catalog* models_;
    std::optional<winnow::context> context_;
};

/// A test with an empty database that has winnow's own tables.
class deletion_test : public on_every_database {
protected:
    void SetUp() override {
        on_every_database::SetUp();
        spy() = {};
        winnow::migrate(*database().open());
    }
    void TearDown() override { spy() = {}; }
    [[nodiscard]] std::int64_t count(std::string_view table) const {
        return database().number("SELECT count(*) FROM " + std::string(table));
    }
};

/// The same on PostgreSQL only.
class postgres_deletion_test : public testing::Test {
protected:
    void SetUp() override {
        spy() = {};
        winnow::migrate(*database_.open());
    }
    void TearDown() override { spy() = {}; }
    [[nodiscard]] const fresh_postgres& database() const { return database_; }
    [[nodiscard]] std::int64_t count(std::string_view table) const {
        return database().number("SELECT count(*) FROM " + std::string(table));
    }

private:
    fresh_postgres database_;
};

/// Tests of the field cases, each named after its number.
class field_cases : public deletion_test {};

}  // namespace winnow_test
