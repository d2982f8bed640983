// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "winnow/abi/plan.h"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/plan/replication.hpp"
#include "winnow/plugin/lower_hooks.hpp"
#include "winnow/plugin/statement_members.hpp"
#include "winnow/plugin/values.hpp"

namespace winnow::inline v0 {

namespace detail {

[[nodiscard]] constexpr winnow_column to_abi(const column& one) noexcept {
    return {to_abi(one.name), to_abi(one.quoted), static_cast<std::uint32_t>(one.kind) + 1, one.optional ? 1U : 0U};
}
[[nodiscard]] constexpr winnow_index_list to_abi(std::span<const std::uint16_t> indices) noexcept {
    return {indices.empty() ? nullptr : indices.data(), indices.size()};
}

/// Constant statements as the contract's struct, whose size stands in front.
template <class Struct, class Record, std::size_t Size>
[[nodiscard]] constexpr Struct lower_statements(const Record& from,
                                                const statement_member<Record, Struct> (&members)[Size]) {
    Struct made{};
    made.size = sizeof(Struct);
    for (const statement_member<Record, Struct>& one : members) made.*one.abi = to_abi(from.*one.record);
    return made;
}

/// Calls `each(relation)` for those that a model has and those by which it attaches itself, in this order.
template <class Each>
constexpr void each_relation(const plan& of, const Each& each) {
    for (const relation& one : of.relations) each(one);
    for (const relation& one : of.attached) each(one);
}

/// How many records of each kind the plans are made of.
struct lowered_sizes {
    std::size_t columns = 0;
    std::size_t filters = 0;
    std::size_t skips = 0;
    std::size_t relations = 0;
    std::size_t mirrored = 0;
    std::size_t remotes = 0;
};
[[nodiscard]] constexpr lowered_sizes count_records(std::span<const plan> plans) {
    lowered_sizes size;
    for (const plan& of : plans) {
        size.columns += of.columns.size();
        size.remotes += of.remotes.size();
        each_relation(of, [&](const relation& one) {
            size.columns += one.columns.size() + one.referenced.size() + one.filters.size();
            size.filters += one.filters.size();
            size.skips += one.skips.size();
            ++size.relations;
        });
        if (of.replication == nullptr) continue;
        size.columns += of.replication->mirror.columns.size();
        size.mirrored += of.replication->mirror.columns.size();
    }
    return size;
}

/// Hands out what stands in a constant array, in the order in which it was put there.
template <class Item>
class lowered_cursor {
public:
    template <std::size_t Size>
    constexpr explicit lowered_cursor(const std::array<Item, Size>& all) noexcept : next_(all.data()) {}

    constexpr const Item* take(std::size_t count) noexcept {
        const Item* const taken = next_;
        next_ += count;
        return count == 0 ? nullptr : taken;
    }

private:
    const Item* next_;
};

/// The records of constant plans as the contract has them. One array after the other, since a constant may point to one
/// that is complete only.
template <const auto& Plans>
struct lowered_plans {
    static constexpr std::span<const plan> plans{Plans};
    static constexpr std::size_t count = plans.size();
    static constexpr lowered_sizes sizes = count_records(plans);

    // What points to nothing but texts.
    static constexpr auto columns = [] {
        std::array<winnow_column, sizes.columns> made{};
        std::size_t at = 0;
        const auto add = [&](std::span<const column> some) {
            for (const column& one : some) made[at++] = to_abi(one);
        };
        for (const plan& of : plans) {
            add(of.columns);
            each_relation(of, [&](const relation& one) {
                add(one.columns);
                add(one.referenced);
                for (const filter& some : one.filters) made[at++] = to_abi(some.where);
            });
            if (of.replication == nullptr) continue;
            for (const mirrored_column& one : of.replication->mirror.columns) made[at++] = to_abi(one.target);
        }
        return made;
    }();
    static constexpr auto skips = [] {
        std::array<winnow_text, sizes.skips> made{};
        std::size_t at = 0;
        for (const plan& of : plans)
            each_relation(of, [&](const relation& one) {
                for (const std::string_view key : one.skips) made[at++] = to_abi(key);
            });
        return made;
    }();
    static constexpr auto relation_texts = [] {
        std::array<winnow_relation_statements, sizes.relations> made{};
        std::size_t at = 0;
        for (const plan& of : plans)
            each_relation(of, [&](const relation& one) {
                made[at++] = lower_statements(one.statements, relation_statement_members);
            });
        return made;
    }();
    static constexpr auto remote_texts = [] {
        std::array<winnow_remote_statements, sizes.remotes> made{};
        std::size_t at = 0;
        for (const plan& of : plans)
            for (const remote_relation& one : of.remotes)
                made[at++] = lower_statements(one.statements, remote_statement_members);
        return made;
    }();

