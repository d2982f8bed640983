// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/context/dead_references.hpp"
#include "winnow/context/produce.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow::inline v0 {

/// Deletes rows that have children or hooks. The rules for that are those of the deletion engine, which the jobs over
/// remote references do not know: who composes both gives them this.
class tree_remover {
public:
    tree_remover() = default;
    tree_remover(const tree_remover&) = delete;
    tree_remover& operator=(const tree_remover&) = delete;
    virtual ~tree_remover() = default;

    /// Deletes these rows and everything below them, or schedules that: rows that are still there are handed over again
    /// by the next pass, so it must be idempotent. Called outside of a transaction.
    /// @param model index in the catalog
    virtual void remove(const context& with, std::size_t model, const key_set& keys) = 0;
};

/// Bounds of one call of a job over remote references.
struct remote_limits {
    std::int64_t batch = 500;                ///< rows and tombstones of one statement
    std::chrono::milliseconds time{30'000};  ///< after it no further statement begins
    tree_remover* trees = nullptr;           ///< null: rows with children stay and are reported
};

/// What a job over remote references did.
struct remote_report {
    std::int64_t removed = 0;           ///< rows that were deleted because what they referred to is gone
    std::int64_t nulled = 0;            ///< rows whose reference became null
    std::int64_t handed_over = 0;       ///< rows that were given to the `tree_remover`
    std::int64_t passed = 0;            ///< tombstones to which nothing refers any more
    std::int64_t examined = 0;          ///< rows that were looked at, one by one
    bool more = false;                  ///< the time was used up
    std::string waiting_for;            ///< who keeps tombstones open (R20); empty: nobody
    std::vector<std::string> problems;  ///< what could not be done, each with its model; the rest went on
};

namespace detail {

/// One remote relation of a model that this process reaches.
struct remote_place {
    std::size_t model = 0;
    const remote_relation* along = nullptr;
};

/// The relations that something has to be done for.
inline std::vector<remote_place> remote_places(const context& with, silo where) {
    std::vector<remote_place> all;
    if (!reaches(with.mode, where)) return all;
    for (std::size_t model = 0; model < with.models.size(); ++model) {
        if (with.models[model].silo != where) continue;
        for (const remote_relation& one : with.models[model].remotes)
            if (one.kind != remote_kind::do_nothing) all.push_back({model, &one});
    }
    return all;
}

/// One call of a job: what it may use and what it has done.
struct remote_job {
    remote_job(const context& use, const remote_limits& bounds)
        : with(use), limits(bounds), until(use.time.now() + bounds.time) {}

    const context& with;
    const remote_limits& limits;
    clock::duration until;
    remote_report done;

