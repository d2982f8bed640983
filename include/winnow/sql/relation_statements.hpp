// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/sql/parts.hpp"
#include "winnow/sql/statement_names.hpp"
#include "winnow/sql/writer.hpp"

namespace winnow::inline v0 {

/// True if a reference can be made null: one of its columns is optional. Of a composite reference only
/// the optional columns are set to null; a reference with any null column refers to nothing.
[[nodiscard]] constexpr bool is_nullable(const relation& of) noexcept {
    for (const column& one : of.columns) {
        if (one.optional) return true;
    }
    return false;
}

/// True if a relation of this kind and shape has this statement.
///
/// Children that are deleted have all but `nullify` (only where the reference is nullable: unlinking in
/// a cycle, R16), `descend` and `reach_outside` (only to the model itself). Children that stay have what finds, counts
/// and unlinks them. An external relation has none.
[[nodiscard]] constexpr bool has_statement(relation_statement which, const relation& of, const plan& child) noexcept {
    if (of.kind == relation_kind::external || of.columns.empty() || child.primary_key.empty()) return false;
    switch (which) {
        case relation_statement::fetch_first:
        case relation_statement::fetch_next:
        case relation_statement::count:
        case relation_statement::exists: return true;
        case relation_statement::nullify:
        case relation_statement::nullify_some:
            return (of.kind == relation_kind::set_null || of.kind == relation_kind::cascade) && is_nullable(of);
        case relation_statement::nullify_keys:
            return child.replication != nullptr &&
                   (of.kind == relation_kind::set_null || of.kind == relation_kind::cascade) && is_nullable(of);
        case relation_statement::descend:
        case relation_statement::reach_outside: return of.kind == relation_kind::cascade && of.parent == of.child;
        case relation_statement::lock:
            return of.kind == relation_kind::cascade ||
                   (of.kind == relation_kind::set_null && child.replication != nullptr);
        case relation_statement::hold:
        case relation_statement::remove:
        case relation_statement::remove_some:
        case relation_statement::remove_some_by_key:
        case relation_statement::remove_unlocked: return of.kind == relation_kind::cascade;
    }
    return false;
}

namespace detail {

/// Writes the statements of one relation in one dialect.
class relation_writer {
public:
    constexpr relation_writer(writer& out, const relation& of, const plan& child, dialect to) noexcept
        : out_(out),
          of_(of),
          child_(child),
          to_(to),
          reference_(of.columns),
          key_(key_columns(child)),
          table_(child.quoted_table[to]),
          postgres_(to == dialect::postgres),
          parents_(set_parameters(of.columns.size(), to)) {}

    constexpr void fetch(bool next) {
        out_.append("SELECT ");
        write_list(out_, identity_columns(child_), to_);
        where_child_of(1);
        std::size_t parameter = 1 + parents_;
        if (next) {
            out_.append(" AND ");
            write_tuple(out_, key_, to_);
            out_.append(child_.newest_first ? " < " : " > ");
            if (key_.size() > 1) out_.append("(");
            for (std::size_t i = 0; i < key_.size(); ++i) {
                if (i != 0) out_.append(", ");
                write_placeholder(out_, parameter++, to_);
            }
            if (key_.size() > 1) out_.append(")");
        }
        out_.append(" ORDER BY ");
        write_list(out_, key_, to_, {}, child_.newest_first ? " DESC" : "");
        limit(parameter);
    }

    constexpr void lock(std::string_view strength) {
        out_.append("SELECT ");
        write_list(out_, identity_columns(child_), to_);
        out_.append(" FROM ").append(table_).append(" WHERE ");
        write_member_of(out_, key_, 1, to_);
        out_.append(" AND ");
        child_of(1 + set_parameters(key_.size(), to_), membership::checks);
        out_.append(" ORDER BY ");
        write_list(out_, key_, to_);
        if (postgres_) out_.append(strength);
    }

    constexpr void remove() {
        out_.append("DELETE");
        where_child_of(1);
    }

    constexpr void remove_some(std::string_view locked) {
        out_.append("DELETE FROM ").append(table_).append(" WHERE ");
        chosen_by_address(locked);
    }

