// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <winnow/plan/part.hpp>

namespace project_notes {

inline constexpr std::array migrations = {
    winnow::migration{.name = "1_notes",
                      .silo = winnow::silo::cell,
                      .script = {R"sql(
CREATE TABLE project_notes_note (
    id bigserial PRIMARY KEY,
    project_id bigint NOT NULL REFERENCES tracker_project (id),
    body text NOT NULL DEFAULT '',
    pinned boolean NOT NULL DEFAULT false
);
CREATE INDEX project_notes_note_project_id ON project_notes_note (project_id);
)sql",
                                 R"sql(
CREATE TABLE project_notes_note (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES tracker_project (id),
    body TEXT NOT NULL DEFAULT '',
    pinned BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX project_notes_note_project_id ON project_notes_note (project_id);
)sql"}},
};

}  // namespace project_notes
