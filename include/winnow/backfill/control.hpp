// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/backfill/gate.hpp"
#include "winnow/backfill/mirror.hpp"
#include "winnow/backfill/record.hpp"
#include "winnow/context/context.hpp"
#include "winnow/core/error.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow::inline v0 {

namespace detail {

/// The plan of a replicated model that this process may work on.
inline const plan& replicated_model(const context& with, std::string_view key) {
    const plan& of = with.models[with.reachable(key)];
    if (of.replication == nullptr)
        throw error(failure::usage, "Rows of " + std::string(key) + " are not copied: there is nothing to backfill.")
            .with_model(key)
            .with_hint("`replication` of winnow::model says what is copied.");
    return of;
}

}  // namespace detail

/// Holds the backfill of a model, from the next batch on, until it is resumed; also one that has not begun.
/// @return whether it was not paused before
/// @throws error of kind `usage` for a model that is not replicated, `not_found` for an unknown key
inline bool pause_backfill(const context& with, std::string_view key) {
    const plan& of = detail::replicated_model(with, key);
    const std::string table = replicated_table(of, with.database.kind());
    transaction scope(with.database);
    const std::vector<std::string> targets = backfill_targets(with, of, table);
    for (const std::string& target : targets) {
        backfill_record blank;
        blank.target = target;
        (void)detail::insert_backfill(with.database, of.silo, table, blank);
    }
    const std::string text = own_statement(
        "UPDATE winnow_{silo}_backfill SET paused_by = $1, paused_at = {now} WHERE table_name = $2 AND paused_by IS NULL",
        with.database.kind(), of.silo);
    const std::int64_t changed = with.database.execute(text, {with.actor, std::string_view(table)}).affected();
    scope.commit();
    return changed != 0;
}

/// Lets a paused backfill go on from where it stopped.
/// @return whether it was paused
inline bool resume_backfill(const context& with, std::string_view key) {
    const plan& of = detail::replicated_model(with, key);
    const std::string table = replicated_table(of, with.database.kind());
    const std::string text = own_statement(
        "UPDATE winnow_{silo}_backfill SET paused_by = NULL, paused_at = NULL WHERE table_name = $1 AND paused_by IS "
        "NOT NULL",
        with.database.kind(), of.silo);
    return with.database.execute(text, {std::string_view(table)}).affected() != 0;
}

/// Announces the version that the gate allows again, whatever was done of it: all rows get their messages once more,
/// beginning with the next run. Also how one goes back to a lower version after the gate was lowered.
/// @param forced the coded version, whatever the option says
/// @return the version
/// @throws error of kind `refused` when the gate is closed
inline std::int64_t restart_backfill(const context& with, std::string_view key, bool forced = false) {
    const plan& of = detail::replicated_model(with, key);
    const std::string table = replicated_table(of, with.database.kind());
    transaction scope(with.database);
    std::vector<backfill_record> records = read_backfill(with.database, of.silo, table, true);
    const std::vector<std::string> targets = backfill_targets(with, of, table);
    const backfill_gate gate = read_gate(with, of, table, forced);
    if (gate.effective() < 1)
        throw error(failure::refused,
                    "The backfill of " + std::string(key) + " was not begun again: " + why_closed(gate, table) + ".")
            .with_model(key)
            .with_hint("`options set " + replication_version_option(table) + " " + std::to_string(gate.coded) + "`");
    for (const std::string& target : targets) {
        backfill_record made;
        made.target = target;
        made.stage = backfill_stage::announced;
        made.version = gate.effective();
        made.fingerprint = backfill_fingerprint(*of.replication);
        const auto found = std::find_if(records.begin(), records.end(),
                                        [&](const backfill_record& one) { return one.target == target; });
        if (found == records.end()) {
            (void)detail::insert_backfill(with.database, of.silo, table, made);
            continue;
        }
        made.horizon = detail::horizon_when_announced(*found);
        (void)detail::exchange_backfill(with.database, of.silo, table, *found, made, true);
    }
    scope.commit();
    with.watch.log(log_level::info, "a backfill begins again",
                   {{"model", key}, {"version", std::to_string(gate.effective())}, {"actor", with.actor}});
    backfill_mirror(with).restart(of.silo, table, targets);
    return gate.effective();
}

}  // namespace winnow::inline v0
