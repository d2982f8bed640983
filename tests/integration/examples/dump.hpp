// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "winnow/store/connection.hpp"

/// A value as text that keeps its type: the text 7 is not the number 7.
[[nodiscard]] inline std::string shown(const winnow::value& v) {
    struct visitor {
        std::string operator()(winnow::null_value) const { return "NULL"; }
        std::string operator()(std::int64_t i) const { return std::to_string(i); }
        std::string operator()(double d) const {
            char buffer[40];
            std::snprintf(buffer, sizeof buffer, "%.17gr", d);
            return buffer;
        }
        std::string operator()(bool b) const { return b ? "true" : "false"; }
        std::string operator()(const std::string& s) const { return "'" + s + "'"; }
    };
    return std::visit(visitor{}, v);
}

/// The rows of a query as lines.
[[nodiscard]] inline std::vector<std::string> lines_of(winnow::connection& database, std::string_view query) {
    const winnow::rows found = database.execute_once(query, {});
    std::vector<std::string> lines;
    for (std::size_t row = 0; row < found.size(); ++row) {
        std::string line;
        for (const winnow::value& cell : found[row]) line += shown(cell) + "|";
        lines.push_back(std::move(line));
    }
    return lines;
}

/// Each of some tables by name.
using database_dump = std::map<std::string, std::vector<std::string>>;
