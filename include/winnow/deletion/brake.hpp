// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "winnow/core/error.hpp"
#include "winnow/deletion/work.hpp"
#include "winnow/store/own_statement.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow::inline v0 {

/// Why a deletion waits, and for how long.
struct brake_reason {
    std::string text;
    double seconds = 0;
};

namespace detail {

/// Tells the leaky bucket of one option that rows were deleted. The bucket is a row in the database, so that
/// all workers share it; it is charged in a transaction of its own, after the chunk.
/// @return seconds until the bucket is below its burst again; not positive: go on
inline double charge_bucket(deletion_work& work, std::string_view option, std::int64_t rows, std::int64_t query_limit) {
    const std::int64_t rate = work.with.options().integer(option);
    if (rate <= 0) return 0;
    const std::string text = own_statement(
        "INSERT INTO winnow_rate_bucket AS b (name, level, updated_at) VALUES ($1, $2, {now}) ON CONFLICT (name) DO UPDATE SET level = "
        "CASE WHEN b.level > $3 * {since b.updated_at} THEN b.level - $3 * {since b.updated_at} ELSE 0 END + $2, updated_at = {now} "
        "RETURNING level",
        work.database().kind());
    transaction scope(work.database());
    const winnow::rows found =
        work.database().execute(text, {option, value(static_cast<double>(rows)), value(static_cast<double>(rate))});
    scope.commit();
    const double level = seconds(found, 0, 0);
    const double burst = static_cast<double>(std::max(rate, query_limit));
    return (level - burst) / static_cast<double>(rate);
}

/// How long a brake stays on at least.
[[nodiscard]] inline double brake_seconds(const deletion_work& work) {
    return static_cast<double>(std::max<std::int64_t>(work.with.options().integer("deletion.brake_seconds"), 1));
}

/// Asks the health query and the lag query, at most every few seconds.
inline bool is_unwell(deletion_work& work, brake_reason& why) {
    const options live = work.with.options();
    const std::int64_t pause = live.integer("deletion.brake_seconds");
    const std::chrono::microseconds now = work.with.time.now();
    if (work.health_asked.count() >= 0 && now - work.health_asked < std::chrono::seconds(pause)) return false;
    work.health_asked = now;
    why.seconds = static_cast<double>(std::max<std::int64_t>(pause, 1));
    const std::string health = live.text("deletion.health_query");
    // Somebody's SQL: it may look and change nothing, whatever it says.
    const auto ask = [&](const std::string& query) {
        const transaction looking(work.database(), transaction_kind::read);
        return work.database().execute_once(query, {});
    };
    if (!health.empty()) {
        const rows answer = ask(health);
        if (answer.empty() || answer.integer(0, 0, 0) == 0) {
            why.text = "the health query says no: " + health;
            return true;
        }
    }
    const std::string lag = live.text("deletion.lag_query");
    if (!lag.empty()) {
        const rows answer = ask(lag);
        if (answer.empty() || is_null(answer.at(0, 0))) {
            why.text = "replica not running: the lag query gives null";
            return true;
        }
        std::string text = text_of(answer.at(0, 0));
        char* end = nullptr;
        const double behind = std::strtod(text.c_str(), &end);
        if (text.empty() || *end != '\0' || behind != behind) {
            // An interval, for example; read as 0 it would never brake.
            why.text = "the lag query gives `" + text + "` and no number of seconds";
            return true;
        }
        if (behind > static_cast<double>(live.integer("deletion.lag_seconds"))) {
            why.text = "replica lag is " + text + " s";
            return true;
        }
    }
    return false;
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
    return true;
}

}  // namespace detail

/// Charges the rate limits of the models whose rows went since the last call.
inline void charge_rates(deletion_work& work) {
    work.charged.resize(work.rows.size(), 0);
    for (std::size_t model = 0; model < work.rows.size(); ++model) {
        const plan& about = work.plan_of(model);
        const std::int64_t fresh = work.rows[model] - work.charged[model];
        work.charged[model] = work.rows[model];
        if (fresh <= 0 || about.rate_limit_option.empty()) continue;
        const double wait = detail::charge_bucket(work, about.rate_limit_option, fresh, about.query_limit);
        if (wait > work.owed_seconds) {
            work.owed_seconds = wait;
            work.owed_to = about.rate_limit_option;
        }
    }
}

/// Leaves an SQLite file to others now and then: shortly and often while they write, else rarely. The file has one
/// writer and keeps no queue: who finds it taken looks again after pauses that grow to 100 ms, and with chunks
/// back to back would find it taken each time, for as long as the deletion lasts.
inline void give_way(deletion_work& work) {
    using std::chrono::milliseconds;
    if (work.database().kind() != dialect::sqlite) return;
    const std::chrono::microseconds now = work.with.time.now();
    const bool first = work.gave_way.count() == 0;
    const bool shared = now < work.shared_until;
    if (!first && now - work.gave_way < (shared ? milliseconds(100) : milliseconds(2'000))) return;
    if (!first) work.with.time.sleep(shared ? milliseconds(25) : milliseconds(100));
    work.gave_way = work.with.time.now();
    // Changes when another connection has written, and only then.
    const std::int64_t version = work.database().execute("PRAGMA data_version").integer(0, 0);
    if (!first && version != work.data_version) work.shared_until = work.gave_way + milliseconds(10'000);
    work.data_version = version;
}

/// Whether the next chunk has to wait. A short wait is slept here, between two transactions and well within
/// the lease; a longer one gives the worker back.
inline bool brake_is_on(deletion_work& work, brake_reason& why) {
    if (work.owed_seconds > 0) {
        why.seconds = work.owed_seconds;
        why.text = "rate limit " + work.owed_to;
        work.owed_seconds = 0;
        if (why.seconds > 1.0) return true;
        work.with.pause(std::chrono::microseconds(static_cast<std::int64_t>(why.seconds * 1e6)));
    }
    if (!work.outrun.empty()) {
        why.text = std::exchange(work.outrun, {});
        why.seconds = detail::brake_seconds(work);
        return true;
    }
    return detail::log_is_too_long(work, why) || detail::is_unwell(work, why);
}

}  // namespace winnow::inline v0
