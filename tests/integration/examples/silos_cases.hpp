// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "program.hpp"
#include "scratch_database.hpp"

/// The error tracker over a control silo and the cells `us` and `de`, worked by its command line alone.
namespace silos_test {

class installation {
public:
    /// @param server URL of a PostgreSQL server; empty: SQLite files
    /// @param more further keys of the configuration, as `, "redis": "…"`
    explicit installation(const std::string& server, const std::string& more = {})
        : control_("silos_control", server), us_("silos_us", server), de_("silos_de", server) {
        config_ = (control_.folder() / "silos.json").string();
        std::ofstream(config_) << R"({"control": ")" << control_.url() << R"(", "cells": {"us": ")" << us_.url()
                               << R"(", "de": ")" << de_.url() << "\"}" << more << "}";
        // The same tables everywhere; those of the other silo stay unused. Written by raw SQL: no message about any row.
        for (const scratch_database* one : {&control_, &us_, &de_}) {
            const program_result made = run_program("tracker", {"--database", one->url(), "generate", "--scale", "0.01",
                                                                "--files", (control_.folder() / "files").string()});
            if (made.exit_code != 0) trouble_ += made.output;
        }
        const program_result migrated = program({"migrate"});
        if (migrated.exit_code != 0) trouble_ += migrated.output;
    }

    [[nodiscard]] const std::string& trouble() const { return trouble_; }
    [[nodiscard]] program_result program(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"--config", config_});
        return run_program("tracker", arguments);
    }
    /// The program, running beside the test.
    [[nodiscard]] std::unique_ptr<running_program> start(std::vector<std::string> arguments) const {
        std::string log = "log";
        for (const std::string& one : arguments) log += "_" + one;
        arguments.insert(arguments.begin(), {"--config", config_});
        return std::make_unique<running_program>("tracker", std::move(arguments), control_.folder() / log);
    }
    [[nodiscard]] const scratch_database& control() const { return control_; }
    [[nodiscard]] const scratch_database& us() const { return us_; }
    [[nodiscard]] const scratch_database& de() const { return de_; }
    [[nodiscard]] static std::int64_t number(const scratch_database& of, std::string_view query) {
        return of.open()->execute_once(query, {}).integer(0, 0);
    }
    static void execute(const scratch_database& of, std::string_view script) { of.open()->execute_script(script); }

private:
    scratch_database control_;
    scratch_database us_;
    scratch_database de_;
    std::string config_;
    std::string trouble_;
};

inline void expect_code(const program_result& result, int code) { EXPECT_EQ(result.exit_code, code) << result.output; }

/// Gate closed, gate open, everything copied; again: nothing.
inline void copies_come_by_backfill(const installation& tracker) {
    const program_result closed = tracker.program({"backfill", "run"});
    expect_code(closed, 0);
    EXPECT_TRUE(closed.says("gate closed")) << closed.output;
    EXPECT_EQ(tracker.number(tracker.us(), "SELECT count(*) FROM winnow_cell_outbox"), 0);
    for (const char* table : {"tracker_organization", "tracker_user"})
        expect_code(tracker.program(
                        {"options", "set", std::string("outbox_replication.") + table + ".replication_version", "1"}),
                    0);
    const program_result run = tracker.program({"backfill", "run", "--until-done"});
    expect_code(run, 0);
    EXPECT_TRUE(run.says("control:") && run.says("cell us:") && run.says("cell de:")) << run.output;
    EXPECT_EQ(tracker.number(tracker.us(), "SELECT count(*) FROM winnow_cell_outbox"), 3);
    EXPECT_EQ(tracker.number(tracker.control(), "SELECT count(*) FROM winnow_control_outbox"), 80)
        << "40 people, 2 cells";
    const program_result waiting = tracker.program({"outbox", "status"});
    EXPECT_TRUE(waiting.says("3 messages in 3 shards, 3 due")) << waiting.output;
    expect_code(tracker.program({"outbox", "drain"}), 0);
    EXPECT_EQ(tracker.number(tracker.control(), "SELECT count(*) FROM tracker_organizationmapping"), 6);
    EXPECT_EQ(tracker.number(tracker.control(), "SELECT count(*) FROM tracker_organizationmapping WHERE cell = 'us'"),
              3);
    EXPECT_EQ(tracker.number(tracker.us(), "SELECT count(*) FROM tracker_usercopy"), 40);
    EXPECT_EQ(tracker.number(tracker.de(), "SELECT count(*) FROM tracker_usercopy"), 40);
    const program_result again = tracker.program({"backfill", "run"});
    EXPECT_TRUE(again.says("version 1 is complete")) << again.output;
    EXPECT_EQ(tracker.number(tracker.us(), "SELECT count(*) FROM winnow_cell_outbox"), 0);
    const program_result status = tracker.program({"backfill", "status", "--json"});
    expect_code(status, 0);
    EXPECT_TRUE(status.says("\"cell us\"") && status.says("\"state\": \"complete\"")) << status.output;
}

