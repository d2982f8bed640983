// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/closure_writer.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/reach.hpp"
#include "winnow/plan/relation.hpp"

namespace winnow::inline v0 {

/// What a closure query counts.
enum class closure_count : std::uint8_t {
    doomed,    ///< rows of a model that go with the root, the root included
    blocking,  ///< rows that a restrict relation protects and that stay, so the deletion is refused
    unlinked,  ///< rows that stay and lose their reference
    orphans,   ///< rows whose parent does not exist
};

/// How a count compares with what a deletion would find. `when` predicates are C++ and unknown to SQL.
enum class count_bound : std::uint8_t {
    exact,
    at_most,    ///< a predicate may spare some of the rows counted
    uncertain,  ///< a predicate may add or spare some
};

/// One read-only statement that counts. Its parameters are the root's primary key values in order
/// (`key_parameters` of them), then the cap: the count stops there. It gives one row with one integer.
struct closure_query {
    closure_count counts = closure_count::doomed;
    std::size_t model = 0;     ///< whose rows are counted
    const edge* by = nullptr;  ///< the relation concerned; null for `doomed`
    count_bound bound = count_bound::exact;
    std::size_t key_parameters = 0;
    std::string sql;
};

/// Everything that can be counted about deleting one row of `root`, without changing or locking anything:
/// doomed rows of each model, root first and in the order in which they are reached; then, for each restrict
/// and set_null relation of a reached model, the rows concerned that are not doomed themselves.
///
/// A doomed row counts once, however many ways lead to it. Skipped models are left out, filters applied,
/// trees and cycles followed to their end. Rows behind external tasks are not in the database and not counted.
/// The statements need SELECT only; SQLite 3.34 or later where a cycle has several relations.
[[nodiscard]] inline std::vector<closure_query> closure_queries(const catalog& models, std::size_t root, dialect to) {
    closure_writer write(models, root, to);
    std::vector<closure_query> queries;
    std::vector<bool> seen(models.size());
    std::vector<std::size_t> reached;
    for (const place& one : write.places()) {
        if (seen[one.model]) continue;
        seen[one.model] = true;
        reached.push_back(one.model);
    }
    const auto conditional = [&](const std::vector<std::size_t>& places) {
        for (const std::size_t p : places) {
            if (write.places()[p].conditional) return true;
        }
        return false;
    };
    for (const std::size_t model : reached) {
        closure_query query;
        query.model = model;
        query.key_parameters = write.key_width();
        query.bound = conditional(write.places_of(model)) ? count_bound::at_most : count_bound::exact;
        query.sql = write.count_doomed(model);
        queries.push_back(std::move(query));
    }
    for (const std::size_t model : reached) {
        for (const edge& one : models.edges_from(model)) {
            const relation_kind kind = one.relation->kind;
            if (kind != relation_kind::restrict_ && kind != relation_kind::set_null) continue;
            if (write.sources(one).empty()) continue;
            closure_query query;
            query.counts = kind == relation_kind::restrict_ ? closure_count::blocking : closure_count::unlinked;
            query.model = one.child;
            query.by = &one;
            query.key_parameters = write.key_width();
            // Rows taken for doomed that a predicate spares are missing from the count.
            if (conditional(write.places_of(one.child))) query.bound = count_bound::uncertain;
            else if (one.relation->applies || conditional(write.sources(one))) query.bound = count_bound::at_most;
            query.sql = write.count_kept(one);
            queries.push_back(std::move(query));
        }
    }
    return queries;
}

/// Counts child rows of one relation that refer to a parent which does not exist: all columns of the
/// reference are set and the filters hold. Its only parameter is the cap. `by` must have a child in this database.
[[nodiscard]] inline closure_query orphan_query(const catalog& models, const edge& by, dialect to) {
    const plan& parent = models[by.parent];
    std::string text =
        "SELECT count(*) FROM (SELECT 1 FROM " + std::string(models[by.child].quoted_table[to]) + " AS n WHERE ";
    std::string equal;
    for (std::size_t i = 0; i < by.relation->columns.size(); ++i) {
        const std::string column = "n." + std::string(by.relation->columns[i].quoted[to]);
        text += (i == 0 ? "" : " AND ") + column + " IS NOT NULL";
        equal += (i == 0 ? "p." : " AND p.") +
                 std::string(parent.columns[parent.identity[by.referenced[i]]].quoted[to]) + " = " + column;
    }
    for (const filter& one : by.relation->filters) {
        text += " AND n." + std::string(one.where.quoted[to]) + " = " + std::string(one.literal);
    }
    text += " AND NOT EXISTS (SELECT 1 FROM " + std::string(parent.quoted_table[to]) + " AS p WHERE " + equal +
            ") LIMIT " + (to == dialect::postgres ? "$1" : "?1") + ") AS counted";
    closure_query query;
    query.counts = closure_count::orphans;
    query.model = by.child;
    query.by = &by;
    query.bound = by.relation->applies ? count_bound::at_most : count_bound::exact;
    query.sql = std::move(text);
    return query;
}

}  // namespace winnow::inline v0
