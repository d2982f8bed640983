// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/core/error.hpp"
#include "winnow/runtime/broker.hpp"
#include "winnow/runtime/outages.hpp"
#include "winnow/runtime/worker_site.hpp"
#include "winnow/store/migrations.hpp"
#include "winnow/store/own_tables.hpp"

namespace winnow::inline v0 {

/// What one thread of a worker holds: a session at each site and a broker for each source, opened when they are needed
/// and again, after a pause, when they were lost.
class worker_lane {
public:
    /// @param name of the thread; unique in the process
    worker_lane(const worker_parts& parts, outages& trouble, const std::string& name)
        : parts_(parts), trouble_(trouble), owner_(parts.owner + "/" + name), sites_(parts.sites.size()) {
        for (const broker_source& source : parts.brokers)
            brokers_.push_back({&source, {source.queues, parts.task_seconds, owner_}, nullptr, {}});
    }

    [[nodiscard]] const std::string& owner() const noexcept { return owner_; }
    [[nodiscard]] std::mt19937& random() noexcept { return random_; }

    /// Index of the site whose tasks a queue holds.
    [[nodiscard]] std::optional<std::size_t> site_of(std::string_view queue) const {
        for (std::size_t at = 0; at < parts_.sites.size(); ++at)
            for (const std::string& one : parts_.sites[at].queues())
                if (one == queue) return at;
        return std::nullopt;
    }

    /// The session at a site; null while it cannot be opened.
    [[nodiscard]] site_session* session(std::size_t site) {
        held_site& held = sites_[site];
        if (held.open && !held.open->database->usable()) held.open.reset();
        if (held.open) return &*held.open;
        if (!held.pause.may_try()) return nullptr;
        try {
            site_session made = parts_.open(parts_.sites[site]);
            require_own_tables(*made.database);
            require_steps(*made.database, parts_.models.parts(), parts_.sites[site].mode);
            held.open.emplace(std::move(made));
            held.pause.worked();
            trouble_.back(title(site));
            return &*held.open;
        } catch (const std::exception& problem) {
            held.open.reset();
            held.pause.failed(random_);
            trouble_.away(title(site), problem.what());
            return nullptr;
        }
    }
    /// A connection broke in the middle of something; whether the database is away, the next one tells.
    void lose(std::size_t site, std::string_view why) {
        sites_[site].open.reset();
        sites_[site].pause.failed(random_);
        parts_.watch.log(log_level::warning, "a connection was lost", {{"database", title(site)}, {"reason", why}});
    }
    [[nodiscard]] context with(std::size_t site, silo where) {
        return parts_.with(parts_.sites[site], *sites_[site].open, where);
    }

    [[nodiscard]] std::size_t brokers() const noexcept { return brokers_.size(); }
    /// Whether a broker can be used at the moment, opened if need be.
    [[nodiscard]] bool ready(std::size_t which) {
        held_broker& held = brokers_[which];
        if (held.open) return true;
        if (!held.pause.may_try()) return false;
        return guarded(which, [](broker&) { return true; }).value_or(false);
    }
    /// Calls `work(broker)`. @return nothing when the broker is away, which is told
    template <class Work>
    auto guarded(std::size_t which, const Work& work) -> std::optional<decltype(work(std::declval<broker&>()))> {
        held_broker& held = brokers_[which];
        if (!held.open && !held.pause.may_try()) return std::nullopt;
        std::string name = "The broker of " + held.options.queues.front();
        try {
            if (!held.open) held.open = held.source->open(held.options);
            name += ", " + held.open->description() + ",";
            auto answer = work(*held.open);
            held.pause.worked();
            trouble_.back(held.told.empty() ? name : held.told);
            return answer;
        } catch (const std::exception& problem) {
            held.open.reset();
            held.pause.failed(random_);
            if (held.told.empty()) held.told = name;
            trouble_.away(held.told, problem.what());
            return std::nullopt;
        }
    }
    /// The same for the broker that a queue's tasks go to.
    template <class Work>
    auto guarded(std::string_view queue, const Work& work) -> std::optional<decltype(work(std::declval<broker&>()))> {
        for (std::size_t which = 0; which < brokers_.size(); ++which)
            if (brokers_[which].options.serves(queue)) return guarded(which, work);
        return std::nullopt;
    }
    /// @return whether the task was taken over by its broker
    bool push(const task& what, double delay_seconds = 0) {
        return guarded(std::string_view(queue_of(what)),
                       [&](broker& to) {
                           to.push(what, delay_seconds);
                           return true;
                       })
            .value_or(false);
    }
    /// Whether tasks of that queue can be handed on at the moment.
    [[nodiscard]] bool can_push(std::string_view queue) {
        for (std::size_t which = 0; which < brokers_.size(); ++which)
            if (brokers_[which].options.serves(queue)) return ready(which);
        return false;
    }

private:
    struct held_site {
        std::optional<site_session> open;
        backing_off pause;
    };
    struct held_broker {
        const broker_source* source;
        broker_options options;
        std::unique_ptr<broker> open;
        backing_off pause;
        std::string told{};  ///< under which name its absence was told
    };

    [[nodiscard]] std::string title(std::size_t site) const { return "The database of " + parts_.sites[site].title(); }

    const worker_parts& parts_;
    outages& trouble_;
    std::string owner_;
    std::mt19937 random_{std::random_device{}()};
    std::vector<held_site> sites_;
    std::vector<held_broker> brokers_;
};

}  // namespace winnow::inline v0
