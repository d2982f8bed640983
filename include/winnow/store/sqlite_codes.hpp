// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace winnow::inline v0 {

namespace detail {

struct sqlite_code {
    int number;
    std::string_view name;
};

/// Result codes, primary ones first. The numbers are part of SQLite's stable interface.
inline constexpr std::array<sqlite_code, 31> sqlite_codes{{
    {1, "SQLITE_ERROR"},
    {3, "SQLITE_PERM"},
    {4, "SQLITE_ABORT"},
    {5, "SQLITE_BUSY"},
    {6, "SQLITE_LOCKED"},
    {7, "SQLITE_NOMEM"},
    {8, "SQLITE_READONLY"},
    {9, "SQLITE_INTERRUPT"},
    {10, "SQLITE_IOERR"},
    {11, "SQLITE_CORRUPT"},
    {13, "SQLITE_FULL"},
    {14, "SQLITE_CANTOPEN"},
    {15, "SQLITE_PROTOCOL"},
    {17, "SQLITE_SCHEMA"},
    {18, "SQLITE_TOOBIG"},
    {19, "SQLITE_CONSTRAINT"},
    {20, "SQLITE_MISMATCH"},
    {21, "SQLITE_MISUSE"},
    {23, "SQLITE_AUTH"},
    {25, "SQLITE_RANGE"},
    {26, "SQLITE_NOTADB"},
    {261, "SQLITE_BUSY_RECOVERY"},
    {262, "SQLITE_LOCKED_SHAREDCACHE"},
    {275, "SQLITE_CONSTRAINT_CHECK"},
    {517, "SQLITE_BUSY_SNAPSHOT"},
    {787, "SQLITE_CONSTRAINT_FOREIGNKEY"},
    {1032, "SQLITE_READONLY_DBMOVED"},
    {1299, "SQLITE_CONSTRAINT_NOTNULL"},
    {1555, "SQLITE_CONSTRAINT_PRIMARYKEY"},
    {1811, "SQLITE_CONSTRAINT_TRIGGER"},
    {2067, "SQLITE_CONSTRAINT_UNIQUE"},
}};

[[nodiscard]] constexpr std::string_view find_sqlite_code(int number) noexcept {
    for (const sqlite_code& each : sqlite_codes) {
        if (each.number == number) return each.name;
    }
    return {};
}

/// Name of a result code, for `error::sqlstate()`: of the extended code where it is told apart, else of
/// the primary one.
[[nodiscard]] inline std::string sqlite_code_name(int code) {
    for (const int number : {code, code & 0xFF}) {
        if (const std::string_view name = find_sqlite_code(number); !name.empty()) return std::string(name);
    }
    return "SQLITE_" + std::to_string(code);
}

/// What to do about a failure, one sentence; empty when there is no general advice.
[[nodiscard]] constexpr std::string_view sqlite_hint(int code) noexcept {
    const std::string_view name = find_sqlite_code(code & 0xFF);
    if (name == "SQLITE_BUSY") return "Another process is writing; try again, or raise busy_timeout in the URL.";
    if (name == "SQLITE_FULL") {
        return "Free space on the disk; what was committed is safe, this transaction is rolled back.";
    }
    if (name == "SQLITE_READONLY") return "Open a file that this user may write, without mode=ro.";
    if (name == "SQLITE_CANTOPEN") {
        return "Check the path and the rights on its folder; add ?mode=rwc to create the file, or ?immutable=1 to read "
               "a WAL file from a folder that cannot be written.";
    }
    if (name == "SQLITE_NOTADB" || name == "SQLITE_CORRUPT") {
        return "The file is no intact SQLite database; run PRAGMA integrity_check on a copy.";
    }
    if (name == "SQLITE_IOERR")
        return "Check that the path is a file, that its disk has room, and that its folder can be written.";
    if (name == "SQLITE_INTERRUPT") return "The statement ran into its time limit; try it with fewer rows.";
    return {};
}

}  // namespace detail

}  // namespace winnow::inline v0
