// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/core/letters.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/facts.hpp"
#include "winnow/store/foreign_keys.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Words of a piece of SQL in upper case, and its punctuation; comments and the contents of quotes are
/// left out (a quoted name or text is one empty word). Enough to find keywords in stored definitions.
[[nodiscard]] inline std::vector<std::string> sql_words(std::string_view sql) {
    const auto is_word = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
               (c & '\x80') != 0;
    };
    std::vector<std::string> words;
    for (std::size_t at = 0; at < sql.size();) {
        const char c = sql[at];
        if (is_word(c)) {
            std::string word;
            for (; at < sql.size() && is_word(sql[at]); ++at) word += upper(sql[at]);
            words.push_back(std::move(word));
        } else if (sql.substr(at).starts_with("--")) {
            at = std::min(sql.find('\n', at), sql.size());
        } else if (sql.substr(at).starts_with("/*")) {
            const std::size_t end = sql.find("*/", at + 2);
            at = end == std::string_view::npos ? sql.size() : end + 2;
        } else if (c == '\'' || c == '"' || c == '`' || c == '[') {
            const std::size_t end = sql.find(c == '[' ? ']' : c, at + 1);
            at = end == std::string_view::npos ? sql.size() : end + 1;
            // A doubled quote only makes two empty words out of one, which nobody asks for.
            words.emplace_back();
        } else {
            if (c == '(' || c == ')' || c == '.' || c == ',') words.emplace_back(1, c);
            ++at;
        }
    }
    return words;
}

[[nodiscard]] inline bool has_words(const std::vector<std::string>& words,
                                    std::initializer_list<std::string_view> wanted) {
    return std::search(words.begin(), words.end(), wanted.begin(), wanted.end()) != words.end();
}

/// Reads SQLite's schema through its table-valued pragmas.
class sqlite_inspector {
public:
    sqlite_inspector(connection& session, std::span<const table_name> wanted) : session_(session) {
        out_.dialect = dialect::sqlite;
        for (const table_name& each : wanted) read_table(each);
        read_foreign_keys();
    }

    [[nodiscard]] schema_facts read() && { return std::move(out_); }

private:
    void read_table(const table_name& wanted) {
        const rows found = session_.execute(
            "SELECT l.schema, l.name, l.type, l.wr, coalesce(m.sql, '') FROM pragma_table_list(?1) AS l LEFT JOIN sqlite_schema AS m "
            "ON m.name = l.name AND m.type IN ('table', 'view') WHERE ?2 = '' OR l.schema = ?2 "
            "ORDER BY l.schema = 'temp' DESC LIMIT 1",
            {std::string_view(wanted.name), std::string_view(wanted.schema)});
        if (found.empty()) return;
        table_facts table;
        table.name = wanted;
        table.any_case = true;
        table.schema = found.text(0, 0);
        const std::string kind = found.text(0, 2);
        table.kind = kind == "table"     ? table_kind::table
                     : kind == "view"    ? table_kind::view
                     : kind == "virtual" ? table_kind::virtual_
                                         : table_kind::other;
        table.temporary = table.schema == "temp";
        table.without_rowid = found.integer(0, 3) != 0;
        table.autoincrement = has_words(sql_words(found.text(0, 4)), {"AUTOINCREMENT"});
        read_columns(table);
        read_indexes(table);
        read_triggers(table);
        out_.tables.push_back(std::move(table));
    }

    void read_columns(table_facts& table) {
        const rows found =
            session_.execute("SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(?1) ORDER BY cid",
                             {std::string_view(table.name.name)});
        std::vector<std::pair<std::int64_t, std::string>> key;
        for (std::size_t row = 0; row < found.size(); ++row) {
            const std::int64_t hidden = found.integer(row, 4);
            table.columns.push_back(
                {found.text(row, 0), found.text(row, 1), found.integer(row, 2) != 0, hidden == 2 || hidden == 3});
            if (found.integer(row, 3) > 0) key.emplace_back(found.integer(row, 3), found.text(row, 0));
        }
        std::sort(key.begin(), key.end());
        for (auto& [position, name] : key) table.primary_key.push_back(std::move(name));
        if (table.primary_key.size() != 1) return;
        for (column_facts& column : table.columns) {
            if (column.name != table.primary_key[0]) continue;
            table.rowid_key =
                !table.without_rowid && same_name(column.type, "INTEGER") && table.kind == table_kind::table;
            if (table.rowid_key) column.not_null = true;
        }
    }

