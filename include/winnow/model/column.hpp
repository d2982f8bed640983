// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "winnow/core/dialect.hpp"
#include "winnow/model/member.hpp"
#include "winnow/model/text_types.hpp"
#include "winnow/plan/value.hpp"

namespace winnow::inline v0 {

/// What a member's type means for its column.
struct column_shape {
    bool supported = false;
    value_kind kind = value_kind::integer64;
    bool optional = false;
};

/// The column shape of a member type: signed 32- and 64-bit integers, `bool`, `float`, `double`,
/// `std::string`, enums, `uuid`, `json_text`, `timestamp`, `blob`, and `std::optional` of each.
template <class Type>
[[nodiscard]] consteval column_shape shape_of() {
    using bare = typename detail::without_optional<Type>::type;
    constexpr bool optional = detail::without_optional<Type>::optional;
    if constexpr (std::is_same_v<bare, bool>) {
        return {true, value_kind::boolean, optional};
    } else if constexpr (std::is_enum_v<bare>) {
        return {true, sizeof(bare) == 8 ? value_kind::integer64 : value_kind::integer32, optional};
    } else if constexpr (std::is_integral_v<bare>) {
        constexpr bool fits = std::is_signed_v<bare> && (sizeof(bare) == 4 || sizeof(bare) == 8);
        return {fits, sizeof(bare) == 8 ? value_kind::integer64 : value_kind::integer32, optional};
    } else if constexpr (std::is_same_v<bare, double> || std::is_same_v<bare, float>) {
        return {true, value_kind::real, optional};
    } else if constexpr (std::is_same_v<bare, std::string>) {
        return {true, value_kind::text, optional};
    } else if constexpr (std::is_same_v<bare, uuid>) {
        return {true, value_kind::uuid, optional};
    } else if constexpr (std::is_same_v<bare, json_text>) {
        return {true, value_kind::json, optional};
    } else if constexpr (std::is_same_v<bare, timestamp>) {
        return {true, value_kind::timestamp, optional};
    } else if constexpr (std::is_same_v<bare, blob>) {
        return {true, value_kind::blob, optional};
    } else {
        return {};
    }
}

/// How a member's name becomes a column's name.
enum class spelling : std::uint8_t {
    as_is,   ///< `album_id`
    pascal,  ///< `AlbumId`
    camel,   ///< `albumId`
};

/// The spelling of all columns that have no name of their own:
/// `static constexpr auto naming = winnow::naming{.sqlite = spelling::pascal};`
struct naming {
    spelling postgres = spelling::as_is;
    spelling sqlite = spelling::as_is;

    [[nodiscard]] constexpr spelling operator[](dialect which) const noexcept {
        return which == dialect::postgres ? postgres : sqlite;
    }
};

/// A column's own name.
struct named_column {
    member_id member = 0;
    dialect_text name;

    /// The same column is called something else on SQLite.
    [[nodiscard]] consteval named_column on_sqlite(const char* other) const {
        named_column changed = *this;
        changed.name.sqlite = other;
        return changed;
    }
};

/// Names the column of one member, unquoted: `column_name<&T::m>("X")`.
template <auto Member>
[[nodiscard]] consteval named_column column_name(const char* name) {
    return {id_of<Member>, {name, name}};
}

/// `static constexpr auto columns = winnow::columns(column_name<&T::m>("X"), …);`
template <class... Columns>
[[nodiscard]] consteval auto columns(Columns... named) {
    return std::array<named_column, sizeof...(Columns)>{named...};
}

}  // namespace winnow::inline v0
