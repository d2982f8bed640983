// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include <winnow/plan/hooks.hpp>

namespace tracker {

/// Where the bytes of attachments lie: the folder given by `--files`, else the environment variable
/// TRACKER_FILES, else `tracker-files` in the current folder.
[[nodiscard]] std::filesystem::path attachment_folder();
void use_attachment_folder(const std::filesystem::path& folder);

/// The file of one attachment.
[[nodiscard]] std::filesystem::path attachment_file(std::int64_t id);
[[nodiscard]] std::int64_t count_attachment_files();

/// Removes at most `limit` of the files that belong to these ids. Returns true when some are left.
/// Throws std::filesystem::filesystem_error when a file cannot be removed: the rows then stay as well.
bool remove_attachment_files(const std::vector<std::int64_t>& ids, int limit);

/// What the hooks of the models have seen since the program started.
struct tally {
    std::int64_t released_bytes = 0;
    std::int64_t deleted_releases = 0;
    std::int64_t announced_deletions = 0;
};
void count_released_bytes(std::int64_t bytes);
void count_deleted_release();
void announce_deletion(std::string_view slug, const winnow::hook_context& context);
[[nodiscard]] tally hooks_so_far();

}  // namespace tracker
