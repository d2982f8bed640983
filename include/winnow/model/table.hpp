// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "winnow/core/dialect.hpp"

namespace winnow::inline v0 {

/// A table's name as the database spells it, unquoted.
struct table_declaration {
    dialect_text name;
    dialect_text schema;

    /// The table is called something else on SQLite.
    [[nodiscard]] consteval table_declaration on_sqlite(const char* other) const {
        table_declaration changed = *this;
        changed.name.sqlite = other;
        return changed;
    }
    /// Schema on PostgreSQL. Without it the connection's search path decides.
    [[nodiscard]] consteval table_declaration in_schema(const char* schema_name) const {
        table_declaration changed = *this;
        changed.schema.postgres = schema_name;
        return changed;
    }
    /// Name of the attached database on SQLite. Without it the main one.
    [[nodiscard]] consteval table_declaration in_attached(const char* database_name) const {
        table_declaration changed = *this;
        changed.schema.sqlite = database_name;
        return changed;
    }
};

/// `static constexpr auto table = winnow::table("invoice_line").on_sqlite("InvoiceLine").in_schema("music");`
[[nodiscard]] consteval table_declaration table(const char* name) { return {{name, name}, {}}; }

}  // namespace winnow::inline v0
