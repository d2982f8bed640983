// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/abi/version.h"
#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/part.hpp"
#include "winnow/plugin/inspect.hpp"

namespace winnow::inline v0::cli {

/// Refuses to work without models that the configuration names: those of a library that was not linked, or of a plugin that
/// was forgotten.
/// @throws error of kind `usage` that names what is loaded
inline void require_models(const catalog& models, const std::vector<std::string>& keys) {
    std::string missing;
    for (const std::string& key : keys)
        if (!models.find(key)) missing += (missing.empty() ? "" : ", ") + key;
    if (missing.empty()) return;
    std::string here;
    for (const model_part& part : models.parts()) {
        if (part.plans.empty()) continue;
        here += (here.empty() ? "" : "; ") + title_of(part) + ":";
        for (const plan& one : part.plans) here.append(" ").append(one.key);
    }
    throw error(failure::usage, "The models " + missing + " are required (required_models) and are not there. There " +
                                    (here.empty() ? "are none." : "are, of " + here + "."))
        .with_hint("Load the plugin that brings them with --plugin, or hand the library's models to the program.");
}

namespace detail {

/// What kind of part it is.
[[nodiscard]] inline std::string_view kind_of(const model_part& part) noexcept {
    return !part.origin.empty() ? "plugin" : part.name.empty() ? "program" : "library";
}

[[nodiscard]] inline json part_json(const model_part& part) {
    json models = json::array();
    for (const plan& one : part.plans)
        models.push_back({{"key", std::string(one.key)},
                          {"table", std::string(one.table.postgres)},
                          {"silo", std::string(name_of(one.silo))},
                          {"strategy", std::string(name_of(one.strategy))},
                          {"replicated", one.replication != nullptr}});
    json steps = json::array();
    for (const migration& one : part.migrations)
        steps.push_back({{"name", std::string(one.name)}, {"silo", std::string(name_of(one.silo))}});
    json options = json::array();
    for (const part_option& one : part.options)
        options.push_back({{"name", std::string(one.name)},
                           {"default", std::string(one.otherwise)},
                           {"meaning", std::string(one.meaning)}});
    return {{"name", text_or_null(part.name)},    {"version", text_or_null(part.version)},
            {"kind", std::string(kind_of(part))}, {"file", text_or_null(part.origin)},
            {"models", std::move(models)},        {"migrations", std::move(steps)},
            {"options", std::move(options)}};
}

inline int list_plugins(environment& in, const given&) {
    json list = json::array();
    table lines{"name", "version", "kind", ">models", ">steps", ">options", "file"};
    for (const model_part& part : in.models().parts()) {
        if (in.out().as_json()) list.push_back(part_json(part));
        if (part.name.empty() && part.plans.empty()) continue;
        const auto number = [](std::size_t amount) { return amount == 0 ? std::string() : std::to_string(amount); };
        lines.add({part.name.empty() ? "(this program)" : std::string(part.name), std::string(part.version),
                   std::string(kind_of(part)), std::to_string(part.plans.size()), number(part.migrations.size()),
                   number(part.options.size()), std::string(part.origin)});
    }
    if (in.out().as_json()) in.out().print(json{{"parts", std::move(list)}});
    else if (lines.empty()) in.out().line("No plugin is loaded, and this program has no models of its own.");
    else in.out().print(lines);
    return 0;
}

[[nodiscard]] inline json report_json(const plugin_report& report) {
    json exported = json::array();
    for (const elf_symbol& one : report.facts.exported) exported.push_back(one.name);
    json needed = json::array();
    for (const std::string& one : report.facts.needed) {
        const bool missing = std::find(report.missing.begin(), report.missing.end(), one) != report.missing.end();
        needed.push_back({{"name", one}, {"found", !missing}});
    }
    json others = json::array();
    for (const plugin_reference& one : report.others)
        others.push_back({{"model", one.model}, {"relation", one.what}, {"other", one.other}, {"known", one.known}});
    return {{"named", report.file.named},
            {"path", text_or_null(report.file.path)},
            {"abi_version", report.stamp.abi_version == 0 ? json(nullptr) : json(report.stamp.abi_version)},
            {"plugin", report.part == nullptr ? json(nullptr) : part_json(*report.part)},
            {"description", text_or_null(report.description)},
            {"needs_models", std::move(others)},
            {"exports", std::move(exported)},
            {"needs_libraries", std::move(needed)},
            {"warnings", report.warnings},
            {"wrong", report.wrong},
            {"loadable", report.wrong.empty()}};
}

inline void print_report(const output& out, const plugin_report& report) {
    const auto fact = [&](std::string_view name, const std::string& text) {
        if (text.empty()) return;
        std::string line = "  ";
        line += name;
        line.append(name.size() < 12 ? 12 - name.size() : 1, ' ');
        out.line(line + text);
    };
    out.line(report.file.path.empty() ? report.file.named : report.file.path);
    if (const model_part* part = report.part; part != nullptr) {
        fact("plugin", std::string(part->name) + " " + std::string(part->version) +
                           (report.description.empty() ? "" : ", " + report.description));
    }
    if (report.stamp.abi_version != 0)
        fact("contract", "version " + std::to_string(report.stamp.abi_version) + "; this program takes " +
                             std::to_string(WINNOW_ABI_OLDEST) + " to " + std::to_string(WINNOW_ABI_VERSION));
    if (report.part != nullptr) {
        for (const plan& one : report.part->plans)
            fact("model", std::string(one.key) + ", table " + std::string(one.table.postgres) + " in the " +
                              std::string(name_of(one.silo)) + " silo, " + std::string(name_of(one.strategy)) +
                              (one.replication == nullptr ? "" : ", replicated"));
        for (const plugin_reference& one : report.others)
            fact("relation", one.model + " " + one.what + " " + one.other +
                                 (one.known ? "" : ", which this program does not have: load what brings it as well"));
        for (const migration& one : report.part->migrations)
            fact("step", std::string(one.name) + " (" + std::string(name_of(one.silo)) + ")");
        for (const part_option& one : report.part->options)
            fact("option", std::string(one.name) + " = " + std::string(one.otherwise));
    }
    std::string needed;
    for (const std::string& one : report.facts.needed) needed += (needed.empty() ? "" : ", ") + one;
    fact("needs", needed);
    if (report.facts.wrong.empty() && !report.facts.exported.empty())
        fact("exports", counted(static_cast<std::int64_t>(report.facts.exported.size()), "name", "names"));
    for (const std::string& one : report.warnings) out.line("warning: " + one);
    for (const std::string& one : report.wrong) out.line("refused: " + one);
    if (report.wrong.empty()) out.note("It can be loaded.");
}

inline int inspect_one_plugin(environment& in, const given& arguments) {
    const settings& how = in.configured();
    const plugin_report report =
        inspect_plugin(arguments.text("FILE"), {how.plugin_folders, how.plugin_search}, in.models());
    if (in.out().as_json()) in.out().print(report_json(report));
    else print_report(in.out(), report);
    return report.wrong.empty() ? 0 : 1;
}

}  // namespace detail

/// `plugins list` and `plugins inspect`.
[[nodiscard]] inline std::vector<command> plugins_commands() {
    return {{"plugins list",
             "where the models come from: this program, libraries in it, plugins",
             {},
             detail::list_plugins},
            {.name = "plugins inspect",
             .description = "what a plugin's file brings, and why it cannot be loaded; exit code 1 if it cannot",
             .arguments = {positional("FILE", "the file, or a name that is looked for in the folders of plugins")},
             .run = detail::inspect_one_plugin,
             .without_plugins = true}};
}

}  // namespace winnow::inline v0::cli
