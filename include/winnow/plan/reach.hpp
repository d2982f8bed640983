// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/plan/catalog.hpp"
#include "winnow/plan/relation.hpp"

namespace winnow::inline v0 {

/// One way by which rows of a model come to be deleted: along `by`, from rows of the place `from`.
struct arrival {
    std::size_t from;
    const edge* by;
};

/// Rows of one model that are deleted with a root, as far as one set of skipped models holds below them.
/// A model has one place for each such set, in almost all graphs a single one.
struct place {
    std::size_t model;                 ///< index into the catalog
    std::vector<std::size_t> skipped;  ///< models left out below, in rising order
    std::vector<arrival> arrivals;     ///< empty for a root that is reached by nothing else
    /// A `when` predicate on the way decides at run time: fewer rows than SQL can see may go.
    bool conditional = false;

    [[nodiscard]] bool skips(std::size_t other) const {
        return std::binary_search(skipped.begin(), skipped.end(), other);
    }
};

namespace detail {

/// For each model the models that any relation leads to from it or from below it.
[[nodiscard]] inline std::vector<std::vector<bool>> models_below(const catalog& models) {
    std::vector<std::vector<bool>> below(models.size(), std::vector<bool>(models.size()));
    for (std::size_t start = 0; start < models.size(); ++start) {
        std::vector<bool> seen(models.size());
        std::vector<std::size_t> open{start};
        seen[start] = true;
        while (!open.empty()) {
            const std::size_t at = open.back();
            open.pop_back();
            for (const edge& one : models.edges_from(at)) {
                if (one.child == edge::none) continue;
                below[start][one.child] = true;
                if (one.relation->kind != relation_kind::cascade || seen[one.child]) continue;
                seen[one.child] = true;
                open.push_back(one.child);
            }
        }
    }
    return below;
}

}  // namespace detail

/// All places that a deletion of rows of `root` reaches by cascade relations. The first is the root's.
[[nodiscard]] inline std::vector<place> reach(const catalog& models, std::size_t root) {
    const std::vector<std::vector<bool>> below = detail::models_below(models);
    std::vector<place> places;
    places.push_back({.model = root, .skipped = {}, .arrivals = {}});
    for (std::size_t at = 0; at < places.size(); ++at) {
        for (const edge& one : models.edges_from(places[at].model)) {
            if (one.relation->kind != relation_kind::cascade || places[at].skips(one.child)) continue;
            std::vector<std::size_t> skipped = places[at].skipped;
            for (const std::string_view key : one.relation->skips) skipped.push_back(models.at(key));
            std::sort(skipped.begin(), skipped.end());
            skipped.erase(std::unique(skipped.begin(), skipped.end()), skipped.end());
            // What cannot be met below the child makes no difference there.
            std::erase_if(skipped, [&](std::size_t other) { return !below[one.child][other]; });
            const auto known = std::find_if(places.begin(), places.end(), [&](const place& other) {
                return other.model == one.child && other.skipped == skipped;
            });
            if (known != places.end()) {
                known->arrivals.push_back({at, &one});
            } else {
                places.push_back({.model = one.child, .skipped = std::move(skipped), .arrivals = {{at, &one}}});
            }
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (place& one : places) {
            if (one.conditional) continue;
            for (const arrival& by : one.arrivals) {
                if (by.by->relation->applies || places[by.from].conditional) one.conditional = changed = true;
            }
        }
    }
    return places;
}

}  // namespace winnow::inline v0
