// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/context/replication_options.hpp"
#include "winnow/core/error.hpp"
#include "winnow/plan/plan.hpp"

namespace winnow::inline v0 {

/// Up to which version a table may be backfilled now.
struct backfill_gate {
    std::int64_t coded = 1;             ///< `replication_version` of the code
    std::optional<std::int64_t> given;  ///< what the option says; nothing: not set, or not asked for
    bool forced = false;                ///< the option does not count

    /// The version that is worked on; 0: none.
    [[nodiscard]] std::int64_t effective() const noexcept {
        return forced ? coded : std::min(given.value_or(0), coded);
    }
};

/// Reads the gate of a model's table; the option is read from the database each time.
/// @param forced the coded version counts, whatever the option says
/// @throws error of kind `configuration` when the option holds no number
[[nodiscard]] inline backfill_gate read_gate(const context& with, const plan& of, std::string_view table, bool forced) {
    backfill_gate gate{of.replication->version, std::nullopt, forced};
    if (!forced) gate.given = with.options().integer_if_set(replication_version_option(table));
    return gate;
}

/// One sentence on why a closed gate lets nothing through.
[[nodiscard]] inline std::string why_closed(const backfill_gate& gate, std::string_view table) {
    if (gate.forced) return "the code has version " + std::to_string(gate.coded);
    std::string text = "gate closed: option `" + replication_version_option(table) + "` is ";
    text += gate.given ? std::to_string(*gate.given) : std::string("not set");
    return text += ", the code has version " + std::to_string(gate.coded);
}

/// Names of the targets that a model's backfill goes to: one empty name for a cell model, else the cells, those that
/// the option `outbox_replication.{table}.backfill.target_cells` names if it is set.
/// @throws error of kind `configuration` when the option holds no list, or names a cell that is not known, or when no
///         cell is known
[[nodiscard]] inline std::vector<std::string> backfill_targets(const context& with, const plan& of,
                                                               std::string_view table) {
    if (of.silo == silo::cell) return {std::string()};
    std::vector<std::string> cells;
    if (with.silos != nullptr) cells.assign(with.silos->cells().begin(), with.silos->cells().end());
    if (cells.empty())
        throw error(failure::configuration,
                    "Rows of " + std::string(of.key) + " are backfilled to the cells, and no cell is known.")
            .with_model(of.key)
            .with_hint("Name the cells and their databases in the configuration (`silos` of winnow::context).");
    const std::string name = target_cells_option(table);
    const std::optional<std::vector<std::string>> wanted = with.options().text_list_if_set(name);
    if (!wanted) return cells;
    for (const std::string& one : *wanted) {
        if (std::find(cells.begin(), cells.end(), one) != cells.end()) continue;
        std::string known;
        for (const std::string& cell : cells) known += (known.empty() ? "" : ", ") + cell;
        throw error(failure::configuration,
                    "Option `" + name + "` names the cell `" + one + "`, which is not known. Known are: " + known + ".")
            .with_model(of.key)
            .with_hint("`options set " + name + " '[\"" + cells.front() + "\"]'`");
    }
    std::vector<std::string> chosen;
    for (const std::string& cell : cells)
        if (std::find(wanted->begin(), wanted->end(), cell) != wanted->end()) chosen.push_back(cell);
    return chosen;
}

}  // namespace winnow::inline v0
