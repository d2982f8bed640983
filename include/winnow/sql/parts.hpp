// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/sql/writer.hpp"

namespace winnow::inline v0 {

/// A list of columns that a statement speaks of: either columns given one by one, or indices into the
/// columns of a plan. Points to what it was made of.
class column_list {
public:
    constexpr column_list() noexcept = default;
    constexpr explicit column_list(std::span<const column> columns) noexcept
        : columns_(columns.data()), size_(columns.size()) {}
    constexpr column_list(const plan& of, std::span<const std::uint16_t> indices) noexcept
        : columns_(of.columns.data()), indices_(indices.data()), size_(indices.size()), by_index_(true) {}

    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] constexpr const column& operator[](std::size_t position) const noexcept {
        return columns_[by_index_ ? indices_[position] : position];
    }

private:
    const column* columns_ = nullptr;
    const std::uint16_t* indices_ = nullptr;
    std::size_t size_ = 0;
    // Not `indices_ != nullptr`: g++ cannot tell that of a constant when it sanitizes.
    bool by_index_ = false;
};

[[nodiscard]] constexpr column_list key_columns(const plan& of) noexcept { return {of, of.primary_key}; }
[[nodiscard]] constexpr column_list identity_columns(const plan& of) noexcept { return {of, of.identity}; }

/// Appends `"a", "b"`, each with `prefix` in front (as `n.`) and `suffix` behind (as ` DESC`).
constexpr void write_list(writer& out, const column_list& columns, dialect to, std::string_view prefix = {},
                          std::string_view suffix = {}) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (i != 0) out.append(", ");
        out.append(prefix).append(columns[i].quoted[to]).append(suffix);
    }
}

/// Appends `"a"`, or `("a", "b")` when there are several.
constexpr void write_tuple(writer& out, const column_list& columns, dialect to, std::string_view prefix = {}) {
    if (columns.size() > 1) out.append("(");
    write_list(out, columns, to, prefix);
    if (columns.size() > 1) out.append(")");
}

/// Appends the placeholder of parameter `number`, counted from 1.
constexpr void write_placeholder(writer& out, std::size_t number, dialect to) {
    out.append(to == dialect::postgres ? "$" : "?").append_number(number);
}

/// PostgreSQL's type for values of a kind, as element of an array parameter.
[[nodiscard]] constexpr std::string_view postgres_type(value_kind kind) noexcept {
    switch (kind) {
        case value_kind::integer32: return "integer";
        case value_kind::integer64: return "bigint";
        case value_kind::boolean: return "boolean";
        case value_kind::real: return "double precision";
        case value_kind::text: return "text";
        case value_kind::uuid: return "uuid";
        case value_kind::json: return "text";
        case value_kind::timestamp: return "timestamptz";
        case value_kind::blob: return "bytea";
    }
    return "text";
}

/// Parameters that a set of `width` columns takes: one array a column on PostgreSQL, one JSON text on SQLite.
[[nodiscard]] constexpr std::size_t set_parameters(std::size_t width, dialect to) noexcept {
    return to == dialect::postgres ? width : 1;
}

namespace detail {

[[nodiscard]] constexpr bool is_held_as_text(value_kind kind) noexcept {
    return kind == value_kind::text || kind == value_kind::uuid || kind == value_kind::json ||
           kind == value_kind::timestamp || kind == value_kind::blob;
}

/// Appends `("a", "b") IN (SELECT json_extract(…), … FROM json_each(` for SQLite.
///
/// SQLite judges the whole tuple by the affinity of its first column: with an integer in front, an index
/// is used up to the first text column only. A text in front, compared with a text, suits all of them.
constexpr void write_sqlite_tuple(writer& out, const column_list& columns, dialect to) {
    std::size_t front = 0;
    std::size_t texts = 0;
    for (std::size_t i = columns.size(); i-- > 0;) {
        if (!is_held_as_text(columns[i].kind)) continue;
        ++texts;
        front = i;
    }
    const bool mixed = texts != 0 && texts != columns.size();
    if (!mixed) front = 0;
    const auto extract = [&](std::size_t i) { out.append("json_extract(value, '$[").append_number(i).append("]')"); };
    out.append("(").append(columns[front].quoted[to]);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (i != front) out.append(", ").append(columns[i].quoted[to]);
    }
    out.append(") IN (SELECT ");
    if (mixed) out.append("CAST(");
    extract(front);
    if (mixed) out.append(" AS TEXT)");
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (i == front) continue;
        out.append(", ");
        extract(i);
    }
    out.append(" FROM json_each(");
}

}  // namespace detail

/// What a set condition is for: finding rows by an index, or checking rows that were found by another one.
enum class membership : std::uint8_t { finds, checks };

/// Appends the condition that `columns` are a member of the set parameter that starts at `first`.
///
/// PostgreSQL: `"c" = ANY($1::bigint[])`, composite `("a", "b") IN (SELECT * FROM unnest($1::integer[], …))`.
/// SQLite: `"c" IN (SELECT value FROM json_each(?1))` for a JSON array of values, composite for a JSON
/// array of arrays.
constexpr void write_member_of(writer& out, const column_list& columns, std::size_t first, dialect to,
                               membership use = membership::finds) {
    if (to == dialect::postgres) {
        // IS TRUE keeps the planner from turning the check into a join that it may drive by the wrong index.
        const bool composite = columns.size() > 1;
        const bool shielded = composite && use == membership::checks;
        if (shielded) out.append("(");
        write_tuple(out, columns, to);
        out.append(composite ? " IN (SELECT * FROM unnest(" : " = ANY(");
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (i != 0) out.append(", ");
            write_placeholder(out, first + i, to);
            out.append("::").append(postgres_type(columns[i].kind)).append("[]");
        }
        out.append(composite ? "))" : ")");
        if (shielded) out.append(") IS TRUE");
        return;
    }
    if (columns.size() == 1) {
        out.append(columns[0].quoted[to]).append(" IN (SELECT value FROM json_each(");
    } else {
        detail::write_sqlite_tuple(out, columns, to);
    }
    write_placeholder(out, first, to);
    out.append("))");
}

/// Appends ` AND "kind" = 3` for each filter.
constexpr void write_filters(writer& out, std::span<const filter> filters, dialect to, std::string_view prefix = {}) {
    for (const filter& one : filters) {
        out.append(" AND ").append(prefix).append(one.where.quoted[to]).append(" = ").append(one.literal);
    }
}

}  // namespace winnow::inline v0
