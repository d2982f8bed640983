// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <ios>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "winnow/cli/json.hpp"
#include "winnow/cli/log.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/plugin/file_check.hpp"
#include "winnow/store/redis_options.hpp"

namespace winnow::inline v0::cli {

/// The options that every command has, as they were given; empty where they were not.
struct global_arguments {
    std::optional<std::string> database;
    std::optional<std::string> silo_mode;
    std::optional<std::string> actor;
    std::optional<std::string> config;
    std::optional<std::string> cell_name;
    std::optional<std::string> redis;
    std::vector<std::string> plugins{};  ///< files, one for each time that it was given
    std::optional<std::string> log_format;
    bool json = false;
    bool quiet = false;
};

/// One cell and where its database is.
struct named_database {
    std::string name;
    std::string url;
};

/// What a program works with, after command line, environment and configuration file were put together.
struct settings {
    std::string database;  ///< URL; empty: none was named
    winnow::silo_mode silo_mode = winnow::silo_mode::monolith;
    std::string actor;                   ///< who acts, for the audit
    std::string cell_name;               ///< the cell that is worked on; empty: none was named
    std::string control;                 ///< URL of the control silo's database; empty: all silos are in `database`
    std::vector<named_database> cells;   ///< the cells and their databases
    std::string redis;                   ///< URL; empty: no Redis
    bool self_hosted = false;            ///< `upgrade` backfills
    log_format log = log_format::text;   ///< how log lines are written
    std::vector<std::string> plugins{};  ///< files, or names that are looked for
    std::vector<std::string> plugin_folders{};   ///< the only folders that plugins are taken from; empty: any
    std::vector<std::string> plugin_search{};    ///< further folders in which names are looked for
    std::vector<std::string> required_models{};  ///< keys without which nothing is done
    int worker_threads = 4;
    std::string worker_broker;  ///< sql, redis or memory; empty: redis when there is one, else sql
    bool json = false;
    bool quiet = false;

