// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/deletion/brake.hpp"
#include "winnow/deletion/chunk.hpp"
#include "winnow/deletion/lane_rows.hpp"
#include "winnow/deletion/lanes.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/deletion/work.hpp"
#include "winnow/store/own_statement.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow::inline v0::detail {

/// What lies below a model, as far as it matters for several connections.
struct below_model {
    bool shareable = true;  ///< nothing of it needs one connection, or calls the user's code for its rows
    bool deep = false;      ///< some of it is looked at row by row itself
};

/// @param path models of the rows above, which must not change when rows below them go
inline void look_below(const deletion_work& work, std::size_t model, const std::vector<std::size_t>& path,
                       std::vector<std::size_t>& seen, below_model& found) {
    if (std::find(seen.begin(), seen.end(), model) != seen.end()) return;
    seen.push_back(model);
    const auto is_on_path = [&](std::size_t one) { return std::find(path.begin(), path.end(), one) != path.end(); };
    const auto fits = [&](std::size_t one) {
        const plan& about = work.plan_of(one);
        return about.replication == nullptr && !about.hooks.per_row() && !is_on_path(one);
    };
    found.shareable = found.shareable && fits(model) && !work.with.models.is_cyclic(model);
    for (const edge& along : work.with.models.edges_from(model)) {
        const relation_kind kind = along.relation->kind;
        if (!found.shareable) return;
        if (kind == relation_kind::do_nothing) continue;
        found.shareable = along.child != edge::none && !along.relation->applies && fits(along.child);
        if (!found.shareable) return;
        if (kind == relation_kind::cascade) look_below(work, along.child, path, seen, found);
        if (kind == relation_kind::cascade && seen.front() == model)
            found.deep = found.deep || !is_leaf(work, work.stack.back(), along);
    }
}

/// What lies below the rows on top; not shareable where the rows above forbid it.
inline below_model look_below_top(const deletion_work& work) {
    below_model below;
    std::vector<std::size_t> path;
    for (std::size_t level = 0; level + 1 < work.stack.size(); ++level) {
        const frame& here = work.stack[level];
        below.shareable = !here.ghost && !here.closed && here.kin.empty() && here.parts.size() == 1 &&
                          !work.with.models.is_cyclic(here.parts[0].model);
        if (!below.shareable) return below;
        path.push_back(here.parts[0].model);
    }
    std::vector<std::size_t> seen;
    look_below(work, work.stack.back().parts[0].model, path, seen, below);
    return below;
}

/// Whether the rows on top, which were fetched just now, and those that come after them are for all connections: if
/// there are enough of them, and nothing forbids it.
inline bool is_worth_sharing(const deletion_work& work) {
    const std::size_t rows = work.stack.back().parts[0].rows.size();
    const auto connections = static_cast<std::size_t>(work.connections);
    const bool all = work.stack[work.stack.size() - 2].last_batch;
    if (all && rows < 2 * connections) return false;
    const below_model below = look_below_top(work);
    // Rows with trees of their own differ in size; where there are few, what is below them is shared instead.
    return below.shareable && (!below.deep || !all || rows >= 16 * connections);
}

/// Whether the deletion is large enough for more than one connection.
inline bool is_large(const deletion_work& work) {
    return !work.request.rows_total ||
           *work.request.rows_total >= work.with.options().integer("deletion.connections_from_rows");
}

/// Makes the lanes, if there can be any.
inline bool have_lanes(deletion_work& work, walk_step step) {
    if (work.team) return work.team->alive() != 0;
    if (!is_large(work)) {
        work.connections = 1;
        return false;
    }
    work.team = std::make_shared<lane_team>(work, step);
    work.with.watch.log(log_level::info, "deletion has several connections",
                        {{"transaction_id", work.request.guid},
                         {"model", work.request.model},
                         {"object_id", work.request.object_id},
                         {"connections", std::to_string(work.team->size() + 1)}});
    return work.team->alive() != 0;
}

/// Gives the rows on top to all lanes. @param more whether further ones are fetched after them
inline chunk_end hand_out(deletion_work& work, bool more) {
    {
        transaction scope(work.database());
        const chunk_end end = pass_fence(work);
        if (end != chunk_end::committed) return end;
        begin_lanes(work.database(), work.request.silo, work.request.guid, work.request.lease_token,
                    static_cast<std::int64_t>(work.team->size()));
        scope.commit();
    }
    frame found = std::move(work.stack.back());
    work.stack.pop_back();
    found.forget_swept();  // that was of all its rows together
    work.shared_levels = work.stack.size();
    work.shared_turn = &work.team->turn();
    const edge& along = *found.via;
    std::optional<key_set> parents;
    if (more) parents = references_of(along, parents_for(work, along, work.stack.back().parts[0].rows));
    work.team->begin(work, std::move(found), std::move(parents));
    return chunk_end::committed;
}

/// After children were fetched: gives them and those that follow to all lanes, where that is worth it. The leader then
/// takes some like everybody else.
inline chunk_end share_children(deletion_work& work, walk_step step) {
    if (work.connections < 2 || work.shared_levels != 0 || !is_worth_sharing(work) || !have_lanes(work, step))
        return chunk_end::committed;
    return hand_out(work, true);
}

