// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/plan/replication.hpp"

// Which statements the engine runs, and which therefore must not be empty. Fewer than those that are written from a
// model: a plugin made by hand may leave out what nobody asks for.

namespace winnow::inline v0::detail {

[[nodiscard]] inline bool can_become_null(const relation& of) noexcept {
    return std::any_of(of.columns.begin(), of.columns.end(), [](const column& one) { return one.optional; });
}

[[nodiscard]] inline bool is_required(dialect_text row_statements::* which, const plan& of) noexcept {
    return which != &row_statements::mark || of.status;
}

/// @param child null where the child's model is not known: then what only replicated children need is not required
[[nodiscard]] inline bool is_required(dialect_text relation_statements::* which, const relation& of,
                                      const plan* child) noexcept {
    using all = relation_statements;
    const auto among = [&](std::initializer_list<dialect_text all::*> some) {
        return std::find(some.begin(), some.end(), which) != some.end();
    };
    const bool copied = child != nullptr && child->replication != nullptr;
    switch (of.kind) {
        case relation_kind::cascade:
            // In bulk or row by row is decided when all parts are known: both must be there.
            if (among({&all::descend, &all::reach_outside})) return of.parent == of.child;
            if (which == &all::nullify) return can_become_null(of);
            return !among({&all::nullify_some, &all::nullify_keys});
        case relation_kind::set_null:
            if (among({&all::lock, &all::nullify_keys})) return copied;
            return among({&all::fetch_first, &all::nullify, &all::nullify_some, &all::count, &all::exists});
        case relation_kind::restrict_: return which == &all::count;
        case relation_kind::do_nothing:
        case relation_kind::external: break;
    }
    return false;
}

[[nodiscard]] inline bool is_required(dialect_text mirror_plan::* which, const mirror_plan&) noexcept {
    return which != &mirror_plan::read;
}

[[nodiscard]] inline bool is_required(dialect_text replication_statements::*, const replication&) noexcept {
    return true;
}

[[nodiscard]] inline bool is_required(dialect_text remote_statements::* which, const remote_relation& of) noexcept {
    if (of.kind == remote_kind::do_nothing) return false;
    return which != &remote_statements::nullify || of.kind == remote_kind::set_null;
}

/// What `lift` cannot see: statements that a relation of one part lacks since the child, of another part, is replicated.
inline void check_across_parts(const catalog& models, std::vector<std::string>& wrong) {
    for (std::size_t model = 0; model < models.size(); ++model) {
        for (const edge& along : models.edges_from(model)) {
            const relation& of = *along.relation;
            if (along.child == edge::none || of.kind != relation_kind::set_null) continue;
            if (&models.part_of(model) == &models.part_of(along.child) || models[along.child].replication == nullptr)
                continue;
            for (const dialect which : {dialect::postgres, dialect::sqlite}) {
                if (!of.statements.lock[which].empty() && !of.statements.nullify_keys[which].empty()) continue;
                wrong.push_back(std::string(of.parent) + ": its set_null relation to " + std::string(of.child) +
                                " lacks `lock` or `nullify_keys` for " + std::string(name_of(which)) +
                                ", and rows of " + std::string(of.child) +
                                " are copied to the other silo. Write both statements.");
            }
        }
    }
}

}  // namespace winnow::inline v0::detail
