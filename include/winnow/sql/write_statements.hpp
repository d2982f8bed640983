// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/sql/parts.hpp"
#include "winnow/sql/writer.hpp"

namespace winnow::inline v0 {

/// The members of `write_statements`, in their order.
enum class write_statement : std::uint8_t {
    insert,
    insert_generated,
    update,
    hold,
    insert_rows,
    insert_rows_generated,
    update_rows,
};

/// All of them.
inline constexpr write_statement all_write_statements[] = {
    write_statement::insert,      write_statement::insert_generated, write_statement::update,
    write_statement::hold,        write_statement::insert_rows,      write_statement::insert_rows_generated,
    write_statement::update_rows,
};

/// Whether the database can make the model's key: one integer column.
[[nodiscard]] constexpr bool has_generated_key(const plan& of) noexcept {
    if (of.primary_key.size() != 1) return false;
    const value_kind kind = of.columns[of.primary_key[0]].kind;
    return kind == value_kind::integer64 || kind == value_kind::integer32;
}

namespace detail {

/// Writes the statements that write rows of one model, in one dialect.
class row_write_writer {
public:
    constexpr row_write_writer(writer& out, const plan& of, dialect to) noexcept
        : out_(out), of_(of), to_(to), postgres_(to == dialect::postgres) {}

private:
    // The helpers stand before what calls them: clang instantiates a template that is defined later too late for
    // constants.

