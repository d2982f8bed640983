// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "winnow/cli/json.hpp"
#include "winnow/cli/output.hpp"
#include "winnow/cli/table.hpp"
#include "winnow/core/dialect.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/plan/catalog.hpp"

namespace winnow::inline v0::cli {

/// Deleted rows by model as a JSON object.
[[nodiscard]] inline json deleted_rows_json(const row_counts& counts) {
    json by_model = json::object();
    for (const auto& [key, count] : counts) by_model[key] = count;
    return by_model;
}

/// Deleted rows by model as a table for people, below a line about the deletion; nothing when there are none.
inline void print_deleted_rows(const output& out, const catalog& models, const row_counts& counts, dialect which) {
    if (counts.empty()) return;
    table lines{"  model", "table", ">rows deleted"};
    for (const auto& [key, count] : counts) {
        const std::optional<std::size_t> model = models.find(key);
        lines.add({"  " + key, model ? std::string(models[*model].table[which]) : "", std::to_string(count)});
    }
    out.print(lines);
}

}  // namespace winnow::inline v0::cli
