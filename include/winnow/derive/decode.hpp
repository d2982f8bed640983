// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "winnow/core/error.hpp"
#include "winnow/model/lower.hpp"
#include "winnow/model/text_types.hpp"
#include "winnow/plan/hooks.hpp"
#include "winnow/plan/value.hpp"

namespace winnow::inline v0 {

/// The column that a value is decoded for, for messages.
struct value_place {
    std::string_view model;
    std::string_view column;
};

/// Throws the error of a value that does not fit the member it is read into.
[[noreturn]] inline void throw_unfit(const value_place& at, const value& found, std::string_view wanted) {
    static constexpr std::string_view held[] = {"NULL", "an integer", "a real number", "a boolean", "text"};
    std::string what =
        std::string(at.model) + ": column " + std::string(at.column) + " holds " + std::string(held[found.index()]);
    if (const auto* number = std::get_if<std::int64_t>(&found)) what += " (" + std::to_string(*number) + ")";
    what += ", which does not fit its member: " + std::string(wanted);
    error problem(failure::configuration, what);
    problem.with_model(at.model);
    problem.with_hint(is_null(found) ? "Declare the member as std::optional."
                                     : "Declare the member with the type of the column.");
    throw problem;
}

/// Reads one value into a member. SQLite's booleans are integers, and its reals may be.
/// Throws `error` of kind `configuration`, which names model and column, if the value does not fit.
inline void decode_value(std::int64_t& to, const value& from, const value_place& at) {
    const auto* number = std::get_if<std::int64_t>(&from);
    if (number == nullptr) throw_unfit(at, from, "a 64-bit integer");
    to = *number;
}

inline void decode_value(std::int32_t& to, const value& from, const value_place& at) {
    const auto* number = std::get_if<std::int64_t>(&from);
    if (number == nullptr || *number < std::numeric_limits<std::int32_t>::min() ||
        *number > std::numeric_limits<std::int32_t>::max()) {
        throw_unfit(at, from, "a 32-bit integer");
    }
    to = static_cast<std::int32_t>(*number);
}

inline void decode_value(bool& to, const value& from, const value_place& at) {
    if (const auto* flag = std::get_if<bool>(&from)) to = *flag;
    else if (const auto* number = std::get_if<std::int64_t>(&from); number != nullptr && (*number == 0 || *number == 1))
        to = *number == 1;
    else throw_unfit(at, from, "a boolean");
}

inline void decode_value(double& to, const value& from, const value_place& at) {
    if (const auto* real = std::get_if<double>(&from)) to = *real;
    else if (const auto* number = std::get_if<std::int64_t>(&from)) to = static_cast<double>(*number);
    else throw_unfit(at, from, "a real number");
}

inline void decode_value(float& to, const value& from, const value_place& at) {
    double wide = 0;
    decode_value(wide, from, at);
    to = static_cast<float>(wide);
}

inline void decode_value(std::string& to, const value& from, const value_place& at) {
    const auto* characters = std::get_if<std::string>(&from);
    if (characters == nullptr) throw_unfit(at, from, "text");
    to = *characters;
}

inline void decode_value(uuid& to, const value& from, const value_place& at) { decode_value(to.text, from, at); }
inline void decode_value(json_text& to, const value& from, const value_place& at) { decode_value(to.text, from, at); }
inline void decode_value(blob& to, const value& from, const value_place& at) { decode_value(to.bytes, from, at); }

/// SQLite has no type for points in time: seconds since 1970 are kept as digits.
inline void decode_value(timestamp& to, const value& from, const value_place& at) {
    if (const auto* seconds = std::get_if<std::int64_t>(&from)) to.text = std::to_string(*seconds);
    else if (const auto* real = std::get_if<double>(&from)) to.text = std::to_string(*real);
    else decode_value(to.text, from, at);
}

template <class Type>
void decode_value(std::optional<Type>& to, const value& from, const value_place& at) {
    if (is_null(from)) to.reset();
    else decode_value(to.emplace(), from, at);
}

/// Enums, and integers of other names than `std::int32_t` and `std::int64_t`.
template <class Type>
    requires(std::is_enum_v<Type> || std::is_integral_v<Type>)
void decode_value(Type& to, const value& from, const value_place& at) {
    std::int64_t number = 0;
    decode_value(number, from, at);
    to = static_cast<Type>(number);
    // Of an enum of one byte, 257 would be 1.
    if (static_cast<std::int64_t>(to) != number) throw_unfit(at, from, "an integer of fewer bits, or an enum of them");
}

/// A row as an object of its model. `row` holds all columns of the plan, in their order.
/// Throws `error` of kind `configuration` if a value does not fit its member.
template <class Type>
[[nodiscard]] Type decode(row_values row) {
    const model_record& record = lowered<Type>::record;
    if (row.size() != record.columns.size()) {
        error problem(failure::usage, std::string(record.key) + ": a row of " + std::to_string(row.size()) +
                                          " values cannot be read as " + std::to_string(record.columns.size()) +
                                          " columns");
        problem.with_model(record.key);
        throw problem;
    }
    Type decoded{};
    lowered<Type>::described::for_each(decoded, [&](std::size_t position, auto& member) {
        decode_value(member, row[position], {record.key, record.members[position].name});
    });
    return decoded;
}

}  // namespace winnow::inline v0
