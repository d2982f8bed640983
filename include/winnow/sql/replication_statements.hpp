// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/replication.hpp"
#include "winnow/sql/parts.hpp"
#include "winnow/sql/writer.hpp"

namespace winnow::inline v0 {

namespace detail {

constexpr void append_signed(writer& out, std::int64_t number) {
    if (number < 0) out.append("-");
    out.append_number(number < 0 ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number));
}

/// Writes the statements of one replicated model's source table in one dialect.
class replication_writer {
public:
    constexpr replication_writer(writer& out, const replication& of, const plan& source, dialect to) noexcept
        : out_(out),
          of_(of),
          source_(source),
          to_(to),
          key_(source.columns[source.primary_key[0]].quoted[to]),
          shard_(source.columns[of.shard].quoted[to]),
          postgres_(to == dialect::postgres) {}

    /// `number` is that of the parameter CELLS; `where` appends the condition on the rows.
    template <class Where>
    constexpr void produce(std::size_t number, const Where& where) {
        out_.append("INSERT INTO winnow_").append(name_of(source_.silo));
        out_.append("_outbox (shard_scope, shard_identifier, category, object_identifier, cell_name, payload) SELECT ");
        append_signed(out_, of_.scope);
        out_.append(", t.").append(shard_).append(", ");
        append_signed(out_, of_.category);
        out_.append(", t.").append(key_).append(postgres_ ? ", c.name, " : ", c.value, ");
        payload();
        // The rows apart: a column of theirs may be called like one of the list of cells.
        out_.append(" FROM (SELECT * FROM ").append(source_.quoted_table[to_]).append(" WHERE ");
        where();
        out_.append(") AS t CROSS JOIN ").append(postgres_ ? "unnest(" : "json_each(");
        write_placeholder(out_, number, to_);
        out_.append(postgres_ ? "::text[]) AS c(name)" : ") AS c").append(" ORDER BY t.").append(shard_);
        out_.append(", t.").append(key_);
    }
    constexpr void by_keys() {
        produce(2, [&] { write_member_of(out_, key_columns(source_), 1, to_); });
    }
    constexpr void by_range() {
        produce(3, [&] { between(); });
    }
    constexpr void batch() {
        out_.append("SELECT count(*), max(").append(key_).append(") FROM (SELECT ").append(key_).append(" FROM ");
        out_.append(source_.quoted_table[to_]).append(" WHERE ");
        between();
        out_.append(" ORDER BY ").append(key_).append(" LIMIT ");
        write_placeholder(out_, 3, to_);
        out_.append(") AS batch");
    }
    constexpr void bounds() {
        out_.append("SELECT min(").append(key_).append("), max(").append(key_).append(") FROM ");
        out_.append(source_.quoted_table[to_]);
    }

private:
    constexpr void between() {
        out_.append(key_).append(" >= ");
        write_placeholder(out_, 1, to_);
        out_.append(" AND ").append(key_).append(" <= ");
        write_placeholder(out_, 2, to_);
    }
    constexpr void payload() {
        if (of_.payload.empty()) {
            out_.append("NULL");
            return;
        }
        out_.append(postgres_ ? "jsonb_build_object(" : "json_object(");
        for (std::size_t i = 0; i < of_.payload.size(); ++i) {
            const column& one = source_.columns[of_.payload[i]];
            if (i != 0) out_.append(", ");
            out_.append("'");
            for (const char c : one.name[to_])
                out_.append(c == '\'' ? std::string_view("''") : std::string_view(&c, 1));
            out_.append("', ");
            const bool json = one.kind == value_kind::json;
            if (json && !postgres_) out_.append("json(");
            out_.append("t.").append(one.quoted[to_]);
            if (json) out_.append(postgres_ ? "::jsonb" : ")");
        }
        out_.append(")");
    }

