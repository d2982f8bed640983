// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/deletion/request.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

/// One line of the audit. It outlives the object and the scheduled row.
struct audit_entry {
    std::string happened_at;  ///< UTC
    std::string
        action;  ///< scheduled, rescheduled, confirmed, cancelled, paused, resumed, started, failed, blocked, dropped, completed
    std::string guid;
    std::string batch;
    std::string model;
    std::string object_id;
    std::string actor;
    std::string detail;
    std::int64_t rows_done = 0;
    std::string progress;  ///< JSON, rows by model
};

/// Writes one line about a scheduled deletion, in the caller's transaction, with the counts its row has now.
inline void record_audit(connection& database, std::string_view action, const deletion_request& about,
                         std::string_view actor, std::string_view detail) {
    // Without chunk sizes and brakes, which are of no interest afterwards; they stand last.
    constexpr dialect_text counts = {
        "progress - '#chunk' - '#brake'",
        "CASE WHEN instr(progress, ', \"#') > 0 THEN substr(progress, 1, instr(progress, ', \"#') - 1) || char(125) "
        "WHEN instr(progress, '\"#') > 0 THEN char(123, 125) ELSE progress END"};
    const std::string text = own_statement(
        "INSERT INTO winnow_audit (action, guid, batch_id, model, object_id, actor_id, actor, detail, rows_done, progress) "
        "SELECT $1, guid, batch_id, app_label || '.' || model_name, object_id, actor_id, $2, $3, rows_done, " +
            std::string(counts[database.kind()]) + " FROM winnow_{silo}_scheduled_deletion WHERE id = $4",
        database.kind(), about.silo);
    (void)database.execute(text, {action, actor, detail, about.id});
}

/// The audit of one object, oldest first; of everything when both texts are empty.
[[nodiscard]] inline std::vector<audit_entry> list_audit(connection& database, std::string_view model,
                                                         std::string_view object_id, std::int64_t limit = 1000) {
    const std::string text = own_statement(
        "SELECT {iso happened_at}, action, coalesce(guid, ''), coalesce(batch_id, ''), coalesce(model, ''), "
        "coalesce(object_id, ''), coalesce(actor, ''), coalesce(detail, ''), coalesce(rows_done, 0), coalesce({json progress}, '{}') "
        "FROM winnow_audit WHERE ($1 = '' OR model = $1) AND ($2 = '' OR object_id = $2) ORDER BY id LIMIT $3",
        database.kind());
    const rows found = database.execute(text, {model, object_id, limit});
    std::vector<audit_entry> list;
    for (std::size_t row = 0; row < found.size(); ++row)
        list.push_back({found.text(row, 0), found.text(row, 1), found.text(row, 2), found.text(row, 3),
                        found.text(row, 4), found.text(row, 5), found.text(row, 6), found.text(row, 7),
                        found.integer(row, 8), found.text(row, 9)});
    return list;
}

}  // namespace winnow::inline v0
