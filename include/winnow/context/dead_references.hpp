// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/value.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Those of `objects` that have a copy in the silo's database; none where the model has no mirror there.
inline std::vector<std::int64_t> with_copies(const context& with, silo where, std::string_view model,
                                             const key_set& objects) {
    std::vector<std::int64_t> found;
    const std::optional<std::size_t> parent = with.models.find(model);
    if (!parent || with.models[*parent].replication == nullptr) return found;
    const plan& of = with.models[*parent];
    const mirror_plan& mirror = of.replication->mirror;
    const std::optional<std::size_t> copy = mirror ? with.models.find(mirror.model) : std::nullopt;
    if (!copy || with.models[*copy].silo != where) return found;
    for (const mirrored_column& one : mirror.columns) {
        if (one.source != of.primary_key[0]) continue;
        const dialect which = with.database.kind();
        const std::string column(one.target.quoted[which]);
        const std::string text =
            "SELECT " + column + " FROM " + std::string(with.models[*copy].quoted_table[which]) + " WHERE " + column +
            (which == dialect::postgres ? " = ANY($1::bigint[])" : " IN (SELECT value FROM json_each(?1))");
        const rows copies = with.database.execute(text, {objects});
        for (std::size_t row = 0; row < copies.size(); ++row) found.push_back(copies.integer(row, 0));
        break;
    }
    return found;
}

}  // namespace detail

/// Those of `objects` that are dead towards the rows of a silo, in rising order: there is a tombstone that has not been worked
/// off yet, or one that has been and the object does not exist again (R21). An object exists again when its copy is
/// there, or when a later message has said so.
///
/// Part of the caller's transaction: a check before a write belongs into the transaction of the write, so that the horizon
/// of a tombstone which it did not see waits for it (R20).
/// @param where the silo of the rows that refer to them
/// @param model key of the objects' model
/// @param objects keys of objects, one column
[[nodiscard]] inline std::vector<std::int64_t> dead_among(const context& with, silo where, std::string_view model,
                                                          const key_set& objects) {
    std::vector<std::int64_t> dead;
    if (objects.empty()) return dead;
    const dialect which = with.database.kind();
    const std::string text = own_statement(
        std::string("SELECT object_identifier, max(CASE WHEN passed_at IS NULL THEN 1 ELSE 0 END) FROM "
                    "winnow_{silo}_tombstone WHERE model = $1 AND object_identifier ") +
            (which == dialect::postgres ? "= ANY($2::bigint[])" : "IN (SELECT value FROM json_each($2))") +
            " AND (passed_at IS NULL OR recreated_at IS NULL) GROUP BY object_identifier ORDER BY object_identifier",
        which, where);
    const rows found = with.database.execute(text, {model, objects});
    key_set passed(1);
    for (std::size_t row = 0; row < found.size(); ++row) {
        dead.push_back(found.integer(row, 0));
        if (found.integer(row, 1) == 0) passed.push_back(std::span<const value>(&found.at(row, 0), 1));
    }
    if (passed.empty()) return dead;
    const std::vector<std::int64_t> copies = detail::with_copies(with, where, model, passed);
    std::erase_if(dead, [&](std::int64_t object) {
        if (std::find(copies.begin(), copies.end(), object) == copies.end()) return false;
        for (std::size_t row = 0; row < passed.size(); ++row)
            if (std::get<std::int64_t>(passed[row][0]) == object) return true;
        return false;
    });
    return dead;
}

}  // namespace winnow::inline v0
