// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "library_program.hpp"
#include "winnow/core/version.hpp"

namespace {

using namespace winnow_test;

class reading : public library_program {};

TEST_P(reading, plan_has_a_line_for_each_table_and_changes_nothing) {
    const std::string before = dump();
    const std::string bytes = GetParam() == dialect::sqlite ? text_of_file(file()) : "";
    const program_result result = run({"plan", "library.Branch", "1"});
    EXPECT_EQ(result.code, 0) << result.all();
    EXPECT_TRUE(result.says("Deleting library.Branch 1 would take 11 rows from 4 tables.")) << result.all();
    EXPECT_TRUE(result.says("total 11 rows")) << result.all();
    EXPECT_TRUE(result.says("book_shelf")) << result.all();
    EXPECT_EQ(dump(), before);
    if (GetParam() == dialect::sqlite) {
        EXPECT_EQ(text_of_file(file()), bytes);
    }
}

TEST_P(reading, plan_in_json) {
    const nlohmann::json plan = document({"plan", "library.Branch", "1"});
    EXPECT_EQ(plan["model"], "library.Branch");
    EXPECT_EQ(plan["id"], "1");
    EXPECT_EQ(plan["total"], 11);
    EXPECT_EQ(plan["complete"], true);
    ASSERT_EQ(plan["tables"].size(), 4U);
    EXPECT_EQ(plan["tables"][0]["model"], "library.Branch");
    EXPECT_EQ(plan["tables"][0]["action"], "deleted");
    EXPECT_EQ(plan["tables"][2]["table"], "library_book");
    EXPECT_EQ(plan["tables"][2]["rows"], 4);
    EXPECT_EQ(plan["tables"][2]["strategy"], "per_row");
    EXPECT_EQ(plan["tables"][2]["chunks"], 1);
    EXPECT_EQ(plan["tables"][3]["strategy"], "bulk");
    EXPECT_EQ(plan["tables"][0]["shape"], "key");
    EXPECT_EQ(plan["tables"][0]["shape_reason"], "the object itself");
    EXPECT_EQ(plan["tables"][2]["shape"], "key");
    EXPECT_EQ(plan["tables"][2]["shape_reason"], "what is below its rows goes first");
    EXPECT_EQ(plan["tables"][3]["shape"], "sets");
    EXPECT_EQ(plan["tables"][3]["shape_reason"], "about 1 row below each parent");
}

TEST_P(reading, plan_needs_no_right_but_to_read) {
    std::string as_reader = url() + "?immutable=1";
    std::string role;
    if (GetParam() == dialect::postgres) {
        role = unused_name();
        database().run("CREATE ROLE " + role + " LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO " + role + ";");
        as_reader = dynamic_cast<const fresh_postgres&>(database()).url_as(role);
    }
    const program_result result = run_library({"--database", as_reader, "plan", "library.Branch", "1"});
    EXPECT_EQ(result.code, 0) << result.all();
    EXPECT_TRUE(result.says("11 rows from 4 tables")) << result.all();
    const program_result refused = run_library({"--database", as_reader, "migrate"});
    EXPECT_EQ(refused.code, 1) << refused.all();
    if (!role.empty()) database().run("DROP OWNED BY " + role + "; DROP ROLE " + role + ";");
}

TEST_P(reading, plan_and_schedule_say_what_the_schema_refuses) {
    migrate();
    EXPECT_EQ(document({"plan", "library.Branch", "1"})["refusals"].size(), 0U);
    database().run("CREATE TABLE library_stamp (book_isbn text REFERENCES library_book (isbn))");
    const program_result plan = run({"plan", "library.Branch", "1"});
    EXPECT_EQ(plan.code, 0) << plan.all();
    EXPECT_TRUE(plan.says("It would be refused: library_stamp.book_isbn refers to library_book")) << plan.all();
    EXPECT_EQ(document({"plan", "library.Branch", "1"})["refusals"].size(), 1U);
    const program_result two = run({"schedule", "library.Branch", "1", "2", "--in", "0d"});
    EXPECT_EQ(two.out.find("would be refused: library_stamp"), two.out.rfind("would be refused: ")) << two.all();
    EXPECT_TRUE(two.says("library_stamp.book_isbn")) << two.all();
    EXPECT_EQ(document({"plan", "library.Account", "1"})["refusals"].size(), 0U);
    database().run("ALTER TABLE library_shelf RENAME COLUMN branch_id TO house_id");
    const program_result blocked = run({"deletions", "run"});
    EXPECT_EQ(blocked.code, 1) << blocked.all();
    EXPECT_FALSE(blocked.says("\\x0a")) << blocked.all();
}

TEST_P(reading, plan_cut_short_says_so) {
    const program_result result = run({"plan", "library.Branch", "2", "--cap", "7"});
    EXPECT_EQ(result.code, 0) << result.all();
    EXPECT_TRUE(result.says("at least 9 rows")) << result.all();
    EXPECT_EQ(document({"plan", "library.Branch", "2", "--cap", "7"})["complete"], false);
    EXPECT_EQ(document({"plan", "library.Branch", "2", "--cap", "9223372036854775807"})["total"], 32);
}

TEST_P(reading, plan_names_a_missing_index_and_a_refusal) {
    database().run("DROP INDEX loan_book;");
    EXPECT_TRUE(run({"plan", "library.Branch", "1"}).says("sequential scan"));
    const program_result refused = run({"plan", "library.Reader", "1"});
    EXPECT_EQ(refused.code, 0) << refused.all();
    EXPECT_TRUE(refused.says("It would be refused: ")) << refused.all();
    EXPECT_TRUE(refused.says("4 rows of library.Loan")) << refused.all();
}

TEST_P(reading, check_passes_and_then_finds_what_is_wrong) {
    const program_result unmigrated = run({"check"});
    EXPECT_EQ(unmigrated.code, 0) << unmigrated.all();
    EXPECT_TRUE(unmigrated.says("own_tables")) << unmigrated.all();
    migrate();
    const program_result clean = run({"check"});
    EXPECT_EQ(clean.code, 0) << clean.all();
    EXPECT_TRUE(clean.says("The models fit ")) << clean.all();

    database().run("DROP INDEX book_shelf;");
    const program_result unindexed = run({"check"});
    EXPECT_EQ(unindexed.code, 1) << unindexed.all();
    EXPECT_TRUE(unindexed.says("shelf_id")) << unindexed.all();
    EXPECT_TRUE(unindexed.says("CREATE INDEX")) << unindexed.all();

    database().run("CREATE TABLE fine (id integer PRIMARY KEY, branch bigint REFERENCES library_branch (id));");
    const nlohmann::json undeclared = document({"check"}, 1);
    EXPECT_EQ(undeclared["passed"], false);
    EXPECT_NE(undeclared.dump().find("fine"), std::string::npos) << undeclared;
    for (const nlohmann::json& one : undeclared["findings"]) {
        EXPECT_TRUE(one["severity"] == "warning" || one["severity"] == "refused") << one;
        EXPECT_FALSE(one["code"].get<std::string>().empty()) << one;
    }
}

TEST_P(reading, check_looks_only_at_the_silo_of_the_process) {
    database().run("DROP TABLE library_account;");
    EXPECT_EQ(run({"--silo-mode", "cell", "check"}).code, 0);
    const program_result control = run({"--silo-mode", "control", "check"});
    EXPECT_EQ(control.code, 1) << control.all();
    EXPECT_TRUE(control.says("library_account")) << control.all();
}

TEST_P(reading, migrate_makes_the_tables_once) {
    const nlohmann::json first = document({"migrate"});
    EXPECT_EQ(first["steps"], first["version"]);
    EXPECT_GE(first["version"], 1);
    const nlohmann::json second = document({"migrate"});
    EXPECT_EQ(second["steps"], 0);
    EXPECT_TRUE(run({"migrate"}).says("up to date"));
}

TEST_P(reading, ddl_makes_what_migrate_makes) {
    const program_result script = run({"ddl"});
    EXPECT_EQ(script.code, 0) << script.all();
    database().run(script.out);
    EXPECT_EQ(document({"migrate"})["steps"], 0);
    EXPECT_EQ(run({"schedule", "library.Branch", "1"}).code, 0);
}

TEST_P(reading, options_are_listed_set_and_unset) {
    migrate();
    EXPECT_TRUE(run({"options", "list"}).says("library.books_per_second"));
    EXPECT_EQ(run({"options", "get", "deletion.max_rows"}).out, "0\n");
    EXPECT_EQ(run({"options", "set", "deletion.max_rows", "12"}).code, 0);
    EXPECT_EQ(run({"options", "get", "deletion.max_rows"}).out, "12\n");
    const nlohmann::json set = document({"options", "get", "deletion.max_rows"});
    EXPECT_EQ(set["value"], "12");
    EXPECT_EQ(set["set"], true);
    EXPECT_EQ(set["default"], "0");
    EXPECT_EQ(count("winnow_option", "updated_by = 'tester'"), 1);
    EXPECT_EQ(run({"options", "unset", "deletion.max_rows"}).code, 0);
    EXPECT_EQ(document({"options", "get", "deletion.max_rows"})["set"], false);
}

TEST_P(reading, an_own_command_works_like_winnows) {
    migrate();
    const program_result result = run({"books", "add", "3", "--books", "5"});
    EXPECT_EQ(result.code, 0) << result.all();
    EXPECT_TRUE(result.says("added 5")) << result.all();
    EXPECT_EQ(count("library_book", "shelf_id = 3"), 35);
    EXPECT_EQ(run({"books", "add", "3", "--books", "many"}).code, 2);
    EXPECT_EQ(run({"books", "add", "99"}).code, 1) << "there is no such shelf";
    EXPECT_EQ(count("library_book", "shelf_id = 3"), 35);
}

INSTANTIATE_TEST_SUITE_P(databases, reading, all_databases(), name_of_database);

TEST(without_a_database, models_says_table_silo_and_strategy_with_its_reason) {
    const program_result result = run_library({"models"});
    EXPECT_EQ(result.code, 0) << result.all();
    EXPECT_TRUE(result.says("library_account")) << result.all();
    EXPECT_TRUE(result.says("control")) << result.all();
    EXPECT_TRUE(result.says("it has relations whose rows have to go first")) << result.all();
    const nlohmann::json models = run_library({"models", "--json"}).document()["models"];
    ASSERT_EQ(models.size(), 7U);
    EXPECT_EQ(models[0]["key"], "library.Loan");
    EXPECT_EQ(models[0]["strategy"], "bulk");
    EXPECT_EQ(models[1]["chunk_size"], 10);
    EXPECT_EQ(models[2]["primary_key"], nlohmann::json({"building", "number"}));
    EXPECT_EQ(models[6]["silo"], "control");
}

TEST(without_a_database, graph_in_three_languages) {
    EXPECT_EQ(run_library({"graph"}).out.rfind("graph TD\n", 0), 0U);
    EXPECT_TRUE(run_library({"graph"}).says("-->|\"cascade branch_id\"|"));
    EXPECT_EQ(run_library({"graph", "--format", "dot"}).out.rfind("digraph models {\n", 0), 0U);
    EXPECT_TRUE(run_library({"graph", "--format", "dot"}).says("label=\"restrict reader_id\", style=dashed"));
    const nlohmann::json graph = run_library({"graph", "--json"}).document();
    EXPECT_EQ(graph["models"].size(), 7U);
    EXPECT_EQ(graph["relations"].size(), 4U);
}

TEST(without_a_database, ddl_of_each_dialect) {
    EXPECT_TRUE(run_library({"ddl", "--dialect", "postgresql"}).says("timestamptz"));
    EXPECT_TRUE(run_library({"ddl", "--dialect", "sqlite"}).says("AUTOINCREMENT"));
    EXPECT_EQ(run_library({"ddl"}).code, 2);
}

TEST(without_a_database, help_and_version) {
    EXPECT_EQ(run_library({"--version"}).out, "library 7.1, winnow " + std::string(winnow::version_text) + "\n");
    const program_result help = run_library({"--help"});
    EXPECT_EQ(help.code, 0);
    for (const std::string command :
         {"models", "graph", "migrate", "ddl", "check", "plan", "schedule", "cancel", "deletions", "reattempt",
          "options", "books", "--database", "--silo-mode", "--config", "--actor", "--json", "--quiet"}) {
        EXPECT_TRUE(help.says(command)) << command;
    }
    EXPECT_TRUE(run_library({"deletions", "run", "--help"}).says("library deletions run"));
}

}  // namespace
