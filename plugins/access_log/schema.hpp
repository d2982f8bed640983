// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <winnow/plan/part.hpp>

namespace access_log {

inline constexpr std::array migrations = {
    winnow::migration{.name = "1_entries",
                      .silo = winnow::silo::cell,
                      .script = {R"sql(
CREATE TABLE access_log_entry (
    id bigserial PRIMARY KEY,
    notebook_id bigint NOT NULL,
    reader text NOT NULL,
    opened_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX access_log_entry_notebook_id ON access_log_entry (notebook_id);
)sql",
                                 R"sql(
CREATE TABLE access_log_entry (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    notebook_id INTEGER NOT NULL,
    reader TEXT NOT NULL,
    opened_at TIMESTAMP NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now'))
);
CREATE INDEX access_log_entry_notebook_id ON access_log_entry (notebook_id);
)sql"}},
};

}  // namespace access_log