    constexpr void remove_some_by_key() {
        // An ARRAY and a materialized query are evaluated once; a plain IN (… LIMIT) may be run again
        // for each row and choose other rows each time.
        const bool apart = postgres_ && key_.size() > 1;
        if (apart) {
            out_.append("WITH winnow_chosen AS MATERIALIZED (");
            some(key_, {});
            out_.append(") ");
        }
        out_.append("DELETE FROM ").append(table_).append(" WHERE ");
        write_tuple(out_, key_, to_);
        if (apart) {
            out_.append(" IN (SELECT * FROM winnow_chosen)");
        } else {
            out_.append(postgres_ ? " = ANY(ARRAY(" : " IN (");
            some(key_, {});
            out_.append(postgres_ ? "))" : ")");
        }
        recheck();
    }

    constexpr void nullify(bool limited) {
        set_null();
        if (limited) {
            chosen_by_address({});
        } else {
            child_of(1);
        }
    }

    constexpr void nullify_keys() {
        set_null();
        write_member_of(out_, key_, 1, to_);
        out_.append(" AND ");
        child_of(1 + set_parameters(key_.size(), to_), membership::checks);
    }

    constexpr void count() {
        out_.append("SELECT count(*) FROM (SELECT 1");
        where_child_of(1);
        limit(1 + parents_);
        out_.append(") AS counted");
    }

    constexpr void exists() {
        out_.append("SELECT EXISTS (SELECT 1");
        where_child_of(1);
        out_.append(postgres_ ? ")::integer" : ")");
    }

    constexpr void descend() {
        const column_list identity = identity_columns(child_);
        out_.append("WITH RECURSIVE winnow_below(");
        for (std::size_t i = 0; i < identity.size(); ++i) out_.append("i").append_number(i).append(", ");
        for (std::size_t i = 0; i < reference_.size(); ++i) out_.append(i != 0 ? ", r" : "r").append_number(i);
        out_.append(") AS (SELECT ");
        write_list(out_, identity, to_);
        out_.append(", ");
        write_list(out_, reference_, to_);
        where_child_of(1);
        // OFFSET 0 keeps PostgreSQL from joining each level with the whole table: by the index, row by row,
        // is right for a level of one row and not wrong for a level of many.
        out_.append(postgres_ ? " UNION SELECT x.* FROM winnow_below CROSS JOIN LATERAL (SELECT " : " UNION SELECT ");
        write_list(out_, identity, to_, "n.");
        out_.append(", ");
        write_list(out_, reference_, to_, "n.");
        if (!postgres_) out_.append(" FROM winnow_below JOIN ").append(table_).append(" AS n ON ");
        if (postgres_) out_.append(" FROM ").append(table_).append(" AS n WHERE ");
        for (std::size_t i = 0; i < reference_.size(); ++i) {
            if (i != 0) out_.append(" AND ");
            out_.append("n.").append(reference_[i].quoted[to_]).append(" = winnow_below.i");
            out_.append_number(position_in_identity(i));
        }
        write_filters(out_, of_.filters, to_, "n.");
        if (postgres_) out_.append(" OFFSET 0) AS x");
        // SQLite runs the recursion to its end unless the limit is part of it; PostgreSQL allows the
        // limit only outside, and stops when no more rows are asked for.
        if (!postgres_) limit(1 + parents_);
        out_.append(") SELECT * FROM winnow_below");
        if (postgres_) limit(1 + parents_);
    }

