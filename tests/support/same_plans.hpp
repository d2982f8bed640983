// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/plan/replication.hpp"

/// Every field of two plans, whatever memory they stand in. Of functions only that they are there.
namespace winnow_test {

inline void expect_same(const winnow::dialect_text& a, const winnow::dialect_text& b, const std::string& where) {
    EXPECT_EQ(a.postgres, b.postgres) << where;
    EXPECT_EQ(a.sqlite, b.sqlite) << where;
}
inline void expect_same(const winnow::column& a, const winnow::column& b, const std::string& where) {
    expect_same(a.name, b.name, where);
    expect_same(a.quoted, b.quoted, where);
    EXPECT_EQ(a.kind, b.kind) << where;
    EXPECT_EQ(a.optional, b.optional) << where;
}
inline void expect_same(const winnow::filter& a, const winnow::filter& b, const std::string& where) {
    expect_same(a.where, b.where, where);
    EXPECT_EQ(a.literal, b.literal) << where;
}
void expect_same(const winnow::relation& a, const winnow::relation& b, const std::string& where);
void expect_same(const winnow::mirrored_column& a, const winnow::mirrored_column& b, const std::string& where);
void expect_same(const winnow::remote_relation& a, const winnow::remote_relation& b, const std::string& where);
template <class Item>
void expect_equal_items(std::span<const Item> a, std::span<const Item> b, const std::string& where) {
    ASSERT_EQ(a.size(), b.size()) << where;
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], b[i]) << where << " " << i;
}
template <class Item>
void expect_same(std::span<const Item> a, std::span<const Item> b, const std::string& where) {
    ASSERT_EQ(a.size(), b.size()) << where;
    for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i], where + " " + std::to_string(i));
}

/// Statements are structs of nothing but texts.
template <class Statements>
void expect_same_statements(const Statements& a, const Statements& b, const std::string& where) {
    constexpr std::size_t count = sizeof(Statements) / sizeof(winnow::dialect_text);
    static_assert(sizeof(Statements) == count * sizeof(winnow::dialect_text));
    const auto* const left = reinterpret_cast<const winnow::dialect_text*>(&a);
    const auto* const right = reinterpret_cast<const winnow::dialect_text*>(&b);
    for (std::size_t i = 0; i < count; ++i) expect_same(left[i], right[i], where + " statement " + std::to_string(i));
}

inline void expect_same(const winnow::relation& a, const winnow::relation& b, const std::string& where) {
    EXPECT_EQ(a.kind, b.kind) << where;
    EXPECT_EQ(a.parent, b.parent) << where;
    EXPECT_EQ(a.child, b.child) << where;
    expect_same(a.columns, b.columns, where + " columns");
    expect_same(a.referenced, b.referenced, where + " referenced");
    expect_same(a.filters, b.filters, where + " filters");
    expect_equal_items(a.skips, b.skips, where + " skips");
    EXPECT_EQ(static_cast<bool>(a.applies), static_cast<bool>(b.applies)) << where;
    EXPECT_EQ(static_cast<bool>(a.external), static_cast<bool>(b.external)) << where;
    expect_same_statements(a.statements, b.statements, where);
}
inline void expect_same(const winnow::mirrored_column& a, const winnow::mirrored_column& b, const std::string& where) {
    EXPECT_EQ(a.source, b.source) << where;
    EXPECT_EQ(a.identifies, b.identifies) << where;
    expect_same(a.target, b.target, where);
}
inline void expect_same(const winnow::replication& a, const winnow::replication& b, const std::string& where) {
    EXPECT_EQ(a.version, b.version) << where;
    EXPECT_EQ(a.category, b.category) << where;
    EXPECT_EQ(a.category_name, b.category_name) << where;
    EXPECT_EQ(a.kind, b.kind) << where;
    EXPECT_EQ(a.scope, b.scope) << where;
    EXPECT_EQ(a.scope_name, b.scope_name) << where;
    EXPECT_EQ(a.strict_order, b.strict_order) << where;
    EXPECT_EQ(a.shard, b.shard) << where;
    expect_equal_items(a.payload, b.payload, where + " payload");
    EXPECT_EQ(a.fingerprint, b.fingerprint) << where;
    EXPECT_EQ(a.mirror.model, b.mirror.model) << where;
    expect_same(a.mirror.table, b.mirror.table, where);
    expect_same(a.mirror.columns, b.mirror.columns, where + " mirror");
    expect_same(a.mirror.upsert, b.mirror.upsert, where + " upsert");
    expect_same(a.mirror.erase, b.mirror.erase, where + " erase");
    expect_same(a.mirror.read, b.mirror.read, where + " read");
    EXPECT_EQ(a.hooks.replicate != nullptr, b.hooks.replicate != nullptr) << where;
    EXPECT_EQ(a.hooks.erased != nullptr, b.hooks.erased != nullptr) << where;
    expect_same_statements(a.statements, b.statements, where);
}
inline void expect_same(const winnow::remote_relation& a, const winnow::remote_relation& b, const std::string& where) {
    EXPECT_EQ(a.kind, b.kind) << where;
    EXPECT_EQ(a.parent, b.parent) << where;
    expect_same(a.reference, b.reference, where);
    EXPECT_EQ(a.index, b.index) << where;
    expect_same_statements(a.statements, b.statements, where);
}

