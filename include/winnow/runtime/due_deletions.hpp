// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "winnow/context/brakes.hpp"
#include "winnow/context/context.hpp"
#include "winnow/deletion/lease.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0 {

/// Guids of the deletions that a worker could claim now, those due longest first: the same conditions as
/// `claim_deletion`, which decides. Only looks.
[[nodiscard]] inline std::vector<std::string> due_deletions(const context& with, silo where, std::int64_t most) {
    if (closed_window(with, "deletion.windows")) return {};
    const std::string text = own_statement(
        "SELECT s.guid FROM winnow_{silo}_scheduled_deletion s WHERE s.date_scheduled <= {now} AND (NOT s.in_progress OR "
        "s.lease_expires_at < {now}) AND s.state NOT IN ('failed', 'blocked', 'unconfirmed') AND (s.wait_until IS NULL OR "
        "s.wait_until <= {now}) AND NOT " +
            detail::paused_condition(with) + " ORDER BY s.date_scheduled, s.id LIMIT $1",
        with.database.kind(), where);
    const rows found = with.database.execute(text, {most});
    std::vector<std::string> guids;
    for (std::size_t row = 0; row < found.size(); ++row) guids.push_back(found.text(row, 0));
    return guids;
}

}  // namespace winnow::inline v0
