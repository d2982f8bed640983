// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "winnow/model/key_members.hpp"
#include "winnow/model/text_types.hpp"
#include "winnow/plan/value.hpp"

namespace winnow::inline v0 {

/// A member's value as a column value.
template <class Type>
[[nodiscard]] value encode_value(const Type& from) {
    if constexpr (std::is_same_v<Type, bool> || std::is_same_v<Type, std::string>) return from;
    else if constexpr (std::is_enum_v<Type> || std::is_integral_v<Type>) return static_cast<std::int64_t>(from);
    else if constexpr (std::is_floating_point_v<Type>) return static_cast<double>(from);
    else if constexpr (std::is_same_v<Type, blob>) return from.bytes;
    else return from.text;
}

template <class Type>
[[nodiscard]] value encode_value(const std::optional<Type>& from) {
    return from.has_value() ? encode_value(*from) : value(null_value{});
}

namespace detail {

template <class Type, auto... Members>
std::vector<value> key_of(const Type& row, member_list<Members...>) {
    return {encode_value(row.*Members)...};
}

}  // namespace detail

/// The primary key of an object, in the order of the plan.
template <class Type>
[[nodiscard]] std::vector<value> key_of(const Type& row) {
    return detail::key_of(row, primary_key_members<Type>{});
}

}  // namespace winnow::inline v0
