// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <winnow/winnow.hpp>

namespace tracker {

/// What a bookmark points at. A generic foreign key: the kind names the table, the id the row.
enum class bookmark_target : std::int32_t { project = 1, group = 2, dashboard = 3, saved_query = 4 };

/// Something that a member wants to find again. Each possible target declares the relation with a filter on the kind.
struct Bookmark {
    std::int64_t id;
    std::int64_t organization_member_id;
    bookmark_target target_kind;
    std::int64_t target_id;
    winnow::timestamp created_at;
};
WINNOW_DESCRIBE(Bookmark, id, organization_member_id, target_kind, target_id, created_at)

}  // namespace tracker

template <> struct winnow::model<tracker::Bookmark> {
    static constexpr text key = "tracker.Bookmark";
    static constexpr auto silo = winnow::silo::cell;
};
