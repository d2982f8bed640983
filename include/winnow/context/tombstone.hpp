// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "winnow/plan/silo.hpp"
#include "winnow/plan/value.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

/// Says in the target's silo that objects of another silo's model are gone, in the caller's transaction.
///
/// A tombstone knows the message that brought it; only a later message opens it again, so that a delivery which
/// comes late does not (rule 11).
/// @param where the silo of `target` that the objects' rows may be referred to from
/// @param model key of the model that the objects were of
/// @param source database and silo that the message comes from
/// @param dead pairs of an object's key and the id of its message
inline void write_tombstones(connection& target, silo where, std::string_view model, std::string_view source,
                             const key_set& dead) {
    if (dead.empty()) return;
    const dialect which = target.kind();
    std::string text =
        "INSERT INTO winnow_{silo}_tombstone (model, object_identifier, source, message_id) SELECT $1, d.object, $2, "
        "d.message FROM ";
    text += which == dialect::postgres ? "unnest($3::bigint[], $4::bigint[]) AS d(object, message) "
                                       : "(SELECT json_extract(value, '$[0]') AS object, json_extract(value, '$[1]') "
                                         "AS message FROM json_each($3)) AS d WHERE true ";
    text +=
        "ON CONFLICT (model, object_identifier, source) DO UPDATE SET message_id = excluded.message_id, arrived_at = "
        "{now}, horizon = NULL, passed_at = NULL, recreated_at = NULL WHERE excluded.message_id > winnow_{silo}_tombstone.message_id";
    (void)target.execute(own_statement(text, which, where), {model, source, dead});
}

/// Says that objects which had died exist again, in the caller's transaction: what a delivery does for rows that it finds
/// in the source. Does nothing where there is no tombstone, which is nearly always.
///
/// Once such a tombstone has been worked off, rows may refer to the object again (R21). Until then they may not, because
/// those of the dead one cannot be told from those of the new one (rule 12).
/// @param alive pairs of an object's key and the id of its newest message
inline void note_recreated(connection& target, silo where, std::string_view model, std::string_view source,
                           const key_set& alive) {
    if (alive.empty()) return;
    const dialect which = target.kind();
    value lowest = alive[0][0];
    value highest = lowest;
    for (std::size_t i = 1; i < alive.size(); ++i) {
        lowest = std::min(lowest, alive[i][0]);
        highest = std::max(highest, alive[i][0]);
    }
    // One look into the index spares looking for each object.
    const std::string any = own_statement(
        "SELECT 1 FROM winnow_{silo}_tombstone WHERE model = $1 AND object_identifier >= $2 AND object_identifier <= $3 "
        "LIMIT 1",
        which, where);
    if (target.execute(any, {model, lowest, highest}).empty()) return;
    std::string text = "UPDATE winnow_{silo}_tombstone SET recreated_at = {now} FROM ";
    text += which == dialect::postgres ? "unnest($1::bigint[], $2::bigint[]) AS d(object, message)"
                                       : "(SELECT json_extract(value, '$[0]') AS object, json_extract(value, '$[1]') "
                                         "AS message FROM json_each($1)) AS d";
    const std::string next = which == dialect::postgres ? "$3" : "$2";
    const std::string last = which == dialect::postgres ? "$4" : "$3";
    text += " WHERE winnow_{silo}_tombstone.model = " + next +
            " AND winnow_{silo}_tombstone.object_identifier = d.object AND winnow_{silo}_tombstone.source = " + last +
            " AND winnow_{silo}_tombstone.message_id < d.message AND winnow_{silo}_tombstone.recreated_at IS NULL";
    (void)target.execute(own_statement(text, which, where), {alive, model, source});
}

}  // namespace winnow::inline v0
