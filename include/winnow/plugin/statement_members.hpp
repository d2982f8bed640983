// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "winnow/abi/plan.h"
#include "winnow/core/dialect.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/plan/replication.hpp"

namespace winnow::inline v0::detail {

/// A statement as a member of a plan's record, and as one of the contract's struct.
template <class Record, class Struct>
struct statement_member {
    std::string_view name;
    dialect_text Record::* record;
    winnow_dialect_text Struct::* abi;
};

inline constexpr statement_member<row_statements, winnow_row_statements> row_statement_members[] = {
    {"read", &row_statements::read, &winnow_row_statements::read},
    {"lock", &row_statements::lock, &winnow_row_statements::lock},
    {"hold", &row_statements::hold, &winnow_row_statements::hold},
    {"remove", &row_statements::remove, &winnow_row_statements::remove},
    {"count", &row_statements::count, &winnow_row_statements::count},
    {"mark", &row_statements::mark, &winnow_row_statements::mark},
};

inline constexpr statement_member<relation_statements, winnow_relation_statements> relation_statement_members[] = {
    {"fetch_first", &relation_statements::fetch_first, &winnow_relation_statements::fetch_first},
    {"fetch_next", &relation_statements::fetch_next, &winnow_relation_statements::fetch_next},
    {"lock", &relation_statements::lock, &winnow_relation_statements::lock},
    {"hold", &relation_statements::hold, &winnow_relation_statements::hold},
    {"remove", &relation_statements::remove, &winnow_relation_statements::remove},
    {"remove_some", &relation_statements::remove_some, &winnow_relation_statements::remove_some},
    {"remove_some_by_key", &relation_statements::remove_some_by_key, &winnow_relation_statements::remove_some_by_key},
    {"remove_unlocked", &relation_statements::remove_unlocked, &winnow_relation_statements::remove_unlocked},
    {"nullify", &relation_statements::nullify, &winnow_relation_statements::nullify},
    {"nullify_some", &relation_statements::nullify_some, &winnow_relation_statements::nullify_some},
    {"nullify_keys", &relation_statements::nullify_keys, &winnow_relation_statements::nullify_keys},
    {"count", &relation_statements::count, &winnow_relation_statements::count},
    {"exists", &relation_statements::exists, &winnow_relation_statements::exists},
    {"descend", &relation_statements::descend, &winnow_relation_statements::descend},
    {"reach_outside", &relation_statements::reach_outside, &winnow_relation_statements::reach_outside},
};

inline constexpr statement_member<mirror_plan, winnow_mirror> mirror_statement_members[] = {
    {"upsert", &mirror_plan::upsert, &winnow_mirror::upsert},
    {"erase", &mirror_plan::erase, &winnow_mirror::erase},
    {"read", &mirror_plan::read, &winnow_mirror::read},
};

inline constexpr statement_member<replication_statements, winnow_replication_statements>
    replication_statement_members[] = {
        {"produce", &replication_statements::produce, &winnow_replication_statements::produce},
        {"produce_range", &replication_statements::produce_range, &winnow_replication_statements::produce_range},
        {"batch", &replication_statements::batch, &winnow_replication_statements::batch},
        {"bounds", &replication_statements::bounds, &winnow_replication_statements::bounds},
};

inline constexpr statement_member<remote_statements, winnow_remote_statements> remote_statement_members[] = {
    {"find", &remote_statements::find, &winnow_remote_statements::find},
    {"lock", &remote_statements::lock, &winnow_remote_statements::lock},
    {"nullify", &remote_statements::nullify, &winnow_remote_statements::nullify},
    {"scrub_next", &remote_statements::scrub_next, &winnow_remote_statements::scrub_next},
    {"scrub_first", &remote_statements::scrub_first, &winnow_remote_statements::scrub_first},
    {"last", &remote_statements::last, &winnow_remote_statements::last},
};

// A record that gets a statement must get it here: both sides of each table have the same number of members.
template <class Record, class Struct, std::size_t Size>
constexpr bool is_complete(const statement_member<Record, Struct> (&)[Size]) noexcept {
    return sizeof(Record) == Size * sizeof(dialect_text);
}
static_assert(is_complete(row_statement_members) && is_complete(relation_statement_members) &&
              is_complete(replication_statement_members) && is_complete(remote_statement_members));

}  // namespace winnow::inline v0::detail
