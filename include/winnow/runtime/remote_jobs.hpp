// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/deletion/schedule.hpp"
#include "winnow/plan/value.hpp"
#include "winnow/remote/reference.hpp"
#include "winnow/remote/scrub.hpp"
#include "winnow/remote/work_off.hpp"

namespace winnow::inline v0 {

/// Hands rows with children or hooks to the deletion engine: each becomes a scheduled deletion that is due at once, and
/// stays one however often it is handed over.
class deletion_scheduler final : public tree_remover {
public:
    void remove(const context& with, std::size_t model, const key_set& keys) override {
        schedule_options now;
        now.days = 0;
        now.confirmed = true;
        now.permit = permit_purge;
        now.data = R"({"reason": "what it referred to in the other silo is gone"})";
        for (std::size_t row = 0; row < keys.size(); ++row) {
            try {
                (void)schedule(with, model, keys[row], now);
            } catch (const error& problem) {
                // It may have gone in the meantime.
                if (problem.kind() != failure::not_found) throw;
            }
        }
    }
};

/// What one round of the jobs over remote references came to.
struct remote_round_report {
    remote_report worked_off;
    remote_report scrubbed;
    std::int64_t pruned = 0;  ///< tombstones that every relation has passed and that are old enough
};

/// Removes or unlinks what refers to rows that are gone in the other silo, looks over some more references for late
/// ones, and forgets old tombstones.
inline remote_round_report run_remote_jobs(const context& with, std::int64_t scrub_rows = 10'000) {
    deletion_scheduler trees;
    remote_limits limits;
    limits.trees = &trees;
    remote_round_report report;
    report.worked_off = work_off_tombstones(with, limits);
    report.scrubbed = scrub_references(with, scrub_rows, limits);
    report.pruned = prune_tombstones(with);
    return report;
}

}  // namespace winnow::inline v0
