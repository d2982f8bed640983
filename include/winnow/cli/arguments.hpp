// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "winnow/cli/command.hpp"
#include "winnow/cli/settings.hpp"
#include "winnow/cli/text.hpp"

namespace winnow::inline v0::cli {

/// The name of a group of commands, and what the help text says of it.
struct command_group {
    std::string_view name;
    std::string_view description;
};

/// What a command line means.
struct parsed_line {
    const command* chosen = nullptr;  ///< null: nothing is to be run, `text` is to be printed
    given arguments{};
    global_arguments global{};
    int exit_code = 0;   ///< without a command: 0 for help and version, 2 for a mistake
    std::string text{};  ///< help, version, or what is wrong
    std::string hint{};  ///< what to do about a mistake
};

namespace detail {

/// A command line parser made of descriptions. CLI11 is seen here only.
class line_parser {
public:
    line_parser(const std::string& program, const std::string& version, std::span<const command> commands,
                std::span<const command_group> groups)
        : app_("Deletes large trees of rows in the background, safely.", program) {
        app_.require_subcommand(1);
        app_.get_formatter()->label("REQUIRED", "");
        app_.get_formatter()->label("SUBCOMMAND", "COMMAND");
        app_.get_formatter()->label("Subcommands", "Commands");
        app_.set_version_flag("--version", version);
        add_globals();
        for (const command& one : commands) add(one, groups);
    }

    [[nodiscard]] parsed_line parse(int argc, const char* const* argv) {
        parsed_line result;
        // CLI11 takes them from the back.
        std::vector<std::string> words;
        for (int word = argc - 1; word > 0; --word) words.push_back(shielded(argv[word]));
        try {
            app_.parse(words);
        } catch (const CLI::CallForVersion& version) {
            result.text = version.what();
            return result;
        } catch (const CLI::Success&) {
            CLI::App& about = deepest();
            result.text = about.help(about.get_parent() == nullptr ? "" : path_of(*about.get_parent()));
            return result;
        } catch (const CLI::ParseError& problem) {
            result.exit_code = 2;
            result.text = mistake(problem);
            result.hint = "`" + path_of(deepest()) + " --help` shows how it is written.";
            return result;
        }
        read_globals(result.global);
        for (const entry& one : entries_) {
            if (!one.app->parsed()) continue;
            result.chosen = one.about;
            for (const auto& [name, held] : one.options) {
                for (const std::string& text : held->results()) result.arguments.add(name, bare(text));
            }
        }
        return result;
    }

private:
    struct entry {
        const command* about;
        CLI::App* app;
        std::vector<std::pair<std::string, CLI::Option*>> options;
    };

    /// CLI11 takes `[a,b]` for several values, which an id or JSON is not. A mark before it prevents that.
    static std::string shielded(const std::string& word) {
        const bool bracketed = word.starts_with('[') && word.ends_with(']');
        return bracketed || word.starts_with(mark) ? mark + word : word;
    }
    static std::string bare(const std::string& word) { return word.starts_with(mark) ? word.substr(1) : word; }

    CLI::Option* add_text(const std::string& name, const std::string& placeholder, const std::string& meaning) {
        return app_.add_option(name, meaning)->type_name(placeholder)->group(global_group);
    }

    CLI::Option* add_switch(const std::string& name, const std::string& meaning) {
        return app_.add_flag(name, meaning)->group(global_group);
    }

    void add_globals() {
        database_ = add_text("--database", "URL", "sqlite:PATH or postgresql://user@host/name [WINNOW_DATABASE]");
        silo_mode_ = add_text("--silo-mode", "MODE", "monolith (the default), control or cell [WINNOW_SILO_MODE]");
        cell_ = add_text("--cell", "NAME", "the cell to work on, where there are several [WINNOW_CELL_NAME]");
        redis_ = add_text("--redis", "URL", "redis://host:port, for the cursors of backfills [WINNOW_REDIS]");
        actor_ = add_text("--actor", "NAME", "who acts, for the audit [WINNOW_ACTOR]");
        config_ = add_text("--config", "FILE", "JSON with databases and silos [WINNOW_CONFIG]");
        plugin_ = add_text("--plugin", "FILE", "a plugin to load; may be given several times [WINNOW_PLUGINS]");
        plugin_->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        log_format_ =
            add_text("--log-format", "FORMAT", "text (the default) or json, one object a line [WINNOW_LOG_FORMAT]");
        json_ = add_switch("--json", "print one JSON document");
        quiet_ = add_switch("--quiet", "no progress, no log below error, results only");
    }

