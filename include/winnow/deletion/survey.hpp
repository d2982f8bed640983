// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "winnow/deletion/child_statistics.hpp"
#include "winnow/deletion/work.hpp"
#include "winnow/store/drift.hpp"
#include "winnow/store/live_schema.hpp"
#include "winnow/store/migrations.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Looks at the live schema below the root before the first row goes, and keeps what the engine acts on.
/// @return what forbids the deletion, or nothing
inline std::string survey_schema(deletion_work& work) {
    const catalog& models = work.with.models;
    const dialect which = work.database().kind();
    const std::vector<std::size_t> touched = models_touched(models, work.root);
    const schema_facts live = inspect_models(work.database(), models, touched);
    work.facts.tables.assign(models.size(), {});
    for (const std::size_t model : touched) {
        const table_facts* table = live.find(table_of(models[model], which));
        if (table == nullptr) continue;
        table_behaviour& behaviour = work.facts.tables[model];
        behaviour.addressable = table->has_row_addresses();
        for (const trigger_facts& trigger : table->delete_triggers) {
            if (!trigger.enabled) continue;
            behaviour.triggers = true;
            const auto name = [&](std::string& names) {
                names += (names.empty() ? "\"" : ", \"") + trigger.name + "\"";
            };
            name(behaviour.trigger_names);
            if (trigger.may_keep_rows) name(behaviour.keeper_names);
        }
        for (const edge& along : models.edges_from(model)) {
            if (along.child == edge::none) continue;
            const foreign_key_facts* key = key_behind(models[along.child], models[model], *along.relation, live, which);
            const bool enforced = key != nullptr && key->enforced;
            const bool refuses =
                enforced && !key->deferrable &&
                (key->on_delete == delete_action::no_action || key->on_delete == delete_action::restrict_);
            edge_facts& facts = work.facts.edges.emplace_back(&along, edge_facts{}).second;
            facts.enforced = enforced;
            facts.refuses = refuses;
        }
    }
    read_child_statistics(work, live);
    drift_options options;
    options.require_indexes = work.with.options().boolean("deletion.strict");
    std::string wrong = describe_refusals(find_drift_below(models, work.root, live, options));
    // Rows of a plugin that is not loaded may refer to what goes, and nobody here would know.
    for (const std::string& part : compare_steps(work.database(), models.parts(), work.with.mode).absent) {
        if (options.require_indexes) wrong += (wrong.empty() ? "" : " ") + describe_absent(part);
        else if (!work.request.signalled)
            work.with.watch.log(log_level::warning, describe_absent(part),
                                {{"transaction_id", work.request.guid}, {"model", models[work.root].key}});
    }
    return wrong;
}

}  // namespace detail

}  // namespace winnow::inline v0
