// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "winnow/context/clock.hpp"

namespace winnow::inline v0 {

/// How many rows a batch takes. It begins with one, so that even a run which is killed after a moment has moved, and
/// grows to what the last batch says can be done in the wanted time.
class backfill_pace {
public:
    backfill_pace() = default;
    backfill_pace(std::int64_t most, clock::duration wanted) : most_(most), wanted_(wanted) {}

    /// @param left time until the run ends: a batch that would outlive it is not begun
    [[nodiscard]] std::int64_t rows(clock::duration left) const noexcept {
        if (per_row_ <= 0) return next_;
        const auto fit = static_cast<double>(std::max<clock::duration::rep>(0, left.count())) / per_row_;
        return fit >= static_cast<double>(next_) ? next_ : std::max<std::int64_t>(1, static_cast<std::int64_t>(fit));
    }
    void learn(std::int64_t rows, clock::duration taken) noexcept {
        constexpr std::int64_t growth = 16;
        const double spent = std::max(1.0, static_cast<double>(taken.count()));
        per_row_ = spent / static_cast<double>(rows);
        const double fit = static_cast<double>(wanted_.count()) / per_row_;
        const std::int64_t ceiling = std::min(most_, next_ * growth);
        next_ =
            fit >= static_cast<double>(ceiling) ? ceiling : std::max<std::int64_t>(1, static_cast<std::int64_t>(fit));
    }
    /// After a batch that could not be committed.
    void shrink() noexcept { next_ = std::max<std::int64_t>(1, next_ / 2); }

private:
    std::int64_t most_ = 50'000;
    clock::duration wanted_ = std::chrono::milliseconds(100);
    std::int64_t next_ = 1;
    double per_row_ = 0;  ///< microseconds
};

}  // namespace winnow::inline v0