    [[nodiscard]] bool in_time() {
        if (with.time.now() < until && !with.stopping()) return true;
        done.more = true;
        return false;
    }
    [[nodiscard]] const plan& plan_of(const remote_place& at) const { return with.models[at.model]; }
    [[nodiscard]] std::string title_of(const remote_place& at) const {
        return std::string(plan_of(at).key) + "." + std::string(at.along->reference.name[with.database.kind()]);
    }
    void report(const remote_place& at, std::string_view problem) {
        std::string line = title_of(at) + " refers to " + std::string(at.along->parent) + ": " + std::string(problem);
        if (std::find(done.problems.begin(), done.problems.end(), line) != done.problems.end()) return;
        with.watch.log(log_level::error, "remote references could not be worked off",
                       {{"model", plan_of(at).key}, {"parent", at.along->parent}, {"problem", problem}});
        done.problems.push_back(std::move(line));
    }
};

[[nodiscard]] inline key_set set_of(const std::vector<std::int64_t>& objects) {
    key_set set(1);
    set.reserve(objects.size());
    for (const std::int64_t object : objects) {
        const value one = object;
        set.push_back({&one, 1});
    }
    return set;
}

/// The first columns of rows, as keys.
[[nodiscard]] inline key_set keys_of_rows(const rows& found, std::size_t width) {
    key_set keys(width);
    keys.reserve(found.size());
    for (std::size_t row = 0; row < found.size(); ++row) keys.push_back(found[row].first(width));
    return keys;
}

/// Rows that nothing hangs on, and nobody wants to see go, may be deleted by key.
[[nodiscard]] inline bool goes_alone(const context& with, std::size_t model) {
    if (with.models[model].hooks.per_row()) return false;
    for (const edge& one : with.models.edges_from(model))
        if (one.relation->kind != relation_kind::do_nothing) return false;
    return true;
}

/// Our transaction gives up first, so that a deadlock never reaches an application (R8).
[[nodiscard]] inline transaction_limits short_waits(connection& database) {
    return {.lock_timeout = std::max(database.deadlock_timeout() / 2, std::chrono::milliseconds(20)),
            .statement_timeout = {}};
}

/// Deletes rows, or sets their reference to null, if they still refer to one of `objects` and that is still dead.
/// @return how many
inline std::int64_t settle_rows(remote_job& job, const remote_place& at, const key_set& keys, const key_set& objects) {
    connection& database = job.with.database;
    const plan& of = job.plan_of(at);
    transaction scope(database, transaction_kind::write, short_waits(database));
    const key_set dead = set_of(dead_among(job.with, of.silo, at.along->parent, objects));
    if (dead.empty()) return 0;
    const key_set locked =
        keys_of_rows(database.execute(at.along->statements.lock, {keys, dead}), of.primary_key.size());
    if (locked.empty()) return 0;
    std::int64_t count = 0;
    if (at.along->kind == remote_kind::set_null) {
        count = database.execute(at.along->statements.nullify, {locked, dead}).affected();
        (void)produce_messages(job.with, of, locked);
    } else {
        (void)produce_messages(job.with, of, locked);
        count = database.execute(of.statements.remove, {locked}).affected();
    }
    scope.commit();
    if (at.along->kind == remote_kind::set_null) {
        job.done.nulled += count;
    } else {
        job.done.removed += count;
        job.with.watch.count("deletions.rows", count, {{"model", of.key}, {"strategy", "remote"}});
    }
    return count;
}

/// Deletes, nulls or hands over rows that refer to dead objects.
/// @return how many went or lost their reference; 0 as well when they have to wait
inline std::int64_t act_on(remote_job& job, const remote_place& at, const key_set& keys, const key_set& objects) {
    if (keys.empty()) return 0;
    try {
        if (at.along->kind == remote_kind::set_null || goes_alone(job.with, at.model))
            return settle_rows(job, at, keys, objects);
        if (job.limits.trees == nullptr) {
            job.report(at, "rows with children or hooks have to go, and nothing was given that deletes them.");
            return 0;
        }
        job.done.handed_over += static_cast<std::int64_t>(keys.size());
        job.limits.trees->remove(job.with, at.model, keys);
    } catch (const error& problem) {
        if (!job.with.database.usable()) throw;
        if (problem.may_retry()) job.done.waiting_for = "other sessions that hold rows of " + job.title_of(at);
        else job.report(at, problem.what());
    }
    return 0;
}

/// Works off what refers to `objects` until nothing does. @return whether nothing does
inline bool sweep_by_value(remote_job& job, const remote_place& at, const key_set& objects) {
    if (objects.empty()) return true;
    std::vector<value> before;
    while (job.in_time()) {
        const rows found = job.with.database.execute(at.along->statements.find, {objects, job.limits.batch});
        if (found.empty()) return true;
        const key_set keys = keys_of_rows(found, job.plan_of(at).primary_key.size());
        const std::vector<value> first(keys[0].begin(), keys[0].end());
        if (act_on(job, at, keys, objects) == 0 && first == before) return false;  // they wait for something
        before = first;
    }
    return false;
}

}  // namespace detail

}  // namespace winnow::inline v0
