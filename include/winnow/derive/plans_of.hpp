// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "winnow/derive/replication.hpp"
#include "winnow/derive/shell.hpp"
#include "winnow/derive/statements.hpp"
#include "winnow/derive/strategy.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/registry/registry.hpp"

namespace winnow::inline v0 {

namespace detail {

template <class Type>
consteval plan make_plan(model_records registry) {
    const model_record& record = lowered<Type>::record;
    plan made = shell_of<Type>;
    const chosen_strategy chosen = choose_strategy(record, registry);
    made.strategy = chosen.strategy;
    made.strategy_reason = chosen.reason;
    made.chunk_size = record.chunk_size != 0 ? record.chunk_size : default_chunk_size(chosen.strategy);
    made.query_limit = record.query_limit != 0 ? record.query_limit : made.chunk_size;
    made.relations = relations_of<Type>;
    made.attached = attached_of<Type>;
    made.statements = row_statements_of<Type>;
    if constexpr (lowered<Type>::record.replication != nullptr) made.replication = &replication_of<Type>;
    made.remotes = remotes_of<Type>;
    return made;
}

template <class Registry, bool Proved = Registry::proved>
struct plans;

/// Nothing is made of models that were refused, so that the refusal stays the only error.
template <class Registry>
struct plans<Registry, false> {
    static constexpr std::array<plan, 0> all{};
};

template <class... Models>
struct plans<registry<Models...>, true> {
    static constexpr std::array<plan, sizeof...(Models)> all{make_plan<Models>(registry<Models...>::records)...};
};

}  // namespace detail

/// The plans of a registry: constant data that the rest of winnow runs on, in the order of the models.
///
///     catalog models(winnow::plans_of<Models>);
template <class Registry>
inline constexpr const auto& plans_of = detail::plans<Registry>::all;

namespace detail {

/// Stands for a plan of models that were refused.
inline constexpr plan no_plan{};

}  // namespace detail

/// The plan of one model of a registry.
template <class Registry, class Type>
    requires(Registry::template contains<Type>)
[[nodiscard]] constexpr const plan& plan_of() noexcept {
    if constexpr (Registry::proved) {
        std::size_t at = 0;
        while (plans_of<Registry>[at].key != lowered<Type>::record.key) ++at;
        return plans_of<Registry>[at];
    } else {
        return detail::no_plan;
    }
}

}  // namespace winnow::inline v0
