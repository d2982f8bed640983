// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "winnow/core/fixed_string.hpp"
#include "winnow/derive/hooks.hpp"
#include "winnow/derive/shell.hpp"
#include "winnow/model/lower.hpp"
#include "winnow/model/relation.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/sql/exact_text.hpp"
#include "winnow/sql/writer.hpp"

namespace winnow::inline v0 {

namespace detail {

/// A relation of the plan that still lacks its statements, and the plan of its child to write them from.
struct relation_shell {
    relation made;
    const plan* child = nullptr;  ///< null for an external relation
};

/// Which relation of a model: the one at `Position` of its children, or of its parents.
template <class Owner, bool Attached, std::size_t Position>
struct relation_place {
    static constexpr const relation_record& record() {
        if constexpr (Attached) return lowered<Owner>::attached[Position];
        else return lowered<Owner>::relations[Position];
    }
};

/// Columns of `Of` at the places that `indices` names, in storage of their own.
template <class Of, std::size_t Size>
consteval auto pick_columns(const column_indices& indices) {
    std::array<column, Size> picked{};
    for (std::size_t i = 0; i < Size; ++i) picked[i] = lowered<Of>::record.columns[indices.at[i]];
    return picked;
}
template <class Place, class Child>
inline constexpr auto reference_columns = pick_columns<Child, Place::record().columns.size>(Place::record().columns);
template <class Place, class Owner>
inline constexpr auto referenced_columns =
    pick_columns<Owner, Place::record().referenced.size>(Place::record().referenced);

/// The SQL literals of a relation's filters, behind each other.
constexpr void write_literals(writer& out, const relation_record& of) {
    for (const filter_value& one : of.filters) write_filter_value(out, one);
}
template <class Place>
struct literal_text {
    static constexpr void write(writer& out) { write_literals(out, Place::record()); }
};
template <class Place>
inline constexpr const auto& literals = exact_text<64, literal_text<Place>>;

template <class Place, class Child>
consteval auto make_filters() {
    constexpr const relation_record& from = Place::record();
    std::array<filter, from.filters.size()> made{};
    writer at;
    for (std::size_t i = 0; i < made.size(); ++i) {
        const std::size_t begin = at.size();
        write_filter_value(at, from.filters[i]);
        made[i].where = lowered<Child>::record.columns[from.filter_columns.at[i]];
        made[i].literal = std::string_view(literals<Place>.data() + begin, at.size() - begin);
    }
    return made;
}
template <class Place, class Child>
inline constexpr auto filters_of = make_filters<Place, Child>();

/// What every relation to rows has in common. A reference of one column is a view into the child's columns.
template <class Place, class Child>
consteval relation_shell relation_to_rows() {
    constexpr const relation_record& record = Place::record();
    relation_shell shell;
    shell.made.kind = record.kind;
    shell.made.parent = record.parent;
    shell.made.child = record.child;
    shell.made.skips = record.skips;
    shell.child = &shell_of<Child>;
    if constexpr (record.columns.size == 1) {
        shell.made.columns = lowered<Child>::record.columns.subspan(record.columns.at[0], 1);
    } else {
        shell.made.columns = reference_columns<Place, Child>;
    }
    if constexpr (!record.filters.empty()) shell.made.filters = filters_of<Place, Child>;
    return shell;
}

template <class Owner, std::size_t Position, relation_kind Kind, class Columns, class Target, class Filters,
          class Skips, auto Applies>
consteval relation_shell shell_of_child(const child_relation<Kind, Columns, Target, Filters, Skips, Applies>*) {
    using child = typename first_class<Columns>::type;
    using place = relation_place<Owner, false, Position>;
    relation_shell shell = relation_to_rows<place, child>();
    if constexpr (Target::size == 1) {
        shell.made.referenced = lowered<Owner>::record.columns.subspan(place::record().referenced.at[0], 1);
    } else if constexpr (Target::size > 1) {
        shell.made.referenced = referenced_columns<place, Owner>;
    }
    shell.made.applies = condition_of<Owner, Applies>();
    return shell;
}

template <class Owner, std::size_t Position, class Task, auto Applies>
consteval relation_shell shell_of_child(const external_relation<Task, Applies>*) {
    relation_shell shell;
    shell.made.kind = relation_kind::external;
    shell.made.parent = lowered<Owner>::record.key;
    shell.made.child = lowered<Owner>::relations[Position].child;
    shell.made.applies = condition_of<Owner, Applies>();
    shell.made.external = external_task_of<Owner, Task>();
    return shell;
}

template <class Owner, class... Relations, std::size_t... Positions>
consteval auto child_shells(model_list<Relations...>, std::index_sequence<Positions...>) {
    return std::array<relation_shell, sizeof...(Relations)>{
        shell_of_child<Owner, Positions>(static_cast<const Relations*>(nullptr))...};
}

template <class Owner>
consteval auto make_child_shells() {
    if constexpr (requires { model<Owner>::children; }) {
        using types = typename relation_types<std::remove_cvref_t<decltype(model<Owner>::children)>>::type;
        return child_shells<Owner>(types{}, std::make_index_sequence<lowered<Owner>::relations.size()>{});
    } else {
        return std::array<relation_shell, 0>{};
    }
}

template <class Owner, std::size_t... Positions>
consteval auto parent_shells(std::index_sequence<Positions...>) {
    return std::array<relation_shell, sizeof...(Positions)>{
        relation_to_rows<relation_place<Owner, true, Positions>, Owner>()...};
}

}  // namespace detail

/// The relations in which a model is the parent, without their statements.
template <class Type>
inline constexpr auto child_shells_of = detail::make_child_shells<Type>();

/// The relations by which a model attaches itself to parents, without their statements.
template <class Type>
inline constexpr auto parent_shells_of =
    detail::parent_shells<Type>(std::make_index_sequence<lowered<Type>::attached.size()>{});

}  // namespace winnow::inline v0
