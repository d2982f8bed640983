// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "winnow/plan/catalog.hpp"
#include "winnow/plan/part.hpp"
#include "winnow/plan/replication.hpp"

namespace winnow::inline v0 {

/// Sentences about the models of other parts that need models of this one; empty when none does.
[[nodiscard]] inline std::string who_needs(const catalog& models, std::string_view part) {
    std::string text;
    const auto is_of_part = [&](std::string_view key) {
        const std::optional<std::size_t> found = models.find(key);
        return found && models.part_of(*found).name == part;
    };
    for (std::size_t model = 0; model < models.size(); ++model) {
        const plan& one = models[model];
        if (models.part_of(model).name == part) continue;
        const auto need = [&](std::string_view what, std::string_view key) {
            if (!is_of_part(key)) return;
            text += (text.empty() ? "" : " ") + std::string(one.key) + " of " + title_of(models.part_of(model)) + " " +
                    std::string(what) + " " + std::string(key) + ".";
        };
        for (const relation& each : one.relations) {
            if (each.kind != relation_kind::external) need("has a relation to", each.child);
            for (const std::string_view skipped : each.skips) need("skips", skipped);
        }
        for (const relation& each : one.attached) {
            need("attaches itself to", each.parent);
            for (const std::string_view skipped : each.skips) need("skips", skipped);
        }
        for (const remote_relation& each : one.remotes) need("refers to", each.parent);
        if (one.replication != nullptr && one.replication->mirror) need("is copied to", one.replication->mirror.model);
    }
    return text;
}

}  // namespace winnow::inline v0
