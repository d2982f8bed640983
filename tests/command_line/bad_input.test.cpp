// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "library_program.hpp"

namespace {

using namespace winnow_test;

class bad_input : public library_program {
protected:
    void SetUp() override {
        library_program::SetUp();
        migrate();
    }
    /// One line `winnow: …`, perhaps one with a hint, nothing on standard output, and nothing changed.
    void expect_refusal(const std::vector<std::string>& arguments, int code, const std::vector<std::string>& texts) {
        const std::string before = dump();
        const program_result result = run(arguments);
        EXPECT_EQ(result.code, code) << result.all();
        EXPECT_EQ(result.err.rfind("winnow: ", 0), 0U) << result.all();
        EXPECT_LE(std::count(result.err.begin(), result.err.end(), '\n'), 2) << result.all();
        EXPECT_EQ(result.out, "") << result.all();
        for (const std::string& text : texts) EXPECT_TRUE(result.complains(text)) << text << "\n" << result.all();
        EXPECT_EQ(dump(), before);
    }
};

TEST_P(bad_input, unknown_key_names_the_nearest) {
    for (const std::string command : {"plan", "schedule", "cancel"}) {
        expect_refusal({command, "library.Brnch", "1"}, 1, {"library.Brnch", "library.Branch"});
    }
    for (const std::string command : {"show", "retry", "confirm", "pause", "resume"}) {
        expect_refusal({"deletions", command, "library.Brnch", "1"}, 1, {"library.Brnch", "library.Branch"});
    }
    expect_refusal({"deletions", "list", "--model", "library.Brnch"}, 1, {"library.Branch"});
    expect_refusal({"deletions", "pause", "--model", "library.Brnch"}, 1, {"library.Branch"});
    expect_refusal({"deletions", "audit", "library.Brnch"}, 1, {"library.Branch"});
    expect_refusal({"deletions", "orphans", "library.Brnch"}, 1, {"library.Branch"});
}

TEST_P(bad_input, id_of_the_wrong_type) {
    for (const std::string id : {"north", "1.5", "1e3", "0x1", " 1", "1 ", "", "99999999999999999999"}) {
        expect_refusal({"plan", "library.Branch", id}, 2, {"library.Branch", "64-bit integer"});
        expect_refusal({"schedule", "library.Branch", id, "--in", "0d"}, 2, {"library.Branch", "64-bit integer"});
    }
    expect_refusal({"schedule", "library.Seat", "1"}, 2, {"library.Seat", "2 columns"});
    expect_refusal({"schedule", "library.Seat", "1,99999999999"}, 2, {"library.Seat", "32-bit integer"});
    expect_refusal({"cancel", "library.Branch", "north"}, 2, {"64-bit integer"});
}

TEST_P(bad_input, one_wrong_id_among_several_schedules_none) {
    expect_refusal({"schedule", "library.Branch", "1", "x"}, 2, {"`x`"});
    expect_refusal({"schedule", "library.Branch", "1", "77"}, 1, {"library.Branch 77 does not exist"});
}

TEST_P(bad_input, id_that_does_not_exist) {
    expect_refusal({"plan", "library.Branch", "77"}, 1, {"library.Branch 77 does not exist"});
    expect_refusal({"schedule", "library.Branch", "77", "--in", "0d"}, 1, {"library.Branch 77 does not exist"});
    expect_refusal({"schedule", "library.Book", "none"}, 1, {"library.Book none does not exist"});
    expect_refusal({"schedule", "library.Branch", "-1"}, 1, {"library.Branch -1 does not exist"});
    expect_refusal({"deletions", "show", "library.Branch", "77"}, 1, {"library.Branch 77", "not scheduled"});
}

TEST_P(bad_input, malformed_data) {
    for (const std::string data : {"{\"a\":", "", "{'a': 1}", "nonsense", "1e999", "{} {}", "\"\xff\""}) {
        expect_refusal({"schedule", "library.Branch", "1", "--data", data}, 2, {"--data is no JSON"});
    }
}

TEST_P(bad_input, malformed_time) {
    for (const std::string time :
         {"30", "d", "-1d", "1w", "1d1d", "1h1d", "1.5d", "99999999999999999999d", "36501d", "3 d"}) {
        expect_refusal({"schedule", "library.Branch", "1", "--in=" + time}, 2, {"--in takes a time"});
    }
}

TEST_P(bad_input, malformed_numbers) {
    expect_refusal({"schedule", "library.Branch", "1", "--actor-id", "ann"}, 2, {"--actor-id takes a whole number"});
    expect_refusal({"plan", "library.Branch", "1", "--cap", "0"}, 2, {"--cap takes a whole number greater than 0"});
    expect_refusal({"deletions", "run", "--passes", "-3"}, 2, {"--passes"});
    expect_refusal({"deletions", "run", "--connections", "0"}, 2, {"--connections takes a whole number"});
    expect_refusal({"deletions", "run", "--connections", "33"}, 2, {"A deletion has 1 to 32 connections, not 33"});
    expect_refusal({"worker", "--once", "--connections", "many"}, 2, {"--connections takes a whole number"});
    expect_refusal({"deletions", "list", "--state", "sleeping"}, 2, {"sleeping"});
}

TEST_P(bad_input, empty_id_of_a_batch_is_not_all_batches) {
    ASSERT_EQ(run({"schedule", "library.Branch", "1"}).code, 0);
    ASSERT_EQ(run({"schedule", "library.Branch", "2", "--batch", "spring"}).code, 0);
    for (const std::vector<std::string>& command : {std::vector<std::string>{"cancel"},
                                                    {"deletions", "pause"},
                                                    {"deletions", "resume"},
                                                    {"deletions", "list"},
                                                    {"schedule", "library.Branch", "1"}}) {
        std::vector<std::string> line = command;
        line.insert(line.end(), {"--batch", ""});
        expect_refusal(line, 2, {"--batch", "empty"});
    }
}

TEST_P(bad_input, mistake_with_json_is_a_document_too) {
    for (const std::vector<std::string>& line : {std::vector<std::string>{"--json", "plna"}, {"plan", "--json"}}) {
        const program_result result = run(line);
        EXPECT_EQ(result.code, 2) << result.all();
        EXPECT_EQ(result.document()["error"]["kind"], "usage") << result.all();
        EXPECT_NE(result.document()["error"]["hint"], nullptr) << result.all();
    }
}

TEST_P(bad_input, table_that_is_missing_points_to_the_check) {
    database().run("ALTER TABLE library_loan RENAME TO library_lent");
    const program_result result = run({"plan", "library.Book", "a"});
    EXPECT_EQ(result.code, 1) << result.all();
    EXPECT_TRUE(result.complains("library_loan")) << result.all();
    EXPECT_TRUE(result.complains("run check")) << result.all();
}

TEST_P(bad_input, own_table_that_is_missing_points_to_the_statements) {
    database().run("ALTER TABLE winnow_pause RENAME TO paused");
    const program_result result = run({"deletions", "list"});
    EXPECT_EQ(result.code, 1) << result.all();
    EXPECT_TRUE(result.complains("output of ddl")) << result.all();
    database().run("ALTER TABLE paused RENAME TO winnow_pause");
}

TEST_P(bad_input, model_in_the_wrong_silo) {
    expect_refusal({"--silo-mode", "cell", "schedule", "library.Account", "1"}, 1,
                   {"library.Account", "control silo", "cell"});
    expect_refusal({"--silo-mode", "control", "schedule", "library.Branch", "1"}, 1,
                   {"library.Branch", "cell silo", "control"});
    expect_refusal({"--silo-mode", "control", "plan", "library.Branch", "1"}, 1, {"library.Branch", "cell silo"});
    expect_refusal({"--silo-mode", "region", "models"}, 2, {"region", "monolith, control or cell"});
}

TEST_P(bad_input, commands_that_make_no_sense) {
    expect_refusal({}, 2, {"--help"});
    expect_refusal({"plna"}, 2, {"plna", "--help"});
    expect_refusal({"deletions", "lst"}, 2, {"lst", "library deletions --help"});
    expect_refusal({"plan", "library.Branch"}, 2, {"ID", "library plan --help"});
    expect_refusal({"plan", "library.Branch", "1", "2"}, 2, {"2"});
    expect_refusal({"plan", "library.Branch", "1", "--fast"}, 2, {"--fast"});
    expect_refusal({"cancel"}, 2, {"cancel KEY ID"});
    expect_refusal({"cancel", "library.Branch"}, 2, {"cancel KEY ID"});
    expect_refusal({"cancel", "library.Branch", "1", "--batch", "x"}, 2, {"cancel KEY ID"});
    expect_refusal({"deletions", "pause"}, 2, {"Pause what?"});
    expect_refusal({"deletions", "pause", "--all", "--batch", "x"}, 2, {"--all"});
    expect_refusal({"deletions", "resume", "library.Branch"}, 2, {"Resume what?"});
    expect_refusal({"graph", "--format", "png"}, 2, {"png"});
}

TEST_P(bad_input, unknown_option_and_value_of_the_wrong_kind) {
    expect_refusal({"options", "get", "deletion.speed"}, 2, {"deletion.speed"});
    expect_refusal({"options", "set", "deletion.speed", "1"}, 2, {"deletion.speed"});
    expect_refusal({"options", "unset", "deletion.speed"}, 2, {"deletion.speed"});
    for (const std::string number : {"many", "-1", "1000000001", "9223372036854775807", "99999999999999999999"})
        expect_refusal({"options", "set", "deletion.max_rows", number}, 2,
                       {"deletion.max_rows", "from 0 to 1000000000"});
    expect_refusal({"options", "set", "deletion.strict", "1"}, 2, {"deletion.strict", "true or false"});
}

TEST_P(bad_input, read_only_database_refuses_what_writes) {
    const std::string before = dump();
    const std::vector<std::vector<std::string>> writing = {{"migrate"},
                                                           {"schedule", "library.Branch", "1", "--in", "0d"},
                                                           {"cancel", "library.Branch", "1"},
                                                           {"deletions", "run"},
                                                           {"deletions", "retry", "library.Branch", "1"},
                                                           {"deletions", "confirm", "library.Branch", "1"},
                                                           {"deletions", "pause", "--all"},
                                                           {"deletions", "resume", "--all"},
                                                           {"reattempt"},
                                                           {"options", "set", "deletion.max_rows", "1"},
                                                           {"options", "unset", "deletion.max_rows"}};
    for (std::vector<std::string> arguments : writing) {
        arguments.insert(arguments.begin(), {"--database", read_only_url()});
        const program_result result = run_library(arguments);
        EXPECT_EQ(result.code, 1) << result.all();
        EXPECT_TRUE(result.complains("is read-only")) << result.all();
    }
    EXPECT_EQ(dump(), before);
    const std::vector<std::vector<std::string>> reading = {
        {"plan", "library.Branch", "1"}, {"check"},           {"deletions", "list"},
        {"deletions", "audit"},          {"options", "list"}, {"deletions", "orphans"}};
    for (std::vector<std::string> arguments : reading) {
        arguments.insert(arguments.begin(), {"--database", read_only_url()});
        const program_result result = run_library(arguments);
        EXPECT_EQ(result.code, 0) << result.all();
    }
}

INSTANTIATE_TEST_SUITE_P(databases, bad_input, all_databases(), name_of_database);

class database_without_own_tables : public library_program {};

TEST_P(database_without_own_tables, says_to_migrate) {
    const std::string before = dump();
    const std::vector<std::vector<std::string>> needing = {{"schedule", "library.Branch", "1"},
                                                           {"cancel", "library.Branch", "1"},
                                                           {"deletions", "list"},
                                                           {"deletions", "show", "library.Branch", "1"},
                                                           {"deletions", "run"},
                                                           {"deletions", "pause", "--all"},
                                                           {"deletions", "audit"},
                                                           {"reattempt"},
                                                           {"options", "list"},
                                                           {"options", "set", "deletion.max_rows", "1"}};
    for (const std::vector<std::string>& arguments : needing) {
        const program_result result = run(arguments);
        EXPECT_EQ(result.code, 1) << result.all();
        EXPECT_TRUE(result.complains("winnow's tables are missing")) << result.all();
        EXPECT_TRUE(result.complains("migrate")) << result.all();
    }
    EXPECT_EQ(dump(), before);
}

TEST_P(database_without_own_tables, names_that_are_taken_are_left_alone) {
    for (const std::string taken : {"TABLE winnow_option (a integer)", "VIEW winnow_audit AS SELECT 1 AS a",
                                    "TABLE winnow_schema (number integer)"}) {
        database().run("CREATE " + taken);
        const program_result result = run({"migrate"});
        EXPECT_EQ(result.code, 1) << result.all();
        EXPECT_TRUE(result.complains("not winnow's")) << result.all();
        database().run("DROP " + taken.substr(0, taken.find(' ', 6)));
    }
    EXPECT_EQ(run({"migrate"}).code, 0);
}

INSTANTIATE_TEST_SUITE_P(databases, database_without_own_tables, all_databases(), name_of_database);

void expect_failure(const std::vector<std::string>& arguments, int code, const std::vector<std::string>& texts,
                    const std::string& variables = {}) {
    const program_result result = run_library(arguments, variables);
    EXPECT_EQ(result.code, code) << result.all();
    EXPECT_EQ(result.err.rfind("winnow: ", 0), 0U) << result.all();
    for (const std::string& text : texts) EXPECT_TRUE(result.complains(text)) << text << "\n" << result.all();
}

TEST(unreachable_database, shows_no_password) {
    const std::string server = "postgresql://ann:hidden-word@/shop?host=/nonexistent&password=hidden-word";
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"plan", "library.Branch", "1"},
                                                      {"schedule", "library.Branch", "1"},
                                                      {"migrate"},
                                                      {"check"}}) {
        std::vector<std::string> line = {"--database", server};
        line.insert(line.end(), arguments.begin(), arguments.end());
        const program_result result = run_library(line);
        EXPECT_EQ(result.code, 1) << result.all();
        EXPECT_TRUE(result.complains("cannot connect")) << result.all();
        EXPECT_EQ(result.all().find("hidden-word"), std::string::npos) << result.all();
    }
}