    constexpr void reach_outside() {
        out_.append("SELECT DISTINCT ");
        write_list(out_, reference_, to_);
        where_child_of(1);
        out_.append(" AND NOT ");
        if (key_.size() > 1) out_.append("(");
        write_member_of(out_, key_, 1 + parents_, to_, membership::checks);
        if (key_.size() > 1) out_.append(")");
    }

private:
    /// `UPDATE t SET reference = NULL WHERE `.
    constexpr void set_null() {
        out_.append("UPDATE ").append(table_).append(" SET ");
        bool first = true;
        for (const column& one : of_.columns) {
            if (!one.optional) continue;
            if (!first) out_.append(", ");
            first = false;
            out_.append(one.quoted[to_]).append(" = NULL");
        }
        out_.append(" WHERE ");
    }
    /// ` FROM t WHERE (reference in PARENTS) AND filters`.
    constexpr void where_child_of(std::size_t first) {
        out_.append(" FROM ").append(table_).append(" WHERE ");
        child_of(first);
    }
    constexpr void child_of(std::size_t first, membership use = membership::finds) {
        write_member_of(out_, reference_, first, to_, use);
        write_filters(out_, of_.filters, to_);
    }
    constexpr void limit(std::size_t parameter) {
        out_.append(" LIMIT ");
        write_placeholder(out_, parameter, to_);
    }
    /// The first `limit` rows' `columns`.
    constexpr void some(const column_list& columns, std::string_view locked) {
        out_.append("SELECT ");
        write_list(out_, columns, to_);
        where_child_of(1);
        limit(1 + parents_);
        out_.append(locked);
    }
    constexpr void chosen_by_address(std::string_view locked) {
        out_.append(postgres_ ? "ctid = ANY(ARRAY(SELECT ctid" : "rowid IN (SELECT rowid");
        where_child_of(1);
        limit(1 + parents_);
        if (postgres_) out_.append(locked);
        out_.append(postgres_ ? "))" : ")");
        recheck();
    }
    /// On PostgreSQL a row may have been moved to another parent between choosing and deleting (R4), and
    /// an address is unique in one partition only. SQLite has one writer.
    constexpr void recheck() {
        if (!postgres_) return;
        out_.append(" AND ");
        child_of(1, membership::checks);
    }
    /// Where the column that reference column `position` refers to is in the identity. Without named
    /// columns it refers to the primary key, which comes first.
    [[nodiscard]] constexpr std::size_t position_in_identity(std::size_t position) const {
        if (of_.referenced.empty()) return position;
        const column_list identity = identity_columns(child_);
        for (std::size_t i = 0; i < identity.size(); ++i) {
            if (identity[i].quoted[to_] == of_.referenced[position].quoted[to_]) return i;
        }
        return position;
    }

    writer& out_;
    const relation& of_;
    const plan& child_;
    dialect to_;
    column_list reference_;
    column_list key_;
    std::string_view table_;
    bool postgres_;
    std::size_t parents_;
};

}  // namespace detail

/// Appends one statement of a relation, over the child's table.
///
/// Reads kind, models, columns, referenced columns and filters of `of`, and names, columns, key,
/// identity and order of `child`; the statements of both may still be empty. Writes nothing where the
/// relation has no such statement (`has_statement`). Parameters are numbered from 1 in the order that
/// `relation_statements` documents.
constexpr void write_relation_statement(writer& out, relation_statement which, const relation& of, const plan& child,
                                        dialect to) {
    if (!has_statement(which, of, child)) return;
    detail::relation_writer write(out, of, child, to);
    switch (which) {
        case relation_statement::fetch_first: write.fetch(false); return;
        case relation_statement::fetch_next: write.fetch(true); return;
        case relation_statement::lock: write.lock(" FOR UPDATE"); return;
        case relation_statement::hold: write.lock(" FOR NO KEY UPDATE"); return;
        case relation_statement::remove: write.remove(); return;
        case relation_statement::remove_some: write.remove_some({}); return;
        case relation_statement::remove_some_by_key: write.remove_some_by_key(); return;
        case relation_statement::remove_unlocked: write.remove_some(" FOR UPDATE SKIP LOCKED"); return;
        case relation_statement::nullify: write.nullify(false); return;
        case relation_statement::nullify_some: write.nullify(true); return;
        case relation_statement::nullify_keys: write.nullify_keys(); return;
        case relation_statement::count: write.count(); return;
        case relation_statement::exists: write.exists(); return;
        case relation_statement::descend: write.descend(); return;
        case relation_statement::reach_outside: write.reach_outside(); return;
    }
}

}  // namespace winnow::inline v0
