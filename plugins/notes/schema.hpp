// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <winnow/plan/part.hpp>

namespace notes {

/// What the plugin's tables are made of. A step that was released never changes; a new one is added at the end.
inline constexpr std::array migrations = {
    winnow::migration{.name = "1_notebooks",
                      .silo = winnow::silo::cell,
                      .script = {R"sql(
CREATE TABLE notes_notebook (
    id bigserial PRIMARY KEY,
    title text NOT NULL,
    status integer NOT NULL DEFAULT 0
);
CREATE TABLE notes_note (
    id bigserial PRIMARY KEY,
    notebook_id bigint NOT NULL REFERENCES notes_notebook (id),
    body text NOT NULL DEFAULT '',
    locked boolean NOT NULL DEFAULT false
);
CREATE INDEX notes_note_notebook_id ON notes_note (notebook_id);
CREATE TABLE notes_attachment (
    id bigserial PRIMARY KEY,
    note_id bigint NOT NULL REFERENCES notes_note (id),
    name text NOT NULL
);
CREATE INDEX notes_attachment_note_id ON notes_attachment (note_id);
)sql",
                                 R"sql(
CREATE TABLE notes_notebook (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    status INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE notes_note (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    notebook_id INTEGER NOT NULL REFERENCES notes_notebook (id),
    body TEXT NOT NULL DEFAULT '',
    locked BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX notes_note_notebook_id ON notes_note (notebook_id);
CREATE TABLE notes_attachment (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    note_id INTEGER NOT NULL REFERENCES notes_note (id),
    name TEXT NOT NULL
);
CREATE INDEX notes_attachment_note_id ON notes_attachment (note_id);
)sql"}},
    winnow::migration{.name = "1_copies",
                      .silo = winnow::silo::control,
                      .script = {R"sql(
CREATE TABLE notes_notebookcopy (
    cell text NOT NULL,
    notebook_id bigint NOT NULL,
    title text NOT NULL,
    PRIMARY KEY (cell, notebook_id)
);
)sql",
                                 R"sql(
CREATE TABLE notes_notebookcopy (
    cell TEXT NOT NULL,
    notebook_id INTEGER NOT NULL,
    title TEXT NOT NULL,
    PRIMARY KEY (cell, notebook_id)
);
)sql"}},
    winnow::migration{.name = "2_followers",
                      .silo = winnow::silo::control,
                      .script = {R"sql(
CREATE TABLE notes_follower (
    follower text NOT NULL,
    cell text NOT NULL,
    notebook_id bigint NOT NULL,
    PRIMARY KEY (cell, notebook_id, follower)
);
CREATE TABLE notes_notice (
    id bigserial PRIMARY KEY,
    follower text NOT NULL,
    cell text NOT NULL,
    notebook_id bigint NOT NULL,
    title text NOT NULL
);
)sql",
                                 R"sql(
CREATE TABLE notes_follower (
    follower TEXT NOT NULL,
    cell TEXT NOT NULL,
    notebook_id INTEGER NOT NULL,
    PRIMARY KEY (cell, notebook_id, follower)
);
CREATE TABLE notes_notice (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    follower TEXT NOT NULL,
    cell TEXT NOT NULL,
    notebook_id INTEGER NOT NULL,
    title TEXT NOT NULL
);
)sql"}},
};

/// Defaults of the options that the models bring: copies are made of rows that were there before without being asked for.
inline constexpr std::array options = {
    winnow::part_option{.name = "notes.notes_per_second",
                        .kind = winnow::option_kind::integer,
                        .otherwise = "0",
                        .meaning = "notes deleted a second; 0: no limit"},
    winnow::part_option{.name = "outbox_replication.notes_notebook.replication_version",
                        .kind = winnow::option_kind::integer,
                        .otherwise = "1",
                        .meaning = "version up to which notebooks are backfilled"},
};

}  // namespace notes