TEST(unreachable_database, missing_file_is_not_made) {
    const scratch_folder folder;
    const std::string file = (folder / "none.db").string();
    for (const std::string command : {"migrate", "check"}) {
        expect_failure({"--database", "sqlite:" + file, command}, 1, {file, "mode=rwc"});
        EXPECT_FALSE(std::filesystem::exists(file));
    }
}

TEST(unreachable_database, file_that_is_no_database) {
    const scratch_folder folder;
    const std::string text =
        "This is a letter to a friend, long enough to be read as a header of a file, and it is none.\n";
    std::ofstream(folder / "letter.txt") << text << text;
    expect_failure({"--database", "sqlite:" + (folder / "letter.txt").string(), "migrate"}, 1,
                   {"letter.txt", "database"});
    EXPECT_EQ(text_of_file(folder / "letter.txt"), text + text);
}

TEST(unreachable_database, urls_that_are_none) {
    expect_failure({"check"}, 1, {"No database is named", "--database"});
    expect_failure({"--database", "data.db", "check"}, 1, {"data.db", "sqlite:PATH"});
    expect_failure({"--database", "mysql://host/shop", "check"}, 1, {"mysql", "sqlite:"});
    expect_failure({"--database", "sqlite:", "check"}, 1, {"path is missing"});
    expect_failure({"--database", "sqlite:x.db?speed=9", "check"}, 1, {"speed"});
    const program_result words = run_library({"--database", "host=db user=ann password=hidden-word", "check"});
    EXPECT_EQ(words.code, 1) << words.all();
    EXPECT_EQ(words.all().find("hidden-word"), std::string::npos) << words.all();
}

