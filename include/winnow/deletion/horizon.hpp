// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/deletion/brake.hpp"
#include "winnow/store/object_id.hpp"
#include "winnow/deletion/walk.hpp"
#include "winnow/deletion/work.hpp"
#include "winnow/store/horizon.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

namespace detail {

/// The mark under which the list of transactions to wait for is kept among a deletion's graves.
inline constexpr std::string_view horizon_mark = "~horizon";

/// Names of the root's external tasks that a former pass has finished.
inline std::vector<std::string> external_tasks_done(connection& database, silo where, std::int64_t id) {
    constexpr dialect_text text = {
        "SELECT substr(key, 2) FROM winnow_{silo}_scheduled_deletion s, jsonb_each_text(s.progress) WHERE s.id = $1 AND key LIKE '~%'",
        "SELECT substr(key, 2) FROM winnow_{silo}_scheduled_deletion s, json_each(s.progress) WHERE s.id = $1 AND key LIKE '~%'"};
    const rows found = database.execute(own_statement(text[database.kind()], database.kind(), where), {id});
    std::vector<std::string> names;
    for (std::size_t row = 0; row < found.size(); ++row) names.push_back(found.text(row, 0));
    return names;
}

inline bool has_graves(deletion_work& work) {
    const std::string text =
        own_statement("SELECT count(*) FROM winnow_grave WHERE guid = $1 AND model <> $2", work.database().kind());
    return work.database().execute(text, {std::string_view(work.request.guid), horizon_mark}).integer(0, 0) != 0;
}

/// The horizon of R20, kept with the graves, so that a later pass waits for the same transactions and not for newer ones.
inline std::string horizon_of_graves(deletion_work& work) {
    connection& database = work.database();
    const std::string horizon = fix_horizon(database);
    const std::string text =
        own_statement("INSERT INTO winnow_grave (guid, model, identity) VALUES ($1, $2, $3)", database.kind());
    (void)database.execute(text, {std::string_view(work.request.guid), horizon_mark, std::string_view(horizon)});
    return horizon;
}

/// Puts the removed parents of one deletion on the stack as ghosts, so that what refers to them is found by value.
inline void raise_ghosts(deletion_work& work) {
    const std::string text = own_statement(
        "SELECT model, identity FROM winnow_grave WHERE guid = $1 AND model <> $2 ORDER BY id", work.database().kind());
    const rows found = work.database().execute(text, {std::string_view(work.request.guid), horizon_mark});
    for (std::size_t row = 0; row < found.size(); ++row) {
        const std::optional<std::size_t> model = work.with.models.find(found.text(row, 0));
        if (!model) continue;
        const plan& about = work.plan_of(*model);
        std::vector<value> identity;
        const std::vector<std::optional<std::string>> parts = parts_of_id(found.text(row, 1), about.identity.size());
        for (std::size_t column = 0; column < about.identity.size() && column < parts.size(); ++column)
            identity.push_back(parts[column] ? key_part(about, about.columns[about.identity[column]], *parts[column])
                                             : value(null_value{}));
        if (work.stack.empty() || work.stack.back().parts[0].model != *model ||
            work.stack.back().parts[0].rows.size() >= 500) {
            frame ghosts;
            ghosts.ghost = true;
            ghosts.parts.push_back({*model, key_set(about.identity.size())});
            work.stack.push_back(std::move(ghosts));
        }
        work.stack.back().parts[0].rows.push_back(identity);
    }
}

/// Waits until the horizon has passed. @return false when it has not within five seconds; `brake` says for whom
inline bool await_horizon(deletion_work& work, brake_reason& brake) {
    connection& database = work.database();
    if (database.kind() == dialect::sqlite) return true;  // a stale reader cannot write there (R20)
    const std::string text =
        own_statement("SELECT identity FROM winnow_grave WHERE guid = $1 AND model = $2", database.kind());
    const rows known = database.execute(text, {std::string_view(work.request.guid), horizon_mark});
    const std::string horizon = known.empty() ? horizon_of_graves(work) : known.text(0, 0);
    std::string who;
    for (int look = 0; look < 100; ++look) {
        if (has_passed(database, horizon, who)) return true;
        if (work.with.stopping()) break;
        work.with.time.sleep(std::chrono::milliseconds(50));
    }
    brake = {"waiting for transactions that were open when the last rows went: " + who, 5, "horizon"};
    return false;
}

/// Sweeps below every removed parent once.
inline walk_end sweep_graves(deletion_work& work, brake_reason& brake) {
    raise_ghosts(work);
    std::vector<frame> ghosts = std::move(work.stack);
    for (frame& one : ghosts) {
        work.stack.clear();
        work.stack.push_back(std::move(one));
        const walk_end end = walk(work, brake);
        if (end != walk_end::done) return end;
    }
    work.stack.clear();
    return walk_end::done;
}

/// After the root is gone: where no enforced key kept late children out, waits until every transaction that
/// could not see the removal has ended, then sweeps by value until nothing is found (R6 b, R20).
inline walk_end clear_graves(deletion_work& work, brake_reason& brake) {
    const std::string forget =
        own_statement("DELETE FROM winnow_grave WHERE guid = $1 AND model = $2", work.database().kind());
    for (int round = 0; has_graves(work); ++round) {
        if (!await_horizon(work, brake)) return work.with.stopping() ? walk_end::more : walk_end::waiting;
        const std::int64_t before = work.rows_done;
        const walk_end end = sweep_graves(work, brake);
        if (end != walk_end::done || work.rows_done == before) return end;
        // What was removed now has a horizon of its own.
        (void)work.database().execute(forget, {std::string_view(work.request.guid), horizon_mark});
        if (round == 100)
            throw error(failure::blocked, std::string(work.plan_of(work.root).key) +
                                              ": rows that refer to removed parents keep arriving.")
                .with_model(work.plan_of(work.root).key);
    }
    return walk_end::done;
}

}  // namespace detail

}  // namespace winnow::inline v0
