// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <winnow/store/connection.hpp>

namespace tracker {

/// A value that may be missing.
template <class Value> struct nullable {
    bool is_null;
    Value held;
};
template <class Value> nullable(bool, Value) -> nullable<Value>;

/// The values of one row. Between braces they are worked out from left to right, which the arguments of a
/// function are not: random numbers come in the same order whatever the compiler.
template <class... Types> struct values {
    explicit values(Types... each) : held(std::move(each)...) {}
    std::tuple<Types...> held;
};

/// Texts behind each other, also worked out from left to right.
[[nodiscard]] inline std::string concat(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const std::string_view part : parts) text += part;
    return text;
}

/// Writes rows into one table, some hundreds with one statement.
class row_writer {
public:
    /// `table` and `columns` are SQL, quoted where they must be.
    row_writer(winnow::connection& database, std::string_view table, std::string_view columns)
        : database_(database),
          head_("INSERT INTO " + std::string(table) + " (" + std::string(columns) + ") VALUES\n") {}
    row_writer(const row_writer&) = delete;
    row_writer& operator=(const row_writer&) = delete;

    /// Adds a row, its values in the order of the columns.
    template <class... Types> void add(const values<Types...>& row) {
        text_ += text_.empty() ? "(" : ",\n(";
        bool first = true;
        std::apply([&](const auto&... each) { ((text_ += first ? "" : ", ", first = false, literal(each)), ...); },
                   row.held);
        text_ += ')';
        if (++rows_ == rows_in_statement) flush();
    }

    /// Sends what has not been sent.
    void flush() {
        if (rows_ == 0) return;
        database_.execute_script(head_ + text_ + ";");
        text_.clear();
        rows_ = 0;
    }

private:
    static constexpr int rows_in_statement = 500;

    void literal(bool v) { text_ += v ? "TRUE" : "FALSE"; }
    template <std::integral Integer> void literal(Integer v) { text_ += std::to_string(v); }
    template <class Enumeration>
        requires std::is_enum_v<Enumeration>
    void literal(Enumeration v) {
        literal(static_cast<std::int32_t>(v));
    }
    void literal(double v) {
        char buffer[32];
        std::snprintf(buffer, sizeof buffer, "%.6g", v);
        text_ += buffer;
    }
    void literal(std::string_view v) {
        text_ += '\'';
        for (const char c : v) {
            if (c == '\'') text_ += '\'';
            text_ += c;
        }
        text_ += '\'';
    }
    void literal(const std::string& v) { literal(std::string_view(v)); }
    void literal(const char* v) { literal(std::string_view(v)); }
    template <class Value> void literal(const nullable<Value>& v) {
        if (v.is_null) {
            text_ += "NULL";
        } else {
            literal(v.held);
        }
    }

    winnow::connection& database_;
    std::string head_;
    std::string text_;
    int rows_ = 0;
};

}  // namespace tracker
