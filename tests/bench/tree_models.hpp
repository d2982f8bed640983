// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <winnow/plan/plan.hpp>

namespace bench {

/// Plans of the tenant tree: organization, project, group and what hangs below them. Twenty relations, as many as
/// `make_tree` makes foreign keys.
/// @param seen_rows every row is handed to a hook, so that every model goes row by row
[[nodiscard]] std::vector<winnow::plan> tree_plans(bool seen_rows);

/// Rows that the hooks of `tree_plans(true)` have seen.
[[nodiscard]] std::int64_t rows_seen() noexcept;

}  // namespace bench
