// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <winnow/context/observer.hpp>

namespace tracker {

/// 1234567 as "1 234 567".
[[nodiscard]] std::string grouped(std::int64_t number);
[[nodiscard]] std::string with_decimals(double number, int decimals);

/// Prints rows of texts as columns; the columns named in `right` are set to the right.
void print_table(const std::vector<std::vector<std::string>>& rows, const std::vector<std::size_t>& right);

/// Seconds since it was made.
class stopwatch {
public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Shows how a deletion comes along: one line that changes on a terminal, ten lines elsewhere.
class live_progress final : public winnow::observer {
public:
    live_progress();
    void progress(const winnow::deletion_progress& now) override;
    void log(winnow::log_level level, std::string_view message, std::initializer_list<winnow::label> labels) override;
    void observe(std::string_view metric, double seconds, std::initializer_list<winnow::label> labels) override;
    /// Ends the line that changes.
    void finish();
    /// Transactions that deleted rows.
    [[nodiscard]] std::int64_t transactions() const { return transactions_; }
    /// Seconds that the longest of them took.
    [[nodiscard]] double longest_transaction() const { return longest_transaction_; }

private:
    bool terminal_;
    bool line_open_ = false;
    std::int64_t tenths_shown_ = 0;
    stopwatch since_;
    double last_shown_ = -1;
    std::int64_t transactions_ = 0;
    double longest_transaction_ = 0;
};

}  // namespace tracker
