// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/plan/catalog.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/store/drift_scope.hpp"
#include "winnow/store/facts.hpp"

namespace winnow::inline v0 {

namespace detail {

/// The columns of a relation as texts say them: `note.proj_id`, `note.(a, b)`.
[[nodiscard]] inline std::string columns_of(const drift_scope& scope, const edge& one) {
    std::vector<std::string> names;
    for (const column& each : one.relation->columns) names.push_back(scope.column(each));
    const std::string table = scope.name(one.child).text();
    return names.size() == 1 ? table + '.' + names[0] : table + ".(" + joined(names) + ')';
}

inline void check_index(drift_scope& scope, const edge& one, const table_facts& child) {
    if (one.relation->columns.empty()) return;
    if (!index_for(scope.models[one.child], *one.relation, scope.facts, scope.facts.dialect).empty()) return;
    std::vector<std::string> columns;
    for (const filter& each : one.relation->filters) columns.push_back(scope.column(each.where));
    for (const column& each : one.relation->columns) columns.push_back(scope.column(each));
    std::string remedy = index_statement(scope, child, columns, false);
    std::string why;
    for (const index_facts& index : child.indexes) {
        if (index.columns.empty() || !child.same(index.columns[0], scope.column(one.relation->columns[0]))) continue;
        if (!index.valid) why = " Index \"" + index.name + "\" is invalid: drop it first.";
        else if (index.partial) why = " Index \"" + index.name + "\" covers a part of the rows only.";
    }
    scope.add(scope.options.require_indexes ? severity::refuse : severity::warn, one.child, "missing_index",
              columns_of(scope, one) + " has no index: each chunk of " + scope.name(one.parent).text() +
                  " reads all of " + child.name.text() + "." + why,
              std::move(remedy));
}

inline void check_set_null(drift_scope& scope, const edge& one, const table_facts& child) {
    for (const column& each : one.relation->columns) {
        const column_facts* live = child.column(scope.column(each));
        if (live == nullptr) continue;  // has its own finding
        const std::string name = child.name.text() + '.' + live->name;
        if (live->generated) {
            scope.add(severity::refuse, one.child, "set_null_generated",
                      name + " is generated and cannot be set to null.");
        } else if (live->not_null) {
            scope.add(severity::refuse, one.child, "set_null_not_null",
                      name + " is NOT NULL and cannot be set to null.",
                      scope.facts.dialect == dialect::postgres
                          ? "ALTER TABLE " + scope.quoted(child.name) + " ALTER COLUMN " + quoted_name(live->name) +
                                " DROP NOT NULL;"
                          : "");
        }
    }
    if (!child.may_lock) {
        scope.add(severity::refuse, one.child, "no_right",
                  "This role may not update " + child.name.text() + ", whose reference is to be set to null.",
                  "GRANT UPDATE ON " + scope.quoted(child.name) + " TO " + scope.facts.role + ";");
    }
}

/// What the database itself does on DELETE, beside what the relation says.
inline void check_key(drift_scope& scope, const edge& one, const table_facts& child) {
    const foreign_key_facts* key = scope.key_of(one);
    const std::string columns = columns_of(scope, one);
    const std::string parent = scope.name(one.parent).text();
    const relation_kind kind = one.relation->kind;
    if (key == nullptr || !key->enforced) {
        if (key != nullptr) {
            scope.add(
                severity::warn, one.child, "key_disabled",
                child.name.text() + ": foreign key \"" + key->name + "\" is declared but its triggers are disabled.",
                "ALTER TABLE " + scope.quoted(child.name) + " ENABLE TRIGGER ALL;");
        } else if (kind == relation_kind::cascade && one.relation->filters.empty()) {
            scope.add(severity::note, one.child, "no_enforced_key",
                      columns + " refers to " + parent +
                          " without a foreign key in the database: rows that others write during a "
                          "deletion may be left behind.");
        }
        return;
    }
    const bool hidden = key->on_delete == delete_action::cascade;
    if (kind == relation_kind::do_nothing &&
        (key->on_delete == delete_action::no_action || key->on_delete == delete_action::restrict_)) {
        scope.add(severity::refuse, one.child, "do_nothing_with_key",
                  columns + " is declared do_nothing, and the database enforces its reference to " + parent +
                      ": deleting a row that has children fails. Declare cascade or set_null.");
    }
    if (!hidden) return;
    if (kind == relation_kind::do_nothing) {
        scope.add(
            severity::warn, one.child, "hidden_cascade",
            columns + " is declared do_nothing, and ON DELETE CASCADE in the database deletes its rows all the same.");
    }
    if (scope.models[one.child].hooks.per_row()) {
        scope.add(severity::warn, one.child, "hidden_cascade",
                  columns +
                      " has ON DELETE CASCADE in the database: a row that goes by it is deleted without the hooks of " +
                      std::string(scope.models[one.child].key) + ". winnow removes children first; raw SQL does not.");
    }
    for (const trigger_facts& trigger : child.delete_triggers) {
        if (!trigger.may_keep_rows) continue;
        scope.add(severity::refuse, one.child, "cascade_and_trigger",
                  child.name.text() + ": cascade and trigger \"" + trigger.name +
                      "\" together leave orphans in spite of the key.");
    }
}

/// Tables that inherit from a child take its columns but not its foreign keys.
inline void check_heirs(drift_scope& scope, const edge& one, const table_facts& child) {
    const foreign_key_facts* key = scope.key_of(one);
    if (key == nullptr) return;
    for (const table_name& heir : child.heirs) {
        const bool has_it =
            std::any_of(scope.facts.foreign_keys.begin(), scope.facts.foreign_keys.end(), [&](const auto& each) {
                return each.child == heir && each.parent == key->parent && each.columns == key->columns;
            });
        if (has_it) continue;
        std::string columns;
        std::string referenced;
        for (const std::string& each : key->columns) columns += (columns.empty() ? "" : ", ") + quoted_name(each);
        for (const std::string& each : key->referenced)
            referenced += (referenced.empty() ? "" : ", ") + quoted_name(each);
        scope.add(severity::warn, one.child, "heir_without_key",
                  heir.text() + " inherits " + child.name.text() + " but not its foreign key to " + key->parent.text() +
                      ": add it.",
                  "ALTER TABLE " + scope.quoted(heir) + " ADD FOREIGN KEY (" + columns + ") REFERENCES " +
                      scope.quoted(key->parent) + " (" + referenced + ");");
    }
}

/// Checks of one relation of a model whose rows are deleted.
inline void check_relation(drift_scope& scope, const edge& one) {
    if (one.child == edge::none || !scope.touched[one.child]) return;
    const table_facts* child = scope.table(one.child);
    if (child == nullptr || (!scope.is_table(one.child) && child->kind != table_kind::virtual_)) return;
    for (const column& each : one.relation->columns) {
        if (child->column(scope.column(each)) != nullptr) continue;
        scope.add(severity::refuse, one.child, "missing_column",
                  child->name.text() + " has no column " + scope.column(each) + ", which " +
                      std::string(scope.models[one.child].key) + " declares.");
        return;
    }
    if (one.relation->kind != relation_kind::do_nothing && child->kind != table_kind::virtual_)
        check_index(scope, one, *child);
    if (one.relation->kind == relation_kind::set_null) check_set_null(scope, one, *child);
    check_key(scope, one, *child);
    check_heirs(scope, one, *child);
}

/// Foreign keys of the database that refer to a deleted model and that no relation speaks of.
inline void check_undeclared_keys(drift_scope& scope) {
    for (std::size_t model = 0; model < scope.models.size(); ++model) {
        if (!scope.deleted[model]) continue;
        for (const foreign_key_facts& key : scope.facts.foreign_keys) {
            if (key.parent != scope.name(model) || !key.enforced) continue;
            const std::span<const edge> edges = scope.models.edges_from(model);
            if (std::any_of(edges.begin(), edges.end(), [&](const edge& one) { return scope.covers(one, key); }))
                continue;
            const table_facts* child = scope.facts.find(key.child);
            const bool is_heir =
                std::any_of(scope.facts.tables.begin(), scope.facts.tables.end(), [&](const table_facts& base) {
                    return std::find(base.heirs.begin(), base.heirs.end(), key.child) != base.heirs.end();
                });
            if (is_heir && child == nullptr) continue;  // its rows are deleted through the table it inherits from
            std::string name = key.name.empty() ? "" : " (\"" + key.name + "\")";
            if (key.on_delete != delete_action::no_action)
                name += " with ON DELETE " + std::string(name_of(key.on_delete));
            scope.add(severity::refuse, model, "undeclared_key",
                      key.child.text() + '.' + joined(key.columns) + " refers to " + key.parent.text() + name +
                          " and no model declares it. Declare cascade, set_null or skip.");
        }
    }
}

/// SQLite: "foreign key mismatch", an error of every delete from the parent.
inline void check_mismatched_keys(drift_scope& scope) {
    if (scope.facts.dialect != dialect::sqlite) return;
    for (std::size_t model = 0; model < scope.models.size(); ++model) {
        const table_facts* parent = scope.table(model);
        if (!scope.deleted[model] || parent == nullptr) continue;
        for (const foreign_key_facts& key : scope.facts.foreign_keys) {
            if (key.parent != parent->name) continue;
            const bool unique =
                std::any_of(parent->indexes.begin(), parent->indexes.end(), [&](const index_facts& index) {
                    return index.unique && !index.partial && index.columns.size() == key.referenced.size() &&
                           std::all_of(key.referenced.begin(), key.referenced.end(), [&](const std::string& wanted) {
                               return std::any_of(index.columns.begin(), index.columns.end(),
                                                  [&](const std::string& each) { return parent->same(each, wanted); });
                           });
                });
            if (unique) continue;
            std::string list;
            for (const std::string& each : key.referenced) list += (list.empty() ? "" : ", ") + quoted_name(each);
            scope.add(severity::refuse, model, "key_mismatch",
                      key.child.text() + '.' + joined(key.columns) + " refers to " + key.parent.text() + '.' +
                          joined(key.referenced) + ", which has no unique index: every delete from " +
                          key.parent.text() + " fails.",
                      "CREATE UNIQUE INDEX " + quoted_name(key.parent.name + "_" + joined(key.referenced)) + " ON " +
                          quoted_name(key.parent.name) + " (" + list + ");");
        }
    }
}

/// PostgreSQL: a ring of three or more tables whose references are all NOT NULL and checked at once (R17).
inline void check_rings(drift_scope& scope) {
    if (scope.facts.dialect != dialect::postgres) return;
    const auto holds_fast = [&](const edge& one) {
        if (one.child == edge::none || one.child == one.parent || one.relation->kind != relation_kind::cascade)
            return false;
        const table_facts* child = scope.table(one.child);
        const foreign_key_facts* key = scope.key_of(one);
        return child != nullptr && key != nullptr && key->enforced && !key->deferrable &&
               std::all_of(key->columns.begin(), key->columns.end(), [&](const std::string& each) {
                   const column_facts* column = child->column(each);
                   return column != nullptr && column->not_null;
               });
    };
    for (std::size_t start = 0; start < scope.models.size(); ++start) {
        if (!scope.deleted[start] || !scope.models.is_cyclic(start)) continue;
        // Paths of a component from its lowest model back to itself; components are a handful of models.
        std::vector<std::pair<std::size_t, std::size_t>> path{{start, 0}};
        while (!path.empty()) {
            const std::span<const edge> edges = scope.models.edges_from(path.back().first);
            if (path.back().second == edges.size() || path.size() > 12) {
                path.pop_back();
                continue;
            }
            const edge& one = edges[path.back().second++];
            if (!holds_fast(one) || one.child < start ||
                scope.models.component(one.child) != scope.models.component(start))
                continue;
            const bool passed =
                std::any_of(path.begin(), path.end(), [&](const auto& step) { return step.first == one.child; });
            if (one.child == start && path.size() >= 3) {
                std::string ring;
                for (const auto& step : path) ring += scope.name(step.first).text() + " \xE2\x86\x92 ";
                scope.add(
                    severity::refuse, start, "ring",
                    ring + scope.name(start).text() + " is NOT NULL throughout. Make one edge nullable or DEFERRABLE.");
                break;
            }
            if (!passed) path.emplace_back(one.child, 0);
        }
    }
}

}  // namespace detail

}  // namespace winnow::inline v0
