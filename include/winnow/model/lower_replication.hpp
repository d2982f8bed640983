// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <concepts>
#include <span>
#include <string_view>
#include <type_traits>

#include "winnow/core/type_name.hpp"
#include "winnow/model/concepts.hpp"
#include "winnow/model/key_members.hpp"
#include "winnow/model/lower_relation.hpp"
#include "winnow/model/record.hpp"
#include "winnow/model/replication.hpp"
#include "winnow/model/settings.hpp"
#include "winnow/plan/delivery.hpp"

namespace winnow::inline v0 {

/// True if `model<Type>::replicate(row, delivery)` can be called.
template <class Type>
concept CallableReplicate = requires(const Type& row, delivery& about) {
    { model<Type>::replicate(row, about) } -> std::same_as<void>;
};
/// True if `model<Type>::on_remote_deletion(id, delivery)` can be called.
template <class Type>
concept CallableRemoteDeletion = requires(std::int64_t id, delivery& about) {
    { model<Type>::on_remote_deletion(id, about) } -> std::same_as<void>;
};

namespace detail {

/// The name of an enumerator without its enum.
template <auto Enumerator>
constexpr std::string_view enumerator_name() {
    std::string_view name = member_name<Enumerator>();
    const std::size_t colon = name.rfind(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

template <auto Category, auto... Categories>
constexpr int times_in(category_list<Categories...>) {
    return (0 + ... + (Categories == Category ? 1 : 0));
}

template <auto Category, auto Scope, bool Strict, class Categories>
constexpr void look_in(replication_record& to, const scope_declaration<Scope, Strict, Categories>*) {
    const int times = times_in<Category>(Categories{});
    if (times == 0) return;
    to.scopes_found += times;
    to.scope = static_cast<std::int32_t>(Scope);
    to.scope_name = enumerator_name<Scope>();
    to.strict_order = Strict;
}

template <auto Category, class... Scopes>
constexpr void look_in(replication_record& to, const boost::hana::basic_tuple<Scopes...>*) {
    (look_in<Category>(to, static_cast<const Scopes*>(nullptr)), ...);
}

template <auto Category>
constexpr void read_category(replication_record& to) {
    using known = categories<std::remove_cv_t<decltype(Category)>>;
    to.category = static_cast<std::int32_t>(Category);
    to.category_name = enumerator_name<Category>();
    if constexpr (requires { known::scopes; }) {
        look_in<Category>(to, static_cast<const std::remove_cvref_t<decltype(known::scopes)>*>(nullptr));
    }
    if constexpr (requires { known::every_event; }) {
        if (times_in<Category>(known::every_event) != 0) to.kind = category_kind::every_event;
    }
}

template <class Owner, auto Member>
constexpr std::uint16_t mapped_index(finding& problem) {
    constexpr std::size_t at = position_of(described_members_of<Owner>, id_of<Member>);
    if constexpr (at == described_members_of<Owner>.size()) {
        if (!problem) problem = {fault::not_a_column, title_of_type<Owner>.key, member_name<Member>()};
        return 0;
    }
    return static_cast<std::uint16_t>(at);
}

template <class Type, class Copy, auto Source, auto Target>
constexpr mapping_record lower_map(const column_map<Source, Target>*, finding& problem) {
    return {mapped_index<Type, Source>(problem), mapped_index<Copy, Target>(problem)};
}
template <class Type, class Copy, auto Target>
constexpr mapping_record lower_map(const cell_map<Target>*, finding& problem) {
    return {mirrored_column::cell_name, mapped_index<Copy, Target>(problem)};
}

template <std::size_t Size>
struct lowered_maps {
    std::array<mapping_record, Size> columns{};
    finding problem;
};
template <class Type, class Copy, class... Maps>
consteval auto lower_maps() {
    lowered_maps<sizeof...(Maps)> made;
    made.columns = {lower_map<Type, Copy>(static_cast<const Maps*>(nullptr), made.problem)...};
    return made;
}
template <class Type, class Copy, class... Maps>
inline constexpr auto maps_of = lower_maps<Type, Copy, Maps...>();

/// Whether a copy's column can hold every value of a column that it is copied from.
[[nodiscard]] constexpr bool holds(const column_shape& copy, const column_shape& source) noexcept {
    const bool wider = copy.kind == value_kind::integer64 && source.kind == value_kind::integer32;
    return (copy.kind == source.kind || wider) && copy.kind != value_kind::blob && (copy.optional || !source.optional);
}

/// Whether the copies are found by this mapping: see `mirror`.
[[nodiscard]] constexpr bool identifies(const replication_record& of, const column_indices& key, std::size_t which) {
    const auto from_key = [&](const mapping_record& one) {
        if (one.source == mirrored_column::cell_name) return true;
        for (const std::uint16_t index : key.view()) {
            if (index == one.source) return true;
        }
        return false;
    };
    bool by_own_key = of.copy_key.size != 0;
    for (const std::uint16_t wanted : of.copy_key.view()) {
        bool mapped = false;
        for (const mapping_record& one : of.columns) mapped = mapped || (one.target == wanted && from_key(one));
        by_own_key = by_own_key && mapped;
    }
    const mapping_record& asked = of.columns[which];
    if (!by_own_key) return asked.source != mirrored_column::cell_name && from_key(asked);
    for (const std::uint16_t wanted : of.copy_key.view()) {
        if (asked.target == wanted) return true;
    }
    return false;
}

template <class Type, auto Member>
constexpr void read_part(replication_record& to, const shard_part<Member>*, finding& problem) {
    to.shard = mapped_index<Type, Member>(problem);
}
template <class Type, auto... Members>
constexpr void read_part(replication_record& to, const payload_part<Members...>*, finding& problem) {
    (to.payload.push_back(mapped_index<Type, Members>(problem)), ...);
}
template <class Type, class Copy, class... Maps>
constexpr void read_part(replication_record& to, const mirror_part<Copy, Maps...>*, finding& problem) {
    to.copy = title_of_type<Copy>.key;
    to.copy_type = title_of_type<Copy>.type;
    to.copy_members = described_members_of<Copy>;
    to.columns = maps_of<Type, Copy, Maps...>.columns;
    if (!problem) problem = maps_of<Type, Copy, Maps...>.problem;
    finding ignored;
    to.copy_key = indices_of<Copy>(primary_key_members<Copy>{}, ignored);
}

template <class Type>
struct lowered_replication {
    replication_record record;
    finding problem;
};

template <class Type, auto Category, class... Parts>
constexpr void read_replication(lowered_replication<Type>& to, const replication_declaration<Category, Parts...>*) {
    read_category<Category>(to.record);
    (read_part<Type>(to.record, static_cast<const Parts*>(nullptr), to.problem), ...);
}

/// What is wrong with a replication whose columns are all known.
constexpr finding check_replication(const replication_record& of, std::string_view model, const column_indices& key,
                                    std::span<const described_member> members) {
    if (of.scopes_found != 1) return {fault::category_scope, model, of.category_name};
    const auto is_integer = [&](std::size_t index) {
        const column_shape& shape = members[index].shape;
        return !shape.optional && (shape.kind == value_kind::integer64 || shape.kind == value_kind::integer32);
    };
    if (key.size != 1 || !is_integer(key.at[0])) return {fault::wrong_replicated_key, model};
    if (of.shard < 0 || !is_integer(static_cast<std::size_t>(of.shard))) return {fault::wrong_shard, model};
    if (of.version < 1 || of.version > 1'000'000'000) return {fault::bad_replication_version, model};
    if (of.copy.empty()) return of.handler ? finding{} : finding{fault::no_receiver, model};
    bool found = false;
    for (std::size_t i = 0; i < of.columns.size(); ++i) {
        const described_member& target = of.copy_members[of.columns[i].target];
        constexpr column_shape name_of_cell{true, value_kind::text, false};
        const bool from_cell = of.columns[i].source == mirrored_column::cell_name;
        if (!holds(target.shape, from_cell ? name_of_cell : members[of.columns[i].source].shape))
            return {fault::copy_type_differs, model, of.copy, target.name};
        found = found || (!from_cell && identifies(of, key, i));
    }
    if (!found) return {fault::copy_not_found, model, of.copy};
    return {};
}

template <class Type>
consteval lowered_replication<Type> lower_replication() {
    lowered_replication<Type> made;
    if constexpr (requires { model<Type>::replication; }) {
        using given = std::remove_cvref_t<decltype(model<Type>::replication)>;
        read_replication(made, static_cast<const given*>(nullptr));
        if constexpr (requires { model<Type>::replication_version; }) {
            made.record.version = static_cast<int>(model<Type>::replication_version);
        }
        made.record.handler = CallableReplicate<Type>;
        if (made.problem) return made;
        finding ignored;
        made.problem =
            check_replication(made.record, title_of_type<Type>.key,
                              indices_of<Type>(primary_key_members<Type>{}, ignored), described_members_of<Type>);
        const bool wrong = (requires { &model<Type>::replicate; } && !CallableReplicate<Type>) ||
                           (requires { &model<Type>::on_remote_deletion; } && !CallableRemoteDeletion<Type>);
        if (wrong) made.problem = {fault::wrong_receiver, title_of_type<Type>.key};
    } else if constexpr (requires { model<Type>::replication_version; }) {
        made.problem = {fault::bad_replication_version, title_of_type<Type>.key};
    }
    return made;
}

template <class Type, fixed_string Parent, auto Reference, remote_kind Kind>
constexpr remote_record lower_remote(const remote_declaration<Parent, Reference, Kind>*, finding& problem) {
    remote_record made{Kind, view_of<Parent>, mapped_index<Type, Reference>(problem)};
    if (problem) return made;
    const column_shape& shape = described_members_of<Type>[made.column].shape;
    const bool integer = shape.kind == value_kind::integer64 || shape.kind == value_kind::integer32;
    if (!integer || (Kind == remote_kind::set_null && !shape.optional))
        problem = {fault::wrong_remote, title_of_type<Type>.key, described_members_of<Type>[made.column].name};
    return made;
}

template <std::size_t Size>
struct lowered_remotes {
    std::array<remote_record, Size> all{};
    finding problem;
};
template <class Type, class... Relations>
consteval auto lower_remotes(const boost::hana::basic_tuple<Relations...>*) {
    lowered_remotes<sizeof...(Relations)> made;
    made.all = {lower_remote<Type>(static_cast<const Relations*>(nullptr), made.problem)...};
    return made;
}
template <class Type>
consteval auto lower_remotes_of() {
    if constexpr (requires { model<Type>::remotes; }) {
        return lower_remotes<Type>(static_cast<const std::remove_cvref_t<decltype(model<Type>::remotes)>*>(nullptr));
    } else {
        return lowered_remotes<0>{};
    }
}

}  // namespace detail

}  // namespace winnow::inline v0
