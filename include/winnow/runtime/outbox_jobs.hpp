// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "winnow/backfill/run.hpp"
#include "winnow/context/context.hpp"
#include "winnow/outbox/drain.hpp"
#include "winnow/outbox/status.hpp"
#include "winnow/plan/silo.hpp"

namespace winnow::inline v0 {

/// Ids of messages that one worker drains: both included.
struct outbox_range {
    winnow::silo silo = winnow::silo::cell;
    std::int64_t first = 0;
    std::int64_t last = 0;
};

/// Splits the messages of a silo into at most `concurrency` ranges of ids for as many workers; none when there is no
/// message. Each goes to `drain_range`, in any order and on any machine.
[[nodiscard]] inline std::vector<outbox_range> split_outbox(const context& with, silo where,
                                                            std::int64_t concurrency = 5) {
    std::vector<outbox_range> ranges;
    const auto [first, last] = outbox_id_range(with, where);
    if (last == 0) return ranges;
    const std::int64_t workers = std::clamp<std::int64_t>(concurrency, 1, last - first + 1);
    const std::int64_t share = (last - first) / workers + 1;
    for (std::int64_t from = first; from <= last; from += share)
        ranges.push_back({where, from, std::min(last, from + share - 1)});
    return ranges;
}

/// One round of what keeps the copies right, as `enqueue_outbox_jobs` does it.
struct outbox_round {
    std::int64_t concurrency = 5;
    bool process_outbox_backfills = true;
    clock::duration drain_deadline = std::chrono::seconds(90);
    backfill_request backfill{};  ///< its `scheduled_count` is filled in
};

/// What a round came to.
struct outbox_round_report {
    std::int64_t scheduled = 0;  ///< messages that were waiting
    drain_report drained;
    std::optional<backfill_report> backfilled;  ///< nothing: it was left out
};

/// Drains what waits in the silos that this process serves, range after range, and then backfills as much as the
/// messages that were waiting leave room for: new work goes first.
/// @throws error of kind `connection` when the database is lost
inline outbox_round_report enqueue_outbox_jobs(const context& with, const outbox_round& asked = {}) {
    outbox_round_report report;
    const clock::duration end = with.time.now() + asked.drain_deadline;
    for (const silo where : {silo::control, silo::cell}) {
        if (!reaches(with.mode, where)) continue;
        report.scheduled += count_outbox(with, where).due;
        for (const outbox_range& range : split_outbox(with, where, asked.concurrency)) {
            drain_limits limits;
            limits.deadline = std::max(end - with.time.now(), clock::duration(1));
            report.drained += drain_range(with, where, range.first, range.last, limits);
        }
    }
    if (!asked.process_outbox_backfills) return report;
    backfill_request request = asked.backfill;
    request.scheduled_count = report.scheduled;
    report.backfilled = backfill_outboxes_for(with, request);
    return report;
}

}  // namespace winnow::inline v0
