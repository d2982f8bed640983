// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/sql/parts.hpp"
#include "winnow/sql/statement_names.hpp"
#include "winnow/sql/writer.hpp"

namespace winnow::inline v0 {

/// Appends one statement over a model's own rows.
///
/// Reads names, columns, primary key, identity and status of `of`; its statements may still be empty.
/// Writes nothing where the statement does not apply: `mark` without a status column. Parameters are
/// numbered from 1 in the order that `row_statements` documents.
constexpr void write_row_statement(writer& out, row_statement which, const plan& of, dialect to) {
    const column_list key = key_columns(of);
    if (key.empty()) return;
    const auto select = [&](const column_list& columns, std::string_view postgres_lock) {
        out.append("SELECT ");
        write_list(out, columns, to);
        out.append(" FROM ").append(of.quoted_table[to]).append(" WHERE ");
        write_member_of(out, key, 1, to);
        out.append(" ORDER BY ");
        write_list(out, key, to);
        if (to == dialect::postgres) out.append(postgres_lock);
    };
    switch (which) {
        case row_statement::read: select(column_list(of.columns), ""); return;
        case row_statement::lock: select(identity_columns(of), " FOR UPDATE"); return;
        case row_statement::hold: select(column_list(of.columns), " FOR NO KEY UPDATE"); return;
        case row_statement::remove:
            out.append("DELETE FROM ").append(of.quoted_table[to]).append(" WHERE ");
            write_member_of(out, key, 1, to);
            return;
        case row_statement::count:
            out.append("SELECT count(*) FROM ").append(of.quoted_table[to]).append(" WHERE ");
            write_member_of(out, key, 1, to);
            return;
        case row_statement::mark: {
            if (!of.status) return;
            const std::string_view status = of.columns[static_cast<std::size_t>(of.status.index)].quoted[to];
            out.append("UPDATE ").append(of.quoted_table[to]).append(" SET ").append(status).append(" = ");
            write_placeholder(out, 1, to);
            out.append(" WHERE ");
            write_member_of(out, key, 2, to);
            out.append(" AND ").append(status).append(to == dialect::postgres ? " IS DISTINCT FROM " : " IS NOT ");
            write_placeholder(out, 1, to);
            return;
        }
    }
}

}  // namespace winnow::inline v0
