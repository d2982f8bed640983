// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <winnow/winnow.hpp>

#include "../files.hpp"

namespace tracker {

/// A file that came with an event. The row is here; the bytes lie in a folder, named by the id.
struct Attachment {
    std::int64_t id;
    std::int64_t project_id;
    std::optional<std::int64_t> group_id;
    std::string event_guid;
    std::string name;
    std::string content_type;
    std::int64_t size;
};
WINNOW_DESCRIBE(Attachment, id, project_id, group_id, event_guid, name, content_type, size)

/// Removes the files of a set of attachments, before their rows go.
struct AttachmentFiles {
    static constexpr winnow::text name = "attachment files";

    /// At most 64 files a call, so that one call stays short however slow the disk is. Files that are
    /// gone already cost nothing: after a crash the same ids come again.
    static bool chunk(const std::vector<std::int64_t>& ids, const winnow::hook_context&) {
        return remove_attachment_files(ids, 64);
    }
};

}  // namespace tracker

template <> struct winnow::model<tracker::Attachment> {
    static constexpr text key = "tracker.Attachment";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(external<tracker::AttachmentFiles>);

    static void before_delete(const tracker::Attachment& attachment, const hook_context&) {
        tracker::count_released_bytes(attachment.size);
    }
};
