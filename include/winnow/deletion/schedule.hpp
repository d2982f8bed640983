// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/context/produce.hpp"
#include "winnow/context/context.hpp"
#include "winnow/core/json.hpp"
#include "winnow/deletion/audit.hpp"
#include "winnow/store/object_id.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/store/live_schema.hpp"
#include "winnow/store/own_statement.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow::inline v0 {

/// The extra token that a deletion without any grace period asks for.
struct purge_permit {
    explicit purge_permit() = default;
};
inline constexpr purge_permit permit_purge{};

/// When and how an object is to be deleted.
struct schedule_options {
    int days = 30;
    int hours = 0;
    std::string_view data = "{}";  ///< JSON, handed to hooks
    std::optional<std::int64_t> actor = std::nullopt;
    std::string_view batch = {};  ///< objects scheduled under one batch are listed, paused and cancelled together
    bool confirmed = false;       ///< may exceed `deletion.max_rows`
    std::optional<purge_permit> permit = std::nullopt;  ///< needed when days and hours are both 0
};

/// What `schedule` did.
struct scheduled_deletion {
    std::string guid;
    std::string date_scheduled;  ///< UTC
    bool moved = false;          ///< it was scheduled already; date, data and actor were replaced
};

namespace detail {

/// 32 hexadecimal digits, 128 random bits.
[[nodiscard]] inline std::string new_guid() {
    std::random_device source;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (int word = 0; word < 4; ++word) {
        std::uint32_t bits = source();
        for (int digit = 0; digit < 8; ++digit, bits >>= 4U) text += digits[bits & 15U];
    }
    return text;
}

/// A freed id may be given to another row before a delayed deletion runs, which would then delete a stranger (R22).
inline void require_lasting_identity(const context& with, std::size_t model, const schedule_options& how) {
    const plan& about = with.models[model];
    if (with.database.kind() != dialect::sqlite || about.birth >= 0 || (how.days == 0 && how.hours == 0)) return;
    const std::array<table_name, 1> wanted{table_of(about, dialect::sqlite)};
    const schema_facts live = inspect(with.database, wanted);
    const table_facts* table = live.find(wanted[0]);
    if (table == nullptr || !table->rowid_key || table->autoincrement) return;
    throw error(failure::refused, std::string(about.key) + ": SQLite may give a freed id of " + wanted[0].text() +
                                      " to another row before the deletion is due; nothing was scheduled.")
        .with_model(about.key)
        .with_table(wanted[0].text())
        .with_hint("Make its key AUTOINCREMENT, declare `birth`, or schedule without delay.");
}

inline scheduled_deletion schedule_row(const context& with, std::size_t model, std::span<const value> key,
                                       const schedule_options& how) {
    const plan& about = with.models[model];
    connection& database = with.database;
    key_set keys(key.size());
    keys.push_back(key);
    const std::string object_id = object_id_of(key);

    const rows object = database.execute(about.statements.hold, {keys});
    if (object.empty())
        throw error(failure::not_found,
                    std::string(about.key) + " " + object_id + " does not exist; nothing was scheduled.")
            .with_model(about.key);
    value birth = null_value{};
    if (about.birth >= 0) birth = text_of(object.at(0, static_cast<std::size_t>(about.birth)));
    if (about.status &&
        object.integer(0, static_cast<std::size_t>(about.status.index), about.status.active) == about.status.active)
        mark_rows(with, about, about.status.pending, keys);

    const auto [app, name] = split_key(about.key);
    for (const std::string_view old : scheduled_keys_of(with, model)) {
        if (old == about.key) continue;
        const auto [old_app, old_name] = split_key(old);
        const std::string adopt = own_statement(
            "UPDATE winnow_{silo}_scheduled_deletion SET app_label = $1, model_name = $2 WHERE app_label = $3 AND model_name = $4 AND "
            "object_id = $5 AND NOT EXISTS (SELECT 1 FROM winnow_{silo}_scheduled_deletion s WHERE s.app_label = $1 AND "
            "s.model_name = $2 AND s.object_id = $5)",
            database.kind(), about.silo);
        (void)database.execute(adopt, {std::string_view(app), std::string_view(name), std::string_view(old_app),
                                       std::string_view(old_name), std::string_view(object_id)});
    }
    const std::string guid = new_guid();
    const std::string text = own_statement(
        "INSERT INTO winnow_{silo}_scheduled_deletion AS s (guid, app_label, model_name, object_id, birth, date_scheduled, actor_id, "
        "data, batch_id, confirmed) VALUES ($1, $2, $3, $4, $5, {after $6}, $7, $8, $9, $10) "
        "ON CONFLICT (app_label, model_name, object_id) DO UPDATE SET date_scheduled = excluded.date_scheduled, "
        "data = excluded.data, actor_id = excluded.actor_id, batch_id = excluded.batch_id, birth = excluded.birth, "
        "confirmed = s.confirmed OR excluded.confirmed, wait_until = NULL, attempts = 0, "
        "state = CASE WHEN s.in_progress THEN s.state ELSE 'scheduled' END "
        "RETURNING id, guid, {iso date_scheduled}",
        database.kind(), about.silo);
    const std::int64_t seconds = (std::int64_t{how.days} * 24 + how.hours) * 3600;
    const rows written = database.execute(
        text, {std::string_view(guid), std::string_view(app), std::string_view(name), std::string_view(object_id),
               birth, value(static_cast<double>(seconds)), how.actor ? value(*how.actor) : value(null_value{}),
               how.data, how.batch.empty() ? value(null_value{}) : value(std::string(how.batch)), how.confirmed});
    scheduled_deletion done{written.text(0, 1), written.text(0, 2), written.text(0, 1) != guid};
    deletion_request row;
    row.id = written.integer(0, 0);
    row.silo = about.silo;
    record_audit(database, done.moved ? "rescheduled" : "scheduled", row, with.actor, "due " + done.date_scheduled);
    with.watch.log(log_level::info, done.moved ? "deletion rescheduled" : "deletion scheduled",
                   {{"transaction_id", done.guid},
                    {"model", about.key},
                    {"object_id", object_id},
                    {"date_scheduled", done.date_scheduled}});
    return done;
}

/// Refuses options that no schedule can have, before anything is written.
inline void check_options(const schedule_options& how) {
    if (!is_json(how.data))
        throw error(failure::usage, "The data of a deletion must be a JSON document, not `" +
                                        std::string(how.data.substr(0, 200)) + "`; nothing was scheduled.")
            .with_hint(R"(Write for example {"reason": "closed"}.)");
    if (how.days < 0 || how.hours < 0)
        throw error(failure::usage, "A deletion cannot be scheduled in the past: days and hours must not be negative.");
    if (how.days == 0 && how.hours == 0 && !how.permit)
        throw error(failure::refused, "A deletion without any grace period needs a permit; nothing was scheduled.")
            .with_hint("Pass `.permit = winnow::permit_purge`, or give it days or hours.");
}

}  // namespace detail

