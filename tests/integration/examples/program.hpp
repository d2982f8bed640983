// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laws/child_process.hpp"

/// What a program said and how it ended.
struct program_result {
    int exit_code = -1;
    std::string output;  ///< both streams

    [[nodiscard]] bool says(std::string_view text) const { return output.find(text) != std::string::npos; }
};

/// All programs of one build lie in one folder.
[[nodiscard]] inline std::filesystem::path program_path(const std::string& name) {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

/// Runs a program of this build to its end.
[[nodiscard]] inline program_result run_program(const std::string& name, const std::vector<std::string>& arguments) {
    std::string command;
    const auto add = [&](const std::string& word) {
        command += '\'';
        for (const char c : word) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
        command += "' ";
    };
    add(program_path(name).string());
    for (const std::string& argument : arguments) add(argument);
    std::FILE* pipe = ::popen((command + "2>&1 </dev/null").c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("cannot start " + name);
    program_result result;
    std::array<char, 4096> buffer{};
    for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        result.output.append(buffer.data(), n);
    const int status = ::pclose(pipe);
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

/// A program of this build that runs beside the test; killed at the latest with this object.
class running_program {
public:
    /// @param log file that gets both of its streams
    running_program(const std::string& name, std::vector<std::string> arguments, std::filesystem::path log)
        : log_(std::move(log)), process_([&] {
              const int out = ::open(log_.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
              ::dup2(out, 1);
              ::dup2(out, 2);
              const std::string path = program_path(name).string();
              std::vector<char*> words{const_cast<char*>(path.c_str())};
              for (std::string& one : arguments) words.push_back(one.data());
              words.push_back(nullptr);
              ::execv(path.c_str(), words.data());
              ::_exit(127);
          }) {}

    void signal(int which) const { process_.signal(which); }
    /// @return its exit code
    [[nodiscard]] int wait() { return process_.wait().code; }
    [[nodiscard]] std::string log() const {
        std::ifstream file(log_);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

private:
    std::filesystem::path log_;
    winnow_test::child_process process_;
};
