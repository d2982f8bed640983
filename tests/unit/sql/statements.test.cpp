// SPDX-License-Identifier: Apache-2.0
#include "winnow/sql/statements.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "unit/plan/plan_builder.hpp"

namespace {

using winnow::dialect;
using winnow::relation_kind;
using winnow::relation_statement;
using winnow::row_statement;
using winnow::value_kind;
using winnow_test::model_spec;
using winnow_test::plan_builder;

// Everything that follows happens at compile time, within both compilers' default limits.
constexpr winnow::column node_columns[] = {
    {{"id", "Id"}, {"\"id\"", "\"Id\""}, value_kind::integer64, false},
    {{"up", "Up"}, {"\"up\"", "\"Up\""}, value_kind::integer64, true},
};
constexpr std::uint16_t node_key[] = {0};
constexpr winnow::column node_reference[] = {node_columns[1]};
constexpr winnow::plan node = [] {
    winnow::plan made;
    made.key = "t.Node";
    made.quoted_table = {"\"app\".\"node\"", "\"Node\""};
    made.columns = node_columns;
    made.primary_key = node_key;
    made.identity = node_key;
    return made;
}();
constexpr winnow::relation tree = [] {
    winnow::relation made;
    made.parent = made.child = "t.Node";
    made.columns = node_reference;
    return made;
}();
template <relation_statement Which, dialect To>
constexpr std::size_t tree_size = [] {
    winnow::writer measure;
    write_relation_statement(measure, Which, tree, node, To);
    return measure.size();
}();
template <relation_statement Which, dialect To>
constexpr auto tree_text = [] {
    std::array<char, tree_size<Which, To>> text{};
    winnow::writer out{std::span<char>(text)};
    write_relation_statement(out, Which, tree, node, To);
    return text;
}();
template <relation_statement Which>
constexpr winnow::dialect_text made = {
    {tree_text<Which, dialect::postgres>.data(), tree_size<Which, dialect::postgres>},
    {tree_text<Which, dialect::sqlite>.data(), tree_size<Which, dialect::sqlite>},
};

static_assert(made<relation_statement::remove>.postgres ==
              R"(DELETE FROM "app"."node" WHERE "up" = ANY($1::bigint[]))");
static_assert(made<relation_statement::remove>.sqlite ==
              R"(DELETE FROM "Node" WHERE "Up" IN (SELECT value FROM json_each(?1)))");
static_assert(made<relation_statement::nullify>.sqlite ==
              R"(UPDATE "Node" SET "Up" = NULL WHERE "Up" IN (SELECT value FROM json_each(?1)))");
static_assert(made<relation_statement::fetch_next>.postgres ==
              R"(SELECT "id" FROM "app"."node" WHERE "up" = ANY($1::bigint[]) AND "id" > $2)"
              R"( ORDER BY "id" LIMIT $3)");
static_assert(made<relation_statement::lock>.postgres ==
              R"(SELECT "id" FROM "app"."node" WHERE "id" = ANY($1::bigint[]) AND "up" =)"
              R"( ANY($2::bigint[]) ORDER BY "id" FOR UPDATE)");
static_assert(made<relation_statement::remove_unlocked>.postgres ==
              R"(DELETE FROM "app"."node" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "app"."node" WHERE "up" =)"
              R"( ANY($1::bigint[]) LIMIT $2 FOR UPDATE SKIP LOCKED)) AND "up" = ANY($1::bigint[]))");
static_assert(made<relation_statement::exists>.postgres ==
              R"(SELECT EXISTS (SELECT 1 FROM "app"."node" WHERE "up" = ANY($1::bigint[]))::integer)");
static_assert(
    made<relation_statement::descend>.sqlite ==
    R"(WITH RECURSIVE winnow_below(i0, r0) AS (SELECT "Id", "Up" FROM "Node" WHERE "Up" IN (SELECT value FROM)"
    R"( json_each(?1)) UNION SELECT n."Id", n."Up" FROM winnow_below JOIN "Node" AS n ON n."Up" =)"
    R"( winnow_below.i0 LIMIT ?2) SELECT * FROM winnow_below)");

/// Two columns of different kinds, a filter, a reference of which one column is optional.
model_spec part(relation_kind kind) {
    return {
        .key = "t.Part",
        .columns = {{"tenant", value_kind::integer32},
                    {"no", value_kind::text},
                    {"up_no", value_kind::text, true},
                    {"kind"},
                    {"token", value_kind::uuid}},
        .primary_key = {"tenant", "no"},
        .relations = {{.kind = kind, .child = "t.Part", .columns = {"tenant", "up_no"}, .filters = {{"kind", "3"}}}},
        .newest_first = true};
}

std::string_view statement(const plan_builder& built, relation_statement which, dialect to) {
    return (built.plans()[0].relations[0].statements.*winnow::member_of(which))[to];
}

TEST(statements, composite_keys_on_postgres) {
    const plan_builder built({part(relation_kind::cascade)});
    EXPECT_EQ(
        statement(built, relation_statement::fetch_next, dialect::postgres),
        R"(SELECT "tenant", "no" FROM "Part" WHERE ("tenant", "up_no") IN (SELECT * FROM unnest($1::integer[], )"
        R"($2::text[])) AND "kind" = 3 AND ("tenant", "no") < ($3, $4) ORDER BY "tenant" DESC, "no" DESC LIMIT $5)");
    EXPECT_EQ(statement(built, relation_statement::remove_some_by_key, dialect::postgres),
              R"(WITH winnow_chosen AS MATERIALIZED (SELECT "tenant", "no" FROM "Part" WHERE ("tenant", "up_no") IN )"
              R"((SELECT * FROM unnest($1::integer[], $2::text[])) AND "kind" = 3 LIMIT $3) DELETE FROM "Part" WHERE )"
              R"(("tenant", "no") IN (SELECT * FROM winnow_chosen) AND (("tenant", "up_no") IN (SELECT * FROM )"
              R"(unnest($1::integer[], $2::text[]))) IS TRUE AND "kind" = 3)");
}

TEST(statements, composite_keys_on_sqlite_put_a_text_in_front) {
    const plan_builder built({part(relation_kind::cascade)});
    EXPECT_EQ(statement(built, relation_statement::exists, dialect::sqlite),
              R"(SELECT EXISTS (SELECT 1 FROM "Part" WHERE ("up_no", "tenant") IN (SELECT CAST(json_extract(value, )"
              R"('$[1]') AS TEXT), json_extract(value, '$[0]') FROM json_each(?1)) AND "kind" = 3))");
}

TEST(statements, only_optional_columns_become_null) {
    const plan_builder built({part(relation_kind::set_null)});
    EXPECT_EQ(statement(built, relation_statement::nullify, dialect::postgres).substr(0, 40),
              R"(UPDATE "Part" SET "up_no" = NULL WHERE ()");
}

TEST(statements, kinds_have_what_they_need) {
    static constexpr winnow::replication copied{};
    const auto count = [](relation_kind kind, bool optional, bool replicated = false) {
        model_spec spec = part(kind);
        if (replicated) spec.replication = &copied;
        spec.columns[2].optional = optional;
        const plan_builder built({spec});
        std::size_t found = 0;
        for (const relation_statement which : winnow::all_relation_statements) {
            const bool has = winnow::has_statement(which, built.plans()[0].relations[0], built.plans()[0]);
            EXPECT_EQ(has, !statement(built, which, dialect::postgres).empty()) << name_of(which);
            EXPECT_EQ(has, !statement(built, which, dialect::sqlite).empty()) << name_of(which);
            if (has) ++found;
        }
        return found;
    };
    const std::size_t all = std::size(winnow::all_relation_statements);
    EXPECT_EQ(count(relation_kind::cascade, true, true), all);
    EXPECT_EQ(count(relation_kind::cascade, true), all - 1) << "rows without messages change by the set";
    EXPECT_EQ(count(relation_kind::cascade, false), all - 3);
    EXPECT_EQ(count(relation_kind::set_null, true), 6U);
    EXPECT_EQ(count(relation_kind::set_null, true, true), 8U) << "lock and nullify_keys";
    EXPECT_EQ(count(relation_kind::set_null, false), 4U);
    EXPECT_EQ(count(relation_kind::restrict_, true), 4U);
}

TEST(statements, names_and_members_agree) {
    winnow::row_statements rows;
    for (const row_statement which : winnow::all_row_statements) {
        winnow::dialect_text& member = rows.*winnow::member_of(which);
        EXPECT_TRUE(member.empty()) << "used twice: " << name_of(which);
        member.postgres = name_of(which);
    }
    EXPECT_EQ(rows.read.postgres, "read");
    EXPECT_EQ(rows.mark.postgres, "mark");
    winnow::relation_statements all;
    for (const relation_statement which : winnow::all_relation_statements) {
        winnow::dialect_text& member = all.*winnow::member_of(which);
        EXPECT_TRUE(member.empty()) << "used twice: " << name_of(which);
        member.postgres = name_of(which);
    }
    EXPECT_EQ(all.remove_some_by_key.postgres, "remove_some_by_key");
    EXPECT_EQ(all.descend.postgres, "descend");
    EXPECT_EQ(all.reach_outside.postgres, "reach_outside");
}

}  // namespace
