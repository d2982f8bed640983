// SPDX-License-Identifier: Apache-2.0
#include "winnow/plan/closure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "integration/plan/random_forest.hpp"
#include "support/databases.hpp"
#include "unit/plan/plan_builder.hpp"
#include "winnow/plan/catalog.hpp"

namespace {

using winnow::closure_count;
using winnow::closure_query;
using winnow::count_bound;
using winnow::relation_kind;
using winnow::value_kind;
using winnow_test::model_spec;
using winnow_test::random_forest;

constexpr std::int64_t no_cap = 1000000;

winnow_test::column_spec number(std::string name) { return {std::move(name), value_kind::integer64, true}; }

/// A diamond with a tree in it, a relation with skips, and rows that restrict, or lose their reference.
std::vector<model_spec> diamond() {
    return {{.key = "t.Org",
             .columns = {{"id"}},
             .relations = {{.child = "t.Project", .columns = {"org"}},
                           {.child = "t.Event", .columns = {"org"}},
                           {.child = "t.Invoice", .columns = {"org"}},
                           {.child = "t.Team", .columns = {"org"}, .skips = {"t.Event"}}}},
            {.key = "t.Project",
             .columns = {{"id"}, number("org"), number("team")},
             .relations = {{.child = "t.Event", .columns = {"project"}},
                           {.kind = relation_kind::set_null, .child = "t.Note", .columns = {"project"}},
                           {.kind = relation_kind::restrict_, .child = "t.Invoice", .columns = {"project"}}}},
            {.key = "t.Team",
             .columns = {{"id"}, number("org")},
             .relations = {{.child = "t.Project", .columns = {"team"}}}},
            {.key = "t.Event",
             .columns = {{"id"}, number("org"), number("project"), number("parent")},
             .relations = {{.child = "t.Event", .columns = {"parent"}},
                           {.child = "t.Note", .columns = {"event"}},
                           {.kind = relation_kind::restrict_, .child = "t.Event", .columns = {"project"}}}},
            {.key = "t.Note", .columns = {{"id"}, number("project"), number("event")}},
            {.key = "t.Invoice", .columns = {{"id"}, number("org"), number("project")}}};
}

/// Two tables that refer to each other, one of them a tree twice over, and a leaf below.
std::vector<model_spec> cycle() {
    return {{.key = "t.A",
             .columns = {{"id"}, number("b"), number("up"), number("left")},
             .relations = {{.child = "t.B", .columns = {"a"}},
                           {.child = "t.A", .columns = {"up"}},
                           {.child = "t.A", .columns = {"left"}},
                           {.child = "t.Leaf", .columns = {"a"}}}},
            {.key = "t.B",
             .columns = {{"code", value_kind::text}, number("a")},
             .primary_key = {"code"},
             .relations = {{.child = "t.A", .columns = {"b"}, .referenced = {"a"}},
                           {.kind = relation_kind::restrict_, .child = "t.Leaf", .columns = {"b"}}}},
            {.key = "t.Leaf", .columns = {{"id"}, number("a"), {"b", value_kind::text, true}}},
            {.key = "t.Top", .columns = {{"id"}}, .relations = {{.child = "t.A", .columns = {"b"}}}}};
}

/// Composite keys of several kinds, a reference beside the primary key, and a generic foreign key.
std::vector<model_spec> composite() {
    return {
        {.key = "t.Item",
         .columns = {{"tenant", value_kind::integer32}, {"no", value_kind::text}, {"slot"}},
         .primary_key = {"tenant", "no"},
         .relations = {{.child = "t.Part", .columns = {"item_tenant", "item_no"}},
                       {.child = "t.Tag", .columns = {"object"}, .referenced = {"slot"}, .filters = {{"kind", "1"}}},
                       {.kind = relation_kind::set_null,
                        .child = "t.Tag",
                        .columns = {"item_no", "item_tenant"},
                        .referenced = {"no", "tenant"}}}},
        {.key = "t.Part",
         .columns = {{"tenant", value_kind::integer32},
                     {"id"},
                     {"item_tenant", value_kind::integer32, true},
                     {"item_no", value_kind::text, true},
                     {"up_tenant", value_kind::integer32, true},
                     {"up_id", value_kind::integer64, true}},
         .primary_key = {"tenant", "id"},
         .relations = {{.child = "t.Part", .columns = {"up_tenant", "up_id"}},
                       {.kind = relation_kind::restrict_,
                        .child = "t.Tag",
                        .columns = {"object"},
                        .referenced = {"id"},
                        .filters = {{"kind", "0"}}}}},
        {.key = "t.Tag",
         .columns = {{"id"},
                     number("object"),
                     {"kind"},
                     {"item_no", value_kind::text, true},
                     {"item_tenant", value_kind::integer32, true}}}};
}

class closure : public winnow_test::on_every_database {
protected:
    void compare(const std::vector<model_spec>& specs, unsigned seed) {
        const winnow_test::plan_builder built(specs);
        const winnow::catalog models(built.plans());
        const random_forest forest(built.plans(), 18, 12, seed);
        const auto schema = "s" + std::to_string(seed);
        const winnow::connection_ptr connection = database().open();
        if (GetParam() == winnow::dialect::postgres) {
            connection->execute_script("CREATE SCHEMA " + schema + "; SET search_path = " + schema);
        }
        connection->execute_script(forest.script());
        for (std::size_t root = 0; root < models.size(); ++root) {
            const auto queries = closure_queries(models, root, GetParam());
            for (std::size_t r = 0; r < std::min<std::size_t>(3, forest.table(root).size()); ++r) {
                const auto doomed = forest.closure(root, r);
                std::vector<winnow::value> key;
                for (const std::uint16_t c : models[root].primary_key) {
                    key.push_back(random_forest::bound(models[root].columns[c], forest.table(root)[r][c]));
                }
                for (const closure_query& query : queries) {
                    ASSERT_EQ(query.key_parameters, key.size());
                    const std::int64_t expected = count(forest, models, doomed, query);
                    counted_[query.counts] += expected;
                    EXPECT_EQ(run(*connection, query, key, no_cap), expected)
                        << models[root].key << " row " << r << ", seed " << seed << "\n"
                        << query.sql;
                    const std::int64_t cap = std::max<std::int64_t>(expected - 1, 0);
                    EXPECT_EQ(run(*connection, query, key, cap), cap) << query.sql;
                }
            }
            for (const winnow::edge& by : models.edges_from(root)) check_orphans(*connection, forest, models, by);
        }
        if (GetParam() == winnow::dialect::sqlite) {
            for (const winnow::plan& of : built.plans()) {
                connection->execute_script("DROP TABLE " + std::string(of.quoted_table.sqlite));
            }
        }
    }

private:
    static std::int64_t run(winnow::connection& connection, const closure_query& query,
                            const std::vector<winnow::value>& key, std::int64_t cap) {
        std::vector<winnow::parameter> parameters(key.begin(), key.end());
        parameters.emplace_back(cap);
        return connection.execute_once(query.sql, std::span<const winnow::parameter>(parameters)).integer(0, 0);
    }

