// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "winnow/core/type_name.hpp"

namespace winnow::inline v0 {

/// Identity of a member, whatever its type: a hash of its name with its class. Two pointers to the same member
/// have the same one. (The address of a constant per member would do as well, but g++ does not compare such
/// addresses in constant expressions when it sanitizes.) Zero belongs to no member.
using member_id = std::uint64_t;

namespace detail {

/// 64-bit FNV-1a.
constexpr member_id hash_of_name(std::string_view name) noexcept {
    member_id hash = 0xcbf29ce484222325ULL;
    const char* const characters = name.data();
    const std::size_t size = name.size();
    for (std::size_t i = 0; i < size; ++i) {
        hash = (hash ^ static_cast<unsigned char>(characters[i])) * 0x100000001b3ULL;
    }
    return hash;
}

template <class Pointer>
struct member_parts {
    using owner = void;
    using type = void;
};
template <class Class, class Type>
struct member_parts<Type Class::*> {
    using owner = Class;
    using type = Type;
};

template <class Type>
struct without_optional {
    using type = Type;
    static constexpr bool optional = false;
};
template <class Type>
struct without_optional<std::optional<Type>> {
    using type = Type;
    static constexpr bool optional = true;
};

}  // namespace detail

template <auto Member>
inline constexpr member_id id_of = detail::hash_of_name(member_name<Member>());

/// The struct that a member pointer points into.
template <auto Member>
using member_class = typename detail::member_parts<std::remove_cv_t<decltype(Member)>>::owner;

/// The type of the member that a member pointer points to.
template <auto Member>
using member_type = typename detail::member_parts<std::remove_cv_t<decltype(Member)>>::type;

/// The same without `std::optional`.
template <auto Member>
using bare_member_type = typename detail::without_optional<member_type<Member>>::type;

/// Several members that refer, or are referred to, together: a composite key.
template <auto... Members>
struct member_list {
    static constexpr std::size_t size = sizeof...(Members);
};

/// `cascade<on<&C::a1, &C::a2>, on<&P::b1, &P::b2>>`.
template <auto... Members>
inline constexpr member_list<Members...> on{};

/// `static constexpr auto primary_key = winnow::primary_key<&T::a, &T::b>;`
template <auto... Members>
inline constexpr member_list<Members...> primary_key{};

/// Excuses members that are named like a reference to another model but are none.
template <auto... Members>
inline constexpr member_list<Members...> unrelated{};

namespace detail {

/// A member pointer as a list of one; a list as it is.
template <auto Argument>
struct as_members {
    using type = member_list<Argument>;
};
template <auto Argument>
    requires(!std::is_member_object_pointer_v<std::remove_cv_t<decltype(Argument)>>)
struct as_members<Argument> {
    using type = std::remove_cv_t<decltype(Argument)>;
};

template <class List>
struct first_class;
template <auto First, auto... Others>
struct first_class<member_list<First, Others...>> {
    using type = member_class<First>;
};

}  // namespace detail

}  // namespace winnow::inline v0
