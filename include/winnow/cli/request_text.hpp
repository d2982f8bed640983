// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/cli/json.hpp"
#include "winnow/cli/text.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0::cli {

/// A pause of everything, of a model or of a batch.
struct pause_entry {
    std::string scope;  ///< all, model or batch
    std::string name;   ///< key of the model or id of the batch
    std::string by;
    std::string at;  ///< UTC
};

/// All pauses but those of single objects.
[[nodiscard]] inline std::vector<pause_entry> list_pauses(connection& database) {
    const std::string text = own_statement(
        "SELECT scope, name, paused_by, {iso paused_at} FROM winnow_pause ORDER BY scope, name", database.kind());
    const rows found = database.execute(text);
    std::vector<pause_entry> list;
    for (std::size_t row = 0; row < found.size(); ++row) {
        list.push_back({found.text(row, 0), found.text(row, 1), found.text(row, 2), found.text(row, 3)});
    }
    return list;
}

/// Who paused a deletion, itself or by its batch, its model or everything; nothing when it is not paused.
[[nodiscard]] inline std::optional<std::string> paused_by(const deletion_request& one,
                                                          const std::vector<pause_entry>& pauses) {
    if (one.paused_by) return one.paused_by;
    for (const pause_entry& pause : pauses) {
        const bool hit = pause.scope == "all" || (pause.scope == "model" && pause.name == one.model) ||
                         (pause.scope == "batch" && one.batch && pause.name == *one.batch);
        if (hit) return pause.by;
    }
    return std::nullopt;
}

/// The state for people and filters: that of the row, or `paused`.
[[nodiscard]] inline std::string shown_state(const deletion_request& one, const std::vector<pause_entry>& pauses) {
    if (one.state == "failed" || one.state == "blocked" || one.state == "unconfirmed") return one.state;
    return paused_by(one, pauses) ? "paused" : one.state;
}

/// When it goes on by itself, in a few words.
[[nodiscard]] inline std::string when_text(const deletion_request& one) {
    const double seconds = one.seconds_until_due > one.seconds_to_wait ? one.seconds_until_due : one.seconds_to_wait;
    if (one.in_progress) return "running";
    if (one.state == "failed" || one.state == "blocked" || one.state == "unconfirmed") return "";
    return seconds <= 0 ? "due" : "in " + duration_text(seconds);
}

/// Rows gone, of how many.
[[nodiscard]] inline std::string progress_text(const deletion_request& one) {
    if (one.rows_done == 0 && !one.rows_total) return "";
    return std::to_string(one.rows_done) + (one.rows_total ? " of " + std::to_string(*one.rows_total) : "");
}

/// Why it is in its state, in a few words.
[[nodiscard]] inline std::string detail_text(const deletion_request& one, const std::vector<pause_entry>& pauses) {
    if (shown_state(one, pauses) == "paused") return "by " + *paused_by(one, pauses);
    if (!one.state_detail.empty()) return one.state_detail;
    return one.in_progress ? "by " + one.lease_owner : "";
}

/// Rows per second since its first pass began; null while it is not running.
[[nodiscard]] inline json rate_of(const deletion_request& one) {
    if (!one.in_progress || one.seconds_running <= 0) return nullptr;
    return static_cast<double>(one.rows_done) / one.seconds_running;
}

/// How long it takes at that rate; null when that is not known.
[[nodiscard]] inline json seconds_left_of(const deletion_request& one) {
    const json rate = rate_of(one);
    if (rate.is_null() || !one.rows_total || rate.get<double>() <= 0) return nullptr;
    return static_cast<double>(std::max<std::int64_t>(0, *one.rows_total - one.rows_done)) / rate.get<double>();
}

/// One scheduled deletion as `--json` shows it.
[[nodiscard]] inline json request_json(const deletion_request& one, const std::vector<pause_entry>& pauses) {
    const std::optional<std::string> by = paused_by(one, pauses);
    return {{"model", one.model},
            {"id", one.object_id},
            {"guid", one.guid},
            {"silo", std::string(name_of(one.silo))},
            {"state", shown_state(one, pauses)},
            {"detail", text_or_null(one.state_detail)},
            {"date_added", one.date_added},
            {"date_scheduled", one.date_scheduled},
            {"seconds_until_due", one.seconds_until_due},
            {"seconds_to_wait", one.seconds_to_wait},
            {"batch", one.batch ? json(*one.batch) : json(nullptr)},
            {"actor_id", one.actor ? json(*one.actor) : json(nullptr)},
            {"data", stored_json(one.data)},
            {"confirmed", one.confirmed},
            {"paused_by", by ? json(*by) : json(nullptr)},
            {"attempts", one.attempts},
            {"last_error", text_or_null(one.last_error)},
            {"worker", text_or_null(one.lease_owner)},
            {"rows_done", one.rows_done},
            {"rows_total", one.rows_total ? json(*one.rows_total) : json(nullptr)},
            {"rows_per_second", rate_of(one)},
            {"seconds_left", seconds_left_of(one)},
            {"state_since", one.state_since},
            {"lease_seconds_left", one.in_progress ? json(one.lease_seconds_left) : json(nullptr)}};
}

}  // namespace winnow::inline v0::cli
