// SPDX-License-Identifier: Apache-2.0
// Notes on the projects of an error tracker, written without the tracker's headers: its model is known by key.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <winnow/winnow.hpp>

namespace project_notes {

struct Note {
    std::int64_t id;
    std::int64_t project_id;
    std::string body;
    bool pinned;
};
WINNOW_DESCRIBE(Note, id, project_id, body, pinned)

}  // namespace project_notes

template <> struct winnow::model<project_notes::Note> {
    static constexpr text key = "project_notes.Note";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto parents = winnow::parents(belongs_to<"tracker.Project", &project_notes::Note::project_id>);

    static void before_delete(const project_notes::Note& note) {
        if (note.pinned)
            throw std::runtime_error("note " + std::to_string(note.id) + " is pinned to its project; unpin it first");
    }
};

namespace project_notes {

using Models = winnow::registry<Note>;

}  // namespace project_notes
