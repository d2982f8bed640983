// SPDX-License-Identifier: Apache-2.0
// A program with models of its own, and a plugin whose table hangs below one of them.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plugin_programs.hpp"

namespace {

using namespace winnow_test;

class tracker_with_a_plugin : public on_every_database {
protected:
    void SetUp() override {
        if (!std::filesystem::exists(program_file("tracker"))) GTEST_SKIP() << "the examples were not built";
        on_every_database::SetUp();
        const program_result made =
            alone({"generate", "--scale", "0.01", "--files", (folder_ / "attachments").string()});
        ASSERT_EQ(made.code, 0) << made.all();
        const program_result migrated = with_plugin({"migrate"});
        ASSERT_EQ(migrated.code, 0) << migrated.all();
        database().run("INSERT INTO project_notes_note (project_id, body) SELECT id, 'first' FROM tracker_project;"
                       "INSERT INTO project_notes_note (project_id, body) SELECT id, 'second' FROM tracker_project;");
        of_project_ = 2 * count(database(), "tracker_project", "id = 2");
        ASSERT_EQ(of_project_, 2);
        all_ = count(database(), "project_notes_note");
        ASSERT_GT(all_, 2);
    }
    /// Takes the foreign key away that keeps a project while there are notes.
    void drop_foreign_key() const {
        if (GetParam() == dialect::postgres) {
            database().run("ALTER TABLE project_notes_note DROP CONSTRAINT project_notes_note_project_id_fkey");
            return;
        }
        database().run("CREATE TABLE copied AS SELECT * FROM project_notes_note; DROP TABLE project_notes_note;"
                       "CREATE TABLE project_notes_note (id INTEGER PRIMARY KEY AUTOINCREMENT, project_id INTEGER NOT "
                       "NULL, body TEXT NOT NULL DEFAULT '', pinned BOOLEAN NOT NULL DEFAULT FALSE);"
                       "CREATE INDEX project_notes_note_project_id ON project_notes_note (project_id);"
                       "INSERT INTO project_notes_note SELECT * FROM copied; DROP TABLE copied;");
    }
    [[nodiscard]] program_result alone(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"--database", url_of(database())});
        return run_program("tracker", {}, arguments, variables());
    }
    [[nodiscard]] program_result with_plugin(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"--database", url_of(database())});
        return run_program("tracker", {plugin_file("project_notes")}, arguments, variables());
    }
    [[nodiscard]] std::vector<std::string> variables() const {
        return {"TRACKER_FILES=" + (folder_ / "attachments").string()};
    }
    [[nodiscard]] std::int64_t rows(const std::string& table, const std::string& condition = "1 = 1") const {
        return count(database(), table, condition);
    }
    [[nodiscard]] std::int64_t lost_notes() const {
        return rows("project_notes_note", "project_id NOT IN (SELECT id FROM tracker_project)");
    }
    /// The finding that a part of the database belongs to a plugin that is not here.
    void expect_that_check_misses_the_plugin() const {
        const program_result check = alone({"check"});
        EXPECT_EQ(check.code, 1) << check.all();
        EXPECT_TRUE(check.says("project_notes") && check.says("--plugin")) << check.all();
    }
    void finish_with_the_plugin() const {
        const program_result retried = with_plugin({"deletions", "retry", "tracker.Project", "2"});
        EXPECT_EQ(retried.code, 0) << retried.all();
        const program_result run = with_plugin({"deletions", "run"});
        EXPECT_EQ(run.code, 0) << run.all();
        EXPECT_EQ(rows("tracker_project", "id = 2"), 0);
        EXPECT_EQ(rows("project_notes_note"), all_ - of_project_);
        EXPECT_EQ(lost_notes(), 0);
    }

    scratch_folder folder_;
    std::int64_t of_project_ = 0;
    std::int64_t all_ = 0;
};

TEST_P(tracker_with_a_plugin, a_deletion_cascades_into_the_plugins_table) {
    const program_result check = with_plugin({"check"});
    EXPECT_EQ(check.code, 0) << check.all();
    const program_result plan = with_plugin({"plan", "tracker.Project", "2"});
    EXPECT_TRUE(plan.says("project_notes.Note")) << plan.all();
    const program_result scheduled = with_plugin({"schedule", "tracker.Project", "2", "--in", "0d", "--yes"});
    ASSERT_EQ(scheduled.code, 0) << scheduled.all();
    const program_result run = with_plugin({"deletions", "run"});
    EXPECT_EQ(run.code, 0) << run.all();
    EXPECT_EQ(rows("tracker_project", "id = 2"), 0);
    EXPECT_EQ(rows("project_notes_note"), all_ - of_project_);
    EXPECT_EQ(lost_notes(), 0);
    const program_result orphans = with_plugin({"deletions", "orphans"});
    EXPECT_TRUE(orphans.says("0 orphans")) << orphans.all();
}

