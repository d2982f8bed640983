// SPDX-License-Identifier: Apache-2.0
#include "winnow/sql/statements.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "integration/plan/random_forest.hpp"
#include "support/databases.hpp"
#include "unit/plan/plan_builder.hpp"
#include "winnow/plan/catalog.hpp"

namespace {

using winnow::key_set;
using winnow::parameter;
using winnow::relation_kind;
using winnow::row_values;
using winnow::value;
using winnow::value_kind;
using winnow_test::model_spec;
using winnow_test::random_forest;

constexpr std::size_t sample = 25;  // parents asked for at once
constexpr std::int64_t many = 1000000;

/// Simple, composite and mixed keys; trees; filters; a reference beside the key; awkward names; both orders.
std::vector<model_spec> models_under_test() {
    return {{.key = "t.Group",
             .columns = {{"id"}, {"select", value_kind::integer64, true}, {"status"}},
             .relations = {{.child = "t.Group", .columns = {"select"}},
                           {.child = "t.Part", .columns = {"owner"}, .filters = {{"kind", "1"}}}},
             .table = "Group \"x\"",
             .status = "status"},
            {.key = "t.Item",
             .columns = {{"tenant", value_kind::integer32}, {"no", value_kind::text}, {"slot"}},
             .primary_key = {"tenant", "no"},
             .relations =
                 {{.child = "t.Part", .columns = {"item_tenant", "item_no"}},
                  {.kind = relation_kind::set_null,
                   .child = "t.Part",
                   .columns = {"item_no", "item_tenant"},
                   .referenced = {"no", "tenant"}},
                  {.kind = relation_kind::restrict_, .child = "t.Part", .columns = {"owner"}, .referenced = {"slot"}}}},
            {.key = "t.Part",
             .columns = {{"tenant", value_kind::integer32},
                         {"id"},
                         {"item_tenant", value_kind::integer32, true},
                         {"item_no", value_kind::text, true},
                         {"up_tenant", value_kind::integer32, true},
                         {"up_id", value_kind::integer64, true},
                         {"owner", value_kind::integer64, true},
                         {"kind"}},
             .primary_key = {"tenant", "id"},
             .relations = {{.child = "t.Part", .columns = {"up_tenant", "up_id"}, .filters = {{"kind", "0"}}}},
             .newest_first = true}};
}

using tuples = std::set<std::vector<value>>;

class statements : public winnow_test::on_every_database {
protected:
    void SetUp() override {
        on_every_database::SetUp();
        connection_ = database().open();
        connection_->execute_script(forest_.script());
    }

    [[nodiscard]] std::vector<value> read(std::size_t model, const random_forest::row& row,
                                          std::span<const std::uint16_t> columns) const {
        std::vector<value> out;
        for (const std::uint16_t c : columns) out.push_back(random_forest::bound(models_[model].columns[c], row[c]));
        return out;
    }

    /// Referenced values of the first rows of the parent.
    [[nodiscard]] key_set parents_of(const winnow::edge& by, std::size_t count) const {
        key_set parents(by.referenced.size());
        for (std::size_t r = 0; r < count && r < forest_.table(by.parent).size(); ++r) {
            std::vector<std::uint16_t> columns;
            for (const std::uint8_t i : by.referenced) columns.push_back(models_[by.parent].identity[i]);
            parents.push_back(read(by.parent, forest_.table(by.parent)[r], columns));
        }
        return parents;
    }

    /// Rows of the child that belong to one of the first rows of the parent.
    [[nodiscard]] std::vector<random_forest::row> children_of(const winnow::edge& by, std::size_t count) const {
        std::vector<random_forest::row> found;
        for (const random_forest::row& child : forest_.table(by.child)) {
            for (std::size_t r = 0; r < count && r < forest_.table(by.parent).size(); ++r) {
                if (!forest_.belongs(*by.relation, child, forest_.table(by.parent)[r])) continue;
                found.push_back(child);
                break;
            }
        }
        return found;
    }

    [[nodiscard]] tuples identities(std::size_t model, const std::vector<random_forest::row>& rows) const {
        tuples out;
        for (const random_forest::row& row : rows) out.insert(read(model, row, models_[model].identity));
        return out;
    }

    [[nodiscard]] static std::vector<value> tuple(row_values row) { return {row.begin(), row.end()}; }
    [[nodiscard]] static tuples set_of(const winnow::rows& found) {
        tuples out;
        for (std::size_t r = 0; r < found.size(); ++r) out.insert(tuple(found[r]));
        EXPECT_EQ(out.size(), found.size()) << "a row came twice";
        return out;
    }

