// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace winnow::inline v0 {

/// How far a table's backfill is: first by version, then by the id that the next batch begins at.
struct cursor_position {
    std::int64_t version = 1;
    std::int64_t lower = 0;

    friend constexpr auto operator<=>(const cursor_position&, const cursor_position&) = default;
};

/// The key under which other programs find a table's cursor.
[[nodiscard]] inline std::string cursor_key(std::string_view table) { return "outbox_backfill." + std::string(table); }

/// A cursor as it is kept: the JSON list `[lower, version]`, with one blank after the comma.
[[nodiscard]] inline std::string cursor_text(const cursor_position& at) {
    return "[" + std::to_string(at.lower) + ", " + std::to_string(at.version) + "]";
}

/// Reads what is kept. Nothing when it is no list of two whole numbers.
[[nodiscard]] inline std::optional<cursor_position> parse_cursor(std::string_view text) {
    const auto blanks = [&] {
        while (!text.empty() && std::string_view(" \t\r\n").find(text.front()) != std::string_view::npos)
            text.remove_prefix(1);
    };
    const auto take = [&](char wanted) {
        blanks();
        if (text.empty() || text.front() != wanted) return false;
        text.remove_prefix(1);
        return true;
    };
    const auto number = [&](std::int64_t& to) {
        blanks();
        const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), to);
        if (fault != std::errc{}) return false;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        return true;
    };
    cursor_position read;
    if (!take('[') || !number(read.lower) || !take(',') || !number(read.version) || !take(']')) return std::nullopt;
    blanks();
    if (!text.empty()) return std::nullopt;
    return read;
}

/// A place outside the database that holds copies of cursors for other programs to read: Redis.
///
/// Nothing is ever decided by what it holds, so it may lose everything at any time. Its functions throw `error` of kind
/// `connection` when it cannot be reached, and may be called again afterwards.
class cursor_store {
public:
    /// What a key held before it was written.
    struct advanced {
        bool written = false;
        std::optional<std::string> before;
    };

    cursor_store() = default;
    cursor_store(const cursor_store&) = delete;
    cursor_store& operator=(const cursor_store&) = delete;
    virtual ~cursor_store() = default;

    /// What it is, without any password; fit for logs.
    [[nodiscard]] virtual std::string description() const = 0;
    /// Why it may lose keys by itself, or that this could not be found out; empty: it keeps them.
    [[nodiscard]] virtual std::string risk() = 0;
    /// The text under a key, whatever it is.
    [[nodiscard]] virtual std::optional<std::string> read(std::string_view key) = 0;
    /// Writes a cursor in one step unless a cursor is there that is as far or further.
    virtual advanced advance(std::string_view key, const cursor_position& to) = 0;
    /// Writes a cursor in one step if the key still holds what was seen there.
    virtual bool replace(std::string_view key, const std::optional<std::string>& seen, const cursor_position& to) = 0;
};

}  // namespace winnow::inline v0
