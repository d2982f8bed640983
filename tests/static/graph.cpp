// SPDX-License-Identifier: Apache-2.0
// The graph checker in constant evaluation: each fault, found in a graph of a few records.
#include "winnow/plan/graph.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include "golden/models.hpp"
#include "winnow/derive/plans_of.hpp"

namespace {

using winnow::check;
using winnow::graph_edge;
using winnow::graph_fault;
using winnow::graph_finding;
using winnow::graph_node;
using winnow::relation_kind;

/// Three models and the cascades 0 -> 1 and 1 -> 2, all right; tests break one thing.
struct chain {
    std::array<graph_node, 3> nodes{};
    std::array<graph_edge, 3> edges{};
    std::size_t edge_count = 2;

    constexpr chain() {
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            nodes[n].key_hash = 10 + n;
            nodes[n].table_hash[0] = nodes[n].table_hash[1] = 20 + n;
            nodes[n].key_signature = 7;
        }
        for (std::size_t e = 0; e < edges.size(); ++e) {
            edges[e].parent_hash = nodes[e].key_hash;
            edges[e].child_hash = nodes[(e + 1) % nodes.size()].key_hash;
            edges[e].signature = 7;
        }
    }
    [[nodiscard]] constexpr graph_finding check() const { return winnow::check(nodes, {edges.data(), edge_count}); }
};

template <class Break> constexpr graph_finding broken(const Break& change) {
    chain graph;
    change(graph);
    return graph.check();
}
constexpr std::size_t none = graph_finding::none;

static_assert(!check({}, {}));
static_assert(!chain().check());

static_assert(broken([](chain& of) { of.nodes[1].key_usable = false; }) ==
              graph_finding{graph_fault::unusable_key, 1, none, none});
static_assert(broken([](chain& of) { of.nodes[2].key_hash = of.nodes[0].key_hash; }).fault ==
              graph_fault::duplicate_key);
static_assert(broken([](chain& of) { of.nodes[2].table_hash[0] = of.nodes[0].table_hash[0]; }).fault ==
              graph_fault::duplicate_table);
static_assert(broken([](chain& of) { of.nodes[2].table_hash[1] = of.nodes[0].table_hash[1]; }).fault ==
              graph_fault::duplicate_table);
static_assert(broken([](chain& of) { of.edges[1].parent_hash = 99; }).fault == graph_fault::unknown_parent);
static_assert(broken([](chain& of) { of.edges[1].child_hash = 99; }) ==
              graph_finding{graph_fault::unknown_child, 1, 1, none});
static_assert(broken([](chain& of) { of.nodes[2].silo = winnow::silo::control; }) ==
              graph_finding{graph_fault::silo_mismatch, 1, 1, 2});
static_assert(broken([](chain& of) { of.edges[0].signature = 8; }) ==
              graph_finding{graph_fault::key_type_mismatch, 0, 0, 1});
static_assert(!broken([](chain& of) { of.edges[0].signature = of.edges[0].referenced_signature = 8; }));
static_assert(broken([](chain& of) { of.edges[1].kind = relation_kind::set_null; }) ==
              graph_finding{graph_fault::set_null_not_optional, 1, 1, 2});
static_assert(!broken([](chain& of) {
    of.edges[1].kind = relation_kind::set_null;
    of.edges[1].nullable = true;
}));

// Bulk passes over children and hooks; a relation that is never looked at does not count, an attached one is
// known to the registry only.
static_assert(broken([](chain& of) { of.nodes[1].strategy = winnow::strategy::bulk; }) ==
              graph_finding{graph_fault::bulk_with_children, 1, 1, 2});
static_assert(!broken([](chain& of) { of.nodes[2].strategy = winnow::strategy::bulk; }));
static_assert(broken([](chain& of) {
                  of.nodes[2].strategy = winnow::strategy::bulk;
                  of.nodes[2].row_hooks = true;
              }) == graph_finding{graph_fault::bulk_with_children, 2, none, none});
static_assert(!broken([](chain& of) {
    of.nodes[1].strategy = winnow::strategy::bulk;
    of.edges[1].kind = relation_kind::do_nothing;
}));
static_assert(!broken([](chain& of) {
    of.nodes[1].strategy = winnow::strategy::bulk;
    of.edges[1].attached = true;
}));

// A cycle of three needs one edge that can be unlinked, or that is no cascade; a tree in one table is no cycle, and
// two models that refer to each other go in one statement.
constexpr graph_finding closed(relation_kind kind, bool nullable) {
    chain graph;
    graph.edge_count = 3;
    graph.edges[2].kind = kind;
    graph.edges[2].nullable = nullable;
    return graph.check();
}
static_assert(closed(relation_kind::cascade, false).fault == graph_fault::cycle_without_nullable_edge);
static_assert(!closed(relation_kind::cascade, true));
static_assert(!closed(relation_kind::set_null, true));
static_assert(!closed(relation_kind::restrict_, false) && !closed(relation_kind::do_nothing, false));
static_assert(!broken([](chain& of) {
    of.edge_count = 3;
    of.edges[2].parent_hash = of.edges[2].child_hash = of.nodes[2].key_hash;
}));

static_assert(!broken([](chain& of) { of.edges[1].child_hash = of.nodes[0].key_hash; }));
static_assert(broken([](chain& of) {
                  of.edge_count = 3;
                  of.edges[1].child_hash = of.nodes[0].key_hash;
                  of.edges[0].child_hash = of.nodes[2].key_hash;
              }).fault == graph_fault::none);

// An external task is no model, so it is not looked for.
static_assert(!broken([](chain& of) {
    of.edges[1].kind = relation_kind::external;
    of.edges[1].child_hash = 99;
}));

// What is compared of a plan: keys and tables by hash, keys' types by signature.
using winnow::node_of;
constexpr const winnow::plan& account = winnow::plan_of<shop::models, shop::account>();
constexpr const winnow::plan& order = winnow::plan_of<shop::models, shop::order>();
constexpr const winnow::plan& order_line = winnow::plan_of<shop::models, shop::order_line>();
static_assert(node_of(account).key_usable && node_of(account).row_hooks && !node_of(order).row_hooks);
static_assert(node_of(account).key_signature == node_of(order).key_signature);
static_assert(node_of(order).key_signature != node_of(order_line).key_signature);
static_assert(winnow::edge_of(account.relations[1]).signature == node_of(account).key_signature);
static_assert(winnow::edge_of(account.relations[2]).referenced_signature != node_of(account).key_signature);

// Texts are told apart without comparing them; SQLite's without regard to case.
static_assert(winnow::hash_of("tracker.Event") != winnow::hash_of("tracker.Events"));
static_assert(winnow::hash_of("Event", 1, true) == winnow::hash_of("eVENT", 1, true));
static_assert(winnow::hash_of("Event") != winnow::hash_of("event"));

}  // namespace
