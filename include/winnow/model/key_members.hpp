// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <vector>

#include "winnow/model/member.hpp"
#include "winnow/model/traits.hpp"
#include "winnow/plan/value.hpp"

namespace winnow::inline v0 {

namespace detail {

template <class Type>
consteval auto primary_key_of() {
    if constexpr (requires { model<Type>::primary_key; }) {
        using given = std::remove_cvref_t<decltype(model<Type>::primary_key)>;
        if constexpr (std::is_member_object_pointer_v<given>) return member_list<model<Type>::primary_key>{};
        else return given{};
    } else if constexpr (requires { &Type::id; }) {
        return member_list<&Type::id>{};
    } else {
        return member_list<>{};
    }
}

template <class List>
struct key_vector {
    using type = key_set;
};
template <auto Member>
struct key_vector<member_list<Member>> {
    using type = std::vector<member_type<Member>>;
};

}  // namespace detail

/// The members of a model's primary key, as a `member_list`; empty if there is none.
template <class Type>
using primary_key_members = decltype(detail::primary_key_of<Type>());

/// What an external task of a model gets: a vector of keys, or `key_set` if the key is composite.
template <class Type>
using external_keys = typename detail::key_vector<primary_key_members<Type>>::type;

}  // namespace winnow::inline v0
