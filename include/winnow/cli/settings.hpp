// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "winnow/cli/json.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/silo.hpp"

namespace winnow::inline v0::cli {

/// The options that every command has, as they were given; empty where they were not.
struct global_arguments {
    std::optional<std::string> database;
    std::optional<std::string> silo_mode;
    std::optional<std::string> actor;
    std::optional<std::string> config;
    bool json = false;
    bool quiet = false;
};

/// What a program works with, after command line, environment and configuration file were put together.
struct settings {
    std::string database;  ///< URL; empty: none was named
    winnow::silo_mode silo_mode = winnow::silo_mode::monolith;
    std::string actor;  ///< who acts, for the audit
    bool json = false;
    bool quiet = false;
};

namespace detail {

[[nodiscard]] inline std::optional<std::string> from_environment(const char* name) {
    const char* found = std::getenv(name);
    if (found == nullptr || *found == '\0') return std::nullopt;
    return std::string(found);
}

/// Reads `{"database": URL, "silo_mode": MODE, "actor": NAME}`.
[[nodiscard]] inline global_arguments read_config(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw error(failure::usage, "The configuration file " + path + " cannot be read.");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const json document = parse_json(text, "The configuration file " + path);
    if (!document.is_object()) throw error(failure::usage, "The configuration file " + path + " is no JSON object.");
    global_arguments found;
    for (const auto& [key, held] : document.items()) {
        std::optional<std::string>* target = key == "database"    ? &found.database
                                             : key == "silo_mode" ? &found.silo_mode
                                             : key == "actor"     ? &found.actor
                                                                  : nullptr;
        if (target == nullptr) {
            throw error(failure::usage, "The configuration file " + path + " has the unknown key \"" + key + "\".")
                .with_hint("Known keys are database, silo_mode and actor.");
        }
        if (!held.is_string()) {
            throw error(failure::usage, "In the configuration file " + path + " \"" + key + "\" has to be text.");
        }
        *target = held.get<std::string>();
    }
    return found;
}

[[nodiscard]] inline winnow::silo_mode mode_of(const std::string& text) {
    for (const winnow::silo_mode mode :
         {winnow::silo_mode::monolith, winnow::silo_mode::control, winnow::silo_mode::cell}) {
        if (name_of(mode) == text) return mode;
    }
    throw error(failure::usage, "There is no silo mode `" + text + "`.").with_hint("Write monolith, control or cell.");
}

}  // namespace detail

/// Puts the global settings together: the command line decides before the environment, that before the file.
/// @throws error of kind `usage` for a configuration file or a silo mode that makes no sense
[[nodiscard]] inline settings resolve(const global_arguments& line) {
    global_arguments file;
    const std::optional<std::string> path = line.config ? line.config : detail::from_environment("WINNOW_CONFIG");
    if (path) file = detail::read_config(*path);
    const auto choose = [](const std::optional<std::string>& first, const char* variable,
                           const std::optional<std::string>& last) {
        if (first) return first;
        const std::optional<std::string> middle = detail::from_environment(variable);
        return middle ? middle : last;
    };
    settings found;
    found.database = choose(line.database, "WINNOW_DATABASE", file.database).value_or("");
    if (const auto mode = choose(line.silo_mode, "WINNOW_SILO_MODE", file.silo_mode))
        found.silo_mode = detail::mode_of(*mode);
    found.actor = choose(line.actor, "WINNOW_ACTOR", file.actor)
                      .value_or(detail::from_environment("USER").value_or("command line"));
    found.json = line.json;
    found.quiet = line.quiet;
    return found;
}

}  // namespace winnow::inline v0::cli
