// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

namespace detail {

/// One forward step of winnow's own tables. Steps are only ever appended; a released one never changes.
struct own_table_step {
    dialect_text each_silo;  ///< run once for `control` and once for `cell`, with `{silo}` replaced
    dialect_text shared;
};

inline constexpr std::array<own_table_step, 1> own_table_steps = {{{
    {R"sql(
CREATE TABLE winnow_{silo}_scheduled_deletion (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    guid text NOT NULL UNIQUE,
    app_label text NOT NULL,
    model_name text NOT NULL,
    object_id text NOT NULL,
    birth text,
    date_added timestamptz NOT NULL DEFAULT clock_timestamp(),
    date_scheduled timestamptz NOT NULL,
    actor_id bigint,
    data jsonb NOT NULL DEFAULT '{}',
    batch_id text,
    confirmed boolean NOT NULL DEFAULT false,
    in_progress boolean NOT NULL DEFAULT false,
    signalled boolean NOT NULL DEFAULT false,
    paused_by text,
    paused_at timestamptz,
    state text NOT NULL DEFAULT 'scheduled',
    state_detail text,
    state_since timestamptz NOT NULL DEFAULT clock_timestamp(),
    wait_until timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    last_error text,
    lease_owner text,
    lease_token bigint NOT NULL DEFAULT 0,
    lease_expires_at timestamptz,
    started_at timestamptz,
    rows_done bigint NOT NULL DEFAULT 0,
    rows_total bigint,
    progress jsonb NOT NULL DEFAULT '{}',
    UNIQUE (app_label, model_name, object_id)
);
CREATE INDEX winnow_{silo}_scheduled_deletion_due ON winnow_{silo}_scheduled_deletion (date_scheduled, id);
CREATE INDEX winnow_{silo}_scheduled_deletion_batch ON winnow_{silo}_scheduled_deletion (batch_id);
)sql",
     R"sql(
CREATE TABLE winnow_{silo}_scheduled_deletion (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    guid TEXT NOT NULL UNIQUE,
    app_label TEXT NOT NULL,
    model_name TEXT NOT NULL,
    object_id TEXT NOT NULL,
    birth TEXT,
    date_added TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    date_scheduled TEXT NOT NULL,
    actor_id INTEGER,
    data TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(data)),
    batch_id TEXT,
    confirmed INTEGER NOT NULL DEFAULT 0,
    in_progress INTEGER NOT NULL DEFAULT 0,
    signalled INTEGER NOT NULL DEFAULT 0,
    paused_by TEXT,
    paused_at TEXT,
    state TEXT NOT NULL DEFAULT 'scheduled',
    state_detail TEXT,
    state_since TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    wait_until TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    lease_owner TEXT,
    lease_token INTEGER NOT NULL DEFAULT 0,
    lease_expires_at TEXT,
    started_at TEXT,
    rows_done INTEGER NOT NULL DEFAULT 0,
    rows_total INTEGER,
    progress TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(progress)),
    UNIQUE (app_label, model_name, object_id)
);
CREATE INDEX winnow_{silo}_scheduled_deletion_due ON winnow_{silo}_scheduled_deletion (date_scheduled, id);
CREATE INDEX winnow_{silo}_scheduled_deletion_batch ON winnow_{silo}_scheduled_deletion (batch_id);
)sql"},
    {R"sql(
CREATE TABLE winnow_pause (
    scope text NOT NULL CHECK (scope IN ('all', 'model', 'batch')),
    name text NOT NULL,
    paused_by text NOT NULL,
    paused_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (scope, name)
);
CREATE TABLE winnow_audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    happened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    action text NOT NULL,
    guid text,
    batch_id text,
    model text,
    object_id text,
    actor_id bigint,
    actor text,
    detail text,
    rows_done bigint,
    progress jsonb
);
CREATE INDEX winnow_audit_object ON winnow_audit (model, object_id, id);
CREATE INDEX winnow_audit_guid ON winnow_audit (guid);
CREATE TABLE winnow_option (
    name text PRIMARY KEY,
    value text NOT NULL,
    updated_by text,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE winnow_rate_bucket (
    name text PRIMARY KEY,
    level double precision NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE winnow_grave (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    guid text NOT NULL,
    model text NOT NULL,
    identity text NOT NULL,
    buried_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (guid, model, identity)
);
)sql",
     R"sql(
CREATE TABLE winnow_pause (
    scope TEXT NOT NULL CHECK (scope IN ('all', 'model', 'batch')),
    name TEXT NOT NULL,
    paused_by TEXT NOT NULL,
    paused_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    PRIMARY KEY (scope, name)
);
CREATE TABLE winnow_audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    happened_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    action TEXT NOT NULL,
    guid TEXT,
    batch_id TEXT,
    model TEXT,
    object_id TEXT,
    actor_id INTEGER,
    actor TEXT,
    detail TEXT,
    rows_done INTEGER,
    progress TEXT
);
CREATE INDEX winnow_audit_object ON winnow_audit (model, object_id, id);
CREATE INDEX winnow_audit_guid ON winnow_audit (guid);
CREATE TABLE winnow_option (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    updated_by TEXT,
    updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now'))
);
CREATE TABLE winnow_rate_bucket (
    name TEXT PRIMARY KEY,
    level REAL NOT NULL,
    updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now'))
);
CREATE TABLE winnow_grave (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    guid TEXT NOT NULL,
    model TEXT NOT NULL,
    identity TEXT NOT NULL,
    buried_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    UNIQUE (guid, model, identity)
);
)sql"},
}}};