/// A person and an organization go, each from the silo that it lives in, and what depends on them in the others.
inline void deletions_cross_silos(const installation& tracker) {
    copies_come_by_backfill(tracker);
    const std::int64_t person = tracker.number(tracker.us(), "SELECT min(user_id) FROM tracker_organizationmember");
    const std::string of = " WHERE user_id = " + std::to_string(person);
    ASSERT_GT(tracker.number(tracker.us(), "SELECT count(*) FROM tracker_organizationmember" + of), 0);
    tracker.execute(tracker.control(),
                    "UPDATE tracker_user SET is_active = FALSE WHERE id = " + std::to_string(person));
    expect_code(tracker.program({"schedule", "tracker.User", std::to_string(person), "--in", "0d", "--yes"}), 0);
    const program_result which = tracker.program({"schedule", "tracker.Organization", "2", "--in", "0d", "--yes"});
    expect_code(which, 2);
    EXPECT_TRUE(which.says("lives in the cells, and there are several") && which.says("--cell")) << which.output;
    expect_code(tracker.program({"--cell", "de", "schedule", "tracker.Organization", "2", "--in", "0d", "--yes"}), 0);
    expect_code(tracker.program({"deletions", "run"}), 0);
    expect_code(tracker.program({"outbox", "drain"}), 0);
    EXPECT_EQ(tracker.number(tracker.control(), "SELECT count(*) FROM tracker_organizationmapping WHERE cell = 'de'"),
              2);
    EXPECT_EQ(tracker.number(tracker.control(), "SELECT count(*) FROM tracker_organizationmapping WHERE cell = 'us'"),
              3);
    EXPECT_EQ(tracker.number(tracker.us(), "SELECT count(*) FROM tracker_usercopy"), 39);

    expect_code(tracker.program({"tombstones", "run"}), 0);
    expect_code(tracker.program({"deletions", "run", "--until-idle"}), 0);
    expect_code(tracker.program({"tombstones", "run"}), 0);
    for (const scratch_database* cell : {&tracker.us(), &tracker.de()}) {
        EXPECT_EQ(tracker.number(*cell, "SELECT count(*) FROM tracker_organizationmember" + of), 0);
        EXPECT_EQ(tracker.number(*cell, "SELECT count(*) FROM tracker_groupsubscription" + of), 0);
        EXPECT_EQ(tracker.number(*cell, "SELECT count(*) FROM tracker_activity" + of), 0);
    }
    const program_result check = tracker.program({"check"});
    expect_code(check, 0);
    EXPECT_TRUE(tracker.program({"deletions", "orphans"}).says("0 orphans"));
}

/// What cannot be delivered is named, stays, and goes on when its cause is gone.
inline void a_broken_copy_is_named_and_replayed(const installation& tracker) {
    for (const char* table : {"tracker_organization", "tracker_user"})
        expect_code(tracker.program(
                        {"options", "set", std::string("outbox_replication.") + table + ".replication_version", "1"}),
                    0);
    expect_code(tracker.program({"options", "set", "outbox.attempts", "1"}), 0);
    expect_code(tracker.program({"backfill", "run", "--until-done"}), 0);
    tracker.execute(tracker.control(), "ALTER TABLE tracker_organizationmapping RENAME COLUMN slug TO slug_of_old");
    const program_result failed = tracker.program({"outbox", "drain"});
    expect_code(failed, 1);
    EXPECT_TRUE(failed.says("organization_update") && failed.says("slug")) << failed.output;
    EXPECT_EQ(tracker.number(tracker.us(), "SELECT count(*) FROM tracker_usercopy"), 40) << "the rest goes on";
    const program_result dead = tracker.program({"outbox", "dead"});
    EXPECT_TRUE(dead.says("organization_update") && dead.says("slug")) << dead.output;
    EXPECT_EQ(tracker.number(tracker.us(), "SELECT count(*) FROM winnow_cell_outbox WHERE dead_at IS NOT NULL"), 3);
    const program_result check = tracker.program({"check"});
    expect_code(check, 1);
    EXPECT_TRUE(check.says("slug")) << check.output;

    tracker.execute(tracker.control(), "ALTER TABLE tracker_organizationmapping RENAME COLUMN slug_of_old TO slug");
    for (const char* cell : {"us", "de"}) {
        const program_result replayed =
            tracker.program({"--silo-mode", "cell", "--cell", cell, "outbox", "replay", "--all"});
        EXPECT_TRUE(replayed.says("3 messages are due again")) << replayed.output;
    }
    expect_code(tracker.program({"outbox", "drain"}), 0);
    EXPECT_EQ(tracker.number(tracker.control(), "SELECT count(*) FROM tracker_organizationmapping"), 6);
}

