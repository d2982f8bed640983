// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/plan/value.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/facts.hpp"
#include "winnow/store/foreign_keys.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Reads PostgreSQL's catalogs: a fixed number of statements, whatever the number of tables.
class postgres_inspector {
public:
    postgres_inspector(connection& session, std::span<const table_name> wanted) : session_(session) {
        out_.dialect = dialect::postgres;
        resolve(wanted);
    }

    [[nodiscard]] schema_facts read() && {
        if (!out_.tables.empty()) {
            // Whoever runs a GRANT is somebody else: CURRENT_USER in it would be the wrong one.
            out_.role = session_.execute("SELECT quote_ident(current_user)").text(0, 0);
            read_tables();
            read_heirs();
            read_columns();
            read_indexes();
            read_foreign_keys();
            read_triggers();
            read_rules();
        }
        return std::move(out_);
    }

private:
    void resolve(std::span<const table_name> wanted) {
        key_set names(1);
        for (const table_name& each : wanted) {
            const value name =
                (each.schema.empty() ? std::string() : quoted_name(each.schema) + '.') + quoted_name(each.name);
            names.push_back({&name, 1});
        }
        const rows found = session_.execute(
            "SELECT t.ordinal, to_regclass(t.name)::oid::bigint FROM unnest($1::text[]) WITH ORDINALITY AS t(name, ordinal) "
            "WHERE to_regclass(t.name) IS NOT NULL ORDER BY t.ordinal",
            {names});
        oids_ = key_set(1);
        for (std::size_t row = 0; row < found.size(); ++row) {
            table_facts table;
            table.name = wanted[static_cast<std::size_t>(found.integer(row, 0) - 1)];
            table.identifier = found.integer(row, 1);
            out_.tables.push_back(std::move(table));
            oids_.push_back({&found.at(row, 1), 1});
        }
    }

    /// Calls `use(table, row)` for every table that a row's first column identifies.
    template <class Use> void each_row(const rows& found, Use&& use) {
        for (std::size_t row = 0; row < found.size(); ++row) {
            for (table_facts& table : out_.tables) {
                if (table.identifier == found.integer(row, 0)) use(table, row);
            }
        }
    }

    void read_tables() {
        const rows found = session_.execute(
            "SELECT c.oid::bigint, n.nspname::text, c.relkind::text, c.relpersistence::text, row_security_active(c.oid), "
            "has_table_privilege(c.oid, 'SELECT'), has_table_privilege(c.oid, 'DELETE'), "
            "has_any_column_privilege(c.oid, 'UPDATE'), "
            "EXISTS (SELECT 1 FROM pg_inherits AS i WHERE i.inhrelid = c.oid) AND NOT c.relispartition, "
            "CASE WHEN c.relkind = 'r' AND (c.relreplident = 'n' OR (c.relreplident = 'd' AND NOT EXISTS "
            "(SELECT 1 FROM pg_index AS x WHERE x.indrelid = c.oid AND x.indisprimary))) THEN "
            "(SELECT p.pubname::text FROM pg_publication_tables AS t JOIN pg_publication AS p ON p.pubname = t.pubname "
            "WHERE p.pubdelete AND t.schemaname = n.nspname AND t.tablename = c.relname LIMIT 1) END "
            "FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = ANY($1::oid[])",
            {oids_});
        each_row(found, [&](table_facts& table, std::size_t row) {
            const std::string kind = found.text(row, 2);
            table.schema = found.text(row, 1);
            table.kind = kind == "r"   ? table_kind::table
                         : kind == "p" ? table_kind::partitioned
                         : kind == "v" ? table_kind::view
                         : kind == "m" ? table_kind::materialized_view
                         : kind == "f" ? table_kind::foreign
                                       : table_kind::other;
            table.temporary = found.text(row, 3) == "t";
            table.unlogged = found.text(row, 3) == "u";
            table.row_security = found.integer(row, 4) != 0;
            table.may_select = found.integer(row, 5) != 0;
            table.may_delete = found.integer(row, 6) != 0;
            table.may_lock = found.integer(row, 7) != 0;
            table.inherits = found.integer(row, 8) != 0;
            table.publication_without_identity = found.text(row, 9);
        });
    }

