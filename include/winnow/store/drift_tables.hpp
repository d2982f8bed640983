// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/core/letters.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/value.hpp"
#include "winnow/store/drift_scope.hpp"
#include "winnow/store/facts.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Whether a PostgreSQL type can be compared with, and read as, what a model declares.
[[nodiscard]] inline bool fits_postgres_type(value_kind kind, std::string_view type) {
    const auto any_of = [&](std::initializer_list<std::string_view> names) {
        return std::find(names.begin(), names.end(), type) != names.end();
    };
    switch (kind) {
        case value_kind::integer32: return any_of({"integer", "smallint"});
        case value_kind::integer64: return any_of({"bigint", "integer", "smallint", "oid"});
        case value_kind::boolean: return type == "boolean";
        case value_kind::real: return any_of({"double precision", "real"});
        case value_kind::text:
            return any_of({"text", "character varying", "character", "citext", "name", "bpchar", "inet", "numeric"}) ||
                   (type.find(' ') == std::string_view::npos &&
                    !any_of({"bigint", "integer", "smallint", "boolean", "uuid", "bytea", "real", "date", "json",
                             "jsonb"}));
        case value_kind::uuid: return type == "uuid";
        case value_kind::json: return any_of({"json", "jsonb"});
        case value_kind::timestamp: return any_of({"timestamp with time zone", "timestamp without time zone", "date"});
        case value_kind::blob: return type == "bytea";
    }
    return false;
}

/// The same for SQLite, by the affinity of the declared type. A column without a type takes anything.
[[nodiscard]] inline bool fits_sqlite_type(value_kind kind, std::string_view type) {
    std::string declared;
    for (const char c : type) declared += upper(c);
    const auto holds = [&](std::string_view part) { return declared.find(part) != std::string::npos; };
    const bool integer = holds("INT");
    const bool text = !integer && (holds("CHAR") || holds("CLOB") || holds("TEXT"));
    const bool blob = !integer && !text && (declared.empty() || holds("BLOB"));
    const bool real = !integer && !text && !blob && (holds("REAL") || holds("FLOA") || holds("DOUB"));
    switch (kind) {
        case value_kind::integer32:
        case value_kind::integer64:
        case value_kind::boolean: return !text && !blob && !real;
        case value_kind::real: return !text && !blob;
        case value_kind::text:
        case value_kind::uuid: return !integer && !real && !holds("BOOL");
        case value_kind::blob: return !integer && !real;
        case value_kind::json:
        case value_kind::timestamp: return true;  // kept as text, number or bytes, all of them customary
    }
    return false;
}

[[nodiscard]] inline bool takes_part_in_statements(const drift_scope& scope, std::size_t model, std::size_t column) {
    const plan& of = scope.models[model];
    if (std::find(of.identity.begin(), of.identity.end(), column) != of.identity.end()) return true;
    for (const edge* one : scope.models.edges_to(model)) {
        for (const winnow::column& each : one->relation->columns) {
            if (scope.same(scope.column(each), scope.column(of.columns[column]))) return true;
        }
    }
    return false;
}

inline void check_columns(drift_scope& scope, std::size_t model, const table_facts& live) {
    const plan& of = scope.models[model];
    const std::string table = live.name.text();
    const bool rows_are_read = of.hooks.per_row() || of.hooks.should_proceed || of.hooks.pending_delete;
    for (std::size_t i = 0; i < of.columns.size(); ++i) {
        const std::string name = scope.column(of.columns[i]);
        const column_facts* column = live.column(name);
        if (column == nullptr) {
            scope.add(severity::refuse, model, "missing_column",
                      table + " has no column " + name + ", which " + std::string(of.key) + " declares.");
            continue;
        }
        const value_kind kind = of.columns[i].kind;
        const bool fits = scope.facts.dialect == dialect::postgres ? fits_postgres_type(kind, column->type)
                                                                   : fits_sqlite_type(kind, column->type);
        if (!fits) {
            scope.add(takes_part_in_statements(scope, model, i) ? severity::refuse : severity::warn, model,
                      "type_differs",
                      table + '.' + name + " is " + (column->type.empty() ? "of no type" : column->type) + " and " +
                          std::string(of.key) + " declares it as " + std::string(name_of(kind)) + ".");
        }
        if (rows_are_read && !of.columns[i].optional && !column->not_null) {
            scope.add(
                severity::warn, model, "may_be_null",
                table + '.' + name + " may be null and " + std::string(of.key) +
                    " declares it without optional: a hook cannot be given such a row.",
                scope.facts.dialect == dialect::postgres
                    ? "ALTER TABLE " + scope.quoted(live.name) + " ALTER COLUMN " + quoted_name(name) + " SET NOT NULL;"
                    : "");
        }
    }
}

