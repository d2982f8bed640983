// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/plan.hpp"

namespace winnow::inline v0 {

/// The name of a model's table in options, rows and metrics of replication: as the database spells it, with its schema
/// only where one was declared.
[[nodiscard]] inline std::string replicated_table(const plan& of, dialect which) {
    std::string name(of.schema[which]);
    if (!name.empty()) name += '.';
    return name += of.table[which];
}

/// The option that says up to which version a table's backfill may run.
[[nodiscard]] inline std::string replication_version_option(std::string_view table) {
    return "outbox_replication." + std::string(table) + ".replication_version";
}

/// The option that names the cells which a control model's backfill is limited to.
[[nodiscard]] inline std::string target_cells_option(std::string_view table) {
    return "outbox_replication." + std::string(table) + ".backfill.target_cells";
}

}  // namespace winnow::inline v0
