// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/sql/parts.hpp"
#include "winnow/sql/writer.hpp"

namespace winnow::inline v0 {

/// The members of `row_statements`, in their order.
enum class row_statement : std::uint8_t { read, lock, hold, remove, count, mark };

/// All of them.
inline constexpr row_statement all_row_statements[] = {
    row_statement::read,   row_statement::lock,  row_statement::hold,
    row_statement::remove, row_statement::count, row_statement::mark,
};

[[nodiscard]] constexpr std::string_view name_of(row_statement which) noexcept {
    switch (which) {
        case row_statement::read: return "read";
        case row_statement::lock: return "lock";
        case row_statement::hold: return "hold";
        case row_statement::remove: return "remove";
        case row_statement::count: return "count";
        case row_statement::mark: return "mark";
    }
    return "unknown";
}

/// The member of `row_statements` that `which` names.
[[nodiscard]] constexpr dialect_text row_statements::* member_of(row_statement which) noexcept {
    switch (which) {
        case row_statement::read: return &row_statements::read;
        case row_statement::lock: return &row_statements::lock;
        case row_statement::hold: return &row_statements::hold;
        case row_statement::remove: return &row_statements::remove;
        case row_statement::count: return &row_statements::count;
        case row_statement::mark: break;
    }
    return &row_statements::mark;
}

/// The members of `relation_statements`, in their order.
enum class relation_statement : std::uint8_t {
    fetch_first,
    fetch_next,
    lock,
    hold,
    remove,
    remove_some,
    remove_some_by_key,
    remove_unlocked,
    nullify,
    nullify_some,
    nullify_keys,
    count,
    exists,
    descend,
    reach_outside,
};

/// All of them.
inline constexpr relation_statement all_relation_statements[] = {
    relation_statement::fetch_first,
    relation_statement::fetch_next,
    relation_statement::lock,
    relation_statement::hold,
    relation_statement::remove,
    relation_statement::remove_some,
    relation_statement::remove_some_by_key,
    relation_statement::remove_unlocked,
    relation_statement::nullify,
    relation_statement::nullify_some,
    relation_statement::nullify_keys,
    relation_statement::count,
    relation_statement::exists,
    relation_statement::descend,
    relation_statement::reach_outside,
};

[[nodiscard]] constexpr std::string_view name_of(relation_statement which) noexcept {
    switch (which) {
        case relation_statement::fetch_first: return "fetch_first";
        case relation_statement::fetch_next: return "fetch_next";
        case relation_statement::lock: return "lock";
        case relation_statement::hold: return "hold";
        case relation_statement::remove: return "remove";
        case relation_statement::remove_some: return "remove_some";
        case relation_statement::remove_some_by_key: return "remove_some_by_key";
        case relation_statement::remove_unlocked: return "remove_unlocked";
        case relation_statement::nullify: return "nullify";
        case relation_statement::nullify_some: return "nullify_some";
        case relation_statement::nullify_keys: return "nullify_keys";
        case relation_statement::count: return "count";
        case relation_statement::exists: return "exists";
        case relation_statement::descend: return "descend";
        case relation_statement::reach_outside: return "reach_outside";
    }
    return "unknown";
}

/// The member of `relation_statements` that `which` names.
[[nodiscard]] constexpr dialect_text relation_statements::* member_of(relation_statement which) noexcept {
    switch (which) {
        case relation_statement::fetch_first: return &relation_statements::fetch_first;
        case relation_statement::fetch_next: return &relation_statements::fetch_next;
        case relation_statement::lock: return &relation_statements::lock;
        case relation_statement::hold: return &relation_statements::hold;
        case relation_statement::remove: return &relation_statements::remove;
        case relation_statement::remove_some: return &relation_statements::remove_some;
        case relation_statement::remove_some_by_key: return &relation_statements::remove_some_by_key;
        case relation_statement::remove_unlocked: return &relation_statements::remove_unlocked;
        case relation_statement::nullify: return &relation_statements::nullify;
        case relation_statement::nullify_some: return &relation_statements::nullify_some;
        case relation_statement::nullify_keys: return &relation_statements::nullify_keys;
        case relation_statement::count: return &relation_statements::count;
        case relation_statement::exists: return &relation_statements::exists;
        case relation_statement::descend: return &relation_statements::descend;
        case relation_statement::reach_outside: break;
    }
    return &relation_statements::reach_outside;
}

}  // namespace winnow::inline v0
