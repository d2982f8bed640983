// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <pty.h>

#include "library_program.hpp"
#include "winnow/cli/progress.hpp"

namespace {

using namespace winnow_test;

class settings : public library_program {
protected:
    void SetUp() override {
        library_program::SetUp();
        migrate();
    }
    /// Who the audit says scheduled branch 1.
    [[nodiscard]] std::string actor() const {
        return database()
            .open()
            ->execute_once("SELECT actor FROM winnow_audit ORDER BY id DESC LIMIT 1", {})
            .text(0, 0);
    }
};

TEST_P(settings, come_from_line_then_environment_then_file) {
    const scratch_folder folder;
    const std::string path = (folder / "winnow.json").string();
    std::ofstream(path) << nlohmann::json{{"database", url()}, {"silo_mode", "cell"}, {"actor", "from file"}};
    const std::vector<std::string> words = {"schedule", "library.Branch", "1"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.end(), words.begin(), words.end());
        return more;
    };
    const program_result by_file = run_library(with({"--config", path}));
    EXPECT_EQ(by_file.code, 0) << by_file.all();
    EXPECT_EQ(actor(), "from file");
    EXPECT_EQ(run_library(words, "WINNOW_CONFIG=" + quoted_for_shell(path)).code, 0);

    EXPECT_EQ(run_library(with({"--config", path}), "WINNOW_ACTOR=environment").code, 0);
    EXPECT_EQ(actor(), "environment");
    EXPECT_EQ(run_library(with({"--config", path, "--actor", "line"}), "WINNOW_ACTOR=environment").code, 0);
    EXPECT_EQ(actor(), "line");
    EXPECT_EQ(run_library(words, "WINNOW_DATABASE=" + quoted_for_shell(url()) + "WINNOW_SILO_MODE=control").code, 1)
        << "the file says cell";
    EXPECT_EQ(run_library(words, "WINNOW_DATABASE=" + quoted_for_shell(url()) + "WINNOW_SILO_MODE=cell").code, 0);
    EXPECT_EQ(run_library({"--silo-mode", "cell", "deletions", "list"},
                          "WINNOW_DATABASE=" + quoted_for_shell(url()) + "WINNOW_SILO_MODE=x")
                  .code,
              0);
    EXPECT_EQ(run_library({"schedule", "library.Branch", "1", "--database", url()}).code, 0)
        << "after the command as well";
}

TEST_P(settings, quiet_leaves_out_what_is_no_result) {
    const program_result loud = run({"schedule", "library.Branch", "1", "--in", "0d"});
    EXPECT_TRUE(loud.complains("info deletion scheduled transaction_id=")) << loud.all();
    const program_result quiet = run({"--quiet", "deletions", "run"});
    EXPECT_EQ(quiet.code, 0) << quiet.all();
    EXPECT_EQ(quiet.err, "");
    EXPECT_TRUE(quiet.says("library.Branch 1: deleted")) << quiet.all();
}

TEST_P(settings, nothing_for_terminals_goes_elsewhere) {
    ASSERT_EQ(run({"schedule", "library.Branch", "2", "--in", "0d"}).code, 0);
    const program_result result = run({"deletions", "run"});
    EXPECT_EQ(result.code, 0) << result.all();
    EXPECT_EQ(result.all().find('\x1b'), std::string::npos);
    EXPECT_EQ(result.all().find('\r'), std::string::npos);
}

TEST_P(settings, control_characters_in_ids_do_not_reach_the_terminal) {
    database().run("INSERT INTO library_book VALUES ('red\x1b[31m', 1);");
    const program_result result = run({"schedule", "library.Book", "red\x1b[31m"});
    EXPECT_EQ(result.code, 0) << result.all();
    EXPECT_EQ(result.all().find('\x1b'), std::string::npos);
    EXPECT_TRUE(result.says("red\\x1b[31m")) << result.all();
}

/// All that a process writes to its terminal, which is closed here, until it ends with exit code 0.
std::string all_from(int terminal, pid_t child) {
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(terminal, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(got));
    ::close(terminal);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << text;
    return text;
}

/// Runs the program on a terminal of its own. @return all that it wrote there
std::string run_on_terminal(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), library_path());
    std::vector<char*> words;
    for (std::string& one : arguments) words.push_back(one.data());
    words.push_back(nullptr);
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
        ::execv(words[0], words.data());
        ::_exit(127);
    }
    return all_from(terminal, child);
}

TEST_P(settings, a_terminal_shows_progress_and_is_left_clean) {
    ASSERT_EQ(run({"schedule", "library.Branch", "2", "--in", "0d"}).code, 0);
    const std::string text = run_on_terminal({"--database", url(), "deletions", "run"});
    EXPECT_NE(text.find("\rlibrary.Branch 2: "), std::string::npos) << text;
    EXPECT_NE(text.find(" of 32 rows, "), std::string::npos) << text;
    EXPECT_NE(text.find(" rows/s"), std::string::npos) << text;
    EXPECT_NE(text.find(" left"), std::string::npos) << text;
    const std::size_t cleared = text.rfind("\r\x1b[K");
    ASSERT_NE(cleared, std::string::npos) << text;
    EXPECT_GT(text.find("library.Branch 2: deleted"), cleared) << text;
}

