// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "winnow/plan/graph_records.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/relation.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Memory of constant size for one check; freed with it, as constant evaluation demands.
template <class T> class scratch {
public:
    constexpr explicit scratch(std::size_t size) : data_(new T[size + 1]{}) {}
    constexpr ~scratch() { delete[] data_; }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    [[nodiscard]] constexpr T* data() const noexcept { return data_; }

private:
    T* data_;
};

struct hashed {
    std::uint64_t hash = 0;
    std::size_t node = 0;
};

/// Heap sort: n log n steps whatever the order, and no call of a library function in constant evaluation.
constexpr void sort(hashed* items, std::size_t size) noexcept {
    const auto less = [](const hashed& a, const hashed& b) {
        return a.hash != b.hash ? a.hash < b.hash : a.node < b.node;
    };
    const auto sink = [&](std::size_t at, std::size_t end) {
        const hashed item = items[at];
        for (std::size_t child = 2 * at + 1; child < end; child = 2 * at + 1) {
            if (child + 1 < end && less(items[child], items[child + 1])) ++child;
            if (!less(item, items[child])) break;
            items[at] = items[child];
            at = child;
        }
        items[at] = item;
    };
    for (std::size_t i = size / 2; i-- > 0;) sink(i, size);
    for (std::size_t end = size; end-- > 1;) {
        const hashed last = items[end];
        items[end] = items[0];
        items[0] = last;
        sink(0, end);
    }
}

[[nodiscard]] constexpr std::size_t find(const hashed* items, std::size_t size, std::uint64_t hash) noexcept {
    std::size_t low = 0;
    for (std::size_t high = size; low < high;) {
        const std::size_t middle = low + (high - low) / 2;
        if (items[middle].hash < hash) low = middle + 1;
        else high = middle;
    }
    return low < size && items[low].hash == hash ? items[low].node : graph_finding::none;
}

/// Cascade edges that cannot be unlinked, between groups of models.
struct binding_edges {
    std::span<const graph_edge> edges;
    const std::size_t* ends;   ///< each edge's parent and child
    const std::size_t* group;  ///< by model: the model that stands for its group

    [[nodiscard]] constexpr std::size_t parent(std::size_t e) const noexcept { return group[ends[2 * e]]; }
    [[nodiscard]] constexpr std::size_t child(std::size_t e) const noexcept { return group[ends[2 * e + 1]]; }
    [[nodiscard]] constexpr bool binds(std::size_t e) const noexcept {
        return edges[e].kind == relation_kind::cascade && !edges[e].nullable && ends[2 * e] != graph_finding::none &&
               ends[2 * e + 1] != graph_finding::none && parent(e) != child(e);
    }
};

/// Takes groups without a binding edge to a remaining group away until there is none.
/// @param out_count as many zeros as there are models; afterwards not 0 for the groups that are left
/// @return whether nothing is left
constexpr bool peel_groups(std::size_t node_count, const binding_edges& along, std::size_t* out_count) {
    scratch<std::size_t> begin_of(node_count + 1);  // edges to a group, in `into`
    scratch<std::size_t> into(along.edges.size());
    for (std::size_t e = 0; e < along.edges.size(); ++e) {
        if (!along.binds(e)) continue;
        ++out_count[along.parent(e)];
        ++begin_of.data()[along.child(e) + 1];
    }
    for (std::size_t n = 0; n < node_count; ++n) begin_of.data()[n + 1] += begin_of.data()[n];
    scratch<std::size_t> filled(node_count);
    for (std::size_t e = 0; e < along.edges.size(); ++e) {
        if (!along.binds(e)) continue;
        const std::size_t child = along.child(e);
        into.data()[begin_of.data()[child] + filled.data()[child]++] = e;
    }
    scratch<std::size_t> queue(node_count);
    std::size_t queued = 0;
    for (std::size_t n = 0; n < node_count; ++n) {
        if (out_count[n] == 0) queue.data()[queued++] = n;
    }
    for (std::size_t next = 0; next < queued; ++next) {
        const std::size_t child = queue.data()[next];
        for (std::size_t i = begin_of.data()[child]; i < begin_of.data()[child + 1]; ++i) {
            const std::size_t parent = along.parent(into.data()[i]);
            if (--out_count[parent] == 0) queue.data()[queued++] = parent;
        }
    }
    return queued == node_count;
}

/// Makes one group of every two models that refer to each other, each model in one group at most.
/// @param left not 0 for models that are looked at
constexpr void pair_up(std::size_t node_count, const binding_edges& along, const std::size_t* left,
                       std::size_t* group) {
    scratch<hashed> steps(along.edges.size());
    scratch<char> paired(node_count);
    std::size_t count = 0;
    for (std::size_t e = 0; e < along.edges.size(); ++e) {
        if (along.binds(e) && left[along.parent(e)] != 0 && left[along.child(e)] != 0)
            steps.data()[count++] = {along.parent(e) * node_count + along.child(e), e};
    }
    sort(steps.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t parent = along.ends[2 * steps.data()[i].node];
        const std::size_t child = along.ends[2 * steps.data()[i].node + 1];
        if (paired.data()[parent] != 0 || paired.data()[child] != 0) continue;
        if (find(steps.data(), count, child * node_count + parent) == graph_finding::none) continue;
        paired.data()[parent] = paired.data()[child] = 1;
        group[child] = parent;
    }
}

