// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <vector>

#include "library_program.hpp"

namespace {

using namespace winnow_test;

class deletions : public library_program {
protected:
    void SetUp() override {
        library_program::SetUp();
        migrate();
    }
    void schedule(const std::string& key, const std::string& id) const {
        ASSERT_EQ(run({"schedule", key, id, "--in", "0d", "--yes"}).code, 0);
    }
    [[nodiscard]] std::string state(const std::string& key, const std::string& id) const {
        const nlohmann::json shown = document({"deletions", "show", key, id})["deletion"];
        return shown.is_null() ? "gone" : shown["state"].get<std::string>();
    }
};

TEST_P(deletions, run_deletes_and_says_what) {
    schedule("library.Branch", "1");
    const program_result result = run({"deletions", "run"});
    EXPECT_EQ(result.code, 0) << result.all();
    EXPECT_TRUE(result.says("library.Branch 1: deleted")) << result.all();
    EXPECT_TRUE(result.says("library_loan")) << result.all();
    EXPECT_TRUE(result.says("11 rows in ")) << result.all();
    EXPECT_TRUE(result.says("rows/s")) << result.all();
    EXPECT_EQ(count("library_branch"), 1);
    EXPECT_EQ(count("library_book"), 30);
    EXPECT_EQ(count("library_loan"), 0);
    const program_result orphans = run({"deletions", "orphans"});
    EXPECT_EQ(orphans.code, 0) << orphans.all();
    EXPECT_TRUE(orphans.says("0 orphans in 4 relations")) << orphans.all();
    const program_result again = run({"deletions", "run"});
    EXPECT_EQ(again.code, 0) << again.all();
    EXPECT_TRUE(again.says("Nothing is due.")) << again.all();
}

TEST_P(deletions, work_with_the_largest_value_of_every_option) {
    int changed = 0;
    const nlohmann::json listed = document({"options", "list"});
    for (const nlohmann::json& one : listed["options"]) {
        // So many replicas are none that there could be: it rightly waits for them.
        if (one["kind"] != "integer" || one["name"] == "deletion.replicas") continue;
        const bool few = one["name"] == "deletion.connections";
        set_option(one["name"], !few ? "1000000000" : GetParam() == winnow::dialect::sqlite ? "1" : "32");
        ++changed;
    }
    EXPECT_GE(changed, 11);
    schedule("library.Branch", "1");
    const program_result result = run({"deletions", "run"});
    EXPECT_EQ(result.code, 0) << result.all();
    EXPECT_TRUE(result.says("library.Branch 1: deleted")) << result.all();
}

TEST_P(deletions, run_reports_in_json) {
    schedule("library.Branch", "2");
    set_option("deletion.pass_rows", "10");
    const nlohmann::json done = document({"deletions", "run"});
    EXPECT_EQ(done["failed"], false);
    ASSERT_EQ(done["deletions"].size(), 1U) << done;
    const nlohmann::json& one = done["deletions"][0];
    EXPECT_EQ(one["model"], "library.Branch");
    EXPECT_EQ(one["id"], "2");
    EXPECT_EQ(one["outcome"], "completed");
    EXPECT_EQ(one["rows_total"], 32);
    EXPECT_EQ(one["rows"], 32);
    EXPECT_EQ(one["rows_by_model"]["library.Book"], 30);
    EXPECT_GT(one["passes"], 1);
    EXPECT_GT(one["rows_per_second"], 0.0);
}

TEST_P(deletions, several_connections_are_for_servers) {
    schedule("library.Branch", "2");
    for (const std::vector<std::string>& command : {std::vector<std::string>{"deletions", "run", "--connections", "2"},
                                                    {"worker", "--once", "--connections", "2"}}) {
        const program_result result = run(command);
        if (GetParam() == winnow::dialect::sqlite) {
            EXPECT_EQ(result.code, 2);
            EXPECT_TRUE(result.complains("SQLite has one writer at a time")) << result.all();
        } else {
            EXPECT_EQ(result.code, 0) << result.all();
        }
    }
    EXPECT_EQ(count("library_branch", "id = 2"), GetParam() == winnow::dialect::sqlite ? 1 : 0);
    EXPECT_EQ(run({"deletions", "run", "--connections", "1"}).code, 0);
}

TEST_P(deletions, passes_bound_the_work) {
    schedule("library.Branch", "2");
    set_option("deletion.pass_rows", "10");
    const nlohmann::json done = document({"deletions", "run", "--passes", "1"});
    EXPECT_EQ(done["deletions"][0]["outcome"], "yielded");
    EXPECT_EQ(count("library_book", "shelf_id = 3"), 20);
    const program_result rest = run({"deletions", "run"});
    EXPECT_TRUE(rest.says("32 rows with earlier passes")) << rest.all();
}

TEST_P(deletions, only_what_is_due_is_run) {
    ASSERT_EQ(run({"schedule", "library.Branch", "1", "--in", "1h"}).code, 0);
    const program_result result = run({"deletions", "run", "--until-idle"});
    EXPECT_EQ(result.code, 0) << result.all();
    EXPECT_TRUE(result.says("Nothing is due.")) << result.all();
    EXPECT_EQ(count("library_branch"), 2);
}

TEST_P(deletions, blocked_one_fails_the_run_and_can_be_retried) {
    schedule("library.Reader", "1");
    const program_result result = run({"deletions", "run"});
    EXPECT_EQ(result.code, 1) << result.all();
    EXPECT_TRUE(result.says("library.Reader 1: blocked")) << result.all();
    EXPECT_TRUE(result.says("4 rows of library.Loan")) << result.all();
    EXPECT_TRUE(result.says("library_loan")) << result.all();
    EXPECT_EQ(count("library_reader"), 2);
    EXPECT_EQ(state("library.Reader", "1"), "blocked");
    EXPECT_EQ(document({"deletions", "list", "--failed"})["deletions"].size(), 1U);
    EXPECT_TRUE(run({"deletions", "run"}).says("1 is held"));

    database().run("DELETE FROM library_loan;");
    EXPECT_EQ(run({"deletions", "retry", "library.Reader", "1"}).code, 0);
    EXPECT_EQ(state("library.Reader", "1"), "scheduled");
    EXPECT_EQ(run({"deletions", "run"}).code, 0);
    EXPECT_EQ(count("library_reader"), 1);
    EXPECT_EQ(run({"deletions", "retry", "library.Reader", "1"}).code, 1) << "there is nothing to retry";
}

TEST_P(deletions, unconfirmed_one_waits_for_confirm) {
    schedule("library.Seat", "1,1");
    ASSERT_EQ(run({"schedule", "library.Branch", "1", "--in", "0d"}).code, 0);
    set_option("deletion.max_rows", "3");
    const program_result result = run({"deletions", "run"});
    EXPECT_EQ(result.code, 0) << result.all();
    EXPECT_TRUE(result.says("library.Seat 1,1: deleted")) << result.all();
    EXPECT_TRUE(result.says("library.Branch 1: not started")) << result.all();
    EXPECT_TRUE(result.says("deletions confirm")) << result.all();
    EXPECT_EQ(count("library_branch"), 2);
    EXPECT_EQ(document({"deletions", "list", "--state", "unconfirmed"})["deletions"].size(), 1U);

    EXPECT_EQ(run({"deletions", "confirm", "library.Branch", "1"}).code, 0);
    EXPECT_EQ(run({"deletions", "run"}).code, 0);
    EXPECT_EQ(count("library_branch"), 1);
    EXPECT_EQ(run({"deletions", "confirm", "library.Branch", "1"}).code, 1) << "it is not scheduled any more";
}

TEST_P(deletions, pauses_of_every_scope_hold_it_back) {
    ASSERT_EQ(run({"schedule", "library.Branch", "1", "--in", "0d", "--batch", "b7"}).code, 0);
    const std::vector<std::vector<std::string>> scopes = {
        {"--all"}, {"--model", "library.Branch"}, {"--batch", "b7"}, {"library.Branch", "1"}};
    for (const std::vector<std::string>& scope : scopes) {
        std::vector<std::string> pause = {"deletions", "pause"};
        pause.insert(pause.end(), scope.begin(), scope.end());
        std::vector<std::string> resume = {"deletions", "resume"};
        resume.insert(resume.end(), scope.begin(), scope.end());
        EXPECT_EQ(run(pause).code, 0) << scope.front();
        EXPECT_EQ(state("library.Branch", "1"), "paused") << scope.front();
        EXPECT_EQ(document({"deletions", "list", "--state", "paused"})["deletions"].size(), 1U) << scope.front();
        const program_result shown = run({"deletions", "show", "library.Branch", "1"});
        EXPECT_TRUE(shown.says("paused by tester")) << shown.all();
        EXPECT_TRUE(run({"deletions", "run", "--until-idle"}).says("1 is held")) << scope.front();
        EXPECT_EQ(run(resume).code, 0) << scope.front();
        EXPECT_EQ(state("library.Branch", "1"), "scheduled") << scope.front();
    }
    EXPECT_EQ(count("library_branch"), 2);
    EXPECT_EQ(run({"deletions", "resume", "--all"}).code, 1) << "nothing was paused";
    EXPECT_EQ(run({"deletions", "pause", "library.Branch", "2"}).code, 1) << "it is not scheduled";
    EXPECT_EQ(run({"deletions", "run"}).code, 0);
    EXPECT_EQ(count("library_branch"), 1);
}

TEST_P(deletions, a_pause_of_everything_is_shown_in_the_list) {
    ASSERT_EQ(run({"deletions", "pause", "--all"}).code, 0);
    EXPECT_TRUE(run({"deletions", "list"}).says("Paused: everything, by tester"));
    const nlohmann::json pauses = document({"deletions", "list"})["pauses"];
    ASSERT_EQ(pauses.size(), 1U);
    EXPECT_EQ(pauses[0]["scope"], "all");
    EXPECT_EQ(pauses[0]["by"], "tester");
}

TEST_P(deletions, list_filters) {
    ASSERT_EQ(run({"schedule", "library.Branch", "1", "--batch", "x"}).code, 0);
    ASSERT_EQ(run({"schedule", "library.Branch", "2"}).code, 0);
    ASSERT_EQ(run({"schedule", "library.Account", "1"}).code, 0);
    EXPECT_EQ(document({"deletions", "list"})["deletions"].size(), 3U);
    EXPECT_EQ(document({"deletions", "list", "--model", "library.Branch"})["deletions"].size(), 2U);
    EXPECT_EQ(document({"deletions", "list", "--batch", "x"})["deletions"].size(), 1U);
    EXPECT_EQ(document({"deletions", "list", "--failed"})["deletions"].size(), 0U);
    EXPECT_EQ(document({"--silo-mode", "control", "deletions", "list"})["deletions"].size(), 1U);
    EXPECT_EQ(document({"--silo-mode", "cell", "deletions", "list"})["deletions"].size(), 2U);
    const nlohmann::json cut = document({"deletions", "list", "--limit", "2"});
    EXPECT_EQ(cut["deletions"].size(), 2U);
    EXPECT_EQ(cut["more"], true);
    EXPECT_TRUE(run({"deletions", "list"}).says("in 30 days"));
}

TEST_P(deletions, show_and_audit_outlive_the_object) {
    const program_result never = run({"deletions", "show", "library.Branch", "1"});
    EXPECT_EQ(never.code, 1) << never.all();
    ASSERT_EQ(run({"schedule", "library.Branch", "1", "--in", "2d"}).code, 0);
    const program_result waiting = run({"deletions", "show", "library.Branch", "1"});
    EXPECT_EQ(waiting.code, 0) << waiting.all();
    EXPECT_TRUE(waiting.says("not due before")) << waiting.all();
    schedule("library.Branch", "1");
    ASSERT_EQ(run({"deletions", "run"}).code, 0);

    const program_result shown = run({"deletions", "show", "library.Branch", "1"});
    EXPECT_EQ(shown.code, 0) << shown.all();
    EXPECT_TRUE(shown.says("completed")) << shown.all();
    const nlohmann::json audit = document({"deletions", "audit", "library.Branch", "1"})["audit"];
    ASSERT_GE(audit.size(), 3U) << audit;
    EXPECT_EQ(audit.front()["action"], "scheduled");
    EXPECT_EQ(audit.front()["actor"], "tester");
    EXPECT_EQ(audit.back()["action"], "completed");
    EXPECT_EQ(audit.back()["rows_done"], 11);
    EXPECT_EQ(audit.back()["rows_by_model"]["library.Book"], 4);
    EXPECT_EQ(document({"deletions", "audit", "library.Reader"})["audit"].size(), 0U);
}

TEST_P(deletions, orphans_are_named) {
    if (GetParam() == dialect::sqlite) {
        database().run(
            "DROP TABLE library_loan; CREATE TABLE library_loan (id integer PRIMARY KEY, book_isbn text, reader_id bigint);");
    } else {
        database().run("ALTER TABLE library_loan DROP CONSTRAINT library_loan_book_isbn_fkey;");
    }
    database().run("INSERT INTO library_loan (id, book_isbn) VALUES (71, 'lost'), (72, 'lost too');");
    const program_result result = run({"deletions", "orphans"});
    EXPECT_EQ(result.code, 1) << result.all();
    EXPECT_TRUE(result.says("library.Loan")) << result.all();
    EXPECT_TRUE(result.says("book_isbn")) << result.all();
    EXPECT_TRUE(result.says("2 orphans")) << result.all();
    EXPECT_EQ(document({"deletions", "orphans", "library.Book"}, 1)["orphans"], 2);
    EXPECT_EQ(document({"deletions", "orphans", "library.Seat"})["orphans"], 0);
}

TEST_P(deletions, a_rate_limit_makes_it_wait_and_until_idle_waits_for_it) {
    schedule("library.Branch", "2");
    set_option("library.books_per_second", "4");  // 10 books a chunk: 30 of them need several rests of over a second
    const program_result first = run({"deletions", "run"});
    EXPECT_EQ(first.code, 0) << first.all();
    EXPECT_TRUE(first.says("waits, again in")) << first.all();
    EXPECT_TRUE(first.says("library.books_per_second")) << first.all();
    EXPECT_GT(count("library_book", "shelf_id = 3"), 0);
    const program_result shown = run({"deletions", "show", "library.Branch", "2"});
    EXPECT_TRUE(shown.says("library.books_per_second")) << shown.all();

    set_option("library.books_per_second", "1000");
    const program_result rest = run({"deletions", "run", "--until-idle"});
    EXPECT_EQ(rest.code, 0) << rest.all();
    EXPECT_EQ(count("library_branch"), 1);
}

TEST_P(deletions, windows_hold_all_of_them_back) {
    const bool postgres = GetParam() == dialect::postgres;
    const std::int64_t hour = database().number(postgres ? "SELECT extract(hour FROM now() AT TIME ZONE 'UTC')::bigint"
                                                         : "SELECT cast(strftime('%H', 'now') AS integer)");
    // An hour that is not the present one, nor the next, which may begin while the test runs.
    const std::string at = std::to_string((hour + 3) % 24);
    const std::string away = (at.size() == 1 ? "0" + at : at) + ":00-" + (at.size() == 1 ? "0" + at : at) + ":59";
    schedule("library.Branch", "1");
    const program_result set = run({"options", "set", "deletion.windows", away});
    EXPECT_EQ(set.code, 0) << set.all();
    EXPECT_TRUE(set.says("deletion.windows = " + away)) << set.all();

    for (const std::string text : {"weekdays", "25:00-26:00", "mon-fri 22:00", "mon 9:00-10:00 and more"}) {
        const program_result refused = run({"options", "set", "deletion.windows", text});
        EXPECT_EQ(refused.code, 2) << text << "\n" << refused.all();
        EXPECT_TRUE(refused.complains("`" + text + "`")) << "it names what is wrong: " << refused.all();
        EXPECT_TRUE(refused.complains("mon-fri 22:00-06:00")) << "and how it is written: " << refused.all();
    }
    EXPECT_EQ(run({"options", "get", "deletion.windows"}).out, away + "\n") << "what was refused changed nothing";

    for (const std::vector<std::string>& line :
         {std::vector<std::string>{"deletions", "run"}, std::vector<std::string>{"worker", "--once"}}) {
        const program_result result = run(line);
        EXPECT_EQ(result.code, 0) << result.all();
        EXPECT_EQ(count("library_branch"), 2) << result.all();
        EXPECT_EQ(count("winnow_cell_scheduled_deletion", "lease_token = 0 AND NOT in_progress"), 1)
            << "nothing is claimed";
    }
    const program_result shown = run({"deletions", "show", "library.Branch", "1"});
    EXPECT_TRUE(shown.says("outside the windows " + away + " (UTC)")) << shown.all();

    EXPECT_EQ(run({"options", "set", "deletion.windows", "mon-sun"}).code, 0);
    EXPECT_EQ(run({"deletions", "run"}).code, 0);
    EXPECT_EQ(count("library_branch"), 1);
}

TEST_P(deletions, one_that_another_worker_holds_is_left_alone) {
    schedule("library.Branch", "1");
    database().run(winnow::dialect_text{
        "UPDATE winnow_cell_scheduled_deletion SET in_progress = true, state = 'running', "
        "lease_owner = 'other', lease_expires_at = clock_timestamp() + interval '1 hour'",
        "UPDATE winnow_cell_scheduled_deletion SET in_progress = 1, state = 'running', "
        "lease_owner = 'other', lease_expires_at = strftime('%Y-%m-%d %H:%M:%f', 'now', '1 hour')"});
    const program_result result = run({"deletions", "run"});
    EXPECT_EQ(result.code, 0) << result.all();
    EXPECT_TRUE(result.says("1 is with another worker")) << result.all();
    EXPECT_TRUE(run({"deletions", "show", "library.Branch", "1"}).says("by other"));
    EXPECT_EQ(count("library_branch"), 2);
}

TEST_P(deletions, reattempt_frees_those_of_silent_workers) {
    schedule("library.Branch", "1");
    database().run(winnow::dialect_text{
        "UPDATE winnow_cell_scheduled_deletion SET in_progress = true, lease_owner = 'gone', lease_expires_at = "
        "clock_timestamp() - interval '1 minute'",
        "UPDATE winnow_cell_scheduled_deletion SET in_progress = 1, lease_owner = 'gone', lease_expires_at = "
        "strftime('%Y-%m-%d %H:%M:%f', 'now', '-60 seconds')"});
    EXPECT_EQ(document({"--silo-mode", "control", "reattempt"})["freed"], 0);
    EXPECT_EQ(document({"reattempt"})["freed"], 1);
    EXPECT_EQ(document({"reattempt"})["freed"], 0);
    EXPECT_EQ(state("library.Branch", "1"), "scheduled");
}

INSTANTIATE_TEST_SUITE_P(databases, deletions, all_databases(), name_of_database);

}  // namespace
