// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace notes {

namespace {

std::filesystem::path folder() {
    const char* given = std::getenv("NOTES_FILES");
    return given != nullptr && *given != '\0' ? std::filesystem::path(given) : std::filesystem::path("notes-files");
}

}  // namespace

bool remove_files(const std::vector<std::int64_t>& ids, int limit) {
    int removed = 0;
    for (const std::int64_t id : ids) {
        const std::filesystem::path file = folder() / std::to_string(id);
        if (removed == limit) {
            if (std::filesystem::exists(file)) return true;
        } else if (std::filesystem::remove(file)) {
            ++removed;
        }
    }
    return false;
}

void write_journal(const std::string& line) {
    std::filesystem::create_directories(folder());
    const std::filesystem::path path = folder() / "journal.txt";
    std::ofstream file(path, std::ios::app);
    if (!(file << line << std::endl)) throw std::runtime_error("cannot write to " + path.string());
}

}  // namespace notes
