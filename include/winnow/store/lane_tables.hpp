// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "winnow/core/dialect.hpp"

namespace winnow::inline v0::detail {

// Texts begin with a line break, which is not part of them; see own_tables.hpp.

/// The connections that work on one deletion beside the one that claimed it: what fences each of them, and the rows that
/// it removed and that its deletion's own row does not count yet. Always empty on SQLite, which has one writer.
inline constexpr dialect_text lane_tables = {
    R"sql(
CREATE TABLE winnow_{silo}_deletion_lane (
    deletion_guid text NOT NULL,
    lane integer NOT NULL,
    token bigint NOT NULL,
    rows_done bigint NOT NULL DEFAULT 0,
    progress jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (deletion_guid, lane)
);
)sql",
    R"sql(
CREATE TABLE winnow_{silo}_deletion_lane (
    deletion_guid TEXT NOT NULL,
    lane INTEGER NOT NULL,
    token INTEGER NOT NULL,
    rows_done INTEGER NOT NULL DEFAULT 0,
    progress TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(progress)),
    PRIMARY KEY (deletion_guid, lane)
);
)sql"};

}  // namespace winnow::inline v0::detail
