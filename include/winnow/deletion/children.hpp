// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "winnow/deletion/frame.hpp"
#include "winnow/deletion/remove.hpp"
#include "winnow/deletion/work.hpp"

namespace winnow::inline v0::detail {

/// Children that are taken one set after the other, each gone before the next is fetched, must come to an end:
/// counts them once after ten chunks of them, and again only when so many have been fetched and more are found (R19).
/// @param place of the parents, with what is known of their children
inline void watch_arrivals(deletion_work& work, frame& place, const edge& along, const key_set& parents,
                           std::size_t found) {
    const auto chunk = static_cast<std::size_t>(std::max<std::int64_t>(1, work.tuning[along.child].now));
    place.fetches += static_cast<int>(std::max<std::size_t>(1, (found + chunk - 1) / chunk));
    place.fetched += static_cast<std::int64_t>(found);
    if (place.counted < 0 ? place.fetches < 10 : place.fetched < place.counted) return;
    const std::int64_t left =
        work.database().execute(along.relation->statements.count, {parents, std::int64_t{1} << 50}).integer(0, 0);
    if (place.counted >= 0 && left >= place.counted) {
        const std::string how = std::to_string(place.fetches) + " chunks of them, no fewer rows";
        if (work.facts.tables[along.child].triggers) rows_come_back(work, along.child, how);
        outrun_by_writers(work, along.child, how);
    }
    place.counted = left;
    place.fetched = 0;
}

/// The next children through an edge, in key order: after the last ones that were fetched so for `place`.
/// @param parents references, as `references_of` gives them
/// @param most at most so many
inline key_set fetch_children(deletion_work& work, frame& place, const edge& along, const key_set& parents,
                              std::int64_t most) {
    const plan& child = work.plan_of(along.child);
    key_set found(child.identity.size());
    // The planner may walk the primary key for a fetch in key order; when there is nothing to find, it walks all of it.
    const relation_statements& statements = along.relation->statements;
    const bool any = !place.last_batch && !parents.empty() &&
                     (!place.last.empty() || work.database().execute(statements.exists, {parents}).integer(0, 0) != 0);
    if (!any) return found;
    std::vector<parameter> parameters{parents};
    for (const value& part_of_key : place.last) parameters.emplace_back(part_of_key);
    parameters.emplace_back(most);
    const dialect_text& statement = place.last.empty() ? statements.fetch_first : statements.fetch_next;
    found = work.database().execute(statement, std::span<const parameter>(parameters)).take_keys();
    watch_arrivals(work, place, along, parents, found.size());
    place.last_batch = static_cast<std::int64_t>(found.size()) < most;
    if (!found.empty()) {
        const std::span<const value> last = found.back().first(child.primary_key.size());
        std::vector<value> key(last.begin(), last.end());
        place.last = std::move(key);
    }
    return found;
}

}  // namespace winnow::inline v0::detail
