// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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
