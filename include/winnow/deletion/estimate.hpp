// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "winnow/core/json_value.hpp"
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
