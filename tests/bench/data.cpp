// SPDX-License-Identifier: Apache-2.0
#include "data.hpp"

#include <algorithm>

#include <winnow/store/own_tables.hpp>

namespace bench {

namespace {

using winnow::dialect;

constexpr std::string_view under_project = "project_id IN (SELECT id FROM project WHERE organization_id = {org})";

constexpr std::array tables{
    tree_table{"organization",
               "slug varchar(50) NOT NULL UNIQUE, name varchar(64) NOT NULL, status integer NOT NULL DEFAULT 0, "
               "date_added {time}",
               {},
               "id = {org}"},
    tree_table{"organization_member",
               "organization_id {big} NOT NULL, user_id {big}, email varchar(75), role varchar(32) NOT NULL DEFAULT "
               "'member', flags {big} NOT NULL DEFAULT 0, date_added {time}",
               {{{"organization_id", "organization"}, {}}},
               "organization_id = {org}"},
    tree_table{"team",
               "organization_id {big} NOT NULL, slug varchar(50) NOT NULL, name varchar(64) NOT NULL, "
               "status integer NOT NULL DEFAULT 0, date_added {time}",
               {{{"organization_id", "organization"}, {}}},
               "organization_id = {org}"},
    tree_table{"project",
               "organization_id {big} NOT NULL, slug varchar(100) NOT NULL, name varchar(200) NOT NULL, "
               "platform varchar(64), status integer NOT NULL DEFAULT 0, date_added {time}",
               {{{"organization_id", "organization"}, {}}},
               "organization_id = {org}"},
    tree_table{"project_team",
               "project_id {big} NOT NULL, team_id {big} NOT NULL",
               {{{"project_id", "project"}, {"team_id", "team"}}},
               under_project},
    tree_table{"project_key",
               "project_id {big} NOT NULL, public_key varchar(32) NOT NULL, secret_key varchar(32) NOT NULL, "
               "status integer NOT NULL DEFAULT 0, date_added {time}",
               {{{"project_id", "project"}, {}}},
               under_project},
    tree_table{"environment",
               "organization_id {big} NOT NULL, name varchar(64) NOT NULL, date_added {time}",
               {{{"organization_id", "organization"}, {}}},
               "organization_id = {org}"},
    tree_table{"environment_project",
               "environment_id {big} NOT NULL, project_id {big} NOT NULL, is_hidden boolean",
               {{{"environment_id", "environment"}, {"project_id", "project"}}},
               under_project},
    tree_table{"group",
               "project_id {big} NOT NULL, status integer NOT NULL DEFAULT 0, level integer NOT NULL DEFAULT 40, "
               "message text NOT NULL, culprit varchar(200), times_seen integer NOT NULL DEFAULT 1, data text, "
               "first_seen {time}, last_seen {time}",
               {{{"project_id", "project"}, {}}},
               under_project},
    tree_table{"event",
               "group_id {big} NOT NULL, project_id {big} NOT NULL, event_id varchar(32) NOT NULL, "
               "platform varchar(64), date_added {time}, data {json}",
               {{{"group_id", "group"}, {"project_id", "project"}}},
               under_project},
    tree_table{"grouphash",
               "project_id {big} NOT NULL, group_id {big}, hash varchar(32) NOT NULL, state integer",
               {{{"group_id", "group"}, {"project_id", "project"}}},
               under_project},
    tree_table{"groupassignee",
               "project_id {big} NOT NULL, group_id {big} NOT NULL, user_id {big}, date_added {time}",
               {{{"group_id", "group"}, {"project_id", "project"}}},
               under_project},
    tree_table{"groupsubscription",
               "project_id {big} NOT NULL, group_id {big} NOT NULL, user_id {big}, is_active boolean NOT NULL DEFAULT "
               "true, reason integer NOT NULL DEFAULT 0, date_added {time}",
               {{{"group_id", "group"}, {"project_id", "project"}}},
               under_project},
    tree_table{"activity",
               "project_id {big} NOT NULL, group_id {big}, type integer NOT NULL, user_id {big}, data {json}, "
               "datetime {time}",
               {{{"group_id", "group"}, {"project_id", "project"}}},
               under_project},
};

/// What fills a table: `{rows}` numbers i from 0, and columns made of i. `{O}`, `{P}`, `{G}` are the numbers of all
/// organizations, projects and groups; `{text}(x)` is a text of 32 characters.
struct filling {
    std::string_view table;
    std::string_view columns;
    std::string_view values;
    std::string_view rows;
};
constexpr std::string_view group_of_row = "1 + i % {G}, 1 + (i % {G}) % {P}";
constexpr std::array fillings{
    filling{"organization", "id, slug, name", "i + 1, 'org-' || i, 'Organization ' || i", "{O}"},
    filling{"organization_member", "organization_id, user_id, email", "1 + i % {O}, i, 'user' || i || '@example.test'",
            "{O} * 100"},
    filling{"team", "id, organization_id, slug, name", "i + 1, 1 + i % {O}, 'team-' || i, 'Team ' || i", "{O} * 20"},
    filling{"project", "id, organization_id, slug, name, platform",
            "i + 1, 1 + i % {O}, 'project-' || i, 'Project ' || i, 'python'", "{P}"},
    filling{"project_team", "project_id, team_id", "1 + i % {P}, 1 + (i % {P} + {O} * (i / {P})) % ({O} * 20)",
            "{P} * 5"},
    filling{"project_key", "project_id, public_key, secret_key", "1 + i % {P}, {text}('k' || i), {text}('s' || i)",
            "{P} * 2"},
    filling{"environment", "id, organization_id, name", "i + 1, 1 + i % {O}, 'env-' || i", "{O} * 5"},
    filling{"environment_project", "environment_id, project_id, is_hidden",
            "1 + (i % {P} + {O} * (i / {P})) % ({O} * 5), 1 + i % {P}, false", "{P} * 5"},
    filling{"group", "id, project_id, message, culprit, data",
            "i + 1, 1 + i % {P}, 'ValueError: value ' || {text}('' || i), 'app.views.handler_' || (i % 97), "
            "{text}('a' || i) || {text}('b' || i) || {text}('c' || i) || {text}('d' || i)",
            "{G}"},
    filling{
        "event", "group_id, project_id, event_id, platform, data",
        "{group}, {text}('e' || i), 'python', "
        "CAST('{\"level\": \"error\", \"transaction\": \"/api/' || (i % 1000) || '/items\", \"release\": \"' || "
        "{text}('r' || (i % 500)) || '\", \"user\": {\"id\": ' || (i % 9973) || ', \"ip\": \"127.0.0.1\"}}' AS {json})",
        "{G} * {E}"},
    filling{"grouphash", "group_id, project_id, hash", "{group}, {text}('h' || i)", "{G} * 10"},
    filling{"groupassignee", "group_id, project_id, user_id", "{group}, i % 100", "{G}"},
    filling{"groupsubscription", "group_id, project_id, user_id", "{group}, i", "{G} * 15"},
    filling{"activity", "group_id, project_id, type, user_id, data",
            "{group}, i % 20, i % 100, CAST('{\"text\": \"status changed\"}' AS {json})", "{G} * 20"},
};

constexpr std::array<std::string_view, 20> indexes{
    "INDEX organization_member_organization ON organization_member (organization_id)",
    "INDEX team_organization ON team (organization_id)",
    "UNIQUE INDEX project_organization ON project (organization_id, slug)",
    "UNIQUE INDEX project_team_project ON project_team (project_id, team_id)",
    "INDEX project_team_team ON project_team (team_id)",
    "INDEX project_key_project ON project_key (project_id)",
    "UNIQUE INDEX project_key_public ON project_key (public_key)",
    "UNIQUE INDEX environment_organization ON environment (organization_id, name)",
    "UNIQUE INDEX environment_project_project ON environment_project (project_id, environment_id)",
    "INDEX environment_project_environment ON environment_project (environment_id)",
    "INDEX group_project ON \"group\" (project_id, status)",
    "INDEX group_seen ON \"group\" (last_seen)",
    "INDEX event_group ON event (group_id, date_added)",
    "UNIQUE INDEX event_project ON event (project_id, event_id)",
    "UNIQUE INDEX grouphash_project ON grouphash (project_id, hash)",
    "INDEX grouphash_group ON grouphash (group_id)",
    "INDEX groupassignee_project ON groupassignee (project_id)",
    "UNIQUE INDEX groupassignee_group ON groupassignee (group_id)",
    "INDEX groupsubscription_project ON groupsubscription (project_id)",
    "UNIQUE INDEX groupsubscription_group ON groupsubscription (group_id, user_id)",
};
constexpr std::array<std::string_view, 2> more_indexes{
    "INDEX activity_project ON activity (project_id)",
    "INDEX activity_group ON activity (group_id)",
};

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

std::string in_dialect(std::string text, dialect to) {
    const bool postgres = to == dialect::postgres;
    text = replaced(std::move(text), "{big}", postgres ? "bigint" : "integer");
    text = replaced(std::move(text), "{time}",
                    postgres ? "timestamptz NOT NULL DEFAULT now()" : "text NOT NULL DEFAULT CURRENT_TIMESTAMP");
    text = replaced(std::move(text), "{json}", postgres ? "jsonb" : "text");
    return replaced(std::move(text), "{text}", "md5");
}

std::string quoted(std::string_view table) { return "\"" + std::string(table) + "\""; }

std::string constraint(const tree_table& table, const tree_table::reference& one, key_action action) {
    return "CONSTRAINT " + std::string(table.name) + "_" + std::string(one.column) + "_fk FOREIGN KEY (" +
           std::string(one.column) + ") REFERENCES " + quoted(one.parent) + " (id)" +
           (action == key_action::cascade ? " ON DELETE CASCADE" : "");
}

void add_keys(winnow::connection& database, key_action action) {
    for (const tree_table& table : tables)
        for (const tree_table::reference& one : table.references)
            if (!one.column.empty())
                database.execute_script("ALTER TABLE " + quoted(table.name) + " ADD " + constraint(table, one, action));
}

/// Numbers i from `first` to `last`.
std::string series(std::int64_t first, std::int64_t last, dialect of) {
    const std::string from = std::to_string(first);
    const std::string to = std::to_string(last);
    return of == dialect::postgres
               ? "generate_series(" + from + "::bigint, " + to + ") AS series(i)"
               : "(WITH RECURSIVE series(i) AS (SELECT " + from + " UNION ALL SELECT i + 1 FROM series WHERE i < " +
                     to + ") SELECT i FROM series)";
}

}  // namespace

std::span<const tree_table> tree_tables() noexcept { return tables; }

void make_tree(winnow::connection& database, const tree_scale& scale, key_action action) {
    const dialect to = database.kind();
    const bool postgres = to == dialect::postgres;
    (void)winnow::migrate(database);
    if (postgres)
        database.execute_script("CREATE EXTENSION IF NOT EXISTS pg_prewarm; SET synchronous_commit = off; "
                                "SET maintenance_work_mem = '512MB'; SET work_mem = '128MB'");
    for (const tree_table& table : tables) {
        std::string text = "CREATE TABLE " + quoted(table.name) +
                           (postgres ? " (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, "
                                     : " (id INTEGER PRIMARY KEY AUTOINCREMENT, ") +
                           std::string(table.columns);
        if (!postgres)
            for (const tree_table::reference& one : table.references)
                if (!one.column.empty()) text += ", " + constraint(table, one, action);
        database.execute_script(in_dialect(text, to) + ")");
    }
    const auto numbers = [&](std::string text) {
        text = replaced(std::move(text), "{group}", group_of_row);
        text = replaced(std::move(text), "{O}", std::to_string(scale.organizations));
        text = replaced(std::move(text), "{P}", std::to_string(scale.organizations * scale.projects));
        text = replaced(std::move(text), "{G}", std::to_string(scale.organizations * scale.projects * scale.groups));
        return replaced(std::move(text), "{E}", std::to_string(scale.events));
    };
    for (const filling& one : fillings) {
        std::string values(one.values);
        if (!postgres) {
            // SQLite has no hash: 32 characters in no order will do.
            for (std::size_t at = 0; (at = values.find("{text}(", at)) != std::string::npos;) {
                std::size_t end = at + 7;
                for (int open = 1; open != 0; ++end) open += values[end] == '(' ? 1 : values[end] == ')' ? -1 : 0;
                values.replace(at, end - at, "lower(hex(randomblob(16)))");
            }
        }
        const std::string insert = in_dialect(
            numbers("INSERT INTO " + quoted(one.table) + " (" + std::string(one.columns) + ") SELECT " + values), to);
        const std::int64_t rows = database.execute_once("SELECT " + numbers(std::string(one.rows)), {}).integer(0, 0);
        // In pieces: the server keeps a whole series before it reads the first number of it.
        constexpr std::int64_t piece = 2'000'000;
        for (std::int64_t from = 0; from < rows; from += piece)
            database.execute_script(insert + " FROM " + series(from, std::min(rows, from + piece) - 1, to));
    }
    for (const std::string_view one : indexes) database.execute_script("CREATE " + std::string(one));
    for (const std::string_view one : more_indexes) database.execute_script("CREATE " + std::string(one));
    if (postgres) add_keys(database, action);
    database.execute_script("CREATE TABLE bench_kept (name text, doomed integer, kept integer)");
    for (const tree_table& table : tables) {
        const std::string count = "(SELECT count(*) FROM " + quoted(table.name) + " WHERE ";
        database.execute_script("INSERT INTO bench_kept VALUES ('" + std::string(table.name) + "', " + count +
                                replaced(std::string(table.tenant), "{org}", "1") + "), " + count + "NOT (" +
                                replaced(std::string(table.tenant), "{org}", "1") + ")))");
    }
    if (postgres) database.execute_script("VACUUM ANALYZE");
    else database.execute_script("ANALYZE");
}

void change_keys(winnow::connection& database, key_action action) {
    for (const tree_table& table : tables)
        for (const tree_table::reference& one : table.references)
            if (!one.column.empty())
                database.execute_script("ALTER TABLE " + quoted(table.name) + " DROP CONSTRAINT " +
                                        std::string(table.name) + "_" + std::string(one.column) + "_fk");
    add_keys(database, action);
}

std::string tree_fault(winnow::connection& database, bool partly) {
    std::string fault;
    for (const tree_table& table : tables) {
        const winnow::rows wanted =
            database.execute_once("SELECT kept FROM bench_kept WHERE name = '" + std::string(table.name) + "'", {});
        const std::string which = replaced(std::string(table.tenant), "{org}", "1");
        const winnow::rows found = database.execute_once("SELECT count(*) FROM " + quoted(table.name), {});
        const std::int64_t kept = wanted.integer(0, 0);
        const std::int64_t left = found.integer(0, 0);
        if (partly ? left >= kept : left == kept) continue;
        fault += std::string(table.name) + ": " + std::to_string(left) + " rows are left, expected " +
                 std::to_string(kept) + "; ";
    }
    if (!partly && database.execute_once("SELECT count(*) FROM organization WHERE id = 1", {}).integer(0, 0) != 0)
        fault += "the organization is still there; ";
    return fault;
}

std::int64_t doomed_rows(winnow::connection& database) {
    return database.execute_once("SELECT sum(doomed) FROM bench_kept", {}).integer(0, 0);
}

void make_members(winnow::connection& source, const copy_scale& scale) {
    const dialect to = source.kind();
    (void)winnow::migrate(source);
    if (to == dialect::postgres)
        source.execute_script("CREATE EXTENSION IF NOT EXISTS pg_prewarm; SET synchronous_commit = off");
    source.execute_script(
        in_dialect("CREATE TABLE member (id " +
                       std::string(to == dialect::postgres ? "bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"
                                                           : "INTEGER PRIMARY KEY AUTOINCREMENT") +
                       ", organization_id {big} NOT NULL, user_id {big}, email varchar(75), role "
                       "varchar(32) NOT NULL DEFAULT 'member', flags {big} NOT NULL DEFAULT 0, "
                       "date_added {time})",
                   to));
    source.execute_script("INSERT INTO member (organization_id, user_id, email) SELECT 1 + i % " +
                          std::to_string(scale.shards) + ", i, 'user' || i || '@example.test' FROM " +
                          series(0, scale.objects - 1, to));
    source.execute_script("CREATE INDEX member_organization ON member (organization_id)");
    source.execute_script(to == dialect::postgres ? "VACUUM ANALYZE" : "ANALYZE");
}

void make_copies(winnow::connection& target) {
    const dialect to = target.kind();
    (void)winnow::migrate(target);
    if (to == dialect::postgres) target.execute_script("CREATE EXTENSION IF NOT EXISTS pg_prewarm");
    target.execute_script(in_dialect("CREATE TABLE member_copy (member_id {big} NOT NULL, organization_id {big} NOT "
                                     "NULL, user_id {big}, email varchar(75), role varchar(32) NOT NULL, flags {big} "
                                     "NOT NULL, date_updated {time}, PRIMARY KEY (member_id))",
                                     to));
    target.execute_script("CREATE UNIQUE INDEX member_copy_organization ON member_copy (organization_id, member_id)");
    target.execute_script("CREATE INDEX member_copy_user ON member_copy (user_id)");
}

void fill_outbox(winnow::connection& source) {
    source.execute_script("INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier) "
                          "SELECT 0, organization_id, 0, id FROM member ORDER BY id");
    source.execute_script(source.kind() == dialect::postgres ? "VACUUM ANALYZE" : "ANALYZE");
}

}  // namespace bench
