// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "winnow/core/letters.hpp"
#include "winnow/core/type_name.hpp"
#include "winnow/model/concepts.hpp"
#include "winnow/model/key_members.hpp"
#include "winnow/model/lower_relation.hpp"
#include "winnow/model/record.hpp"
#include "winnow/model/status.hpp"
#include "winnow/model/table.hpp"
#include "winnow/sql/identifier.hpp"

namespace winnow::inline v0 {

namespace detail {

template <class Type>
consteval name_source name_source_of(std::span<const described_member> members) {
    name_source source;
    source.members = members;
    if constexpr (HasKey<Type>) source.key = std::string_view(model<Type>::key);
    if constexpr (requires { model<Type>::table; }) {
        if constexpr (requires { std::string_view(model<Type>::table); }) {
            const std::string_view name(model<Type>::table);
            source.table.name = {name, name};
        } else {
            source.table = model<Type>::table;
        }
    }
    if constexpr (requires { std::string_view(model<Type>::foreign_name); }) {
        source.foreign_name = std::string_view(model<Type>::foreign_name);
    }
    if constexpr (requires { model<Type>::naming; }) source.spellings = model<Type>::naming;
    if constexpr (requires { model<Type>::columns; }) source.named = model<Type>::columns;
    return source;
}

/// Appends the index of one member of `Owner`; if it is no column, that becomes the problem.
template <class Owner, auto Member>
constexpr void add_index(column_indices& to, finding& problem) {
    constexpr std::size_t at = position_of(described_members_of<Owner>, id_of<Member>);
    if constexpr (at < described_members_of<Owner>.size()) {
        to.push_back(at);
    } else {
        if (!problem) problem = {fault::not_a_column, title_of_type<Owner>.key, member_name<Member>()};
    }
}

template <class Owner, auto... Members>
constexpr column_indices indices_of(member_list<Members...>, finding& problem) {
    column_indices found;
    if constexpr (sizeof...(Members) > widest_key) problem = {fault::too_wide, title_of_type<Owner>.key};
    else (add_index<Owner, Members>(found, problem), ...);
    return found;
}

[[nodiscard]] constexpr bool can_be_key(const column_shape& shape) noexcept {
    if (!shape.supported || shape.optional) return false;
    switch (shape.kind) {
        case value_kind::integer32:
        case value_kind::integer64:
        case value_kind::text:
        case value_kind::uuid: return true;
        case value_kind::boolean:
        case value_kind::real:
        case value_kind::json:
        case value_kind::timestamp:
        case value_kind::blob: break;
    }
    return false;
}

/// The part of a described model that needs no type: key, names, columns and primary key.
constexpr void check_names(model_record& of) {
    const auto refuse = [&](fault what, std::string_view name) {
        if (!of.problem) of.problem = {what, of.key, name};
    };
    if (!is_model_key(of.key)) of.problem = {fault::bad_key, of.type, of.key};
    for (std::size_t i = 0; i < of.members.size(); ++i) {
        if (!of.members[i].shape.supported) refuse(fault::unsupported_column, of.members[i].name);
    }
    for (const dialect to : {dialect::postgres, dialect::sqlite}) {
        if (check_identifier(of.names.table[to], to) != identifier_fault::none) {
            refuse(fault::bad_name, of.names.table[to]);
        }
        for (const column& one : of.columns) {
            if (check_identifier(one.name[to], to) != identifier_fault::none) refuse(fault::bad_name, one.name[to]);
        }
    }
    if (of.primary_key.size == 0) refuse(fault::missing_primary_key, {});
    for (const std::uint16_t index : of.primary_key.view()) {
        if (!can_be_key(of.members[index].shape)) refuse(fault::bad_primary_key, of.members[index].name);
    }
    for (const relation_record& one : of.attached) {
        if (!is_model_key(one.parent)) refuse(fault::bad_key, one.parent);
    }
}

template <class Type>
constexpr void read_status(model_record& to) {
    if constexpr (requires { model<Type>::status; }) {
        using given = std::remove_cvref_t<decltype(model<Type>::status)>;
        column_indices index;
        if constexpr (std::is_same_v<given, object_status Type::*> ||
                      std::is_same_v<given, std::optional<object_status> Type::*>) {
            add_index<Type, model<Type>::status>(index, to.problem);
            to.status.index = index.at[0];
        } else if constexpr (requires { given::member; }) {
            using bare = typename given::value_type;
            if constexpr (std::is_enum_v<bare> || (std::is_integral_v<bare> && !std::is_same_v<bare, bool>)) {
                add_index<Type, given::member>(index, to.problem);
                to.status = {index.at[0], static_cast<std::int64_t>(model<Type>::status.active),
                             static_cast<std::int64_t>(model<Type>::status.pending),
                             static_cast<std::int64_t>(model<Type>::status.in_progress)};
            } else if (!to.problem) {
                to.problem = {fault::wrong_status, to.key};
            }
        } else if (!to.problem) {
            to.problem = {fault::wrong_status, to.key};
        }
    }
}

template <class Type>
constexpr void read_birth(model_record& to) {
    if constexpr (requires { model<Type>::birth; }) {
        using given = std::remove_cvref_t<decltype(model<Type>::birth)>;
        if constexpr (std::is_member_object_pointer_v<given>) {
            column_indices index;
            add_index<Type, model<Type>::birth>(index, to.problem);
            to.birth = index.at[0];
            if (index.size != 0 && !to.problem && to.members[index.at[0]].shape.optional) {
                to.problem = {fault::wrong_birth, to.key};
            }
        } else if (!to.problem) {
            to.problem = {fault::wrong_birth, to.key};
        }
    }
}

template <class Type>
constexpr void check_hooks(model_record& to) {
    const auto refuse = [&](bool wrong, std::string_view name) {
        if (wrong && !to.problem) to.problem = {fault::wrong_hook, to.key, name};
    };
    refuse(NamedShouldProceed<Type> && !CallableShouldProceed<Type>, "should_proceed");
    refuse(NamedPendingDelete<Type> && !CallablePendingDelete<Type>, "pending_delete");
    refuse(NamedBeforeDelete<Type> && !CallableBeforeDelete<Type>, "before_delete");
    refuse(NamedAfterDelete<Type> && !CallableAfterDelete<Type>, "after_delete");
    to.per_row_hooks = CallableBeforeDelete<Type> || CallableAfterDelete<Type>;
}

template <class Type, auto... Members>
constexpr void read_unrelated(model_record& to, member_list<Members...>) {
    column_indices one;
    ((one = {}, add_index<Type, Members>(one, to.problem), to.unrelated |= std::uint64_t{one.size} << one.at[0]), ...);
}

template <class Type>
constexpr void read_limits(model_record& to) {
    const auto positive = [](std::int64_t given, std::int32_t& kept) {
        kept = static_cast<std::int32_t>(given);
        return given > 0 && given <= 1'000'000;
    };
    if constexpr (requires { model<Type>::chunk_size; }) {
        if (!positive(model<Type>::chunk_size, to.chunk_size) && !to.problem) {
            to.problem = {fault::bad_chunk_size, to.key};
        }
    }
    if constexpr (requires { model<Type>::query_limit; }) {
        if (!positive(model<Type>::query_limit, to.query_limit) && !to.problem) {
            to.problem = {fault::bad_query_limit, to.key};
        }
    }
    if constexpr (requires { model<Type>::newest_first; }) to.newest_first = model<Type>::newest_first;
    if constexpr (requires { std::string_view(model<Type>::rate_limit_option); }) {
        to.rate_limit_option = std::string_view(model<Type>::rate_limit_option);
    }
    if constexpr (requires { model<Type>::strategy; }) {
        to.strategy_given = true;
        to.strategy = model<Type>::strategy;
    }
}

/// Reads all members of the trait of a described model and notes the first that is wrong.
template <class Type>
constexpr void read_settings(model_record& to) {
    to.primary_key = indices_of<Type>(primary_key_members<Type>{}, to.problem);
    check_names(to);
    if constexpr (requires { model<Type>::columns; }) {
        for (const named_column& one : model<Type>::columns) {
            const bool known = position_of(to.members, one.member) < to.members.size();
            if (!known && !to.problem) to.problem = {fault::not_a_column, to.key, one.name.postgres};
        }
    }
    read_status<Type>(to);
    read_birth<Type>(to);
    check_hooks<Type>(to);
    if constexpr (requires { model<Type>::unrelated; }) read_unrelated<Type>(to, model<Type>::unrelated);
    read_limits<Type>(to);
}

}  // namespace detail

}  // namespace winnow::inline v0