    /// Whether the silos have databases of their own.
    [[nodiscard]] bool has_silos() const noexcept { return !control.empty() || !cells.empty(); }
};

namespace detail {

[[nodiscard]] inline std::optional<std::string> from_environment(const char* name) {
    const char* found = std::getenv(name);
    if (found == nullptr || *found == '\0') return std::nullopt;
    return std::string(found);
}

/// What a configuration file says.
struct file_settings {
    global_arguments global;
    std::string control;
    std::vector<named_database> cells;
    bool self_hosted = false;
    std::vector<std::string> plugin_folders{};
    std::vector<std::string> required_models{};
    std::optional<std::string> worker_threads;
    std::optional<std::string> worker_broker;
};

/// All of a file. @throws error of kind `usage` when it cannot be read, as a folder cannot
[[nodiscard]] inline std::string read_text(const std::string& path) {
    const auto refuse = [&] {
        return error(failure::usage, "The configuration file " + path + " cannot be read.")
            .with_hint("Name a file that this user may read, with --config or in WINNOW_CONFIG.");
    };
    try {
        std::ifstream file(path, std::ios::binary);
        if (!file) throw refuse();
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    } catch (const std::ios_base::failure&) {
        throw refuse();
    }
}

/// Reads the object `worker` of a configuration file.
template <class Refuse>
void read_worker(const json& held, const Refuse& refuse, file_settings& found) {
    if (!held.is_object()) throw refuse("worker", "an object with threads and broker");
    for (const auto& [key, one] : held.items()) {
        if (key == "threads") {
            if (!one.is_number_unsigned()) throw refuse("worker.threads", "a whole number");
            found.worker_threads = std::to_string(one.template get<std::uint64_t>());
        } else if (key == "broker") {
            if (!one.is_string()) throw refuse("worker.broker", "text");
            found.worker_broker = one.template get<std::string>();
        } else {
            throw error(failure::usage, "In the configuration file \"worker\" has the unknown key \"" + key + "\".")
                .with_hint("Known keys are threads and broker.");
        }
    }
}

/// Reads a configuration file.
[[nodiscard]] inline file_settings read_config(const std::string& path) {
    const json document = parse_json(read_text(path), "The configuration file " + path);
    if (!document.is_object()) throw error(failure::usage, "The configuration file " + path + " is no JSON object.");
    const auto refuse = [&](const std::string& key, std::string_view wanted) {
        return error(failure::usage,
                     "In the configuration file " + path + " \"" + key + "\" has to be " + std::string(wanted) + ".");
    };
    file_settings found;
    for (const auto& [key, held] : document.items()) {
        if (key == "cells") {
            if (!held.is_object() || held.empty()) throw refuse(key, "an object of cell names and database URLs");
            for (const auto& [name, url] : held.items()) {
                if (!url.is_string() || name.empty()) throw refuse("cells." + name, "a named text");
                found.cells.push_back({name, url.get<std::string>()});
            }
            continue;
        }
        std::vector<std::string>* list = key == "plugins"           ? &found.global.plugins
                                         : key == "plugin_folders"  ? &found.plugin_folders
                                         : key == "required_models" ? &found.required_models
                                                                    : nullptr;
        if (list != nullptr) {
            if (!held.is_array()) throw refuse(key, "a list of texts");
            for (const json& one : held) {
                if (!one.is_string() || one.get<std::string>().empty()) throw refuse(key, "a list of texts");
                list->push_back(one.get<std::string>());
            }
            continue;
        }
        if (key == "worker") {
            read_worker(held, refuse, found);
            continue;
        }
        if (key == "self_hosted") {
            if (!held.is_boolean()) throw refuse(key, "true or false");
            found.self_hosted = held.get<bool>();
            continue;
        }
        if (key == "control") {
            if (!held.is_string()) throw refuse(key, "text");
            found.control = held.get<std::string>();
            continue;
        }
        std::optional<std::string>* target = key == "database"     ? &found.global.database
                                             : key == "silo_mode"  ? &found.global.silo_mode
                                             : key == "actor"      ? &found.global.actor
                                             : key == "cell_name"  ? &found.global.cell_name
                                             : key == "redis"      ? &found.global.redis
                                             : key == "log_format" ? &found.global.log_format
                                                                   : nullptr;
        if (target == nullptr) {
            throw error(failure::usage, "The configuration file " + path + " has the unknown key \"" + key + "\".")
                .with_hint(
                    "Known keys are database, silo_mode, cell_name, control, cells, redis, self_hosted, worker, plugins, "
                    "plugin_folders, required_models, log_format and actor.");
        }
        if (!held.is_string()) throw refuse(key, "text");
        *target = held.get<std::string>();
    }
    if (found.global.database && (!found.control.empty() || !found.cells.empty()))
        throw error(failure::usage, "The configuration file " + path +
                                        " names one database for all silos and databases of their own as well.")
            .with_hint("Give either \"database\", or \"control\" and \"cells\".");
    if (found.control.empty() != found.cells.empty())
        throw error(failure::usage,
                    "The configuration file " + path + " names " +
                        (found.control.empty() ? "cells and no control silo." : "a control silo and no cells."))
            .with_hint("Give both \"control\": URL and \"cells\": {\"NAME\": URL, …}, or neither for one database.");
    return found;
}

[[nodiscard]] inline winnow::silo_mode mode_of(const std::string& text) {
    for (const winnow::silo_mode mode :
         {winnow::silo_mode::monolith, winnow::silo_mode::control, winnow::silo_mode::cell}) {
        if (name_of(mode) == text) return mode;
    }
    throw error(failure::usage, "There is no silo mode `" + text + "`.").with_hint("Write monolith, control or cell.");
}

[[nodiscard]] inline log_format log_format_of(const std::string& text) {
    if (text == "text") return log_format::text;
    if (text == "json") return log_format::structured;
    throw error(failure::usage, "There is no log format `" + text + "`.").with_hint("Write text or json.");
}

/// A named cell has to be one of those that have a database; a process of one cell has to name its.
inline void check_cell(const settings& found) {
    if (found.cells.empty()) return;
    std::string known;
    bool there = false;
    for (const named_database& one : found.cells) {
        there = there || one.name == found.cell_name;
        known += (known.empty() ? "" : ", ") + one.name;
    }
    if (found.silo_mode == winnow::silo_mode::cell && found.cell_name.empty())
        throw error(failure::usage, "The silo mode is cell, and no cell is named.")
            .with_hint("Give --cell NAME; the cells are " + known + ".");
    if (!found.cell_name.empty() && !there)
        throw error(failure::usage, "There is no cell `" + found.cell_name + "`.")
            .with_hint("The cells are " + known + ".");
}

/// Silos with databases of their own are kept apart by that; where they are not, one process has to serve them all. Two
/// cells are never in one database: nothing in its rows says whose they are.
inline void check_urls(const settings& found) {
    std::vector<named_database> all{{"the control silo", found.control}};
    for (const named_database& one : found.cells) all.push_back({"cell " + one.name, one.url});
    const bool apart = found.silo_mode != winnow::silo_mode::monolith;
    for (std::size_t one = apart ? 0 : 1; one < all.size(); ++one)
        for (std::size_t other = one + 1; other < all.size(); ++other)
            if (!all[one].url.empty() && all[one].url == all[other].url)
                throw error(failure::usage,
                            all[one].name + " and " + all[other].name + " are in the same database" +
                                (apart ? ", and the silo mode is " + std::string(name_of(found.silo_mode)) : "") + ".")
                    .with_hint(one == 0
                                   ? "Give each silo a database of its own, or serve all with --silo-mode monolith."
                                   : "Give each cell a database of its own.");
}

/// The number of threads of a worker.
[[nodiscard]] inline int thread_count(const std::string& text) {
    int number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault == std::errc{} && end == text.data() + text.size() && number >= 1 && number <= 256) return number;
    throw error(failure::usage, "A worker has 1 to 256 threads, not `" + text + "`.");
}

/// @throws error of kind `usage` for a broker that there is none of
inline void check_broker(const std::string& name) {
    if (name.empty() || name == "sql" || name == "redis" || name == "memory") return;
    throw error(failure::usage, "There is no broker `" + name + "`.").with_hint("Write sql, redis or memory.");
}

/// What is no URL of Redis would be tried again for ever, as a server is that is away.
/// @throws error of kind `usage`
inline void check_redis(const std::string& url) {
    if (url.empty()) return;
    try {
        (void)parse_redis_url(url);
    } catch (const error& problem) {
        throw error(failure::usage, "The URL of Redis makes no sense: " + std::string(problem.what()) + ".")
            .with_hint(problem.hint());
    }
}

}  // namespace detail

