// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/core/error.hpp"
#include "winnow/store/migrations.hpp"
#include "winnow/store/own_tables.hpp"
#include "winnow/store/trigger_ddl.hpp"

namespace winnow::inline v0::cli {

namespace detail {

inline int run_migrate(environment& in, const given&) {
    connection& database = in.database(access::build);
    const int steps = migrate(database);
    const int of_parts = migrate_parts(database, in.models().parts(), in.mode());
    const int version = installed_version(database);
    if (in.out().as_json()) {
        in.out().print(json{
            {"database", database.description()}, {"steps", steps}, {"version", version}, {"plugin_steps", of_parts}});
        return 0;
    }
    in.out().line(steps == 0 ? "winnow's tables in " + database.description() + " are up to date (version " +
                                   std::to_string(version) + ")."
                             : "winnow's tables in " + database.description() + " now have version " +
                                   std::to_string(version) + ".");
    if (of_parts != 0) in.out().line(counted(of_parts, "step", "steps") + " of plugins applied.");
    return 0;
}

inline int run_ddl(environment& in, const given& arguments) {
    std::optional<dialect> which;
    if (arguments.has("--dialect")) {
        which = arguments.text("--dialect") == "sqlite" ? dialect::sqlite : dialect::postgres;
    } else {
        which = in.dialect_of_url();
    }
    if (!which) {
        throw error(failure::usage, "For which database?")
            .with_hint("Give --dialect postgresql, --dialect sqlite, or --database URL.");
    }
    std::string script;
    if (arguments.has("--triggers")) {
        std::vector<std::string> named;
        for (const named_database& one : in.configured().cells) named.push_back(one.name);
        if (named.empty()) named.emplace_back("main");
        const std::vector<std::string_view> cells(named.begin(), named.end());
        script = trigger_ddl(in.models(), *which, cells, in.configured().silo_mode);
    } else {
        script = own_tables_ddl(*which) + parts_ddl(in.models().parts(), in.mode(), *which);
    }
    if (in.out().as_json()) {
        in.out().print(
            json{{"dialect", std::string(name_of(*which))}, {"version", own_tables_version}, {"script", script}});
    } else {
        in.out().print_text(script);
    }
    return 0;
}

}  // namespace detail

/// `migrate` and `ddl`: winnow's own tables, and those of plugins.
[[nodiscard]] inline std::vector<command> schema_commands() {
    return {{"migrate", "make or upgrade winnow's own tables and those of plugins", {}, detail::run_migrate, true},
            {"ddl",
             "print the SQL that migrate runs on an empty database, or that of triggers",
             {option("--dialect", "DIALECT", "postgresql or sqlite; by default that of --database",
                     {"postgresql", "sqlite"}),
              flag("--triggers", "triggers on the models' tables that write the messages of raw SQL instead")},
             detail::run_ddl}};
}

}  // namespace winnow::inline v0::cli
