// SPDX-License-Identifier: Apache-2.0
#include "winnow/plan/shared_names.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan_builder.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/catalog.hpp"

namespace {

using testing::HasSubstr;
using winnow::model_part;
using winnow_test::model_spec;
using winnow_test::plan_builder;

winnow::replication replicated(std::int32_t category, std::string_view category_name, std::int32_t scope = 1,
                               std::string_view scope_name = "organization") {
    winnow::replication made;
    made.category = category;
    made.category_name = category_name;
    made.scope = scope;
    made.scope_name = scope_name;
    return made;
}

model_spec note(const std::string& key, const std::string& table, const winnow::replication* copy = nullptr) {
    return {.key = key, .columns = {{"id"}, {"topic_id"}}, .table = table, .replication = copy};
}

std::string fault_of(std::vector<model_part> parts) {
    try {
        const winnow::catalog models(std::move(parts));
        return {};
    } catch (const winnow::error& problem) {
        return problem.what();
    }
}

/// Two plugins, one of whose models each is looked at.
std::string fault_of(const plan_builder& first, const plan_builder& second) {
    return fault_of({{.name = "audit", .origin = "/opt/audit.so", .plans = first.plans()},
                     {.name = "diary", .origin = "/opt/diary.so", .plans = second.plans()}});
}

TEST(shared_names, A46_one_table_twice_names_both_parts) {
    const plan_builder first({note("audit.Note", "note")});
    const plan_builder second({note("diary.Note", "note")});
    EXPECT_THAT(
        fault_of(first, second),
        HasSubstr("diary.Note of plugin diary (/opt/diary.so): has the same table as audit.Note of plugin audit "
                  "(/opt/audit.so) (\"note\")"));
}

TEST(shared_names, A46_one_key_twice_names_both_parts) {
    const plan_builder first({note("app.Note", "note")});
    const plan_builder second({note("app.Note", "other")});
    EXPECT_THAT(fault_of(first, second),
                HasSubstr("app.Note of plugin diary (/opt/diary.so): two models have this key, the "
                          "other is of plugin audit (/opt/audit.so)"));
}

TEST(shared_names, A46_one_category_number_twice_names_both_parts) {
    const winnow::replication one = replicated(7, "note_update");
    const winnow::replication other = replicated(7, "page_update");
    const plan_builder first({note("audit.Note", "note", &one)});
    const plan_builder second({note("diary.Page", "page", &other)});
    EXPECT_THAT(fault_of(first, second),
                HasSubstr("diary.Page of plugin diary (/opt/diary.so): its category 7 (`page_update`) "
                          "is that of audit.Note of plugin audit (/opt/audit.so), 7 (`note_update`)"));
}

TEST(shared_names, a_category_may_be_in_both_silos) {
    const winnow::replication one = replicated(7, "note_update");
    const winnow::replication other = replicated(7, "page_update");
    const plan_builder first({note("audit.Note", "note", &one)});
    model_spec page = note("diary.Page", "page", &other);
    page.silo = winnow::silo::control;
    const plan_builder second({page});
    EXPECT_EQ(fault_of(first, second), "");
}

TEST(shared_names, A46_one_scope_number_with_two_names_names_both_parts) {
    const winnow::replication one = replicated(7, "note_update", 3, "organization");
    const winnow::replication number = replicated(8, "page_update", 3, "user");
    const winnow::replication name = replicated(8, "page_update", 4, "organization");
    const winnow::replication same = replicated(8, "page_update", 3, "organization");
    const plan_builder first({note("audit.Note", "note", &one)});
    EXPECT_THAT(
        fault_of(first, plan_builder({note("diary.Page", "page", &number)})),
        HasSubstr("its scope 3 (`user`) and that of audit.Note of plugin audit (/opt/audit.so), 3 (`organization`), "
                  "have one number and two names"));
    EXPECT_THAT(fault_of(first, plan_builder({note("diary.Page", "page", &name)})),
                HasSubstr("have one name and two numbers"));
    EXPECT_EQ(fault_of(first, plan_builder({note("diary.Page", "page", &same)})), "");
}

TEST(shared_names, A46_two_parts_of_one_name_are_refused) {
    const plan_builder first({note("audit.Note", "note")});
    const plan_builder second({note("diary.Note", "other")});
    EXPECT_THAT(fault_of({{.name = "audit", .origin = "/opt/audit.so", .plans = first.plans()},
                          {.name = "audit", .origin = "/opt/copy.so", .plans = second.plans()}}),
                HasSubstr("plugin audit (/opt/copy.so) and plugin audit (/opt/audit.so) have one name"));
}

TEST(shared_names, a_cycle_over_parts_and_a_missing_parent_name_the_part) {
    const plan_builder host(
        {{.key = "app.A", .columns = {{"id"}}, .relations = {{.child = "app.B", .columns = {"a_id"}}}},
         {.key = "app.B", .columns = {{"id"}, {"a_id"}}}});
    model_spec stray = note("diary.Note", "note");
    stray.attached = {{"app.Missing", {.child = {}, .columns = {"topic_id"}}}};
    const plan_builder plugin({stray});
    EXPECT_THAT(
        fault_of({{.plans = host.plans()}, {.name = "diary", .origin = "/opt/diary.so", .plans = plugin.plans()}}),
        HasSubstr("diary.Note of plugin diary (/opt/diary.so): attaches itself to app.Missing"));
}

TEST(shared_names, steps_need_a_named_part_and_names_of_their_own) {
    constexpr winnow::migration steps[] = {{"first", winnow::silo::cell, {"x", "x"}},
                                           {"first", winnow::silo::cell, {"y", "y"}}};
    EXPECT_THAT(fault_of({{.migrations = steps}}), HasSubstr("have to be a part with a name"));
    EXPECT_THAT(fault_of({{.name = "audit", .migrations = steps}}),
                HasSubstr("library audit: two of its migrations are named `first`"));
}

}  // namespace
