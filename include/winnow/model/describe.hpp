// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>
#include <boost/describe/modifiers.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "winnow/core/config.hpp"
#include "winnow/model/column.hpp"
#include "winnow/model/member.hpp"

/// Names the members of a struct that are columns, in the order of the table. At namespace scope, in
/// the namespace of the struct, after it; at most 50 members.
///
///     struct Event { std::int64_t id; std::int64_t project_id; };
///     WINNOW_DESCRIBE(Event, id, project_id)
#define WINNOW_DESCRIBE(Type, ...)                                                                             \
    static_assert(::winnow::detail::count_names(#__VA_ARGS__) <= 50,                                           \
                  WINNOW_REFUSAL("WINNOW_DESCRIBE takes at most 50 members: name those that keys, relations, " \
                                 "status and hooks use, and leave others out"));                               \
    BOOST_DESCRIBE_STRUCT(Type, (), (__VA_ARGS__))

namespace winnow::inline v0 {

/// True if the members of `Type` are known.
template <class Type>
concept Described = std::is_class_v<Type> && boost::describe::has_describe_members<Type>::value;

/// One described member, before its column has a name.
struct described_member {
    member_id id = 0;
    std::string_view name;
    column_shape shape;
};

namespace detail {

/// Number of names in a list with commas.
[[nodiscard]] consteval std::size_t count_names(std::string_view list) {
    std::size_t count = 1;
    for (const char c : list) count += c == ',' ? 1 : 0;
    return count;
}

template <class List>
struct described;

template <template <class...> class List, class... Members>
struct described<List<Members...>> {
    static constexpr std::size_t size = sizeof...(Members);

    static consteval auto members() {
        return std::array<described_member, size>{
            described_member{id_of<Members::pointer>, std::string_view(Members::name, __builtin_strlen(Members::name)),
                             shape_of<typename member_parts<std::remove_cv_t<decltype(Members::pointer)>>::type>()}...};
    }
    /// Calls `visit(position, member)` for each member of `row`, in order.
    template <class Row, class Visit>
    static constexpr void for_each(Row& row, Visit&& visit) {
        std::size_t position = 0;
        (visit(position++, row.*Members::pointer), ...);
    }
};

struct undescribed {
    static constexpr std::size_t size = 0;
    static consteval auto members() { return std::array<described_member, 0>{}; }
};

template <class Type>
struct members_of_type {
    using type = undescribed;
};
template <Described Type>
struct members_of_type<Type> {
    // What `boost::describe::describe_members` filters by modifiers. WINNOW_DESCRIBE names public members only,
    // and filtering 120 models costs half a second.
    using type = described<decltype(boost_public_member_descriptor_fn(static_cast<Type**>(nullptr)))>;
};

}  // namespace detail

/// The described members of `Type`, in order; none if it is not described.
template <class Type>
inline constexpr auto described_members_of = detail::members_of_type<Type>::type::members();

}  // namespace winnow::inline v0