inline constexpr dialect_text create_schema_table = {
    "CREATE TABLE IF NOT EXISTS winnow_schema (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT "
    "clock_timestamp())",
    "CREATE TABLE IF NOT EXISTS winnow_schema (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL DEFAULT "
    "(strftime('%Y-%m-%d %H:%M:%f', 'now')))"};

inline std::string step_script(std::size_t step, dialect which) {
    const own_table_step& texts = own_table_steps[step];
    std::string script = own_statement(texts.each_silo[which].substr(1), which, silo::control);
    script += own_statement(texts.each_silo[which].substr(1), which, silo::cell);
    script += texts.shared[which].substr(1);
    script += "INSERT INTO winnow_schema (version) VALUES (" + std::to_string(step + 1) + ");\n";
    return script;
}

}  // namespace detail

/// Number of the newest form of winnow's own tables that this program knows.
inline constexpr int own_tables_version = static_cast<int>(detail::own_table_steps.size());

/// Form of winnow's own tables in a database; 0 when they are not there.
[[nodiscard]] inline int installed_version(connection& database) {
    constexpr dialect_text present = {
        "SELECT CASE WHEN to_regclass('winnow_schema') IS NULL THEN 0 ELSE 1 END",
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'winnow_schema'"};
    if (database.execute(present).integer(0, 0) == 0) return 0;
    return static_cast<int>(database.execute("SELECT coalesce(max(version), 0) FROM winnow_schema").integer(0, 0));
}

/// The statements that `migrate` would run on an empty database, as one script.
[[nodiscard]] inline std::string own_tables_ddl(dialect which) {
    std::string script(detail::create_schema_table[which]);
    script += ";\n";
    for (std::size_t step = 0; step < detail::own_table_steps.size(); ++step)
        script += detail::step_script(step, which);
    return script;
}

/// Creates or upgrades winnow's own tables, each step in a transaction of its own. Safe to call at any
/// time and from several processes at once.
/// @return how many steps were applied
/// @throws error of kind `configuration` when the database is newer than this program, or read-only
inline int migrate(connection& database) {
    if (database.read_only())
        throw error(failure::configuration,
                    "winnow's tables cannot be created: " + database.description() + " is read-only.");
    int applied = 0;
    for (;;) {
        database.begin(transaction_kind::write, {});
        try {
            // Two migrations at once would both see the table missing.
            if (database.kind() == dialect::postgres)
                (void)database.execute("SELECT 1 FROM pg_advisory_xact_lock(7017268431462233)");
            (void)database.execute(detail::create_schema_table);
            const int version = installed_version(database);
            if (version > own_tables_version)
                throw error(failure::configuration, "winnow's tables in " + database.description() + " have version " +
                                                        std::to_string(version) + ", this program knows up to " +
                                                        std::to_string(own_tables_version) + ".")
                    .with_hint("Upgrade the program; tables are never taken back.");
            if (version == own_tables_version) {
                database.commit();
                return applied;
            }
            database.execute_script(detail::step_script(static_cast<std::size_t>(version), database.kind()));
            database.commit();
            ++applied;
        } catch (...) {
            if (database.in_transaction()) database.rollback();
            throw;
        }
    }
}

/// Refuses a database without winnow's own tables, or with another version of them.
/// @throws error of kind `configuration` that names the command to run
inline void require_own_tables(connection& database) {
    const int version = installed_version(database);
    if (version == own_tables_version) return;
    if (version == 0)
        throw error(failure::configuration, "winnow's tables are missing in " + database.description() + ".")
            .with_hint("Run `migrate` once, or apply the output of `ddl`.");
    throw error(failure::configuration, "winnow's tables in " + database.description() + " have version " +
                                            std::to_string(version) + ", this program needs " +
                                            std::to_string(own_tables_version) + ".")
        .with_hint(version < own_tables_version ? "Run `migrate`." : "Upgrade the program.");
}

}  // namespace winnow::inline v0
