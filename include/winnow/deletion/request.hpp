// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/store/object_id.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

/// Rows gone so far, by key of the model.
using row_counts = std::vector<std::pair<std::string, std::int64_t>>;

/// One scheduled deletion, as its row says.
struct deletion_request {
    std::int64_t id = 0;
    winnow::silo silo = winnow::silo::cell;
    std::string guid;   ///< 32 hexadecimal digits; the transaction id in every log line
    std::string model;  ///< key, `app.Model`
    std::string object_id;
    std::optional<std::string> birth;
    std::string date_added;      ///< UTC, `YYYY-MM-DD HH:MM:SS.mmm`
    std::string date_scheduled;  ///< the same
    double seconds_until_due = 0;
    std::optional<std::int64_t> actor;
    std::string data = "{}";
    std::optional<std::string> batch;
    bool confirmed = false;
    bool in_progress = false;
    bool signalled = false;
    std::optional<std::string> paused_by;
    /// scheduled, running, waiting, failed, blocked or unconfirmed
    std::string state;
    std::string state_detail;
    std::string state_since;
    double seconds_to_wait = 0;  ///< until it may run again; not positive: now
    int attempts = 0;
    std::string last_error;
    std::string lease_owner;
    std::int64_t lease_token = 0;
    double lease_seconds_left = 0;
    double seconds_running = 0;
    std::int64_t rows_done = 0;
    std::optional<std::int64_t> rows_total;
};

/// Why a deletion waits whose model is not there: that of a plugin which is not loaded.
[[nodiscard]] inline std::string unknown_model_text(std::string_view key) {
    return "no loaded model has the key " + std::string(key) + "; load the plugin or link the library that brings it";
}

namespace detail {

/// What several connections removed together is counted on the rows of their lanes until it is added up.
inline constexpr std::string_view request_columns =
    "id, guid, app_label, model_name, object_id, birth, {iso date_added}, {iso date_scheduled}, -{since date_scheduled}, "
    "actor_id, {json data}, batch_id, confirmed, in_progress, signalled, paused_by, state, state_detail, "
    "{iso state_since}, coalesce(-{since wait_until}, 0), attempts, last_error, lease_owner, lease_token, "
    "coalesce(-{since lease_expires_at}, 0), coalesce({since started_at}, 0), "
    "rows_done + coalesce((SELECT CAST(sum(l.rows_done) AS bigint) FROM winnow_{silo}_deletion_lane l WHERE "
    "l.deletion_guid = guid), 0), rows_total";

inline std::optional<std::string> optional_text(const rows& from, std::size_t row, std::size_t at) {
    if (is_null(from.at(row, at))) return std::nullopt;
    return from.text(row, at);
}
inline std::optional<std::int64_t> optional_integer(const rows& from, std::size_t row, std::size_t at) {
    if (is_null(from.at(row, at))) return std::nullopt;
    return from.integer(row, at);
}
inline double seconds(const rows& from, std::size_t row, std::size_t at) {
    if (const auto* number = std::get_if<double>(&from.at(row, at))) return *number;
    return static_cast<double>(from.integer(row, at));
}

inline deletion_request request_of(const rows& from, std::size_t row, silo where) {
    deletion_request one;
    one.silo = where;
    one.id = from.integer(row, 0);
    one.guid = from.text(row, 1);
    one.model = from.text(row, 2) + "." + from.text(row, 3);
    one.object_id = from.text(row, 4);
    one.birth = optional_text(from, row, 5);
    one.date_added = from.text(row, 6);
    one.date_scheduled = from.text(row, 7);
    one.seconds_until_due = seconds(from, row, 8);
    one.actor = optional_integer(from, row, 9);
    one.data = from.text(row, 10);
    one.batch = optional_text(from, row, 11);
    one.confirmed = from.integer(row, 12) != 0;
    one.in_progress = from.integer(row, 13) != 0;
    one.signalled = from.integer(row, 14) != 0;
    one.paused_by = optional_text(from, row, 15);
    one.state = from.text(row, 16);
    one.state_detail = from.text(row, 17);
    one.state_since = from.text(row, 18);
    one.seconds_to_wait = seconds(from, row, 19);
    one.attempts = static_cast<int>(from.integer(row, 20));
    one.last_error = from.text(row, 21);
    one.lease_owner = from.text(row, 22);
    one.lease_token = from.integer(row, 23);
    one.lease_seconds_left = seconds(from, row, 24);
    one.seconds_running = seconds(from, row, 25);
    one.rows_done = from.integer(row, 26);
    one.rows_total = optional_integer(from, row, 27);
    return one;
}

/// Splits `app.Model`. Precondition: the key is in a catalog or came from a row.
inline std::pair<std::string, std::string> split_key(std::string_view key) {
    const std::size_t dot = key.find('.');
    return {std::string(key.substr(0, dot)),
            std::string(dot == std::string_view::npos ? std::string_view() : key.substr(dot + 1))};
}

/// Keys under which a model may have been scheduled: its own, and those that it had before.
inline std::vector<std::string_view> scheduled_keys_of(const context& with, std::size_t model) {
    std::vector<std::string_view> keys{with.models[model].key};
    for (const relocation& one : with.relocated)
        if (with.find_scheduled(one.from) == model && one.from != keys.front()) keys.push_back(one.from);
    return keys;
}

}  // namespace detail

