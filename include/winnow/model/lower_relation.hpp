// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "winnow/core/type_name.hpp"
#include "winnow/model/concepts.hpp"
#include "winnow/model/key_members.hpp"
#include "winnow/model/record.hpp"
#include "winnow/model/relation.hpp"

namespace winnow::inline v0 {

namespace detail {

/// What messages call a type, and what looks it up.
struct type_title {
    std::string_view type;
    std::string_view key;  ///< of its trait; its type's name if it has none
};

template <class Type>
consteval type_title make_title() {
    if constexpr (HasKey<Type>) return {type_name<Type>(), std::string_view(model<Type>::key)};
    else return {type_name<Type>(), type_name<Type>()};
}
template <class Type>
inline constexpr type_title title_of_type = make_title<Type>();

template <class... Models>
inline constexpr std::array<std::string_view, sizeof...(Models)> keys_of_types{title_of_type<Models>.key...};

/// A text that is a template argument, as a view of constant storage.
template <fixed_string Text>
inline constexpr std::string_view view_of = Text.view();

/// Position of a member among the described ones; their number if it is not among them.
[[nodiscard]] constexpr std::size_t position_of(std::span<const described_member> members, member_id id) noexcept {
    const described_member* const first = members.data();
    const std::size_t size = members.size();
    for (std::size_t at = 0; at < size; ++at) {
        if (first[at].id == id) return at;
    }
    return size;
}

/// Members that a relation names, before they are looked up.
struct named_members {
    std::array<member_id, widest_key> ids{};
    std::size_t size = 0;
    bool too_many = false;
};

template <auto... Members>
constexpr named_members name_members(member_list<Members...>) noexcept {
    if constexpr (sizeof...(Members) > widest_key) return {{}, 0, true};
    else return {{id_of<Members>...}, sizeof...(Members)};
}

/// A relation as its template arguments give it: all that lowering needs to know of types.
struct relation_source {
    relation_kind kind;
    std::string_view parent;
    std::span<const described_member> parent_members;
    type_title child;
    std::span<const described_member> child_members;
    named_members columns;
    named_members target;
    named_members filter_columns;
    std::span<const filter_value> filters;
    std::span<const std::string_view> skips;
    bool conditional;
    bool condition_fits;
};

constexpr bool look_up(const named_members& from, std::span<const described_member> members, column_indices& to) {
    for (std::size_t i = 0; i < from.size; ++i) {
        const std::size_t at = position_of(members, from.ids[i]);
        if (at == members.size()) return false;
        to.push_back(at);
    }
    return true;
}

/// Looks the members up and finds what is wrong with the relation by itself.
[[nodiscard]] constexpr relation_record lower(const relation_source& from) {
    relation_record to;
    to.kind = from.kind;
    to.parent = from.parent;
    to.child = from.child.key;
    to.child_type = from.child.type;
    to.conditional = from.conditional;
    to.filters = from.filters;
    to.skips = from.skips;
    if (from.columns.too_many || from.target.too_many || from.filter_columns.too_many) {
        to.problem = fault::too_wide;
        return to;
    }
    if (!look_up(from.columns, from.child_members, to.columns) ||
        !look_up(from.target, from.parent_members, to.referenced) ||
        !look_up(from.filter_columns, from.child_members, to.filter_columns)) {
        to.problem = fault::not_a_column;
        return to;
    }
    if (from.target.size != 0 && from.target.size != from.columns.size) to.problem = fault::wrong_width;
    if (!from.condition_fits) to.problem = fault::wrong_condition;
    for (std::size_t i = 0; i < from.filters.size(); ++i) {
        const described_member& member = from.child_members[to.filter_columns.at[i]];
        if (from.filters[i].fits(member.shape.kind)) continue;
        to.problem = fault::wrong_filter;
        to.problem_member = member.name;
    }
    if (from.kind == relation_kind::set_null) {
        bool nullable = false;
        for (const std::uint16_t index : to.columns.view()) {
            nullable = nullable || from.child_members[index].shape.optional;
        }
        if (!nullable) {
            to.problem = fault::set_null_needs_optional;
            to.problem_member = from.child_members[to.columns.at[0]].name;
        }
    }
    return to;
}

template <class... Models>
constexpr std::span<const std::string_view> keys_in(model_list<Models...>) {
    if constexpr (sizeof...(Models) == 0) return {};
    else return keys_of_types<Models...>;
}

template <auto Function>
inline constexpr bool is_given = !std::is_same_v<std::remove_cv_t<decltype(Function)>, std::nullptr_t>;

/// True if `Function` is left out or can be asked about a row of `Row`.
template <class Row, auto Function>
constexpr bool is_condition() {
    if constexpr (is_given<Function>) return RowPredicate<Function, Row>;
    else return true;
}

template <class Parent, relation_kind Kind, class Columns, class Target, class Filters, class Skips, auto Applies>
constexpr relation_record lower_child(const child_relation<Kind, Columns, Target, Filters, Skips, Applies>& from) {
    using child = typename first_class<Columns>::type;
    return lower({Kind, title_of_type<Parent>.key, described_members_of<Parent>, title_of_type<child>,
                  described_members_of<child>, name_members(Columns{}), name_members(Target{}), name_members(Filters{}),
                  from.filters, keys_in(Skips{}), is_given<Applies>, is_condition<Parent, Applies>()});
}

template <class Parent, class Task, auto Applies>
constexpr relation_record lower_child(const external_relation<Task, Applies>&) {
    relation_record to;
    to.kind = relation_kind::external;
    to.parent = title_of_type<Parent>.key;
    to.child = to.child_type = type_name<Task>();
    to.conditional = is_given<Applies>;
    if constexpr (!ExternalTask<Task, external_keys<Parent>>) to.problem = fault::wrong_external_task;
    else to.child = std::string_view(Task::name);
    if (!is_condition<Parent, Applies>()) to.problem = fault::wrong_condition;
    return to;
}

template <class Child, fixed_string Parent, relation_kind Kind, class Columns, class Filters>
constexpr relation_record lower_parent(const parent_relation<Parent, Kind, Columns, Filters>& from) {
    return lower({Kind,
                  view_of<Parent>,
                  {},
                  title_of_type<Child>,
                  described_members_of<Child>,
                  name_members(Columns{}),
                  {},
                  name_members(Filters{}),
                  from.filters,
                  {},
                  false,
                  true});
}

// Names of members are made only when a relation is refused: they cost an instantiation each.

template <class Owner, auto... Members>
constexpr std::string_view missing_name(member_list<Members...>) {
    std::string_view missing;
    const std::span<const described_member> members = described_members_of<Owner>;
    ((position_of(members, id_of<Members>) == members.size() ? (void)(missing = member_name<Members>()) : (void)0),
     ...);
    return missing;
}

template <class Owner, relation_kind Kind, class Columns, class Target, class Filters, class Skips, auto Applies>
constexpr std::string_view missing_in(const child_relation<Kind, Columns, Target, Filters, Skips, Applies>&) {
    using child = typename first_class<Columns>::type;
    if (const std::string_view name = missing_name<child>(Columns{}); !name.empty()) return name;
    if (const std::string_view name = missing_name<child>(Filters{}); !name.empty()) return name;
    return missing_name<Owner>(Target{});
}
template <class Owner, class Task, auto Applies>
constexpr std::string_view missing_in(const external_relation<Task, Applies>&) {
    return {};
}
template <class Owner, fixed_string Parent, relation_kind Kind, class Columns, class Filters>
constexpr std::string_view missing_in(const parent_relation<Parent, Kind, Columns, Filters>&) {
    if (const std::string_view name = missing_name<Owner>(Columns{}); !name.empty()) return name;
    return missing_name<Owner>(Filters{});
}

}  // namespace detail

}  // namespace winnow::inline v0