/// Schedules one object for deletion, or moves an existing schedule: never a second row for one object.
/// Where the model has a status, an active object becomes pending in the same transaction. Joins the
/// caller's transaction when one is open on the connection.
/// @param model index in the catalog
/// @param key primary key of the object
/// @throws availability_error when the silo mode does not reach the model's silo
/// @throws error of kind `not_found` without such an object, `refused` without grace and permit; nothing is written
inline scheduled_deletion schedule(const context& with, std::size_t model, std::span<const value> key,
                                   const schedule_options& how = {}) {
    with.require_reachable(model);
    detail::check_options(how);
    detail::require_lasting_identity(with, model, how);
    detail::joined_transaction scope(with.database);
    scheduled_deletion done = detail::schedule_row(with, model, key, how);
    scope.commit();
    return done;
}

/// Schedules several objects of one model under one batch, all or none.
/// @return the batch id; a new one when `how.batch` is empty
/// @throws error of kind `refused` when there are more than the option `deletion.max_objects` allows
inline std::string schedule_many(const context& with, std::size_t model, const key_set& keys,
                                 schedule_options how = {}) {
    with.require_reachable(model);
    detail::check_options(how);
    const std::int64_t cap = with.options().integer("deletion.max_objects");
    if (static_cast<std::int64_t>(keys.size()) > cap)
        throw error(failure::refused, std::to_string(keys.size()) + " objects of " +
                                          std::string(with.models[model].key) + " in one call are over the cap of " +
                                          std::to_string(cap) + "; nothing was scheduled.")
            .with_model(with.models[model].key)
            .with_hint("Schedule fewer at a time, or raise the option `deletion.max_objects`.");
    detail::require_lasting_identity(with, model, how);
    const std::string batch = how.batch.empty() ? detail::new_guid() : std::string(how.batch);
    how.batch = batch;
    detail::joined_transaction scope(with.database);
    for (std::size_t row = 0; row < keys.size(); ++row) (void)detail::schedule_row(with, model, keys[row], how);
    scope.commit();
    return batch;
}

}  // namespace winnow::inline v0
