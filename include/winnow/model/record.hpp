// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "winnow/model/describe.hpp"
#include "winnow/model/filter_value.hpp"
#include "winnow/model/names.hpp"
#include "winnow/plan/plan.hpp"

namespace winnow::inline v0 {

/// Everything that can be wrong with a declaration. Each has a named refusal of its own name.
enum class fault : std::uint8_t {
    none,
    // one model
    no_model,
    not_described,
    missing_key,
    bad_key,
    missing_silo,
    bad_name,
    unsupported_column,
    not_a_column,
    missing_primary_key,
    bad_primary_key,
    wrong_status,
    wrong_birth,
    wrong_hook,
    bad_chunk_size,
    bad_query_limit,
    bulk_forced,
    too_wide,
    wrong_width,
    wrong_filter,
    wrong_condition,
    wrong_external_task,
    set_null_needs_optional,
    category_scope,
    wrong_shard,
    wrong_replicated_key,
    bad_replication_version,
    no_receiver,
    wrong_receiver,
    copy_type_differs,
    copy_not_found,
    wrong_remote,
    // a set of models
    duplicate_key,
    duplicate_table,
    unknown_child,
    unknown_skip,
    other_silo,
    key_type_differs,
    endless_cycle,
    forgotten_child,
    unknown_copy,
    copy_in_same_silo,
};

/// A fault and the names that its refusal speaks of.
struct finding {
    fault what;
    std::array<std::string_view, 3> names;

    // NOLINTNEXTLINE(google-explicit-constructor)
    constexpr finding(fault found = fault::none, std::string_view first = {}, std::string_view second = {},
                      std::string_view third = {}) noexcept
        : what(found), names{first, second, third} {}

    explicit constexpr operator bool() const noexcept { return what != fault::none; }
};

/// Widest composite key.
inline constexpr std::size_t widest_key = 8;
/// Most filters that one relation can carry.
inline constexpr std::size_t most_filters = widest_key;

/// Indices of columns that form a key or a reference.
struct column_indices {
    std::array<std::uint16_t, widest_key> at{};
    std::uint8_t size = 0;

    [[nodiscard]] constexpr std::span<const std::uint16_t> view() const noexcept { return {at.data(), size}; }
    constexpr void push_back(std::size_t index) noexcept {
        if (size < widest_key) at[size++] = static_cast<std::uint16_t>(index);
    }
};

/// A relation as plain data, with columns as indices.
struct relation_record {
    relation_kind kind = relation_kind::cascade;
    bool conditional = false;                 ///< has a `when`
    fault problem = fault::none;              ///< what is wrong with the relation by itself
    std::string_view problem_member;          ///< which of the child's members that is about
    std::string_view parent;                  ///< key
    std::string_view child;                   ///< key; if the child is no model its type; the task's name
    std::string_view child_type;              ///< for messages
    column_indices columns;                   ///< of the child
    column_indices referenced;                ///< of the parent; empty: its primary key
    column_indices filter_columns;            ///< of the child
    std::span<const filter_value> filters;    ///< the constant of each filter column
    std::span<const std::string_view> skips;  ///< keys
};

/// One column of a copy. `source` is an index into the replicated model's members or `mirrored_column::cell_name`.
struct mapping_record {
    std::uint16_t source = 0;
    std::uint16_t target = 0;  ///< index into the copy's members
};

/// How a model is replicated, as plain data.
struct replication_record {
    int version = 1;
    std::int32_t category = 0;
    std::string_view category_name;
    category_kind kind = category_kind::latest_state;
    std::int32_t scope = 0;
    std::string_view scope_name;
    bool strict_order = false;
    int scopes_found = 0;  ///< in how many scopes the category stands
    int shard = -1;        ///< index of a member
    column_indices payload;
    std::string_view copy;       ///< key of the mirror's model; empty: none
    std::string_view copy_type;  ///< for messages
    std::span<const described_member> copy_members;
    column_indices copy_key;
    std::span<const mapping_record> columns;
    bool handler = false;  ///< user code is called
};

/// One column that refers to a row of the other silo.
struct remote_record {
    remote_kind kind = remote_kind::cascade;
    std::string_view parent;
    std::uint16_t column = 0;
};

/// A model as plain data: what the proof works on and what plans are made of.
struct model_record {
    std::string_view type;  ///< for messages
    std::string_view key;
    winnow::silo silo = winnow::silo::cell;
    model_names names;
    std::span<const described_member> members;
    std::span<const column> columns;  ///< one for each member
    column_indices primary_key;
    status_column status;
    int birth = -1;
    std::span<const relation_record> relations;
    std::span<const relation_record> attached;
    const replication_record* replication = nullptr;  ///< null: not replicated
    std::span<const remote_record> remotes;
    std::uint64_t unrelated = 0;  ///< a bit for each excused member
    bool per_row_hooks = false;
    bool strategy_given = false;
    winnow::strategy strategy = winnow::strategy::per_row;
    std::int32_t chunk_size = 0;   ///< 0: by strategy
    std::int32_t query_limit = 0;  ///< 0: the chunk size
    bool newest_first = false;
    std::string_view rate_limit_option;
    std::string_view missing_member;  ///< the first member in a relation that is no column
    finding problem;
};

/// What messages call a model: its key, or its type's name while it has none.
[[nodiscard]] constexpr std::string_view title_of(const model_record& of) noexcept {
    return of.key.empty() ? of.type : of.key;
}

/// True if the relation's child rows are looked at when a parent is deleted.
[[nodiscard]] constexpr bool is_walked(relation_kind kind) noexcept { return kind != relation_kind::do_nothing; }

}  // namespace winnow::inline v0
