// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace bench {

/// Takes a program's arguments. What is wrong with them is said in one line.
/// @return the exit code when the program is to end here: 0 after its help, 2 after a wrong argument
[[nodiscard]] inline std::optional<int> read_arguments(CLI::App& program, int count, char** words) {
    try {
        program.parse(count, words);
    } catch (const CLI::ParseError& problem) {
        if (problem.get_exit_code() == 0) return program.exit(problem);
        std::string line = problem.what();
        for (char& one : line)
            if (one == '\n') one = ' ';
        std::fprintf(stderr, "%s: %s; --help lists the arguments\n", program.get_name().c_str(), line.c_str());
        return 2;
    }
    return std::nullopt;
}

}  // namespace bench