TEST_P(tracker_with_a_plugin, one_in_c_beside_it_is_worked_in_the_same_deletion) {
    if (!std::filesystem::exists(plugin_file("minimal_c"))) GTEST_SKIP() << "minimal_c was not built";
    const auto both = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"--database", url_of(database())});
        return run_program("tracker", {plugin_file("minimal_c"), plugin_file("project_notes")}, arguments, variables());
    };
    const program_result migrated = both({"migrate"});
    ASSERT_EQ(migrated.code, 0) << migrated.all();
    for (const char* table : {"minimal_stamp", "minimal_visit"}) {
        const std::string into = std::string("INSERT INTO ") + table + " (project_id, text) SELECT ";
        database().run(numbers(250) + into + "2, 'x' FROM n;");
        database().run(numbers(3) + into + "1, 'x' FROM n;");
    }
    const program_result check = both({"check"});
    EXPECT_EQ(check.code, 0) << check.all();
    ASSERT_EQ(both({"schedule", "tracker.Project", "2", "--in", "0d", "--yes"}).code, 0);
    const program_result run = both({"deletions", "run"});
    EXPECT_EQ(run.code, 0) << run.all();
    EXPECT_EQ(rows("tracker_project", "id = 2"), 0);
    EXPECT_EQ(rows("minimal_stamp"), 3);
    EXPECT_EQ(rows("minimal_visit"), 3);
    EXPECT_EQ(rows("project_notes_note"), all_ - of_project_);
}

TEST_P(tracker_with_a_plugin, its_hook_refuses_the_hosts_deletion) {
    database().run("UPDATE project_notes_note SET pinned = TRUE WHERE project_id = 2 AND body = 'second';");
    ASSERT_EQ(with_plugin({"schedule", "tracker.Project", "2", "--in", "0d", "--yes"}).code, 0);
    const program_result run = with_plugin({"deletions", "run"});
    EXPECT_TRUE(run.says("tracker.Project 2: waits") && run.says("plugin project_notes")) << run.all();
    const program_result shown = with_plugin({"deletions", "show", "tracker.Project", "2"});
    EXPECT_TRUE(shown.says("is pinned to its project; unpin it first") && shown.says("project_notes.Note"))
        << shown.all();
    EXPECT_EQ(rows("tracker_project", "id = 2"), 1);
    EXPECT_EQ(rows("project_notes_note", "pinned"), 1);
    database().run("UPDATE project_notes_note SET pinned = FALSE;");
    finish_with_the_plugin();
}

TEST_P(tracker_with_a_plugin, without_it_an_enforced_foreign_key_stops_the_deletion) {
    expect_that_check_misses_the_plugin();
    ASSERT_EQ(alone({"schedule", "tracker.Project", "2", "--in", "0d", "--yes"}).code, 0);
    const program_result run = alone({"deletions", "run"});
    EXPECT_EQ(run.code, 1) << run.all();
    EXPECT_TRUE(run.says("project_notes_note")) << run.all();
    EXPECT_EQ(rows("tracker_project", "id = 2"), 1);
    EXPECT_EQ(rows("project_notes_note"), all_);
    finish_with_the_plugin();
}

TEST_P(tracker_with_a_plugin, without_it_and_without_a_foreign_key_a_strict_program_waits) {
    drop_foreign_key();
    expect_that_check_misses_the_plugin();
    ASSERT_EQ(alone({"options", "set", "deletion.strict", "true"}).code, 0);
    ASSERT_EQ(alone({"schedule", "tracker.Project", "2", "--in", "0d", "--yes"}).code, 0);
    const program_result run = alone({"deletions", "run"});
    EXPECT_EQ(run.code, 1) << run.all();
    EXPECT_TRUE(run.says("project_notes")) << run.all();
    EXPECT_EQ(rows("tracker_project", "id = 2"), 1);
    EXPECT_EQ(rows("project_notes_note"), all_);
    finish_with_the_plugin();
}

TEST_P(tracker_with_a_plugin, without_it_without_a_foreign_key_and_not_strict_everybody_is_told) {
    drop_foreign_key();
    const program_result scheduled = alone({"schedule", "tracker.Project", "2", "--in", "0d", "--yes"});
    EXPECT_EQ(scheduled.code, 0) << scheduled.all();
    EXPECT_TRUE(scheduled.says("Beware: The tables of plugin project_notes")) << scheduled.all();
    EXPECT_TRUE(scheduled.says("give --plugin")) << scheduled.all();
    const program_result run = alone({"deletions", "run"});
    EXPECT_EQ(run.code, 0) << run.all();
    EXPECT_TRUE(run.says("warning The tables of plugin project_notes")) << run.all();
    EXPECT_EQ(rows("tracker_project", "id = 2"), 0);
    EXPECT_EQ(rows("project_notes_note"), all_);
    EXPECT_EQ(with_plugin({"deletions", "orphans"}).code, 1) << "what stays is found";
}

INSTANTIATE_TEST_SUITE_P(databases, tracker_with_a_plugin, all_databases(), name_of_database);

}  // namespace
