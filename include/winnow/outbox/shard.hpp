// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/plan/value.hpp"

namespace winnow::inline v0 {

/// What messages are ordered in and drained by: those of one scope, one shard identifier and one target.
struct outbox_shard {
    winnow::silo silo = winnow::silo::cell;  ///< of the source, whose table the messages are in
    std::int32_t scope = 0;                  ///< the application's number
    std::int64_t identifier = 0;             ///< value of the models' shard column
    std::string cell_name;                   ///< the cell that the messages go to; empty: the control silo

    friend auto operator<=>(const outbox_shard&, const outbox_shard&) = default;
};

/// The silo that messages of this one go to.
[[nodiscard]] constexpr silo opposite(silo of) noexcept { return of == silo::cell ? silo::control : silo::cell; }

namespace detail {

/// Scope and identifier of each shard, for `in_shards`.
[[nodiscard]] inline key_set shard_set(std::span<const outbox_shard* const> all) {
    key_set made(2);
    made.reserve(all.size());
    for (const outbox_shard* one : all) {
        const std::array<value, 2> tuple{std::int64_t{one->scope}, one->identifier};
        made.push_back(tuple);
    }
    return made;
}

/// SQL: the columns are one of a set of shards that is the last parameter, and number `first`.
///
/// Statements with it are planned anew each time: a plan that PostgreSQL keeps from when there were few shards reads all
/// of them, until the table is analyzed.
[[nodiscard]] inline std::string in_shards(dialect which, int first) {
    const std::string at = "$" + std::to_string(first);
    if (which == dialect::sqlite)
        return "(shard_scope, shard_identifier) IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') "
               "FROM json_each(" +
               at + "))";
    return "(shard_scope, shard_identifier) IN (SELECT * FROM unnest(" + at + "::integer[], $" +
           std::to_string(first + 1) + "::bigint[]))";
}

/// SQL: `column` is one of a set of integers that is parameter number `at`.
[[nodiscard]] inline std::string in_set(dialect which, std::string_view column, int at) {
    std::string text(column);
    if (which == dialect::postgres) return text + " = ANY($" + std::to_string(at) + "::bigint[])";
    return text + " IN (SELECT value FROM json_each($" + std::to_string(at) + "))";
}

/// SQL: a set of pairs of an integer and a number that is the last parameter, as the table `d(id, number)`.
[[nodiscard]] inline std::string pairs(dialect which, int first) {
    if (which == dialect::postgres)
        return "unnest($" + std::to_string(first) + "::bigint[], $" + std::to_string(first + 1) +
               "::double precision[]) AS d(id, number)";
    return "(SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS number FROM json_each($" +
           std::to_string(first) + ")) AS d";
}

/// SQL: the type of a moment that is given as text.
[[nodiscard]] inline std::string_view moment_type(dialect which) {
    return which == dialect::postgres ? "::timestamptz" : "";
}

inline void add_id(key_set& to, std::int64_t id) {
    const value one = id;
    to.push_back({&one, 1});
}

inline void add_pair(key_set& to, std::int64_t id, double number) {
    const std::array<value, 2> pair{id, number};
    to.push_back(pair);
}

}  // namespace detail

}  // namespace winnow::inline v0
