// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/hooks.hpp"
#include "winnow/plan/relation.hpp"

namespace winnow::inline v0 {

class delivery;

/// What the messages of a category are about.
enum class category_kind : std::uint8_t {
    latest_state,  ///< the row as it is now: messages about one object are delivered once, the newest
    every_event,   ///< each message counts: none is merged, and those of one object are delivered in order
};

[[nodiscard]] constexpr std::string_view name_of(category_kind kind) noexcept {
    return kind == category_kind::every_event ? "every_event" : "latest_state";
}

/// One column of a mirror's table and where its value comes from.
struct mirrored_column {
    /// Stands for the name of the cell that the row comes from.
    static constexpr std::uint16_t cell_name = 0xFFFF;

    std::uint16_t source = 0;  ///< index into the columns of the replicated model, or `cell_name`
    column target;
    bool identifies = false;  ///< one of the columns that the mirror's row is found by
};

/// The table in the other silo that holds copies of a model's rows.
struct mirror_plan {
    std::string_view model;  ///< key of the mirror's own model; empty: there is no mirror
    dialect_text table;      ///< as the database spells it
    std::span<const mirrored_column> columns;

    /// (ROWS) writes copies, new or changed. ROWS is a set parameter of `columns`, in their order.
    dialect_text upsert;
    /// (IDENTITIES) removes copies. IDENTITIES is a set parameter of those columns that identify, in their order.
    dialect_text erase;
    /// (IDENTITIES) `columns` of the copies, in their order.
    dialect_text read;

    explicit constexpr operator bool() const noexcept { return !model.empty(); }
};

/// Statements of the source silo that write and look for messages of one model. KEYS is a set parameter of primary
/// keys, CELLS one of cell names (one empty name where the target is the control silo).
struct replication_statements {
    /// (KEYS, CELLS) a message for each of these rows and each cell, in the order of shards.
    dialect_text produce;
    /// (lower, upper, CELLS) the same for all rows whose key lies between the two, both included.
    dialect_text produce_range;
    /// (lower, upper, limit) number of rows between the two, counted in key order up to `limit`, and the last key.
    dialect_text batch;
    /// () smallest and greatest key; null in an empty table.
    dialect_text bounds;
};

/// User code of a replicated model.
struct replication_hooks {
    /// For an object that exists, with all columns of the plan. Outside of any transaction.
    void (*replicate)(const void* state, row_values row, delivery& about) = nullptr;
    /// For an object that is gone.
    void (*erased)(const void* state, std::int64_t object, delivery& about) = nullptr;
    const void* state = nullptr;
};

/// How the rows of a model are copied to the other silo.
struct replication {
    int version = 1;                   ///< `replication_version`: raised when the meaning of a copy changes
    std::int32_t category = 0;         ///< the application's number
    std::string_view category_name{};  ///< its name, for messages and metrics
    category_kind kind = category_kind::latest_state;
    std::int32_t scope = 0;  ///< the application's number
    std::string_view scope_name{};
    bool strict_order = false;  ///< a failing message holds up its whole shard
    std::uint16_t shard = 0;    ///< index of the immutable column that names the shard within the scope
    std::span<const std::uint16_t>
        payload;                    ///< indices of the columns that a message carries, for when the row is gone
    std::uint64_t fingerprint = 0;  ///< of all that a copy is made of: changes when the mapping does
    mirror_plan mirror{};
    replication_hooks hooks{};
    replication_statements statements{};
};

/// What happens to rows that refer to a row of the other silo when that row is deleted.
enum class remote_kind : std::uint8_t {
    cascade,     ///< the rows go
    set_null,    ///< their reference becomes null
    do_nothing,  ///< they stay
};

[[nodiscard]] constexpr std::string_view name_of(remote_kind kind) noexcept {
    return kind == remote_kind::cascade ? "cascade" : kind == remote_kind::set_null ? "set_null" : "do_nothing";
}

/// Statements of one remote relation, over the referring model's table.
struct remote_statements {
    /// (DEAD, limit) identity of rows that refer to one of these, in key order. DEAD is a set parameter of one column.
    dialect_text find;
    /// (KEYS, DEAD) identity of those that still do; locked against everything, in key order.
    dialect_text lock;
    /// (KEYS, DEAD) sets their reference to null.
    dialect_text nullify;
    /// (last key…, limit) identity and reference of the next rows whose reference is not null, in key order.
    dialect_text scrub_next;
    /// (limit) the same from the beginning.
    dialect_text scrub_first;
    /// () greatest key of the table.
    dialect_text last;
};

/// A column that refers to a row in the other silo, as the referring model declares it.
struct remote_relation {
    remote_kind kind = remote_kind::cascade;
    std::string_view parent;  ///< key of the model in the other silo
    column reference;         ///< an integer column of this model
    std::uint16_t index = 0;  ///< the same, into `plan::columns`
    remote_statements statements;
};

}  // namespace winnow::inline v0
