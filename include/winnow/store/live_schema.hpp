// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/plan/catalog.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/facts.hpp"
#include "winnow/store/inspect.hpp"

namespace winnow::inline v0 {

/// The table of a model as facts name it.
[[nodiscard]] inline table_name table_of(const plan& about, dialect which) {
    return {std::string(about.schema[which]), std::string(about.table[which])};
}

/// Reads the facts of these models' tables; empty: of all models. Reads catalogs only, scans no table.
/// \param wanted  indices into the catalog
[[nodiscard]] inline schema_facts inspect_models(connection& database, const catalog& models,
                                                 std::span<const std::size_t> wanted = {}) {
    std::vector<table_name> tables;
    const auto add = [&](std::size_t model) {
        table_name one = table_of(models[model], database.kind());
        if (std::find(tables.begin(), tables.end(), one) == tables.end()) tables.push_back(std::move(one));
    };
    for (const std::size_t model : wanted) add(model);
    if (wanted.empty()) {
        for (std::size_t model = 0; model < models.size(); ++model) add(model);
    }
    return inspect(database, tables);
}

/// Name of a whole, valid index that begins with the relation's columns, in any order; columns that the
/// relation's filters fix may stand between. Empty when the child's table has to be scanned.
[[nodiscard]] inline std::string index_for(const plan& child, const relation& along, const schema_facts& live,
                                           dialect which) {
    const table_facts* table = live.find(table_of(child, which));
    if (table == nullptr || along.columns.empty()) return {};
    for (const index_facts& index : table->indexes) {
        if (!index.valid || index.partial) continue;
        std::size_t covered = 0;
        for (const std::string& name : index.columns) {
            const bool asked = std::any_of(along.columns.begin(), along.columns.end(),
                                           [&](const column& each) { return table->same(name, each.name[which]); });
            const bool fixed = std::any_of(along.filters.begin(), along.filters.end(), [&](const filter& each) {
                return table->same(name, each.where.name[which]);
            });
            if (!asked && !fixed) break;
            covered += asked ? 1U : 0U;
        }
        // Other kinds of index (hash) serve whole keys only.
        const bool whole = covered == index.columns.size();
        if (covered == along.columns.size() && (index.ordered || whole))
            return index.name.empty() ? "primary key" : index.name;
    }
    return {};
}

/// The foreign key of the database that stands behind a relation, or null.
[[nodiscard]] inline const foreign_key_facts* key_behind(const plan& child, const plan& parent, const relation& along,
                                                         const schema_facts& live, dialect which) {
    for (const foreign_key_facts& one : live.foreign_keys) {
        if (one.child != table_of(child, which) || one.parent != table_of(parent, which) ||
            one.columns.size() != along.columns.size())
            continue;
        const bool same = std::all_of(along.columns.begin(), along.columns.end(), [&](const column& wanted) {
            return std::any_of(one.columns.begin(), one.columns.end(), [&](const std::string& each) {
                return which == dialect::sqlite ? same_name(each, wanted.name[which]) : each == wanted.name[which];
            });
        });
        if (same) return &one;
    }
    return nullptr;
}

}  // namespace winnow::inline v0
