// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace winnow::inline v0 {

/// One arrow of a directed graph, from parent to child.
struct arc {
    std::size_t from;
    std::size_t to;
};

/// The strongly connected components of a directed graph.
struct component_order {
    /// Component of each node. A child's component never has a higher number than its parent's.
    std::vector<std::size_t> component;
    /// For each node: is it on a cycle? An arc from a node to itself is one.
    std::vector<bool> cyclic;
    /// All nodes, children before parents, members of one component beside each other.
    std::vector<std::size_t> children_first;
};

/// Finds the components (Tarjan), without recursion, in time linear in nodes and arcs.
[[nodiscard]] inline component_order order_components(std::size_t node_count, std::span<const arc> arcs) {
    constexpr std::size_t unseen = static_cast<std::size_t>(-1);
    std::vector<std::size_t> begin(node_count + 1);
    for (const arc& one : arcs) ++begin[one.from + 1];
    for (std::size_t n = 0; n < node_count; ++n) begin[n + 1] += begin[n];
    std::vector<std::size_t> targets(arcs.size());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (const arc& one : arcs) targets[next[one.from]++] = one.to;
    std::copy(begin.begin(), begin.end() - 1, next.begin());

    component_order result;
    result.component.assign(node_count, unseen);
    result.cyclic.assign(node_count, false);
    std::vector<std::size_t> index(node_count, unseen);
    std::vector<std::size_t> low(node_count);
    std::vector<std::size_t> path;  // nodes being visited
    std::vector<std::size_t> open;  // nodes whose component is not known yet
    std::size_t visited = 0;
    std::size_t components = 0;
    const auto enter = [&](std::size_t node) {
        index[node] = low[node] = visited++;
        path.push_back(node);
        open.push_back(node);
    };
    for (std::size_t start = 0; start < node_count; ++start) {
        if (index[start] != unseen) continue;
        enter(start);
        while (!path.empty()) {
            const std::size_t node = path.back();
            if (next[node] != begin[node + 1]) {
                const std::size_t child = targets[next[node]++];
                if (child == node) result.cyclic[node] = true;
                if (index[child] == unseen) enter(child);
                else if (result.component[child] == unseen) low[node] = std::min(low[node], index[child]);
                continue;
            }
            path.pop_back();
            if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[node]);
            if (low[node] != index[node]) continue;
            const std::size_t first = result.children_first.size();
            std::size_t member = unseen;
            do {
                member = open.back();
                open.pop_back();
                result.component[member] = components;
                result.children_first.push_back(member);
            } while (member != node);
            ++components;
            if (result.children_first.size() - first == 1) continue;
            for (std::size_t i = first; i < result.children_first.size(); ++i) {
                result.cyclic[result.children_first[i]] = true;
            }
        }
    }
    return result;
}

}  // namespace winnow::inline v0
