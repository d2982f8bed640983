// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "winnow/plan/value.hpp"

namespace winnow::inline v0 {

/// The result of one statement, read to its end: never more than a chunk.
class rows {
public:
    rows() = default;
    rows(std::size_t width, std::vector<value> cells, std::int64_t affected)
        : width_(width), cells_(std::move(cells)), affected_(affected) {}

    [[nodiscard]] std::size_t width() const noexcept { return width_; }
    [[nodiscard]] std::size_t size() const noexcept { return width_ == 0 ? 0 : cells_.size() / width_; }
    [[nodiscard]] bool empty() const noexcept { return cells_.empty(); }
    /// Rows inserted, updated or deleted; cascades of the database are not counted.
    [[nodiscard]] std::int64_t affected() const noexcept { return affected_; }

    [[nodiscard]] std::span<const value> operator[](std::size_t row) const noexcept {
        return {cells_.data() + row * width_, width_};
    }
    [[nodiscard]] const value& at(std::size_t row, std::size_t column) const {
        return cells_.at(row * width_ + column);
    }

    /// Integer in a cell; booleans count as 0 and 1, reals lose their fraction, anything else is `otherwise`.
    [[nodiscard]] std::int64_t integer(std::size_t row, std::size_t column, std::int64_t otherwise = 0) const {
        const value& v = at(row, column);
        if (const auto* i = std::get_if<std::int64_t>(&v)) return *i;
        if (const auto* b = std::get_if<bool>(&v)) return *b ? 1 : 0;
        // 2^63 is the first that no integer holds; what is no number fails both comparisons.
        if (const auto* d = std::get_if<double>(&v); d != nullptr && *d >= -0x1p63 && *d < 0x1p63)
            return static_cast<std::int64_t>(*d);
        return otherwise;
    }
    /// Text in a cell; empty for null.
    [[nodiscard]] std::string text(std::size_t row, std::size_t column) const {
        const value& v = at(row, column);
        if (const auto* s = std::get_if<std::string>(&v)) return *s;
        return {};
    }
    /// Moves all cells out as a set of key tuples.
    [[nodiscard]] key_set take_keys() && { return key_set(width_ == 0 ? 1 : width_, std::move(cells_)); }

private:
    std::size_t width_ = 0;
    std::vector<value> cells_;
    std::int64_t affected_ = 0;
};

}  // namespace winnow::inline v0
