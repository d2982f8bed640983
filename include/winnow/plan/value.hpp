// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace winnow::inline v0 {

/// Kinds of column values that winnow reads, binds and compares.
enum class value_kind : std::uint8_t {
    integer32,
    integer64,
    boolean,
    real,
    text,
    uuid,       ///< canonical text form on both databases
    json,       ///< text
    timestamp,  ///< the database's own text form
    blob,       ///< raw bytes; never part of a key
};

[[nodiscard]] constexpr std::string_view name_of(value_kind kind) noexcept {
    switch (kind) {
        case value_kind::integer32: return "32-bit integer";
        case value_kind::integer64: return "64-bit integer";
        case value_kind::boolean: return "boolean";
        case value_kind::real: return "real";
        case value_kind::text: return "text";
        case value_kind::uuid: return "UUID";
        case value_kind::json: return "JSON";
        case value_kind::timestamp: return "timestamp";
        case value_kind::blob: return "blob";
    }
    return "unknown";
}

struct null_value {
    friend constexpr auto operator<=>(null_value, null_value) = default;
};

/// One value of one column. Text, UUID, JSON, timestamp and blob are all held as bytes.
using value = std::variant<null_value, std::int64_t, double, bool, std::string>;

[[nodiscard]] inline bool is_null(const value& v) noexcept { return v.index() == 0; }

/// A set of key tuples of one width, row by row: what a statement's set parameter takes.
/// A chunk never holds more of them than its row budget.
class key_set {
public:
    key_set() = default;
    explicit key_set(std::size_t width) noexcept : width_(width) {}
    /// Takes over what stands in `values`, row by row: a multiple of `width` of them.
    key_set(std::size_t width, std::vector<value>&& values) noexcept : width_(width), values_(std::move(values)) {}

    [[nodiscard]] std::size_t width() const noexcept { return width_; }
    [[nodiscard]] std::size_t size() const noexcept { return width_ == 0 ? 0 : values_.size() / width_; }
    [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
    [[nodiscard]] std::span<const value> operator[](std::size_t row) const noexcept {
        return {values_.data() + row * width_, width_};
    }
    [[nodiscard]] std::span<const value> back() const noexcept { return (*this)[size() - 1]; }
    [[nodiscard]] std::span<const value> values() const noexcept { return {values_.data(), values_.size()}; }

    // Templates over the vector's type, so that a file which never calls them, as one that only declares models,
    // does not compile them; clang compiles a call that depends on nothing even where the template is not used.
    template <class Values = std::vector<value>>
    void push_back(std::span<const value> tuple) {
        Values& values = values_;
        values.insert(values.end(), tuple.begin(), tuple.end());
    }
    template <class Values = std::vector<value>>
    void clear() noexcept {
        Values& values = values_;
        values.clear();
    }
    template <class Values = std::vector<value>>
    void reserve(std::size_t rows) {
        Values& values = values_;
        values.reserve(rows * width_);
    }

    friend bool operator==(const key_set&, const key_set&) = default;

private:
    std::size_t width_ = 1;
    std::vector<value> values_;
};

}  // namespace winnow::inline v0
