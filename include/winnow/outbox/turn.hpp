// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/outbox/handler.hpp"
#include "winnow/outbox/mirror.hpp"
#include "winnow/outbox/read_rows.hpp"
#include "winnow/outbox/work.hpp"

namespace winnow::inline v0::detail {

/// Delivers the units of a claim.
class unit_delivery {
public:
    explicit unit_delivery(outbox_work& work) : work_(work) {}

    /// Never throws for a single message, nor for a target that is away.
    void run() {
        std::vector<outbox_unit*> free;
        std::vector<std::vector<outbox_unit*>> strict(work_.claim.shards.size());
        for (outbox_unit& one : work_.units)
            (work_.claim.shards[one.shard].strict ? strict[one.shard] : free).push_back(&one);
        try {
            deliver_free(free);
            for (const std::vector<outbox_unit*>& each : strict) deliver_strict(each);
        } catch (const target_unreachable& problem) {
            work_.unreachable = problem.what();
        }
        for (const std::vector<outbox_unit*>& each : strict) {
            const auto behind = std::find_if(
                each.begin(), each.end(), [](const outbox_unit* one) { return one->state != unit_state::delivered; });
            for (auto one = behind; one != each.end(); ++one)
                if (one != behind) (*one)->state = unit_state::left;
        }
        for (outbox_unit& one : work_.units)
            if (one.state == unit_state::waiting || work_.lost(one)) one.state = unit_state::left;
    }

private:
    static constexpr std::size_t payloads_at_once = 200;

    /// Whatever fails stays behind alone, the rest goes on.
    void deliver_free(std::span<outbox_unit* const> units) {
        std::vector<outbox_unit*> copied;
        std::vector<outbox_unit*> handled;
        for (outbox_unit* one : units) {
            if (!known(*one)) continue;
            if (one->about->replication->mirror) copied.push_back(one);
            if (has_handler(*one->about)) handled.push_back(one);
        }
        (void)deliver_together(work_, copied, false);
        std::vector<outbox_unit*> gone;
        std::set<std::tuple<std::size_t, std::int32_t, std::int64_t>> blocked;
        for (std::size_t i = 0; i < handled.size(); ++i) {
            outbox_unit& one = *handled[i];
            if (i % payloads_at_once == 0)
                payloads_ = read_payloads(
                    work_, std::span(handled).subspan(i).first(std::min(payloads_at_once, handled.size() - i)));
            const std::tuple key(one.shard, one.category, one.object);
            if (blocked.count(key) != 0) one.state = unit_state::left;
            else if (!handle(one, gone)) blocked.insert(key);
        }
        (void)deliver_together(work_, gone, false);
    }

    /// One after the other; the first that fails ends the turn of its shard.
    void deliver_strict(std::span<outbox_unit* const> units) {
        std::vector<outbox_unit*> together;
        std::vector<outbox_unit*> gone;
        for (std::size_t i = 0; i < units.size(); ++i) {
            outbox_unit& one = *units[i];
            if (!known(one)) {
                if (!deliver_together(work_, together, true)) one.state = unit_state::left;
                return;
            }
            const bool handled = has_handler(*one.about);
            if (one.about->replication->mirror) together.push_back(&one);
            if (!handled) continue;
            const bool ahead = deliver_together(work_, together, true);
            together.clear();
            if (!ahead) return;
            payloads_ = read_payloads(work_, units.subspan(i, 1));
            gone.clear();
            if (!handle(one, gone) || !deliver_together(work_, gone, true)) return;
        }
        (void)deliver_together(work_, together, true);
    }

    [[nodiscard]] bool known(outbox_unit& one) const {
        if (one.about == nullptr) {
            // A newer program may know it: such a message is tried for ever, so that rolling out never kills it.
            one.may_die = false;
            work_.fail(one, "Category " + std::to_string(one.category) + " of message " +
                                std::to_string(one.ids.back()) + " in table winnow_" +
                                std::string(name_of(work_.claim.where)) +
                                "_outbox is unknown: no model of this program is replicated under it.");
        }
        return one.state == unit_state::waiting;
    }

    /// @return false when the unit was not delivered
    bool handle(outbox_unit& one, std::vector<outbox_unit*>& gone) {
        const bool copied = one.about->replication->mirror && one.state == unit_state::delivered;
        if (!copied && one.state != unit_state::waiting) return false;
        if (work_.with.stopping() || !renew_leases(work_) || work_.lost(one)) {
            one.state = unit_state::left;
            return false;
        }
        const auto payload = payloads_.find(one.ids.back());
        if (!deliver_by_handler(work_, one, payload == payloads_.end() ? std::string() : payload->second)) return false;
        if (!copied && !one.exists) gone.push_back(&one);
        else one.state = unit_state::delivered;
        return true;
    }

    outbox_work& work_;
    std::map<std::int64_t, std::string> payloads_;
};

}  // namespace winnow::inline v0::detail
