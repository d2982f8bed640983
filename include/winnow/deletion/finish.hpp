// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/deletion/chunk.hpp"
#include "winnow/deletion/cycle.hpp"
#include "winnow/deletion/path.hpp"
#include "winnow/deletion/remove.hpp"
#include "winnow/deletion/sweep.hpp"
#include "winnow/deletion/work.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Whether a look below a set of parents that are about to go can be left out: the set before had no such rows, or these
/// have lost them in an earlier chunk. If there are some all the same, the key makes the statement that deletes the
/// parents fail, and they are looked at then. Below parents whose tree has just gone, the look costs as much as their
/// deletion: the server passes over all entries of that tree. Not where a hook would be told of a row that then stays.
inline bool is_taken_childless(const deletion_work& work, const edge& along, std::size_t asked) {
    const frame& top = work.stack.back();
    if (top.ghost || work.looks_twice || work.database().kind() != dialect::postgres ||
        along.relation->kind != relation_kind::cascade || work.plan_of(along.parent).hooks.per_row())
        return false;
    const bool known = std::find(work.childless.begin(), work.childless.end(), &along) != work.childless.end() ||
                       (asked <= top.swept_rows && top.has_swept(along));
    const edge_facts* facts = work.facts.of(along);
    return known && facts != nullptr && facts->refuses;
}
[[noreturn]] inline void refuse_restricted(const deletion_work& work, const edge& along, std::int64_t count,
                                           std::int64_t cap) {
    const plan& child = work.plan_of(along.child);
    throw error(failure::refused, std::string(work.plan_of(along.parent).key) + " cannot be deleted: " +
                                      referring_rows(child, count, cap, work.database().kind()) +
                                      ", and the relation is declared `restrict`.")
        .with_model(child.key)
        .with_table(child.table[work.database().kind()])
        .with_hint("Delete or re-point those rows first, then `deletions retry`.");
}

}  // namespace detail

/// What the last look at a set of rows found.
struct final_result {
    bool gone = false;                    ///< the locked rows were deleted
    bool more = false;                    ///< leaf children are left; come again
    bool children = false;                ///< children that are not leaves are left: descend again (R5)
    held_parts rows;                      ///< what was locked
    std::size_t asked = 0;                ///< how many rows of the top's first part were looked at
    page_walk pages;                      ///< what comes next if this is committed
    std::vector<const edge*> swept;       ///< relations all of whose leaf rows below these went
    std::chrono::microseconds looked{0};  ///< for leaf rows of which there were none
};

namespace detail {

/// How many rows of a model have about a chunk of leaf rows below them, if they are like the last ones.
[[nodiscard]] inline std::size_t rows_with_a_chunk(deletion_work& work, std::size_t model, const chunk& now) {
    std::size_t rows = std::numeric_limits<std::size_t>::max();
    for (const edge& along : work.with.models.edges_from(model)) {
        const edge_facts* facts = along.child == edge::none ? nullptr : work.facts.of(along);
        if (facts == nullptr || facts->seen_of_one <= 1) continue;
        const double fitting = static_cast<double>(most_rows(work, along.child, now)) / facts->seen_of_one;
        rows = std::min(rows, static_cast<std::size_t>(std::max(1.0, fitting)));
    }
    return rows;
}

/// Leaves all but about `fitting` of the locked rows for later.
inline void take_fewer(deletion_work& work, final_result& result, std::size_t fitting) {
    const part& all = work.stack.back().parts[0];
    const std::size_t asked =
        std::max<std::size_t>(1, std::min(result.asked * fitting / result.rows[0].rows.size(), result.asked - 1));
    key_set later(all.rows.width());
    for (std::size_t row = asked; row < result.asked; ++row) later.push_back(all.rows[row]);
    result.rows[0].rows = without(work.plan_of(all.model), result.rows[0].rows, later);
    result.asked = asked;
}

}  // namespace detail

