// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/core/json.hpp"
#include "winnow/outbox/fence.hpp"
#include "winnow/outbox/work.hpp"
#include "winnow/plan/delivery.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0::detail {

/// A delivery whose transactions in the target pass the shard's fence.
class fenced_delivery final : public delivery {
public:
    fenced_delivery(outbox_work& work, const outbox_unit& unit, std::string_view text) : work_(work), unit_(unit) {
        model = unit.about->key;
        category = unit.about->replication->category_name;
        object = unit.object;
        message_id = unit.ids.back();
        attempt = static_cast<int>(unit.attempts) + 1;
        payload = text;
        source = work.source;
        cell = work.claim.cell_name.empty() ? work.with.cell_name : std::string_view(work.claim.cell_name);
    }

    /// Whether the target could not be reached in the middle of the handler.
    [[nodiscard]] bool unreachable() const noexcept { return unreachable_; }

protected:
    bool run_in_target(bool once, work_function function, void* what) override {
        bool ran = false;
        try {
            in_fence(work_, {unit_.shard}, [&](connection& target) {
                ran = !once || note_arrival(target);
                if (ran) function(what, target);
            });
        } catch (const target_unreachable&) {
            unreachable_ = true;
            throw;
        }
        if (!work_.lost(unit_)) return ran;
        throw error(failure::refused, "Another worker has taken over shard " +
                                          work_.routes.text_of(work_.claim.shards[unit_.shard].key) + ".")
            .with_model(model)
            .with_hint("Leave the handler: the other worker delivers the message.");
    }

private:
    [[nodiscard]] bool note_arrival(connection& target) const {
        return target
                   .execute("INSERT INTO winnow_inbox (source, message_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                            {source, message_id})
                   .affected() > 0;
    }

    outbox_work& work_;
    const outbox_unit& unit_;
    bool unreachable_ = false;
};

/// Payloads of the newest messages of these units, by message id.
[[nodiscard]] inline std::map<std::int64_t, std::string> read_payloads(const outbox_work& work,
                                                                       std::span<outbox_unit* const> units) {
    key_set ids(1);
    for (const outbox_unit* one : units) add_id(ids, one->ids.back());
    const rows found = work.with.database.execute(
        work.spelled("SELECT id, {json payload} FROM winnow_{silo}_outbox WHERE payload IS NOT NULL AND " +
                     in_set(work.with.database.kind(), "id", 1)),
        {ids});
    std::map<std::int64_t, std::string> read;
    for (std::size_t row = 0; row < found.size(); ++row) read[found.integer(row, 0)] = found.text(row, 1);
    return read;
}

/// Calls the user's code for one unit, outside of every transaction.
/// @return whether it is delivered
inline bool deliver_by_handler(outbox_work& work, outbox_unit& unit, const std::string& payload) {
    const replication_hooks& hooks = unit.about->replication->hooks;
    if (!payload.empty() && !is_json(payload)) {
        work.fail(unit, "The payload of message " + std::to_string(unit.ids.back()) + " about " +
                            std::string(unit.about->key) + " " + std::to_string(unit.object) + " is no JSON.");
        return false;
    }
    fenced_delivery about(work, unit, payload);
    std::string why;
    try {
        if (unit.exists && hooks.replicate != nullptr) hooks.replicate(hooks.state, unit.row, about);
        if (!unit.exists && hooks.erased != nullptr) hooks.erased(hooks.state, unit.object, about);
        if (!work.lost(unit)) return true;
    } catch (const target_unreachable& problem) {
        throw target_unreachable(problem);
    } catch (const std::exception& problem) {
        why = problem.what();
    } catch (...) {
        why = "something was thrown that is no exception";
    }
    if (work.lost(unit)) {
        unit.state = unit_state::left;
        return false;
    }
    if (about.unreachable()) throw target_unreachable(error(failure::connection, why));
    work.fail(unit, "The handler of " + std::string(unit.about->key) + " failed: " + why);
    return false;
}

}  // namespace winnow::inline v0::detail