inline void upgrade_fills_every_copy(const installation& own) {
    const program_result done = own.program({"upgrade"});
    expect_code(done, 0);
    EXPECT_TRUE(done.says("rows/s") && done.says("everything is backfilled")) << done.output;
    EXPECT_EQ(own.number(own.control(), "SELECT count(*) FROM tracker_organizationmapping"), 6);
    EXPECT_EQ(own.number(own.us(), "SELECT count(*) FROM tracker_usercopy"), 40);
    EXPECT_EQ(own.number(own.de(), "SELECT count(*) FROM tracker_usercopy"), 40);
}

/// Workers do by themselves what `deletions_cross_silos` does by hand. @param lines command lines, of one worker each
inline void workers_do_it_by_themselves(const installation& tracker,
                                        const std::vector<std::vector<std::string>>& lines) {
    for (const char* table : {"tracker_organization", "tracker_user"})
        expect_code(tracker.program(
                        {"options", "set", std::string("outbox_replication.") + table + ".replication_version", "1"}),
                    0);
    for (const char* job : {"run_scheduled_deletions", "enqueue_outbox_jobs", "work_off_tombstones"})
        expect_code(tracker.program({"options", "set", std::string("job.") + job + ".interval_seconds", "1"}), 0);
    const std::int64_t person = tracker.number(tracker.us(), "SELECT min(user_id) FROM tracker_organizationmember");
    const std::string of = " WHERE user_id = " + std::to_string(person);
    std::vector<std::unique_ptr<running_program>> workers;
    for (const std::vector<std::string>& line : lines) workers.push_back(tracker.start(line));
    const auto said = [&] {
        std::string text;
        for (const auto& one : workers) text += one->log() + "\n";
        return text;
    };
    const auto comes = [](const auto& condition) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(90);
        while (!condition() && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return condition();
    };
    const auto is = [](const scratch_database& where, const std::string& query, std::int64_t wanted) {
        return installation::number(where, query) == wanted;
    };
    const std::string mapped = "SELECT count(*) FROM tracker_organizationmapping WHERE cell = ";
    const std::string people = "SELECT count(*) FROM tracker_usercopy";
    EXPECT_TRUE(comes([&] {
        return is(tracker.control(), mapped + "'us'", 3) && is(tracker.control(), mapped + "'de'", 3) &&
               is(tracker.us(), people, 40) && is(tracker.de(), people, 40);
    })) << "backfilled and delivered: "
        << said();

    // Both ways: from the control silo to the cells, and from a cell to the control silo.
    tracker.execute(tracker.control(),
                    "UPDATE tracker_user SET is_active = FALSE WHERE id = " + std::to_string(person));
    expect_code(tracker.program({"schedule", "tracker.User", std::to_string(person), "--in", "0d", "--yes"}), 0);
    expect_code(tracker.program({"--cell", "de", "schedule", "tracker.Organization", "2", "--in", "0d", "--yes"}), 0);
    EXPECT_TRUE(comes([&] {
        return is(tracker.control(), mapped + "'us'", 3) && is(tracker.control(), mapped + "'de'", 2) &&
               is(tracker.us(), people, 39) && is(tracker.de(), people, 39);
    })) << "deleted, and their copies: "
        << said();
    for (const scratch_database* cell : {&tracker.us(), &tracker.de()})
        for (const char* table : {"tracker_organizationmember", "tracker_groupsubscription", "tracker_activity"})
            EXPECT_TRUE(comes([&] { return is(*cell, "SELECT count(*) FROM " + std::string(table) + of, 0); }))
                << table << ": " << said();
    EXPECT_TRUE(comes([&] {
        return is(tracker.control(), "SELECT count(*) FROM winnow_control_outbox", 0) &&
               is(tracker.us(), "SELECT count(*) FROM winnow_cell_outbox", 0) &&
               is(tracker.de(), "SELECT count(*) FROM winnow_cell_outbox", 0) &&
               is(tracker.control(), "SELECT count(*) FROM winnow_control_scheduled_deletion", 0) &&
               is(tracker.us(), "SELECT count(*) FROM winnow_cell_scheduled_deletion", 0) &&
               is(tracker.de(), "SELECT count(*) FROM winnow_cell_scheduled_deletion", 0);
    })) << said();
    for (const auto& one : workers) one->signal(SIGTERM);
    for (const auto& one : workers) EXPECT_EQ(one->wait(), 0) << one->log();
    EXPECT_TRUE(is(tracker.us(), "SELECT count(*) FROM tracker_organization", 3)) << "of another cell";
    EXPECT_TRUE(is(tracker.de(), "SELECT count(*) FROM tracker_organization", 2));
    EXPECT_TRUE(tracker.program({"deletions", "orphans"}).says("0 orphans"));
}

}  // namespace silos_test