/// Runs the library program in a line of the shell, where `PROGRAM` stands for it; its exit code goes to `$code`.
int exit_code_in_shell(std::string line) {
    const scratch_folder folder;
    const std::string code = (folder / "code").string();
    line.replace(line.find("PROGRAM"), 7, quoted_for_shell(library_path()));
    line.replace(line.find("$code"), 5, quoted_for_shell(code));
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
    return std::stoi(text_of_file(code));
}

TEST(standard_streams, reader_that_has_gone_ends_nothing) {
    EXPECT_EQ(exit_code_in_shell("(sleep 0.2; PROGRAM models; echo $? >$code) | true; sleep 1"), 0);
    EXPECT_EQ(exit_code_in_shell("(sleep 0.2; PROGRAM --json models; echo $? >$code) | true; sleep 1"), 0);
}

TEST(standard_streams, text_that_is_lost_is_a_failure) {
    EXPECT_EQ(exit_code_in_shell("(PROGRAM models >/dev/full 2>/dev/null; echo $? >$code)"), 1);
}

TEST(standard_streams, may_be_closed) {
    EXPECT_EQ(exit_code_in_shell("(PROGRAM models <&- >&- 2>&-; echo $? >$code)"), 0);
    EXPECT_EQ(exit_code_in_shell("(PROGRAM plna <&- >&- 2>&-; echo $? >$code)"), 2);
}

}  // namespace
