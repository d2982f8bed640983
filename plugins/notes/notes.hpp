// SPDX-License-Identifier: Apache-2.0
// Notebooks with notes and attached files. Notebooks live in cells; the control silo has a copy of each, and tells those
// who follow one that it changed.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <winnow/plan/delivery.hpp>
#include <winnow/store/connection.hpp>
#include <winnow/winnow.hpp>

#include "files.hpp"

namespace notes {

/// What messages are about, and what they are delivered together by. The numbers are stored, and must differ from those
/// of every other plugin in the same databases.
enum class Category : std::int32_t { notebook_update = 7100 };
enum class Scope : std::int32_t { notebook = 7100 };

struct Notebook {
    std::int64_t id;
    std::string title;
    winnow::object_status status;
};
WINNOW_DESCRIBE(Notebook, id, title, status)

struct Note {
    std::int64_t id;
    std::int64_t notebook_id;
    std::string body;
    bool locked;
};
WINNOW_DESCRIBE(Note, id, notebook_id, body, locked)

/// A file of a note. The row is here; the bytes lie in a folder, named by the id.
struct Attachment {
    std::int64_t id;
    std::int64_t note_id;
    std::string name;
};
WINNOW_DESCRIBE(Attachment, id, note_id, name)

/// What the control silo knows of a notebook.
struct NotebookCopy {
    std::string cell;
    std::int64_t notebook_id;
    std::string title;
};
WINNOW_DESCRIBE(NotebookCopy, cell, notebook_id, title)

struct AttachmentFiles {
    static constexpr winnow::text name = "note files";
    static bool chunk(const std::vector<std::int64_t>& ids, const winnow::hook_context&) {
        return remove_files(ids, 64);
    }
};

}  // namespace notes

template <> struct winnow::categories<notes::Category> {
    static constexpr auto scopes = winnow::scopes(scope<notes::Scope::notebook, notes::Category::notebook_update>);
};

template <> struct winnow::model<notes::NotebookCopy> {
    static constexpr text key = "notes.NotebookCopy";
    static constexpr auto silo = winnow::silo::control;
    static constexpr auto primary_key =
        winnow::primary_key<&notes::NotebookCopy::cell, &notes::NotebookCopy::notebook_id>;
};

template <> struct winnow::model<notes::Attachment> {
    static constexpr text key = "notes.Attachment";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(external<notes::AttachmentFiles>);
};

template <> struct winnow::model<notes::Note> {
    static constexpr text key = "notes.Note";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&notes::Attachment::note_id>);
    static constexpr text rate_limit_option = "notes.notes_per_second";

    static void before_delete(const notes::Note& note) {
        if (note.locked) throw std::runtime_error("note " + std::to_string(note.id) + " is locked; unlock it first");
    }
};

template <> struct winnow::model<notes::Notebook> {
    static constexpr text key = "notes.Notebook";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto status = &notes::Notebook::status;
    static constexpr auto children = winnow::children(cascade<&notes::Note::notebook_id>);
    static constexpr int replication_version = 1;
    static constexpr auto replication = replicates<notes::Category::notebook_update>(
        shard<&notes::Notebook::id>,
        mirror<notes::NotebookCopy>(from_cell<&notes::NotebookCopy::cell>,
                                    map<&notes::Notebook::id, &notes::NotebookCopy::notebook_id>,
                                    map<&notes::Notebook::title, &notes::NotebookCopy::title>));

    static bool should_proceed(const notes::Notebook& notebook) { return is_deleting(notebook.status); }

    static void pending_delete(const notes::Notebook& notebook, const hook_context& context) {
        notes::write_journal("notebook " + std::to_string(notebook.id) + " goes with " +
                             std::string(context.transaction_id));
    }

    /// After the copy: one notice for each follower and message, however often the message comes.
    static void replicate(const notes::Notebook& notebook, winnow::delivery& about) {
        about.once([&](winnow::connection& control) {
            (void)control.execute("INSERT INTO notes_notice (follower, cell, notebook_id, title) "
                                  "SELECT follower, cell, notebook_id, $3 FROM notes_follower "
                                  "WHERE cell = $1 AND notebook_id = $2",
                                  {about.cell, notebook.id, std::string_view(notebook.title)});
        });
    }

    /// A notebook that is gone has no followers.
    static void on_remote_deletion(std::int64_t notebook, winnow::delivery& about) {
        about.in_target([&](winnow::connection& control) {
            (void)control.execute("DELETE FROM notes_follower WHERE cell = $1 AND notebook_id = $2",
                                  {about.cell, notebook});
        });
    }
};

namespace notes {

using Models = winnow::registry<Notebook, Note, Attachment, NotebookCopy>;

}  // namespace notes
