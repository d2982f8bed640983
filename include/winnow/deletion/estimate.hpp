// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/core/json_value.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/closure.hpp"
#include "winnow/store/connection.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Rows that one node of PostgreSQL's plan is expected to give; nothing where that is no better than a guess.
inline std::optional<std::int64_t> rows_of_node(const json_value& node, int depth = 0) {
    const json_value* type = node.member("Node Type");
    const json_value* rows = node.member("Plan Rows");
    if (type == nullptr || rows == nullptr || depth > 100) return std::nullopt;
    if (type->text == "Recursive Union") return std::nullopt;
    std::vector<const json_value*> below;
    if (const json_value* plans = node.member("Plans"))
        for (const json_value& one : plans->items) {
            const json_value* relationship = one.member("Parent Relationship");
            if (relationship != nullptr && relationship->text == "InitPlan") {
                if (!rows_of_node(one, depth + 1)) return std::nullopt;
            } else {
                below.push_back(&one);
            }
        }
    std::int64_t most = 0;
    for (const json_value* one : below) {
        const std::optional<std::int64_t> found = rows_of_node(*one, depth + 1);
        if (!found) return std::nullopt;
        most = std::max(most, *found);
    }
    // What only passes rows on, or drops those that were found twice: the planner takes none to be found twice, and
    // several ways to the same rows are far more usual than several ways to different ones.
    for (const std::string_view passing :
         {"Aggregate", "Limit", "Subquery Scan", "Unique", "Sort", "Append", "Gather", "Gather Merge"})
        if (type->text == passing && !below.empty()) return most;
    return std::strtoll(rows->text.c_str(), nullptr, 10);
}

/// How many rows a counting statement would find by the statistics that PostgreSQL keeps, without looking at any.
/// @return nothing where the planner only guesses
inline std::optional<std::int64_t> planned_rows(connection& database, std::string_view count,
                                                std::span<const parameter> parameters) {
    const rows found = database.execute_once("EXPLAIN (FORMAT JSON) " + std::string(count), parameters);
    const std::optional<json_value> plan = parse_json(found.text(0, 0));
    if (!plan || plan->items.empty()) return std::nullopt;
    const json_value* top = plan->items[0].member("Plan");
    return top == nullptr ? std::nullopt : rows_of_node(*top);
}
inline std::optional<std::int64_t> planned_rows(connection& database, std::string_view count,
                                                std::initializer_list<parameter> parameters) {
    return planned_rows(database, count, std::span<const parameter>(parameters.begin(), parameters.size()));
}

/// How many rows of an SQLite table share a value of a column on average, by what `ANALYZE` left; nothing if it has not
/// run, or the column leads no index.
inline std::optional<double> sqlite_rows_of_one(connection& database, std::string_view table, std::string_view column) {
    if (database.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'").integer(0, 0) == 0)
        return std::nullopt;
    const rows found =
        database.execute("SELECT s.stat FROM sqlite_stat1 AS s JOIN pragma_index_info(s.idx) AS i ON i.seqno = 0 WHERE "
                         "lower(s.tbl) = lower(?1) AND lower(i.name) = lower(?2)",
                         {table, column});
    if (found.empty()) return std::nullopt;
    // Rows of the table, then rows for each value of the first column, of the first two, …
    const std::string numbers = found.text(0, 0);
    const std::size_t second = numbers.find(' ');
    if (second == std::string::npos) return std::nullopt;
    return std::strtod(numbers.c_str() + second, nullptr);
}

/// How many rows of a model a deletion takes on SQLite, by the same: as many for each doomed parent as there are on
/// average. @param doomed rows of each model, as far as known
inline std::optional<std::int64_t> expected_below(connection& database, const catalog& models, std::size_t model,
                                                  const std::vector<std::optional<std::int64_t>>& doomed) {
    std::optional<std::int64_t> most;
    for (const edge* into : models.edges_to(model)) {
        const relation& how = *into->relation;
        if (how.kind != relation_kind::cascade) continue;
        if (how.columns.size() != 1 || into->parent == model || !doomed[into->parent]) return std::nullopt;
        const std::optional<double> each =
            sqlite_rows_of_one(database, models[model].table.sqlite, how.columns[0].name.sqlite);
        if (!each) return std::nullopt;
        const auto rows = static_cast<std::int64_t>(*each * static_cast<double>(*doomed[into->parent]));
        most = std::max(most.value_or(0), rows);
    }
    return most;
}

/// How many rows a counting query would find by the statistics that PostgreSQL keeps, without looking at any.
/// @return nothing elsewhere, and for trees within one table, of which the planner knows nothing
inline std::optional<std::int64_t> expected_rows(connection& database, const closure_query& query,
                                                 std::span<const value> key, std::int64_t cap) {
    if (database.kind() != dialect::postgres) return std::nullopt;
    std::vector<parameter> parameters;
    for (std::size_t column = 0; column < query.key_parameters; ++column) parameters.emplace_back(key[column]);
    parameters.emplace_back(cap);
    return planned_rows(database, query.sql, parameters);
}

}  // namespace detail

}  // namespace winnow::inline v0
