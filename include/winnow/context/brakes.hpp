// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "winnow/context/context.hpp"
#include "winnow/context/time_windows.hpp"
#include "winnow/core/error.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/object_id.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow::inline v0 {

/// Why a piece of work waits, and for how long.
struct brake_reason {
    std::string text;  ///< one sentence without its end
    double seconds = 0;
    std::string name = {};     ///< which brake it is, in plain words: the text may differ from one look to the next
    std::string problem = {};  ///< what is broken about the brake itself; empty: nothing
};

/// Why a list of windows holds work back now, by the database's clock; nothing: it does not. `seconds` is the time until
/// it opens. What is stored and makes no sense keeps everything back and says so.
/// @param option name of the option that holds the list
[[nodiscard]] inline std::optional<brake_reason> closed_window(const context& with, std::string_view option) {
    const options live = with.options();
    const std::string list = live.text(option);
    if (list.empty()) return std::nullopt;
    const std::string zone = live.text("windows.time_zone");
    brake_reason why;
    why.name = option;
    std::string wrong;
    const time_windows windows = time_windows::parse(list, wrong);
    if (wrong.empty()) wrong = detail::wrong_time_zone(zone, with.database);
    if (!wrong.empty()) {
        why.text = "option `" + std::string(option) + "` holds no windows that can be read: " + wrong;
        why.problem = why.text;
        why.seconds = 60;
        return why;
    }
    // Local time in the zone, so that a window keeps its hours when clocks are put forward.
    constexpr dialect_text moment = {
        "SELECT ((extract(isodow FROM t) - 1) * 1440 + extract(hour FROM t) * 60 + extract(minute FROM t))::bigint "
        "FROM (SELECT clock_timestamp() AT TIME ZONE $1::text AS t) AS here",
        "SELECT (strftime('%w', 'now') + 6) % 7 * 1440 + strftime('%H', 'now') * 60 + strftime('%M', 'now') "
        "WHERE $1 = 'UTC'"};
    const auto minute = static_cast<std::size_t>(with.database.execute(moment, {std::string_view(zone)}).integer(0, 0));
    if (windows.open_at(minute)) return std::nullopt;
    const auto ahead = static_cast<std::int64_t>(windows.minutes_until_change(minute).value_or(0));
    const auto back = static_cast<std::int64_t>(windows.minutes_since_change(minute).value_or(0));
    constexpr dialect_text edges = {
        "SELECT to_char(t - $2::bigint * interval '1 minute', 'YYYY-MM-DD HH24:MI'), "
        "to_char(t + $3::bigint * interval '1 minute', 'YYYY-MM-DD HH24:MI'), "
        "extract(epoch FROM (t + $3::bigint * interval '1 minute') AT TIME ZONE $1::text - clock_timestamp())::double precision "
        "FROM (SELECT date_trunc('minute', clock_timestamp() AT TIME ZONE $1::text) AS t) AS here",
        "SELECT strftime('%Y-%m-%d %H:%M', 'now', -$2 || ' minutes'), strftime('%Y-%m-%d %H:%M', 'now', $3 || ' minutes'), "
        "$3 * 60.0 - strftime('%S', 'now') WHERE $1 = 'UTC'"};
    const rows found = with.database.execute(edges, {std::string_view(zone), back, ahead});
    why.text =
        "outside the windows " + list + " (" + zone + ") since " + found.text(0, 0) + ", until " + found.text(0, 1);
    if (const auto* seconds = std::get_if<double>(&found.at(0, 2))) why.seconds = std::max(*seconds, 1.0);
    return why;
}

