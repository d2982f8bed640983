// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "winnow/context/context.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/value.hpp"

namespace winnow::inline v0 {

/// The cells that messages of a model go to, as a set parameter: one empty name for the control silo.
/// @throws error of kind `configuration` when a control model is replicated and no cell is known
[[nodiscard]] inline key_set target_cells(const context& with, const plan& of) {
    key_set cells(1);
    const auto add = [&](std::string_view name) {
        const value one{std::string(name)};
        cells.push_back(std::span<const value>(&one, 1));
    };
    if (of.silo == silo::cell) {
        add("");
        return cells;
    }
    if (with.silos != nullptr)
        for (const std::string& name : with.silos->cells()) add(name);
    if (cells.empty())
        throw error(failure::configuration,
                    "A change of " + std::string(of.key) + " has to be copied to the cells, and no cell is known.")
            .with_model(of.key)
            .with_hint("Name the cells and their databases in the configuration (`silos` of winnow::context).");
    return cells;
}

/// Writes a message for each of these rows, in the caller's transaction; does nothing for a model that is not
/// replicated. Call it after an INSERT or UPDATE of the rows and before a DELETE, while the transaction holds their
/// locks: ids of messages then follow the order of commits (rule 13). One statement however many rows there are.
/// @return how many messages were written
/// @throws error of kind `usage` outside of a transaction: a message without its change would be delivered for nothing
inline std::int64_t produce_messages(const context& with, const plan& of, const key_set& keys) {
    if (of.replication == nullptr || keys.empty()) return 0;
    if (!with.database.in_transaction())
        throw error(failure::usage,
                    "A message about " + std::string(of.key) +
                        " was to be written outside of a transaction, apart from the change it is about.")
            .with_model(of.key)
            .with_hint("Begin a transaction, change the rows and write the messages in it, then commit.");
    const std::int64_t written =
        with.database.execute(of.replication->statements.produce, {keys, target_cells(with, of)}).affected();
    with.watch.count("outbox.saved", written, {{"category", of.replication->category_name}});
    return written;
}

/// Writes a status into those rows that have another one, and messages about the rows, in the caller's transaction.
inline void mark_rows(const context& with, const plan& of, std::int64_t status, const key_set& keys) {
    if (with.database.execute(of.statements.mark, {status, keys}).affected() != 0)
        (void)produce_messages(with, of, keys);
}

}  // namespace winnow::inline v0
