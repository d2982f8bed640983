// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/context/produce.hpp"
#include "winnow/core/error.hpp"
#include "winnow/deletion/chunk.hpp"
#include "winnow/deletion/path.hpp"
#include "winnow/deletion/row_refusal.hpp"
#include "winnow/deletion/user_code.hpp"
#include "winnow/deletion/work.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

namespace detail {

[[noreturn]] inline void rows_will_not_go(const deletion_work& work, std::size_t model, std::int64_t asked,
                                          std::string_view first) {
    const plan& about = work.plan_of(model);
    const std::string table(about.table[work.database().kind()]);
    const std::string& triggers = work.facts.tables[model].keeper_names;
    throw error(
        failure::blocked,
        std::string(about.key) + ": " + std::to_string(asked) + (asked == 1 ? " row was" : " rows were") +
            " asked to go and stayed, first id " + std::string(first) + ". " +
            (triggers.empty() ? "No trigger of " + table + " is known to keep rows; look for rules and policies."
                              : "Trigger " + triggers + " keeps them."))
        .with_model(about.key)
        .with_table(table)
        .with_hint("Change the trigger, or declare the model as one that is not deleted; then `deletions retry`.");
}

/// As many rows arrive as go: a live writer, which the deletion must not race for ever and must not be stopped by (R19).
/// It waits as for a brake, says why, and then goes on.
inline void outrun_by_writers(deletion_work& work, std::size_t model, std::string_view how) {
    work.outrun = std::string(work.plan_of(model).key) + ": rows arrive as fast as they are deleted; " +
                  std::string(how) + ". Stop what writes them";
}

[[noreturn]] inline void rows_come_back(const deletion_work& work, std::size_t model, std::string_view how) {
    const plan& about = work.plan_of(model);
    const std::string& triggers = work.facts.tables[model].trigger_names;
    throw error(failure::blocked, std::string(about.key) + ": rows are deleted and come back; " + std::string(how) +
                                      ". Look at " + (triggers.empty() ? "" : "trigger " + triggers + " or ") +
                                      "a live writer.")
        .with_model(about.key)
        .with_table(about.table[work.database().kind()])
        .with_hint("Then `deletions retry`.");
}

/// Two DELETE statements as one, whose parameters are those of the first, then those of the second. Keys are
/// checked at the end of a statement, so rows that refer to each other may go so, RESTRICT or not (R17).
/// @param shift number of parameters of `first`
/// @return text that gives how many rows of each went
[[nodiscard]] inline std::string removed_together(std::string_view first, std::string_view second, std::size_t shift) {
    std::string text = "WITH winnow_first AS (" + std::string(first) + " RETURNING 1), winnow_second AS (";
    bool quoted = false;
    for (std::size_t at = 0; at < second.size(); ++at) {
        const char c = second[at];
        text += c;
        if (c == '"') quoted = !quoted;
        if (c != '$' || quoted) continue;
        std::size_t number = 0;
        for (; at + 1 < second.size() && second[at + 1] >= '0' && second[at + 1] <= '9'; ++at)
            number = number * 10 + static_cast<std::size_t>(second[at + 1] - '0');
        text += std::to_string(number + shift);
    }
    return text + " RETURNING 1) SELECT (SELECT count(*) FROM winnow_first), (SELECT count(*) FROM winnow_second)";
}

/// The parts of one deletion with what its hooks see of them.
struct removal {
    const part* rows;
    key_set keys;
    winnow::rows full{};
};

/// Runs one hook for each row.
inline void call_hooks(deletion_work& work, const removal& some, const row_action& action, std::string_view name) {
    if (!action) return;
    const plan& about = work.plan_of(some.rows->model);
    const hook_context hook = work.hooks_for(some.rows->model);
    for (std::size_t row = 0; row < some.full.size(); ++row) {
        std::vector<value> key;
        for (const std::uint16_t column : about.primary_key) key.push_back(some.full[row][column]);
        guarded(work, some.rows->model, name, object_id_of(key), [&] { action(some.full[row], hook); });
    }
}

/// Deletes the rows of one part by key, or of two that hold each other. @return how many of each went
inline std::vector<std::int64_t> remove_by_key(deletion_work& work, const std::vector<removal>& group) {
    connection& database = work.database();
    const auto statement = [&](const removal& one) -> const dialect_text& {
        return work.plan_of(one.rows->model).statements.remove;
    };
    if (group.size() == 2 && database.kind() == dialect::postgres) {
        const rows gone = database.execute(
            removed_together(statement(group[0]).postgres, statement(group[1]).postgres, group[0].keys.width()),
            {group[0].keys, group[1].keys});
        return {gone.integer(0, 0), gone.integer(0, 1)};
    }
    // Checked at COMMIT then, keys that are RESTRICT included; the transaction's end sets it back.
    if (group.size() == 2) (void)database.execute("PRAGMA defer_foreign_keys = ON");
    std::vector<std::int64_t> gone;
    for (const removal& one : group) gone.push_back(database.execute(statement(one), {one.keys}).affected());
    return gone;
}

/// Deletes rows by key, with the models' hooks around each (R3): those of one part, or of two whose rows refer to
/// each other and cannot be unlinked (R17).
inline void remove_rows(deletion_work& work, chunk& now, const held_parts& parts) {
    connection& database = work.database();
    std::vector<removal> group;
    for (const part& some : parts) {
        if (some.rows.empty()) continue;
        const plan& about = work.plan_of(some.model);
        removal& one = group.emplace_back(removal{&some, keys_of(about, some.rows)});
        now.busy_with = some.model;
        if (about.hooks.per_row()) one.full = database.execute(about.statements.read, {one.keys});
        call_hooks(work, one, about.hooks.before_delete, "before_delete");
        (void)produce_messages(work.with, about, one.keys);
    }
    shorten_waits(work, now);
    std::vector<std::int64_t> gone;
    try {
        gone = remove_by_key(work, group);
    } catch (const error& problem) {
        if (is_row_refusal(problem)) throw row_refusal(problem, parts.front().model, nullptr);
        throw;
    }
    for (std::size_t at = 0; at < group.size(); ++at) {
        const key_set& keys = group[at].keys;
        const std::size_t model = group[at].rows->model;
        const plan& about = work.plan_of(model);
        if (gone[at] < static_cast<std::int64_t>(keys.size()) &&
            database.execute(about.statements.count, {keys}).integer(0, 0) != 0)
            rows_will_not_go(work, model, static_cast<std::int64_t>(keys.size()), object_id_of(keys[0]));
        if (work.facts.tables[model].triggers && database.execute(about.statements.count, {keys}).integer(0, 0) != 0)
            rows_come_back(work, model, "in the same transaction, first id " + object_id_of(keys[0]));
        call_hooks(work, group[at], about.hooks.after_delete, "after_delete");
        now.count(model, gone[at]);
    }
}

/// Remembers the keys of rows that go while no enforced key protects them from late children (R6 b).
inline void bury(deletion_work& work, const part& some) {
    const plan& about = work.plan_of(some.model);
    bool needed = false;
    for (const edge& below : work.with.models.edges_from(some.model)) {
        const relation_kind kind = below.relation->kind;
        needed = needed ||
                 ((kind == relation_kind::cascade || kind == relation_kind::set_null) && !work.facts.enforced(below));
    }
    if (!needed) return;
    const std::string text = own_statement(
        "INSERT INTO winnow_grave (guid, model, identity) VALUES ($1, $2, $3) ON CONFLICT (guid, model, identity) DO NOTHING",
        work.database().kind());
    for (std::size_t row = 0; row < some.rows.size(); ++row)
        (void)work.database().execute(
            text, {std::string_view(work.request.guid), about.key, std::string_view(object_id_of(some.rows[row]))});
}

}  // namespace detail

}  // namespace winnow::inline v0
