// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "winnow/model/record.hpp"
#include "winnow/plan/graph_records.hpp"
#include "winnow/plan/plan.hpp"

namespace winnow::inline v0 {

/// Constant records of a set of models, in the order of the registry.
using model_records = std::span<const model_record* const>;

/// Number of relations in a set of models, attached ones included.
[[nodiscard]] constexpr std::size_t count_relations(model_records models) noexcept {
    std::size_t count = 0;
    for (const model_record* one : models) count += one->relations.size() + one->attached.size();
    return count;
}

/// Where a relation was declared.
struct relation_origin {
    const model_record* model = nullptr;  ///< whose trait holds it
    const relation_record* relation = nullptr;
    bool attached = false;
};

/// The node of one model for the graph checker. A deduced strategy never clashes and counts as per row.
[[nodiscard]] constexpr graph_node node_of(const model_record& of) noexcept {
    plan shell;
    shell.key = of.key;
    shell.schema = of.names.schema;
    shell.table = of.names.table;
    shell.silo = of.silo;
    shell.columns = of.columns;
    shell.primary_key = of.primary_key.view();
    shell.strategy = of.strategy_given ? of.strategy : strategy::per_row;
    graph_node node = node_of(shell);
    node.row_hooks = of.per_row_hooks;
    return node;
}

namespace detail {

/// `signature_of` over columns that are chosen by index.
[[nodiscard]] constexpr std::uint64_t signature_of(std::span<const column> columns,
                                                   const column_indices& chosen) noexcept {
    std::uint64_t signature = empty_signature;
    for (std::size_t i = 0; i < chosen.size; ++i) signature = add_kind(signature, columns[chosen.at[i]].kind);
    return signature;
}

}  // namespace detail

/// The edge of one relation for the graph checker, the same as that of the relation in the finished plan. The
/// columns are those of the parent and of the child, empty for a model that is not among the checked ones.
[[nodiscard]] constexpr graph_edge edge_of(const relation_record& of, bool attached, std::span<const column> parent,
                                           std::span<const column> child) noexcept {
    graph_edge edge;
    edge.kind = of.kind;
    edge.parent = of.parent;
    edge.child = of.child;
    edge.attached = attached;
    edge.parent_hash = hash_of(of.parent);
    edge.child_hash = hash_of(of.child);
    if (!child.empty()) {
        for (std::size_t i = 0; i < of.columns.size; ++i) {
            edge.nullable = edge.nullable || child[of.columns.at[i]].optional;
        }
        if (of.columns.size != 0) edge.column = child[of.columns.at[0]].name.postgres;
        edge.signature = detail::signature_of(child, of.columns);
    }
    if (!parent.empty() && of.referenced.size != 0) {
        edge.referenced_signature = detail::signature_of(parent, of.referenced);
    }
    return edge;
}

}  // namespace winnow::inline v0
