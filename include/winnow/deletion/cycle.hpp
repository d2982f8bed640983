// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/deletion/path.hpp"
#include "winnow/deletion/user_code.hpp"
#include "winnow/deletion/work.hpp"

namespace winnow::inline v0 {

namespace detail {

[[nodiscard]] inline bool can_be_unlinked(const edge& along) {
    return std::any_of(along.relation->columns.begin(), along.relation->columns.end(),
                       [](const column& one) { return one.optional; });
}

/// Makes the rows of a cycle free of each other: references that may be null are set to null, in the
/// transaction that deletes both ends (R16). First makes sure that nothing outside refers to them.
/// @return false when there is such a row: the cycle has to be gathered again
inline bool unlink_cycle(deletion_work& work, const held_parts& rows) {
    for (const part& above : rows) {
        if (above.rows.empty()) continue;
        for (const edge& along : work.with.models.edges_from(above.model)) {
            if (!is_within_cycle(work, along)) continue;
            const key_set parents = references_of(along, parents_for(work, along, above.rows));
            if (parents.empty()) continue;
            const key_set* inside = rows_of(rows, along.child);
            const std::size_t known =
                inside == nullptr ? 0 : lock_through(work, along, *inside, above.rows, true).size();
            const relation_statements& statements = along.relation->statements;
            const std::int64_t there = work.database()
                                           .execute(statements.count, {parents, static_cast<std::int64_t>(known) + 1})
                                           .integer(0, 0);
            if (there > static_cast<std::int64_t>(known)) {
                reopen(work);
                return false;
            }
            // A single DELETE takes a cycle within one table whole.
            if (rows.size() > 1 && there > 0 && can_be_unlinked(along))
                (void)work.database().execute(statements.nullify, {parents});
        }
    }
    return true;
}

/// Whether rows of `above` must not go before those of `below`: they refer to them, and that cannot be unlinked.
[[nodiscard]] inline bool is_held_by(const deletion_work& work, std::size_t above, std::size_t below) {
    if (above == below) return false;
    const auto edges = work.with.models.edges_from(above);
    return std::any_of(edges.begin(), edges.end(), [&](const edge& along) {
        return along.child == below && is_within_cycle(work, along) && !can_be_unlinked(along);
    });
}

/// Parts in an order in which no row goes before one that still refers to it. Two parts whose rows hold each
/// other stand together and go in one piece (R17).
inline std::vector<held_parts> deletion_order(const deletion_work& work, held_parts rows) {
    std::vector<held_parts> ordered;
    const auto held_by_others = [&](const part& one, const part* partner) {
        return std::any_of(rows.begin(), rows.end(), [&](const part& other) {
            return &other != partner && is_held_by(work, one.model, other.model);
        });
    };
    while (!rows.empty()) {
        std::size_t next = 0;
        while (next < rows.size() && held_by_others(rows[next], nullptr)) ++next;
        std::size_t partner = rows.size();
        for (std::size_t one = 0; next == rows.size() && one < rows.size(); ++one) {
            for (std::size_t other = one + 1; other < rows.size(); ++other) {
                if (held_by_others(rows[one], &rows[other]) || held_by_others(rows[other], &rows[one])) continue;
                next = one;
                partner = other;
                break;
            }
        }
        if (next == rows.size()) next = 0;  // not in a catalog that passed the checker
        held_parts together{std::move(rows[next])};
        if (partner < rows.size()) {
            together.push_back(std::move(rows[partner]));
            rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(partner));
        }
        rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(next));
        ordered.push_back(std::move(together));
    }
    return ordered;
}

/// Sorted texts of the keys, for looking rows up.
inline std::vector<std::string> texts_of(const plan& about, const key_set& identities) {
    std::vector<std::string> texts;
    texts.reserve(identities.size());
    for (std::size_t row = 0; row < identities.size(); ++row)
        texts.push_back(object_id_of(identities[row].first(about.primary_key.size())));
    std::sort(texts.begin(), texts.end());
    return texts;
}

/// Most rows of one cycle in the data that are deleted at once.
inline constexpr std::size_t largest_cycle = 10'000;

