// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "winnow/model/record.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/registry/edges.hpp"

namespace winnow::inline v0 {

/// How the rows of a model go, and why.
struct chosen_strategy {
    winnow::strategy strategy = strategy::per_row;
    std::string_view reason;
};

/// Deduces a strategy: bulk if nobody has to see the rows, that is, if no relation of the model is walked, no
/// model of the registry attaches itself to it and no hook wants its rows. What the trait demands was proved
/// to be possible and wins.
[[nodiscard]] constexpr chosen_strategy choose_strategy(const model_record& of, model_records registry) noexcept {
    bool walked = false;
    for (const relation_record& one : of.relations) walked = walked || is_walked(one.kind);
    bool attached = false;
    for (const model_record* other : registry) {
        for (const relation_record& one : other->attached) {
            attached = attached || (is_walked(one.kind) && one.parent == of.key);
        }
    }
    if (of.strategy_given) {
        return of.strategy == strategy::bulk
                   ? chosen_strategy{strategy::bulk, "bulk is declared; nothing below it has to be looked at"}
                   : chosen_strategy{strategy::per_row, "per_row is declared"};
    }
    if (walked) return {strategy::per_row, "it has relations whose rows have to go first"};
    if (attached) return {strategy::per_row, "other models attach themselves to it"};
    if (of.per_row_hooks) return {strategy::per_row, "its hooks see every row"};
    return {strategy::bulk, "it has no relation to follow and no hook that sees its rows"};
}

/// Most rows per statement of a strategy, if the trait does not say. Rows that are seen one by one begin with a hundred
/// and come to more only where they take little time.
[[nodiscard]] constexpr std::int32_t default_chunk_size(strategy which) noexcept {
    return which == strategy::bulk ? 10'000 : 1'000;
}

}  // namespace winnow::inline v0
