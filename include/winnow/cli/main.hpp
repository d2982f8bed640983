// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "winnow/cli/drivers.hpp"
#include "winnow/cli/program.hpp"
#include "winnow/derive/plans_of.hpp"
#ifdef WINNOW_HAS_WEB
#include "winnow/cli/commands/serve.hpp"
#include "winnow/web/endpoint.hpp"
#endif

namespace winnow::inline v0::cli {

/// The whole program of a registry, its `main` in one line:
///
///     int main(int argc, char** argv) { return winnow::cli::run<Models>(argc, argv); }
///
/// Opens SQLite files and PostgreSQL databases. A program that links only one of them includes
/// winnow/cli/program.hpp instead and calls `run_program` with that driver.
/// @param about own commands, name and version; see `program`
/// @return the exit code: 0 done, 1 refused or failed, 2 usage
template <class Registry> [[nodiscard]] int run(int argc, char** argv, program about = {}) {
    if (about.drivers.empty()) about.drivers = all_drivers;
    if (about.cursors == nullptr) about.cursors = all_cursors;
    if (about.buckets == nullptr) about.buckets = all_buckets;
    if (about.brokers == nullptr) about.brokers = all_brokers;
#ifdef WINNOW_HAS_WEB
    if (about.endpoints == nullptr) about.endpoints = web::open_endpoint;
    for (command& one : serve_commands()) about.commands.push_back(std::move(one));
#endif
    return run_program(plans_of<Registry>, argc, argv, about);
}

}  // namespace winnow::inline v0::cli
