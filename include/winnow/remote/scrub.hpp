// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "winnow/remote/reference.hpp"
#include "winnow/remote/watermark.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

/// Goes on with the slow walk over every remote reference, which never ends, and compares it with the tombstones: it finds
/// what raw SQL put there, and rows that `work_off_tombstones` does not know as new, because keys do not rise with time
/// or an old row was changed.
/// @param rows most rows of each relation in this call
inline remote_report scrub_references(const context& with, std::int64_t rows = 10'000,
                                      const remote_limits& limits = {}) {
    detail::remote_job job(with, limits);
    for (const silo where : {silo::control, silo::cell}) {
        for (const detail::remote_place& at : detail::remote_places(with, where)) {
            std::string position = detail::watermark_of(job, at).scrubbed_to;
            bool ended = false;
            const std::int64_t until = job.done.examined + rows;
            while (!ended && job.done.examined < until && job.in_time())
                ended = detail::compare_page(job, at, position);
            if (ended) position.clear();
            (void)detail::ask_watermark(
                job, at,
                "UPDATE winnow_{silo}_remote_watermark SET scrubbed_to = $1, scrubs = scrubs + $2, updated_at = {now} WHERE model = "
                "$3 AND column_name = $4",
                {position.empty() ? parameter(null_value{}) : parameter(std::string_view(position)),
                 std::int64_t{ended ? 1 : 0}});
        }
    }
    return std::move(job.done);
}

/// Removes tombstones that have done their work: nothing refers to them, every relation to their model has been compared with
/// them, and they are older than `age`. One that nothing refers to in any relation goes by its age alone.
/// @param age much longer than a worker may stall: a delivery that comes after its tombstone is gone writes it again
/// @param most tombstones of one silo in this call
/// @return how many
inline std::int64_t prune_tombstones(const context& with, std::chrono::seconds age = std::chrono::hours(24 * 30),
                                     std::int64_t most = 10'000) {
    std::int64_t pruned = 0;
    const remote_limits limits;
    detail::remote_job job(with, limits);
    const dialect which = with.database.kind();
    for (const silo where : {silo::control, silo::cell}) {
        if (!reaches(with.mode, where)) continue;
        // A relation that is known here and has never been looked at has not passed anything.
        key_set waiting(1);
        key_set known(1);
        for (const detail::remote_place& at : detail::remote_places(with, where)) {
            const value parent = std::string(at.along->parent);
            known.push_back({&parent, 1});
            if (!detail::watermark_of(job, at).caught_up) waiting.push_back({&parent, 1});
        }
        const auto none_of = [&](std::string_view number) {
            return which == dialect::postgres
                       ? "model <> ALL(" + std::string(number) + "::text[])"
                       : "model NOT IN (SELECT value FROM json_each(" + std::string(number) + "))";
        };
        const std::string text = own_statement(
            "DELETE FROM winnow_{silo}_tombstone WHERE id IN (SELECT id FROM winnow_{silo}_tombstone t WHERE ((passed_at < {after "
            "$1} AND " +
                none_of("$2") +
                " AND NOT EXISTS (SELECT 1 FROM winnow_{silo}_remote_watermark w WHERE w.parent = t.model AND "
                "w.caught_up_at IS NULL)) OR (arrived_at < {after $1} AND " +
                none_of("$3") +
                " AND NOT EXISTS (SELECT 1 FROM winnow_{silo}_remote_watermark w WHERE w.parent = t.model))) ORDER BY id LIMIT $4)",
            which, where);
        pruned +=
            with.database.execute(text, {value(-static_cast<double>(age.count())), waiting, known, most}).affected();
    }
    return pruned;
}

}  // namespace winnow::inline v0