/// Looks now and then at what the whole database has to say: windows, somebody's health query, replicas.
class brake_watch {
public:
    /// @param windows name of the option that holds the windows of this work
    /// @return why it has to wait, when it has to
    [[nodiscard]] std::optional<brake_reason> look(const context& with, std::string_view windows) {
        const std::int64_t pause = with.options().integer("deletion.brake_seconds");
        const clock::duration now = with.time.now();
        if (asked_.count() >= 0 && now - asked_ < std::chrono::seconds(pause)) return std::nullopt;
        asked_ = now;
        std::optional<brake_reason> why = closed_window(with, windows);
        if (!why) why = ask_health(with);
        if (!why) why = ask_lag(with);
        if (!why) why = look_at_replicas(with);
        if (!why) return why;
        // An option may open a window at any time, so nobody is sent away until it opens by itself.
        const auto least = static_cast<double>(std::max<std::int64_t>(pause, 1));
        why->seconds = why->seconds > 0 ? std::min(why->seconds, least) : least;
        return why;
    }

private:
    /// Runs somebody's SQL: it may look and change nothing, and not for longer than until it is asked again. What it
    /// cannot do is a reason to wait, and nobody's fault but its own.
    template <class Read>
    [[nodiscard]] static std::optional<brake_reason> ask(const context& with, std::string_view what,
                                                         std::string_view query, const Read& read) {
        const std::int64_t seconds = std::clamp<std::int64_t>(with.options().integer("deletion.brake_seconds"), 1, 60);
        transaction_limits limits;
        limits.statement_timeout = std::chrono::seconds(seconds);
        limits.lock_timeout = limits.statement_timeout;
        brake_reason why;
        why.name = what;
        try {
            transaction looking(with.database, transaction_kind::read, limits);
            const rows answer = with.database.execute_once(query, {});
            looking.rollback();
            why.text = read(answer);
            if (why.text.empty()) return std::nullopt;
        } catch (const error& problem) {
            if (!with.database.usable()) throw;
            const bool late = problem.sqlstate() == "57014" || problem.sqlstate() == "SQLITE_INTERRUPT";
            why.text = late ? "the " + std::string(what) + " takes longer than " + std::to_string(seconds) +
                                  " s: " + std::string(query)
                            : "the " + std::string(what) + " cannot be asked: " + problem.what();
            why.problem = why.text;
        }
        return why;
    }
    [[nodiscard]] static std::optional<brake_reason> ask_health(const context& with) {
        const std::string query = with.options().text("deletion.health_query");
        if (query.empty()) return std::nullopt;
        return ask(with, "health query", query, [&](const rows& answer) {
            const bool well = !answer.empty() && answer.width() > 0 && is_true(answer.at(0, 0));
            return well ? std::string() : "the health query says no: " + query;
        });
    }
    [[nodiscard]] static bool is_true(const value& answer) {
        if (const auto* text = std::get_if<std::string>(&answer))
            return *text == "t" || *text == "true" || *text == "1";
        if (const auto* truth = std::get_if<bool>(&answer)) return *truth;
        if (const auto* number = std::get_if<std::int64_t>(&answer)) return *number != 0;
        if (const auto* number = std::get_if<double>(&answer)) return *number != 0;
        return false;
    }
    [[nodiscard]] static std::optional<brake_reason> ask_lag(const context& with) {
        const std::string query = with.options().text("deletion.lag_query");
        if (query.empty()) return std::nullopt;
        const std::int64_t most = with.options().integer("deletion.lag_seconds");
        return ask(with, "lag query", query, [&](const rows& answer) -> std::string {
            if (answer.empty() || answer.width() == 0 || is_null(answer.at(0, 0)))
                return "replica not running: the lag query gives null";
            const std::string text = detail::text_of(answer.at(0, 0));
            char* end = nullptr;
            const double behind = std::strtod(text.c_str(), &end);
            // An interval, for example; read as 0 it would never brake.
            if (text.empty() || *end != '\0' || std::isnan(behind))
                return "the lag query gives `" + text + "` and no number of seconds";
            return behind > static_cast<double>(most) ? "replica lag is " + text + " s" : std::string();
        });
    }
    /// A replica that does not stream is behind by as much as anybody likes; one that streams and does not answer is
    /// behind by at least the time since it did.
    [[nodiscard]] static std::optional<brake_reason> look_at_replicas(const context& with) {
        const std::int64_t wanted = with.options().integer("deletion.replicas");
        if (wanted == 0 || with.database.kind() != dialect::postgres) return std::nullopt;
        const std::int64_t most = with.options().integer("deletion.lag_seconds");
        constexpr std::string_view query =
            "SELECT count(*) FILTER (WHERE state = 'streaming'), count(*) FILTER (WHERE state IS NULL), "
            "coalesce(max(behind) FILTER (WHERE state = 'streaming'), 0)::bigint, "
            "(array_agg(application_name ORDER BY behind DESC NULLS LAST) FILTER (WHERE state = 'streaming'))[1] FROM "
            "(SELECT state, application_name, greatest(extract(epoch FROM replay_lag), CASE WHEN replay_lsn < "
            "pg_current_wal_lsn() THEN extract(epoch FROM clock_timestamp() - reply_time) END) AS behind "
            "FROM pg_stat_replication) AS replica";
        return ask(with, "state of the replicas", query, [&](const rows& answer) -> std::string {
            if (answer.integer(0, 1) > 0)
                return "this role may not see how far the replicas are: GRANT pg_read_all_stats to it";
            if (answer.integer(0, 0) < wanted)
                return std::to_string(answer.integer(0, 0)) + " of " + std::to_string(wanted) +
                       " replicas stream; one that has stopped counts as lagging";
            if (answer.integer(0, 2) > most)
                return "replica lag is " + std::to_string(answer.integer(0, 2)) + " s (" + answer.text(0, 3) + ")";
            return {};
        });
    }

    clock::duration asked_{-1};
};

}  // namespace winnow::inline v0
