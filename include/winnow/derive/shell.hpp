// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "winnow/derive/hooks.hpp"
#include "winnow/model/lower.hpp"
#include "winnow/model/record.hpp"
#include "winnow/plan/plan.hpp"

namespace winnow::inline v0 {

namespace detail {

/// The columns that are read whenever rows are found or locked: the primary key first, then every further
/// column that a relation of the model refers to.
struct identity_list {
    std::array<std::uint16_t, 64> at{};
    std::size_t size = 0;

    constexpr void add(std::uint16_t index) noexcept {
        for (std::size_t i = 0; i < size; ++i) {
            if (at[i] == index) return;
        }
        at[size++] = index;
    }
};

[[nodiscard]] constexpr identity_list find_identity(const model_record& of) noexcept {
    identity_list found;
    for (const std::uint16_t index : of.primary_key.view()) found.add(index);
    for (const relation_record& one : of.relations) {
        for (const std::uint16_t index : one.referenced.view()) found.add(index);
    }
    return found;
}

template <class Type>
consteval auto make_identity() {
    constexpr identity_list found = find_identity(lowered<Type>::record);
    std::array<std::uint16_t, found.size> exact{};
    for (std::size_t i = 0; i < found.size; ++i) exact[i] = found.at[i];
    return exact;
}

}  // namespace detail

/// `plan::identity` of a model.
template <class Type>
inline constexpr auto identity_of = detail::make_identity<Type>();

namespace detail {

/// Stands for the replication of a model while its statements are written: that there is one is all that counts.
inline constexpr replication some_replication{};

template <class Type>
consteval plan make_shell() {
    const model_record& record = lowered<Type>::record;
    plan shell;
    shell.key = record.key;
    shell.schema = record.names.schema;
    shell.table = record.names.table;
    shell.quoted_table = record.names.quoted_table;
    shell.silo = record.silo;
    shell.columns = record.columns;
    shell.primary_key = lowered<Type>::record.primary_key.view();
    shell.identity = identity_of<Type>;
    shell.status = record.status;
    shell.birth = record.birth;
    shell.newest_first = record.newest_first;
    shell.rate_limit_option = record.rate_limit_option;
    shell.hooks = hooks_of<Type>();
    if (record.replication != nullptr) shell.replication = &some_replication;
    return shell;
}

}  // namespace detail

/// A model's plan without statements, relations, strategy and limits: what statements are written from. It
/// depends on the model alone, so that each is made once however many relations lead to it.
template <class Type>
inline constexpr plan shell_of = detail::make_shell<Type>();

}  // namespace winnow::inline v0
