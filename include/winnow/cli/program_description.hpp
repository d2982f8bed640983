// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/endpoint.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/plan/part.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/store/open.hpp"

/// With WINNOW_SEPARATE_COMPILATION, one source file of a program includes `winnow/cli/source.hpp` and has what makes up
/// its command line; all others are compiled in a fraction of the time. The macro is the whole program's.
#ifdef WINNOW_SEPARATE_COMPILATION
#define WINNOW_CLI_FUNCTION
#else
#define WINNOW_CLI_FUNCTION inline
#endif

namespace winnow::inline v0::cli {

/// What a program adds to winnow's own command line.
struct program {
    std::string name{};                   ///< for help texts; empty: the name it was started by
    std::string version{};                ///< its own, printed before winnow's
    std::vector<command> commands{};      ///< its own; a name may consist of a group and a command
    std::span<const driver> drivers{};    ///< databases that it can open
    cursor_opener cursors = nullptr;      ///< opens what --redis names; null: this program has no Redis
    broker_opener brokers = nullptr;      ///< the same for tasks of workers
    bucket_opener buckets = nullptr;      ///< opens rate limits there; null: they are kept in the database
    endpoint_opener endpoints = nullptr;  ///< answers for `worker --metrics`; null: this program has no web part
    /// Further models that are linked, as those of static libraries: `{.name = "audit", .plans = plans_of<AuditModels>}`.
    std::vector<model_part> parts{};
};

/// Runs another command from within an own one, as the command line would.
///
///     run_command(in, "plan", {{"KEY", "tracker.Organization"}, {"ID", "1"}});
///
/// @param arguments names as the command declares them (`KEY`, `--in`); a flag is given with any text
/// @return its exit code
/// @throws error of kind `usage` when winnow has no such command; otherwise what the command throws
WINNOW_CLI_FUNCTION int run_command(environment& in, std::string_view name,
                                    std::initializer_list<std::pair<std::string_view, std::string>> arguments = {});

/// A program over plans, and over those of plugins: reads the command line, does one command.
/// @param plans of the program's own models, none for a program that lives of plugins; must outlive the call
/// @return the exit code: 0 done, 1 refused or failed, 2 usage. Never throws.
[[nodiscard]] WINNOW_CLI_FUNCTION int run_program(std::span<const plan> plans, int argc, char** argv,
                                                  const program& about = {}) noexcept;

}  // namespace winnow::inline v0::cli
