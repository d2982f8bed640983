// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "winnow/context/give_way.hpp"
#include "winnow/core/error.hpp"
#include "winnow/deletion/brake.hpp"
#include "winnow/deletion/children.hpp"
#include "winnow/deletion/chunk.hpp"
#include "winnow/deletion/cycle.hpp"
#include "winnow/deletion/finish.hpp"
#include "winnow/deletion/isolate.hpp"
#include "winnow/deletion/lanes.hpp"
#include "winnow/deletion/path.hpp"
#include "winnow/deletion/share.hpp"
#include "winnow/deletion/work.hpp"

namespace winnow::inline v0 {

/// How a pass over a tree ended.
enum class walk_end : unsigned char {
    done,     ///< nothing is left, the root is gone
    more,     ///< the budget is used up
    waiting,  ///< a brake is on
    lost,     ///< the lease is gone: cancelled, or another worker has it
    paused,
    root_gone,
    root_reborn,
    vetoed,
};

namespace detail {

/// The relation that the top of the stack works on: counted over the edges of all its parts.
struct walk_place {
    const part* rows = nullptr;
    const edge* along = nullptr;
    std::size_t index = 0;  ///< of the edge among its model's edges
};

inline walk_place place_of(const deletion_work& work, const frame& top) {
    std::size_t at = top.at;
    for (const part& some : top.parts) {
        const auto edges = work.with.models.edges_from(some.model);
        if (at < edges.size()) return {&some, &edges[at], at};
        at -= edges.size();
    }
    return {};
}

/// A leaf must go before a later relation that relies on it being gone: one that skips its model.
inline bool is_wanted_early(const deletion_work& work, const walk_place& here) {
    const auto edges = work.with.models.edges_from(here.rows->model);
    const std::string_view key = work.plan_of(here.along->child).key;
    for (std::size_t later = here.index + 1; later < edges.size(); ++later) {
        const auto skips = edges[later].relation->skips;
        if (std::find(skips.begin(), skips.end(), key) != skips.end()) return true;
    }
    return false;
}

inline void next_relation(frame& top) { top.go_to(top.at + 1); }

/// One chunk of leaf children, while their parents stay.
inline chunk_end remove_leaves(deletion_work& work, std::size_t model, const edge& along) {
    bool more = false;
    const std::size_t depth = work.stack.size();
    chunk_end end = chunk_end::again;
    try {
        end = run_chunk(work, [&](deletion_work&, chunk& now) {
            bool stale = false;
            const held_parts held = lock_path(work, now.root, static_cast<std::size_t>(-1), false, stale);
            if (stale) return false;
            const key_set* rows = rows_of(held, model);
            more = rows != nullptr && !rows->empty() && sweep_children(work, now, along, *rows).more;
            return true;
        });
    } catch (const row_refusal& refusal) {
        return isolate(work, refusal);
    }
    if (end == chunk_end::committed && !more && work.stack.size() == depth) next_relation(work.stack.back());
    return end;
}

/// Clears what is outside the database for the rows of the top, before they go. Runs outside any transaction.
inline chunk_end clear_outside(deletion_work& work, std::size_t model, const edge& along) {
    const std::string name(along.relation->child);
    const bool at_root = work.stack.size() == 1;
    if (at_root && std::find(work.external_done.begin(), work.external_done.end(), name) != work.external_done.end()) {
        next_relation(work.stack.back());
        return chunk_end::committed;
    }
    key_set identities;
    const chunk_end end = run_chunk(work, [&](deletion_work&, chunk& now) {
        bool stale = false;
        const held_parts held = lock_path(work, now.root, static_cast<std::size_t>(-1), false, stale);
        if (stale) return false;
        const key_set* rows = rows_of(held, model);
        if (rows != nullptr) identities = parents_for(work, along, *rows);
        return true;
    });
    if (end != chunk_end::committed) return end;
    bool more = false;
    if (!identities.empty()) {
        const key_set keys = keys_of(work.plan_of(model), identities);
        more = guarded(work, model, "external task " + name, sample_of(work.plan_of(model), identities),
                       [&] { return along.relation->external(keys, work.hooks_for(model)); });
        work.moved = true;
    }
    if (more) return chunk_end::committed;
    if (at_root) work.external_done.push_back(name);
    next_relation(work.stack.back());
    return chunk_end::committed;
}

/// Whether some rows below a model's have to be looked at one by one themselves.
inline bool is_gone_down_from(const deletion_work& work, const frame& above, std::size_t model) {
    const auto below = work.with.models.edges_from(model);
    return std::any_of(below.begin(), below.end(), [&](const edge& one) {
        const relation_kind kind = one.relation->kind;
        return kind == relation_kind::external || (kind == relation_kind::cascade && !is_leaf(work, above, one));
    });
}

/// Fetches the next children that are not leaves and goes down to them.
inline void descend(deletion_work& work, const walk_place& here) {
    frame& top = work.stack.back();
    const edge& along = *here.along;
    const key_set parents = references_of(along, parents_for(work, along, here.rows->rows));
    // A fetch in key order sorts all that is left below these parents. Keys of rows that nobody goes down from are held for
    // several chunks; others are looked at again in every chunk that works below them.
    constexpr std::int64_t chunks_at_once = 16;
    std::int64_t most = work.tuning[along.child].now;
    if (!is_gone_down_from(work, top, along.child)) most *= chunks_at_once;
    most = std::min(most, work.rows_left(0));
    if (work.with.models.is_cyclic(along.child)) most /= 2;
    key_set found = fetch_children(work, top, along, parents, std::max<std::int64_t>(1, most));
    if (found.empty()) {
        next_relation(top);
        return;
    }
    frame next;
    next.via = &along;
    next.skipped = top.skipped;
    for (const std::string_view key : along.relation->skips)
        if (const auto skipped = work.with.models.find(key)) next.skipped.push_back(*skipped);
    next.parts.push_back({along.child, std::move(found)});
    work.stack.push_back(std::move(next));
}

/// The last step of the top's rows: they go, or it turns out what is left below them.
inline chunk_end finish_top(deletion_work& work) {
    final_result result;
    chunk_end end = chunk_end::again;
    try {
        end = run_chunk(work, [&](deletion_work&, chunk& now) { return finish_rows(work, now, result); });
    } catch (const row_refusal& refusal) {
        return isolate(work, refusal);
    }
    if (end != chunk_end::committed) return end;
    frame& top = work.stack.back();
    if (result.gone) {
        top.forget_swept();
        key_set left(top.parts[0].rows.width());
        if (!top.closed && !top.ghost)
            for (std::size_t row = result.asked; row < top.parts[0].rows.size(); ++row)
                left.push_back(top.parts[0].rows[row]);
        if (left.empty()) {
            work.stack.pop_back();
        } else {
            top.parts[0].rows = std::move(left);
            top.rounds = 0;
        }
        return end;
    }
    if (!result.children) {
        if (result.asked != top.swept_rows) top.forget_swept();
        top.swept_rows = result.asked;
        top.pages = result.pages;
        top.looked += result.looked;
        top.swept.insert(top.swept.end(), result.swept.begin(), result.swept.end());
    } else {
        top.restart();
        if (++top.rounds > 3 && !top.ghost) {
            const plan& about = work.plan_of(top.parts[0].model);
            if (top.rounds > 200) {
                std::string triggers;
                for (const edge& below : work.with.models.edges_from(top.parts[0].model)) {
                    if (below.child == edge::none || work.facts.tables[below.child].trigger_names.empty()) continue;
                    triggers += (triggers.empty() ? " Look at trigger " : ", ") +
                                work.facts.tables[below.child].trigger_names + " of " +
                                std::string(work.plan_of(below.child).key);
                }
                if (!triggers.empty()) triggers += '.';
                throw error(failure::blocked,
                            std::string(about.key) + " " + sample_of(about, top.parts[0].rows) +
                                ": children keep arriving faster than they can be removed, or do not go." + triggers)
                    .with_model(about.key)
                    .with_hint("Stop what adds rows below it, then `deletions retry`.");
            }
            detail::pause_with_jitter(work, top.rounds);
        }
    }
    return end;
}

/// One step: at most one chunk.
inline chunk_end advance(deletion_work& work) {
    if (work.stack.size() == work.shared_levels) return take_shared(work);
    frame& top = work.stack.back();
    if (!top.ghost && !top.closed && work.with.models.is_cyclic(top.parts[0].model)) {
        expand_cycle(work);
        return chunk_end::committed;
    }
    for (walk_place here = place_of(work, top); here.along != nullptr; here = place_of(work, top)) {
        const edge& along = *here.along;
        const relation_kind kind = along.relation->kind;
        if (kind == relation_kind::external && !top.ghost) return clear_outside(work, here.rows->model, along);
        const bool walked =
            kind == relation_kind::cascade && !top.skips(along.child) && (top.ghost || !is_within_cycle(work, along));
        if (walked && !is_leaf(work, top, along)) {
            const std::size_t depth = work.stack.size();
            descend(work, here);
            return work.stack.size() > depth ? share_children(work, advance) : chunk_end::committed;
        }
        if (walked && is_wanted_early(work, here)) return remove_leaves(work, here.rows->model, along);
        next_relation(top);
    }
    return may_share_last_steps(work) ? hand_out(work, false) : finish_top(work);
}

}  // namespace detail

/// Walks the tree below the stack, children before parents, until nothing is left or the budget is used up.
/// Never yields before it deleted something, or proved that there is nothing (R19).
/// @param[out] brake why and how long to wait, when the result is `waiting`
inline walk_end walk(deletion_work& work, brake_reason& brake) {
    int stale = 0;
    std::int64_t fruitless_steps = 0;
    bool looked_only = false;
    while (!work.stack.empty()) {
        if (work.shared_levels != 0) work.team->tell(work);
        if (work.spent() || work.with.stopping()) return walk_end::more;
        // Going down a level changes nothing that a brake is for, and asking takes as long as the step.
        if (!looked_only) {
            const detail::lanes_hold hold(work);
            if (brake_is_on(work, brake)) return walk_end::waiting;
        }
        const std::int64_t before = work.rows_done;
        const std::size_t depth = work.stack.size();
        const std::size_t model = work.stack.back().parts[0].model;
        switch (detail::advance(work)) {
            case chunk_end::committed:
                looked_only = work.rows_done == before && work.stack.size() > depth;
                if (work.rows_done == before) {
                    // A tree may be deep, but going down it ends; a walk that does not is a fault, and must not spin for ever.
                    if (++fruitless_steps > 1'000'000) detail::walks_in_circles(work, model);
                    break;
                }
                stale = 0;
                fruitless_steps = 0;
                charge_rates(work);
                give_way(work.with);
                detail::tell_progress(work);
                break;
            case chunk_end::again:
                looked_only = false;
                if (++stale > 100) detail::rows_keep_moving(work, model);
                if (stale > 10) detail::pause_with_jitter(work, 1);
                break;
            case chunk_end::lost: return walk_end::lost;
            case chunk_end::paused: return walk_end::paused;
            case chunk_end::vetoed: return walk_end::vetoed;
            case chunk_end::root_reborn: return walk_end::root_reborn;
            case chunk_end::root_gone:
                if (work.shared_levels != 0 && detail::end_sharing(work, false) == chunk_end::lost)
                    return walk_end::lost;
                if (!work.root_seen) return walk_end::root_gone;
                // Somebody else deleted the root meanwhile; what it left behind is still ours to clear.
                work.stack.resize(1);
                work.stack[0].parts.assign(1, {work.root, work.root_identity});
                work.stack[0].ghost = true;
                work.stack[0].restart();
                break;
        }
    }
    return walk_end::done;
}

}  // namespace winnow::inline v0