TEST(progress_display, is_off_the_terminal_before_an_error_is_written) {
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
        try {
            winnow::cli::progress_display shown(false);
            shown.start("guid", 0);
            winnow::deletion_progress now;
            now.model = "library.Branch";
            now.transaction_id = "guid";
            now.rows_done = 5;
            shown.progress(now);
            throw std::runtime_error("the server went away");
        } catch (const std::runtime_error& problem) {
            winnow::cli::write_to(stderr, problem.what());
        }
        ::_exit(0);
    }
    const std::string text = all_from(terminal, child);
    EXPECT_NE(text.find("\rlibrary.Branch : 5 rows"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("\r\x1b[Kthe server went away")) << text;
}

INSTANTIATE_TEST_SUITE_P(databases, settings, all_databases(), name_of_database);

void expect_usage_error(const std::string& config, const std::vector<std::string>& texts) {
    const scratch_folder folder;
    const std::string path = (folder / "winnow.json").string();
    std::ofstream(path) << config;
    const program_result result = run_library({"--config", path, "models"});
    EXPECT_EQ(result.code, 2) << result.all();
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.complains(path)) << result.all();
    for (const std::string& text : texts) EXPECT_TRUE(result.complains(text)) << text << "\n" << result.all();
}

TEST(configuration_file, names_the_cells_where_one_is_meant) {
    const scratch_folder folder;
    const std::string path = (folder / "winnow.json").string();
    std::ofstream(path) << R"({"control": "sqlite:c.db", "cells": {"us": "sqlite:us.db", "de": "sqlite:de.db"}})";
    const program_result unnamed = run_library({"--config", path, "--silo-mode", "cell", "deletions", "list"});
    EXPECT_EQ(unnamed.code, 2) << unnamed.all();
    EXPECT_TRUE(unnamed.complains("no cell is named")) << unnamed.all();
    const program_result unknown = run_library({"--config", path, "--cell", "fr", "deletions", "list"});
    EXPECT_EQ(unknown.code, 2) << unknown.all();
    EXPECT_TRUE(unknown.complains("no cell `fr`")) << unknown.all();
    EXPECT_TRUE(unknown.complains("us, de")) << "in the order of the file: " << unknown.all();
}

TEST(configuration_file, refuses_what_it_does_not_know) {
    expect_usage_error(R"({"databse": "sqlite:x.db"})", {"databse", "database, silo_mode, cell_name, control"});
    expect_usage_error(R"({"actor": 7})", {"actor", "text"});
    expect_usage_error(R"({"control": "sqlite:c.db"})", {"control silo and no cells", "cells"});
    expect_usage_error(R"({"cells": {"us": "sqlite:us.db"}})", {"cells and no control silo"});
    expect_usage_error(R"({"control": "sqlite:c.db", "cells": ["us"]})", {"cells", "object of cell names"});
    expect_usage_error(R"({"control": "sqlite:c.db", "cells": {"us": 1}})", {"cells.us", "text"});
    expect_usage_error(R"({"self_hosted": "yes"})", {"self_hosted", "true or false"});
    expect_usage_error(R"(["sqlite:x.db"])", {"no JSON object"});
    expect_usage_error(R"({"actor": )", {"no JSON"});
    expect_usage_error("", {"no JSON"});
}

TEST(configuration_file, has_to_exist) {
    const program_result result = run_library({"--config", "/nonexistent/winnow.json", "models"});
    EXPECT_EQ(result.code, 2) << result.all();
    EXPECT_TRUE(result.complains("/nonexistent/winnow.json")) << result.all();
}

TEST(configuration_file, has_to_be_a_file) {
    const program_result result = run_library({"--config", "/", "models"});
    EXPECT_EQ(result.code, 2) << result.all();
    EXPECT_TRUE(result.complains("cannot be read")) << result.all();
}

TEST(configuration_file, nothing_is_read_behind_a_nul) {
    const scratch_folder folder;
    std::ofstream(folder / "nul.json") << R"({"database": "sqlite:\u0000library.db"})";
    const program_result result = run_library({"--config", (folder / "nul.json").string(), "check"});
    EXPECT_EQ(result.code, 1) << result.all();
    EXPECT_TRUE(result.complains("NUL")) << result.all();
}

TEST(configuration_file, error_in_json_is_json_too) {
    const program_result result = run_library({"--json", "--database", "sqlite:/nonexistent/x.db", "check"});
    EXPECT_EQ(result.code, 1) << result.all();
    EXPECT_EQ(result.document()["error"]["kind"], "connection");
    EXPECT_TRUE(result.complains("winnow: ")) << result.all();
}

}  // namespace
