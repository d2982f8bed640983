// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/part_options.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/part.hpp"
#include "winnow/plugin/elf.hpp"
#include "winnow/plugin/file_check.hpp"
#include "winnow/plugin/needed.hpp"
#include "winnow/plugin/needs.hpp"
#include "winnow/plugin/open.hpp"
#include "winnow/plugin/stamp.hpp"

namespace winnow::inline v0 {

/// A model outside of a plugin that one of its models names.
struct plugin_reference {
    std::string model;   ///< key of the plugin's model
    std::string what;    ///< `attaches itself to`
    std::string other;   ///< key of the other one
    bool known = false;  ///< among the models that the report was made over
};

/// What is known of one file. The library stays open as long as this lives.
struct plugin_report {
    plugin_file file;
    elf_facts facts;
    std::vector<std::string> missing;      ///< libraries that it needs and that are not found
    plugin_stamp stamp;                    ///< zero when the file has none
    const model_part* part = nullptr;      ///< null when it could not be read
    std::string description;               ///< one line, may be empty
    std::vector<plugin_reference> others;  ///< models outside of it that it needs
    std::vector<std::string> wrong;        ///< why it cannot be loaded
    std::vector<std::string> warnings;
    std::optional<detail::opened_plugin> opened;
};

namespace detail {

inline void list_others(const catalog& host, plugin_report& to) {
    const model_part& part = *to.part;
    for (const plan& one : part.plans) {
        each_named_model(one, [&](std::string_view what, std::string_view key) {
            for (const plan& own : part.plans)
                if (own.key == key) return;
            to.others.push_back(
                {std::string(one.key), std::string(what), std::string(key), host.find(key).has_value()});
        });
    }
}

/// Proves the graph with the plugin in it, where all that it names is there.
inline void prove(const catalog& host, plugin_report& to) {
    for (const plugin_reference& each : to.others)
        if (!each.known) return;
    std::vector<model_part> parts(host.parts().begin(), host.parts().end());
    parts.push_back(*to.part);
    try {
        const catalog all(std::move(parts));
        for (std::string& each : find_option_faults(all)) to.wrong.push_back(std::move(each));
    } catch (const error& problem) {
        to.wrong.emplace_back(problem.what());
    }
}

inline void list_warnings(plugin_report& to) {
    std::string names;
    std::size_t more = 0;
    bool unique = false;
    for (const elf_symbol& one : to.facts.exported) {
        // The address sanitizer marks each constant by one more.
        if (one.name == WINNOW_PLUGIN_SYMBOL || one.name.starts_with("__odr_asan")) continue;
        unique = unique || one.unique;
        if (more < 3) names += (more == 0 ? "" : ", ") + one.name;
        if (more++ == 3) names += ", …";
    }
    if (more != 0)
        to.warnings.push_back(to.file.path + ": exports " + std::to_string(more) + (more == 1 ? " name" : " names") +
                              " besides " WINNOW_PLUGIN_SYMBOL " (" + names + ")" +
                              (unique ? ", some of which keep it in memory after it was unloaded" : "") +
                              ". Build it with winnow_add_plugin(), which hides them.");
    for (const std::string& each : to.missing)
        to.warnings.push_back(to.file.path + ": needs the library " + each +
                              ", which is not found. Install the package that "
                              "has it, or link it with a run path ($ORIGIN).");
}

}  // namespace detail

/// Looks at a file and, when nothing speaks against it, opens it and reads what it brings; its `start` is not called.
/// @param named as `check_plugin_file` takes it
/// @param host the models that it would be loaded beside
[[nodiscard]] inline plugin_report inspect_plugin(const std::string& named, const plugin_places& places,
                                                  const catalog& host) {
    plugin_report report;
    report.file = check_plugin_file(named, places);
    if (!report.file.wrong.empty()) report.wrong.push_back(report.file.wrong);
    if (report.file.path.empty()) return report;
    report.facts = read_elf(report.file.path, WINNOW_PLUGIN_SYMBOL);
    report.stamp = {report.facts.stamp[0], report.facts.stamp[1]};
    if (report.facts.wrong.empty()) {
        report.missing = missing_libraries(report.facts, report.file.path);
        detail::list_warnings(report);
    }
    if (!report.wrong.empty()) {
        // What may not be opened is looked at all the same.
        if (const std::string fault = detail::find_fault(report.facts); !fault.empty())
            report.wrong.push_back(report.file.path + ": " + fault);
        return report;
    }
    report.opened = detail::open_plugin(report.file, report.wrong);
    if (!report.opened) return report;
    report.part = &report.opened->lifted->part();
    report.description = report.opened->lifted->description();
    detail::list_others(host, report);
    detail::prove(host, report);
    return report;
}

}  // namespace winnow::inline v0
