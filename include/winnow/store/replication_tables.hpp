// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "winnow/core/dialect.hpp"

namespace winnow::inline v0::detail {

/// Tables of outbox, backfill and remote deletion that each silo has its own of.
///
/// Ids of messages are never given twice (rule 7) and tokens come from one sequence that is never reset (rule 2).
inline constexpr dialect_text replication_tables = {
    R"sql(
CREATE TABLE winnow_{silo}_outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    shard_scope integer NOT NULL,
    shard_identifier bigint NOT NULL,
    category integer NOT NULL,
    object_identifier bigint NOT NULL,
    cell_name text NOT NULL DEFAULT '',
    payload jsonb,
    scheduled_from timestamptz NOT NULL DEFAULT clock_timestamp(),
    scheduled_for timestamptz NOT NULL DEFAULT clock_timestamp(),
    date_added timestamptz NOT NULL DEFAULT clock_timestamp(),
    attempts integer NOT NULL DEFAULT 0,
    last_error text,
    dead_at timestamptz
);
CREATE INDEX winnow_{silo}_outbox_shard_id ON winnow_{silo}_outbox
    (shard_scope, shard_identifier, cell_name, id);
CREATE INDEX winnow_{silo}_outbox_object ON winnow_{silo}_outbox
    (shard_scope, shard_identifier, cell_name, category, object_identifier, id);
CREATE INDEX winnow_{silo}_outbox_due ON winnow_{silo}_outbox (scheduled_for, id) WHERE dead_at IS NULL;
CREATE INDEX winnow_{silo}_outbox_dead ON winnow_{silo}_outbox (dead_at) WHERE dead_at IS NOT NULL;
CREATE TABLE winnow_{silo}_outbox_shard (
    shard_scope integer NOT NULL,
    shard_identifier bigint NOT NULL,
    cell_name text NOT NULL DEFAULT '',
    token bigint NOT NULL DEFAULT 0,
    lease_owner text,
    lease_expires_at timestamptz,
    waiting_for text,
    waiting_until timestamptz,
    skipped_by text,
    skipped_at timestamptz,
    PRIMARY KEY (shard_scope, shard_identifier, cell_name)
);
CREATE SEQUENCE winnow_{silo}_outbox_token CACHE 1;
CREATE TABLE winnow_{silo}_backfill (
    table_name text NOT NULL,
    target text NOT NULL DEFAULT '',
    state text NOT NULL CHECK (state IN ('announced', 'bound', 'complete')),
    version integer NOT NULL,
    fingerprint text NOT NULL DEFAULT '',
    lower_bound bigint NOT NULL DEFAULT 0,
    upper_bound bigint,
    horizon text,
    rows_done bigint NOT NULL DEFAULT 0,
    rows_total bigint,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    paused_by text,
    paused_at timestamptz,
    last_error text,
    PRIMARY KEY (table_name, target)
);
CREATE TABLE winnow_{silo}_tombstone (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model text NOT NULL,
    object_identifier bigint NOT NULL,
    source text NOT NULL,
    message_id bigint NOT NULL,
    arrived_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    horizon text,
    passed_at timestamptz,
    recreated_at timestamptz,
    UNIQUE (model, object_identifier, source)
);
CREATE INDEX winnow_{silo}_tombstone_open ON winnow_{silo}_tombstone (model, id) WHERE passed_at IS NULL;
CREATE TABLE winnow_{silo}_remote_watermark (
    model text NOT NULL,
    column_name text NOT NULL,
    parent text NOT NULL,
    tombstone_id bigint NOT NULL DEFAULT 0,
    rows_to text,
    caught_up_at timestamptz,
    scrubbed_to text,
    scrubs bigint NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (model, column_name)
);
)sql",
    R"sql(
CREATE TABLE winnow_{silo}_outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    shard_scope INTEGER NOT NULL,
    shard_identifier INTEGER NOT NULL,
    category INTEGER NOT NULL,
    object_identifier INTEGER NOT NULL,
    cell_name TEXT NOT NULL DEFAULT '',
    payload TEXT,
    scheduled_from TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    scheduled_for TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    date_added TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    attempts INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    dead_at TEXT
);
CREATE INDEX winnow_{silo}_outbox_shard_id ON winnow_{silo}_outbox
    (shard_scope, shard_identifier, cell_name, id);
