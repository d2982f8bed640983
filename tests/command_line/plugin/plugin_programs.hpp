// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/databases.hpp"

namespace winnow_test {

/// What a program said and how it ended.
struct program_result {
    int code = -1;
    std::string out;
    std::string err;

    [[nodiscard]] std::string all() const { return "exit " + std::to_string(code) + "\n" + out + "\n" + err; }
    [[nodiscard]] bool says(std::string_view text) const {
        return out.find(text) != std::string::npos || err.find(text) != std::string::npos;
    }
};

[[nodiscard]] inline std::string text_of_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A folder of its own, gone when the object goes. Only this user may write to it, so a plugin in it is taken.
class scratch_folder {
public:
    scratch_folder() : path_(std::filesystem::temp_directory_path() / unused_name()) {
        std::filesystem::create_directory(path_);
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    ~scratch_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

/// All programs of one build lie in one folder, its plugins in another.
[[nodiscard]] inline std::string program_file(std::string_view name) {
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}
[[nodiscard]] inline std::string plugin_file(const std::string& name) {
    return (std::filesystem::path(WINNOW_TEST_PLUGINS) / (name + ".so")).string();
}

/// A program of this build that was started. Killed if it still runs when the object goes.
class started_program {
public:
    started_program(std::vector<std::string> line, const std::vector<std::string>& variables = {}) {
        std::vector<char*> words;
        for (std::string& word : line) words.push_back(word.data());
        words.push_back(nullptr);
        id_ = ::fork();
        if (id_ != 0) return;
        for (const char* own : {"WINNOW_DATABASE", "WINNOW_SILO_MODE", "WINNOW_ACTOR", "WINNOW_CONFIG",
                                "WINNOW_PLUGINS", "WINNOW_PLUGIN_PATH", "WINNOW_REDIS", "WINNOW_CELL_NAME"})
            ::unsetenv(own);
        for (const std::string& one : variables) {
            const std::size_t equals = one.find('=');
            ::setenv(one.substr(0, equals).c_str(), one.substr(equals + 1).c_str(), 1);
        }
        if (std::freopen("/dev/null", "r", stdin) == nullptr ||
            std::freopen((folder_ / "out").c_str(), "w", stdout) == nullptr ||
            std::freopen((folder_ / "err").c_str(), "w", stderr) == nullptr)
            ::_exit(126);
        ::execv(words[0], words.data());
        ::_exit(127);
    }
    started_program(const started_program&) = delete;
    started_program& operator=(const started_program&) = delete;
    ~started_program() {
        if (id_ > 0) (void)kill();
    }

    /// Waits for its end.
    [[nodiscard]] program_result result() {
        int status = 0;
        (void)::waitpid(id_, &status, 0);
        id_ = -1;
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of_file(folder_ / "out"),
                text_of_file(folder_ / "err")};
    }
    /// Ends it as a crash would.
    program_result kill() {
        (void)::kill(id_, SIGKILL);
        return result();
    }

private:
    scratch_folder folder_;
    pid_t id_ = -1;
};

/// Runs a program of this build to its end.
[[nodiscard]] inline program_result run_program(const std::string& program, const std::vector<std::string>& plugins,
                                                const std::vector<std::string>& arguments,
                                                const std::vector<std::string>& variables = {}) {
    std::vector<std::string> line = {program_file(program)};
    for (const std::string& one : plugins) line.insert(line.end(), {"--plugin", one});
    line.insert(line.end(), arguments.begin(), arguments.end());
    return started_program(std::move(line), variables).result();
}

/// A database as a user names it, without the options that tests add. It is there when this returns.
[[nodiscard]] inline std::string url_of(const fresh_database& database) {
    (void)database.open();
    if (const auto* file = dynamic_cast<const fresh_sqlite*>(&database)) return "sqlite:" + file->file().string();
    return database.url();
}

[[nodiscard]] inline std::int64_t count(const fresh_database& in, const std::string& table,
                                        const std::string& condition = "1 = 1") {
    return in.number("SELECT count(*) FROM " + table + " WHERE " + condition);
}

/// A folder where the plugin `notes` keeps the files of its attachments.
class notes_folder {
public:
    [[nodiscard]] std::string variable() const { return "NOTES_FILES=" + folder_.path().string(); }
    [[nodiscard]] std::filesystem::path journal() const { return folder_ / "journal.txt"; }
    void write(std::int64_t first, std::int64_t last) const {
        for (std::int64_t id = first; id <= last; ++id) std::ofstream(folder_ / std::to_string(id)) << "bytes\n";
    }
    /// Numbers of files, the journal left out.
    [[nodiscard]] std::int64_t files() const {
        std::int64_t all = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
            if (entry.path() != journal()) ++all;
        return all;
    }

private:
    scratch_folder folder_;
};

/// Numbers 1 to `last` as a table `n (i)`, for both kinds of database.
[[nodiscard]] inline std::string numbers(std::int64_t last) {
    return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + std::to_string(last) + ") ";
}

/// Two notebooks of 150 notes each, every note with a file, 200 log entries for each notebook.
inline void fill_notebooks(const fresh_database& database) {
    database.run("INSERT INTO notes_notebook (title) VALUES ('travels'), ('recipes');");
    for (const char* notebook : {"1", "2"}) {
        database.run(numbers(150) + "INSERT INTO notes_note (notebook_id, body) SELECT " + notebook +
                     ", 'note' FROM n;");
        database.run(numbers(200) + "INSERT INTO access_log_entry (notebook_id, reader) SELECT " + notebook +
                     ", 'ann' FROM n;");
    }
    database.run("INSERT INTO notes_attachment (note_id, name) SELECT id, 'file' FROM notes_note ORDER BY id;");
}

}  // namespace winnow_test