inline void expect_same(const winnow::plan& a, const winnow::plan& b, const std::string& where) {
    EXPECT_EQ(a.key, b.key) << where;
    expect_same(a.schema, b.schema, where + " schema");
    expect_same(a.table, b.table, where + " table");
    expect_same(a.quoted_table, b.quoted_table, where + " quoted table");
    EXPECT_EQ(a.silo, b.silo) << where;
    expect_same(a.columns, b.columns, where + " columns");
    expect_equal_items(a.primary_key, b.primary_key, where + " primary key");
    expect_equal_items(a.identity, b.identity, where + " identity");
    EXPECT_EQ(a.status.index, b.status.index) << where;
    if (a.status) {
        EXPECT_EQ(a.status.active, b.status.active) << where;
        EXPECT_EQ(a.status.pending, b.status.pending) << where;
        EXPECT_EQ(a.status.in_progress, b.status.in_progress) << where;
    }
    EXPECT_EQ(a.birth, b.birth) << where;
    EXPECT_EQ(a.strategy, b.strategy) << where;
    EXPECT_EQ(a.strategy_reason, b.strategy_reason) << where;
    EXPECT_EQ(a.chunk_size, b.chunk_size) << where;
    EXPECT_EQ(a.query_limit, b.query_limit) << where;
    EXPECT_EQ(a.newest_first, b.newest_first) << where;
    EXPECT_EQ(a.rate_limit_option, b.rate_limit_option) << where;
    expect_same(a.relations, b.relations, where + " relation");
    expect_same(a.attached, b.attached, where + " attached");
    EXPECT_EQ(static_cast<bool>(a.hooks.should_proceed), static_cast<bool>(b.hooks.should_proceed)) << where;
    EXPECT_EQ(static_cast<bool>(a.hooks.pending_delete), static_cast<bool>(b.hooks.pending_delete)) << where;
    EXPECT_EQ(static_cast<bool>(a.hooks.before_delete), static_cast<bool>(b.hooks.before_delete)) << where;
    EXPECT_EQ(static_cast<bool>(a.hooks.after_delete), static_cast<bool>(b.hooks.after_delete)) << where;
    expect_same_statements(a.statements, b.statements, where);
    ASSERT_EQ(a.replication != nullptr, b.replication != nullptr) << where;
    if (a.replication != nullptr) expect_same(*a.replication, *b.replication, where + " replication");
    expect_same(a.remotes, b.remotes, where + " remote");
}

}  // namespace winnow_test
