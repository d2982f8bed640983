// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "winnow/core/dialect.hpp"

namespace winnow::inline v0::detail {

// Texts begin with a line break, which is not part of them; see own_tables.hpp.

/// What has been done for the parts of a catalog that keep tables of their own: one row a step.
inline constexpr dialect_text plugin_tables_shared = {
    R"sql(
CREATE TABLE winnow_plugin_step (
    plugin text NOT NULL,
    step text NOT NULL,
    position integer NOT NULL,
    digest text NOT NULL,
    plugin_version text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (plugin, step)
);
)sql",
    R"sql(
CREATE TABLE winnow_plugin_step (
    plugin TEXT NOT NULL,
    step TEXT NOT NULL,
    position INTEGER NOT NULL,
    digest TEXT NOT NULL,
    plugin_version TEXT NOT NULL,
    applied_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    PRIMARY KEY (plugin, step)
);
)sql"};

}  // namespace winnow::inline v0::detail