    winnow::rows run(const winnow::dialect_text& statement, std::initializer_list<parameter> parameters) {
        EXPECT_FALSE(statement[GetParam()].empty());
        return connection_->execute(statement, parameters);
    }
    [[nodiscard]] std::int64_t number(const winnow::dialect_text& statement,
                                      std::initializer_list<parameter> parameters) {
        return run(statement, parameters).integer(0, 0);
    }

    /// Runs `work` in a transaction that is rolled back.
    template <class Work> void undone(const Work& work) {
        connection_->begin(winnow::transaction_kind::write, {});
        work();
        connection_->rollback();
    }

    template <class Work> void for_each_relation(relation_kind kind, const Work& work) {
        std::size_t met = 0;
        std::size_t rows = 0;
        for (std::size_t m = 0; m < models_.size(); ++m) {
            for (const winnow::edge& by : models_.edges_from(m)) {
                if (by.relation->kind != kind) continue;
                SCOPED_TRACE(std::string(models_[m].key) + " to " + std::string(by.relation->child));
                ++met;
                rows += children_of(by, sample).size();
                work(by, by.relation->statements, parents_of(by, sample), children_of(by, sample));
            }
        }
        EXPECT_GT(met, 0U);
        EXPECT_GT(rows, 2 * met) << "too few rows to see anything";
    }

