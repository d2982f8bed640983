// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/core/letters.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/plan/value.hpp"

namespace winnow::inline v0 {

/// What can be wrong with a graph of models.
enum class graph_fault : std::uint8_t {
    none,
    unusable_key,                 ///< no primary key, or one of a kind that cannot be one
    duplicate_key,                ///< two models with one key
    duplicate_table,              ///< two models over one table
    unknown_parent,               ///< a model attaches itself to a key that nobody has
    unknown_child,                ///< a relation to a key that nobody has
    silo_mismatch,                ///< parent and child live in different silos
    key_type_mismatch,            ///< the reference and what it refers to differ in number or kind of columns
    set_null_not_optional,        ///< a reference that is to become null cannot
    bulk_with_children,           ///< a bulk model whose children or hooks would be passed over
    cycle_without_nullable_edge,  ///< three or more models in a cycle of references none of which can be unlinked
};

/// One model, as far as the checker looks at it. Names serve the text of a finding; only numbers are compared.
struct graph_node {
    std::string_view key;
    dialect_text table;
    winnow::silo silo = winnow::silo::cell;
    winnow::strategy strategy = winnow::strategy::per_row;
    bool row_hooks = false;
    bool key_usable = true;
    std::uint64_t key_hash = 0;
    std::uint64_t table_hash[2] = {};  ///< silo, schema and table, by dialect
    std::uint64_t key_signature = 0;   ///< kinds of the primary key's columns
};

/// One relation, as far as the checker looks at it.
struct graph_edge {
    relation_kind kind = relation_kind::cascade;
    std::string_view parent;
    std::string_view child;
    std::string_view column;  ///< first column of the reference, for texts
    bool attached = false;    ///< declared by the child
    bool nullable = false;    ///< at least one column of the reference is optional
    std::uint64_t parent_hash = 0;
    std::uint64_t child_hash = 0;
    std::uint64_t signature = 0;             ///< kinds of the reference's columns
    std::uint64_t referenced_signature = 0;  ///< kinds of the columns it refers to; 0: the primary key
};

/// One thing that is wrong. Indices are those of the spans that were checked.
struct graph_finding {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    graph_fault fault = graph_fault::none;
    std::size_t node = none;   ///< the model to be changed
    std::size_t edge = none;   ///< the relation concerned, if any
    std::size_t other = none;  ///< the other model, if any

    explicit constexpr operator bool() const noexcept { return fault != graph_fault::none; }
    friend constexpr bool operator==(const graph_finding&, const graph_finding&) = default;
};

/// 64-bit FNV-1a, continued from `seed`. `fold` makes ASCII letters lower case first.
[[nodiscard]] constexpr std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0xcbf29ce484222325ULL,
                                              bool fold = false) noexcept {
    for (const char c : text) {
        seed = (seed ^ static_cast<unsigned char>(fold ? detail::lower(c) : c)) * 0x100000001b3ULL;
    }
    return seed;
}

namespace detail {

[[nodiscard]] constexpr std::uint64_t add_kind(std::uint64_t signature, value_kind kind) noexcept {
    return (signature ^ (static_cast<std::uint64_t>(kind) + 1)) * 0x100000001b3ULL;
}
inline constexpr std::uint64_t empty_signature = 0xcbf29ce484222325ULL;

[[nodiscard]] constexpr std::uint64_t signature_of(std::span<const column> columns) noexcept {
    std::uint64_t signature = empty_signature;
    for (const column& one : columns) signature = add_kind(signature, one.kind);
    return signature;
}

/// SQLite finds tables without regard to case, PostgreSQL finds quoted ones with regard to it.
[[nodiscard]] constexpr std::uint64_t table_hash(const plan& of, dialect which) noexcept {
    const bool fold = which == dialect::sqlite;
    const std::uint64_t silo = hash_of(name_of(of.silo));
    return hash_of(of.table[which], hash_of("\n", hash_of(of.schema[which], silo, fold)), fold);
}

}  // namespace detail

/// The node of a plan.
[[nodiscard]] constexpr graph_node node_of(const plan& of) noexcept {
    graph_node node;
    node.key = of.key;
    node.table = of.table;
    node.silo = of.silo;
    node.strategy = of.strategy;
    node.row_hooks = of.hooks.per_row();
    node.key_usable = !of.primary_key.empty();
    node.key_hash = hash_of(of.key);
    node.table_hash[0] = detail::table_hash(of, dialect::postgres);
    node.table_hash[1] = detail::table_hash(of, dialect::sqlite);
    node.key_signature = detail::empty_signature;
    for (const std::uint16_t index : of.primary_key) {
        const column& part = of.columns[index];
        node.key_signature = detail::add_kind(node.key_signature, part.kind);
        if (part.optional || part.kind == value_kind::real || part.kind == value_kind::json ||
            part.kind == value_kind::blob) {
            node.key_usable = false;
        }
    }
    return node;
}

/// The edge of a relation. `attached`: it stands in `plan::attached`.
[[nodiscard]] constexpr graph_edge edge_of(const relation& of, bool attached = false) noexcept {
    graph_edge edge;
    edge.kind = of.kind;
    edge.parent = of.parent;
    edge.child = of.child;
    edge.attached = attached;
    for (const column& one : of.columns) edge.nullable = edge.nullable || one.optional;
    if (!of.columns.empty()) edge.column = of.columns.front().name.postgres;
    edge.parent_hash = hash_of(of.parent);
    edge.child_hash = hash_of(of.child);
    edge.signature = detail::signature_of(of.columns);
    if (!of.referenced.empty()) edge.referenced_signature = detail::signature_of(of.referenced);
    return edge;
}

}  // namespace winnow::inline v0
