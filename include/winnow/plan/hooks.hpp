// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "winnow/plan/value.hpp"

namespace winnow::inline v0 {

/// One row, all columns of the plan in their order.
using row_values = std::span<const value>;

/// What a hook is told about the deletion that calls it.
struct hook_context {
    std::string_view model;           ///< key of the model whose rows are handled
    std::string_view transaction_id;  ///< guid of the scheduled deletion, 32 hexadecimal digits
    std::optional<std::int64_t> actor;
    std::string_view data = "{}";  ///< the JSON given when it was scheduled
};

/// A yes-or-no question about one row. `state` is handed back untouched.
struct row_predicate {
    bool (*call)(const void* state, row_values row, const hook_context& context) = nullptr;
    const void* state = nullptr;

    explicit constexpr operator bool() const noexcept { return call != nullptr; }
    bool operator()(row_values row, const hook_context& context) const { return call(state, row, context); }
};

/// Something to be done for one row.
struct row_action {
    void (*call)(const void* state, row_values row, const hook_context& context) = nullptr;
    const void* state = nullptr;

    explicit constexpr operator bool() const noexcept { return call != nullptr; }
    void operator()(row_values row, const hook_context& context) const { call(state, row, context); }
};

/// Clears what is not in this database for a set of parent keys. Returns true while more is left.
/// Called before the rows go; called again with the same keys after a crash, so it must be idempotent.
struct external_task {
    bool (*call)(const void* state, const key_set& keys, const hook_context& context) = nullptr;
    const void* state = nullptr;

    explicit constexpr operator bool() const noexcept { return call != nullptr; }
    bool operator()(const key_set& keys, const hook_context& context) const { return call(state, keys, context); }
};

/// User code of one model. All are optional. An exception from any of them rolls the chunk back and
/// counts as a failed attempt of the deletion.
struct hooks {
    /// Root only, in every chunk, under a lock on the root: false drops the deletion (R13).
    row_predicate should_proceed;
    /// Root only, once, before anything is deleted.
    row_action pending_delete;
    /// For each row of the model, in the transaction that deletes it, before the DELETE.
    row_action before_delete;
    /// The same, after the DELETE and before the commit.
    row_action after_delete;

    [[nodiscard]] constexpr bool per_row() const noexcept { return before_delete || after_delete; }
};

}  // namespace winnow::inline v0
