// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/deletion/frame.hpp"
#include "winnow/deletion/work.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Runs user code; whatever it throws becomes an error that names the hook and the row.
template <class Call>
auto guarded(const deletion_work& work, std::size_t model, std::string_view hook, std::string_view row, Call&& call) {
    try {
        return call();
    } catch (const std::exception& thrown) {
        throw error(failure::hook, std::string(work.plan_of(model).key) + " " + std::string(row) + ": " +
                                       std::string(hook) + " failed: " + thrown.what())
            .with_model(work.plan_of(model).key);
    } catch (...) {
        throw error(failure::hook, std::string(work.plan_of(model).key) + " " + std::string(row) + ": " +
                                       std::string(hook) + " failed with something that is no std::exception")
            .with_model(work.plan_of(model).key);
    }
}

/// Rows that a relation's condition on the parent lets through, by their identity.
inline key_set parents_for(deletion_work& work, const edge& along, const key_set& identities) {
    const row_predicate applies = along.relation->applies;
    if (!applies || identities.empty()) return identities;
    const plan& about = work.plan_of(along.parent);
    const rows found = work.database().execute(about.statements.read, {keys_of(about, identities)});
    key_set chosen(about.identity.size());
    std::vector<value> identity(about.identity.size());
    for (std::size_t row = 0; row < found.size(); ++row) {
        for (std::size_t at = 0; at < identity.size(); ++at) identity[at] = found[row][about.identity[at]];
        const bool yes = guarded(work, along.parent, "the condition of a relation",
                                 object_id_of(std::span(identity).first(about.primary_key.size())),
                                 [&] { return applies(found[row], work.hooks_for(along.parent)); });
        if (yes) chosen.push_back(identity);
    }
    return chosen;
}

}  // namespace detail

}  // namespace winnow::inline v0
