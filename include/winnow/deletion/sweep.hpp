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
#include "winnow/deletion/child_statistics.hpp"
#include "winnow/deletion/chunk.hpp"
#include "winnow/deletion/page_walk.hpp"
#include "winnow/deletion/path.hpp"
#include "winnow/deletion/remove.hpp"
#include "winnow/deletion/row_refusal.hpp"
#include "winnow/deletion/user_code.hpp"
#include "winnow/deletion/work.hpp"

namespace winnow::inline v0 {

/// What a sweep over one relation did.
struct sweep_result {
    std::int64_t rows = 0;
    bool more = false;        ///< some are left
    std::size_t fitting = 0;  ///< nothing was done: of the parents about so many have no more than a chunk below them
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

/// What a set that is looked at again has lost was below it before; one that is tried again may be a part of such a set.
inline void note_childless(deletion_work& work, const chunk& now, const edge& along, bool childless) {
    if (childless && (now.attempt > 1 || work.stack.back().has_swept(along))) return;
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

/// Deletes the leaf children of `parents` on the next pages of their table.
inline sweep_result sweep_pages(deletion_work& work, chunk& now, const edge& along, const key_set& parents,
                                page_walk& pages) {
    sweep_result done;
    done.more = true;
    const std::chrono::microseconds start = work.with.time.now();
    try {
        done.rows = remove_on_pages(work, along, parents, pages);
    } catch (const error& problem) {
        if (is_row_refusal(problem)) throw row_refusal(problem, along.child, &along);
        throw;
    }
    const std::chrono::microseconds taken = work.with.time.now() - start;
    if (work.target.count() > 0 && taken > work.target)
        pages.step = std::max<std::int64_t>(1, pages.step * work.target.count() / taken.count());
    else if (taken * 2 < work.target)
        pages.step = std::min(pages.most, pages.step + std::max<std::int64_t>(1, pages.step / 2));
    now.count(along.child, done.rows);
    return done;
}

/// Deletes the leaf children of `parents`, or sets their reference to null: at most a chunk of them.
/// @param may_do_less come back with `fitting` when there are more: fewer parents and all that is below them is one
///        index read, a part of what is below all of them is several, over entries that are dead already
/// @param pages where the caller keeps what pages come next; null: pages are not walked
inline sweep_result sweep_children(deletion_work& work, chunk& now, const edge& along, const key_set& identities,
                                   bool may_do_less = false, page_walk* pages = nullptr) {
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
    if (now.attempt > 1 || unlink) pages = nullptr;
    if (pages != nullptr && pages->goes_on(along)) return sweep_pages(work, now, along, parents, *pages);
    may_do_less = may_do_less && parents.size() > 1 && now.attempt == 1 && !unlink;
    const std::int64_t cap = may_do_less ? 8 * most : most;
    edge_facts* facts = unlink ? nullptr : work.facts.of(along);
    // A walk that begins where nothing is left would begin again with every chunk.
    const bool small = now.attempt == 1 && work.budget.rows == 0 && work.shape != leaf_shape::pages &&
                       facts != nullptr && is_surely_a_chunk(*facts, parents.size(), most);
    std::int64_t there = small ? 1 : database.execute(statements.count, {parents, cap + 1}).integer(0, 0);
    if (may_do_less && there > most) {
        const auto many = static_cast<std::int64_t>(parents.size());
        done.fitting = static_cast<std::size_t>(std::clamp<std::int64_t>(many * most / there, 1, many - 1));
        if (facts != nullptr) note_children(*facts, parents.size(), there);
        return done;
    }
    if (!small) note_childless(work, now, along, there == 0);
    if (there == 0) return done;
    done.more = there > most;
    if (pages != nullptr && pages->along != &along && (done.more || work.shape == leaf_shape::pages)) {
        *pages = begin_page_walk(work, along, parents, most);
        if (pages->goes_on(along)) return sweep_pages(work, now, along, parents, *pages);
    }
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
    if (small) {
        there = done.rows;
        note_childless(work, now, along, there == 0);
        facts->misjudged = 2 * there > 3 * most;
    }
    if (facts != nullptr) note_children(*facts, parents.size(), there);
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

}  // namespace detail

}  // namespace winnow::inline v0