    writer& out_;
    const replication& of_;
    const plan& source_;
    dialect to_;
    std::string_view key_;
    std::string_view shard_;
    bool postgres_;
};

/// Writes the statements of a mirror's table in one dialect.
class mirror_writer {
public:
    constexpr mirror_writer(writer& out, const mirror_plan& of, std::string_view quoted_table, dialect to) noexcept
        : out_(out), of_(of), table_(quoted_table), to_(to), postgres_(to == dialect::postgres) {}

    constexpr void upsert() {
        out_.append("INSERT INTO ").append(table_).append(" (");
        list(false);
        out_.append(") SELECT ");
        for (std::size_t i = 0; i < of_.columns.size(); ++i) {
            if (i != 0) out_.append(", ");
            if (postgres_) {
                out_.append("s.c").append_number(i);
                if (of_.columns[i].target.kind == value_kind::json) out_.append("::jsonb");
            } else if (of_.columns.size() == 1) {
                out_.append("value");
            } else {
                out_.append("json_extract(value, '$[").append_number(i).append("]')");
            }
        }
        if (postgres_) {
            out_.append(" FROM unnest(");
            for (std::size_t i = 0; i < of_.columns.size(); ++i) {
                if (i != 0) out_.append(", ");
                write_placeholder(out_, 1 + i, to_);
                out_.append("::").append(winnow::postgres_type(of_.columns[i].target.kind)).append("[]");
            }
            out_.append(") AS s(");
            for (std::size_t i = 0; i < of_.columns.size(); ++i) out_.append(i != 0 ? ", c" : "c").append_number(i);
            out_.append(")");
        } else {
            // Without a WHERE the parser takes ON for a join's.
            out_.append(" FROM json_each(?1) WHERE true");
        }
        out_.append(" ON CONFLICT (");
        list(true);
        out_.append(") DO ");
        bool first = true;
        for (const mirrored_column& one : of_.columns) {
            if (one.identifies) continue;
            out_.append(first ? "UPDATE SET " : ", ");
            first = false;
            out_.append(one.target.quoted[to_]).append(" = excluded.").append(one.target.quoted[to_]);
        }
        if (first) out_.append("NOTHING");
    }
    constexpr void erase(std::span<const column> identity) {
        out_.append("DELETE FROM ").append(table_).append(" WHERE ");
        write_member_of(out_, column_list(identity), 1, to_);
    }
    constexpr void read(std::span<const column> identity) {
        out_.append("SELECT ");
        list(false);
        out_.append(" FROM ").append(table_).append(" WHERE ");
        write_member_of(out_, column_list(identity), 1, to_);
    }

private:
    constexpr void list(bool identity_only) {
        bool first = true;
        for (const mirrored_column& one : of_.columns) {
            if (identity_only && !one.identifies) continue;
            if (!first) out_.append(", ");
            first = false;
            out_.append(one.target.quoted[to_]);
        }
    }

    writer& out_;
    const mirror_plan& of_;
    std::string_view table_;
    dialect to_;
    bool postgres_;
};

/// Writes the statements of one remote relation in one dialect.
class remote_writer {
public:
    constexpr remote_writer(writer& out, const remote_relation& of, const plan& referring, dialect to) noexcept
        : out_(out),
          of_(of),
          referring_(referring),
          to_(to),
          key_(key_columns(referring)),
          reference_(std::span<const column>(&of.reference, 1)),
          postgres_(to == dialect::postgres) {}