/// Reports one cycle of cascade edges none of which can be unlinked: what is left when models without such
/// an edge to a remaining model are taken away. Two models that refer to each other go in one statement (R17) and
/// count as one; three or more do not. `ends` holds each edge's parent and child.
template <class Report>
constexpr bool report_cycle(std::size_t node_count, std::span<const graph_edge> edges, const std::size_t* ends,
                            Report& report) {
    scratch<std::size_t> group(node_count);
    for (std::size_t n = 0; n < node_count; ++n) group.data()[n] = n;
    const binding_edges along{edges, ends, group.data()};
    scratch<std::size_t> alone(node_count);
    if (peel_groups(node_count, along, alone.data())) return true;
    pair_up(node_count, along, alone.data(), group.data());
    scratch<std::size_t> left(node_count);
    if (peel_groups(node_count, along, left.data())) return true;
    // Every group that is left has an edge to a group that is left: following them ends in a cycle.
    scratch<std::size_t> step(node_count);
    for (std::size_t e = 0; e < edges.size(); ++e) {
        if (along.binds(e) && left.data()[along.child(e)] != 0) step.data()[along.parent(e)] = e;
    }
    std::size_t at = 0;
    while (left.data()[at] == 0) ++at;
    for (std::size_t i = 0; i < node_count; ++i) at = along.child(step.data()[at]);
    const std::size_t edge = step.data()[at];
    return report({graph_fault::cycle_without_nullable_edge, ends[2 * edge], edge, ends[2 * edge + 1]});
}

/// Calls `report` for each finding, worst first, until it says false.
template <class Report>
constexpr void check_graph(std::span<const graph_node> nodes, std::span<const graph_edge> edges, Report report) {
    constexpr std::size_t none = graph_finding::none;
    scratch<hashed> keys(nodes.size());
    scratch<hashed> tables(nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n) keys.data()[n] = {nodes[n].key_hash, n};
    sort(keys.data(), nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        if (!nodes[n].key_usable && !report({graph_fault::unusable_key, n, none, none})) return;
    }
    const auto repeated = [&](const hashed* items, graph_fault fault) {
        for (std::size_t i = 1; i < nodes.size(); ++i) {
            if (items[i].hash != items[i - 1].hash) continue;
            if (!report({fault, items[i].node, none, items[i - 1].node})) return false;
        }
        return true;
    };
    if (!repeated(keys.data(), graph_fault::duplicate_key)) return;
    for (std::size_t which = 0; which < 2; ++which) {
        for (std::size_t n = 0; n < nodes.size(); ++n) tables.data()[n] = {nodes[n].table_hash[which], n};
        sort(tables.data(), nodes.size());
        // Two tables that clash in both dialects are reported once; the same model twice is reported above.
        for (std::size_t i = 1; i < nodes.size(); ++i) {
            if (tables.data()[i].hash != tables.data()[i - 1].hash) continue;
            const graph_node& a = nodes[tables.data()[i - 1].node];
            const graph_node& b = nodes[tables.data()[i].node];
            if (a.key_hash == b.key_hash || (which == 1 && a.table_hash[0] == b.table_hash[0])) continue;
            if (!report({graph_fault::duplicate_table, tables.data()[i].node, none, tables.data()[i - 1].node})) return;
        }
    }
    scratch<std::size_t> ends(2 * edges.size());
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const graph_edge& edge = edges[e];
        const std::size_t parent = find(keys.data(), nodes.size(), edge.parent_hash);
        const std::size_t child =
            edge.kind == relation_kind::external ? none : find(keys.data(), nodes.size(), edge.child_hash);
        ends.data()[2 * e] = parent;
        ends.data()[2 * e + 1] = child;
        if (parent == none) {
            if (!report({graph_fault::unknown_parent, child, e, none})) return;
            continue;
        }
        if (!edge.attached && nodes[parent].strategy == strategy::bulk && edge.kind != relation_kind::do_nothing &&
            !report({graph_fault::bulk_with_children, parent, e, child})) {
            return;
        }
        if (edge.kind == relation_kind::external) continue;
        if (child == none) {
            if (!report({graph_fault::unknown_child, parent, e, none})) return;
            continue;
        }
        if (nodes[parent].silo != nodes[child].silo && !report({graph_fault::silo_mismatch, parent, e, child})) return;
        const std::uint64_t referenced =
            edge.referenced_signature != 0 ? edge.referenced_signature : nodes[parent].key_signature;
        if (edge.signature != referenced && !report({graph_fault::key_type_mismatch, parent, e, child})) return;
        if (edge.kind == relation_kind::set_null && !edge.nullable &&
            !report({graph_fault::set_null_not_optional, parent, e, child})) {
            return;
        }
    }
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        if (nodes[n].strategy == strategy::bulk && nodes[n].row_hooks &&
            !report({graph_fault::bulk_with_children, n, none, none})) {
            return;
        }
    }
    report_cycle(nodes.size(), edges, ends.data(), report);
}

}  // namespace detail

/// Looks for the first thing that is wrong with a graph.
///
/// The one checker: at compile time over the host's models, at run time over those of all parts of a
/// catalog. Takes n log n steps in models and relations; 120 models with 600 relations stay far below
/// clang's default limit for constant expressions.
[[nodiscard]] constexpr graph_finding check(std::span<const graph_node> nodes, std::span<const graph_edge> edges) {
    graph_finding first;
    detail::check_graph(nodes, edges, [&](const graph_finding& found) {
        first = found;
        return false;
    });
    return first;
}

/// Everything that is wrong with a graph, for run time. Of cycles, one. A template so that whoever only checks
/// at compile time does not compile it.
template <class = void>
[[nodiscard]] std::vector<graph_finding> check_all(std::span<const graph_node> nodes,
                                                   std::span<const graph_edge> edges) {
    std::vector<graph_finding> all;
    detail::check_graph(nodes, edges, [&](const graph_finding& found) {
        all.push_back(found);
        return true;
    });
    return all;
}

}  // namespace winnow::inline v0
