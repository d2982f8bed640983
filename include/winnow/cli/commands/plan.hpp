// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "winnow/cli/command.hpp"
#include "winnow/cli/environment.hpp"
#include "winnow/context/context.hpp"
#include "winnow/deletion/measure.hpp"
#include "winnow/store/drift.hpp"
#include "winnow/store/live_schema.hpp"

namespace winnow::inline v0::cli {

namespace detail {

[[nodiscard]] inline std::string rows_text(const planned_table& one) {
    if (one.action == "external") return "";
    if (one.rows < 0) return "not measured";
    const std::string number = std::to_string(one.rows);
    return one.capped ? "at least " + number : one.at_most ? "at most " + number : number;
}

[[nodiscard]] inline std::string shape_text(const planned_shape& one) {
    return one.name.empty() ? std::string() : one.name + ": " + one.reason;
}

/// `891 rows from 5 tables`; says so when a count was cut short.
[[nodiscard]] inline std::string total_text(const deletion_plan& found) {
    std::int64_t tables = 0;
    bool at_most = false;
    for (const planned_table& one : found.tables) {
        if (one.action != "deleted" || one.rows == 0) continue;
        ++tables;
        at_most = at_most || one.at_most;
    }
    return std::string(!found.complete ? "at least "
                       : at_most       ? "at most "
                                       : "") +
           row_count(found.total) + " from " + counted(tables, "table", "tables");
}

[[nodiscard]] inline json plan_json(const named_object& object, const catalog& models, const deletion_plan& found) {
    json tables = json::array();
    for (const planned_table& one : found.tables) {
        tables.push_back({{"model", one.key},
                          {"table", one.table},
                          {"action", one.action},
                          {"rows", one.rows < 0 ? json(nullptr) : json(one.rows)},
                          {"capped", one.capped},
                          {"at_most", one.at_most},
                          {"strategy", text_or_null(one.strategy)},
                          {"chunks", one.chunks},
                          {"access", text_or_null(one.access)},
                          {"shape", text_or_null(one.shape.name)},
                          {"shape_reason", text_or_null(one.shape.reason)},
                          {"note", text_or_null(one.note)}});
    }
    return {{"model", std::string(models[object.model].key)},
            {"id", object.id},
            {"total", found.total},
            {"complete", found.complete},
            {"tables", std::move(tables)},
            {"refusals", found.refusals}};
}

/// Adds what the live schema has against it to what the rows have. Rights are left out: who plans need not be who
/// deletes.
inline void add_schema_refusals(const context& with, std::size_t model, deletion_plan& to) {
    const std::vector<std::size_t> touched = models_touched(with.models, model);
    for (drift_finding& one :
         find_drift_below(with.models, model, inspect_models(with.database, with.models, touched))) {
        if (one.severity == severity::refuse && one.code != "no_right") to.refusals.push_back(std::move(one.text));
    }
}

inline int run_plan(environment& in, const given& arguments) {
    const named_object object = in.object(arguments);
    measure_options how;
    how.cap = arguments.number("--cap", 1).value_or(how.cap);
    const context with = in.with(access::read);
    deletion_plan found = plan_deletion(with, object.model, object.key, how);
    add_schema_refusals(with, object.model, found);
    if (in.out().as_json()) {
        in.out().print(plan_json(object, in.models(), found));
        return 0;
    }
    in.out().line("Deleting " + object.name + " would take " + total_text(found) + ".");
    table lines{"model", "table", "what happens", ">rows", "strategy", ">chunks", "found by", "taken by", "note"};
    for (const planned_table& one : found.tables) {
        const bool in_database = one.action != "external";
        lines.add({one.key, one.table, one.action, rows_text(one), one.strategy,
                   in_database && one.rows >= 0 ? std::to_string(one.chunks) : "", one.access, shape_text(one.shape),
                   one.note});
    }
    in.out().print(lines);
    in.out().line("total " + row_count(found.total) + (found.complete ? "" : " or more; some counts were cut short"));
    for (const std::string& refusal : found.refusals) in.out().line("It would be refused: " + refusal);
    in.out().note("Nothing was changed.");
    return 0;
}

}  // namespace detail

/// `plan`: what a deletion would take. Reads only.
[[nodiscard]] inline std::vector<command> plan_commands() {
    return {{"plan",
             "what deleting an object would take, table by table; changes nothing",
             {positional("KEY", "key of the model, app.Model"), positional("ID", "the object's primary key"),
              option("--cap", "ROWS", "count each table up to so many rows")},
             detail::run_plan}};
}

}  // namespace winnow::inline v0::cli
