// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "winnow/core/error.hpp"
#include "winnow/plan/catalog.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Whether the database runs, and a row of the statement was not to its liking: a trigger raised, or what it did
/// broke a constraint. Fewer rows at once may pass where these did not.
[[nodiscard]] inline bool is_row_refusal(const error& problem) noexcept {
    if (problem.kind() != failure::statement || problem.may_retry()) return false;
    const std::string_view state = problem.sqlstate();
    if (state.starts_with("SQLITE_CONSTRAINT")) return state != "SQLITE_CONSTRAINT_FOREIGNKEY";
    if (state.size() != 5 || state == "23503" || state == "23001") return false;
    const std::string_view group = state.substr(0, 2);
    // P0: raised; 22, 23, 44: data and constraints; what begins with a letter from I on is the user's own.
    return group == "22" || group == "23" || group == "44" || group == "45" ||
           (state[0] >= 'I' && state[0] <= 'Z' && group != "XX");
}

/// One statement over several rows was refused because of some of them.
class row_refusal final : public error {
public:
    /// @param through the relation whose leaf rows were to go; null when rows were to go by key
    row_refusal(const error& problem, std::size_t model, const edge* through)
        : error(problem), model_(model), through_(through) {}
    [[nodiscard]] std::size_t model_index() const noexcept { return model_; }
    [[nodiscard]] const edge* through() const noexcept { return through_; }

private:
    std::size_t model_;
    const edge* through_;
};

/// The rows that refuse are found and named, and all others of their chunk are gone. Trying again is for a person.
class rows_refused final : public error {
public:
    using error::error;
};

}  // namespace detail

}  // namespace winnow::inline v0
