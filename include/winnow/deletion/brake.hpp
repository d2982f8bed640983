// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "winnow/context/brakes.hpp"
#include "winnow/context/give_way.hpp"
#include "winnow/core/error.hpp"
#include "winnow/deletion/work.hpp"
#include "winnow/store/bucket.hpp"
#include "winnow/store/own_statement.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow::inline v0 {

namespace detail {

/// How long a brake stays on at least.
[[nodiscard]] inline double brake_seconds(const deletion_work& work) {
    return static_cast<double>(std::max<std::int64_t>(work.with.options().integer("deletion.brake_seconds"), 1));
}

/// Charges a bucket in Redis. When that is away the limit has to hold all the same: it is then counted in the database
/// for a while, which every worker of a deletion reaches. @return what is in the bucket; nothing: use the database
inline std::optional<double> charge_in_redis(deletion_work& work, std::string_view option, std::int64_t rows,
                                             std::int64_t rate) {
    if (!work.with.options().boolean("deletion.rate_limit_in_redis")) return std::nullopt;
    if (work.with.time.now() < work.buckets_again) return std::nullopt;
    std::string why = "this process has no Redis configured";
    if (work.with.buckets != nullptr) {
        try {
            const double level = work.with.buckets->charge(option, rows, rate);
            work.buckets_away.clear();
            return level;
        } catch (const error& problem) {
            why = problem.what();
        }
    }
    work.buckets_again =
        work.with.time.now() + std::chrono::microseconds(static_cast<std::int64_t>(brake_seconds(work) * 1e6));
    if (work.buckets_away.empty())
        work.with.watch.log(log_level::warning, "rate limits are counted in the database",
                            {{"transaction_id", work.request.guid}, {"option", option}, {"reason", why}});
    work.buckets_away = " (counted in the database: " + why + ")";
    return std::nullopt;
}

/// Charges a bucket that is a row in the database, in a transaction of its own, after the chunk.
/// @return what is in it
inline double charge_in_database(deletion_work& work, std::string_view option, std::int64_t rows, std::int64_t rate) {
    const std::string text = own_statement(
        "INSERT INTO winnow_rate_bucket AS b (name, level, updated_at) VALUES ($1, $2, {now}) ON CONFLICT (name) DO UPDATE SET level = "
        "CASE WHEN b.level > $3 * {since b.updated_at} THEN b.level - $3 * {since b.updated_at} ELSE 0 END + $2, updated_at = {now} "
        "RETURNING level",
        work.database().kind());
    transaction scope(work.database());
    const winnow::rows found =
        work.database().execute(text, {option, value(static_cast<double>(rows)), value(static_cast<double>(rate))});
    scope.commit();
    return seconds(found, 0, 0);
}

/// Tells the leaky bucket of one option, which all workers share, that rows were deleted.
/// @return seconds until the bucket is below its burst again; not positive: go on
inline double charge_bucket(deletion_work& work, std::string_view option, std::int64_t rate, std::int64_t rows,
                            std::int64_t query_limit) {
    if (rate <= 0) return 0;
    const std::optional<double> shared = charge_in_redis(work, option, rows, rate);
    const double level = shared ? *shared : charge_in_database(work, option, rows, rate);
    const double burst = static_cast<double>(std::max(rate, query_limit));
    return (level - burst) / static_cast<double>(rate);
}

/// Whether the write-ahead log of an SQLite file is above four times the file although it was to be emptied: somebody
/// reads an old state of it, and more chunks would only make it longer (S5).
inline bool log_is_too_long(deletion_work& work, brake_reason& why) {
    if (!work.log) work.log = find_sqlite_log(work.database());
    const sqlite_log::sizes now = work.log->measure();
    if (now.log <= 4 * now.file || now.log <= work.log->usual) return false;
    if (empty_sqlite_log(work.database())) return false;
    const auto text = [](std::int64_t bytes) { return std::to_string((bytes + 1023) / 1024) + " KiB"; };
    why.text = "the write-ahead log of " + work.log->file + " is " + text(now.log) +
               ", more than four times the file (" + text(now.file) +
               "): some connection reads an old state of it and keeps it from being emptied";
    why.seconds = brake_seconds(work);
    why.name = "write-ahead log";
    return true;
}

}  // namespace detail

/// Charges the rate limits of the models whose rows went since the last call.
inline void charge_rates(deletion_work& work) {
    work.charged.resize(work.rows.size(), 0);
    std::optional<options> live;
    work.lane_rows.resize(work.rows.size(), 0);
    for (std::size_t model = 0; model < work.rows.size(); ++model) {
        const plan& about = work.plan_of(model);
        const std::int64_t gone = work.rows[model] + work.lane_rows[model];
        const std::int64_t fresh = gone - work.charged[model];
        work.charged[model] = gone;
        if (fresh <= 0 || about.rate_limit_option.empty()) continue;
        if (!live) live = work.with.options().snapshot();
        const double wait = detail::charge_bucket(work, about.rate_limit_option, live->integer(about.rate_limit_option),
                                                  fresh, about.query_limit);
        if (wait > work.owed_seconds) {
            work.owed_seconds = wait;
            work.owed_to = about.rate_limit_option;
        }
    }
}

/// Whether the next chunk has to wait. A short wait is slept here, between two transactions and well within
/// the lease; a longer one gives the worker back.
inline bool brake_is_on(deletion_work& work, brake_reason& why) {
    if (work.owed_seconds > 0) {
        why.seconds = work.owed_seconds;
        why.text = "rate limit " + work.owed_to + work.buckets_away;
        why.name = "rate limit";
        work.owed_seconds = 0;
        if (why.seconds > 1.0) return true;
        work.with.pause(std::chrono::microseconds(static_cast<std::int64_t>(why.seconds * 1e6)));
        begin_turn(work.with);
    }
    if (!work.outrun.empty()) {
        why.text = std::exchange(work.outrun, {});
        why.seconds = detail::brake_seconds(work);
        why.name = "arrivals";
        return true;
    }
    if (detail::log_is_too_long(work, why)) return true;
    std::optional<brake_reason> found = work.brakes.look(work.with, "deletion.windows");
    if (found) why = std::move(*found);
    return found.has_value();
}

}  // namespace winnow::inline v0