/// Whether rows just found lie below themselves: a cycle in the data, which has no end to begin at. It must go
/// whole, so the stack is cut back to where it was entered and more rows may be gathered there than a chunk has.
/// @throws error of kind `refused` for a cycle of more than `largest_cycle` rows
inline bool came_round(deletion_work& work, std::size_t model, const key_set& found) {
    const std::vector<std::string> known = texts_of(work.plan_of(model), found);
    for (std::size_t level = 0; level < work.stack.size(); ++level) {
        if (work.stack[level].ghost) continue;
        for (const part& some : work.stack[level].parts) {
            if (some.model != model) continue;
            for (const std::string& text : texts_of(work.plan_of(model), some.rows)) {
                if (!std::binary_search(known.begin(), known.end(), text)) continue;
                if (work.cycle_room != 0)
                    throw error(failure::refused, std::string(work.plan_of(model).key) + ": row " + text +
                                                      " is its own ancestor, in a cycle of more than " +
                                                      std::to_string(largest_cycle) +
                                                      " rows, which is the most that goes at once.")
                        .with_model(work.plan_of(model).key)
                        .with_hint("Break the cycle in the data, then `deletions retry`.");
                work.cycle_room = largest_cycle;
                work.stack.resize(level + 1);
                work.stack.back().restart();
                return true;
            }
        }
    }
    return false;
}

inline void push_below(deletion_work& work, frame next) {
    next.skipped = work.stack.back().skipped;
    work.stack.push_back(std::move(next));
}

/// Bounded peel of one table that refers to itself (R15): takes everything below the top when it fits, else a
/// part of it whose own children are all known, else goes down to the rows where knowledge ends.
inline void peel(deletion_work& work, const edge& self, std::size_t most) {
    frame& top = work.stack.back();
    const plan& about = work.plan_of(self.child);
    const std::size_t width = about.identity.size();
    const key_set seeds = top.parts[0].rows;
    const std::size_t room = most > seeds.size() ? most - seeds.size() : 0;
    // In a cycle the seeds themselves are found below: they must not use up the limit.
    const auto limit = static_cast<std::int64_t>(room + seeds.size()) + 1;
    const relation_statements& statements = self.relation->statements;
    const key_set references = references_of(self, seeds);
    rows below;
    // Where the children alone are too many, SQLite's recursion would read all of them before it looks at its limit.
    const bool wide =
        work.database().kind() == dialect::sqlite &&
        static_cast<std::int64_t>(
            (below = work.database().execute(statements.fetch_first, {references, limit})).size()) == limit;
    if (!wide) below = work.database().execute(statements.descend, {references, limit});
    key_set got(width);
    std::vector<std::string> above;  // reference text of each row
    const std::vector<std::string> seed_texts = texts_of(about, seeds);
    for (std::size_t row = 0; row < below.size(); ++row) {
        std::string text = object_id_of(below[row].first(about.primary_key.size()));
        if (std::binary_search(seed_texts.begin(), seed_texts.end(), text)) continue;
        got.push_back(below[row].first(width));
        above.push_back(wide ? std::string() : object_id_of(below[row].subspan(width)));
    }
    if (got.size() <= room && static_cast<std::int64_t>(below.size()) < limit) {
        append(top.parts[0].rows, got);
        top.closed = true;
        return;
    }
    if (came_round(work, self.child, got)) return;
    const rows outside =
        work.database().execute(statements.reach_outside, {references_of(self, got), keys_of(about, got)});
    std::set<std::string> open;
    for (std::size_t row = 0; row < outside.size(); ++row) open.insert(object_id_of(outside[row]));
    const auto reference_of = [&](std::size_t row) {
        std::vector<value> reference;
        for (const std::uint8_t at : self.referenced) reference.push_back(got[row][at]);
        return object_id_of(reference);
    };
    // Rows come parents first, so one walk backwards carries "open" up to all ancestors.
    std::set<std::string> open_or_above = open;
    std::vector<char> is_open(got.size(), 0);
    for (std::size_t row = got.size(); row-- > 0;) {
        if (open_or_above.count(reference_of(row)) == 0) continue;
        is_open[row] = 1;
        open_or_above.insert(above[row]);
    }
    frame next;
    next.via = &self;
    key_set closed(width);
    key_set frontier(width);
    key_set passed(width);
    for (std::size_t row = 0; row < got.size(); ++row) {
        if (is_open[row] == 0) closed.push_back(got[row]);
        else passed.push_back(got[row]);
    }
    // Now and then down to the open rows all the same: one with very many children would be read through each time.
    if (closed.size() == got.size() || (closed.size() * 4 >= got.size() && top.peeled < 2)) {
        ++top.peeled;
        next.parts.push_back({self.child, std::move(closed)});
        next.kin.push_back({self.child, std::move(passed)});
        next.closed = true;
    } else {
        top.peeled = 0;
        constexpr std::size_t frontier_cap = 500;
        for (std::size_t row = got.size();
             row-- > 0 && frontier.size() < std::min(frontier_cap, std::max<std::size_t>(1, most / 2));) {
            if (open.count(reference_of(row)) != 0) frontier.push_back(got[row]);
        }
        next.kin.push_back({self.child, without(about, passed, frontier)});
        next.parts.push_back({self.child, std::move(frontier)});
    }
    push_below(work, std::move(next));
}

