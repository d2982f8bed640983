// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace tracker {

std::string grouped(std::int64_t number) {
    const std::string digits = std::to_string(number);
    std::string text;
    for (std::size_t at = 0; at < digits.size(); ++at) {
        const std::size_t left = digits.size() - at;
        if (left % 3 == 0 && at > 0 && digits[at - 1] != '-') text += ' ';
        text += digits[at];
    }
    return text;
}

std::string with_decimals(double number, int decimals) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.*f", decimals, number);
    return buffer;
}

void print_table(const std::vector<std::vector<std::string>>& rows, const std::vector<std::size_t>& right) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    for (const auto& row : rows) {
        std::string line = " ";
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - row[i].size(), ' ');
            const bool to_right = std::find(right.begin(), right.end(), i) != right.end();
            line += ' ';
            line += to_right ? padding : row[i];
            line += to_right ? row[i] : padding;
            line += ' ';
        }
        line.erase(line.find_last_not_of(' ') + 1);
        std::printf("%s\n", line.c_str());
    }
}

live_progress::live_progress() : terminal_(::isatty(STDOUT_FILENO) == 1) {}

void live_progress::progress(const winnow::deletion_progress& now) {
    const double seconds = since_.seconds();
    const bool measured = now.rows_total > 0;
    if (terminal_) {
        if (seconds - last_shown_ < 0.05) return;
    } else {
        const std::int64_t tenths = measured ? 10 * now.rows_done / now.rows_total : static_cast<std::int64_t>(seconds);
        if (tenths <= tenths_shown_) return;
        tenths_shown_ = tenths;
    }
    last_shown_ = seconds;
    std::string text = "  " + grouped(now.rows_done);
    if (measured) {
        text +=
            " of " + grouped(now.rows_total) + " rows, " + std::to_string(100 * now.rows_done / now.rows_total) + " %";
    } else {
        text += " rows";
    }
    if (now.rows_per_second > 0) {
        text += ", " + grouped(static_cast<std::int64_t>(now.rows_per_second)) + " rows/s";
        if (measured)
            text += ", " + with_decimals(static_cast<double>(now.rows_total - now.rows_done) / now.rows_per_second, 1) +
                    " s left";
    }
    text += "  (" + std::string(now.current_model) + ")";
    if (terminal_) {
        std::printf("\r%-100s", text.c_str());
        line_open_ = true;
    } else {
        std::printf("%s\n", text.c_str());
    }
    std::fflush(stdout);
}

void live_progress::log(winnow::log_level level, std::string_view message,
                        std::initializer_list<winnow::label> labels) {
    if (level != winnow::log_level::warning && level != winnow::log_level::error) return;
    finish();
    std::string line(message);
    for (const winnow::label& one : labels) line.append(" ").append(one.name).append("=").append(one.text);
    std::printf("  %s\n", line.c_str());
}

void live_progress::observe(std::string_view metric, double seconds, std::initializer_list<winnow::label>) {
    if (metric != "deletions.chunk.duration") return;
    ++transactions_;
    longest_transaction_ = std::max(longest_transaction_, seconds);
}

void live_progress::finish() {
    if (line_open_) std::printf("\n");
    line_open_ = false;
}

}  // namespace tracker
