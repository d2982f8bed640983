// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "winnow/context/context.hpp"
#include "winnow/plan/silo.hpp"

namespace winnow::inline v0 {

/// A shard that messages were written to.
struct touched_shard {
    silo source = silo::cell;     ///< of the table whose rows have changed
    std::int32_t scope = 0;       ///< the application's number
    std::int64_t identifier = 0;  ///< value of the shard column

    friend constexpr auto operator<=>(const touched_shard&, const touched_shard&) = default;
};

/// What delivers messages right after the transaction that wrote them, so that a copy need not wait for the scheduler.
class outbox_flush {
public:
    outbox_flush() = default;
    outbox_flush(const outbox_flush&) = delete;
    outbox_flush& operator=(const outbox_flush&) = delete;
    virtual ~outbox_flush() = default;

    /// Called after the commit, outside of any transaction. It claims the shards as any other worker does and leaves
    /// those that another one holds (rule 10). What it throws is logged: the change itself is committed.
    virtual void flush(const context& with, std::span<const touched_shard> shards) = 0;
};

}  // namespace winnow::inline v0