    constexpr void find() {
        select(false);
        write_member_of(out_, reference_, 1, to_);
        order_and_limit(2);
    }
    constexpr void lock() {
        select(false);
        keys_that_refer();
        out_.append(" ORDER BY ");
        write_list(out_, key_, to_);
        if (postgres_) out_.append(" FOR UPDATE");
    }
    constexpr void nullify() {
        if (!of_.reference.optional) return;
        out_.append("UPDATE ").append(referring_.quoted_table[to_]).append(" SET ").append(of_.reference.quoted[to_]);
        out_.append(" = NULL WHERE ");
        keys_that_refer();
    }
    constexpr void scrub(bool next) {
        select(true);
        out_.append(of_.reference.quoted[to_]).append(" IS NOT NULL");
        std::size_t parameter = 1;
        if (next) {
            out_.append(" AND ");
            write_tuple(out_, key_, to_);
            out_.append(" > ");
            if (key_.size() > 1) out_.append("(");
            for (std::size_t i = 0; i < key_.size(); ++i) {
                if (i != 0) out_.append(", ");
                write_placeholder(out_, parameter++, to_);
            }
            if (key_.size() > 1) out_.append(")");
        }
        order_and_limit(parameter);
    }

private:
    constexpr void select(bool with_reference) {
        out_.append("SELECT ");
        write_list(out_, identity_columns(referring_), to_);
        if (with_reference) out_.append(", ").append(of_.reference.quoted[to_]);
        out_.append(" FROM ").append(referring_.quoted_table[to_]).append(" WHERE ");
    }
    constexpr void keys_that_refer() {
        write_member_of(out_, key_, 1, to_);
        out_.append(" AND ");
        write_member_of(out_, reference_, 1 + set_parameters(key_.size(), to_), to_, membership::checks);
    }
    constexpr void order_and_limit(std::size_t parameter) {
        out_.append(" ORDER BY ");
        write_list(out_, key_, to_);
        out_.append(" LIMIT ");
        write_placeholder(out_, parameter, to_);
    }

    writer& out_;
    const remote_relation& of_;
    const plan& referring_;
    dialect to_;
    column_list key_;
    column_list reference_;
    bool postgres_;
};

}  // namespace detail

/// The members of `replication_statements`, and those of a mirror.
enum class replication_statement : std::uint8_t { produce, produce_range, batch, bounds, upsert, erase, read };

/// All of them.
inline constexpr replication_statement all_replication_statements[] = {
    replication_statement::produce, replication_statement::produce_range, replication_statement::batch,
    replication_statement::bounds,  replication_statement::upsert,        replication_statement::erase,
    replication_statement::read,
};

/// Appends one statement of a replicated model: of `source`'s table, or of the mirror's, which is `copy_table`.
/// `identity` holds those target columns that identify, in their order.
constexpr void write_replication_statement(writer& out, replication_statement which, const replication& of,
                                           const plan& source, dialect_text copy_table,
                                           std::span<const column> identity, dialect to) {
    detail::replication_writer from(out, of, source, to);
    detail::mirror_writer copy(out, of.mirror, copy_table[to], to);
    const bool mirrored = !of.mirror.columns.empty();
    switch (which) {
        case replication_statement::produce: from.by_keys(); return;
        case replication_statement::produce_range: from.by_range(); return;
        case replication_statement::batch: from.batch(); return;
        case replication_statement::bounds: from.bounds(); return;
        case replication_statement::upsert:
            if (mirrored) copy.upsert();
            return;
        case replication_statement::erase:
            if (mirrored) copy.erase(identity);
            return;
        case replication_statement::read:
            if (mirrored) copy.read(identity);
            return;
    }
}

/// The members of `remote_statements`.
enum class remote_statement : std::uint8_t { find, lock, nullify, scrub_next, scrub_first };

/// All of them.
inline constexpr remote_statement all_remote_statements[] = {
    remote_statement::find,       remote_statement::lock,        remote_statement::nullify,
    remote_statement::scrub_next, remote_statement::scrub_first,
};

/// Appends one statement of a remote relation, over the referring model's table.
constexpr void write_remote_statement(writer& out, remote_statement which, const remote_relation& of,
                                      const plan& referring, dialect to) {
    detail::remote_writer write(out, of, referring, to);
    switch (which) {
        case remote_statement::find: write.find(); return;
        case remote_statement::lock: write.lock(); return;
        case remote_statement::nullify: write.nullify(); return;
        case remote_statement::scrub_next: write.scrub(true); return;
        case remote_statement::scrub_first: write.scrub(false); return;
    }
}

}  // namespace winnow::inline v0
