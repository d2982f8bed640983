// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "winnow/context/produce.hpp"
#include "winnow/core/error.hpp"
#include "winnow/deletion/chunk.hpp"
#include "winnow/deletion/cycle.hpp"
#include "winnow/deletion/path.hpp"
#include "winnow/deletion/remove.hpp"
#include "winnow/deletion/row_refusal.hpp"
#include "winnow/deletion/user_code.hpp"
#include "winnow/deletion/work.hpp"

namespace winnow::inline v0 {

/// What a sweep over one relation did.
struct sweep_result {
    std::int64_t rows = 0;
    bool more = false;  ///< some are left
};

namespace detail {

/// Key of the first child row, as text.
inline std::string first_child(deletion_work& work, const edge& along, const key_set& parents) {
    const rows first = work.database().execute(along.relation->statements.fetch_first, {parents, std::int64_t{1}});
    return first.empty() ? std::string() : object_id_of(first[0].first(work.plan_of(along.child).primary_key.size()));
}

/// Counts what a chunk left of a relation, after 10 chunks, then 20, 40, …, where triggers may bring rows back.
/// Elsewhere counts once, after 10 chunks, and again only when as many rows as that have gone and some are still left.
inline void watch_shrinking(deletion_work& work, const edge& along, const key_set& parents, std::int64_t gone) {
    const auto counted = [&] {
        return work.database()
            .execute(along.relation->statements.count, {parents, std::int64_t{1} << 50})
            .integer(0, 0);
    };
    const bool triggers = work.facts.tables[along.child].triggers;
    const auto known = std::find_if(work.watches.begin(), work.watches.end(),
                                    [&](const shrink_watch& one) { return one.along == &along; });
    if (known == work.watches.end() || known->parents != parents.size()) {
        const shrink_watch fresh{&along, parents.size(), triggers ? counted() : shrink_watch::uncounted, 0, 0, 10};
        if (known == work.watches.end()) work.watches.push_back(fresh);
        else *known = fresh;
        return;
    }
    ++known->chunks;
    known->gone += gone;
    const bool due =
        triggers || known->rows == shrink_watch::uncounted ? known->chunks >= known->next : known->gone >= known->rows;
    if (!due) return;
    const std::int64_t left = counted();
    if (known->rows != shrink_watch::uncounted && left >= known->rows) {
        const std::string how = std::to_string(known->chunks) + " chunks, no fewer rows";
        if (triggers) rows_come_back(work, along.child, how);
        outrun_by_writers(work, along.child, how);
    }
    *known = {&along, parents.size(), left, 0, 0, known->next * 2};
}

/// A chunk that collided with others tries again with fewer rows (R9).
inline std::int64_t most_rows(const deletion_work& work, std::size_t model, const chunk& now) {
    return std::max<std::int64_t>(
        1, std::min(work.tuning[model].now >> std::min(now.attempt - 1, 8), work.rows_left(now.total)));
}

/// Whether a chunk that has removed rows already has taken what a transaction should take. The rest is the next one's.
inline bool is_long_enough(const deletion_work& work, const chunk& now) {
    return now.total > 0 && work.target.count() > 0 && work.with.time.now() - now.begun >= work.target;
}

/// Whether a look below a set of parents that are about to go can be left out: the set before had no such rows, and if
/// these have, the key makes the statement that deletes them fail, and they are looked at then. Below a parent whose
/// tree has just gone, the look costs as much as its deletion: the server passes over all entries of that tree. Not
/// where a hook would be told of a row that then stays.
inline bool is_taken_childless(const deletion_work& work, const edge& along) {
    return !work.looks_twice && work.database().kind() == dialect::postgres &&
           along.relation->kind == relation_kind::cascade && !work.plan_of(along.parent).hooks.per_row() &&
           std::find(work.childless.begin(), work.childless.end(), &along) != work.childless.end() &&
           work.facts.of(&along).refuses;
}
inline void note_childless(deletion_work& work, const edge& along, bool childless) {
    std::erase(work.childless, &along);
    if (childless) work.childless.push_back(&along);
}

/// Sets the reference of at most a chunk of replicated children to null, and writes messages about those rows.
inline std::int64_t unlink_replicated(deletion_work& work, const edge& along, const key_set& parents,
                                      std::int64_t most) {
    const plan& child = work.plan_of(along.child);
    const relation_statements& statements = along.relation->statements;
    connection& database = work.database();
    const key_set found = keys_of(child, database.execute(statements.fetch_first, {parents, most}).take_keys());
    if (found.empty()) return 0;
    const key_set keys = keys_of(child, database.execute(statements.lock, {found, parents}).take_keys());
    if (keys.empty()) return 0;
    const std::int64_t changed = database.execute(statements.nullify_keys, {keys, parents}).affected();
    (void)produce_messages(work.with, child, keys);
    return changed;
}

/// Deletes the leaf children of `parents`, or sets their reference to null: at most a chunk of them.
inline sweep_result sweep_children(deletion_work& work, chunk& now, const edge& along, const key_set& identities) {
    sweep_result done;
    const key_set parents = references_of(along, parents_for(work, along, identities));
    if (parents.empty()) return done;
    connection& database = work.database();
    const relation_statements& statements = along.relation->statements;
    const bool unlink = along.relation->kind == relation_kind::set_null;
    const std::int64_t most = most_rows(work, along.child, now);
    now.busy_with = along.child;
    shorten_waits(work, now);
    const std::chrono::microseconds start = work.with.time.now();
    const std::int64_t there = database.execute(statements.count, {parents, most + 1}).integer(0, 0);
    note_childless(work, along, there == 0);
    if (there == 0) return done;
    done.more = there > most;
    const bool whole = !done.more && now.attempt == 1;
    const dialect_text* statement = nullptr;
    if (unlink) statement = whole ? &statements.nullify : &statements.nullify_some;
    else if (whole) statement = &statements.remove;
    else if (!work.facts.tables[along.child].addressable) statement = &statements.remove_some_by_key;
    else statement = now.attempt == 1 ? &statements.remove_some : &statements.remove_unlocked;
    try {
        if (unlink && work.plan_of(along.child).replication != nullptr)
            done.rows = unlink_replicated(work, along, parents, most);
        else
            done.rows =
                (whole ? database.execute(*statement, {parents}) : database.execute(*statement, {parents, most}))
                    .affected();
    } catch (const error& problem) {
        if (!unlink && is_row_refusal(problem)) throw row_refusal(problem, along.child, &along);
        throw;
    }
    if (done.rows < std::min(there, most)) {
        // Passed over because others hold them (R9), or kept by the database (R19).
        done.more = database.execute(statements.exists, {parents}).integer(0, 0) != 0;
        if (done.more && done.rows == 0 && now.attempt == 1 && ++work.fruitless >= 2)
            rows_will_not_go(work, along.child, std::min(there, most), first_child(work, along, parents));
        // Nothing but locked rows is left: a chunk of nothing would be committed again and again (R9).
        if (done.more && done.rows == 0 && now.attempt > 1 && now.total == 0)
            throw error(failure::statement, "other sessions hold the rows that are left")
                .with_sqlstate("55P03")
                .with_retry(true);
    } else if (done.rows > 0) {
        work.fruitless = 0;
    }
    if (!unlink && done.rows > 0) {
        if (work.facts.tables[along.child].triggers)
            done.more = done.more || database.execute(statements.exists, {parents}).integer(0, 0) != 0;
        if (done.more) watch_shrinking(work, along, parents, done.rows);
        else std::erase_if(work.watches, [&](const shrink_watch& one) { return one.along == &along; });
    }
    work.tuning[along.child].took(work.with.time.now() - start, work.target, done.rows);
    if (!unlink) now.count(along.child, done.rows);
    return done;
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
    bool gone = false;      ///< the locked rows were deleted
    bool more = false;      ///< leaf children are left; come again
    bool children = false;  ///< children that are not leaves are left: descend again (R5)
    held_parts rows;        ///< what was locked
    std::size_t asked = 0;  ///< how many rows of the top's first part were looked at
};

/// The last step of a set of rows, under their lock (R5): leaf children go, other children are looked for, and
/// when none is left the rows go by key. Runs inside a chunk.
/// @return false when the stack was stale and nothing may be committed
inline bool finish_rows(deletion_work& work, chunk& now, final_result& result) {
    result = {};
    frame* top = &work.stack.back();
    const std::size_t first_model = top->parts[0].model;
    bool stale = false;
    result.asked =
        std::min({top->parts[0].rows.size(), static_cast<std::size_t>(detail::most_rows(work, first_model, now)),
                  static_cast<std::size_t>(work.ending[first_model].now)});
    result.rows = lock_path(work, now.root, result.asked, true, stale);
    if (stale) return false;
    top = &work.stack.back();
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
                if (!top->ghost && detail::is_taken_childless(work, along)) continue;
                result.more = detail::sweep_children(work, now, along, some.rows).more || result.more;
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
            if (detail::is_foreign_key_violation(problem)) work.looks_twice = true;
            throw;
        }
        work.tuning[together.front().model].took(work.with.time.now() - start, work.target, asked);
    }
    work.ending[first_model].took(work.with.time.now() - now.begun, work.target,
                                  static_cast<std::int64_t>(result.asked));
    result.gone = true;
    return true;
}

}  // namespace winnow::inline v0
