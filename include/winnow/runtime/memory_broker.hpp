// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "winnow/runtime/broker.hpp"
#include "winnow/runtime/wakeup.hpp"

namespace winnow::inline v0 {

/// Where the brokers of one process keep their tasks.
class memory_queue {
public:
    using moment = std::chrono::steady_clock::time_point;

    struct entry {
        task what;
        std::string queue;
        std::uint64_t id = 0;
        moment visible;
        std::string owner;        ///< empty: nobody has it
        std::uint64_t taken = 0;  ///< grows with each taking
    };

    std::mutex mutex;
    std::list<entry> entries;  ///< in the order of `visible`
    std::uint64_t last = 0;
    wakeup changed;

    /// Precondition: the mutex is held.
    void insert(entry one) {
        const auto at =
            std::find_if(entries.begin(), entries.end(), [&](const entry& each) { return each.visible > one.visible; });
        entries.insert(at, std::move(one));
    }
};

/// A broker inside of one process: for tests, for one round, and for one process that is all there is.
class memory_broker final : public broker {
public:
    memory_broker(std::shared_ptr<memory_queue> place, broker_options options)
        : place_(std::move(place)), options_(std::move(options)) {}

    [[nodiscard]] std::string description() const override { return "the memory of this process"; }
    [[nodiscard]] bool serves(std::string_view queue) const override { return options_.serves(queue); }

    void push(const task& what, double delay_seconds = 0) override {
        {
            const std::lock_guard guard(place_->mutex);
            place_->insert({what, queue_of(what), ++place_->last, after(delay_seconds), {}, 0});
        }
        place_->changed.notify();
    }

    [[nodiscard]] std::optional<taken_task> take(std::chrono::milliseconds patience) override {
        const moment end = memory_clock::now() + patience;
        for (;;) {
            const std::uint64_t seen = place_->changed.now();
            moment next = end;
            if (std::optional<taken_task> found = take_now(next)) return found;
            const moment now = memory_clock::now();
            if (now >= end) return std::nullopt;
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(std::min(next, end) - now);
            place_->changed.wait(seen, std::max(left, std::chrono::milliseconds(1)));
        }
    }

    bool done(const taken_task& which) override {
        const std::lock_guard guard(place_->mutex);
        const auto found = find(which);
        if (found == place_->entries.end()) return false;
        place_->entries.erase(found);
        return true;
    }

    bool retry(const taken_task& which, double delay_seconds) override {
        {
            const std::lock_guard guard(place_->mutex);
            const auto found = find(which);
            if (found == place_->entries.end()) return false;
            memory_queue::entry again = std::move(*found);
            place_->entries.erase(found);
            ++again.what.attempt;
            again.visible = after(delay_seconds);
            again.owner.clear();
            place_->insert(std::move(again));
        }
        place_->changed.notify();
        return true;
    }

    bool extend(const taken_task& which) override {
        const std::lock_guard guard(place_->mutex);
        const auto found = find(which);
        if (found == place_->entries.end()) return false;
        memory_queue::entry kept = std::move(*found);
        place_->entries.erase(found);
        kept.visible = after(options_.lease_seconds);
        place_->insert(std::move(kept));
        return true;
    }

    [[nodiscard]] broker_statistics statistics() override {
        const std::lock_guard guard(place_->mutex);
        broker_statistics all;
        const moment now = memory_clock::now();
        for (const memory_queue::entry& one : place_->entries) {
            if (!options_.serves(one.queue)) continue;
            ++(one.visible <= now ? all.waiting : one.owner.empty() ? all.delayed : all.running);
        }
        return all;
    }

private:
    using memory_clock = std::chrono::steady_clock;
    using moment = memory_queue::moment;

    [[nodiscard]] static moment after(double seconds) {
        return memory_clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6));
    }
    /// @param[in,out] next becomes the moment at which the next task may be taken, if that is earlier
    [[nodiscard]] std::optional<taken_task> take_now(moment& next) {
        const std::lock_guard guard(place_->mutex);
        const moment now = memory_clock::now();
        for (auto one = place_->entries.begin(); one != place_->entries.end(); ++one) {
            if (!options_.serves(one->queue)) continue;
            if (one->visible > now) {
                next = std::min(next, one->visible);
                return std::nullopt;
            }
            memory_queue::entry taken = std::move(*one);
            place_->entries.erase(one);
            taken.owner = options_.owner;
            ++taken.taken;
            taken.visible = after(options_.lease_seconds);
            taken_task made{taken.what, taken.queue, std::to_string(taken.id) + "/" + std::to_string(taken.taken),
                            taken.owner};
            place_->insert(std::move(taken));
            return made;
        }
        return std::nullopt;
    }
    [[nodiscard]] std::list<memory_queue::entry>::iterator find(const taken_task& which) {
        return std::find_if(place_->entries.begin(), place_->entries.end(), [&](const memory_queue::entry& one) {
            return !one.owner.empty() && std::to_string(one.id) + "/" + std::to_string(one.taken) == which.id;
        });
    }

    std::shared_ptr<memory_queue> place_;
    broker_options options_;
};

}  // namespace winnow::inline v0
