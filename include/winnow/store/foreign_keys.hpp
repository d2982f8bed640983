// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/plan/value.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/facts.hpp"

namespace winnow::inline v0 {

/// A foreign key that stands in the way: whose rows still refer to whom.
struct blocking_reference {
    std::string table;       ///< the referring (child) table, schema-qualified where it is not the default
    std::string columns;     ///< its columns, separated by ", "
    std::string referenced;  ///< the table referred to
    std::string constraint;  ///< the key's name; empty on SQLite, whose keys have none that can be asked for

    /// `note.project_id refers to project`, with the name when there is one.
    [[nodiscard]] std::string text() const {
        std::string out = table + '.' + columns + " refers to " + referenced;
        if (!constraint.empty()) out.append(" (\"").append(constraint).append("\")");
        return out;
    }
};

/// A name as an SQL identifier: in double quotes, quotes inside doubled.
[[nodiscard]] inline std::string quoted_name(std::string_view name) {
    std::string out = "\"";
    for (const char c : name) out.append(c == '"' ? 2 : 1, c);
    return out += '"';
}

/// SQLite: the first row that refers to nothing, for a commit that a deferred key refused (S3). To be
/// asked inside the transaction, before its rollback. Reads child tables until it finds one.
[[nodiscard]] inline std::optional<blocking_reference> find_dangling_reference(connection& session) {
    const rows found = session.execute(
        "SELECT c.\"table\", (SELECT group_concat(\"from\", ', ') FROM pragma_foreign_key_list(c.\"table\") "
        "WHERE id = c.fkid), c.parent FROM pragma_foreign_key_check AS c LIMIT 1");
    if (found.empty()) return std::nullopt;
    return blocking_reference{found.text(0, 0), found.text(0, 1), found.text(0, 2), {}};
}

/// SQLite: adds to the error of a refused commit which table and columns refused it, when that can be
/// found out within the connection's limits. Throws nothing; inside the transaction, before its rollback.
inline void name_dangling_reference(connection& session, error& problem) noexcept {
    try {
        const auto found = find_dangling_reference(session);
        if (!found) return;
        error named(problem.kind(), std::string(problem.what()) + ": " + found->text());
        named.with_table(found->table).with_constraint(found->columns).with_statement(problem.statement());
        named.with_sqlstate(problem.sqlstate()).with_hint("Delete or re-point the rows of " + found->table + " first.");
        problem = named;
    } catch (...) {  // the first error says what happened; this one only that its look failed
        return;
    }
}

/// SQLite: which table's rows kept a DELETE of these rows from happening ("FOREIGN KEY constraint failed"
/// names nothing, S3). Walks every foreign key that refers to `table` and probes it with EXISTS; one
/// probe per key. To be asked inside the transaction whose statement failed.
/// \param table        the parent table, unquoted
/// \param key_columns  its key columns, unquoted, as many as `keys` is wide
/// \param keys         the rows that were to be deleted
[[nodiscard]] inline std::optional<blocking_reference> find_blocking_reference(
    connection& session, std::string_view table, std::span<const std::string_view> key_columns, const key_set& keys) {
    if (keys.empty() || key_columns.size() != keys.width()) return std::nullopt;
    const rows columns = session.execute(
        "SELECT t.name, f.id, f.\"from\", coalesce(f.\"to\", (SELECT p.name FROM pragma_table_info(?1) AS p "
        "WHERE p.pk = f.seq + 1)) FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f "
        "WHERE t.type = 'table' AND lower(f.\"table\") = lower(?1) ORDER BY t.name, f.id, f.seq",
        {table});
    for (std::size_t row = 0; row < columns.size();) {
        const std::string child = columns.text(row, 0);
        const std::int64_t id = columns.integer(row, 1);
        std::string join;
        std::string names;
        for (; row < columns.size() && columns.text(row, 0) == child && columns.integer(row, 1) == id; ++row) {
            join += (join.empty() ? "" : " AND ") + ("c." + quoted_name(columns.text(row, 2))) + " = p." +
                    quoted_name(columns.text(row, 3));
            names += (names.empty() ? "" : ", ") + columns.text(row, 2);
        }
        std::string chosen;
        for (std::size_t i = 0; i < key_columns.size(); ++i) {
            chosen += (i == 0 ? "p." : " AND p.") + quoted_name(key_columns[i]) + " = " +
                      (keys.width() == 1 ? "j.value" : "json_extract(j.value, '$[" + std::to_string(i) + "]')");
        }
        std::string unlike_itself;
        if (same_name(child, table) && keys.width() == 1) {  // rows that go together do not hold each other
            unlike_itself = " AND c." + quoted_name(key_columns[0]) + " NOT IN (SELECT value FROM json_each(?1))";
        }
        const rows held = session.execute_once("SELECT EXISTS (SELECT 1 FROM json_each(?1) AS j JOIN " +
                                                   quoted_name(table) + " AS p ON " + chosen + " JOIN " +
                                                   quoted_name(child) + " AS c ON " + join + unlike_itself + ")",
                                               {keys});
        if (held.integer(0, 0) != 0) return blocking_reference{child, names, std::string(table), {}};
    }
    return std::nullopt;
}

}  // namespace winnow::inline v0