CREATE INDEX winnow_{silo}_outbox_object ON winnow_{silo}_outbox
    (shard_scope, shard_identifier, cell_name, category, object_identifier, id);
CREATE INDEX winnow_{silo}_outbox_due ON winnow_{silo}_outbox (scheduled_for, id) WHERE dead_at IS NULL;
CREATE INDEX winnow_{silo}_outbox_dead ON winnow_{silo}_outbox (dead_at) WHERE dead_at IS NOT NULL;
CREATE TABLE winnow_{silo}_outbox_shard (
    shard_scope INTEGER NOT NULL,
    shard_identifier INTEGER NOT NULL,
    cell_name TEXT NOT NULL DEFAULT '',
    token INTEGER NOT NULL DEFAULT 0,
    lease_owner TEXT,
    lease_expires_at TEXT,
    waiting_for TEXT,
    waiting_until TEXT,
    skipped_by TEXT,
    skipped_at TEXT,
    PRIMARY KEY (shard_scope, shard_identifier, cell_name)
);
CREATE TABLE winnow_{silo}_outbox_token (last INTEGER NOT NULL);
INSERT INTO winnow_{silo}_outbox_token (last) VALUES (0);
CREATE TABLE winnow_{silo}_backfill (
    table_name TEXT NOT NULL,
    target TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL CHECK (state IN ('announced', 'bound', 'complete')),
    version INTEGER NOT NULL,
    fingerprint TEXT NOT NULL DEFAULT '',
    lower_bound INTEGER NOT NULL DEFAULT 0,
    upper_bound INTEGER,
    horizon TEXT,
    rows_done INTEGER NOT NULL DEFAULT 0,
    rows_total INTEGER,
    started_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    paused_by TEXT,
    paused_at TEXT,
    last_error TEXT,
    PRIMARY KEY (table_name, target)
);
CREATE TABLE winnow_{silo}_tombstone (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    model TEXT NOT NULL,
    object_identifier INTEGER NOT NULL,
    source TEXT NOT NULL,
    message_id INTEGER NOT NULL,
    arrived_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    horizon TEXT,
    passed_at TEXT,
    recreated_at TEXT,
    UNIQUE (model, object_identifier, source)
);
CREATE INDEX winnow_{silo}_tombstone_open ON winnow_{silo}_tombstone (model, id) WHERE passed_at IS NULL;
CREATE TABLE winnow_{silo}_remote_watermark (
    model TEXT NOT NULL,
    column_name TEXT NOT NULL,
    parent TEXT NOT NULL,
    tombstone_id INTEGER NOT NULL DEFAULT 0,
    rows_to TEXT,
    caught_up_at TEXT,
    scrubbed_to TEXT,
    scrubs INTEGER NOT NULL DEFAULT 0,
    updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    PRIMARY KEY (model, column_name)
);
)sql"};

/// What a database has once: its name towards others, the fences of what arrives and the messages whose effect was
/// made.
inline constexpr dialect_text replication_tables_shared = {
    R"sql(
CREATE TABLE winnow_database (guid text NOT NULL);
INSERT INTO winnow_database (guid) VALUES (replace(gen_random_uuid()::text, '-', ''));
CREATE TABLE winnow_fence (
    source text NOT NULL,
    shard_scope integer NOT NULL,
    shard_identifier bigint NOT NULL,
    token bigint NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (source, shard_scope, shard_identifier)
);
CREATE TABLE winnow_inbox (
    source text NOT NULL,
    message_id bigint NOT NULL,
    handled_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (source, message_id)
);
)sql",
    R"sql(
CREATE TABLE winnow_database (guid TEXT NOT NULL);
INSERT INTO winnow_database (guid) VALUES (lower(hex(randomblob(16))));
CREATE TABLE winnow_fence (
    source TEXT NOT NULL,
    shard_scope INTEGER NOT NULL,
    shard_identifier INTEGER NOT NULL,
    token INTEGER NOT NULL,
    updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    PRIMARY KEY (source, shard_scope, shard_identifier)
);
CREATE TABLE winnow_inbox (
    source TEXT NOT NULL,
    message_id INTEGER NOT NULL,
    handled_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    PRIMARY KEY (source, message_id)
);
)sql"};

}  // namespace winnow::inline v0::detail
