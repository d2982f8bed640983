// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "winnow/plan/catalog.hpp"
#include "winnow/plan/hooks.hpp"

/// What the tests see of the models in domain.hpp, so that only domain.cpp has to compile their traits.
namespace winnow_test {

/// org ← proj ← issue ← event, the tables of the field cases. `field.Org` has a status and hooks.
[[nodiscard]] const winnow::catalog& field_models();
/// parent ← child, where each child row has hooks and a chunk holds two.
[[nodiscard]] const winnow::catalog& hooked_models();
/// node(id, parent_id → node), in chunks of 100 rows, or of 2.
[[nodiscard]] const winnow::catalog& tree_models();
[[nodiscard]] const winnow::catalog& small_tree_models();
/// owner with one child for every kind of relation.
[[nodiscard]] const winnow::catalog& kinds_models();
/// A project that deletes its events itself, and groups that skip them.
[[nodiscard]] const winnow::catalog& skip_models();
/// Keys of every kind, composite ones, and references to other columns than the key.
[[nodiscard]] const winnow::catalog& keys_models();
/// One model in each silo.
[[nodiscard]] const winnow::catalog& silo_models();
/// A model whose rows have a birth.
[[nodiscard]] const winnow::catalog& born_models();
/// A parent whose children fall under a rate limit: `limited.Bulk` in bulk, `limited.Single` row by row.
[[nodiscard]] const winnow::catalog& limited_models();
/// Two parents of one child.
[[nodiscard]] const winnow::catalog& pair_models();

/// What the models' hooks, conditions and external tasks do in a test. An empty one says yes or does nothing.
struct spies {
    using row_hook = std::function<void(std::int64_t id, const winnow::hook_context& context)>;

    std::function<bool(std::int64_t id, bool is_deleting)> should_proceed;  ///< field.Org
    row_hook pending_delete;                                                ///< field.Org
    row_hook before_delete;                                                 ///< hooked.Child, limited.Single
    row_hook after_delete;                                                  ///< hooked.Child
    /// Tasks `files` of kinds.Owner and `pages` of kinds.Doc; true while more is left.
    std::function<bool(const std::string& task, const std::vector<std::int64_t>& ids, const winnow::hook_context&)>
        external;
    std::function<bool(std::int64_t id, std::int64_t level)> has_perks;  ///< condition of kinds.Owner → kinds.Perk
};

/// The spies of this process; the fixture clears them before each test.
[[nodiscard]] spies& spy();

}  // namespace winnow_test
