// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "winnow/context/context.hpp"
#include "winnow/core/error.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow::inline v0::detail {

/// How often a transaction that lost a deadlock, or that found the file busy, is tried in all.
inline constexpr int transaction_tries = 10;

/// Waits before try number `tries` + 1: 5 ms, doubling up to about a second.
inline void wait_before_retry(clock& time, int tries) {
    time.sleep(std::chrono::milliseconds{5} * (1 << (tries < 8 ? tries - 1 : 7)));
}

/// Runs `work()` in one writing transaction of the source, again from its beginning when the database says that it
/// may succeed then. `work` must not keep what it learned in a try that failed.
template <class Work>
void in_source(const context& with, Work&& work) {
    for (int tries = 1;; ++tries) {
        try {
            transaction open(with.database);
            work();
            open.commit();
            return;
        } catch (const error& problem) {
            if (with.stopping() || !problem.may_retry() || problem.in_doubt() || !with.database.usable() ||
                tries == transaction_tries)
                throw;
        }
        wait_before_retry(with.time, tries);
    }
}

}  // namespace winnow::inline v0::detail
