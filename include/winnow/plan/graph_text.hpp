// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/plan/graph_records.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/plan/silo.hpp"

namespace winnow::inline v0 {

/// A short name of a fault, as `set_null_not_optional`.
[[nodiscard]] constexpr std::string_view name_of(graph_fault fault) noexcept {
    switch (fault) {
        case graph_fault::none: return "none";
        case graph_fault::unusable_key: return "unusable_key";
        case graph_fault::duplicate_key: return "duplicate_key";
        case graph_fault::duplicate_table: return "duplicate_table";
        case graph_fault::unknown_parent: return "unknown_parent";
        case graph_fault::unknown_child: return "unknown_child";
        case graph_fault::silo_mismatch: return "silo_mismatch";
        case graph_fault::key_type_mismatch: return "key_type_mismatch";
        case graph_fault::set_null_not_optional: return "set_null_not_optional";
        case graph_fault::bulk_with_children: return "bulk_with_children";
        case graph_fault::cycle_without_nullable_edge: return "cycle_without_nullable_edge";
    }
    return "unknown";
}

namespace detail {

/// The models of a cycle of cascades that leads over one edge, the edge's child first and its parent last; empty when there
/// is none.
[[nodiscard]] inline std::vector<std::size_t> cycle_over(const graph_finding& found, std::span<const graph_node> nodes,
                                                         std::span<const graph_edge> edges) {
    constexpr std::size_t none = graph_finding::none;
    if (found.node == none || found.other == none) return {};
    std::vector<std::size_t> before(nodes.size(), none);
    std::vector<std::size_t> open{found.other};
    for (std::size_t at = 0; at < open.size() && open[at] != found.node; ++at) {
        for (const graph_edge& one : edges) {
            if (one.kind != relation_kind::cascade || one.nullable || one.parent_hash != nodes[open[at]].key_hash)
                continue;
            for (std::size_t to = 0; to < nodes.size(); ++to) {
                if (nodes[to].key_hash != one.child_hash || to == found.other || before[to] != none) continue;
                before[to] = open[at];
                open.push_back(to);
            }
        }
    }
    std::vector<std::size_t> cycle;
    for (std::size_t at = found.node; at != none; at = before[at]) cycle.insert(cycle.begin(), at);
    return cycle.front() == found.other ? cycle : std::vector<std::size_t>{};
}

}  // namespace detail

/// One line about a finding: which model, what is wrong, what to write.
///
/// `nodes` and `edges` are the spans that were checked.
/// @param homes for each node where it comes from, as `title_of` says it; empty: all come from one place
[[nodiscard]] inline std::string describe(const graph_finding& found, std::span<const graph_node> nodes,
                                          std::span<const graph_edge> edges, std::span<const std::string> homes = {}) {
    const graph_edge no_edge;
    const graph_edge& edge = found.edge == graph_finding::none ? no_edge : edges[found.edge];
    const auto home = [&](std::size_t node) { return homes.empty() ? std::string() : " of " + homes[node]; };
    const auto key = [&](std::size_t node, std::string_view otherwise) {
        return node == graph_finding::none ? std::string(otherwise) : std::string(nodes[node].key) + home(node);
    };
    const std::string model = key(found.node, edge.attached ? edge.child : edge.parent);
    const std::string other = key(found.other, edge.child);
    const std::string relation =
        std::string(name_of(edge.kind)) + " relation to " + std::string(edge.child) +
        (edge.column.empty() ? std::string() : " over column \"" + std::string(edge.column) + "\"");
    std::string text = model + ": ";
    std::string way;
    switch (found.fault) {
        case graph_fault::none: return text + "nothing is wrong.";
        case graph_fault::unusable_key:
            return text + "has no usable primary key. Name one: columns that are never null, of kind integer, text or "
                          "UUID.";
        case graph_fault::duplicate_key:
            return text + "two models have this key" +
                   (homes.empty() ? std::string() : ", the other is" + home(found.other)) +
                   ". Give one of them another; schedules and plugins find models by it.";
        case graph_fault::duplicate_table:
            return text + "has the same table as " + other + " (\"" + std::string(nodes[found.node].table.postgres) +
                   "\"). Name its own table, or leave one of the two models out.";
        case graph_fault::unknown_parent:
            return text + "attaches itself to " + std::string(edge.parent) +
                   ", which no model has as key. Correct the key, or add that model.";
        case graph_fault::unknown_child:
            return text + "has a " + relation + ", which no model has as key. Add that model to the registry.";
        case graph_fault::silo_mismatch:
            return text + "has a " + relation + ", but " + model + " lives in the " +
                   std::string(name_of(nodes[found.node].silo)) + " silo and " + other + " in the " +
                   std::string(name_of(nodes[found.other].silo)) +
                   " silo. Put both into one silo, or clear the child by an external task.";
        case graph_fault::key_type_mismatch:
            return text + "has a " + relation +
                   ", whose columns differ in number or kind from what they refer to. Give them the same types in the "
                   "same order, or name the columns they refer to.";
        case graph_fault::set_null_not_optional:
            return text + "has a " + relation +
                   ", which cannot become null. Make the member a std::optional, or use cascade or restrict_.";
        case graph_fault::bulk_with_children:
            if (found.edge == graph_finding::none) {
                return text + "is deleted in bulk, which would pass over its before_delete or after_delete hook. "
                              "Remove `strategy`, or the hook.";
            }
            return text + "is deleted in bulk, which would pass over its " + relation +
                   ". Remove `strategy`, or the relation.";
        case graph_fault::cycle_without_nullable_edge:
            for (const std::size_t node : detail::cycle_over(found, nodes, edges)) way += " -> " + key(node, {});
            return text + "is part of a cycle of cascade relations, over its " + relation +
                   (way.empty() ? std::string() : " (" + std::string(nodes[found.node].key) + way + ")") +
                   ", in which every reference is NOT NULL: no order of deletes exists. Make one reference in the "
                   "cycle a std::optional.";
    }
    return text;
}

}  // namespace winnow::inline v0
