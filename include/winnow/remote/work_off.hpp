// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/remote/reference.hpp"
#include "winnow/remote/watermark.hpp"
#include "winnow/store/horizon.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Tombstones that share a horizon: an object, and the message that its death was told by.
struct open_tombstones {
    std::string horizon;
    key_set versions{2};  ///< id and message; a tombstone that was opened again is another version
    key_set objects{1};
    double age = 0;  ///< seconds of the oldest
};

/// Condition that a tombstone is one of the versions in parameter 1, and in 2 on PostgreSQL.
inline std::string is_version(dialect which) {
    return which == dialect::postgres
               ? "(id, message_id) IN (SELECT * FROM unnest($1::bigint[], $2::bigint[]))"
               : "(id, message_id) IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each($1))";
}

/// The next open tombstones of a model, by horizon. New ones get their horizon here: in a statement after the one that saw
/// them, so that whoever did not see them is waited for (R20).
inline std::vector<open_tombstones> next_tombstones(remote_job& job, silo where, std::string_view parent,
                                                    std::int64_t& after) {
    connection& database = job.with.database;
    const dialect which = database.kind();
    const std::string text = own_statement(
        "SELECT id, message_id, object_identifier, horizon, {since arrived_at} FROM winnow_{silo}_tombstone WHERE model = $1 "
        "AND passed_at IS NULL AND id > $2 ORDER BY id LIMIT $3",
        which, where);
    const rows found = database.execute(text, {parent, after, job.limits.batch});
    std::vector<open_tombstones> groups;
    open_tombstones fresh;
    for (std::size_t row = 0; row < found.size(); ++row) {
        after = found.integer(row, 0);
        open_tombstones* group = &fresh;
        if (!is_null(found.at(row, 3))) {
            const std::string horizon = found.text(row, 3);
            const auto known = std::find_if(groups.begin(), groups.end(),
                                            [&](const open_tombstones& one) { return one.horizon == horizon; });
            group = known == groups.end() ? &groups.emplace_back() : &*known;
            group->horizon = horizon;
        }
        group->versions.push_back(found[row].first(2));
        group->objects.push_back(found[row].subspan(2, 1));
        const auto* age = std::get_if<double>(&found.at(row, 4));
        if (age != nullptr) group->age = std::max(group->age, *age);
    }
    if (fresh.versions.empty()) return groups;
    fresh.horizon = fix_horizon(database);
    (void)database.execute(own_statement("UPDATE winnow_{silo}_tombstone SET horizon = " +
                                             std::string(which == dialect::postgres ? "$3" : "$2") + " WHERE " +
                                             is_version(which) + " AND horizon IS NULL",
                                         which, where),
                           {fresh.versions, std::string_view(fresh.horizon)});
    groups.push_back(std::move(fresh));
    return groups;
}

/// Works off tombstones that share a horizon, as far as it goes now.
inline void work_off_group(remote_job& job, silo where, std::string_view parent, std::span<const remote_place> places,
                           const open_tombstones& group) {
    connection& database = job.with.database;
    bool clean = true;
    for (const remote_place& at : places) clean = sweep_by_value(job, at, group.objects) && clean;
    if (!clean) return;
    std::string who;
    if (!has_passed(database, group.horizon, who)) {
        job.done.waiting_for =
            "transactions that were open when tombstones of " + std::string(parent) + " arrived: " + who;
        if (group.age > 600)
            job.with.watch.log(log_level::warning, "tombstones stay open for a transaction that does not end",
                               {{"parent", parent}, {"who", who}});
        return;
    }
    // Only now nobody can add a row any more: what is found from here on is all there ever will be.
    for (const remote_place& at : places) clean = sweep_by_value(job, at, group.objects) && clean;
    if (!clean) return;
    const dialect which = database.kind();
    job.done.passed += database
                           .execute(own_statement("UPDATE winnow_{silo}_tombstone SET passed_at = {now} WHERE " +
                                                      is_version(which) + " AND passed_at IS NULL",
                                                  which, where),
                                    {group.versions})
                           .affected();
}

/// Compares a relation that is new with all old tombstones: it walks both its rows and the tombstones, and is done when
/// either walk is, so that neither a large table nor many tombstones make it long.
inline void catch_up(remote_job& job, const remote_place& at, remote_watermark& now) {
    connection& database = job.with.database;
    const std::string text = own_statement(
        "SELECT id, object_identifier FROM winnow_{silo}_tombstone WHERE model = $1 AND passed_at IS NOT NULL AND id > $2 ORDER BY "
        "id LIMIT $3",
        database.kind(), job.plan_of(at).silo);
    const std::string newest = last_position(job, at);
    while (!now.caught_up && job.in_time()) {
        now.caught_up = compare_page(job, at, now.rows_to);
        if (!now.caught_up) {
            const rows old = database.execute(text, {at.along->parent, now.tombstone, job.limits.batch});
            std::vector<std::int64_t> objects;
            for (std::size_t row = 0; row < old.size(); ++row) objects.push_back(old.integer(row, 1));
            const key_set dead = set_of(dead_among(job.with, job.plan_of(at).silo, at.along->parent, set_of(objects)));
            (void)sweep_by_value(job, at, dead);
            if (!old.empty()) now.tombstone = old.integer(old.size() - 1, 0);
            if (static_cast<std::int64_t>(old.size()) < job.limits.batch) {
                now.caught_up = true;
                now.rows_to = newest;
            }
        }
        keep_watermark(job, at, now);
    }
}

/// Compares rows that are new with all tombstones: nothing announces them when raw SQL wrote them.
inline void compare_new_rows(remote_job& job, const remote_place& at, remote_watermark& now) {
    const std::string before = now.rows_to;
    while (job.in_time() && !compare_page(job, at, now.rows_to)) {}
    if (now.rows_to != before) keep_watermark(job, at, now);
}

}  // namespace detail

/// Works off what tombstones say, for every remote relation of the models that this process reaches: rows that refer to an
/// object which is gone in the other silo go, or lose their reference, by value. A tombstone has passed when nothing refers
/// to it and every transaction that was open when it was first seen has ended (R20); ids and the order of commits are not
/// trusted. New rows and new relations are compared with old tombstones too.
///
/// To be called again and again, by any number of processes, outside of a transaction. What cannot be done for one
/// relation is reported, and the others go on.
/// @throws error when the database cannot be reached
inline remote_report work_off_tombstones(const context& with, const remote_limits& limits = {}) {
    detail::remote_job job(with, limits);
    for (const silo where : {silo::control, silo::cell}) {
        const std::vector<detail::remote_place> all = detail::remote_places(with, where);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::string_view parent = all[i].along->parent;
            std::vector<detail::remote_place> places;
            bool first = true;
            for (std::size_t j = 0; j < all.size(); ++j) {
                if (all[j].along->parent != parent) continue;
                first = first && j >= i;
                places.push_back(all[j]);
            }
            std::int64_t after = 0;
            while (first && job.in_time()) {
                const std::vector<detail::open_tombstones> groups = detail::next_tombstones(job, where, parent, after);
                if (groups.empty()) break;
                for (const detail::open_tombstones& group : groups)
                    detail::work_off_group(job, where, parent, places, group);
            }
        }
        for (const detail::remote_place& at : all) {
            detail::remote_watermark now = detail::watermark_of(job, at);
            if (now.caught_up) detail::compare_new_rows(job, at, now);
            else detail::catch_up(job, at, now);
        }
    }
    return std::move(job.done);
}

}  // namespace winnow::inline v0
