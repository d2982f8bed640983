// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/context/options.hpp"
#include "winnow/core/error.hpp"
#include "winnow/store/open.hpp"

namespace winnow::inline v0::cli::detail {

/// `--connections NUMBER` of the commands that run deletions.
[[nodiscard]] inline argument connections_option() {
    return option("--connections", "NUMBER",
                  "connections that work on one deletion; PostgreSQL only, instead of option deletion.connections");
}

/// What was given for it; 0 when nothing was.
/// @throws error of kind `usage` for a number out of range, or more than one on SQLite
[[nodiscard]] inline std::int64_t connections_of(const environment& in, const given& arguments) {
    const std::int64_t number = arguments.number("--connections", 1).value_or(0);
    if (number > most_connections)
        throw error(failure::usage, "A deletion has 1 to " + std::to_string(most_connections) + " connections, not " +
                                        std::to_string(number) + ".");
    if (number < 2) return number;
    for (const worker_site& site : in.sites()) {
        const connector_ptr way = open_connector(in.url_of(site), in.drivers());
        if (way->kind() == dialect::sqlite)
            throw error(failure::usage,
                        "A deletion in " + way->description() + " has one connection: SQLite has one writer at a time.")
                .with_hint("Leave --connections out.");
    }
    return number;
}

}  // namespace winnow::inline v0::cli::detail