/// Rows of which there were too few to share what is below them take their last steps together: that passes over all the
/// dead entries of what was below, and takes its time.
inline bool may_share_last_steps(const deletion_work& work) {
    if (work.team == nullptr || work.shared_levels != 0 || work.stack.size() < 2 || work.team->alive() == 0)
        return false;
    const frame& top = work.stack.back();
    if (top.ghost || top.closed || !top.kin.empty() || top.parts[0].rows.size() < 2) return false;
    const below_model below = look_below_top(work);
    return below.shareable && below.deep;
}

/// Counts of the lanes, on the deletion's row and in the leader's memory.
inline chunk_end add_lane_rows(deletion_work& work) {
    connection& database = work.database();
    transaction scope(database);
    const chunk_end end = pass_fence(work);
    if (end == chunk_end::lost) return end;
    (void)end_lanes(database, work.request.silo, work.request.guid);
    std::vector<std::int64_t> rows(work.rows.size(), 0);
    std::int64_t all = 0;
    for (const auto& [key, count] : counts_of(database, work.request.silo, work.request.id)) {
        if (const auto model = work.with.models.find(key)) rows[*model] = count;
    }
    const std::string text = own_statement("SELECT rows_done FROM winnow_{silo}_scheduled_deletion WHERE id = $1",
                                           database.kind(), work.request.silo);
    all = database.execute(text, {work.request.id}).integer(0, 0);
    scope.commit();
    work.rows_this_pass += all - work.rows_done;
    work.rows = std::move(rows);
    work.rows_done = all;
    work.team->forget(work);
    charge_rates(work);
    return end;
}

/// Ends the common work: the leader stands alone again on the parents of what was shared.
/// @param finished nothing is left of it; else the lanes are stopped, for good
inline chunk_end end_sharing(deletion_work& work, bool finished) {
    lane_team& team = *work.team;
    if (!finished) team.stop(work.with.stopping());
    work.stack.resize(std::exchange(work.shared_levels, 0));
    work.shared_turn = nullptr;
    // A row that was moved away and back is the leader's to look at.
    for (std::size_t level = 0; level < work.stack.size(); ++level) work.stack[level].parts = team.base()[level].parts;
    frame& top = work.stack.back();
    const frame& place = team.pool().place();
    top.first_parent = place.first_parent;
    top.parents = place.parents;
    top.last = place.last;
    top.last_batch = place.last_batch;
    top.fetches = place.fetches;
    top.counted = place.counted;
    top.fetched = place.fetched;
    return add_lane_rows(work);
}

/// Says that the leader is alive, between chunks (R12). @return false when the lease is gone
inline bool renew_lease(deletion_work& work) {
    const std::string text = own_statement(
        "UPDATE winnow_{silo}_scheduled_deletion SET lease_expires_at = {after $1} WHERE id = $2 AND guid = $3 AND lease_token = $4",
        work.database().kind(), work.request.silo);
    return work.database()
               .execute(text, {work.lease_seconds, work.request.id, std::string_view(work.request.guid),
                               work.request.lease_token})
               .affected() != 0;
}

inline void tell_progress(deletion_work& work) {
    work.with.watch.progress({work.plan_of(work.root).key, work.request.object_id, work.request.guid,
                              work.rows_of_all(), work.request.rows_total.value_or(-1), 0,
                              work.plan_of(work.current).key});
}

/// The leader's next rows of what is shared, or, when there are none, a short wait for the lanes.
inline chunk_end take_shared(deletion_work& work) {
    lane_team& team = *work.team;
    if (frame set = team.take(work); !set.parts[0].rows.empty()) {
        work.stack.push_back(std::move(set));
        return chunk_end::committed;
    }
    if (team.wait_until_idle(std::chrono::milliseconds(50))) {
        team.tell(work);
        charge_rates(work);
        return end_sharing(work, true);
    }
    charge_rates(work);
    tell_progress(work);
    return renew_lease(work) ? chunk_end::committed : chunk_end::lost;
}

/// Holds the lanes while the leader waits for a rate limit.
class lanes_hold {
public:
    explicit lanes_hold(deletion_work& work) : team_(work.owed_seconds > 0 ? work.team.get() : nullptr) {
        if (team_ != nullptr) team_->hold(true);
    }
    lanes_hold(const lanes_hold&) = delete;
    lanes_hold& operator=(const lanes_hold&) = delete;
    ~lanes_hold() {
        if (team_ != nullptr) team_->hold(false);
    }

private:
    lane_team* team_;
};

/// Runs a walk, and ends its lanes however it ends.
template <class Walk> auto with_lanes(deletion_work& work, const Walk& walk) -> decltype(walk()) {
    const auto end_lanes_of = [&] {
        if (work.team == nullptr) return chunk_end::committed;
        chunk_end end = chunk_end::committed;
        if (work.shared_levels != 0) {
            if (!work.database().usable()) work.team->stop(true);
            else end = end_sharing(work, false);
        }
        work.team.reset();
        return end;
    };
    try {
        auto end = walk();
        if (end_lanes_of() == chunk_end::lost) return decltype(end)::lost;
        return end;
    } catch (...) {
        try {
            (void)end_lanes_of();
        } catch (const error&) {
            // Whoever claims it next adds up what is on the lanes' rows.
            work.team.reset();
        }
        work.shared_levels = 0;
        throw;
    }
}

}  // namespace winnow::inline v0::detail
