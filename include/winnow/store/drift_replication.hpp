// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/plan/plan.hpp"
#include "winnow/plan/replication.hpp"
#include "winnow/store/drift_scope.hpp"
#include "winnow/store/drift_tables.hpp"
#include "winnow/store/facts.hpp"

namespace winnow::inline v0 {

namespace detail {

/// A type for a new column of a kind.
[[nodiscard]] inline std::string_view column_type(value_kind kind, dialect which) noexcept {
    const bool postgres = which == dialect::postgres;
    switch (kind) {
        case value_kind::integer32: return postgres ? "integer" : "INTEGER";
        case value_kind::integer64: return postgres ? "bigint" : "INTEGER";
        case value_kind::boolean: return postgres ? "boolean" : "INTEGER";
        case value_kind::real: return postgres ? "double precision" : "REAL";
        case value_kind::text: return postgres ? "text" : "TEXT";
        case value_kind::uuid: return postgres ? "uuid" : "TEXT";
        case value_kind::json: return postgres ? "jsonb" : "TEXT";
        case value_kind::timestamp: return postgres ? "timestamptz" : "TEXT";
        case value_kind::blob: return postgres ? "bytea" : "BLOB";
    }
    return "text";
}

/// Whether a unique index stands over exactly these columns: an upsert finds its row by no other.
[[nodiscard]] inline bool has_unique_index(const table_facts& live, const std::vector<std::string>& columns) {
    const auto among = [&](const std::vector<std::string>& names, const std::string& wanted) {
        return std::any_of(names.begin(), names.end(),
                           [&](const std::string& each) { return live.same(each, wanted); });
    };
    return std::any_of(live.indexes.begin(), live.indexes.end(), [&](const index_facts& index) {
        return index.unique && index.valid && !index.partial && index.columns.size() == columns.size() &&
               std::all_of(columns.begin(), columns.end(),
                           [&](const std::string& wanted) { return among(index.columns, wanted); });
    });
}

/// The table that holds copies of a model's rows.
inline void check_mirror(drift_scope& scope, std::size_t copy, const plan& source, const table_facts& live) {
    const std::string table = live.name.text();
    const bool postgres = scope.facts.dialect == dialect::postgres;
    std::vector<std::string> identity;
    for (const mirrored_column& one : source.replication->mirror.columns) {
        const std::string name = scope.column(one.target);
        if (one.identifies) identity.push_back(name);
        const std::string what = table + '.' + name + " holds copies of " +
                                 (one.source == mirrored_column::cell_name
                                      ? "the cell's name"
                                      : std::string(source.key) + '.' + scope.column(source.columns[one.source]));
        const column_facts* column = live.column(name);
        if (column == nullptr) {
            scope.add(severity::refuse, copy, "mirror_column_missing", what + ", and there is no such column.",
                      "ALTER TABLE " + scope.quoted(live.name) + " ADD COLUMN " + quoted_name(name) + " " +
                          std::string(column_type(one.target.kind, scope.facts.dialect)) + ";");
            continue;
        }
        const bool fits = postgres ? fits_postgres_type(one.target.kind, column->type)
                                   : fits_sqlite_type(one.target.kind, column->type);
        const std::string_view type = column_type(one.target.kind, scope.facts.dialect);
        if (!fits) {
            scope.add(severity::refuse, copy, "mirror_column_type",
                      what + " and is " + (column->type.empty() ? "of no type" : column->type) +
                          ": a copy cannot be written.",
                      postgres
                          ? "ALTER TABLE " + scope.quoted(live.name) + " ALTER COLUMN " + quoted_name(name) + " TYPE " +
                                std::string(type) + " USING " + quoted_name(name) + "::text::" + std::string(type) + ";"
                          : "");
        }
        if (column->generated)
            scope.add(severity::refuse, copy, "mirror_column_generated",
                      what + " and is generated: a copy cannot be written.");
    }
    const bool complete =
        std::all_of(identity.begin(), identity.end(), [&](const std::string& each) { return live.column(each); });
    if (!complete || has_unique_index(live, identity)) return;
    scope.add(severity::refuse, copy, "mirror_not_unique",
              table + " holds copies of " + std::string(source.key) + ", found by " + joined(identity) +
                  ", and has no unique index over exactly that: copies cannot be written.",
              index_statement(scope, live, identity, true));
}

/// Columns that refer to rows of the other silo.
inline void check_remotes(drift_scope& scope, std::size_t model, const table_facts& live) {
    for (const remote_relation& one : scope.models[model].remotes) {
        const std::string name = scope.column(one.reference);
        const column_facts* column = live.column(name);
        if (one.kind == remote_kind::do_nothing || column == nullptr) continue;
        const std::string what = live.name.text() + '.' + name;
        const bool indexed = std::any_of(live.indexes.begin(), live.indexes.end(), [&](const index_facts& index) {
            return index.valid && !index.partial && !index.columns.empty() && live.same(index.columns[0], name);
        });
        if (!indexed)
            scope.add(scope.options.require_indexes ? severity::refuse : severity::warn, model, "remote_without_index",
                      what + " refers to " + std::string(one.parent) +
                          " in the other silo and has no index: each death there reads all of " + live.name.text() +
                          ".",
                      index_statement(scope, live, {name}, false));
        if (one.kind == remote_kind::set_null && column->not_null)
            scope.add(severity::refuse, model, "set_null_not_null", what + " is NOT NULL and cannot be set to null.",
                      scope.facts.dialect == dialect::postgres
                          ? "ALTER TABLE " + scope.quoted(live.name) + " ALTER COLUMN " + quoted_name(name) +
                                " DROP NOT NULL;"
                          : "");
    }
}

/// What stands between a model and its copies, and between a remote reference and its parent.
inline void check_copies_and_remotes(drift_scope& scope) {
    for (std::size_t model = 0; model < scope.models.size(); ++model) {
        const table_facts* live = scope.touched[model] ? scope.table(model) : nullptr;
        if (live == nullptr) continue;
        check_remotes(scope, model, *live);
        for (std::size_t source = 0; source < scope.models.size(); ++source) {
            const plan& of = scope.models[source];
            if (of.replication != nullptr && of.replication->mirror.model == scope.models[model].key)
                check_mirror(scope, model, of, *live);
        }
    }
}

}  // namespace detail

}  // namespace winnow::inline v0
