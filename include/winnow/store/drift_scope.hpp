// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/store/drift_finding.hpp"
#include "winnow/store/facts.hpp"
#include "winnow/store/foreign_keys.hpp"
#include "winnow/store/live_schema.hpp"

namespace winnow::inline v0 {

/// What one comparison works on: the models, the facts, which models matter how, and what was found.
struct drift_scope {
    drift_scope(const catalog& all, const schema_facts& live, const drift_options& chosen)
        : models(all), facts(live), options(chosen), deleted(all.size()), touched(all.size()), root(all.size()) {
        for (const std::size_t model : options.roots) root[model] = true;
    }

    const catalog& models;
    const schema_facts& facts;
    const drift_options& options;
    std::vector<bool> deleted;  ///< rows of this model are deleted
    std::vector<bool> touched;  ///< rows of this model are deleted, nulled or looked at
    std::vector<bool> root;     ///< objects of this model are scheduled
    std::vector<drift_finding> found;

    [[nodiscard]] table_name name(std::size_t model) const { return table_of(models[model], facts.dialect); }
    [[nodiscard]] const table_facts* table(std::size_t model) const { return facts.find(name(model)); }
    [[nodiscard]] std::string column(const winnow::column& of) const { return std::string(of.name[facts.dialect]); }
    [[nodiscard]] std::string quoted(const table_name& of) const {
        return (of.schema.empty() ? std::string() : quoted_name(of.schema) + '.') + quoted_name(of.name);
    }
    /// A table that rows can be deleted from; others have a finding of their own.
    [[nodiscard]] bool is_table(std::size_t model) const {
        const table_facts* live = table(model);
        return live != nullptr && (live->kind == table_kind::table || live->kind == table_kind::partitioned);
    }

    /// Adds a finding, once.
    void add(severity how, std::size_t model, std::string_view code, std::string text, std::string remedy = {}) {
        const std::string where = name(model).text();
        for (const drift_finding& each : found) {
            if (each.code == code && each.table == where && each.text == text) return;
        }
        found.push_back(
            {how, std::string(models[model].key), where, std::string(code), std::move(text), std::move(remedy)});
    }

    /// Pairs of (child column, parent column) of a relation, by name.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> pairs_of(const edge& one) const {
        std::vector<std::pair<std::string, std::string>> pairs;
        const plan& parent = models[one.parent];
        for (std::size_t i = 0; i < one.relation->columns.size() && i < one.referenced.size(); ++i) {
            pairs.emplace_back(column(one.relation->columns[i]),
                               column(parent.columns[parent.identity[one.referenced[i]]]));
        }
        return pairs;
    }

    /// Whether a relation speaks of all rows that a foreign key of the database holds: the same tables,
    /// no more columns, no filter that leaves rows out.
    [[nodiscard]] bool covers(const edge& one, const foreign_key_facts& key) const {
        if (one.child == edge::none || key.child != name(one.child) || key.parent != name(one.parent)) return false;
        if (!one.relation->filters.empty()) return false;
        const auto pairs = pairs_of(one);
        return !pairs.empty() && std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
            for (std::size_t i = 0; i < key.columns.size() && i < key.referenced.size(); ++i) {
                if (same(key.columns[i], pair.first) && same(key.referenced[i], pair.second)) return true;
            }
            return false;
        });
    }

    /// The foreign key of the database behind a relation; null when there is none.
    [[nodiscard]] const foreign_key_facts* key_of(const edge& one) const {
        for (const foreign_key_facts& key : facts.foreign_keys) {
            if (key.columns.size() == one.relation->columns.size() && covers(one, key)) return &key;
        }
        return nullptr;
    }

    [[nodiscard]] bool same(std::string_view left, std::string_view right) const noexcept {
        return facts.dialect == dialect::sqlite ? same_name(left, right) : left == right;
    }
};

/// Names with commas between, for texts.
[[nodiscard]] inline std::string joined(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& each : names) out.append(out.empty() ? "" : ", ").append(each);
    return out;
}

/// The statement that makes an index over these columns beside live writers.
[[nodiscard]] inline std::string index_statement(const drift_scope& scope, const table_facts& on,
                                                 const std::vector<std::string>& columns, bool unique) {
    const bool postgres = scope.facts.dialect == dialect::postgres;
    std::string name = on.name.name;
    std::string list;
    for (const std::string& each : columns) {
        name += '_' + each;
        list += (list.empty() ? "" : ", ") + quoted_name(each);
    }
    if (postgres && name.size() > 59) name.resize(59);
    name += unique ? "_key" : "_idx";
    const bool beside_writers = postgres && on.kind != table_kind::partitioned;
    const table_name target{postgres ? std::string() : on.name.schema, name};
    return std::string("CREATE ") + (unique ? "UNIQUE " : "") + "INDEX " + (beside_writers ? "CONCURRENTLY " : "") +
           scope.quoted(target) + " ON " + (postgres ? scope.quoted(on.name) : quoted_name(on.name.name)) + " (" +
           list + ");";
}

}  // namespace winnow::inline v0
