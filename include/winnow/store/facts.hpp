// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/core/dialect.hpp"
#include "winnow/core/letters.hpp"

namespace winnow::inline v0 {

/// A table as the database knows it. An empty schema is the connection's default one.
struct table_name {
    std::string schema;
    std::string name;

    [[nodiscard]] std::string text() const { return schema.empty() ? name : schema + '.' + name; }
    friend bool operator==(const table_name&, const table_name&) = default;
};

/// Compares names without regard to the case of ASCII letters, as SQLite does.
[[nodiscard]] inline bool same_name(std::string_view left, std::string_view right) noexcept {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](char a, char b) { return detail::upper(a) == detail::upper(b); });
}

/// What a name stands for.
enum class table_kind : unsigned char { table, partitioned, view, materialized_view, foreign, virtual_, other };

[[nodiscard]] constexpr std::string_view name_of(table_kind kind) noexcept {
    switch (kind) {
        case table_kind::table: return "a table";
        case table_kind::partitioned: return "a partitioned table";
        case table_kind::view: return "a view";
        case table_kind::materialized_view: return "a materialized view";
        case table_kind::foreign: return "a foreign table";
        case table_kind::virtual_: return "a virtual table";
        case table_kind::other: return "no table";
    }
    return "unknown";
}

struct column_facts {
    std::string name;
    std::string type;  ///< as the database writes it, domains resolved: `bigint`, `character varying`
    bool not_null = false;
    bool generated = false;  ///< computed from other columns: cannot be set
};

struct index_facts {
    std::string name;
    std::vector<std::string> columns;  ///< in order; empty text where an expression stands
    bool unique = false;
    bool primary = false;
    bool valid = true;     ///< false: a CREATE INDEX CONCURRENTLY that failed; no query uses it
    bool partial = false;  ///< covers some rows only
    bool ordered = true;   ///< a B-tree: serves lookups by its leading columns
};

/// `ON DELETE` of a foreign key.
enum class delete_action : unsigned char { no_action, restrict_, cascade, set_null, set_default };

[[nodiscard]] constexpr std::string_view name_of(delete_action action) noexcept {
    switch (action) {
        case delete_action::no_action: return "NO ACTION";
        case delete_action::restrict_: return "RESTRICT";
        case delete_action::cascade: return "CASCADE";
        case delete_action::set_null: return "SET NULL";
        case delete_action::set_default: return "SET DEFAULT";
    }
    return "unknown";
}

struct foreign_key_facts {
    std::string name;  ///< empty on SQLite
    table_name child;
    std::vector<std::string> columns;
    table_name parent;
    std::vector<std::string> referenced;
    delete_action on_delete = delete_action::no_action;
    bool deferrable = false;
    bool validated = true;  ///< false: NOT VALID, which is enforced for every change all the same (R2)
    bool enforced = true;   ///< false: its triggers are disabled
};

enum class trigger_timing : unsigned char { before, after, instead };

[[nodiscard]] constexpr std::string_view name_of(trigger_timing timing) noexcept {
    return timing == trigger_timing::before ? "BEFORE" : timing == trigger_timing::after ? "AFTER" : "INSTEAD OF";
}

/// A trigger that runs when rows are deleted.
struct trigger_facts {
    std::string name;
    trigger_timing timing = trigger_timing::before;
    bool each_row = true;
    bool enabled = true;
    std::string function;        ///< PostgreSQL: the function that it calls
    bool may_keep_rows = false;  ///< can answer "leave this row": BEFORE ROW or INSTEAD OF, RAISE(IGNORE)
};

struct table_facts {
    table_name name;              ///< as it was asked for
    std::string schema;           ///< where it was found
    std::int64_t identifier = 0;  ///< PostgreSQL: its oid
    table_kind kind = table_kind::table;
    bool temporary = false;
    bool unlogged = false;
    bool inherits = false;          ///< takes columns from another table (not a partition)
    bool inherited = false;         ///< other tables inherit from it (not partitions)
    std::vector<table_name> heirs;  ///< tables that inherit from it, without partitions
    std::vector<column_facts> columns;
    std::vector<std::string> primary_key;
    std::vector<index_facts> indexes;
    std::vector<trigger_facts> delete_triggers;
    std::vector<std::string> delete_rules;
    bool row_security = false;  ///< policies apply to this role
    bool may_select = true;
    bool may_delete = true;
    bool may_lock = true;                      ///< UPDATE on at least one column
    std::string publication_without_identity;  ///< publishes deletes of a table that has no replica identity
    bool autoincrement = false;                ///< SQLite: never gives a freed id to another row
    bool rowid_key = false;                    ///< SQLite: the primary key is the row's number (INTEGER PRIMARY KEY)
    bool without_rowid = false;                ///< SQLite: rows have no number

    bool any_case = false;  ///< names are compared without regard to case (SQLite)

    [[nodiscard]] bool same(std::string_view left, std::string_view right) const noexcept {
        return any_case ? same_name(left, right) : left == right;
    }
    [[nodiscard]] const column_facts* column(std::string_view wanted) const noexcept {
        for (const column_facts& each : columns) {
            if (same(each.name, wanted)) return &each;
        }
        return nullptr;
    }
    /// Whether a row's address (ctid, rowid) names one row of the whole table. False for partitioned and
    /// inherited tables and where rows have no address: they are deleted by key.
    [[nodiscard]] bool has_row_addresses() const noexcept {
        return kind == table_kind::table && !inherited && !without_rowid;
    }
};

/// Facts of a live schema: the tables that were asked for, and every foreign key that touches them.
struct schema_facts {
    winnow::dialect dialect = winnow::dialect::postgres;
    std::vector<table_facts> tables;  ///< those that exist
    std::vector<foreign_key_facts> foreign_keys;
    std::string role = "CURRENT_USER";  ///< whose rights these are, as a GRANT names it

    [[nodiscard]] const table_facts* find(const table_name& wanted) const noexcept {
        for (const table_facts& each : tables) {
            if (each.name == wanted) return &each;
        }
        return nullptr;
    }
};

}  // namespace winnow::inline v0
