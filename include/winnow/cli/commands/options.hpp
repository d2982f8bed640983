// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/context/options.hpp"

namespace winnow::inline v0::cli {

namespace detail {

[[nodiscard]] inline json option_json(const option_definition& known, const std::optional<std::string>& stored) {
    return {{"name", std::string(known.name)},
            {"value", stored.value_or(std::string(known.otherwise))},
            {"set", stored.has_value()},
            {"default", std::string(known.otherwise)},
            {"kind", known.kind == option_kind::integer   ? "integer"
                     : known.kind == option_kind::boolean ? "boolean"
                     : known.kind == option_kind::text    ? "text"
                                                          : "list"},
            {"meaning", std::string(known.meaning)},
            {"origin", known.origin}};
}

inline int list_options(environment& in, const given&) {
    const winnow::options live = in.with(access::report).options();
    json list = json::array();
    table lines{"option", "value", "set", "from", "meaning"};
    for (const option_definition& known : live.all()) {
        const std::optional<std::string> stored = live.stored(known.name);
        if (in.out().as_json()) list.push_back(option_json(known, stored));
        else
            lines.add({std::string(known.name), stored.value_or(std::string(known.otherwise)), stored ? "yes" : "",
                       known.origin == "winnow" ? "" : known.origin, std::string(known.meaning)});
    }
    if (in.out().as_json()) in.out().print(json{{"options", std::move(list)}});
    else in.out().print(lines);
    return 0;
}

inline int get_option(environment& in, const given& arguments) {
    const winnow::options live = in.with(access::report).options();
    const option_definition known = live.definition(arguments.text("NAME"));
    const std::optional<std::string> stored = live.stored(known.name);
    if (in.out().as_json()) in.out().print(option_json(known, stored));
    else in.out().line(stored.value_or(std::string(known.otherwise)));
    return 0;
}

inline int set_option(environment& in, const given& arguments) {
    winnow::options live = in.with(access::write).options();
    const std::string name = arguments.text("NAME");
    live.set(name, arguments.text("VALUE"), in.configured().actor);
    if (in.out().as_json()) in.out().print(option_json(live.definition(name), live.stored(name)));
    else in.out().line(name + " = " + live.text(name));
    return 0;
}

inline int unset_option(environment& in, const given& arguments) {
    winnow::options live = in.with(access::write).options();
    const std::string name = arguments.text("NAME");
    const bool was = live.unset(name);
    if (in.out().as_json()) in.out().print(option_json(live.definition(name), std::nullopt));
    else in.out().line(name + " = " + live.text(name) + (was ? " (the default)" : " (the default; it was not set)"));
    return 0;
}

}  // namespace detail

/// `options list`, `get`, `set` and `unset`.
[[nodiscard]] inline std::vector<command> options_commands() {
    const argument name = positional("NAME", "name of the option, as `options list` shows it");
    return {{"options list", "all options, their values and what they mean", {}, detail::list_options, true},
            {"options get", "the value of one option", {name}, detail::get_option, true},
            {"options set",
             "change an option, at once and for all workers",
             {name, positional("VALUE", "its value")},
             detail::set_option,
             true},
            {"options unset", "go back to the default", {name}, detail::unset_option, true}};
}

}  // namespace winnow::inline v0::cli
