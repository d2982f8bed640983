// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/outbox/shard.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/plan.hpp"

namespace winnow::inline v0 {

/// Which model a message of a silo is about.
class outbox_routes {
public:
    /// @throws error of kind `configuration` when two models share a category: a message could not tell them apart
    outbox_routes(const catalog& models, silo where) {
        for (std::size_t index = 0; index < models.size(); ++index) {
            const plan& one = models[index];
            if (one.replication == nullptr) continue;
            scopes_.push_back(one.replication);
            if (one.silo == where) models_.push_back(&one);
        }
        const auto category = [](const plan* one) { return one->replication->category; };
        std::sort(models_.begin(), models_.end(),
                  [&](const plan* a, const plan* b) { return category(a) < category(b); });
        for (std::size_t i = 1; i < models_.size(); ++i) {
            if (category(models_[i]) != category(models_[i - 1])) continue;
            throw error(failure::configuration, std::string(models_[i - 1]->key) + " and " +
                                                    std::string(models_[i]->key) + " share the category " +
                                                    std::string(models_[i]->replication->category_name) + ".")
                .with_model(models_[i]->key)
                .with_hint("Give each replicated model of a silo a category of its own.");
        }
    }

    /// The model whose messages have this category; null for one that this program does not know.
    [[nodiscard]] const plan* find(std::int32_t category) const noexcept {
        const auto at = std::lower_bound(models_.begin(), models_.end(), category,
                                         [](const plan* a, std::int32_t b) { return a->replication->category < b; });
        return at == models_.end() || (*at)->replication->category != category ? nullptr : *at;
    }
    /// Whether messages of a scope are delivered strictly in order.
    [[nodiscard]] bool strict(std::int32_t scope) const noexcept {
        return std::any_of(models_.begin(), models_.end(), [&](const plan* one) {
            return one->replication->scope == scope && one->replication->strict_order;
        });
    }
    [[nodiscard]] std::string category_name(std::int32_t category) const {
        const plan* known = find(category);
        return known == nullptr ? std::to_string(category) : std::string(known->replication->category_name);
    }
    [[nodiscard]] std::string scope_name(std::int32_t scope) const {
        for (const replication* one : scopes_)
            if (one->scope == scope) return std::string(one->scope_name);
        return std::to_string(scope);
    }
    /// A scope by its name or its number; of either silo, because options speak of both.
    [[nodiscard]] std::optional<std::int32_t> find_scope(std::string_view text) const {
        for (const replication* one : scopes_)
            if (one->scope_name == text) return one->scope;
        std::int32_t number = 0;
        const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
        return number;
    }
    /// A shard as people read it: `organization 42`, `user 7 to us`.
    [[nodiscard]] std::string text_of(const outbox_shard& which) const {
        std::string text = scope_name(which.scope) + " " + std::to_string(which.identifier);
        if (!which.cell_name.empty()) text += " to " + which.cell_name;
        return text;
    }
    [[nodiscard]] const std::vector<const plan*>& models() const noexcept { return models_; }

private:
    std::vector<const plan*> models_;  // by category
    std::vector<const replication*> scopes_;
};

}  // namespace winnow::inline v0
