// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/store/drift.hpp"
#include "winnow/store/live_schema.hpp"
#include "winnow/store/migrations.hpp"
#include "winnow/store/own_tables.hpp"

namespace winnow::inline v0::cli {

namespace detail {

[[nodiscard]] inline std::vector<drift_finding> check_models(environment& in, connection& database) {
    std::vector<std::size_t> reached;
    for (std::size_t model = 0; model < in.models().size(); ++model) {
        if (reaches(in.mode(), in.models()[model].silo)) reached.push_back(model);
    }
    std::vector<drift_finding> findings;
    // To `find_drift` no model means all of them.
    if (!reached.empty())
        findings = find_drift(in.models(), inspect_models(database, in.models()), {.models = reached});
    if (const int version = installed_version(database); version != own_tables_version) {
        findings.push_back({severity::note,
                            {},
                            "winnow_schema",
                            "own_tables",
                            version == 0 ? "winnow's own tables are not there yet; `migrate` makes them."
                                         : "winnow's own tables have version " + std::to_string(version) +
                                               ", this program needs " + std::to_string(own_tables_version) + ".",
                            {}});
    }
    const step_report steps = compare_steps(database, in.models().parts(), in.mode());
    const auto add = [&](severity how, std::string_view code, std::string text) {
        findings.push_back({how, {}, "winnow_plugin_step", std::string(code), std::move(text), {}});
    };
    for (const std::string& part : steps.absent) add(severity::warn, "absent_plugin", describe_absent(part));
    for (const std::string& text : steps.wrong) add(severity::warn, "plugin_steps", text);
    for (const auto& [part, step] : steps.pending)
        add(severity::warn, "pending_step",
            "step `" + std::string(step->name) + "` of " + title_of(*part) + " is not applied yet; `migrate` does it.");
    return findings;
}

inline int run_check(environment& in, const given&) {
    connection& database = in.database(access::read);
    const std::vector<drift_finding> findings = check_models(in, database);
    std::size_t serious = 0;
    for (const drift_finding& one : findings) serious += one.severity == severity::note ? 0U : 1U;
    if (in.out().as_json()) {
        json list = json::array();
        for (const drift_finding& one : findings) {
            list.push_back({{"severity", std::string(name_of(one.severity))},
                            {"code", one.code},
                            {"model", text_or_null(one.model)},
                            {"table", one.table},
                            {"text", one.text},
                            {"remedy", text_or_null(one.remedy)}});
        }
        in.out().print(
            json{{"database", database.description()}, {"findings", std::move(list)}, {"passed", serious == 0}});
        return serious == 0 ? 0 : 1;
    }
    for (const drift_finding& one : findings) {
        std::string line = std::string(name_of(one.severity)) + ": ";
        if (!one.model.empty()) line += one.model + ": ";
        in.out().line(line + one.text + " [" + one.code + "]");
        if (!one.remedy.empty()) in.out().line("    " + one.remedy);
    }
    if (serious != 0) {
        in.out().line(counted(static_cast<std::int64_t>(serious), "finding", "findings") + " in " +
                      database.description() + ".");
    } else {
        in.out().note("The models fit " + database.description() + ".");
    }
    return serious == 0 ? 0 : 1;
}

}  // namespace detail

/// `check`: compares the models with the live schema.
[[nodiscard]] inline std::vector<command> check_commands() {
    return {{"check", "compare the models with the live schema; exit code 1 on findings", {}, detail::run_check, true}};
}

}  // namespace winnow::inline v0::cli