    /// SQLite gets sets as JSON, which carries neither bytes nor every real number.
    [[nodiscard]] constexpr bool has_sets() const {
        if (postgres_) return true;
        for (const column& one : of_.columns) {
            if (one.kind == value_kind::blob || one.kind == value_kind::real) return false;
        }
        return true;
    }
    [[nodiscard]] constexpr bool is_key(std::size_t column) const {
        for (const std::uint16_t index : of_.primary_key) {
            if (index == column) return true;
        }
        return false;
    }
    /// A key is what a row is found by, and a shard never changes (rule 8).
    [[nodiscard]] constexpr bool is_set(std::size_t column) const {
        return !is_key(column) && (of_.replication == nullptr || of_.replication->shard != column);
    }
    template <class Each>
    constexpr void each_column(bool without_key, const Each& each) {
        for (std::size_t i = 0; i < of_.columns.size(); ++i) {
            if (!without_key || !is_key(i)) each(i);
        }
    }
    constexpr void into() { out_.append("INSERT INTO ").append(of_.quoted_table[to_]); }
    constexpr void returning() { out_.append(" RETURNING ").append(of_.columns[of_.primary_key[0]].quoted[to_]); }
    constexpr void names(bool without_key) {
        bool first = true;
        each_column(without_key, [&](std::size_t i) {
            if (!first) out_.append(", ");
            first = false;
            out_.append(of_.columns[i].quoted[to_]);
        });
    }
    constexpr void value_of(std::size_t column, std::size_t number) {
        // SQLite is sent bytes as text, whatever they are.
        const bool bytes = !postgres_ && of_.columns[column].kind == value_kind::blob;
        if (bytes) out_.append("CAST(");
        write_placeholder(out_, number, to_);
        if (bytes) out_.append(" AS BLOB)");
    }
    /// One column of a set of rows that have `width` of them.
    constexpr void from_set(std::size_t column, std::size_t position, std::size_t width) {
        if (!postgres_) {
            if (width == 1) out_.append("s.value");
            else out_.append("json_extract(s.value, '$[").append_number(position).append("]')");
            return;
        }
        out_.append("s.c").append_number(column);
        // Not jsonb: a json column keeps its text, and to jsonb it is turned on the way into the table.
        if (of_.columns[column].kind == value_kind::json) out_.append("::json");
    }
    template <class Value>
    constexpr void set(const Value& value, std::string_view own = {}) {
        bool first = true;
        for (std::size_t i = 0; i < of_.columns.size(); ++i) {
            if (!is_set(i)) continue;
            out_.append(first ? "" : ", ").append(of_.columns[i].quoted[to_]).append(" = ");
            first = false;
            value(i);
        }
        if (!first) return;
        const std::string_view key = of_.columns[of_.primary_key[0]].quoted[to_];
        out_.append(key).append(" = ").append(own).append(key);
    }
    constexpr void set_of_rows(bool without_key, bool numbered) {
        if (!postgres_) {
            out_.append("json_each(?1) AS s");
            return;
        }
        out_.append("unnest(");
        std::size_t number = 0;
        each_column(without_key, [&](std::size_t i) {
            if (number != 0) out_.append(", ");
            write_placeholder(out_, ++number, to_);
            out_.append("::").append(postgres_type(of_.columns[i].kind)).append("[]");
        });
        out_.append(numbered ? ") WITH ORDINALITY AS s(" : ") AS s(");
        bool first = true;
        each_column(without_key, [&](std::size_t i) {
            out_.append(first ? "c" : ", c").append_number(i);
            first = false;
        });
        out_.append(numbered ? ", n)" : ")");
    }

public:
    constexpr void insert(bool generated) {
        if (generated && !has_generated_key(of_)) return;
        into();
        if (generated && of_.columns.size() == 1) {
            out_.append(" DEFAULT VALUES");
        } else {
            out_.append(" (");
            names(generated);
            out_.append(") VALUES (");
            std::size_t number = 0;
            each_column(generated, [&](std::size_t i) {
                if (number != 0) out_.append(", ");
                value_of(i, ++number);
            });
            out_.append(")");
        }
        if (generated) returning();
    }
    constexpr void update() {
        out_.append("UPDATE ").append(of_.quoted_table[to_]).append(" SET ");
        set([&](std::size_t i) { value_of(i, i + 1); });
        out_.append(" WHERE ");
        bool first = true;
        for (std::size_t i = 0; i < of_.columns.size(); ++i) {
            if (is_set(i)) continue;
            if (!first) out_.append(" AND ");
            first = false;
            out_.append(of_.columns[i].quoted[to_]).append(" = ");
            write_placeholder(out_, i + 1, to_);
        }
    }
    constexpr void hold() {
        out_.append("SELECT ");
        write_list(out_, key_columns(of_), to_);
        if (of_.replication != nullptr) out_.append(", ").append(of_.columns[of_.replication->shard].quoted[to_]);
        for (const remote_relation& one : of_.remotes) out_.append(", ").append(one.reference.quoted[to_]);
        out_.append(" FROM ").append(of_.quoted_table[to_]).append(" WHERE ");
        write_member_of(out_, key_columns(of_), 1, to_);
        out_.append(" ORDER BY ");
        write_list(out_, key_columns(of_), to_);
        if (postgres_) out_.append(" FOR NO KEY UPDATE");
    }
    constexpr void insert_rows(bool generated) {
        if (!has_sets() || (generated && (!has_generated_key(of_) || of_.columns.size() == 1))) return;
        into();
        out_.append(" (");
        names(generated);
        out_.append(") SELECT ");
        std::size_t position = 0;
        each_column(generated, [&](std::size_t i) {
            if (position != 0) out_.append(", ");
            from_set(i, position++, of_.columns.size() - (generated ? 1 : 0));
        });
        out_.append(" FROM ");
        set_of_rows(generated, true);
        // Keys are made in the order of the rows, so that each can be told which one it got.
        if (postgres_) out_.append(" ORDER BY s.n");
        if (generated) returning();
    }
    constexpr void update_rows() {
        if (!has_sets()) return;
        out_.append("UPDATE ").append(of_.quoted_table[to_]).append(" AS t SET ");
        set([&](std::size_t i) { from_set(i, i, of_.columns.size()); }, "t.");
        out_.append(" FROM ");
        set_of_rows(false, false);
        out_.append(" WHERE ");
        bool first = true;
        for (const std::uint16_t i : of_.primary_key) {
            if (!first) out_.append(" AND ");
            first = false;
            out_.append("t.").append(of_.columns[i].quoted[to_]).append(" = ");
            from_set(i, i, of_.columns.size());
        }
    }

private:
    writer& out_;
    const plan& of_;
    dialect to_;
    bool postgres_;
};

}  // namespace detail

/// Appends one statement that writes rows of a model. Reads names, columns and primary key of `of`, the shard of its
/// replication and the references of its remote relations; their statements may still be empty.
constexpr void write_write_statement(writer& out, write_statement which, const plan& of, dialect to) {
    detail::row_write_writer write(out, of, to);
    switch (which) {
        case write_statement::insert: write.insert(false); return;
        case write_statement::insert_generated: write.insert(true); return;
        case write_statement::update: write.update(); return;
        case write_statement::hold: write.hold(); return;
        case write_statement::insert_rows: write.insert_rows(false); return;
        case write_statement::insert_rows_generated: write.insert_rows(true); return;
        case write_statement::update_rows: write.update_rows(); return;
    }
}

}  // namespace winnow::inline v0
