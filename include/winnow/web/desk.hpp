// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "winnow/cli/environment.hpp"

namespace winnow::inline v0::web {

/// A few threads, each with an environment and so with connections of its own, that do what requests ask of the
/// databases. Whoever asks waits for a bounded time: a database that does not answer holds threads of the desk, never
/// the server's.
class desk {
public:
    using work = std::function<void(cli::environment&)>;
    using factory = std::function<std::unique_ptr<cli::environment>()>;

    desk(const factory& make, std::size_t threads) : shared_(std::make_shared<state>()) {
        shared_->threads = threads;
        shared_->most_waiting = threads * 4;
        shared_->running = threads;
        for (std::size_t i = 0; i < threads; ++i) {
            // Detached: one that a dead database holds cannot be waited for. What it uses is shared with it.
            std::thread([held = shared_, own = make()]() mutable { serve(*held, std::move(own)); }).detach();
        }
    }
    desk(const desk&) = delete;
    desk& operator=(const desk&) = delete;
    ~desk() { close(std::chrono::milliseconds(0)); }

    /// What became of a piece of work.
    enum class outcome : unsigned char {
        done,
        crowded,  ///< too many wait already; it was not begun
        late,     ///< not begun in time; it will not be
        lost,     ///< begun, and not done in time: it may still be carried out
    };

    /// Has a piece of work done and waits for it. `task` must not refer to what the caller's end takes away, and must
    /// not throw.
    outcome run(work task, std::chrono::milliseconds patience) {
        auto one = std::make_shared<item>();
        one->task = std::move(task);
        std::unique_lock guard(shared_->mutex);
        if (shared_->closing || shared_->waiting.size() >= shared_->most_waiting) return outcome::crowded;
        shared_->waiting.push_back(one);
        shared_->changed.notify_one();
        if (one->finished.wait_for(guard, patience, [&] { return one->done; })) return outcome::done;
        if (one->begun) return outcome::lost;
        one->abandoned = true;
        return outcome::late;
    }

    /// Takes no more work and waits for what is begun.
    /// @return false when a thread has not come back in time
    bool close(std::chrono::milliseconds patience) {
        std::unique_lock guard(shared_->mutex);
        shared_->closing = true;
        shared_->changed.notify_all();
        return shared_->ended.wait_for(guard, patience, [&] { return shared_->running == 0; });
    }

private:
    struct item {
        work task;
        bool begun = false;
        bool done = false;
        bool abandoned = false;
        std::condition_variable finished;
    };
    struct state {
        std::mutex mutex;
        std::condition_variable changed;
        std::condition_variable ended;
        std::deque<std::shared_ptr<item>> waiting;
        std::size_t threads = 0;
        std::size_t most_waiting = 0;
        std::size_t running = 0;
        bool closing = false;
    };

    static void serve(state& shared, std::unique_ptr<cli::environment> own) {
        std::unique_lock guard(shared.mutex);
        for (;;) {
            shared.changed.wait(guard, [&] { return shared.closing || !shared.waiting.empty(); });
            if (shared.closing) break;
            const std::shared_ptr<item> one = std::move(shared.waiting.front());
            shared.waiting.pop_front();
            if (one->abandoned) continue;
            one->begun = true;
            guard.unlock();
            own->start_afresh();
            one->task(*own);
            guard.lock();
            one->done = true;
            one->finished.notify_all();
        }
        guard.unlock();
        own.reset();  // its connections close before anybody hears that it has ended
        guard.lock();
        --shared.running;
        shared.ended.notify_all();
    }

    std::shared_ptr<state> shared_;
};

}  // namespace winnow::inline v0::web
