// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "winnow/plan/catalog.hpp"
#include "winnow/plan/reach.hpp"
#include "winnow/store/drift_finding.hpp"
#include "winnow/store/drift_relations.hpp"
#include "winnow/store/drift_replication.hpp"
#include "winnow/store/drift_scope.hpp"
#include "winnow/store/drift_tables.hpp"
#include "winnow/store/facts.hpp"
#include "winnow/store/live_schema.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Worst first; within one severity in the order in which they were found.
[[nodiscard]] inline std::vector<drift_finding> sorted(std::vector<drift_finding> found) {
    std::vector<drift_finding> out;
    out.reserve(found.size());
    for (const severity how : {severity::refuse, severity::warn, severity::note}) {
        for (drift_finding& each : found) {
            if (each.severity == how) out.push_back(std::move(each));
        }
    }
    return out;
}

[[nodiscard]] inline std::vector<drift_finding> compare(drift_scope& scope) {
    for (std::size_t model = 0; model < scope.models.size(); ++model) {
        if (scope.touched[model]) check_table(scope, model);
    }
    for (std::size_t model = 0; model < scope.models.size(); ++model) {
        if (!scope.deleted[model] || scope.table(model) == nullptr) continue;
        for (const edge& one : scope.models.edges_from(model)) check_relation(scope, one);
    }
    check_undeclared_keys(scope);
    check_mismatched_keys(scope);
    check_rings(scope);
    return sorted(std::move(scope.found));
}

/// A model that is skipped on every way below the root keeps its rows, and an enforced key then keeps
/// their parents.
inline void check_skipped(drift_scope& scope, std::span<const place> places) {
    for (const place& one : places) {
        for (const edge& by : scope.models.edges_from(one.model)) {
            if (by.child == edge::none || !one.skips(by.child) || scope.deleted[by.child]) continue;
            const foreign_key_facts* key = scope.key_of(by);
            if (key == nullptr || !key->enforced) continue;
            if (key->on_delete != delete_action::no_action && key->on_delete != delete_action::restrict_) continue;
            scope.add(severity::refuse, one.model, "skipped_with_key",
                      columns_of(scope, by) +
                          " is skipped everywhere below this root, and the database enforces its reference to " +
                          scope.name(one.model).text() + ": deleting a row that has children fails.");
        }
    }
}

}  // namespace detail

/// Models whose rows a deletion of `root` deletes, nulls or looks at, root first.
[[nodiscard]] inline std::vector<std::size_t> models_touched(const catalog& models, std::size_t root) {
    std::vector<std::size_t> out;
    const auto add = [&](std::size_t model) {
        if (model != edge::none && std::find(out.begin(), out.end(), model) == out.end()) out.push_back(model);
    };
    const std::vector<place> places = reach(models, root);
    for (const place& one : places) add(one.model);
    for (const place& one : places) {
        for (const edge& by : models.edges_from(one.model)) add(by.child);
    }
    return out;
}

/// Compares all models, or those that the options name, with the live schema. Worst findings first.
/// \param facts  of the same models' tables, by `inspect_models`
[[nodiscard]] inline std::vector<drift_finding> find_drift(const catalog& models, const schema_facts& facts,
                                                           const drift_options& options = {}) {
    drift_scope scope(models, facts, options);
    for (const std::size_t model : options.models) scope.deleted[model] = scope.touched[model] = true;
    if (options.models.empty()) {
        scope.deleted.assign(models.size(), true);
        scope.touched.assign(models.size(), true);
    }
    detail::check_copies_and_remotes(scope);
    return detail::compare(scope);
}

/// Only what concerns a deletion of objects of `root`: their own table, what is reached below, and what
/// refers to it. This is what stands between a scheduled deletion and its first row.
/// \param facts  of at least `models_touched(models, root)`
[[nodiscard]] inline std::vector<drift_finding> find_drift_below(const catalog& models, std::size_t root,
                                                                 const schema_facts& facts,
                                                                 const drift_options& options = {}) {
    drift_scope scope(models, facts, options);
    const std::vector<place> places = reach(models, root);
    for (const place& one : places) scope.deleted[one.model] = true;
    for (const std::size_t model : models_touched(models, root)) scope.touched[model] = true;
    detail::check_skipped(scope, places);
    return detail::compare(scope);
}

}  // namespace winnow::inline v0
