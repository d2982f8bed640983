// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace winnow::inline v0 {

/// A text as it is written in a script that somebody reads before it runs: in single quotes, those inside doubled.
/// Statements that winnow sends bind their values instead.
/// @param text without NUL; on PostgreSQL for sessions with `standard_conforming_strings`, which is the default
[[nodiscard]] inline std::string sql_literal(std::string_view text) {
    std::string quoted = "'";
    for (const char one : text) {
        if (one == '\'') quoted += one;
        quoted += one;
    }
    quoted += '\'';
    return quoted;
}

}  // namespace winnow::inline v0
