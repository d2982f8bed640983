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

/// Children of a parent on average: in the last set whose children were fetched, else by statistics; negative: not known.
[[nodiscard]] inline double children_of_one(const edge_facts* facts) {
    if (facts == nullptr) return -1;
    return facts->fetched_of_one >= 0 ? facts->fetched_of_one : facts->rows_of_one;
}
/// Below how many parents there are about so many children, where all of them have many times as many: a fetch in key
/// order reads the children of all its parents, however few of them it gives back.
[[nodiscard]] inline std::size_t parents_of_a_fetch(const deletion_work& work, const edge& along, std::size_t parents,
                                                    std::int64_t children) {
    const double each = children_of_one(work.facts.of(along));
    const double fitting = each <= 0 ? -1 : static_cast<double>(children) / each;
    if (fitting < 0 || 4 * fitting >= static_cast<double>(parents)) return std::max<std::size_t>(1, parents);
    return std::max<std::size_t>(1, static_cast<std::size_t>(fitting));
}
/// Remembers how many children a set of parents had. A few without any say little of those that come after them.
inline void note_fetched(deletion_work& work, const edge& along, std::size_t parents, std::int64_t children) {
    edge_facts* facts = work.facts.of(along);
    if (facts == nullptr) return;
    facts->fetched_of_one =
        std::max(static_cast<double>(children) / static_cast<double>(parents), children_of_one(facts) / 4);
}

/// Children that are taken one set after the other, each gone before the next is fetched, must come to an end:
/// counts them once after ten chunks of them, and again only when so many have been fetched and more are found (R19).
/// @param place of the parents, with what is known of their children
/// @param parents those whose children are fetched now
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
    note_fetched(work, along, parents.size(), left);
}

/// The next children through an edge: those of a few parents in key order, after the last ones that were fetched so for
/// `place`, then those of the next parents.
/// @param parents references, as `references_of` gives them
/// @param most at most so many
inline key_set fetch_children(deletion_work& work, frame& place, const edge& along, const key_set& parents,
                              std::int64_t most) {
    const plan& child = work.plan_of(along.child);
    const relation_statements& statements = along.relation->statements;
    key_set found(child.identity.size());
    while (!place.last_batch && place.first_parent < parents.size()) {
        const std::size_t fitting = parents_of_a_fetch(work, along, parents.size(), most);
        if (place.parents > 2 * fitting) place.go_to_parent(place.first_parent);
        if (place.parents == 0) place.parents = fitting;
        const bool fresh = place.last.empty();
        const std::size_t next = place.first_parent + place.parents;
        const key_set some = some_of(parents, place.first_parent, place.parents);
        // The planner may walk the primary key for a fetch in key order; when there is nothing to find, it walks all of it.
        if (!fresh || work.database().execute(statements.exists, {some}).integer(0, 0) != 0) {
            std::vector<parameter> parameters{some};
            for (const value& part_of_key : place.last) parameters.emplace_back(part_of_key);
            parameters.emplace_back(most);
            const dialect_text& statement = fresh ? statements.fetch_first : statements.fetch_next;
            found = work.database().execute(statement, std::span<const parameter>(parameters)).take_keys();
            watch_arrivals(work, place, along, some, found.size());
        }
        const bool whole = static_cast<std::int64_t>(found.size()) < most;
        if (whole && fresh) note_fetched(work, along, some.size(), static_cast<std::int64_t>(found.size()));
        if (whole) {
            place.go_to_parent(next);
            place.last_batch = next >= parents.size();
        } else {
            const std::span<const value> last = found.back().first(child.primary_key.size());
            place.last.assign(last.begin(), last.end());
        }
        if (!found.empty()) break;
    }
    return found;
}

}  // namespace winnow::inline v0::detail
