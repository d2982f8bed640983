// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::inline v0 {

/// What a PostgreSQL error message holds. Messages are asked for in the server's verbose form, because
/// the client library hands out no fields, only text.
struct postgres_message {
    std::string sqlstate;  ///< empty when the text has none: a lost connection
    std::string text;      ///< for people: message and detail, without source positions
    std::string table;     ///< schema-qualified where the server said so
    std::string constraint;
};

namespace detail {

/// Value of a line `LABEL:  value` of a verbose message; empty when there is none.
[[nodiscard]] inline std::string_view labelled(std::string_view message, std::string_view label) noexcept {
    for (std::size_t at = 0; at < message.size();) {
        const std::size_t end = std::min(message.find('\n', at), message.size());
        std::string_view line = message.substr(at, end - at);
        if (line.starts_with(label)) {
            line.remove_prefix(label.size());
            return line.substr(std::min(line.find_first_not_of(' '), line.size()));
        }
        at = end + 1;
    }
    return {};
}

/// Names in quotation marks of any of the languages that the server speaks, in their order.
[[nodiscard]] inline std::vector<std::string> names_in_quotes(std::string_view line) {
    struct marks {
        std::string_view open;
        std::string_view close;
    };
    static constexpr std::array<marks, 6> known{{{"\"", "\""},
                                                 {"\xC2\xAB ", " \xC2\xBB"},
                                                 {"\xC2\xAB", "\xC2\xBB"},
                                                 {"\xC2\xBB", "\xC2\xAB"},
                                                 {"\xE2\x80\x9E", "\xE2\x80\x9C"},
                                                 {"\xE2\x80\x9C", "\xE2\x80\x9D"}}};
    std::vector<std::string> names;
    for (std::size_t at = 0; at < line.size();) {
        std::size_t skip = 1;
        for (const marks& pair : known) {
            if (!line.substr(at).starts_with(pair.open)) continue;
            const std::size_t from = at + pair.open.size();
            const std::size_t end = line.find(pair.close, from);
            if (end == std::string_view::npos) continue;
            names.emplace_back(line.substr(from, end - from));
            skip = end + pair.close.size() - at;
            break;
        }
        at += skip;
    }
    return names;
}

[[nodiscard]] inline bool is_sqlstate(std::string_view text) noexcept {
    if (text.size() != 5) return false;
    for (const char c : text) {
        if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'))) return false;
    }
    return true;
}

}  // namespace detail

/// Takes a server message apart: `ERROR:  23503: update or delete on table "a" violates …`.
///
/// Table and constraint come from the labelled lines of the verbose form. Where these are missing or
/// translated, the names in quotation marks of the first line stand in, whatever the language.
[[nodiscard]] inline postgres_message read_postgres_message(std::string_view message) {
    postgres_message out;
    std::string_view first = message.substr(0, message.find('\n'));
    const std::size_t colon = first.find(":  ");
    if (colon != std::string_view::npos && first.size() > colon + 9 && first[colon + 8] == ':' &&
        detail::is_sqlstate(first.substr(colon + 3, 5))) {
        out.sqlstate = first.substr(colon + 3, 5);
        first.remove_prefix(std::min(first.find_first_not_of(' ', colon + 9), first.size()));
        out.text = first;
        if (const auto more = detail::labelled(message, "DETAIL:"); !more.empty()) out.text.append(" ").append(more);
        if (const auto more = detail::labelled(message, "HINT:"); !more.empty()) out.text.append(" ").append(more);
    } else {
        out.text = message.substr(0, message.find_last_not_of(" \n") + 1);
    }
    out.table = detail::labelled(message, "TABLE NAME:");
    const std::string_view schema = detail::labelled(message, "SCHEMA NAME:");
    if (!out.table.empty() && !schema.empty() && schema != "public") out.table = std::string(schema) + '.' + out.table;
    out.constraint = detail::labelled(message, "CONSTRAINT NAME:");
    if (!out.sqlstate.starts_with("23") || !out.constraint.empty()) return out;
    const std::vector<std::string> names = detail::names_in_quotes(first);
    if (out.sqlstate == "23503" && names.size() == 3) {  // parent, key, child
        out.constraint = names[1];
        out.table = names[2];
    } else if (names.size() >= 2) {
        out.table = names[0];
        out.constraint = names[1];
    } else if (names.size() == 1) {
        out.constraint = names[0];
    }
    return out;
}

/// True when the same work may succeed later: deadlock, serialization failure, lock or statement time-out,
/// shutdown, too many connections, lost connection (class 08 but for a wrong number of parameters, 08P01).
[[nodiscard]] inline bool may_retry_sqlstate(std::string_view sqlstate) noexcept {
    constexpr std::array<std::string_view, 10> codes{"40001", "40P01", "55P03", "57014", "57P01",
                                                     "57P02", "57P03", "57P05", "53300", "25P03"};
    for (const std::string_view code : codes) {
        if (code == sqlstate) return true;
    }
    return sqlstate.starts_with("08") && sqlstate != "08P01";
}

/// True when the server ends the session after an error with this code.
[[nodiscard]] inline bool ends_session(std::string_view sqlstate) noexcept {
    return sqlstate == "57P01" || sqlstate == "57P02" || sqlstate == "57P03" || sqlstate == "57P05" ||
           sqlstate == "25P03" || sqlstate == "25P04" || (sqlstate.starts_with("08") && sqlstate != "08P01");
}

/// What to do about an error with this code, one sentence; empty when there is no general advice.
[[nodiscard]] inline std::string_view postgres_hint(std::string_view sqlstate) noexcept {
    if (sqlstate == "42501")
        return "Grant this role what is missing: check names it for each model (locking needs UPDATE of one column). "
               "winnow's own tables want SELECT, INSERT, UPDATE and DELETE; row security wants BYPASSRLS.";
    if (sqlstate == "25006") return "This server or role is read-only; connect to the primary.";
    if (sqlstate == "25P02") return "An earlier statement of this transaction failed; roll back and look at that one.";
    if (sqlstate == "23503") return "Delete or re-point the rows that refer to it, or declare the relation.";
    if (sqlstate == "42P01" || sqlstate == "42703" || sqlstate == "42883" || sqlstate == "42804")
        return "Compare the models with the live schema: run check.";
    if (sqlstate == "55000") return "A table that publishes its deletes needs a key or REPLICA IDENTITY FULL.";
    return {};
}

}  // namespace winnow::inline v0
