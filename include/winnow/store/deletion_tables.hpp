// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "winnow/core/dialect.hpp"

namespace winnow::inline v0::detail {

/// Tables of scheduled deletions that each silo has its own of.
inline constexpr dialect_text deletion_tables = {
    R"sql(
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
)sql"};

/// What a database has once: pauses, the audit, options, rate limits and graves.
inline constexpr dialect_text deletion_tables_shared = {
    R"sql(
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
)sql"};

}  // namespace winnow::inline v0::detail
