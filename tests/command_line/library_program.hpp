// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "support/databases.hpp"

namespace winnow_test {

/// What a program said and how it ended.
struct program_result {
    int code = -1;
    std::string out;
    std::string err;

    [[nodiscard]] std::string all() const { return "exit " + std::to_string(code) + "\n" + out + "\n" + err; }
    [[nodiscard]] bool says(std::string_view text) const { return out.find(text) != std::string::npos; }
    [[nodiscard]] bool complains(std::string_view text) const { return err.find(text) != std::string::npos; }
    [[nodiscard]] nlohmann::json document() const { return nlohmann::json::parse(out); }
};

[[nodiscard]] inline std::string quoted_for_shell(const std::string& word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "' ";
}

[[nodiscard]] inline std::string text_of_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// All programs of one build lie in one folder.
[[nodiscard]] inline std::string library_path() {
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "library").string();
}

/// A folder of its own, gone when the object goes.
class scratch_folder {
public:
    scratch_folder() : path_(std::filesystem::temp_directory_path() / unused_name()) {
        std::filesystem::create_directory(path_);
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    ~scratch_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

/// Runs the library program to its end, with nothing of winnow's in its environment but `variables`.
[[nodiscard]] inline program_result run_library(const std::vector<std::string>& arguments,
                                                const std::string& variables = {}) {
    const scratch_folder folder;
    std::string command =
        "env -u WINNOW_DATABASE -u WINNOW_SILO_MODE -u WINNOW_ACTOR -u WINNOW_CONFIG -u WINNOW_PLUGINS -u WINNOW_PLUGIN_PATH " +
        variables + " " + quoted_for_shell(library_path());
    for (const std::string& one : arguments) command += quoted_for_shell(one);
    command += ">" + quoted_for_shell((folder / "out").string()) + "2>" + quoted_for_shell((folder / "err").string()) +
               "</dev/null";
    const int status = std::system(command.c_str());
    program_result result;
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.out = text_of_file(folder / "out");
    result.err = text_of_file(folder / "err");
    return result;
}

[[nodiscard]] inline std::string text_of(const winnow::value& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
    if (const auto* real = std::get_if<double>(&cell)) return std::to_string(*real);
    if (const auto* yes = std::get_if<bool>(&cell)) return *yes ? "true" : "false";
    return "NULL";
}

/// A library of two branches in a database of its own. Branch 1 has 2 shelves, 4 books and 4 loans, all by
/// reader 1; branch 2 has a shelf with 30 books.
class library_program : public on_every_database {
protected:
    void SetUp() override {
        on_every_database::SetUp();
        const std::string id =
            GetParam() == dialect::sqlite ? "integer PRIMARY KEY AUTOINCREMENT" : "bigserial PRIMARY KEY";
        database().run(
            "CREATE TABLE library_branch (id " + id +
            ", name text NOT NULL, status integer NOT NULL DEFAULT 0);"
            "CREATE TABLE library_shelf (id " +
            id +
            ", branch_id bigint NOT NULL REFERENCES library_branch (id));"
            "CREATE INDEX shelf_branch ON library_shelf (branch_id);"
            "CREATE TABLE library_book (isbn text PRIMARY KEY, shelf_id bigint NOT NULL REFERENCES library_shelf (id));"
            "CREATE INDEX book_shelf ON library_book (shelf_id);"
            "CREATE TABLE library_reader (id " +
            id +
            ", name text NOT NULL);"
            "CREATE TABLE library_loan (id " +
            id +
            ", book_isbn text NOT NULL REFERENCES library_book (isbn),"
            " reader_id bigint REFERENCES library_reader (id));"
            "CREATE INDEX loan_book ON library_loan (book_isbn);"
            "CREATE INDEX loan_reader ON library_loan (reader_id);"
            "CREATE TABLE library_seat (building bigint NOT NULL, number integer NOT NULL, PRIMARY KEY (building, number));"
            "CREATE TABLE library_account (id " +
            id + ");");
        database().run("INSERT INTO library_branch (name) VALUES ('north'), ('south');"
                       "INSERT INTO library_shelf (branch_id) VALUES (1), (1), (2);"
                       "INSERT INTO library_book VALUES ('a', 1), ('b', 1), ('c', 2), ('d', 2);"
                       "INSERT INTO library_reader (name) VALUES ('ann'), ('bob');"
                       "INSERT INTO library_loan (book_isbn, reader_id) VALUES ('a', 1), ('b', 1), ('c', 1), ('d', 1);"
                       "INSERT INTO library_seat VALUES (1, 1), (1, 2), (2, 1);"
                       "INSERT INTO library_account (id) VALUES (1);");
        std::string books;
        for (int book = 0; book < 30; ++book)
            books += "INSERT INTO library_book VALUES ('south-" + std::to_string(book) + "', 3);";
        database().run(books);
    }

    /// The database as a user names it.
    [[nodiscard]] std::string url() const {
        if (GetParam() == dialect::postgres) return database().url();
        return "sqlite:" + file().string();
    }
    /// The file of a SQLite database.
    [[nodiscard]] std::filesystem::path file() const { return dynamic_cast<const fresh_sqlite&>(database()).file(); }
    /// The same database, for reading only.
    [[nodiscard]] std::string read_only_url() const {
        if (GetParam() == dialect::sqlite) return url() + "?mode=ro";
        return url() + "&options=-c%20default_transaction_read_only%3Don";
    }

    [[nodiscard]] program_result run(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"--database", url(), "--actor", "tester"});
        return run_library(arguments);
    }
    /// The same with `--json`, read; the test fails unless the program ended with `code`.
    [[nodiscard]] nlohmann::json document(std::vector<std::string> arguments, int code = 0) const {
        arguments.emplace_back("--json");
        const program_result result = run(std::move(arguments));
        EXPECT_EQ(result.code, code) << result.all();
        return nlohmann::json::parse(result.out, nullptr, false);
    }
    void migrate() const { ASSERT_EQ(run({"migrate"}).code, 0); }
    void set_option(const std::string& name, const std::string& to) const {
        ASSERT_EQ(run({"options", "set", name, to}).code, 0);
    }
    [[nodiscard]] std::int64_t count(const std::string& table, const std::string& condition = "1 = 1") const {
        return database().number("SELECT count(*) FROM " + table + " WHERE " + condition);
    }

