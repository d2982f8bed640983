// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

namespace tracker {

namespace {

/// Hooks are plain functions, so what they count lives with the program.
std::atomic<std::int64_t> released_bytes = 0;
std::atomic<std::int64_t> deleted_releases = 0;
std::atomic<std::int64_t> announced_deletions = 0;

}  // namespace

std::filesystem::path attachment_folder() {
    const char* given = std::getenv("TRACKER_FILES");
    return given != nullptr && *given != '\0' ? std::filesystem::path(given) : std::filesystem::path("tracker-files");
}

void use_attachment_folder(const std::filesystem::path& folder) { ::setenv("TRACKER_FILES", folder.c_str(), 1); }

std::filesystem::path attachment_file(std::int64_t id) { return attachment_folder() / (std::to_string(id) + ".bin"); }

std::int64_t count_attachment_files() {
    std::error_code missing;
    std::int64_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(attachment_folder(), missing)) {
        if (entry.path().extension() == ".bin") ++files;
    }
    return files;
}

bool remove_attachment_files(const std::vector<std::int64_t>& ids, int limit) {
    int removed = 0;
    for (const std::int64_t id : ids) {
        const std::filesystem::path file = attachment_file(id);
        if (removed == limit) {
            if (std::filesystem::exists(file)) return true;
        } else if (std::filesystem::remove(file)) {
            ++removed;
        }
    }
    return false;
}

void count_released_bytes(std::int64_t bytes) { released_bytes += bytes; }
void count_deleted_release() { ++deleted_releases; }

void announce_deletion(std::string_view slug, const winnow::hook_context& context) {
    ++announced_deletions;
    std::printf("signal: organization \"%.*s\" is about to go (transaction %.*s)\n", static_cast<int>(slug.size()),
                slug.data(), static_cast<int>(context.transaction_id.size()), context.transaction_id.data());
}

tally hooks_so_far() { return {released_bytes, deleted_releases, announced_deletions}; }

}  // namespace tracker
