// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/cli/text.hpp"

namespace winnow::inline v0::cli {

/// Lines of cells under headings, aligned for people. Columns whose heading begins with `>` are flush right;
/// columns in which every cell is empty are left out.
class table {
public:
    table(std::initializer_list<std::string_view> headings) {
        for (const std::string_view one : headings) {
            const bool right = one.starts_with('>');
            columns_.push_back({std::string(right ? one.substr(1) : one), right});
        }
    }

    void add(std::vector<std::string> cells) {
        cells.resize(columns_.size());
        for (std::string& cell : cells) cell = printable(cell);
        lines_.push_back(std::move(cells));
    }
    [[nodiscard]] bool empty() const noexcept { return lines_.empty(); }

    /// All of it, each line ended.
    [[nodiscard]] std::string text() const {
        std::vector<std::size_t> shown;
        std::vector<std::size_t> widths(columns_.size());
        std::vector<std::string> headings;
        for (std::size_t column = 0; column < columns_.size(); ++column) {
            headings.push_back(columns_[column].heading);
            bool any = false;
            for (const std::vector<std::string>& line : lines_) {
                widths[column] = std::max(widths[column], width_of(line[column]));
                any = any || !line[column].empty();
            }
            widths[column] = std::max(widths[column], width_of(columns_[column].heading));
            if (any) shown.push_back(column);
        }
        std::string all = line_text(headings, shown, widths);
        for (const std::vector<std::string>& line : lines_) all += line_text(line, shown, widths);
        return all;
    }

private:
    struct column_format {
        std::string heading;
        bool right = false;
    };

    /// Characters, not bytes, of UTF-8 text.
    static std::size_t width_of(std::string_view text) {
        return static_cast<std::size_t>(std::count_if(
            text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
    }

    [[nodiscard]] std::string line_text(const std::vector<std::string>& cells, const std::vector<std::size_t>& shown,
                                        const std::vector<std::size_t>& widths) const {
        std::string line;
        for (const std::size_t column : shown) {
            if (column != shown.front()) line += "  ";
            const std::size_t blanks = widths[column] - width_of(cells[column]);
            if (columns_[column].right) line.append(blanks, ' ');
            line += cells[column];
            if (!columns_[column].right) line.append(blanks, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        return line + "\n";
    }

    std::vector<column_format> columns_;
    std::vector<std::vector<std::string>> lines_;
};

}  // namespace winnow::inline v0::cli
