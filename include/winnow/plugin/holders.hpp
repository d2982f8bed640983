// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/plugin/loaded.hpp"

namespace winnow::inline v0::detail {

/// Which sets of models are alive, and who said that they are at work with one. Outlives the loader: the last holder
/// reports here.
class holder_board : public std::enable_shared_from_this<holder_board> {
public:
    /// Makes a set that is counted until the last who holds it lets go.
    [[nodiscard]] std::shared_ptr<const loaded_models> make(std::vector<std::shared_ptr<const loaded_plugin>> plugins,
                                                            std::vector<model_part> parts) {
        auto made = std::make_unique<loaded_models>(std::move(plugins), std::move(parts));
        std::vector<const loaded_plugin*> names;
        for (const auto& one : made->plugins) names.push_back(one.get());
        {
            const std::scoped_lock lock(mutex_);
            alive_.push_back({made.get(), std::move(names)});
        }
        return {made.release(), [board = shared_from_this()](const loaded_models* gone) {
                    // In this order: who waits for the plugin goes on when nothing of the set is left.
                    delete gone;
                    board->remove(gone);
                }};
    }

    /// The same set, held under a name until the last copy of what is returned goes.
    [[nodiscard]] std::shared_ptr<const loaded_models> hold(std::shared_ptr<const loaded_models> models,
                                                            std::string_view who) {
        auto held = std::make_shared<named_holder>(shared_from_this(), std::move(models), std::string(who));
        const loaded_models* set = held->models.get();
        return {std::move(held), set};
    }

    /// Waits until no set with this plugin is alive. @return whether that came about
    [[nodiscard]] bool wait_until_free(const loaded_plugin* plugin, std::chrono::milliseconds most) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, most, [&] { return !is_held(plugin); });
    }

    /// Who holds a set with this plugin, in words.
    [[nodiscard]] std::string who_holds(const loaded_plugin* plugin) const {
        const std::scoped_lock lock(mutex_);
        std::string text;
        for (const named_holder* one : named_) {
            if (!has(one->set, plugin)) continue;
            text += (text.empty() ? "" : ", ") + one->who;
        }
        return text.empty() ? "work that has no name" : text;
    }

private:
    struct live_set {
        const loaded_models* models;
        std::vector<const loaded_plugin*> plugins;
    };
    struct named_holder {
        named_holder(std::shared_ptr<holder_board> to, std::shared_ptr<const loaded_models> which, std::string name)
            : board(std::move(to)), models(std::move(which)), set(models.get()), who(std::move(name)) {
            const std::scoped_lock lock(board->mutex_);
            board->named_.push_back(this);
        }
        named_holder(const named_holder&) = delete;
        named_holder& operator=(const named_holder&) = delete;
        ~named_holder() {
            {
                const std::scoped_lock lock(board->mutex_);
                std::erase(board->named_, this);
            }
            models.reset();
        }
        std::shared_ptr<holder_board> board;
        std::shared_ptr<const loaded_models> models;
        const loaded_models* set;
        std::string who;
    };

    void remove(const loaded_models* gone) {
        {
            const std::scoped_lock lock(mutex_);
            std::erase_if(alive_, [&](const live_set& one) { return one.models == gone; });
        }
        changed_.notify_all();
    }
    [[nodiscard]] bool has(const loaded_models* set, const loaded_plugin* plugin) const {
        return std::any_of(alive_.begin(), alive_.end(), [&](const live_set& one) {
            return one.models == set && std::find(one.plugins.begin(), one.plugins.end(), plugin) != one.plugins.end();
        });
    }
    [[nodiscard]] bool is_held(const loaded_plugin* plugin) const {
        return std::any_of(alive_.begin(), alive_.end(), [&](const live_set& one) {
            return std::find(one.plugins.begin(), one.plugins.end(), plugin) != one.plugins.end();
        });
    }

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<live_set> alive_;
    std::vector<const named_holder*> named_;
};

}  // namespace winnow::inline v0::detail
