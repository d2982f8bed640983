// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/databases.hpp"

/// Tables of the models in domain.hpp, and rows for them.
namespace winnow_test {

/// Replaces `{id}` by a 64-bit key that is never given out twice, and `{id32}` by a 32-bit one.
[[nodiscard]] inline std::string spelled(std::string_view script, dialect to) {
    const bool postgres = to == dialect::postgres;
    std::string text(script);
    const auto replace = [&](std::string_view mark, std::string_view by) {
        for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size()))
            text.replace(at, mark.size(), by);
    };
    replace("{id}", postgres ? "bigint PRIMARY KEY" : "INTEGER PRIMARY KEY AUTOINCREMENT");
    replace("{id32}", postgres ? "integer PRIMARY KEY" : "INTEGER PRIMARY KEY AUTOINCREMENT");
    replace("{uuid}", postgres ? "uuid" : "TEXT");
    return text;
}

/// Runs statements that are spelled alike on both databases.
inline void make(const fresh_database& where, std::string_view script) { where.run(spelled(script, where.kind())); }

/// Inserts rows 1 to `count`; `values(i)` gives the values of row i as SQL.
template <class Values> void fill(winnow::connection& to, std::string_view table, std::int64_t count, Values&& values) {
    std::string script = to.in_transaction() ? "" : "BEGIN;";
    for (std::int64_t i = 1; i <= count; ++i) {
        if (i % 500 == 1) script.append(i == 1 ? "" : ";").append("INSERT INTO ").append(table).append(" VALUES ");
        else script += ',';
        script.append("(").append(values(i)).append(")");
    }
    to.execute_script(script + (to.in_transaction() ? ";" : "; COMMIT;"));
}

/// Texts of numbers with commas between.
template <class... Numbers> [[nodiscard]] std::string list(Numbers... numbers) {
    std::string text;
    ((text += (text.empty() ? "" : ", ") + std::to_string(numbers)), ...);
    return text;
}

struct field_schema {
    bool keys = true;     ///< the database enforces the references
    bool indexes = true;  ///< references have an index
};

/// Tables org ← proj ← issue ← event.
inline void make_field_tables(const fresh_database& where, const field_schema& how = {}) {
    const auto reference = [&](std::string_view to) {
        return how.keys ? " REFERENCES " + std::string(to) + " (id)" : std::string();
    };
    std::string script = "CREATE TABLE org (id {id}, status integer NOT NULL DEFAULT 0);";
    script += "CREATE TABLE proj (id {id}, org_id bigint NOT NULL" + reference("org") + ");";
    script += "CREATE TABLE issue (id {id}, proj_id bigint NOT NULL" + reference("proj") + ");";
    script += "CREATE TABLE event (id {id}, issue_id bigint NOT NULL" + reference("issue") + ");";
    if (how.indexes)
        script += "CREATE INDEX proj_org_id ON proj (org_id); CREATE INDEX issue_proj_id ON issue (proj_id);"
                  "CREATE INDEX event_issue_id ON event (issue_id);";
    make(where, script);
}

/// Rows of each level below one of the level above; ids count from 1 on each level.
struct field_rows {
    std::int64_t orgs = 2;
    std::int64_t projs = 2;
    std::int64_t issues = 3;
    std::int64_t events = 4;

    [[nodiscard]] std::int64_t of_one_org() const { return 1 + projs * (1 + issues * (1 + events)); }
};

inline void fill_field(const fresh_database& where, const field_rows& how = {}) {
    const winnow::connection_ptr to = where.open();
    fill(*to, "org", how.orgs, [](std::int64_t i) { return list(i, 0); });
    fill(*to, "proj", how.orgs * how.projs, [&](std::int64_t i) { return list(i, (i - 1) / how.projs + 1); });
    fill(*to, "issue", how.orgs * how.projs * how.issues,
         [&](std::int64_t i) { return list(i, (i - 1) / how.issues + 1); });
    fill(*to, "event", how.orgs * how.projs * how.issues * how.events,
         [&](std::int64_t i) { return list(i, (i - 1) / how.events + 1); });
}

/// Rows of one organization that are still there.
[[nodiscard]] inline std::int64_t left_of_org(const fresh_database& where, const field_rows& how, std::int64_t org) {
    const auto within = [&](std::string_view table, std::int64_t each) {
        return where.number("SELECT count(*) FROM " + std::string(table) + " WHERE id > " +
                            std::to_string((org - 1) * each) + " AND id <= " + std::to_string(org * each));
    };
    return within("org", 1) + within("proj", how.projs) + within("issue", how.projs * how.issues) +
           within("event", how.projs * how.issues * how.events);
}

/// Rows that refer to a parent that is not there.
[[nodiscard]] inline std::int64_t field_orphans(const fresh_database& where) {
    return where.number(
               "SELECT count(*) FROM event WHERE NOT EXISTS (SELECT 1 FROM issue WHERE issue.id = event.issue_id)") +
           where.number(
               "SELECT count(*) FROM issue WHERE NOT EXISTS (SELECT 1 FROM proj WHERE proj.id = issue.proj_id)") +
           where.number("SELECT count(*) FROM proj WHERE NOT EXISTS (SELECT 1 FROM org WHERE org.id = proj.org_id)");
}

/// Tables of `hooked_models`: `parents` parents with `children` each.
inline void make_hooked(const fresh_database& where, std::int64_t parents, std::int64_t children,
                        std::string_view on_delete = "") {
    make(
        where,
        "CREATE TABLE parent (id {id}); CREATE TABLE child (id {id}, parent_id bigint NOT NULL REFERENCES parent (id) " +
            std::string(on_delete) + ", deleted_at timestamp); CREATE INDEX child_parent_id ON child (parent_id);");
    const winnow::connection_ptr to = where.open();
    fill(*to, "parent", parents, [](std::int64_t i) { return list(i); });
    fill(*to, "child", parents * children, [&](std::int64_t i) { return list(i, (i - 1) / children + 1) + ", NULL"; });
}

}  // namespace winnow_test
