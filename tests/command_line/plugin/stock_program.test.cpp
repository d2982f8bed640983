// SPDX-License-Identifier: Apache-2.0
// The stock program with plugins: everything through its command line.
#include <cstdint>
#include <string>
#include <vector>

#include "installations.hpp"

namespace {

using namespace winnow_test;

TEST_P(stock_program, models_of_plugins_are_deleted_with_hooks_and_files) {
    const program_result models = run({"models"});
    EXPECT_EQ(models.code, 0) << models.all();
    for (const char* key :
         {"notes.Notebook", "notes.Note", "notes.Attachment", "notes.NotebookCopy", "access_log.Entry"})
        EXPECT_TRUE(models.says(key)) << models.all();
    const program_result check = run({"check"});
    EXPECT_EQ(check.code, 0) << check.all();
    const program_result plan = run({"plan", "notes.Notebook", "1"});
    EXPECT_EQ(plan.code, 0) << plan.all();
    EXPECT_TRUE(plan.says("access_log") && plan.says("note files")) << plan.all();

    expect_done({"schedule", "notes.Notebook", "1", "--in", "0d", "--yes"});
    EXPECT_EQ(rows("notes_notebook", "status = 2"), 1) << "marked as pending";
    expect_done({"deletions", "run"});
    EXPECT_EQ(rows("notes_notebook"), 1);
    EXPECT_EQ(rows("notes_note"), 150);
    EXPECT_EQ(rows("notes_note", "notebook_id = 1"), 0);
    EXPECT_EQ(rows("notes_attachment"), 150);
    EXPECT_EQ(rows("access_log_entry"), 200);
    EXPECT_EQ(rows("access_log_entry", "notebook_id = 1"), 0);
    EXPECT_EQ(files_.files(), 150) << "the external task took the files of 150 attachments";
    const std::string journal = text_of_file(files_.journal());
    EXPECT_TRUE(journal.starts_with("notebook 1 goes with ")) << journal;
    EXPECT_EQ(journal.find('\n'), journal.size() - 1) << "pending_delete is called once: " << journal;
    const program_result orphans = run({"deletions", "orphans"});
    EXPECT_EQ(orphans.code, 0) << orphans.all();
    EXPECT_TRUE(orphans.says("0 orphans")) << orphans.all();

    // Both silos are in this one database: what is left is copied from it into it.
    expect_done({"backfill", "run", "--until-done"});
    expect_done({"outbox", "drain"});
    EXPECT_EQ(rows("notes_notebookcopy"), 1);
    EXPECT_EQ(rows("notes_notebookcopy", "notebook_id = 2 AND title = 'recipes'"), 1);
}

TEST_P(stock_program, a_hook_that_refuses_is_named_and_the_rest_stays) {
    database().run("UPDATE notes_note SET locked = TRUE WHERE id = 149;");
    expect_done({"schedule", "notes.Notebook", "1", "--in", "0d", "--yes"});
    const program_result failed = run({"deletions", "run"});
    EXPECT_TRUE(failed.says("notes.Notebook 1: waits") && failed.says("note 149 is locked; unlock it first"))
        << failed.all();
    const program_result shown = run({"deletions", "show", "notes.Notebook", "1"});
    EXPECT_TRUE(shown.says("note 149 is locked; unlock it first") && shown.says("notes.Note") &&
                shown.says("before_delete"))
        << shown.all();
    EXPECT_EQ(rows("notes_notebook", "id = 1"), 1);
    EXPECT_EQ(rows("notes_note", "id = 149"), 1);

    database().run("UPDATE notes_note SET locked = FALSE;");
    expect_done({"deletions", "retry", "notes.Notebook", "1"});
    expect_done({"deletions", "run"});
    EXPECT_EQ(rows("notes_note", "notebook_id = 1"), 0);
    EXPECT_EQ(rows("notes_notebook", "id = 1"), 0);
}

TEST_P(stock_program, a_plugin_whose_parent_is_missing_is_refused_with_both_names) {
    const program_result refused =
        run_program("winnow", {plugin_file("access_log")}, {"--database", url_of(database()), "models"});
    EXPECT_NE(refused.code, 0) << refused.all();
    EXPECT_TRUE(refused.says("access_log.Entry") && refused.says("notes.Notebook")) << refused.all();
    EXPECT_EQ(run_program("winnow", {}, {"models"}).code, 0);
}

TEST_P(stock_program_in_silos, copies_come_follow_and_go) {
    EXPECT_EQ(count(*control_, "notes_notebookcopy"), 0);
    expect_done({"backfill", "run", "--until-done"});
    EXPECT_EQ(count(*us_, "winnow_cell_outbox"), 2);
    expect_done({"outbox", "drain"});
    EXPECT_EQ(count(*control_, "notes_notebookcopy"), 4);
    EXPECT_EQ(count(*control_, "notes_notebookcopy", "cell = 'us' AND title = 'travels'"), 1);
    EXPECT_EQ(count(*control_, "notes_notice"), 3) << "one for each follower";
    expect_done({"outbox", "drain"});
    EXPECT_EQ(count(*control_, "notes_notice"), 3);
    const program_result again = run({"backfill", "run"});
    EXPECT_TRUE(again.says("version 1 is complete")) << again.all();

    expect_done({"--cell", "us", "schedule", "notes.Notebook", "1", "--in", "0d", "--yes"});
    expect_done({"deletions", "run"});
    EXPECT_EQ(count(*us_, "notes_note", "notebook_id = 1"), 0);
    EXPECT_EQ(count(*us_, "access_log_entry", "notebook_id = 1"), 0);
    EXPECT_EQ(count(*de_, "notes_note", "notebook_id = 1"), 150);
    EXPECT_EQ(count(*control_, "notes_notebookcopy"), 4) << "nothing was delivered yet";
    expect_done({"outbox", "drain"});
    EXPECT_EQ(count(*control_, "notes_notebookcopy"), 3);
    EXPECT_EQ(count(*control_, "notes_notebookcopy", "cell = 'us' AND notebook_id = 1"), 0);
    EXPECT_EQ(count(*control_, "notes_follower"), 1) << "the handler in the plugin removed those of the notebook";
    EXPECT_EQ(count(*control_, "notes_follower", "cell = 'de'"), 1);
    const program_result orphans = run({"deletions", "orphans"});
    EXPECT_EQ(orphans.code, 0) << orphans.all();
    const program_result check = run({"check"});
    EXPECT_EQ(check.code, 0) << check.all();
}

/// The effect is committed in the target, and the message cannot be removed: it is delivered again.
TEST_P(stock_program_in_silos, what_happens_once_happens_once) {
    expect_done({"backfill", "run", "--until-done"});
    const bool sqlite = GetParam() == dialect::sqlite;
    us_->run(sqlite ? "CREATE TRIGGER keep BEFORE DELETE ON winnow_cell_outbox BEGIN SELECT RAISE(ABORT, 'kept'); END;"
                    : "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'kept'; END $$;"
                      "CREATE TRIGGER keep BEFORE DELETE ON winnow_cell_outbox FOR EACH ROW EXECUTE FUNCTION keep();");
    EXPECT_NE(run({"outbox", "drain"}).code, 0);
    EXPECT_EQ(count(*control_, "notes_notice", "cell = 'us'"), 2) << "delivered";
    EXPECT_EQ(count(*us_, "winnow_cell_outbox"), 2) << "and still there";
    us_->run(sqlite ? "DROP TRIGGER keep" : "DROP TRIGGER keep ON winnow_cell_outbox");
    // Not in a minute, now.
    us_->run("UPDATE winnow_cell_outbox SET scheduled_for = date_added;"
             "UPDATE winnow_cell_outbox_shard SET lease_owner = NULL, lease_expires_at = NULL, waiting_until = NULL;");
    expect_done({"outbox", "drain"});
    EXPECT_EQ(count(*us_, "winnow_cell_outbox"), 0);
    EXPECT_EQ(count(*control_, "notes_notice", "cell = 'us'"), 2);
}

INSTANTIATE_TEST_SUITE_P(databases, stock_program, all_databases(), name_of_database);
INSTANTIATE_TEST_SUITE_P(databases, stock_program_in_silos, all_databases(), name_of_database);

}  // namespace
