// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dump.hpp"
#include "program.hpp"
#include "scratch_database.hpp"

/// What the error tracker must do, whatever the database. Each function is one test.
namespace tracker_test {

/// A small error tracker in a database of its own: organizations 1 to 3, users, attachment files.
class store {
public:
    explicit store(const std::string& server = {}, std::string_view seed = "1")
        : scratch_("tracker_" + std::string(seed), server) {
        ::setenv("TRACKER_FILES", (scratch_.folder() / "attachments").c_str(), 1);
        generated_ = program({"generate", "--scale", "0.03", "--seed", std::string(seed)});
        migrated_ = program({"migrate"});
    }

    [[nodiscard]] bool ready() const { return generated_.exit_code == 0 && migrated_.exit_code == 0; }
    [[nodiscard]] std::string trouble() const { return generated_.output + migrated_.output; }
    [[nodiscard]] std::string url() const { return scratch_.url(); }

    [[nodiscard]] program_result program(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"--database", scratch_.url()});
        return run_program("tracker", arguments);
    }
    /// Schedules without grace and runs what is due.
    [[nodiscard]] program_result erase(const std::string& key, const std::string& id) const {
        const program_result scheduled = program({"schedule", key, id, "--in", "0d", "--yes"});
        if (scheduled.exit_code != 0) return scheduled;
        return program({"deletions", "run"});
    }

    [[nodiscard]] std::int64_t number(std::string_view query) const {
        return scratch_.open()->execute_once(query, {}).integer(0, 0);
    }
    void execute(std::string_view script) const { scratch_.open()->execute_script(script); }
    [[nodiscard]] std::int64_t files() const {
        std::int64_t count = 0;
        for ([[maybe_unused]] const auto& entry :
             std::filesystem::directory_iterator(scratch_.folder() / "attachments"))
            ++count;
        return count;
    }

    /// Every row of the tracker's tables for which the table's condition in `without` does not hold.
    [[nodiscard]] database_dump dump(const std::map<std::string, std::string>& without = {}) const {
        const winnow::connection_ptr database = scratch_.open();
        const winnow::rows names = database->execute_once(
            database->kind() == winnow::dialect::sqlite
                ? "SELECT name FROM sqlite_master WHERE type = 'table' AND (name = 'group' OR name LIKE 'tracker%')"
                : "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND (tablename = 'group' OR tablename LIKE 'tracker%')",
            {});
        database_dump all;
        for (std::size_t row = 0; row < names.size(); ++row) {
            const std::string table = names.text(row, 0);
            std::string query = "SELECT * FROM \"" + table + "\"";
            if (const auto found = without.find(table); found != without.end())
                query += " WHERE NOT coalesce(" + found->second + ", FALSE)";
            all[table] = lines_of(*database, query + " ORDER BY 1, 2");
        }
        return all;
    }

private:
    scratch_database scratch_;
    program_result generated_;
    program_result migrated_;
};

inline void expect_same(const database_dump& now, const database_dump& wanted, const std::string& output) {
    for (const auto& [table, rows] : wanted) {
        const auto found = now.find(table);
        ASSERT_NE(found, now.end()) << table;
        EXPECT_EQ(found->second.size(), rows.size()) << table << "\n" << output;
        EXPECT_TRUE(found->second == rows) << "other rows of " << table << " changed\n" << output;
    }
    EXPECT_EQ(now.size(), wanted.size());
}

inline void models_fit_the_schema(const store& tracker) {
    const program_result check = tracker.program({"check"});
    EXPECT_EQ(check.exit_code, 0) << check.output;
    const program_result orphans = tracker.program({"deletions", "orphans"});
    EXPECT_EQ(orphans.exit_code, 0) << orphans.output;
    EXPECT_TRUE(orphans.says("0 orphans")) << orphans.output;
}

inline void project_goes_and_nothing_else(const store& tracker) {
    const std::string groups = "(SELECT id FROM \"group\" WHERE project_id = 2)";
    std::map<std::string, std::string> goes = {
        {"tracker_project", "id = 2"},
        {"tracker_comment", "group_id IN " + groups},
        {"tracker_groupassignee", "group_id IN " + groups},
        {"tracker_groupsubscription", "group_id IN " + groups},
        {"tracker_monitorcheckin", "monitor_id IN (SELECT id FROM tracker_monitor WHERE project_id = 2)"},
        {"tracker_bookmark",
         "(target_kind = 1 AND target_id = 2) OR (target_kind = 2 AND target_id IN " + groups + ")"},
    };
    for (const char* table :
         {"group", "tracker_event", "tracker_attachment", "tracker_userreport", "tracker_activity", "tracker_grouphash",
          "tracker_monitor", "tracker_releaseproject", "tracker_environmentproject", "tracker_projectteam",
          "tracker_projectkey", "tracker_projectoption"}) {
        goes[table] = "project_id = 2";
    }
    // Bookmarks of other things that have the same number as the project: they must stay.
    tracker.execute(
        "INSERT INTO tracker_bookmark (organization_member_id, target_kind, target_id, created_at) VALUES "
        "(1, 1, 2, '2026-01-01 00:00:00'), (1, 3, 2, '2026-01-01 00:00:00'), (1, 4, 2, '2026-01-01 00:00:00');");
    const database_dump wanted = tracker.dump(goes);
    const std::int64_t attachments = tracker.number("SELECT count(*) FROM tracker_attachment WHERE project_id = 2");
    const std::int64_t files = tracker.files();
    ASSERT_GT(attachments, 0);
    const program_result run = tracker.erase("tracker.Project", "2");
    EXPECT_EQ(run.exit_code, 0) << run.output;
    expect_same(tracker.dump(), wanted, run.output);
    EXPECT_EQ(tracker.files(), files - attachments);
}

