// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <sys/stat.h>

#include "winnow/core/error.hpp"
#include "winnow/store/connection.hpp"

namespace winnow::inline v0 {

/// The write-ahead log of one SQLite file, as far as a long piece of work has to watch it (S5). It grows for as long
/// as somebody reads an old state of the file. Empty for other databases and for those in memory.
struct sqlite_log {
    std::string file;        ///< path of the database; empty: there is nothing to watch
    std::int64_t usual = 0;  ///< bytes below which its size means nothing: SQLite lets it grow so far by itself

    struct sizes {
        std::int64_t file = 0;  ///< bytes
        std::int64_t log = 0;   ///< bytes; 0 without a log
    };
    /// Looks at the sizes on the disk; asks no database.
    [[nodiscard]] sizes measure() const noexcept {
        const auto size_of = [](const std::string& path) -> std::int64_t {
            struct stat found{};
            return ::stat(path.c_str(), &found) == 0 ? static_cast<std::int64_t>(found.st_size) : 0;
        };
        if (file.empty()) return {};
        return {size_of(file), size_of(file + "-wal")};
    }
};

/// Finds the log of a connection's main database.
[[nodiscard]] inline sqlite_log find_sqlite_log(connection& database) {
    sqlite_log found;
    if (database.kind() != dialect::sqlite) return found;
    const rows files = database.execute_once("PRAGMA database_list", {});
    for (std::size_t row = 0; row < files.size(); ++row)
        if (files.text(row, 1) == "main") found.file = files.text(row, 2);
    found.usual = 2 * database.execute_once("PRAGMA wal_autocheckpoint", {}).integer(0, 0) *
                  database.execute_once("PRAGMA page_size", {}).integer(0, 0);
    return found;
}

/// Writes the log back into the file and cuts it to nothing, if nobody is in the way; waits for nobody, because
/// other writers would have to wait as well. Needs that no transaction is open on the connection.
/// @return whether the log is empty now
inline bool empty_sqlite_log(connection& database) {
    if (database.kind() != dialect::sqlite) return false;
    const std::int64_t patience = database.execute_once("PRAGMA busy_timeout", {}).integer(0, 0);
    (void)database.execute_once("PRAGMA busy_timeout = 0", {});
    bool emptied = false;
    try {
        emptied = database.execute_once("PRAGMA wal_checkpoint(TRUNCATE)", {}).integer(0, 0, 1) == 0;
    } catch (const error&) {
        emptied = false;  // on a full disk not even this may work; the log stays as it is
    }
    (void)database.execute_once("PRAGMA busy_timeout = " + std::to_string(patience), {});
    return emptied;
}

}  // namespace winnow::inline v0