    static std::int64_t count(const random_forest& forest, const winnow::catalog& models,
                              const random_forest::doomed& doomed, const closure_query& query) {
        std::set<std::size_t> rows;
        for (const auto& [at, skipped] : doomed) {
            if (query.counts == closure_count::doomed) {
                if (at.first == query.model) rows.insert(at.second);
                continue;
            }
            if (at.first != query.by->parent) continue;
            const bool any = std::any_of(skipped.begin(), skipped.end(), [&](const std::set<std::string_view>& one) {
                return one.count(models[query.model].key) == 0;
            });
            for (std::size_t r = 0; any && r < forest.table(query.model).size(); ++r) {
                if (doomed.count({query.model, r}) != 0) continue;
                if (forest.belongs(*query.by->relation, forest.table(query.model)[r],
                                   forest.table(at.first)[at.second])) {
                    rows.insert(r);
                }
            }
        }
        return static_cast<std::int64_t>(rows.size());
    }

    void check_orphans(winnow::connection& connection, const random_forest& forest, const winnow::catalog& models,
                       const winnow::edge& by) {
        std::int64_t expected = 0;
        for (const random_forest::row& child : forest.table(by.child)) {
            const auto& parents = forest.table(by.parent);
            const bool has_parent = std::any_of(parents.begin(), parents.end(), [&](const random_forest::row& parent) {
                return forest.belongs(*by.relation, child, parent);
            });
            if (forest.refers(*by.relation, child) && !has_parent) ++expected;
        }
        const closure_query query = orphan_query(models, by, GetParam());
        EXPECT_EQ(query.key_parameters, 0U);
        EXPECT_EQ(run(connection, query, {}, no_cap), expected) << query.sql;
        counted_[closure_count::orphans] += expected;
    }

protected:
    /// Sums of all counts, to see that the data is worth looking at.
    std::map<closure_count, std::int64_t> counted_;
};

TEST_P(closure, of_a_diamond_with_a_tree_and_skips) {
    for (unsigned seed = 1; seed <= 12; ++seed) compare(diamond(), seed);
    for (const auto& [counts, sum] : counted_) EXPECT_GT(sum, 20) << static_cast<int>(counts);
    EXPECT_EQ(counted_.size(), 4U);
}

TEST_P(closure, of_two_tables_that_refer_to_each_other) {
    for (unsigned seed = 1; seed <= 12; ++seed) compare(cycle(), seed);
    for (const auto& [counts, sum] : counted_) EXPECT_GT(sum, 20) << static_cast<int>(counts);
    EXPECT_EQ(counted_.size(), 3U);
}

TEST_P(closure, of_composite_keys) {
    for (unsigned seed = 1; seed <= 12; ++seed) compare(composite(), seed);
    for (const auto& [counts, sum] : counted_) EXPECT_GT(sum, 3) << static_cast<int>(counts);
    EXPECT_EQ(counted_.size(), 4U);
}

TEST_P(closure, a_chain_of_many_levels_is_followed) {
    const winnow_test::plan_builder built(
        {{.key = "t.Node", .columns = {{"id"}, number("up")}, .relations = {{.child = "t.Node", .columns = {"up"}}}}});
    const winnow::catalog models(built.plans());
    const winnow::connection_ptr connection = database().open();
    connection->execute_script(
        "CREATE TABLE \"Node\" (id BIGINT PRIMARY KEY, up BIGINT); CREATE INDEX node_up ON \"Node\" (up);"
        "WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g WHERE i < 20000)"
        " INSERT INTO \"Node\" SELECT i, i - 1 FROM g");
    const auto queries = closure_queries(models, 0, GetParam());
    ASSERT_EQ(queries.size(), 1U);
    EXPECT_EQ(connection->execute_once(queries[0].sql, {std::int64_t{1}, no_cap}).integer(0, 0), 20000);
    EXPECT_EQ(connection->execute_once(queries[0].sql, {std::int64_t{1}, std::int64_t{100}}).integer(0, 0), 100);
    // A row that is its own ancestor ends the walk.
    connection->execute_script("UPDATE \"Node\" SET up = 20000 WHERE id = 1");
    EXPECT_EQ(connection->execute_once(queries[0].sql, {std::int64_t{7}, no_cap}).integer(0, 0), 20000);
}

TEST_P(closure, a_predicate_makes_counts_at_most) {
    std::vector<model_spec> specs = diamond();
    specs[0].relations[0].applies = {[](const void*, winnow::row_values, const winnow::hook_context&) { return true; },
                                     nullptr};
    const winnow_test::plan_builder built(specs);
    const winnow::catalog models(built.plans());
    std::set<std::string> seen;
    for (const closure_query& query : closure_queries(models, models.at("t.Org"), GetParam())) {
        const std::string_view key = models[query.model].key;
        count_bound expected = count_bound::exact;
        if (query.counts == closure_count::doomed) {
            if (key == "t.Project" || key == "t.Event" || key == "t.Note") expected = count_bound::at_most;
        } else {
            expected = key == "t.Invoice" ? count_bound::at_most : count_bound::uncertain;
        }
        EXPECT_EQ(query.bound, expected) << key;
        seen.insert(std::string(key));
    }
    EXPECT_EQ(seen.size(), 6U);
}

INSTANTIATE_TEST_SUITE_P(databases, closure, winnow_test::all_databases(), winnow_test::name_of_database);

}  // namespace