inline void team_goes_and_references_become_null(const store& tracker) {
    ASSERT_EQ(tracker.number("SELECT count(*) FROM tracker_organization WHERE default_team_id = 1"), 1);
    ASSERT_GT(tracker.number("SELECT count(*) FROM tracker_groupassignee WHERE team_id = 1") +
                  tracker.number("SELECT count(*) FROM tracker_alertrule WHERE team_id = 1"),
              0);
    database_dump wanted = tracker.dump(
        {{"tracker_team", "id = 1"}, {"tracker_teammember", "team_id = 1"}, {"tracker_projectteam", "team_id = 1"}});
    const std::int64_t assignees = tracker.number("SELECT count(*) FROM tracker_groupassignee");
    const std::int64_t rules = tracker.number("SELECT count(*) FROM tracker_alertrule");
    const program_result run = tracker.erase("tracker.Team", "1");
    EXPECT_EQ(run.exit_code, 0) << run.output;
    database_dump now = tracker.dump();
    for (const char* nulled : {"tracker_organization", "tracker_groupassignee", "tracker_alertrule"}) {
        now.erase(nulled);
        wanted.erase(nulled);
    }
    expect_same(now, wanted, run.output);
    EXPECT_EQ(tracker.number("SELECT count(*) FROM tracker_organization"), 3);
    EXPECT_EQ(tracker.number("SELECT count(*) FROM tracker_groupassignee"), assignees);
    EXPECT_EQ(tracker.number("SELECT count(*) FROM tracker_alertrule"), rules);
    EXPECT_EQ(tracker.number("SELECT count(*) FROM tracker_organization WHERE default_team_id = 1"), 0);
    EXPECT_EQ(tracker.number("SELECT count(*) FROM tracker_groupassignee WHERE team_id = 1"), 0);
    EXPECT_EQ(tracker.number("SELECT count(*) FROM tracker_alertrule WHERE team_id = 1"), 0);
}

inline void comment_takes_its_answers(const store& tracker) {
    const std::string below = "(WITH RECURSIVE t(id) AS (SELECT id FROM tracker_comment WHERE id = 1 UNION ALL "
                              "SELECT c.id FROM tracker_comment c JOIN t ON c.parent_id = t.id) SELECT id FROM t)";
    ASSERT_GT(tracker.number("SELECT count(*) FROM tracker_comment WHERE id IN " + below), 2);
    const database_dump wanted = tracker.dump({{"tracker_comment", "id IN " + below}});
    const program_result run = tracker.erase("tracker.Comment", "1");
    EXPECT_EQ(run.exit_code, 0) << run.output;
    expect_same(tracker.dump(), wanted, run.output);
}

inline void text_and_uuid_keys_are_named_on_the_command_line(const store& tracker) {
    const winnow::connection_ptr database = open_database(tracker.url());
    const std::string version = database->execute_once("SELECT min(version) FROM tracker_release", {}).text(0, 0);
    const std::string guid =
        database->execute_once("SELECT min(CAST(guid AS text)) FROM tracker_monitorcheckin", {}).text(0, 0);
    const std::string quoted = "'" + version + "'";
    const std::int64_t groups = tracker.number("SELECT count(*) FROM \"group\"");
    const std::map<std::string, std::string> goes = {
        {"tracker_release", "version = " + quoted},
        {"tracker_releaseproject", "release_version = " + quoted},
        {"tracker_releasefile", "release_version = " + quoted},
        {"tracker_deploy", "release_version = " + quoted},
        {"tracker_monitorcheckin", "CAST(guid AS text) = '" + guid + "'"},
        {"tracker_projectoption", "project_id = 1 AND name = 'retention:days'"}};
    database_dump wanted = tracker.dump(goes);
    wanted.erase("group");
    for (const auto& [key, id] : std::map<std::string, std::string>{{"tracker.Release", version},
                                                                    {"tracker.MonitorCheckin", guid},
                                                                    {"tracker.ProjectOption", "1,retention:days"}}) {
        const program_result run = tracker.erase(key, id);
        EXPECT_EQ(run.exit_code, 0) << key << " " << id << "\n" << run.output;
    }
    database_dump now = tracker.dump();
    now.erase("group");
    expect_same(now, wanted, "");
    EXPECT_EQ(tracker.number("SELECT count(*) FROM \"group\""), groups);
    EXPECT_EQ(tracker.number("SELECT count(*) FROM \"group\" WHERE first_release_version = " + quoted), 0);
}

