// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/cli/json.hpp"
#include "winnow/core/error.hpp"

namespace winnow::inline v0::cli {

/// The command of a name. @throws error of kind `usage` when there is none
[[nodiscard]] inline const command& command_named(std::span<const command> all, std::string_view name) {
    for (const command& one : all)
        if (one.name == name) return one;
    throw error(failure::usage, "winnow has no command `" + std::string(name) + "`.");
}

/// Runs a command where it belongs: in the silo of the model that it names, or in each silo in turn if it is one of
/// those that look at all of them.
inline int run_where_it_belongs(environment& in, const command& chosen, const given& arguments) {
    if (!in.spans_silos()) return chosen.run(in, arguments);
    const std::string key = arguments.text("KEY");
    // An object that is named is in one silo only.
    if (!key.empty() && (!chosen.every_silo || arguments.has("ID"))) in.enter_model(key);
    if (!chosen.every_silo || !in.spans_silos()) return chosen.run(in, arguments);
    int code = 0;
    json all = json::object();
    in.each_silo([&] {
        if (!key.empty() && !reaches(in.mode(), in.models()[in.models().at(key)].silo)) return;
        json document;
        json* before = nullptr;
        if (in.out().as_json()) before = in.out().collect_into(&document);
        else in.out().note(in.silo_title() + ":");
        try {
            code = std::max(code, chosen.run(in, arguments));
        } catch (...) {
            (void)in.out().collect_into(before);
            throw;
        }
        (void)in.out().collect_into(before);
        all[in.silo_title()] = std::move(document);
    });
    if (in.out().as_json()) in.out().print(json{{"silos", std::move(all)}});
    return code;
}

}  // namespace winnow::inline v0::cli
