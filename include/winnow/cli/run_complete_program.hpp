// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>

#include "winnow/cli/drivers.hpp"
#include "winnow/cli/program_description.hpp"
#include "winnow/cli/run_program.hpp"
#include "winnow/plan/plan.hpp"
#ifdef WINNOW_HAS_WEB
#include "winnow/cli/commands/serve.hpp"
#include "winnow/web/endpoint.hpp"
#endif

namespace winnow::inline v0::cli {

/// `run_program` with everything that winnow was built with and that `about` does not name itself: the drivers of
/// SQLite and PostgreSQL, Redis, the page with its API, metrics.
[[nodiscard]] WINNOW_CLI_FUNCTION int run_complete_program(std::span<const plan> plans, int argc, char** argv,
                                                           program about) {
    if (about.drivers.empty()) about.drivers = all_drivers;
    if (about.cursors == nullptr) about.cursors = all_cursors;
    if (about.buckets == nullptr) about.buckets = all_buckets;
    if (about.brokers == nullptr) about.brokers = all_brokers;
#ifdef WINNOW_HAS_WEB
    if (about.endpoints == nullptr) about.endpoints = web::open_endpoint;
    for (command& one : serve_commands()) about.commands.push_back(std::move(one));
#endif
    return run_program(plans, argc, argv, about);
}

}  // namespace winnow::inline v0::cli