    void read_indexes(table_facts& table) {
        if (table.rowid_key) table.indexes.push_back({"", table.primary_key, true, true, true, false, true});
        const rows found = session_.execute(
            "SELECT l.name, l.\"unique\", l.origin, l.partial, i.seqno, coalesce(i.name, ''), coalesce(m.sql, '') "
            "FROM pragma_index_list(?1) AS l JOIN pragma_index_info(l.name) AS i LEFT JOIN sqlite_schema AS m ON m.type = 'index' "
            "AND m.name = l.name ORDER BY l.seq, i.seqno",
            {std::string_view(table.name.name)});
        for (std::size_t row = 0; row < found.size(); ++row) {
            if (found.integer(row, 4) == 0) {
                const bool partial =
                    found.integer(row, 3) != 0 && !only_leaves_out_null(found.text(row, 6), found.text(row, 5));
                table.indexes.push_back({found.text(row, 0),
                                         {},
                                         found.integer(row, 1) != 0,
                                         found.text(row, 2) == "pk",
                                         true,
                                         partial,
                                         true});
            }
            table.indexes.back().columns.push_back(found.text(row, 5));
        }
    }

    /// `… WHERE column IS NOT NULL`: as good as a whole index for looking up values of that column.
    [[nodiscard]] static bool only_leaves_out_null(const std::string& sql, std::string_view column) {
        const std::vector<std::string> words = sql_words(sql);
        return words.size() >= 5 && words[words.size() - 5] == "WHERE" && same_name(words[words.size() - 4], column) &&
               has_words({words.end() - 3, words.end()}, {"IS", "NOT", "NULL"});
    }

    void read_triggers(table_facts& table) {
        const rows found = session_.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND lower(tbl_name) = lower(?1) UNION ALL "
            "SELECT name, sql FROM sqlite_temp_schema WHERE type = 'trigger' AND lower(tbl_name) = lower(?1) ORDER BY name",
            {std::string_view(table.name.name)});
        for (std::size_t row = 0; row < found.size(); ++row) {
            const std::vector<std::string> words = sql_words(found.text(row, 1));
            const auto on = std::find(words.begin(), words.end(), "ON");
            if (std::find(words.begin(), on, "DELETE") == on) continue;  // the event stands before ON
            trigger_facts trigger;
            trigger.name = found.text(row, 0);
            if (std::find(words.begin(), on, "AFTER") != on) trigger.timing = trigger_timing::after;
            if (std::find(words.begin(), on, "INSTEAD") != on) trigger.timing = trigger_timing::instead;
            trigger.may_keep_rows =
                trigger.timing == trigger_timing::instead || has_words(words, {"RAISE", "(", "IGNORE"});
            table.delete_triggers.push_back(std::move(trigger));
        }
    }

    void read_foreign_keys() {
        const rows found = session_.execute(
            "SELECT t.name, f.id, f.\"table\", f.\"from\", coalesce(f.\"to\", (SELECT p.name FROM pragma_table_info(f.\"table\") AS p "
            "WHERE p.pk = f.seq + 1), ''), f.on_delete, t.sql, f.seq FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f "
            "WHERE t.type = 'table' ORDER BY t.name, f.id DESC, f.seq");
        bool wanted = false;
        for (std::size_t row = 0; row < found.size(); ++row) {
            if (found.integer(row, 7) == 0) {
                foreign_key_facts key;
                key.child = name_of_table(found.text(row, 0));
                key.parent = name_of_table(found.text(row, 2));
                wanted = out_.find(key.child) != nullptr || out_.find(key.parent) != nullptr;
                if (!wanted) continue;
                const std::string action = found.text(row, 5);
                key.on_delete = action == "CASCADE"       ? delete_action::cascade
                                : action == "SET NULL"    ? delete_action::set_null
                                : action == "SET DEFAULT" ? delete_action::set_default
                                : action == "RESTRICT"    ? delete_action::restrict_
                                                          : delete_action::no_action;
                key.deferrable = has_words(sql_words(found.text(row, 6)), {"DEFERRABLE", "INITIALLY", "DEFERRED"});
                out_.foreign_keys.push_back(std::move(key));
            }
            if (!wanted) continue;
            out_.foreign_keys.back().columns.push_back(found.text(row, 3));
            out_.foreign_keys.back().referenced.push_back(found.text(row, 4));
        }
    }

    [[nodiscard]] table_name name_of_table(const std::string& name) const {
        for (const table_facts& table : out_.tables) {
            if (same_name(table.name.name, name)) return table.name;
        }
        return {"", name};
    }

    connection& session_;
    schema_facts out_;
};

}  // namespace detail

}  // namespace winnow::inline v0
