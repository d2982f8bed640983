// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace winnow::inline v0 {

/// Asks running work to come to an end. Looked at between chunks, turns and batches, so that what is done stays done and
/// the rest is put down for whoever goes on. May be asked from any thread, and from a signal handler.
class stop_request {
public:
    stop_request() = default;
    stop_request(const stop_request&) = delete;
    stop_request& operator=(const stop_request&) = delete;
    ~stop_request() = default;

    void ask() noexcept { asked_.store(true, std::memory_order_release); }
    [[nodiscard]] bool asked() const noexcept { return asked_.load(std::memory_order_acquire); }
    /// For a program that goes on after all.
    void clear() noexcept { asked_.store(false, std::memory_order_release); }

private:
    static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not wait for a lock");
    std::atomic<bool> asked_{false};
};

}  // namespace winnow::inline v0
