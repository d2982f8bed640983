// SPDX-License-Identifier: Apache-2.0
#include "winnow/plan/explain.hpp"

#include <gtest/gtest.h>

#include <string>

#include "plan_builder.hpp"
#include "winnow/sql/statement_names.hpp"

namespace {

using winnow_test::model_spec;
using winnow_test::plan_builder;

model_spec group() {
    model_spec made{
        .key = "tracker.Group",
        .columns = {{"id"}, {"project_id"}, {"parent_id", winnow::value_kind::integer64, true}, {"status"}},
        .relations = {{.child = "tracker.Group", .columns = {"parent_id"}, .referenced = {"id"}},
                      {.kind = winnow::relation_kind::set_null,
                       .child = "tracker.Group",
                       .columns = {"parent_id"},
                       .filters = {{"status", "3"}, {"project_id", "4"}},
                       .skips = {"tracker.Group"},
                       .applies = {[](const void*, winnow::row_values, const winnow::hook_context&) { return true; },
                                   nullptr}}},
        .table = "tracker_group",
        .schema = "app",
        .status = "status"};
    made.attached.push_back({"tracker.Project", {.child = {}, .columns = {"project_id"}}});
    return made;
}

constexpr winnow::replication copied = [] {
    winnow::replication made;
    made.category_name = "group_update";
    made.scope_name = "project";
    made.strict_order = true;
    return made;
}();

TEST(explain, says_what_will_be_done) {
    const plan_builder built({group()});
    EXPECT_EQ(explain(built.plans()[0]),
              "tracker.Group\n"
              "  table     tracker_group in schema app, cell silo\n"
              "  key       id\n"
              "  status    status: active 0, pending 2, in progress 3\n"
              "  strategy  per_row: stated by the test\n"
              "  chunk     100 rows, fetched 100 at a time, oldest first\n"
              "  relation  cascade tracker.Group over parent_id -> id\n"
              "  relation  set_null tracker.Group over parent_id where status = 3 and project_id = 4, skips "
              "tracker.Group, when asked\n"
              "  attached  to tracker.Project: cascade tracker.Group over project_id\n");
}

TEST(explain, says_where_copies_go) {
    model_spec spec = group();
    spec.replication = &copied;
    const plan_builder built({spec});
    const std::string text = explain(built.plans()[0]);
    EXPECT_NE(
        text.find("  copied    version 1 as group_update in scope project (strict order), shard id, to its handler\n"),
        std::string::npos)
        << text;
}

TEST(explain, lists_the_statements_that_apply) {
    const plan_builder built({group()});
    const std::string postgres = explain_statements(built.plans()[0], winnow::dialect::postgres);
    EXPECT_EQ(postgres.rfind("tracker.Group, postgresql\n  read\n    SELECT \"id\", ", 0), 0U) << postgres;
    EXPECT_NE(postgres.find("tracker.Project: cascade tracker.Group over project_id\n  fetch_first\n"),
              std::string::npos);
    EXPECT_EQ(postgres.find("?1"), std::string::npos);
    const std::string sqlite = explain_statements(built.plans()[0], winnow::dialect::sqlite);
    EXPECT_NE(sqlite.find("json_each(?1)"), std::string::npos);
    EXPECT_EQ(sqlite.find("$1"), std::string::npos);
}

TEST(explain, leaves_out_no_statement) {
    model_spec spec = group();
    spec.replication = &copied;
    const plan_builder built({spec});
    const std::string text = explain_statements(built.plans()[0], winnow::dialect::sqlite);
    for (const winnow::row_statement which : winnow::all_row_statements) {
        EXPECT_NE(text.find("  " + std::string(name_of(which)) + "\n"), std::string::npos) << name_of(which);
    }
    for (const winnow::relation_statement which : winnow::all_relation_statements) {
        EXPECT_NE(text.find("  " + std::string(name_of(which)) + "\n"), std::string::npos) << name_of(which);
    }
}

}  // namespace
