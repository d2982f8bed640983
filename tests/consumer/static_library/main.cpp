// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <winnow/cli/program.hpp>
#include <winnow/store/sqlite.hpp>

#include "books.hpp"

int main(int argc, char** argv) {
    static constexpr std::array drivers{winnow::sqlite_driver};
    winnow::cli::program about;
    about.drivers = drivers;
    about.parts = {library::models()};
    return winnow::cli::run_program({}, argc, argv, about);
}
