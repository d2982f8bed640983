// SPDX-License-Identifier: Apache-2.0
#include "winnow/plan/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "plan_builder.hpp"
#include "winnow/plan/graph_text.hpp"

namespace {

using winnow::graph_fault;
using winnow::relation_kind;
using winnow::value_kind;
using winnow_test::model_spec;
using winnow_test::plan_builder;

// 120 models with five relations each, far below clang's limit for constant expressions.
template <std::size_t Models, std::size_t Edges> struct large {
    std::array<winnow::graph_node, Models> nodes{};
    std::array<winnow::graph_edge, Models * Edges> edges{};

    constexpr large() {
        for (std::size_t n = 0; n < Models; ++n) {
            nodes[n].key_hash = n * 0x9e3779b97f4a7c15ULL + 1;
            nodes[n].table_hash[0] = nodes[n].table_hash[1] = ~nodes[n].key_hash;
            nodes[n].key_signature = 7;
        }
        for (std::size_t n = 0; n < Models; ++n) {
            for (std::size_t e = 0; e < Edges; ++e) {
                winnow::graph_edge& edge = edges[n * Edges + e];
                const std::size_t child = n + e + 1 < Models ? n + e + 1 : n;
                edge.parent_hash = nodes[n].key_hash;
                edge.child_hash = nodes[child].key_hash;
                edge.signature = 7;
            }
        }
    }
};

constexpr large<120, 5> big;
static_assert(!winnow::check(big.nodes, big.edges));

constexpr auto with_cycle = [] {
    large<120, 5> made;
    made.edges[119 * 5].child_hash = made.nodes[3].key_hash;
    return made;
}();
static_assert(winnow::check(with_cycle.nodes, with_cycle.edges).fault == graph_fault::cycle_without_nullable_edge);

std::vector<std::string> findings(const std::vector<model_spec>& models) {
    const plan_builder built(models);
    std::vector<winnow::graph_node> nodes;
    std::vector<winnow::graph_edge> edges;
    for (const winnow::plan& of : built.plans()) {
        nodes.push_back(winnow::node_of(of));
        for (const winnow::relation& one : of.relations) edges.push_back(winnow::edge_of(one));
        for (const winnow::relation& one : of.attached) edges.push_back(winnow::edge_of(one, true));
    }
    std::vector<std::string> texts;
    for (const winnow::graph_finding& found : winnow::check_all(nodes, edges)) {
        const std::string line = describe(found, nodes, edges);
        EXPECT_NE(line.find(". "), std::string::npos) << "says what to write: " << line;
        texts.push_back(std::string(name_of(found.fault)) + " | " + line);
    }
    if (!texts.empty()) {
        EXPECT_TRUE(winnow::check(nodes, edges));
        EXPECT_EQ(winnow::check(nodes, edges), winnow::check_all(nodes, edges).front());
    }
    return texts;
}

void expect_one(const std::vector<model_spec>& models, const std::string& fault, const std::string& part) {
    const std::vector<std::string> found = findings(models);
    ASSERT_EQ(found.size(), 1U) << (found.empty() ? "nothing found" : found[1]);
    EXPECT_EQ(found[0].substr(0, found[0].find(' ')), fault);
    EXPECT_NE(found[0].find(part), std::string::npos) << found[0];
}

model_spec leaf(std::string key) { return {.key = std::move(key), .columns = {{"id"}, {"parent_id"}}}; }
model_spec parent_of(std::string key, std::string child, relation_kind kind = relation_kind::cascade) {
    return {.key = std::move(key),
            .columns = {{"id"}, {"parent_id"}},
            .relations = {{.kind = kind, .child = std::move(child), .columns = {"parent_id"}}}};
}

TEST(graph, accepts_a_chain_a_diamond_and_a_tree) {
    model_spec top = parent_of("t.A", "t.B");
    top.relations.push_back({.child = "t.C", .columns = {"parent_id"}});
    model_spec tree = parent_of("t.D", "t.D");
    EXPECT_EQ(findings({top, parent_of("t.B", "t.D"), parent_of("t.C", "t.D"), tree}), std::vector<std::string>{});
}

TEST(graph, finds_two_models_with_one_key) {
    model_spec second = leaf("t.A");
    second.table = "other";
    expect_one({leaf("t.A"), second}, "duplicate_key", "t.A");
}

TEST(graph, finds_two_models_over_one_table_only_in_one_silo_and_schema) {
    model_spec second = leaf("u.A");
    expect_one({leaf("t.A"), second}, "duplicate_table", "same table as t.A");
    second.schema = "elsewhere";
    EXPECT_TRUE(findings({leaf("t.A"), second}).empty());
    second.schema.clear();
    second.silo = winnow::silo::control;
    EXPECT_TRUE(findings({leaf("t.A"), second}).empty());
}

TEST(graph, compares_table_names_as_each_database_does) {
    model_spec second = leaf("u.B");
    second.table = "a";
    expect_one({leaf("t.A"), second}, "duplicate_table", "u.B");  // SQLite: "A" is "a"
}

TEST(graph, finds_relations_to_nobody) {
    expect_one({parent_of("t.A", "t.Missing")}, "unknown_child", "t.Missing over column \"parent_id\"");
    model_spec lost = leaf("t.A");
    lost.attached.push_back({"t.Gone", {.child = {}, .columns = {"parent_id"}}});
    expect_one({lost}, "unknown_parent", "t.A: attaches itself to t.Gone");
}

TEST(graph, an_external_task_is_no_model) {
    model_spec top = leaf("t.A");
    top.relations.push_back({.kind = relation_kind::external, .child = "files", .columns = {}});
    EXPECT_TRUE(findings({top}).empty());
}

TEST(graph, finds_a_relation_across_silos) {
    model_spec child = leaf("t.B");
    child.silo = winnow::silo::control;
    expect_one({parent_of("t.A", "t.B"), child}, "silo_mismatch", "t.A lives in the cell silo and t.B in the control");
}

TEST(graph, compares_kinds_and_number_of_the_referenced_columns) {
    model_spec narrow = leaf("t.B");
    narrow.columns[1].kind = value_kind::integer32;
    expect_one({parent_of("t.A", "t.B"), narrow}, "key_type_mismatch", "t.B");

    model_spec composite = parent_of("t.A", "t.B");
    composite.primary_key = {"id", "parent_id"};
    expect_one({composite, leaf("t.B")}, "key_type_mismatch", "number or kind");

    composite.relations[0].referenced = {"id"};
    EXPECT_TRUE(findings({composite, leaf("t.B")}).empty());
}

TEST(graph, set_null_needs_an_optional_column) {
    const model_spec top = parent_of("t.A", "t.B", relation_kind::set_null);
    model_spec child = leaf("t.B");
    expect_one({top, child}, "set_null_not_optional", "std::optional");
    child.columns[1].optional = true;
    EXPECT_TRUE(findings({top, child}).empty());
}

TEST(graph, bulk_would_pass_over_children_and_hooks) {
    model_spec top = parent_of("t.A", "t.B");
    top.strategy = winnow::strategy::bulk;
    expect_one({top, leaf("t.B")}, "bulk_with_children", "cascade relation to t.B");
    top.relations[0].kind = relation_kind::do_nothing;
    EXPECT_TRUE(findings({top, leaf("t.B")}).empty());

    model_spec attached = leaf("t.B");
    attached.attached.push_back({"t.C", {.child = {}, .columns = {"parent_id"}}});
    model_spec bulk = leaf("t.C");
    bulk.strategy = winnow::strategy::bulk;
    EXPECT_TRUE(findings({attached, bulk}).empty()) << "a child that attaches itself makes its parent per row";

    winnow::graph_node hooked;
    hooked.key = "t.H";
    hooked.strategy = winnow::strategy::bulk;
    hooked.row_hooks = true;
    const winnow::graph_finding found = winnow::check({&hooked, 1}, {});
    EXPECT_EQ(found.fault, graph_fault::bulk_with_children);
    EXPECT_NE(describe(found, {&hooked, 1}, {}).find("before_delete"), std::string::npos);
}

TEST(graph, a_cycle_needs_one_reference_that_can_be_unlinked) {
    std::vector<model_spec> models{parent_of("t.A", "t.B"), parent_of("t.B", "t.C"), parent_of("t.C", "t.A"),
                                   parent_of("t.D", "t.A")};
    expect_one(models, "cycle_without_nullable_edge", "cycle");
    models[1].columns[1].optional = true;
    EXPECT_TRUE(findings(models).empty());
}

TEST(graph, two_models_that_refer_to_each_other_need_none) {
    model_spec a = parent_of("t.A", "t.B");
    EXPECT_TRUE(findings({a, parent_of("t.B", "t.A")}).empty()) << "they go in one statement";
    a.relations.push_back({.child = "t.A", .columns = {"parent_id"}});
    EXPECT_TRUE(findings({a, parent_of("t.B", "t.A")}).empty()) << "a tree within one of them is no matter";
    EXPECT_TRUE(findings({a, parent_of("t.B", "t.A"), parent_of("t.C", "t.D"), parent_of("t.D", "t.C")}).empty());
}

TEST(graph, pairs_that_share_a_model_or_lie_in_a_larger_cycle_are_found) {
    model_spec a = parent_of("t.A", "t.B");
    a.relations.push_back({.child = "t.C", .columns = {"parent_id"}});
    std::vector<model_spec> models{a, parent_of("t.B", "t.A"), parent_of("t.C", "t.A")};
    expect_one(models, "cycle_without_nullable_edge", "t.");
    models[0].columns[1].optional = true;
    models[2].columns[1].optional = true;
    EXPECT_TRUE(findings(models).empty());

    model_spec b = parent_of("t.B", "t.A");
    b.relations.push_back({.child = "t.C", .columns = {"parent_id"}});
    expect_one({parent_of("t.A", "t.B"), b, parent_of("t.C", "t.A")}, "cycle_without_nullable_edge", "t.");
}

TEST(graph, keys_are_never_null_and_never_real) {
    model_spec optional = leaf("t.A");
    optional.columns[0].optional = true;
    expect_one({optional}, "unusable_key", "t.A");
    optional.columns[0] = {"id", value_kind::real};
    expect_one({optional}, "unusable_key", "t.A");
    optional.primary_key.clear();
    expect_one({optional}, "unusable_key", "t.A");
}

TEST(graph, reports_everything_at_once) {
    model_spec lost = leaf("t.B");
    lost.attached.push_back({"t.Gone", {.child = {}, .columns = {"parent_id"}}});
    EXPECT_EQ(findings({parent_of("t.A", "t.B", relation_kind::set_null), lost, parent_of("t.C", "t.No")}).size(), 3U);
}

}  // namespace