inline void check_primary_key(drift_scope& scope, std::size_t model, const table_facts& live) {
    const plan& of = scope.models[model];
    std::vector<std::string> declared;
    for (const std::uint16_t index : of.primary_key) declared.push_back(scope.column(of.columns[index]));
    for (const index_facts& index : live.indexes) {
        if (!index.unique || index.partial || !index.valid || index.columns.size() > declared.size()) continue;
        const bool inside = std::all_of(index.columns.begin(), index.columns.end(), [&](const std::string& each) {
            return std::any_of(declared.begin(), declared.end(),
                               [&](const std::string& one) { return live.same(one, each); });
        });
        if (inside) return;
    }
    // A leaf goes by its foreign key in bulk; nobody asks for its own.
    if (scope.models.strategy_of(model) == strategy::bulk && !scope.root[model]) return;
    const bool none = live.primary_key.empty();
    scope.add(severity::refuse, model, none ? "no_primary_key" : "key_not_unique",
              none ? live.name.text() + " has children or hooks and no primary key."
                   : live.name.text() + ": nothing makes the declared key (" + joined(declared) + ") unique.",
              scope.facts.dialect == dialect::postgres ? "CREATE UNIQUE INDEX ON " + scope.quoted(live.name) + " (" +
                                                             [&] {
                                                                 std::string list;
                                                                 for (const std::string& each : declared)
                                                                     list +=
                                                                         (list.empty() ? "" : ", ") + quoted_name(each);
                                                                 return list;
                                                             }() +
                                                             ");"
                                                       : "");
}

inline void check_rights(drift_scope& scope, std::size_t model, const table_facts& live) {
    const std::string table = live.name.text();
    const auto lacks = [&](std::string_view right, const std::string& text) {
        scope.add(severity::refuse, model, "no_right", text,
                  "GRANT " + std::string(right) + " ON " + scope.quoted(live.name) + " TO " + scope.facts.role + ";");
    };
    if (!live.may_select) lacks("SELECT", "This role may not read " + table + ".");
    if (!scope.deleted[model]) return;
    if (!live.may_delete) lacks("DELETE", "This role may not delete from " + table + ".");
    // Leaves are never locked in advance; everything else is.
    const bool locked = scope.root[model] || scope.models.strategy_of(model) == strategy::per_row;
    if (live.may_delete && !live.may_lock && locked) {
        lacks("UPDATE", "This role may delete from " + table + " but not lock it (needs UPDATE on one column).");
    }
}

inline void check_triggers(drift_scope& scope, std::size_t model, const table_facts& live) {
    const std::string table = live.name.text();
    for (const trigger_facts& trigger : live.delete_triggers) {
        if (!trigger.may_keep_rows) continue;
        scope.add(severity::warn, model, "trigger_may_keep_rows",
                  table + ": trigger \"" + trigger.name + "\" runs " +
                      (trigger.timing == trigger_timing::instead ? "instead of" : "before") +
                      " DELETE and may keep rows. If it does, the deletion stops as blocked and names them.");
    }
    for (const std::string& rule : live.delete_rules) {
        scope.add(severity::refuse, model, "rule_on_delete",
                  table + ": rule \"" + rule +
                      "\" replaces DELETE. winnow cannot delete through rules; drop it or use a trigger.",
                  "DROP RULE " + quoted_name(rule) + " ON " + scope.quoted(live.name) + ";");
    }
}

inline void check_reused_ids(drift_scope& scope, std::size_t model, const table_facts& live) {
    if (!live.rowid_key || live.autoincrement || scope.models[model].birth >= 0) return;
    // Scheduling with a delay refuses it (R22); without a delay nothing can take the id meanwhile.
    scope.add(scope.root[model] ? severity::refuse : severity::note, model, "reusable_ids",
              live.name.text() +
                  ": SQLite may give a freed id to another row. Use AUTOINCREMENT or declare a birth column of " +
                  std::string(scope.models[model].key) + ".");
}

/// Checks of one model's table by itself.
inline void check_table(drift_scope& scope, std::size_t model) {
    const plan& of = scope.models[model];
    const table_facts* live = scope.table(model);
    const std::string table = scope.name(model).text();
    if (live == nullptr) {
        return scope.add(
            severity::refuse, model, "missing_table",
            table + ", the table of " + std::string(of.key) + ", does not exist or is not in the search path.");
    }
    if (live->temporary) {
        return scope.add(severity::refuse, model, "not_a_table",
                         table + " is a temporary table, which only its own session sees.");
    }
    if (live->kind == table_kind::virtual_) {
        scope.add(severity::warn, model, "virtual_table",
                  table + " is a virtual table: it has no keys and no triggers.");
    } else if (live->kind == table_kind::foreign) {
        scope.add(severity::refuse, model, "not_a_table",
                  table + " is a foreign table: it has no locks and no keys here. Declare it external.");
    } else if (!scope.is_table(model)) {
        return scope.add(severity::refuse, model, "not_a_table",
                         table + " is " + std::string(name_of(live->kind)) + ". Name the table behind it.");
    }
    check_columns(scope, model, *live);
    check_rights(scope, model, *live);
    if (live->row_security) {
        scope.add(
            severity::refuse, model, "row_security",
            table +
                ": policies hide rows from this role, so \"nothing left\" would be untrue. Use a role with BYPASSRLS or "
                "the table's owner.");
    }
    if (live->unlogged) scope.add(severity::note, model, "unlogged", table + " is unlogged: a crash empties it.");
    if (!scope.deleted[model]) return;
    check_primary_key(scope, model, *live);
    check_triggers(scope, model, *live);
    check_reused_ids(scope, model, *live);
    if (!live->publication_without_identity.empty()) {
        scope.add(severity::refuse, model, "no_replica_identity",
                  table + " is in publication \"" + live->publication_without_identity +
                      "\" and has no replica identity: every delete would fail. Add a key or REPLICA IDENTITY FULL.",
                  "ALTER TABLE " + scope.quoted(live->name) + " REPLICA IDENTITY FULL;");
    }
}

}  // namespace detail

}  // namespace winnow::inline v0