/// Puts the global settings together: the command line decides before the environment, that before the file.
/// @throws error of kind `usage` for a configuration file or a silo mode that makes no sense
[[nodiscard]] inline settings resolve(const global_arguments& line) {
    detail::file_settings file;
    const std::optional<std::string> path = line.config ? line.config : detail::from_environment("WINNOW_CONFIG");
    if (path) file = detail::read_config(*path);
    const auto choose = [](const std::optional<std::string>& first, const char* variable,
                           const std::optional<std::string>& last) {
        if (first) return first;
        const std::optional<std::string> middle = detail::from_environment(variable);
        return middle ? middle : last;
    };
    settings found;
    found.database = choose(line.database, "WINNOW_DATABASE", file.global.database).value_or("");
    if (const auto mode = choose(line.silo_mode, "WINNOW_SILO_MODE", file.global.silo_mode))
        found.silo_mode = detail::mode_of(*mode);
    found.actor = choose(line.actor, "WINNOW_ACTOR", file.global.actor)
                      .value_or(detail::from_environment("USER").value_or("command line"));
    found.cell_name = choose(line.cell_name, "WINNOW_CELL_NAME", file.global.cell_name).value_or("");
    found.redis = choose(line.redis, "WINNOW_REDIS", file.global.redis).value_or("");
    if (const auto format = choose(line.log_format, "WINNOW_LOG_FORMAT", file.global.log_format))
        found.log = detail::log_format_of(*format);
    found.control = std::move(file.control);
    found.cells = std::move(file.cells);
    found.self_hosted = file.self_hosted;
    found.plugins = line.plugins;
    if (found.plugins.empty()) found.plugins = split_path_list(detail::from_environment("WINNOW_PLUGINS").value_or(""));
    if (found.plugins.empty()) found.plugins = std::move(file.global.plugins);
    found.plugin_search = split_path_list(detail::from_environment("WINNOW_PLUGIN_PATH").value_or(""));
    found.plugin_folders = std::move(file.plugin_folders);
    found.required_models = std::move(file.required_models);
    if (const auto threads = choose(std::nullopt, "WINNOW_WORKER_THREADS", file.worker_threads))
        found.worker_threads = detail::thread_count(*threads);
    found.worker_broker = choose(std::nullopt, "WINNOW_WORKER_BROKER", file.worker_broker).value_or("");
    detail::check_broker(found.worker_broker);
    detail::check_redis(found.redis);
    detail::check_cell(found);
    detail::check_urls(found);
    found.json = line.json;
    found.quiet = line.quiet;
    return found;
}

}  // namespace winnow::inline v0::cli
