// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/hooks.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/plan/replication.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/plan/value.hpp"

namespace winnow::inline v0 {

/// How the rows of a model go.
enum class strategy : std::uint8_t {
    per_row,  ///< rows are found, their children go first, hooks see each of them
    bulk,     ///< one statement removes a chunk, nothing is read
};

[[nodiscard]] constexpr std::string_view name_of(strategy which) noexcept {
    return which == strategy::bulk ? "bulk" : "per_row";
}

/// Statements over one model's own rows. `KEYS` is a set parameter of primary keys.
struct row_statements {
    /// (KEYS) all columns, in key order.
    dialect_text read;
    /// (KEYS) identity columns, in key order; locked against everything.
    dialect_text lock;
    /// (KEYS) all columns, in key order; locked against changes only (R13).
    dialect_text hold;
    /// (KEYS) delete.
    dialect_text remove;
    /// (KEYS) how many of them exist.
    dialect_text count;
    /// (status, KEYS) set the status of those that have another one; empty without a status column.
    dialect_text mark;
};

/// Where a model keeps its status, and the values that winnow writes there.
struct status_column {
    int index = -1;                ///< into `plan::columns`; -1: the model has no status
    std::int64_t active = 0;       ///< what a cancelled deletion goes back to
    std::int64_t pending = 2;      ///< set when a deletion is scheduled
    std::int64_t in_progress = 3;  ///< set by the first chunk

    explicit constexpr operator bool() const noexcept { return index >= 0; }
};

/// One model as plain data: what a trait compiles to, what a plugin hands over, what the checker
/// proves and what the engine runs. Everything it points to is constant and outlives the catalog.
struct plan {
    std::string_view key;       ///< `app.Model`, unique in a catalog
    dialect_text schema;        ///< empty: the connection's default
    dialect_text table;         ///< as the database spells it
    dialect_text quoted_table;  ///< quoted and schema-qualified, for statements
    winnow::silo silo = winnow::silo::cell;

    std::span<const column> columns;             ///< all described members
    std::span<const std::uint16_t> primary_key;  ///< indices into `columns`
    /// Indices into `columns` that are read whenever rows are found or locked: the primary key
    /// first, then every further column that a relation refers to.
    std::span<const std::uint16_t> identity;
    status_column status;
    int birth = -1;  ///< index of an immutable column that tells a reused key from the first one (R22)

    winnow::strategy strategy = winnow::strategy::per_row;
    std::string_view strategy_reason;    ///< one sentence: why this strategy
    std::int32_t chunk_size = 100;       ///< rows per statement
    std::int32_t query_limit = 100;      ///< rows fetched at once; burst of the rate limit
    bool newest_first = false;           ///< children are taken in falling key order
    std::string_view rate_limit_option;  ///< option that holds rows per second; empty: no limit

    std::span<const relation> relations;  ///< where this model is the parent
    std::span<const relation> attached;   ///< where this model attaches itself to a parent by key
    winnow::hooks hooks;
    row_statements statements;

    const winnow::replication* replication = nullptr;  ///< null: rows of this model are not copied
    std::span<const remote_relation> remotes;          ///< columns that refer to rows of the other silo
};

}  // namespace winnow::inline v0
