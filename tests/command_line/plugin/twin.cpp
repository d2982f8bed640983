// SPDX-License-Identifier: Apache-2.0
// The models of two plugins, compiled into a program: what it says has to be what the stock program says with them.
#include <winnow/cli/drivers.hpp>
#include <winnow/cli/program.hpp>
#include <winnow/derive/plans_of.hpp>

#include "plugins/access_log/access_log.hpp"
#include "plugins/access_log/schema.hpp"
#include "plugins/notes/notes.hpp"
#include "plugins/notes/schema.hpp"

int main(int argc, char** argv) {
    winnow::cli::program about;
    about.name = "winnow";
    about.drivers = winnow::cli::all_drivers;
    about.cursors = winnow::cli::all_cursors;
    about.parts = {{.name = "notes",
                    .version = "1.0.0",
                    .plans = winnow::plans_of<notes::Models>,
                    .migrations = notes::migrations,
                    .options = notes::options},
                   {.name = "access_log",
                    .version = "1.0.0",
                    .plans = winnow::plans_of<access_log::Models>,
                    .migrations = access_log::migrations}};
    return winnow::cli::run_program(std::span<const winnow::plan>{}, argc, argv, about);
}
