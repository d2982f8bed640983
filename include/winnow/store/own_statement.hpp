// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/silo.hpp"

namespace winnow::inline v0 {

/// Spells one statement over winnow's own tables for a dialect and a silo. The text is written once for
/// both dialects, with `$1`, `$2`, … and these marks:
///
/// | mark | meaning |
/// | --- | --- |
/// | `{silo}` | `control` or `cell` |
/// | `{now}` | the database's clock, not the start of the transaction (R11) |
/// | `{after $2}` | that many seconds from now; the parameter may be negative |
/// | `{since x}` | seconds from the moment x until now |
/// | `{iso x}` | the moment x as `YYYY-MM-DD HH:MM:SS.mmm`, UTC |
/// | `{moment $2}` | the moment that such a text means; null when it is null |
/// | `{lock}` `{skip}` | FOR NO KEY UPDATE / FOR UPDATE SKIP LOCKED; nothing on SQLite |
/// | `{json x}` | SQL/JSON text of the column x |
///
/// Other braces stay as they are.
[[nodiscard]] inline std::string own_statement(std::string_view text, dialect which, silo where = silo::cell) {
    const bool postgres = which == dialect::postgres;
    std::string spelled;
    while (!text.empty()) {
        const std::size_t open = text.find('{');
        spelled += text.substr(0, open);
        if (open == std::string_view::npos) break;
        const std::size_t close = text.find('}', open);
        if (close == std::string_view::npos) return spelled.append(text.substr(open));
        const std::string_view mark = text.substr(open + 1, close - open - 1);
        const std::size_t blank = mark.find(' ');
        const std::string_view word = mark.substr(0, blank);
        const std::string of(blank == std::string_view::npos ? std::string_view() : mark.substr(blank + 1));
        if (word == "silo") {
            spelled += name_of(where);
        } else if (word == "now") {
            spelled += postgres ? "clock_timestamp()" : "strftime('%Y-%m-%d %H:%M:%f', 'now')";
        } else if (word == "after") {
            spelled += postgres ? "clock_timestamp() + " + of + "::double precision * interval '1 second'"
                                : "strftime('%Y-%m-%d %H:%M:%f', 'now', " + of + " || ' seconds')";
        } else if (word == "since") {
            spelled += postgres ? "extract(epoch FROM clock_timestamp() - " + of + ")::double precision"
                                : "((julianday('now') - julianday(" + of + ")) * 86400.0)";
        } else if (word == "iso") {
            spelled += postgres ? "to_char(" + of + " AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS')" : of;
        } else if (word == "moment") {
            spelled += postgres ? "(" + of + "::text || ' UTC')::timestamptz" : of;
        } else if (word == "lock") {
            spelled += postgres ? "FOR NO KEY UPDATE" : "";
        } else if (word == "skip") {
            spelled += postgres ? "FOR UPDATE SKIP LOCKED" : "";
        } else if (word == "json") {
            spelled += postgres ? of + "::text" : of;
        } else {
            spelled += text.substr(open, close + 1 - open);
        }
        text.remove_prefix(close + 1);
    }
    return spelled;
}

}  // namespace winnow::inline v0
