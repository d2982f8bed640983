// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/context/dead_references.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/write.hpp"
#include "winnow/store/object_id.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0::detail {

inline key_set one_key(std::span<const value> key) {
    key_set keys(key.size());
    keys.push_back(key);
    return keys;
}

inline std::vector<value> key_in(const plan& of, row_values row) {
    std::vector<value> key;
    for (const std::uint16_t index : of.primary_key) key.push_back(row[index]);
    return key;
}

/// The reference of a remote relation that a row has now; null where the row is not there.
inline value reference_now(const context& with, const plan& of, const write_statements& how, std::size_t remote,
                           row_values row) {
    const rows held = with.database.execute(how.hold, {one_key(key_in(of, row))});
    if (held.empty()) return null_value{};
    return held.at(0, of.primary_key.size() + (of.replication != nullptr ? 1 : 0) + remote);
}

/// Refuses rows that would refer to an object of the other silo which is gone (R21). A relation that does nothing asks for
/// nothing. A changed row may keep the reference that it has.
/// @param rows all columns of the plan
/// @param changed they are there already
/// @throws error of kind `refused`
inline void require_living_references(const context& with, const plan& of, const write_statements& how,
                                      const key_set& rows, bool changed) {
    for (std::size_t remote = 0; remote < of.remotes.size(); ++remote) {
        const remote_relation& along = of.remotes[remote];
        if (along.kind == remote_kind::do_nothing) continue;
        std::vector<std::int64_t> named;
        for (std::size_t row = 0; row < rows.size(); ++row)
            if (const auto* object = std::get_if<std::int64_t>(&rows[row][along.index])) named.push_back(*object);
        std::sort(named.begin(), named.end());
        named.erase(std::unique(named.begin(), named.end()), named.end());
        key_set objects(1);
        for (const std::int64_t object : named) {
            const value one = object;
            objects.push_back({&one, 1});
        }
        const std::vector<std::int64_t> dead = dead_among(with, of.silo, along.parent, objects);
        if (dead.empty()) continue;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const auto* object = std::get_if<std::int64_t>(&rows[row][along.index]);
            if (object == nullptr || !std::binary_search(dead.begin(), dead.end(), *object)) continue;
            if (changed && reference_now(with, of, how, remote, rows[row]) == rows[row][along.index]) continue;
            throw error(failure::refused, std::string(of.key) + ": " +
                                              std::string(along.reference.name[with.database.kind()]) +
                                              " would refer to " + std::string(along.parent) + " " +
                                              std::to_string(*object) + ", which was deleted in the other silo.")
                .with_model(of.key)
                .with_table(of.table[with.database.kind()])
                .with_hint("Refer to an object that exists; nothing of this write is kept.");
        }
    }
}

/// Whether rows of the other silo refer to rows of this model and go, or lose their reference, with them.
[[nodiscard]] inline bool is_referred_to_remotely(const catalog& models, std::string_view key) noexcept {
    for (std::size_t model = 0; model < models.size(); ++model)
        for (const remote_relation& one : models[model].remotes)
            if (one.parent == key && one.kind != remote_kind::do_nothing) return true;
    return false;
}

/// Refuses to give out an id whose former row was erased and whose messages are still waiting: the other silo would not
/// learn that it died (rule 12). A message without a row is one of an erased row.
/// @param inserted the rows are there already, and their messages are not written yet; otherwise a row that is there is left to the
///        database's own refusal
/// @throws error of kind `refused`
inline void require_forgotten_keys(const context& with, const plan& of, const key_set& keys, bool inserted) {
    if (of.replication == nullptr || keys.empty() || !is_referred_to_remotely(with.models, of.key)) return;
    const bool own_shard = of.replication->shard == of.primary_key[0];
    const dialect which = with.database.kind();
    const std::string set = which == dialect::postgres ? "= ANY($3::bigint[])" : "IN (SELECT value FROM json_each($3))";
    // Where the shard is the key itself, an index serves.
    const std::string text = own_statement(
        "SELECT object_identifier, count(*) FROM winnow_{silo}_outbox WHERE shard_scope = $1 AND category = $2 AND " +
            (own_shard ? "shard_identifier " + set + " AND " : std::string()) + "object_identifier " + set +
            " GROUP BY object_identifier ORDER BY object_identifier",
        which, of.silo);
    const rows found = with.database.execute(
        text, {std::int64_t{of.replication->scope}, std::int64_t{of.replication->category}, keys});
    for (std::size_t row = 0; row < found.size(); ++row) {
        const bool there =
            !inserted && with.database.execute(of.statements.count, {one_key(found[row].first(1))}).integer(0, 0) != 0;
        if (there) continue;
        throw error(failure::refused, std::string(of.key) + " " + std::to_string(found.integer(row, 0)) +
                                          " was erased, and " + std::to_string(found.integer(row, 1)) +
                                          " of its messages have not reached the other silo: its id cannot be given "
                                          "out again.")
            .with_model(of.key)
            .with_table(of.table[which])
            .with_hint("Drain the outbox first, or let the database make a new id.");
    }
}

/// What an update found instead of the row that it was to change.
/// @throws error of kind `not_found`, or `refused` when the shard would change (rule 8)
[[noreturn]] inline void throw_not_updated(const context& with, const plan& of, row_values row, const rows& held) {
    const std::string title = std::string(of.key) + " " + object_id_of(key_in(of, row));
    if (held.empty())
        throw error(failure::not_found, title + " does not exist; it was not changed.")
            .with_model(of.key)
            .with_hint("Insert it, or read it again: it may have been deleted meanwhile.");
    const std::size_t at = of.primary_key.size();
    if (of.replication != nullptr && held.at(0, at) != row[of.replication->shard])
        throw error(failure::refused,
                    title + ": " + std::string(of.columns[of.replication->shard].name[with.database.kind()]) + " is " +
                        text_of(held.at(0, at)) + " and would become " + text_of(row[of.replication->shard]) +
                        "; it names the shard of the object's messages and never changes.")
            .with_model(of.key)
            .with_table(of.table[with.database.kind()])
            .with_hint("Insert a new object with the other value and erase this one.");
    throw error(failure::blocked, title + " exists and was not changed: a trigger or rule of " +
                                      std::string(of.table[with.database.kind()]) + " keeps it as it is.")
        .with_model(of.key)
        .with_table(of.table[with.database.kind()]);
}

}  // namespace winnow::inline v0::detail
