// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/cli/arguments.hpp"
#include "winnow/cli/command.hpp"
#include "winnow/cli/commands/backfill.hpp"
#include "winnow/cli/commands/check.hpp"
#include "winnow/cli/commands/control.hpp"
#include "winnow/cli/commands/jobs.hpp"
#include "winnow/cli/commands/list.hpp"
#include "winnow/cli/commands/models.hpp"
#include "winnow/cli/commands/options.hpp"
#include "winnow/cli/commands/orphans.hpp"
#include "winnow/cli/commands/outbox.hpp"
#include "winnow/cli/commands/plan.hpp"
#include "winnow/cli/commands/plugins.hpp"
#include "winnow/cli/commands/run.hpp"
#include "winnow/cli/commands/schedule.hpp"
#include "winnow/cli/commands/schema.hpp"
#include "winnow/cli/commands/show.hpp"
#include "winnow/cli/commands/tombstones.hpp"
#include "winnow/cli/commands/worker.hpp"
#include "winnow/cli/dispatch.hpp"
#include "winnow/cli/endpoint.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/cli/log.hpp"
#include "winnow/cli/output.hpp"
#include "winnow/cli/program_description.hpp"
#include "winnow/cli/settings.hpp"
#include "winnow/core/error.hpp"
#include "winnow/core/version.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/part.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plugin/loader.hpp"
#include "winnow/store/open.hpp"

namespace winnow::inline v0::cli {

namespace detail {

inline constexpr std::array<command_group, 6> command_groups = {{
    {"deletions", "what is scheduled, running and done"},
    {"outbox", "messages about changes, on their way to the other silo"},
    {"backfill", "messages for rows that were there before"},
    {"tombstones", "what refers to rows that are gone in the other silo"},
    {"plugins", "models that come from files"},
    {"options", "settings in the database, in force at once and for all workers"},
}};

[[nodiscard]] inline std::vector<command> all_commands(const std::vector<command>& own) {
    std::vector<command> all;
    for (const std::vector<command>& part :
         {models_commands(), schema_commands(), check_commands(), plan_commands(), schedule_commands(), list_commands(),
          show_commands(), run_commands(), control_commands(), orphans_commands(), outbox_commands(),
          backfill_commands(), tombstones_commands(), options_commands(), plugins_commands(), worker_commands(),
          jobs_commands(), own}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

[[nodiscard]] inline std::string program_name(const program& about, int argc, char** argv) {
    if (!about.name.empty()) return about.name;
    if (argc == 0) return "winnow";
    const std::string_view path = argv[0];
    return std::string(path.substr(path.find_last_of('/') + 1));
}

[[nodiscard]] inline int exit_code_of(const error& problem) { return problem.kind() == failure::usage ? 2 : 1; }

/// Reports what is wrong with a command line. With `--json` anywhere in it, so that a caller finds a document.
inline void report_mistake(const parsed_line& line, int argc, char** argv) {
    error problem(failure::usage, line.text);
    problem.with_hint(line.hint);
    bool as_json = false;
    for (int word = 1; word < argc; ++word) as_json = as_json || std::string_view(argv[word]) == "--json";
    report_error(problem, as_json);
}

/// What was printed and did not arrive, on a full disk for example, is a failure.
[[nodiscard]] inline int checked_output(int code) {
    if (std::ferror(stdout) == 0) return code;
    write_to(stderr,
             "winnow: standard output could not be written\n  What was asked for was done; only the text is lost.\n");
    return code == 0 ? 1 : code;
}

/// The parts that a program brings itself.
[[nodiscard]] inline std::vector<model_part> own_parts(std::span<const plan> plans, const program& about) {
    std::vector<model_part> parts;
    if (!plans.empty() || about.parts.empty()) parts.push_back({.plans = plans});
    parts.insert(parts.end(), about.parts.begin(), about.parts.end());
    return parts;
}

/// Lines that plugins log, from any thread.
class plugin_lines final : public observer {
public:
    plugin_lines(bool quiet, log_format format)
        : log_(quiet                 ? log_level::error
               : is_terminal(stderr) ? log_level::warning
                                     : log_level::info,
               format) {}
    void log(log_level level, std::string_view message, std::initializer_list<label> labels) override {
        log_.write(level, message, labels);
    }

private:
    log_writer log_;
};

inline int run_line(std::span<const plan> plans, const program& about, const parsed_line& line,
                    std::span<const command> commands, const std::string& name) {
    const settings configured = resolve(line.global);
    plugin_lines log(configured.quiet, configured.log);
    plugin_loader loader(own_parts(plans, about), {{configured.plugin_folders, configured.plugin_search}, name, &log});
    if (!line.chosen->without_plugins) {
        loader.load(configured.plugins);
        require_models(loader.current()->models, configured.required_models);
    }
    environment in(loader.current(), configured, about.drivers, about.cursors, about.brokers, about.buckets);
    in.know(commands);
    in.open_endpoints_with(about.endpoints);
    return run_where_it_belongs(in, *line.chosen, line.arguments);
}

}  // namespace detail

WINNOW_CLI_FUNCTION int run_command(environment& in, std::string_view name,
                                    std::initializer_list<std::pair<std::string_view, std::string>> arguments) {
    given handed;
    for (const auto& [argument, text] : arguments) handed.add(argument, text);
    if (!in.commands().empty()) return run_where_it_belongs(in, command_named(in.commands(), name), handed);
    const std::vector<command> all = detail::all_commands({});
    return run_where_it_belongs(in, command_named(all, name), handed);
}

[[nodiscard]] WINNOW_CLI_FUNCTION int run_program(std::span<const plan> plans, int argc, char** argv,
                                                  const program& about) noexcept {
    prepare_streams();
    bool as_json = false;
    try {
        const std::string name = detail::program_name(about, argc, argv);
        const std::string version =
            (about.version.empty() ? "" : name + " " + about.version + ", ") + "winnow " + version_text;
        const std::vector<command> commands = detail::all_commands(about.commands);
        const parsed_line line = parse_line(name, version, commands, detail::command_groups, argc, argv);
        if (line.chosen == nullptr) {
            if (line.exit_code != 0) detail::report_mistake(line, argc, argv);
            else write_to(stdout, line.text.ends_with('\n') ? line.text : line.text + "\n");
            return detail::checked_output(line.exit_code);
        }
        as_json = line.global.json;
        return detail::checked_output(detail::run_line(plans, about, line, commands, name));
    } catch (const error& problem) {
        report_error(problem, as_json);
        return detail::exit_code_of(problem);
    } catch (const std::bad_alloc&) {
        write_to(stderr, "winnow: out of memory\n");
    } catch (const std::exception& problem) {
        report_error(error(failure::statement, problem.what()), as_json);
    } catch (...) {
        write_to(stderr, "winnow: something was thrown that is no std::exception\n");
    }
    return 1;
}

}  // namespace winnow::inline v0::cli
