// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "winnow/core/dialect.hpp"

namespace winnow::inline v0::detail {

/// Nothing of the workers' tables is made once for each silo: their rows name it.
inline constexpr dialect_text runtime_tables = {"\n", "\n"};

/// Tables of the workers: when each job ran, who hands out the work, and the tasks of the SQL broker.
inline constexpr dialect_text runtime_tables_shared = {
    R"sql(
CREATE TABLE winnow_job (
    name text NOT NULL,
    silo text NOT NULL,
    last_enqueued timestamptz,
    last_started timestamptz,
    last_finished timestamptz,
    last_success timestamptz,
    last_error text,
    running_on text,
    runs bigint NOT NULL DEFAULT 0,
    rows_done bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (name, silo)
);
CREATE TABLE winnow_leader (
    name text PRIMARY KEY,
    owner text NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE TABLE winnow_task (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue text NOT NULL,
    kind text NOT NULL,
    argument text NOT NULL,
    attempt integer NOT NULL,
    deadline_seconds double precision NOT NULL,
    visible_at timestamptz NOT NULL,
    owner text,
    token bigint NOT NULL DEFAULT 0,
    date_added timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX winnow_task_visible ON winnow_task (queue, visible_at, id);
CREATE INDEX winnow_inbox_age ON winnow_inbox (handled_at);
)sql",
    R"sql(
CREATE TABLE winnow_job (
    name TEXT NOT NULL,
    silo TEXT NOT NULL,
    last_enqueued TEXT,
    last_started TEXT,
    last_finished TEXT,
    last_success TEXT,
    last_error TEXT,
    running_on TEXT,
    runs INTEGER NOT NULL DEFAULT 0,
    rows_done INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (name, silo)
);
CREATE TABLE winnow_leader (
    name TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    expires_at TEXT NOT NULL
);
CREATE TABLE winnow_task (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL,
    kind TEXT NOT NULL,
    argument TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    deadline_seconds REAL NOT NULL,
    visible_at TEXT NOT NULL,
    owner TEXT,
    token INTEGER NOT NULL DEFAULT 0,
    date_added TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now'))
);
CREATE INDEX winnow_task_visible ON winnow_task (queue, visible_at, id);
CREATE INDEX winnow_inbox_age ON winnow_inbox (handled_at);
)sql"};

}  // namespace winnow::inline v0::detail