    void read_globals(global_arguments& found) const {
        const auto read = [](const CLI::Option* from, std::optional<std::string>& to) {
            if (from->count() != 0) to = bare(from->results().back());
        };
        read(database_, found.database);
        read(silo_mode_, found.silo_mode);
        read(cell_, found.cell_name);
        read(redis_, found.redis);
        read(actor_, found.actor);
        read(config_, found.config);
        for (const std::string& file : plugin_->results()) found.plugins.push_back(bare(file));
        read(log_format_, found.log_format);
        found.json = json_->count() != 0;
        found.quiet = quiet_->count() != 0;
    }

    void add(const command& one, std::span<const command_group> groups) {
        CLI::App* above = &app_;
        std::string_view rest = one.name;
        for (std::size_t blank = rest.find(' '); blank != std::string_view::npos; blank = rest.find(' ')) {
            const std::string name(rest.substr(0, blank));
            rest.remove_prefix(blank + 1);
            CLI::App*& group = groups_made_[name];
            if (group == nullptr) {
                std::string description;
                for (const command_group& known : groups) {
                    if (known.name == name) description = known.description;
                }
                group = above->add_subcommand(name, description);
                group->require_subcommand(1);
                group->fallthrough();
            }
            above = group;
        }
        CLI::App* app = above->add_subcommand(std::string(rest), one.description);
        app->fallthrough();
        entry made{&one, app, {}};
        for (const argument& wanted : one.arguments) made.options.emplace_back(wanted.name, add(*app, wanted));
        entries_.push_back(std::move(made));
    }

    static CLI::Option* add(CLI::App& app, const argument& wanted) {
        if (!wanted.is_positional() && wanted.placeholder.empty()) return app.add_flag(wanted.name, wanted.meaning);
        CLI::Option* made = app.add_option(wanted.name, wanted.meaning);
        if (wanted.required) made->required();
        if (wanted.many) made->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
        // In the help text a positional argument has a name already.
        made->type_name(wanted.is_positional() ? "" : wanted.placeholder);
        if (!wanted.choices.empty()) made->check(CLI::IsMember(wanted.choices).description(""));
        return made;
    }

    /// The command, or group of commands, up to which the line made sense.
    [[nodiscard]] CLI::App& deepest() {
        CLI::App* at = &app_;
        while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
        return *at;
    }
    /// What is wrong with the line. Of a word that is no command CLI11 only says that a command is missing.
    [[nodiscard]] std::string mistake(const CLI::ParseError& problem) {
        if (deepest().get_require_subcommand_min() == 0) return problem.what();
        const std::vector<std::string> words = app_.remaining(true);
        if (words.empty())
            return deepest().get_parent() == nullptr ? problem.what()
                                                     : "`" + path_of(deepest()) + "` needs one of its commands.";
        return "`" + path_of(deepest()) + "` has no command `" + printable(bare(words.front())) + "`.";
    }
    static std::string path_of(CLI::App& app) {
        return app.get_parent() == nullptr ? app.get_name() : path_of(*app.get_parent()) + " " + app.get_name();
    }

    static constexpr char mark = '\x01';
    static constexpr const char* global_group = "Global options";

    CLI::App app_;
    CLI::Option* database_ = nullptr;
    CLI::Option* silo_mode_ = nullptr;
    CLI::Option* cell_ = nullptr;
    CLI::Option* redis_ = nullptr;
    CLI::Option* actor_ = nullptr;
    CLI::Option* config_ = nullptr;
    CLI::Option* plugin_ = nullptr;
    CLI::Option* log_format_ = nullptr;
    CLI::Option* json_ = nullptr;
    CLI::Option* quiet_ = nullptr;
    std::map<std::string, CLI::App*> groups_made_;
    std::vector<entry> entries_;
};

}  // namespace detail

/// Reads a command line.
/// @param program its name, for help texts
/// @param commands must outlive the result, which points into them
[[nodiscard]] inline parsed_line parse_line(const std::string& program, const std::string& version,
                                            std::span<const command> commands, std::span<const command_group> groups,
                                            int argc, const char* const* argv) {
    return detail::line_parser(program, version, commands, groups).parse(argc, argv);
}

}  // namespace winnow::inline v0::cli
