// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <string_view>

#include "winnow/context/observer.hpp"

namespace winnow::inline v0 {

/// Tells once that something is away, and once that it is back, however many threads notice.
class outages {
public:
    explicit outages(observer& watch) : watch_(&watch) {}

    void away(const std::string& what, std::string_view why) {
        const std::lock_guard guard(mutex_);
        if (!away_.emplace(what, why).second) return;
        watch_->log(log_level::error, what + " cannot be reached; it is tried again until it can", {{"reason", why}});
    }
    void back(const std::string& what) {
        const std::lock_guard guard(mutex_);
        if (away_.erase(what) == 0) return;
        watch_->log(log_level::info, what + " can be reached again", {});
    }
    /// Why something is away; empty: nothing is.
    [[nodiscard]] std::string why() const {
        const std::lock_guard guard(mutex_);
        std::string text;
        for (const auto& [what, why] : away_) text += (text.empty() ? "" : "; ") + what + " cannot be reached: " + why;
        return text;
    }

private:
    observer* watch_;
    mutable std::mutex mutex_;
    std::map<std::string, std::string> away_;
};

/// A value give or take a tenth, so that what failed together is not tried again together.
template <class Random>
[[nodiscard]] double with_jitter(double seconds, Random& random) {
    return seconds * std::uniform_real_distribution<double>(0.9, 1.1)(random);
}

/// When to try again what failed: pauses double from 0.2 s to 10 s.
class backing_off {
public:
    [[nodiscard]] bool may_try() const { return std::chrono::steady_clock::now() >= next_; }
    template <class Random>
    void failed(Random& random) {
        const double pause = std::min(10.0, 0.2 * static_cast<double>(1U << std::min(failures_, 6U)));
        ++failures_;
        next_ = std::chrono::steady_clock::now() +
                std::chrono::microseconds(static_cast<std::int64_t>(with_jitter(pause, random) * 1e6));
    }
    void worked() noexcept { failures_ = 0; }

private:
    std::chrono::steady_clock::time_point next_{};
    unsigned failures_ = 0;
};

}  // namespace winnow::inline v0
