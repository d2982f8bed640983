// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/abi/plan.h"
#include "winnow/plan/part.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plugin/call_frame.hpp"
#include "winnow/plugin/lifted_delivery.hpp"
#include "winnow/plugin/lifted_hooks.hpp"

namespace winnow::inline v0::detail {

/// The host's copies of what a plugin handed over. Nothing moves once it is here: plans point into it.
class lifted_records {
public:
    explicit lifted_records(const plugin_identity& plugin) noexcept : plugin_(plugin) {}
    lifted_records(const lifted_records&) = delete;
    lifted_records& operator=(const lifted_records&) = delete;

    std::span<const column> keep(std::vector<column>&& some) { return columns_.emplace_back(std::move(some)); }
    std::span<const std::uint16_t> keep(std::vector<std::uint16_t>&& some) {
        return indices_.emplace_back(std::move(some));
    }
    std::span<const filter> keep(std::vector<filter>&& some) { return filters_.emplace_back(std::move(some)); }
    std::span<const std::string_view> keep(std::vector<std::string_view>&& some) {
        return texts_.emplace_back(std::move(some));
    }
    std::span<const relation> keep(std::vector<relation>&& some) { return relations_.emplace_back(std::move(some)); }
    std::span<const remote_relation> keep(std::vector<remote_relation>&& some) {
        return remotes_.emplace_back(std::move(some));
    }
    std::span<const mirrored_column> keep(std::vector<mirrored_column>&& some) {
        return mirrored_.emplace_back(std::move(some));
    }
    const replication* keep(const replication& one) { return &replications_.emplace_back(one); }

    /// Hooks as the engine calls them; none where the plugin has none.
    row_predicate keep(const winnow_row_predicate& held) {
        if (held.call == nullptr) return {};
        return {&ask_plugin, &predicates_.emplace_back(lifted_hook<winnow_row_predicate>{held, &plugin_})};
    }
    row_action keep(const winnow_row_action& held) {
        if (held.call == nullptr) return {};
        return {&tell_plugin, &actions_.emplace_back(lifted_hook<winnow_row_action>{held, &plugin_})};
    }
    external_task keep(const winnow_external_task& held) {
        if (held.call == nullptr) return {};
        return {&clear_by_plugin, &tasks_.emplace_back(lifted_hook<winnow_external_task>{held, &plugin_})};
    }
    replication_hooks keep(const winnow_replication_hooks& held) {
        const void* state = &handlers_.emplace_back(lifted_hook<winnow_replication_hooks>{held, &plugin_});
        return {held.replicate == nullptr ? nullptr : &replicate_by_plugin,
                held.erased == nullptr ? nullptr : &erase_by_plugin, state};
    }

    std::vector<plan> plans;
    std::vector<migration> migrations;
    std::vector<part_option> options;

private:
    const plugin_identity& plugin_;
    std::deque<std::vector<column>> columns_;
    std::deque<std::vector<std::uint16_t>> indices_;
    std::deque<std::vector<filter>> filters_;
    std::deque<std::vector<std::string_view>> texts_;
    std::deque<std::vector<relation>> relations_;
    std::deque<std::vector<remote_relation>> remotes_;
    std::deque<std::vector<mirrored_column>> mirrored_;
    std::deque<replication> replications_;
    std::deque<lifted_hook<winnow_row_predicate>> predicates_;
    std::deque<lifted_hook<winnow_row_action>> actions_;
    std::deque<lifted_hook<winnow_external_task>> tasks_;
    std::deque<lifted_hook<winnow_replication_hooks>> handlers_;
};

}  // namespace winnow::inline v0::detail
