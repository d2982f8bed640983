// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace notes {

/// Removes at most `limit` of the files NOTES_FILES/{id}. Returns true when some are left. Files that are gone already
/// cost nothing: after a crash the same ids come again.
bool remove_files(const std::vector<std::int64_t>& ids, int limit);

/// Adds a line to NOTES_FILES/journal.txt.
void write_journal(const std::string& line);

}  // namespace notes