    winnow_test::plan_builder built_{models_under_test()};
    winnow::catalog models_{built_.plans()};
    random_forest forest_{built_.plans(), 400, 60, 7};
    winnow::connection_ptr connection_;
};

using rows_of = std::vector<random_forest::row>;

TEST_P(statements, find_children_page_by_page_in_key_order) {
    for_each_relation(relation_kind::cascade, [&](const winnow::edge& by, const winnow::relation_statements& all,
                                                  const key_set& parents, const rows_of& children) {
        const winnow::plan& child = models_[by.child];
        std::vector<std::vector<value>> found;
        winnow::rows page = run(all.fetch_first, {parents, std::int64_t{2}});
        while (!page.empty()) {
            EXPECT_LE(page.size(), 2U);
            for (std::size_t r = 0; r < page.size(); ++r) found.push_back(tuple(page[r]));
            std::vector<parameter> parameters{parents};
            for (std::size_t i = 0; i < child.primary_key.size(); ++i) parameters.emplace_back(found.back()[i]);
            parameters.emplace_back(std::int64_t{2});
            page = connection_->execute(all.fetch_next, std::span<const parameter>(parameters));
        }
        EXPECT_EQ(tuples(found.begin(), found.end()), identities(by.child, children));
        EXPECT_EQ(found.size(), children.size());
        std::vector<std::vector<value>> sorted = found;
        std::sort(sorted.begin(), sorted.end());
        if (child.newest_first) std::reverse(sorted.begin(), sorted.end());
        EXPECT_EQ(found, sorted);
    });
}

TEST_P(statements, lock_only_rows_that_still_belong) {
    for_each_relation(relation_kind::cascade, [&](const winnow::edge& by, const winnow::relation_statements& all,
                                                  const key_set& parents, const rows_of& children) {
        const winnow::plan& child = models_[by.child];
        key_set keys(child.primary_key.size());
        for (const random_forest::row& row : forest_.table(by.child))
            keys.push_back(read(by.child, row, child.primary_key));
        undone([&] {
            EXPECT_EQ(set_of(run(all.lock, {keys, parents})), identities(by.child, children));
            EXPECT_EQ(set_of(run(all.hold, {keys, parents})), identities(by.child, children));
        });
    });
}

TEST_P(statements, remove_all_children) {
    for_each_relation(relation_kind::cascade, [&](const winnow::edge& by, const winnow::relation_statements& all,
                                                  const key_set& parents, const rows_of& children) {
        undone([&] {
            const std::string total = "SELECT count(*) FROM " + std::string(models_[by.child].quoted_table.sqlite);
            const std::int64_t before = connection_->execute_once(total, {}).integer(0, 0);
            EXPECT_EQ(run(all.remove, {parents}).affected(), static_cast<std::int64_t>(children.size()));
            EXPECT_EQ(number(all.exists, {parents}), 0);
            EXPECT_EQ(connection_->execute_once(total, {}).integer(0, 0),
                      before - static_cast<std::int64_t>(children.size()));
        });
        EXPECT_EQ(number(all.exists, {parents}), children.empty() ? 0 : 1);
    });
}

TEST_P(statements, remove_some_children) {
    for_each_relation(relation_kind::cascade, [&](const winnow::edge&, const winnow::relation_statements& all,
                                                  const key_set& parents, const rows_of& children) {
        const auto size = static_cast<std::int64_t>(children.size());
        for (const winnow::dialect_text& statement : {all.remove_some, all.remove_some_by_key, all.remove_unlocked}) {
            undone([&] {
                EXPECT_EQ(run(statement, {parents, std::int64_t{2}}).affected(), std::min<std::int64_t>(2, size));
                EXPECT_EQ(number(all.count, {parents, many}), std::max<std::int64_t>(size - 2, 0));
                EXPECT_EQ(run(statement, {parents, many}).affected(), std::max<std::int64_t>(size - 2, 0));
                EXPECT_EQ(number(all.exists, {parents}), 0);
            });
        }
    });
}

TEST_P(statements, set_references_to_null) {
    const auto check = [&](const winnow::edge& by, const winnow::relation_statements& all, const key_set& parents,
                           const rows_of& children) {
        const auto size = static_cast<std::int64_t>(children.size());
        const std::string total = "SELECT count(*) FROM " + std::string(models_[by.child].quoted_table.sqlite);
        undone([&] {
            EXPECT_EQ(run(all.nullify_some, {parents, std::int64_t{1}}).affected(), std::min<std::int64_t>(1, size));
            EXPECT_EQ(number(all.count, {parents, many}), std::max<std::int64_t>(size - 1, 0));
            EXPECT_EQ(run(all.nullify, {parents}).affected(), std::max<std::int64_t>(size - 1, 0));
            EXPECT_EQ(number(all.exists, {parents}), 0);
            EXPECT_EQ(connection_->execute_once(total, {}).integer(0, 0),
                      static_cast<std::int64_t>(forest_.table(by.child).size()));
        });
    };
    for_each_relation(relation_kind::set_null, check);
    for_each_relation(relation_kind::cascade, check);
}

TEST_P(statements, count_up_to_a_limit) {
    for (const relation_kind kind : {relation_kind::cascade, relation_kind::restrict_}) {
        for_each_relation(kind, [&](const winnow::edge&, const winnow::relation_statements& all, const key_set& parents,
                                    const rows_of& children) {
            const auto size = static_cast<std::int64_t>(children.size());
            EXPECT_EQ(number(all.count, {parents, many}), size);
            EXPECT_EQ(number(all.count, {parents, std::int64_t{1}}), std::min<std::int64_t>(1, size));
            EXPECT_EQ(number(all.exists, {parents}), size == 0 ? 0 : 1);
        });
    }
}

TEST_P(statements, an_empty_set_has_no_children) {
    for_each_relation(relation_kind::cascade, [&](const winnow::edge& by, const winnow::relation_statements& all,
                                                  const key_set&, const rows_of&) {
        const key_set none(by.referenced.size());
        EXPECT_EQ(number(all.exists, {none}), 0);
        EXPECT_EQ(run(all.remove, {none}).affected(), 0);
    });
}

TEST_P(statements, descend_a_tree) {
    std::size_t trees = 0;
    for_each_relation(relation_kind::cascade, [&](const winnow::edge& by, const winnow::relation_statements& all,
                                                  const key_set& parents, const rows_of& children) {
        if (by.parent != by.child) {
            EXPECT_TRUE(all.descend.empty());
            return;
        }
        ++trees;
        rows_of below = children;
        for (std::size_t i = 0; i < below.size(); ++i) {
            for (const random_forest::row& row : forest_.table(by.child)) {
                if (!forest_.belongs(*by.relation, row, below[i])) continue;
                if (std::find(below.begin(), below.end(), row) == below.end()) below.push_back(row);
            }
        }
        EXPECT_GT(below.size(), children.size());
        const winnow::rows found = run(all.descend, {parents, many});
        const std::size_t width = models_[by.child].identity.size();
        ASSERT_EQ(found.width(), width + by.referenced.size()) << "identity, then the reference";
        tuples identity;
        for (std::size_t r = 0; r < found.size(); ++r) {
            const std::vector<value> row = tuple(found[r]);
            identity.insert({row.begin(), row.begin() + static_cast<std::ptrdiff_t>(width)});
        }
        EXPECT_EQ(identity, identities(by.child, below));
        EXPECT_EQ(found.size(), below.size());
        EXPECT_EQ(run(all.descend, {parents, std::int64_t{3}}).size(), std::min<std::size_t>(3, below.size()));
    });
    EXPECT_EQ(trees, 2U);
}

TEST_P(statements, over_own_rows) {
    for (std::size_t m = 0; m < models_.size(); ++m) {
        const winnow::plan& of = models_[m];
        SCOPED_TRACE(of.key);
        key_set keys(of.primary_key.size());
        rows_of some;
        for (std::size_t r = 0; r < forest_.table(m).size(); r += 3) some.push_back(forest_.table(m)[r]);
        for (const random_forest::row& row : some) keys.push_back(read(m, row, of.primary_key));
        std::vector<std::uint16_t> all_columns;
        for (std::size_t c = 0; c < of.columns.size(); ++c) all_columns.push_back(static_cast<std::uint16_t>(c));
        tuples whole;
        for (const random_forest::row& row : some) whole.insert(read(m, row, all_columns));
        undone([&] {
            EXPECT_EQ(set_of(run(of.statements.read, {keys})), whole);
            EXPECT_EQ(set_of(run(of.statements.hold, {keys})), whole);
            EXPECT_EQ(set_of(run(of.statements.lock, {keys})), identities(m, some));
            EXPECT_EQ(number(of.statements.count, {keys}), static_cast<std::int64_t>(some.size()));
            if (of.status) {
                connection_->execute_script("UPDATE " + std::string(of.quoted_table.sqlite) + " SET status = 1");
                EXPECT_EQ(run(of.statements.mark, {std::int64_t{3}, keys}).affected(),
                          static_cast<std::int64_t>(some.size()));
                EXPECT_EQ(run(of.statements.mark, {std::int64_t{3}, keys}).affected(), 0);
                connection_->execute_script("UPDATE " + std::string(of.quoted_table.sqlite) + " SET status = NULL");
                EXPECT_EQ(run(of.statements.mark, {std::int64_t{3}, keys}).affected(),
                          static_cast<std::int64_t>(some.size()));
            } else {
                EXPECT_TRUE(of.statements.mark.empty());
            }
            EXPECT_EQ(run(of.statements.remove, {keys}).affected(), static_cast<std::int64_t>(some.size()));
            EXPECT_EQ(number(of.statements.count, {keys}), 0);
        });
    }
}

TEST_P(statements, use_the_index_of_the_reference) {
    if (GetParam() == winnow::dialect::postgres) {
        connection_->execute_script("SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan");
    }
    connection_->execute_script(
        "CREATE INDEX by_item ON \"Part\" (item_tenant, item_no); CREATE INDEX by_up ON \"Part\" (up_tenant, up_id);"
        "CREATE INDEX by_owner ON \"Part\" (owner); CREATE INDEX by_select ON \"Group \"\"x\"\"\" (\"select\")");
    for_each_relation(relation_kind::cascade, [&](const winnow::edge& by, const winnow::relation_statements& all,
                                                  const key_set& parents, const rows_of&) {
        const std::string index = by.relation->columns[0].name.sqlite == "item_tenant" ? "by_item"
                                  : by.relation->columns[0].name.sqlite == "up_tenant" ? "by_up"
                                  : by.relation->columns[0].name.sqlite == "owner"     ? "by_owner"
                                                                                       : "by_select";
        const auto plan = [&](std::string_view statement, std::initializer_list<parameter> parameters) {
            const bool postgres = GetParam() == winnow::dialect::postgres;
            const winnow::rows lines = connection_->execute_once(
                (postgres ? "EXPLAIN " : "EXPLAIN QUERY PLAN ") + std::string(statement), parameters);
            std::string text;
            for (std::size_t r = 0; r < lines.size(); ++r) text += lines.text(r, postgres ? 0 : 3) + "\n";
            return text;
        };
        for (const winnow::dialect_text& one : {all.remove, all.exists}) {
            const std::string text = plan(one[GetParam()], {parents});
            EXPECT_NE(text.find(index), std::string::npos) << text;
        }
        for (const winnow::dialect_text& one :
             {all.remove_some, all.remove_some_by_key, all.remove_unlocked, all.count}) {
            const std::string text = plan(one[GetParam()], {parents, std::int64_t{2}});
            EXPECT_NE(text.find(index), std::string::npos) << text;
        }
        if (by.parent != by.child) return;
        const std::string text = plan(all.descend[GetParam()], {parents, std::int64_t{2}});
        EXPECT_EQ(text.find("SCAN n\n"), std::string::npos) << text;
        EXPECT_NE(text.find(index), text.rfind(index)) << "in both parts: " << text;
    });
}

INSTANTIATE_TEST_SUITE_P(databases, statements, winnow_test::all_databases(), winnow_test::name_of_database);

}  // namespace