    // What every model has or may have, by its place among the plans.
    struct of_model {
        winnow_row_statements texts;
        winnow_status_column status;
        winnow_hooks hooks;
        winnow_replication_statements replication_texts;
        winnow_replication_hooks replication_hooks;
    };
    static constexpr auto models = [] {
        std::array<of_model, count> made{};
        for (std::size_t i = 0; i < count; ++i) {
            const plan& of = plans[i];
            made[i].texts = lower_statements(of.statements, row_statement_members);
            made[i].status = {sizeof(winnow_status_column), of.status ? static_cast<std::uint32_t>(of.status.index) : 0,
                              of.status.active, of.status.pending, of.status.in_progress};
            made[i].hooks = {sizeof(winnow_hooks),
                             0,
                             to_abi(of.hooks.should_proceed),
                             to_abi(of.hooks.pending_delete),
                             to_abi(of.hooks.before_delete),
                             to_abi(of.hooks.after_delete)};
            if (of.replication == nullptr) continue;
            made[i].replication_texts = lower_statements(of.replication->statements, replication_statement_members);
            made[i].replication_hooks = to_abi(of.replication->hooks);
        }
        return made;
    }();

    // What points to columns.
    static constexpr auto filters = [] {
        std::array<winnow_filter, sizes.filters> made{};
        lowered_cursor<winnow_column> from(columns);
        std::size_t at = 0;
        for (const plan& of : plans) {
            from.take(of.columns.size());
            each_relation(of, [&](const relation& one) {
                from.take(one.columns.size() + one.referenced.size());
                for (const filter& some : one.filters)
                    made[at++] = {{from.take(1), 1, sizeof(winnow_column)}, to_abi(some.literal)};
            });
            if (of.replication != nullptr) from.take(of.replication->mirror.columns.size());
        }
        return made;
    }();
    static constexpr auto mirrored = [] {
        std::array<winnow_mirrored_column, sizes.mirrored> made{};
        lowered_cursor<winnow_column> from(columns);
        std::size_t at = 0;
        for (const plan& of : plans) {
            from.take(of.columns.size());
            each_relation(of, [&](const relation& one) {
                from.take(one.columns.size() + one.referenced.size() + one.filters.size());
            });
            if (of.replication == nullptr) continue;
            for (const mirrored_column& one : of.replication->mirror.columns)
                made[at++] = {one.source, one.identifies ? 1U : 0U, {from.take(1), 1, sizeof(winnow_column)}};
        }
        return made;
    }();

    // What points to those.
    static constexpr auto relations = [] {
        std::array<winnow_relation, sizes.relations> made{};
        lowered_cursor<winnow_column> column_from(columns);
        lowered_cursor<winnow_filter> filter_from(filters);
        lowered_cursor<winnow_text> skip_from(skips);
        std::size_t at = 0;
        for (const plan& of : plans) {
            column_from.take(of.columns.size());
            each_relation(of, [&](const relation& one) {
                winnow_relation& to = made[at];
                to.kind = static_cast<std::uint32_t>(one.kind) + 1;
                to.parent = to_abi(one.parent);
                to.child = to_abi(one.child);
                to.columns = {column_from.take(one.columns.size()), one.columns.size(), sizeof(winnow_column)};
                to.referenced = {column_from.take(one.referenced.size()), one.referenced.size(), sizeof(winnow_column)};
                column_from.take(one.filters.size());
                to.filters = {filter_from.take(one.filters.size()), one.filters.size(), sizeof(winnow_filter)};
                to.skips = {skip_from.take(one.skips.size()), one.skips.size()};
                to.applies = to_abi(one.applies);
                to.external = to_abi(one.external);
                to.statements = one.kind == relation_kind::external ? nullptr : &relation_texts[at];
                ++at;
            });
            if (of.replication != nullptr) column_from.take(of.replication->mirror.columns.size());
        }
        return made;
    }();
    static constexpr auto remotes = [] {
        std::array<winnow_remote_relation, sizes.remotes> made{};
        std::size_t at = 0;
        for (const plan& of : plans)
            for (const remote_relation& one : of.remotes) {
                made[at] = {static_cast<std::uint32_t>(one.kind) + 1, one.index, to_abi(one.parent), &remote_texts[at]};
                ++at;
            }
        return made;
    }();
    static constexpr auto mirrors = [] {
        std::array<winnow_mirror, count> made{};
        lowered_cursor<winnow_mirrored_column> from(mirrored);
        for (std::size_t i = 0; i < count; ++i) {
            if (plans[i].replication == nullptr || !plans[i].replication->mirror) continue;
            const mirror_plan& of = plans[i].replication->mirror;
            made[i] = {sizeof(winnow_mirror),
                       0,
                       to_abi(of.model),
                       to_abi(of.table),
                       {from.take(of.columns.size()), of.columns.size(), sizeof(winnow_mirrored_column)},
                       to_abi(of.upsert),
                       to_abi(of.erase),
                       to_abi(of.read)};
        }
        return made;
    }();
    static constexpr auto replications = [] {
        std::array<winnow_replication, count> made{};
        for (std::size_t i = 0; i < count; ++i) {
            if (plans[i].replication == nullptr) continue;
            const replication& of = *plans[i].replication;
            winnow_replication& to = made[i];
            to.size = sizeof(winnow_replication);
            to.version = of.version;
            to.category = of.category;
            to.scope = of.scope;
            to.kind = static_cast<std::uint32_t>(of.kind) + 1;
            to.strict_order = of.strict_order ? 1 : 0;
            to.shard = of.shard;
            to.category_name = to_abi(of.category_name);
            to.scope_name = to_abi(of.scope_name);
            to.payload = to_abi(of.payload);
            to.fingerprint = of.fingerprint;
            to.mirror = of.mirror ? &mirrors[i] : nullptr;
            const bool handled = of.hooks.replicate != nullptr || of.hooks.erased != nullptr;
            to.hooks = handled ? &models[i].replication_hooks : nullptr;
            to.statements = &models[i].replication_texts;
        }
        return made;
    }();