    void read_heirs() {
        const rows found = session_.execute(
            "SELECT i.inhparent::bigint, CASE WHEN pg_table_is_visible(c.oid) THEN '' ELSE n.nspname::text END, c.relname::text "
            "FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace "
            "WHERE i.inhparent = ANY($1::oid[]) AND NOT c.relispartition ORDER BY c.relname",
            {oids_});
        each_row(found, [&](table_facts& table, std::size_t row) {
            table.inherited = true;
            table.heirs.push_back({found.text(row, 1), found.text(row, 2)});
        });
    }

    void read_columns() {
        const rows found = session_.execute(
            "SELECT a.attrelid::bigint, a.attname::text, format_type(CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END, NULL), "
            "a.attnotnull OR t.typnotnull, a.attgenerated <> '' FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid "
            "WHERE a.attrelid = ANY($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attrelid, a.attnum",
            {oids_});
        each_row(found, [&](table_facts& table, std::size_t row) {
            table.columns.push_back(
                {found.text(row, 1), found.text(row, 2), found.integer(row, 3) != 0, found.integer(row, 4) != 0});
        });
    }

    void read_indexes() {
        const rows found = session_.execute(
            "SELECT x.indrelid::bigint, c.relname::text, x.indisunique, x.indisprimary, x.indisvalid AND x.indisready, "
            "x.indpred IS NOT NULL AND pg_get_expr(x.indpred, x.indrelid) <> coalesce(format('(%I IS NOT NULL)', "
            "(SELECT f.attname FROM pg_attribute AS f WHERE f.attrelid = x.indrelid AND f.attnum = x.indkey[0] AND f.attnum > 0)), ''), "
            "m.amname::text = 'btree', k.ordinal, coalesce(a.attname::text, '') FROM pg_index AS x "
            "JOIN pg_class AS c ON c.oid = x.indexrelid JOIN pg_am AS m ON m.oid = c.relam "
            "CROSS JOIN LATERAL unnest(x.indkey::smallint[]) WITH ORDINALITY AS k(number, ordinal) "
            "LEFT JOIN pg_attribute AS a ON a.attrelid = x.indrelid AND a.attnum = k.number AND k.number > 0 "
            "WHERE x.indrelid = ANY($1::oid[]) AND k.ordinal <= x.indnkeyatts ORDER BY x.indrelid, x.indexrelid, k.ordinal",
            {oids_});
        each_row(found, [&](table_facts& table, std::size_t row) {
            if (found.integer(row, 7) == 1) {
                table.indexes.push_back({found.text(row, 1),
                                         {},
                                         found.integer(row, 2) != 0,
                                         found.integer(row, 3) != 0,
                                         found.integer(row, 4) != 0,
                                         found.integer(row, 5) != 0,
                                         found.integer(row, 6) != 0});
            }
            table.indexes.back().columns.push_back(found.text(row, 8));
            if (table.indexes.back().primary) table.primary_key.push_back(found.text(row, 8));
        });
    }

