// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "winnow/plan/catalog.hpp"
#include "winnow/plan/part.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/plan/replication.hpp"

namespace winnow::inline v0 {

/// Calls `take(what, key)` for each other model that a model names, as `take("attaches itself to", "tracker.Project")`.
template <class Take>
void each_named_model(const plan& of, const Take& take) {
    for (const relation& each : of.relations) {
        if (each.kind != relation_kind::external) take(std::string_view("has a relation to"), each.child);
        for (const std::string_view skipped : each.skips) take(std::string_view("skips"), skipped);
    }
    for (const relation& each : of.attached) {
        take(std::string_view("attaches itself to"), each.parent);
        for (const std::string_view skipped : each.skips) take(std::string_view("skips"), skipped);
    }
    for (const remote_relation& each : of.remotes) take(std::string_view("refers to"), each.parent);
    if (of.replication != nullptr && of.replication->mirror)
        take(std::string_view("is copied to"), of.replication->mirror.model);
}

/// Sentences about the models of other parts that need models of this one; empty when none does.
[[nodiscard]] inline std::string who_needs(const catalog& models, std::string_view part) {
    std::string text;
    for (std::size_t model = 0; model < models.size(); ++model) {
        if (models.part_of(model).name == part) continue;
        each_named_model(models[model], [&](std::string_view what, std::string_view key) {
            const std::optional<std::size_t> found = models.find(key);
            if (!found || models.part_of(*found).name != part) return;
            text += (text.empty() ? "" : " ") + std::string(models[model].key) + " of " +
                    title_of(models.part_of(model)) + " " + std::string(what) + " " + std::string(key) + ".";
        });
    }
    return text;
}

}  // namespace winnow::inline v0