    /// Everything that a command could have changed, winnow's own tables included.
    [[nodiscard]] std::string dump() const {
        const winnow::connection_ptr session = database().open();
        std::vector<std::string> tables = {"library_branch", "library_shelf", "library_book",   "library_reader",
                                           "library_loan",   "library_seat",  "library_account"};
        const bool migrated =
            GetParam() == dialect::sqlite
                ? database().number("SELECT count(*) FROM sqlite_master WHERE name = 'winnow_schema'") != 0
                : database().number("SELECT count(to_regclass('winnow_schema'))") != 0;
        if (migrated) {
            tables.insert(tables.end(), {"winnow_control_scheduled_deletion", "winnow_cell_scheduled_deletion",
                                         "winnow_pause", "winnow_audit", "winnow_option", "winnow_grave"});
        }
        std::string text;
        for (const std::string& table : tables) {
            const winnow::rows found = session->execute_once("SELECT * FROM " + table, {});
            std::vector<std::string> lines;
            for (std::size_t row = 0; row < found.size(); ++row) {
                std::string line;
                for (const winnow::value& cell : found[row]) line += text_of(cell) + "|";
                lines.push_back(std::move(line));
            }
            std::sort(lines.begin(), lines.end());
            text += table + "\n";
            for (const std::string& line : lines) text += line + "\n";
        }
        return text;
    }
};

}  // namespace winnow_test
