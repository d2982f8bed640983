// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/hooks.hpp"
#include "winnow/plan/value.hpp"

namespace winnow::inline v0 {

/// What happens to the rows below when a row is deleted.
enum class relation_kind : std::uint8_t {
    cascade,     ///< the child rows go first
    set_null,    ///< the child rows stay, their reference becomes null
    restrict_,   ///< the deletion is refused while child rows exist
    do_nothing,  ///< never looked at; an enforced foreign key on it is refused at the start
    external,    ///< not in this database: an external task clears it
};

[[nodiscard]] constexpr std::string_view name_of(relation_kind kind) noexcept {
    switch (kind) {
        case relation_kind::cascade: return "cascade";
        case relation_kind::set_null: return "set_null";
        case relation_kind::restrict_: return "restrict";
        case relation_kind::do_nothing: return "do_nothing";
        case relation_kind::external: return "external";
    }
    return "unknown";
}

/// One column of a table.
struct column {
    dialect_text name;    ///< as the database spells it, for comparing with a live schema
    dialect_text quoted;  ///< the same, quoted for use in statements
    value_kind kind = value_kind::integer64;
    bool optional = false;  ///< may be null
};

/// A constant that a relation's child rows must carry: the type column of a generic foreign key.
struct filter {
    column where;
    std::string_view literal;  ///< the SQL literal, quoted
};

/// Statements of one relation. Every one speaks of the child's table only, so that a child can be
/// attached to a parent whose columns it does not know. `set` is a set parameter: as many array
/// parameters as it has columns on PostgreSQL, one JSON parameter on SQLite. `PARENTS` holds the
/// values of the referenced columns, `KEYS` the child's primary keys. "Identity" columns are
/// `plan::identity` of the child. `own` is the relation's filter.
struct relation_statements {
    /// (PARENTS, limit) identity of the first children, in key order.
    dialect_text fetch_first;
    /// (PARENTS, last key…, limit) identity of the next children after `last key`, in key order.
    dialect_text fetch_next;
    /// (KEYS, PARENTS) identity of those that still belong to PARENTS; locked against everything, in key order (R3, R4).
    dialect_text lock;
    /// (KEYS, PARENTS) the same, locked against changes only: rows on the path (section 1 of the rules).
    dialect_text hold;
    /// (PARENTS) delete all child rows.
    dialect_text remove;
    /// (PARENTS, limit) delete at most `limit` child rows, by row address.
    dialect_text remove_some;
    /// (PARENTS, limit) the same by key: partitioned and inherited tables, WITHOUT ROWID.
    dialect_text remove_some_by_key;
    /// (PARENTS, limit) the same, passing over rows that others hold locked (R9).
    dialect_text remove_unlocked;
    /// (PARENTS) set the child's columns to null.
    dialect_text nullify;
    /// (PARENTS, limit) the same for at most `limit` rows.
    dialect_text nullify_some;
    /// (KEYS, PARENTS) the same for single rows; only where the child is replicated, and each change writes a message.
    dialect_text nullify_keys;
    /// (PARENTS, limit) the number of child rows, counted up to `limit`.
    dialect_text count;
    /// (PARENTS) 1 or 0: is there any child row?
    dialect_text exists;
    /// (PARENTS, limit) self-relation only: identity of the first rows anywhere below PARENTS, and
    /// their own reference (R15). Uses UNION, so that a cycle in the data ends.
    dialect_text descend;
    /// (PARENTS, KEYS) self-relation only: those references among PARENTS that rows outside KEYS have (R15).
    dialect_text reach_outside;
};

/// One edge of the graph, seen from the parent.
struct relation {
    relation_kind kind = relation_kind::cascade;
    std::string_view parent;  ///< key of the parent's model
    std::string_view child;   ///< key of the child's model; the task's name for `external`
    /// Columns of the child that refer to the parent.
    std::span<const column> columns;
    /// Columns of the parent that they refer to; empty: the parent's primary key.
    std::span<const column> referenced;
    std::span<const filter> filters;
    /// Keys of models that are left out everywhere below this relation.
    std::span<const std::string_view> skips;
    /// Parent rows for which it says no do not have this relation; null: all have it.
    row_predicate applies;
    external_task external;
    relation_statements statements;
};

}  // namespace winnow::inline v0