    static constexpr auto all = [] {
        std::array<winnow_plan, count> made{};
        lowered_cursor<winnow_column> column_from(columns);
        lowered_cursor<winnow_relation> relation_from(relations);
        lowered_cursor<winnow_remote_relation> remote_from(remotes);
        for (std::size_t i = 0; i < count; ++i) {
            const plan& of = plans[i];
            winnow_plan& to = made[i];
            to.key = to_abi(of.key);
            to.schema = to_abi(of.schema);
            to.table = to_abi(of.table);
            to.quoted_table = to_abi(of.quoted_table);
            to.silo = static_cast<std::uint32_t>(of.silo) + 1;
            to.strategy = static_cast<std::uint32_t>(of.strategy) + 1;
            to.strategy_reason = to_abi(of.strategy_reason);
            to.chunk_size = of.chunk_size;
            to.query_limit = of.query_limit;
            to.newest_first = of.newest_first ? 1 : 0;
            to.birth = of.birth < 0 ? WINNOW_NO_COLUMN : static_cast<std::uint32_t>(of.birth);
            to.rate_limit_option = to_abi(of.rate_limit_option);
            to.columns = {column_from.take(of.columns.size()), of.columns.size(), sizeof(winnow_column)};
            to.primary_key = to_abi(of.primary_key);
            to.identity = to_abi(of.identity);
            to.status = of.status ? &models[i].status : nullptr;
            to.relations = {relation_from.take(of.relations.size()), of.relations.size(), sizeof(winnow_relation)};
            to.attached = {relation_from.take(of.attached.size()), of.attached.size(), sizeof(winnow_relation)};
            const hooks& called = of.hooks;
            const bool hooked =
                called.should_proceed || called.pending_delete || called.before_delete || called.after_delete;
            to.hooks = hooked ? &models[i].hooks : nullptr;
            to.statements = &models[i].texts;
            to.replication = of.replication != nullptr ? &replications[i] : nullptr;
            to.remotes = {remote_from.take(of.remotes.size()), of.remotes.size(), sizeof(winnow_remote_relation)};
            each_relation(of, [&](const relation& one) {
                column_from.take(one.columns.size() + one.referenced.size() + one.filters.size());
            });
            if (of.replication != nullptr) column_from.take(of.replication->mirror.columns.size());
        }
        return made;
    }();
};

}  // namespace detail

/// Constant plans as a plugin hands them over: constant as well, nothing of it is made when the program runs.
///
///     constexpr winnow_plan_list list = winnow::lower_plans<winnow::plans_of<Models>>();
///
/// @tparam Plans an array of plans with static storage
template <const auto& Plans>
[[nodiscard]] consteval winnow_plan_list lower_plans() {
    constexpr const auto& all = detail::lowered_plans<Plans>::all;
    return {all.empty() ? nullptr : all.data(), all.size(), sizeof(winnow_plan)};
}

}  // namespace winnow::inline v0
