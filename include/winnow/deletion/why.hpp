// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/context/brakes.hpp"
#include "winnow/context/context.hpp"
#include "winnow/deletion/audit.hpp"
#include "winnow/deletion/control.hpp"
#include "winnow/store/object_id.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

namespace detail {

inline std::string rounded(double seconds) {
    const auto whole = static_cast<std::int64_t>(seconds < 0 ? 0 : seconds);
    if (whole < 120) return std::to_string(whole) + " s";
    if (whole < 7'200) return std::to_string(whole / 60) + " min";
    if (whole < 172'800) return std::to_string(whole / 3'600) + " h";
    return std::to_string(whole / 86'400) + " days";
}

/// Who paused this deletion and how, or nothing.
inline std::string pause_of(const context& with, const deletion_request& about) {
    if (about.paused_by) return "paused by " + *about.paused_by;
    const std::string text = own_statement(
        "SELECT scope, paused_by, {iso paused_at}, name FROM winnow_pause WHERE scope = 'all' "
        "OR (scope = 'model' AND (name = $1 OR name = $2)) OR (scope = 'batch' AND name = $3) ORDER BY scope LIMIT 1",
        with.database.kind());
    const std::optional<std::size_t> model = with.find_scheduled(about.model);
    const rows found =
        with.database.execute(text, {std::string_view(about.model), model ? with.models[*model].key : about.model,
                                     std::string_view(about.batch.value_or(""))});
    if (found.empty()) return {};
    const std::string scope = found.text(0, 0);
    const std::string what = scope == "all"     ? "all deletions are"
                             : scope == "model" ? "deletions of " + found.text(0, 3) + " are"
                                                : "its batch is";
    return what + " paused by " + found.text(0, 1) + " since " + found.text(0, 2) + " UTC";
}

}  // namespace detail

/// Why a scheduled deletion has not ended yet, in one sentence.
[[nodiscard]] inline std::string why_not_gone(const context& with, const deletion_request& about) {
    const std::string name = about.model + " " + about.object_id;
    if (about.state == "failed")
        return name + " failed after " + std::to_string(about.attempts) + " attempts: " + about.last_error;
    if (about.state == "blocked") return name + " is blocked: " + about.state_detail;
    if (about.state == "unconfirmed") return name + " waits for a confirmation: " + about.state_detail;
    if (const std::string pause = detail::pause_of(with, about); !pause.empty()) return name + ": " + pause + ".";
    if (about.in_progress && about.lease_seconds_left >= 0)
        return name + " is being deleted by " + about.lease_owner + "; " + std::to_string(about.rows_done) +
               " rows are gone.";
    if (about.in_progress)
        return name + " was being deleted by " + about.lease_owner + ", which has been silent for " +
               detail::rounded(-about.lease_seconds_left) + " since its lease ran out; the next worker takes it.";
    if (!with.find_scheduled(about.model)) return name + " waits: " + unknown_model_text(about.model) + ".";
    if (about.seconds_until_due > 0)
        return name + " is not due before " + about.date_scheduled + " UTC, in " +
               detail::rounded(about.seconds_until_due) + ".";
    if (const std::optional<brake_reason> closed = closed_window(with, "deletion.windows"))
        return name + " waits for another " + detail::rounded(closed->seconds) + ": " + closed->text + ".";
    if (about.seconds_to_wait > 0)
        return name + " waits for another " + detail::rounded(about.seconds_to_wait) + ", since " + about.state_since +
               " UTC: " + about.state_detail;
    return name + " is due and waits for a worker" + (about.state_detail.empty() ? "." : ": " + about.state_detail);
}

/// The same for an object, whether anything is scheduled or not.
[[nodiscard]] inline std::string why_not_gone(const context& with, std::size_t model, std::span<const value> key) {
    with.require_reachable(model);
    const plan& about = with.models[model];
    const std::vector<deletion_request> found = detail::requests_of(with, model, key);
    if (!found.empty()) return why_not_gone(with, found.front());
    const std::string id = object_id_of(key);
    const std::vector<audit_entry> past = list_audit(with.database, about.key, id);
    const std::string name = std::string(about.key) + " " + id;
    if (past.empty()) return name + " is not scheduled for deletion.";
    const audit_entry& last = past.back();
    std::string text =
        name + " is not scheduled; its last deletion was " + last.action + " at " + last.happened_at + " UTC";
    if (!last.detail.empty()) text += " (" + last.detail + ")";
    return text + ".";
}

}  // namespace winnow::inline v0
