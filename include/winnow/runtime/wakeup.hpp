// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace winnow::inline v0 {

/// Threads of one process tell each other that there may be something to do, or that it is time to stop.
class wakeup {
public:
    wakeup() = default;
    wakeup(const wakeup&) = delete;
    wakeup& operator=(const wakeup&) = delete;
    ~wakeup() = default;

    void notify() noexcept {
        {
            const std::lock_guard guard(mutex_);
            ++count_;
        }
        changed_.notify_all();
    }
    /// What `wait` compares with: taken before looking whether there is something to do, so that nothing is missed.
    [[nodiscard]] std::uint64_t now() const {
        const std::lock_guard guard(mutex_);
        return count_;
    }
    /// Waits until somebody has notified since `before`, at most that long. @return whether somebody has
    bool wait(std::uint64_t before, std::chrono::milliseconds at_most) {
        std::unique_lock guard(mutex_);
        return changed_.wait_for(guard, at_most, [&] { return count_ != before; });
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t count_ = 0;
};

}  // namespace winnow::inline v0
