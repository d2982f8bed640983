// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "winnow/cli/command.hpp"
#include "winnow/cli/dispatch.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/cli/json.hpp"
#include "winnow/cli/output.hpp"
#include "winnow/core/error.hpp"
#include "winnow/web/message.hpp"

namespace winnow::inline v0::web {

using cli::json;

/// What a request says besides its path: the query of a GET, the members of a POST's document.
using parameters = std::map<std::string, std::string, std::less<>>;

/// One parameter of a route, and the argument of the command that it becomes.
struct route_parameter {
    std::string_view name;
    std::string_view argument;
    bool required = false;
};

/// One path of the API. It is a command of the command line: the same function, the same document.
struct route {
    std::string_view method;
    std::string_view path;
    std::string_view command;
    std::array<route_parameter, 6> parameters{};  ///< unused places are empty
    std::chrono::milliseconds patience{5'000};
};

inline constexpr std::chrono::milliseconds patience_to_count{20'000};
inline constexpr route_parameter the_model{"model", "KEY", true};
inline constexpr route_parameter the_id{"id", "ID", true};
inline constexpr route_parameter the_outbox{"outbox", "--outbox"};

/// All paths but those that no command is behind.
inline constexpr route routes[] = {
    {"GET",
     "/api/v1/deletions",
     "deletions list",
     {{{"state", "--state"}, {"model", "--model"}, {"batch", "--batch"}, {"limit", "--limit"}, {"after", "--after"}}}},
    {"GET", "/api/v1/deletions/show", "deletions show", {{the_model, the_id}}},
    {"GET", "/api/v1/deletions/audit", "deletions audit", {{{"model", "KEY"}, {"id", "ID"}, {"limit", "--limit"}}}},
    {"GET", "/api/v1/plan", "plan", {{the_model, the_id, {"cap", "--cap"}}}, patience_to_count},
    {"GET", "/api/v1/backfills", "backfill status", {{{"model", "KEY"}}}},
    {"GET", "/api/v1/outbox", "outbox status", {{{"shards", "--shards"}}}},
    {"GET", "/api/v1/outbox/dead", "outbox dead", {{{"limit", "--limit"}, {"retrying", "--retrying"}}}},
    {"GET", "/api/v1/options", "options list"},
    {"GET", "/api/v1/options/get", "options get", {{{"name", "NAME", true}}}},
    {"GET", "/api/v1/models", "models"},
    {"GET", "/api/v1/plugins", "plugins list"},
    {"GET", "/api/v1/jobs", "jobs"},
    {"POST",
     "/api/v1/deletions/pause",
     "deletions pause",
     {{{"model", "--model"}, {"id", "ID"}, {"batch", "--batch"}, {"all", "--all"}}}},
    {"POST",
     "/api/v1/deletions/resume",
     "deletions resume",
     {{{"model", "--model"}, {"id", "ID"}, {"batch", "--batch"}, {"all", "--all"}}}},
    {"POST", "/api/v1/deletions/retry", "deletions retry", {{the_model, the_id}}},
    {"POST", "/api/v1/deletions/confirm", "deletions confirm", {{the_model, the_id}}},
    {"POST", "/api/v1/deletions/cancel", "cancel", {{{"model", "KEY"}, {"id", "ID"}, {"batch", "--batch"}}}},
    {"POST", "/api/v1/backfills/pause", "backfill pause", {{the_model}}},
    {"POST", "/api/v1/backfills/resume", "backfill resume", {{the_model}}},
    {"POST", "/api/v1/backfills/restart", "backfill restart", {{the_model}}},
    {"POST",
     "/api/v1/outbox/replay",
     "outbox replay",
     {{the_outbox, {"message", "MESSAGE"}, {"all", "--all"}}},
     patience_to_count},
    {"POST", "/api/v1/outbox/skip", "outbox skip", {{the_outbox, {"message", "MESSAGE", true}}}},
    {"POST", "/api/v1/outbox/shards/skip", "outbox skip", {{the_outbox, {"shard", "--shard", true}}}},
    {"POST", "/api/v1/outbox/shards/resume", "outbox skip", {{the_outbox, {"shard", "--shard", true}}}},
    {"POST", "/api/v1/options/set", "options set", {{{"name", "NAME", true}, {"value", "VALUE", true}}}},
    {"POST", "/api/v1/options/unset", "options unset", {{{"name", "NAME", true}}}},
};

/// The route of a request; null when there is none.
[[nodiscard]] inline const route* find_route(std::string_view method, std::string_view path) {
    for (const route& one : routes)
        if (one.path == path && one.method == (method == "HEAD" ? "GET" : method)) return &one;
    return nullptr;
}

/// A document as an answer, on one line.
[[nodiscard]] inline response json_response(int status, const json& document) {
    return {.status = status, .body = document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"};
}
/// The document that the command line has for an error, as an answer.
[[nodiscard]] inline response error_response(const error& problem) {
    const auto status = [&] {
        if (problem.may_retry()) return 503;
        switch (problem.kind()) {
            case failure::usage: return 400;
            case failure::not_found: return 404;
            case failure::refused:
            case failure::blocked:
            case failure::availability: return 409;
            case failure::connection:
            case failure::configuration: return 503;
            case failure::statement:
            case failure::hook: return 500;
        }
        return 500;
    }();
    response made = json_response(status, cli::error_json(problem));
    if (status == 503) made.headers.emplace_back("Retry-After", "2");
    return made;
}
[[nodiscard]] inline response refused_response(int status, std::string_view message, std::string_view hint = {}) {
    return json_response(status, {{"error",
                                   {{"kind", status == 503 ? "connection" : "refused"},
                                    {"message", std::string(message)},
                                    {"hint", cli::text_or_null(hint)}}}});
}

namespace detail {

/// The members of a change's document: texts, numbers and `true`. @throws error of kind `usage` for anything else
[[nodiscard]] inline parameters parameters_of_body(const std::string& body) {
    const json document = cli::parse_json(body.empty() ? "{}" : body, "The body");
    if (!document.is_object()) throw error(failure::usage, "The body has to be a JSON object.");
    parameters found;
    for (const auto& [name, held] : document.items()) {
        if (held.is_null() || (held.is_boolean() && !held.get<bool>())) continue;
        if (held.is_structured() || held.is_number_float())
            throw error(failure::usage, "\"" + name + "\" has to be text, a whole number or true.");
        found[name] = held.is_string() ? held.get<std::string>() : held.dump();
    }
    return found;
}

[[nodiscard]] inline parameters parameters_of(const request& asked) {
    if (asked.changes()) return parameters_of_body(asked.body);
    parameters found;
    for (const auto& [name, text] : asked.query) {
        if (!found.emplace(name, text).second) throw error(failure::usage, "\"" + name + "\" was given twice.");
    }
    return found;
}

/// Takes `silo`, `cell` and `actor` away, which every path understands, and acts on them.
inline void take_common(cli::environment& in, parameters& from) {
    const auto take = [&](std::string_view name) {
        const auto held = from.find(name);
        std::string text;
        if (held == from.end()) return text;
        text = std::move(held->second);
        from.erase(held);
        return text;
    };
    const std::string silo_name = take("silo");
    const std::string cell = take("cell");
    if (const std::string actor = take("actor"); !actor.empty()) {
        if (actor.size() > 100) throw error(failure::usage, "\"actor\" has more than 100 bytes.");
        in.act_as(actor + " (web)");
    }
    if (silo_name.empty() && cell.empty()) return;
    if (!silo_name.empty() && silo_name != "control" && silo_name != "cell")
        throw error(failure::usage, "There is no silo `" + silo_name + "`.").with_hint("Write control or cell.");
    const silo where = silo_name == "control" ? silo::control : silo::cell;
    if (!reaches(in.mode(), where))
        throw error(failure::availability, "This server does not serve the silo " + std::string(name_of(where)) + ".");
    if (where == silo::cell && in.spans_silos() && cell.empty())
        throw error(failure::usage, "Which cell?").with_hint("Give cell=NAME.");
    in.enter(where, where == silo::cell ? cell : std::string());
}

[[nodiscard]] inline cli::given arguments_of(const route& of, const parameters& from) {
    cli::given made;
    for (const auto& [name, text] : from) {
        const auto known = std::find_if(of.parameters.begin(), of.parameters.end(),
                                        [&](const route_parameter& one) { return one.name == name; });
        if (name.empty() || known == of.parameters.end())
            throw error(failure::usage, std::string(of.path) + " has no parameter \"" + name + "\".");
        // A model with an id is an object, one without is all of its objects.
        const bool object = known->argument == "--model" && from.count("id") != 0;
        made.add(object ? "KEY" : known->argument, text);
    }
    for (const route_parameter& one : of.parameters) {
        if (one.required && from.find(one.name) == from.end())
            throw error(failure::usage, std::string(of.path) + " needs \"" + std::string(one.name) + "\".");
    }
    if (of.path.ends_with("/shards/resume")) made.add("--end", "true");
    return made;
}

/// Only values that the command line takes as well.
inline void check_choices(const cli::command& chosen, const cli::given& arguments) {
    for (const cli::argument& one : chosen.arguments) {
        if (one.choices.empty() || !arguments.has(one.name)) continue;
        const std::string text = arguments.text(one.name);
        if (std::find(one.choices.begin(), one.choices.end(), text) == one.choices.end())
            throw error(failure::usage, "`" + text + "` is none of the values that " + one.name + " takes.");
    }
}

}  // namespace detail

/// Does what a request of a route asks for, as the command line would. Never throws.
[[nodiscard]] inline response answer_route(cli::environment& in, const route& of, const request& asked) noexcept {
    try {
        parameters given = detail::parameters_of(asked);
        detail::take_common(in, given);
        const cli::given arguments = detail::arguments_of(of, given);
        const cli::command& chosen = cli::command_named(in.commands(), of.command);
        detail::check_choices(chosen, arguments);
        json document;
        (void)in.out().collect_into(&document);
        const int code = cli::run_where_it_belongs(in, chosen, arguments);
        (void)in.out().collect_into(nullptr);
        return json_response(code != 0 && asked.changes() ? 409 : 200, document);
    } catch (const error& problem) {
        return error_response(problem);
    } catch (const std::exception& problem) {
        return error_response(error(failure::statement, problem.what()));
    }
}

}  // namespace winnow::inline v0::web
