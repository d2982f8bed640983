// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/core/text_search.hpp"
#include "winnow/sql/writer.hpp"

namespace winnow::inline v0 {

/// Why a text cannot be the name of a table, a column or a schema.
enum class identifier_fault : std::uint8_t {
    none,
    empty,     ///< no characters
    has_nul,   ///< a NUL character would end the statement
    too_long,  ///< PostgreSQL keeps 63 bytes and cuts the rest off without an error
};

[[nodiscard]] constexpr std::string_view describe(identifier_fault fault) noexcept {
    switch (fault) {
        case identifier_fault::none: return "is a valid name";
        case identifier_fault::empty: return "is empty";
        case identifier_fault::has_nul: return "contains a NUL character";
        case identifier_fault::too_long: return "is longer than the 63 bytes that PostgreSQL keeps";
    }
    return "is not a valid name";
}

/// Bytes of a name that PostgreSQL keeps.
inline constexpr std::size_t longest_postgres_name = 63;

/// Checks one name, unquoted, for one dialect. Reserved words and any case are allowed: names are
/// always quoted.
[[nodiscard]] constexpr identifier_fault check_identifier(std::string_view name, dialect which) noexcept {
    if (name.empty()) return identifier_fault::empty;
    if (position_in(name, '\0') != std::string_view::npos) return identifier_fault::has_nul;
    if (which == dialect::postgres && name.size() > longest_postgres_name) return identifier_fault::too_long;
    return identifier_fault::none;
}

/// Appends `name` in double quotes, quotes within it doubled: both dialects read it the same way.
constexpr void write_quoted(writer& out, std::string_view name) {
    out.append("\"");
    for (std::size_t quote = position_in(name, '"'); quote != std::string_view::npos; quote = position_in(name, '"')) {
        out.append(name.substr(0, quote + 1)).append("\"");
        name.remove_prefix(quote + 1);
    }
    out.append(name).append("\"");
}

/// Appends a quoted table name, with its schema (SQLite: attached database) in front if there is one.
constexpr void write_qualified(writer& out, std::string_view schema, std::string_view table) {
    if (!schema.empty()) {
        write_quoted(out, schema);
        out.append(".");
    }
    write_quoted(out, table);
}

/// Appends `text` as an SQL string literal. PostgreSQL must have `standard_conforming_strings` on,
/// its default.
constexpr void write_literal(writer& out, std::string_view text) {
    out.append("'");
    for (std::size_t quote = position_in(text, '\''); quote != std::string_view::npos;
         quote = position_in(text, '\'')) {
        out.append(text.substr(0, quote + 1)).append("'");
        text.remove_prefix(quote + 1);
    }
    out.append(text).append("'");
}

}  // namespace winnow::inline v0