/// Which scheduled deletions a listing is about; empty members do not restrict it.
struct request_filter {
    std::string_view model = {};  ///< key
    std::string_view object_id = {};
    std::string_view batch = {};
    std::string_view state = {};
    std::string_view guid = {};
    std::int64_t limit = 1000;
    std::int64_t after_id = 0;  ///< rows with a greater id only: how a caller pages
};

/// Scheduled deletions of one silo, in the order of their ids. At most `limit` of them.
[[nodiscard]] inline std::vector<deletion_request> list_requests(connection& database, silo where,
                                                                 const request_filter& only = {}) {
    const auto [app, model] = detail::split_key(only.model);
    const std::string text = own_statement(
        "SELECT " + std::string(detail::request_columns) +
            " FROM winnow_{silo}_scheduled_deletion WHERE ($1 = '' OR app_label = $1) AND ($2 = '' OR model_name = $2) "
            "AND ($3 = '' OR object_id = $3) AND ($4 = '' OR batch_id = $4) AND ($5 = '' OR state = $5) "
            "AND ($6 = '' OR guid = $6) AND id > $7 ORDER BY id LIMIT $8",
        database.kind(), where);
    const rows found = database.execute(text, {std::string_view(app), std::string_view(model), only.object_id,
                                               only.batch, only.state, only.guid, only.after_id, only.limit});
    std::vector<deletion_request> list;
    for (std::size_t row = 0; row < found.size(); ++row) list.push_back(detail::request_of(found, row, where));
    return list;
}

/// Rows gone so far of one scheduled deletion, by model.
[[nodiscard]] inline row_counts counts_of(connection& database, silo where, std::int64_t id) {
    constexpr dialect_text text = {
        "SELECT key, sum(value::bigint)::bigint FROM (SELECT progress FROM winnow_{silo}_scheduled_deletion WHERE id = $1 UNION ALL "
        "SELECT l.progress FROM winnow_{silo}_deletion_lane l JOIN winnow_{silo}_scheduled_deletion s ON s.guid = l.deletion_guid "
        "WHERE s.id = $1) p, jsonb_each_text(p.progress) WHERE key NOT LIKE '~%' AND key NOT LIKE '#%' GROUP BY key ORDER BY key",
        "SELECT key, value FROM winnow_{silo}_scheduled_deletion s, json_each(s.progress) WHERE s.id = $1 AND key NOT LIKE '~%' AND key NOT LIKE '#%' ORDER BY key"};
    const std::string statement = own_statement(text[database.kind()], database.kind(), where);
    const rows found = database.execute(statement, {id});
    row_counts counts;
    for (std::size_t row = 0; row < found.size(); ++row) counts.emplace_back(found.text(row, 0), found.integer(row, 1));
    return counts;
}

/// The brake that a scheduled deletion was last put down for, if no row has gone since.
struct held_brake {
    std::string name;   ///< empty: none
    std::string since;  ///< UTC
};

/// Reads it from the row.
[[nodiscard]] inline held_brake brake_of(connection& database, silo where, std::int64_t id) {
    constexpr dialect_text text = {
        "SELECT progress #>> '{#brake,name}', progress #>> '{#brake,since}' FROM winnow_{silo}_scheduled_deletion WHERE id = $1",
        "SELECT json_extract(progress, '$.\"#brake\".name'), json_extract(progress, '$.\"#brake\".since') FROM winnow_{silo}_scheduled_deletion WHERE id = $1"};
    const rows found = database.execute(own_statement(text[database.kind()], database.kind(), where), {id});
    if (found.empty() || is_null(found.at(0, 0)) || is_null(found.at(0, 1))) return {};
    return {found.text(0, 0), found.text(0, 1)};
}

/// Chunk sizes that former passes of one scheduled deletion fitted, by model.
[[nodiscard]] inline row_counts fitted_chunks_of(connection& database, silo where, std::int64_t id) {
    constexpr dialect_text text = {
        "SELECT key, value::bigint FROM winnow_{silo}_scheduled_deletion s, jsonb_each_text(s.progress -> '#chunk') WHERE s.id = $1",
        "SELECT key, value FROM winnow_{silo}_scheduled_deletion s, json_each(s.progress, '$.\"#chunk\"') WHERE s.id = $1"};
    const rows found = database.execute(own_statement(text[database.kind()], database.kind(), where), {id});
    row_counts sizes;
    for (std::size_t row = 0; row < found.size(); ++row) sizes.emplace_back(found.text(row, 0), found.integer(row, 1));
    return sizes;
}

}  // namespace winnow::inline v0