/// The last step of a set of rows, under their lock (R5): leaf children go, other children are looked for, and
/// when none is left the rows go by key. Runs inside a chunk.
/// @return false when the stack was stale and nothing may be committed
inline bool finish_rows(deletion_work& work, chunk& now, final_result& result) {
    result = {};
    frame* top = &work.stack.back();
    const std::size_t first_model = top->parts[0].model;
    bool stale = false;
    result.asked = std::min(
        {top->parts[0].rows.size(), static_cast<std::size_t>(detail::most_rows(work, first_model, now)),
         static_cast<std::size_t>(work.ending[first_model].now), detail::rows_with_a_chunk(work, first_model, now)});
    result.rows = lock_path(work, now.root, result.asked, true, stale);
    if (stale) return false;
    top = &work.stack.back();
    if (result.asked == top->swept_rows) result.pages = top->pages;
    const catalog& models = work.with.models;
    for (const part& some : result.rows) {
        if (some.rows.empty()) continue;
        for (const edge& along : models.edges_from(some.model)) {
            const relation_kind kind = along.relation->kind;
            if (along.child == edge::none || kind == relation_kind::do_nothing || top->skips(along.child)) continue;
            if (is_within_cycle(work, along) && !top->ghost) continue;
            if (work.spent(now.total) || detail::is_long_enough(work, now)) {
                result.more = true;
                return true;
            }
            if (kind == relation_kind::set_null || (kind == relation_kind::cascade && is_leaf(work, *top, along))) {
                if (detail::is_taken_childless(work, along, result.asked)) continue;
                sweep_result swept;
                const std::chrono::microseconds start = work.with.time.now();
                while (!some.rows.empty()) {
                    const bool may_do_less = !top->closed && !top->ghost && result.asked > 1;
                    swept = detail::sweep_children(work, now, along, some.rows, may_do_less,
                                                   top->closed || top->ghost ? nullptr : &result.pages);
                    if (swept.fitting == 0) break;
                    detail::take_fewer(work, result, swept.fitting);
                }
                if (swept.rows == 0) result.looked += work.with.time.now() - start;
                if (swept.more) result.more = true;
                // There is one walk at a time: another relation's would put this one back to its first page.
                if (swept.more && result.pages.goes_on(along)) return true;
                if (!swept.more) result.swept.push_back(&along);
                continue;
            }
            const key_set parents = references_of(along, detail::parents_for(work, along, some.rows));
            if (parents.empty()) continue;
            if (kind == relation_kind::restrict_) {
                const std::int64_t count =
                    work.database()
                        .execute(along.relation->statements.count, {parents, std::int64_t{10'001}})
                        .integer(0, 0);
                if (count > 0 && !top->ghost) detail::refuse_restricted(work, along, count, 10'000);
                continue;
            }
            result.children =
                work.database().execute(along.relation->statements.exists, {parents}).integer(0, 0) != 0 ||
                result.children;
        }
    }
    if (result.more || result.children) return true;
    if (top->ghost) {
        result.gone = true;
        return true;
    }
    // Rows that no longer fit into this pass are the next chunk's; it asks for as many as the pass has left.
    if (!top->closed && now.total > 0 &&
        work.rows_left(now.total) < static_cast<std::int64_t>(result.rows[0].rows.size())) {
        result.more = true;
        return true;
    }
    // What was swept above may have used up the budget; the rows themselves are then for the next pass (R19).
    if (work.spent(now.total)) {
        result.more = true;
        return true;
    }
    if (top->closed && !detail::unlink_cycle(work, result.rows)) return false;
    for (const held_parts& together : detail::deletion_order(work, result.rows)) {
        std::int64_t asked = 0;
        for (const part& some : together) {
            detail::bury(work, some);
            asked += static_cast<std::int64_t>(some.rows.size());
        }
        if (asked == 0) continue;
        const std::chrono::microseconds start = work.with.time.now();
        try {
            detail::remove_rows(work, now, together);
        } catch (const error& problem) {
            // A look that was left out may have hidden them, or that somebody holds one of them.
            if (detail::is_foreign_key_violation(problem) || problem.sqlstate() == "55P03") work.looks_twice = true;
            throw;
        }
        work.tuning[together.front().model].took(work.with.time.now() - start, work.target, asked);
    }
    work.ending[first_model].took(std::max(work.with.time.now() - now.begun, top->looked), work.target,
                                  static_cast<std::int64_t>(result.asked));
    result.gone = true;
    return true;
}

}  // namespace winnow::inline v0
