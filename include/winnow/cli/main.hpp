// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>

#include "winnow/cli/program_description.hpp"
#include "winnow/derive/plans_of.hpp"
#include "winnow/plan/plan.hpp"
#ifndef WINNOW_SEPARATE_COMPILATION
#include "winnow/cli/run_complete_program.hpp"
#endif

namespace winnow::inline v0::cli {

#ifdef WINNOW_SEPARATE_COMPILATION
[[nodiscard]] int run_complete_program(std::span<const plan> plans, int argc, char** argv, program about);
#endif

/// The whole program of a registry, its `main` in one line:
///
///     int main(int argc, char** argv) { return winnow::cli::run<Models>(argc, argv); }
///
/// Opens SQLite files and PostgreSQL databases. A program that links only one of them includes
/// winnow/cli/program.hpp instead and calls `run_program` with that driver.
/// @param about own commands, name and version; see `program`
/// @return the exit code: 0 done, 1 refused or failed, 2 usage
template <class Registry> [[nodiscard]] int run(int argc, char** argv, program about = {}) {
    return run_complete_program(plans_of<Registry>, argc, argv, std::move(about));
}

}  // namespace winnow::inline v0::cli
