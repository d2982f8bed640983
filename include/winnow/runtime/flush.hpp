// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "winnow/context/context.hpp"
#include "winnow/context/outbox_flush.hpp"
#include "winnow/outbox/drain.hpp"
#include "winnow/outbox/shard.hpp"

namespace winnow::inline v0 {

/// Drains the shards that a transaction has written to, right after its commit. A shard that another worker holds is
/// left to it; what fails waits for the scheduler (rule 10).
class drain_after_commit final : public outbox_flush {
public:
    void flush(const context& with, std::span<const touched_shard> shards) override {
        for (const touched_shard& one : shards) {
            outbox_shard shard{one.source, one.scope, one.identifier, {}};
            if (one.source == silo::cell) {
                (void)drain_shard(with, shard);
                continue;
            }
            if (with.silos == nullptr) continue;
            for (const std::string& cell : with.silos->cells()) {
                shard.cell_name = cell;
                (void)drain_shard(with, shard);
            }
        }
    }
};

}  // namespace winnow::inline v0