/// Gathers everything below the top within a cycle of several tables, level by level, up to `most` rows; what
/// does not fit is gone down into first.
inline void gather(deletion_work& work, std::size_t most) {
    frame& top = work.stack.back();
    held_parts all = top.parts;
    held_parts level = top.parts;
    std::size_t size = top.size();
    while (!level.empty()) {
        held_parts next;
        for (const part& above : level) {
            for (const edge& along : work.with.models.edges_from(above.model)) {
                if (!is_within_cycle(work, along) || top.skips(along.child)) continue;
                const key_set parents = references_of(along, parents_for(work, along, above.rows));
                if (parents.empty()) continue;
                const std::size_t room = most > size ? most - size : 0;
                // Rows known already are found again; without them the limit could be used up by them alone.
                const auto limit = static_cast<std::int64_t>(size + room) + 1;
                key_set found =
                    work.database().execute(along.relation->statements.fetch_first, {parents, limit}).take_keys();
                const bool cut = static_cast<std::int64_t>(found.size()) == limit;
                if (const key_set* known = rows_of(all, along.child))
                    found = without(work.plan_of(along.child), found, *known);
                if (found.empty()) continue;
                if (cut || found.size() > room) {
                    if (came_round(work, along.child, found)) return;
                    frame deeper;
                    deeper.via = &along;
                    for (const part& passed : all) {
                        const key_set* begun = rows_of(top.parts, passed.model);
                        key_set between =
                            begun == nullptr ? passed.rows : without(work.plan_of(passed.model), passed.rows, *begun);
                        if (!between.empty()) deeper.kin.push_back({passed.model, std::move(between)});
                    }
                    deeper.parts.push_back({along.child, first_of(found, std::max<std::size_t>(1, most / 2))});
                    push_below(work, std::move(deeper));
                    return;
                }
                size += found.size();
                collect(all, along.child, found);
                collect(next, along.child, found);
            }
        }
        level = std::move(next);
    }
    top.parts = std::move(all);
    top.closed = true;
}

}  // namespace detail

/// Makes the top of the stack, whose models form a cycle, ready to be handled as one set: afterwards it is
/// `closed`, or something deeper lies on top of it.
inline void expand_cycle(deletion_work& work) {
    const frame& top = work.stack.back();
    const std::size_t model = top.parts[0].model;
    const auto most = static_cast<std::size_t>(std::max<std::int64_t>(
        1, std::max(static_cast<std::int64_t>(work.cycle_room), std::min(work.tuning[model].now, work.rows_left(0)))));
    const edge* self = nullptr;
    std::size_t within = 0;
    for (const edge& along : work.with.models.edges_from(model)) {
        if (!is_within_cycle(work, along)) continue;
        ++within;
        if (along.child == model && !along.relation->applies) self = &along;
    }
    if (within == 1 && self != nullptr) detail::peel(work, *self, most);
    else detail::gather(work, most);
}

}  // namespace winnow::inline v0
