// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <thread>

namespace winnow::inline v0 {

/// Time as a running piece of work sees it: for budgets and for waiting, never for due times or leases,
/// which are always compared by the database's own clock. Replaceable, so that tests need not wait.
class clock {
public:
    using duration = std::chrono::microseconds;

    clock() = default;
    clock(const clock&) = delete;
    clock& operator=(const clock&) = delete;
    virtual ~clock() = default;

    /// Time since some fixed moment; never goes backwards.
    [[nodiscard]] virtual duration now() = 0;
    virtual void sleep(duration how_long) = 0;
};

/// The machine's steady clock.
class steady_clock final : public clock {
public:
    [[nodiscard]] duration now() override {
        return std::chrono::duration_cast<duration>(std::chrono::steady_clock::now().time_since_epoch());
    }
    void sleep(duration how_long) override { std::this_thread::sleep_for(how_long); }
};

}  // namespace winnow::inline v0
