// SPDX-License-Identifier: Apache-2.0
// The program `winnow`: the command line without a model of its own. All models come from plugins.
//
//   winnow --plugin notes.so models
//   winnow --plugin notes.so --database sqlite:notes.db migrate
#include <span>

#include <winnow/cli/drivers.hpp>
#include <winnow/cli/program.hpp>

int main(int argc, char** argv) {
    winnow::cli::program about;
    about.name = "winnow";
    about.drivers = winnow::cli::all_drivers;
    about.cursors = winnow::cli::all_cursors;
    return winnow::cli::run_program(std::span<const winnow::plan>{}, argc, argv, about);
}