    void read_foreign_keys() {
        // A partition's copy of a key (conparentid) says nothing that the key itself does not say.
        const rows found = session_.execute(
            "SELECT f.oid::bigint, f.conname::text, f.conrelid::bigint, CASE WHEN pg_table_is_visible(f.conrelid) THEN '' ELSE "
            "cn.nspname::text END, cc.relname::text, f.confrelid::bigint, CASE WHEN pg_table_is_visible(f.confrelid) THEN '' "
            "ELSE pn.nspname::text END, pc.relname::text, f.confdeltype::text, f.condeferrable, f.convalidated, NOT EXISTS "
            "(SELECT 1 FROM pg_trigger AS g WHERE g.tgconstraint = f.oid AND g.tgenabled IN ('D', 'R')), ca.attname::text, "
            "pa.attname::text, k.ordinal FROM pg_constraint AS f JOIN pg_class AS cc ON cc.oid = f.conrelid "
            "JOIN pg_namespace AS cn ON cn.oid = cc.relnamespace JOIN pg_class AS pc ON pc.oid = f.confrelid "
            "JOIN pg_namespace AS pn ON pn.oid = pc.relnamespace "
            "CROSS JOIN LATERAL unnest(f.conkey, f.confkey) WITH ORDINALITY AS k(child, parent, ordinal) "
            "JOIN pg_attribute AS ca ON ca.attrelid = f.conrelid AND ca.attnum = k.child "
            "JOIN pg_attribute AS pa ON pa.attrelid = f.confrelid AND pa.attnum = k.parent "
            "WHERE f.contype = 'f' AND (f.conrelid = ANY($1::oid[]) OR f.confrelid = ANY($1::oid[])) "
            "AND (f.conparentid = 0 OR f.conrelid = ANY($1::oid[])) ORDER BY f.conname, f.oid, k.ordinal",
            {oids_});
        for (std::size_t row = 0; row < found.size(); ++row) {
            if (found.integer(row, 14) == 1) {
                const std::string action = found.text(row, 8);
                foreign_key_facts key;
                key.name = found.text(row, 1);
                key.child = name_of_table(found.integer(row, 2), {found.text(row, 3), found.text(row, 4)});
                key.parent = name_of_table(found.integer(row, 5), {found.text(row, 6), found.text(row, 7)});
                key.on_delete = action == "c"   ? delete_action::cascade
                                : action == "n" ? delete_action::set_null
                                : action == "d" ? delete_action::set_default
                                : action == "r" ? delete_action::restrict_
                                                : delete_action::no_action;
                key.deferrable = found.integer(row, 9) != 0;
                key.validated = found.integer(row, 10) != 0;
                key.enforced = found.integer(row, 11) != 0;
                out_.foreign_keys.push_back(std::move(key));
            }
            out_.foreign_keys.back().columns.push_back(found.text(row, 12));
            out_.foreign_keys.back().referenced.push_back(found.text(row, 13));
        }
    }

    void read_triggers() {
        constexpr std::int64_t row_bit = 1;
        constexpr std::int64_t before_bit = 2;
        constexpr std::int64_t instead_bit = 64;
        const rows found = session_.execute(
            "SELECT t.tgrelid::bigint, t.tgname::text, t.tgtype::bigint, t.tgenabled::text, p.proname::text FROM pg_trigger AS t "
            "JOIN pg_proc AS p ON p.oid = t.tgfoid WHERE t.tgrelid = ANY($1::oid[]) AND NOT t.tgisinternal AND t.tgtype & 8 <> 0 "
            "ORDER BY t.tgrelid, t.tgname",
            {oids_});
        each_row(found, [&](table_facts& table, std::size_t row) {
            const std::int64_t bits = found.integer(row, 2);
            trigger_facts trigger;
            trigger.name = found.text(row, 1);
            trigger.timing = (bits & instead_bit) != 0  ? trigger_timing::instead
                             : (bits & before_bit) != 0 ? trigger_timing::before
                                                        : trigger_timing::after;
            trigger.each_row = (bits & row_bit) != 0;
            trigger.enabled = found.text(row, 3) == "O" || found.text(row, 3) == "A";
            trigger.function = found.text(row, 4);
            trigger.may_keep_rows = trigger.enabled && trigger.each_row && trigger.timing != trigger_timing::after;
            table.delete_triggers.push_back(std::move(trigger));
        });
    }

    void read_rules() {
        const rows found = session_.execute(
            "SELECT r.ev_class::bigint, r.rulename::text FROM pg_rewrite AS r WHERE r.ev_class = ANY($1::oid[]) "
            "AND r.ev_type = '4' AND r.ev_enabled IN ('O', 'A') ORDER BY r.rulename",
            {oids_});
        each_row(found, [&](table_facts& table, std::size_t row) { table.delete_rules.push_back(found.text(row, 1)); });
    }

    /// The name under which a table was asked for; the one given for a table that was not.
    [[nodiscard]] table_name name_of_table(std::int64_t oid, table_name otherwise) const {
        for (const table_facts& table : out_.tables) {
            if (table.identifier == oid) return table.name;
        }
        return otherwise;
    }

    connection& session_;
    schema_facts out_;
    key_set oids_;
};

}  // namespace detail

}  // namespace winnow::inline v0
