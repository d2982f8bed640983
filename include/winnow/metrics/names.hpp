// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace winnow::inline v0 {

/// What a metric's number means.
enum class metric_kind : unsigned char {
    counter,    ///< only grows, from 0 when the process starts
    gauge,      ///< how much there is now
    histogram,  ///< how often something took how long, in seconds
};

/// One metric that winnow reports.
struct metric_definition {
    std::string_view name;  ///< as the engine spells it; Prometheus has underscores for dots
    metric_kind kind;
    std::string_view labels;  ///< names of its labels, separated by blanks
    std::string_view meaning;
};

/// All metrics, in the order in which they are shown. Those of kind gauge under "read from the database" are the same
/// from every process; the others count what one process did.
inline constexpr metric_definition known_metrics[] = {
    {"deletions.rows", metric_kind::counter, "model strategy", "rows that deletions removed"},
    {"deletions.chunk.duration", metric_kind::histogram, "model", "how long chunks of deletions took"},
    {"deletions.scheduled", metric_kind::gauge, "silo cell", "scheduled deletions, whatever their state"},
    {"deletions.in_progress", metric_kind::gauge, "silo cell", "deletions that a worker holds"},
    {"deletions.failed", metric_kind::gauge, "silo cell", "deletions that have failed and wait for a person"},
    {"deletions.blocked", metric_kind::gauge, "silo cell", "deletions that rows or the schema block"},
    {"deletions.unconfirmed", metric_kind::gauge, "silo cell", "deletions above the cap that wait for a confirmation"},
    {"deletions.overdue_seconds", metric_kind::gauge, "silo cell",
     "how long the deletion that could run and is due longest has been due"},
    {"deletions.expired_leases", metric_kind::gauge, "silo cell", "deletions whose worker has gone silent"},
    {"outbox.saved", metric_kind::counter, "category", "messages that were written"},
    {"outbox.processed", metric_kind::counter, "category", "messages that were delivered"},
    {"outbox.processing_lag", metric_kind::histogram, "", "age of the oldest message of a turn when it was delivered"},
    {"outbox.dead", metric_kind::counter, "", "messages that were given up after their last attempt"},
    {"outbox.overtaken", metric_kind::counter, "", "turns that another worker took over"},
    {"outbox.dead_messages", metric_kind::gauge, "silo cell", "messages that are not tried any more"},
    {"outbox.oldest_due_seconds", metric_kind::gauge, "silo cell", "how long the oldest due message has been due"},
    {"deliver_from_outbox.maximum_shard_depth", metric_kind::gauge, "silo cell", "messages of the deepest shard"},
    {"deliver_from_outbox.total_outbox_count", metric_kind::gauge, "silo cell", "messages of all shards"},
    {"backfill_outboxes.low_bound", metric_kind::gauge, "table_name version", "id from which a backfill goes on"},
    {"backfill_outboxes.backfilled", metric_kind::counter, "silo_mode force_synchronous", "rows that were backfilled"},
    {"backfill_outboxes.watermark_version", metric_kind::gauge, "table_name", "version that a backfill is at"},
    {"backfill_outboxes.watermark_target_version", metric_kind::gauge, "table_name", "version that it may reach"},
    {"backfill_outboxes.watermark_missing", metric_kind::counter, "table_name reason",
     "cursors that were lost or wrong and have been repaired"},
    {"winnow.job.last_success.timestamp_seconds", metric_kind::gauge, "job silo cell",
     "when a periodic job last succeeded, in Unix time; 0: never"},
    {"winnow.database_up", metric_kind::gauge, "silo cell", "1 when the database answered this scrape"},
    {"winnow.http_requests_total", metric_kind::counter, "path status", "requests that were answered"},
    {"winnow.build_info", metric_kind::gauge, "version", "always 1"},
};

/// A metric as Prometheus spells it.
[[nodiscard]] inline std::string prometheus_name(std::string_view name) {
    std::string spelled(name);
    for (char& c : spelled)
        if (c == '.') c = '_';
    return spelled;
}

}  // namespace winnow::inline v0
