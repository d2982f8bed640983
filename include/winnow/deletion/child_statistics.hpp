// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "winnow/deletion/work.hpp"
#include "winnow/store/facts.hpp"
#include "winnow/store/live_schema.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Reads what PostgreSQL's statistics say of how many rows each leaf relation has below a parent, with one statement for
/// all tables. Statistics that are old, or that the role may not see, say nothing.
inline void read_child_statistics(deletion_work& work, const schema_facts& live) {
    if (work.database().kind() != dialect::postgres || work.facts.edges.empty()) return;
    struct wanted {
        std::int64_t table;
        std::string_view column;
        edge_facts* to;
    };
    std::vector<wanted> all;
    key_set tables(1);
    key_set columns(1);
    for (auto& [along, facts] : work.facts.edges) {
        const plan& child = work.plan_of(along->child);
        const table_facts* table = live.find(table_of(child, dialect::postgres));
        // What may keep rows has to be counted; what has filters has fewer rows than its column says.
        if (along->relation->kind != relation_kind::cascade || along->relation->columns.size() != 1 ||
            table == nullptr || table->kind != table_kind::table || table->inherited ||
            work.facts.tables[along->child].triggers)
            continue;
        all.push_back({table->identifier, along->relation->columns[0].name.postgres, &facts});
        const value identifier{table->identifier};
        tables.push_back({&identifier, 1});
        const value column{std::string(along->relation->columns[0].name.postgres)};
        columns.push_back({&column, 1});
    }
    if (all.empty()) return;
    // A tenth of the table may have changed since it was analyzed. A parent that is in none of the sample's rows may still
    // have some: ten times as many as one row of the sample stands for is taken as the most.
    const rows found = work.database().execute_once(
        "SELECT c.oid::bigint, s.attname::text, (c.reltuples * (1 - s.null_frac) / CASE WHEN s.n_distinct > 0 THEN "
        "s.n_distinct ELSE greatest(-s.n_distinct * c.reltuples, 1) END)::double precision, (c.reltuples * "
        "greatest(coalesce((s.most_common_freqs)[1], 0), 10 / (300 * current_setting('default_statistics_target')::real)))"
        "::double precision FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_stats AS s ON "
        "s.schemaname = n.nspname AND s.tablename = c.relname AND NOT s.inherited WHERE c.oid = ANY($1::oid[]) AND "
        "s.attname = ANY($2::text[]) AND c.reltuples > 0 AND s.n_distinct <> 0 AND "
        "coalesce(pg_stat_get_mod_since_analyze(c.oid), 0) <= c.reltuples / 10",
        {tables, columns});
    for (std::size_t row = 0; row < found.size(); ++row)
        for (const wanted& one : all) {
            if (one.table != found.integer(row, 0) || one.column != found.text(row, 1)) continue;
            one.to->rows_of_one = std::get<double>(found.at(row, 2));
            one.to->most_of_one = std::get<double>(found.at(row, 3));
        }
}

/// Whether nobody has to count the children of a set of parents to know that they are about a chunk at most: as many for
/// each as in the last set, or as the statistics say, and one parent that has the most.
[[nodiscard]] inline bool is_surely_a_chunk(const edge_facts& facts, std::size_t parents, std::int64_t chunk) {
    if (facts.misjudged || facts.rows_of_one < 0 || facts.seen_of_one < 0) return false;
    const double each = std::max(facts.rows_of_one, facts.seen_of_one);
    return each * static_cast<double>(parents) + facts.most_of_one <= 1.25 * static_cast<double>(chunk);
}

/// Remembers how many rows a set had.
inline void note_children(edge_facts& facts, std::size_t parents, std::int64_t rows) {
    facts.seen_of_one = static_cast<double>(rows) / static_cast<double>(parents);
}

}  // namespace detail

}  // namespace winnow::inline v0