inline void legal_hold_forbids(const store& tracker) {
    database_dump before = tracker.dump();
    const program_result run = tracker.erase("tracker.Organization", "3");
    EXPECT_EQ(run.exit_code, 1) << run.output;
    EXPECT_TRUE(run.says("tracker_legalhold")) << run.output;
    EXPECT_TRUE(run.says("1 row")) << run.output;
    database_dump now = tracker.dump();
    // Scheduling marks the organization; no row is gone.
    EXPECT_EQ(now["tracker_organization"].size(), before["tracker_organization"].size());
    now.erase("tracker_organization");
    before.erase("tracker_organization");
    expect_same(now, before, run.output);
}

inline void active_user_is_spared(const store& tracker) {
    const database_dump before = tracker.dump();
    const program_result run = tracker.erase("tracker.User", "1");
    expect_same(tracker.dump(), before, run.output);
    EXPECT_TRUE(run.says("should_proceed")) << run.output;

    tracker.execute("UPDATE tracker_user SET is_active = FALSE WHERE id = 1;");
    const database_dump wanted = tracker.dump(
        {{"tracker_user", "id = 1"}, {"tracker_useremail", "user_id = 1"}, {"tracker_apitoken", "user_id = 1"}});
    const program_result again = tracker.erase("tracker.User", "1");
    EXPECT_EQ(again.exit_code, 0) << again.output;
    expect_same(tracker.dump(), wanted, again.output);
}

inline void each_silo_keeps_to_itself(const store& tracker) {
    const database_dump before = tracker.dump();
    const program_result wrong =
        tracker.program({"--silo-mode", "control", "schedule", "tracker.Organization", "1", "--in", "1d", "--yes"});
    EXPECT_EQ(wrong.exit_code, 1) << wrong.output;
    EXPECT_TRUE(wrong.says("tracker.Organization") && wrong.says("cell") && wrong.says("control")) << wrong.output;
    expect_same(tracker.dump(), before, wrong.output);
    EXPECT_EQ(tracker.number("SELECT count(*) FROM winnow_cell_scheduled_deletion"), 0);
    EXPECT_EQ(tracker.number("SELECT count(*) FROM winnow_control_scheduled_deletion"), 0);
}

/// The whole demonstration, twice on one database: the second run finds the first one's neighbours.
inline void demonstration_can_be_repeated(const scratch_database& scratch) {
    for (int round = 0; round < 2; ++round) {
        const program_result run = run_program("tracker", {"--database", scratch.url(), "demo", "--scale", "0.1"});
        EXPECT_EQ(run.exit_code, 0) << run.output;
        EXPECT_TRUE(run.says("ok     0 orphans")) << run.output;
        EXPECT_TRUE(run.says("rows per second")) << run.output;
        EXPECT_FALSE(run.says("WRONG")) << run.output;
        for (const char* table :
             {"tracker_event", "tracker_comment", "group", "tracker_monitorcheckin", "attachment files"}) {
            EXPECT_TRUE(run.says(table)) << table << "\n" << run.output;
        }
    }
    const winnow::connection_ptr database = scratch.open();
    EXPECT_EQ(database->execute_once("SELECT count(*) FROM tracker_organization", {}).integer(0, 0), 4);
}

inline void same_seed_makes_the_same_rows(const std::string& server) {
    const store first(server, "7");
    ASSERT_TRUE(first.ready()) << first.trouble();
    const database_dump rows = first.dump();
    EXPECT_GT(rows.at("tracker_event").size(), 500U);
    // Another database of the same content: made anew by the same seed, after the first one's end.
    const scratch_database other("tracker_other", server);
    ASSERT_EQ(
        run_program("tracker", {"--database", other.url(), "generate", "--scale", "0.03", "--seed", "7"}).exit_code, 0);
    const winnow::connection_ptr database = other.open();
    for (const auto& [table, lines] : rows) {
        EXPECT_TRUE(lines_of(*database, "SELECT * FROM \"" + table + "\" ORDER BY 1, 2") == lines) << table;
    }
    EXPECT_NE(store(server, "8").dump().at("tracker_event"), rows.at("tracker_event"));
}

}  // namespace tracker_test
