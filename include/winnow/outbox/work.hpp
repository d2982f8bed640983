// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/core/error.hpp"
#include "winnow/outbox/claim.hpp"
#include "winnow/outbox/retry.hpp"
#include "winnow/outbox/routes.hpp"
#include "winnow/outbox/settings.hpp"
#include "winnow/outbox/shard.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/store/own_statement.hpp"
#include "winnow/store/rows.hpp"

namespace winnow::inline v0 {

namespace detail {

enum class unit_state : unsigned char {
    waiting,
    delivered,
    failed,
    left,  ///< not tried, or tried by a worker that was overtaken: stays as it is
};

/// What is delivered at once: an object with all its due messages of a category, or one event.
struct outbox_unit {
    std::size_t shard = 0;        ///< index into the claim's shards
    const plan* about = nullptr;  ///< null: a category that this program does not know
    std::int32_t category = 0;
    std::int64_t object = 0;
    std::vector<std::int64_t> ids;   ///< ascending; the newest is last
    std::int64_t attempts = 0;       ///< of the newest that failed so far
    std::int64_t most_attempts = 0;  ///< of all of them
    bool exists = false;             ///< whether the row was there when it was read
    row_values row;
    unit_state state = unit_state::waiting;
    std::string error;
    bool may_die = true;
};

/// The target cannot be reached: no fault of any message.
class target_unreachable : public error {
public:
    explicit target_unreachable(const error& why) : error(failure::connection, why.what()) { with_hint(why.hint()); }
};

/// Rows of one model on their way from one statement to another: the keys of those that exist and each mirrored
/// column, as arrays.
struct copied_columns {
    const plan* about = nullptr;
    std::size_t units = 0;  ///< that it speaks of
    rows arrays;            ///< one row
};

/// One turn: a claim and how far it is.
struct outbox_work {
    const context& with;
    const outbox_routes& routes;
    const outbox_settings& settings;
    std::string source;  ///< name of the source in the target's fence, inbox and tombstones
    outbox_claim claim;
    std::vector<outbox_unit> units;
    std::deque<rows> read;                  ///< what the units' rows point into
    std::vector<copied_columns> by_column;  ///< models whose units have no rows, because nobody looks at them
    clock::duration renewed{0};
    std::string unreachable;  ///< why the target could not be reached; empty: it could

    [[nodiscard]] bool lost(const outbox_unit& one) const { return claim.shards[one.shard].lost; }
    /// Name of the cell that takes part, as the source or as the target.
    [[nodiscard]] std::string_view target_cell() const {
        return claim.cell_name.empty() ? with.cell_name : std::string_view(claim.cell_name);
    }
    [[nodiscard]] const copied_columns* columns_of(const plan& about) const {
        const auto at = std::find_if(by_column.begin(), by_column.end(),
                                     [&](const copied_columns& one) { return one.about == &about; });
        return at == by_column.end() ? nullptr : &*at;
    }
    [[nodiscard]] std::string spelled(std::string_view text) const {
        return own_statement(text, with.database.kind(), claim.where);
    }
    /// `organization_update of object 7, message 12, shard organization 42`
    [[nodiscard]] std::string text_of(const outbox_unit& one) const {
        return routes.category_name(one.category) + " of object " + std::to_string(one.object) + ", message " +
               std::to_string(one.ids.back()) + ", shard " + routes.text_of(claim.shards[one.shard].key);
    }
    void fail(outbox_unit& one, std::string why) const {
        one.state = unit_state::failed;
        one.error = std::move(why);
    }
    /// The shards that are still this claim's, of these units or of all.
    [[nodiscard]] std::vector<std::size_t> shards_of(std::span<outbox_unit* const> some) const {
        std::vector<std::size_t> found;
        for (const outbox_unit* one : some)
            if (!lost(*one)) found.push_back(one->shard);
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }
    [[nodiscard]] std::vector<std::size_t> shards() const {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < claim.shards.size(); ++i)
            if (claim.shards[i].answer == claim_answer::claimed && !claim.shards[i].lost) found.push_back(i);
        return found;
    }
    [[nodiscard]] key_set keys_of(std::span<const std::size_t> some) const {
        std::vector<const outbox_shard*> all;
        for (const std::size_t index : some) all.push_back(&claim.shards[index].key);
        return shard_set(all);
    }
    /// Marks those of `asked` as lost that an answer of scope and identifier does not name.
    void keep(std::span<const std::size_t> asked, const rows& answer) {
        for (const std::size_t index : asked) {
            claimed_shard& one = claim.shards[index];
            bool named = false;
            for (std::size_t row = 0; row < answer.size(); ++row)
                named =
                    named || (answer.integer(row, 0) == one.key.scope && answer.integer(row, 1) == one.key.identifier);
            if (!named) lose(one);
        }
    }
    void lose(claimed_shard& one) const {
        if (std::exchange(one.lost, true)) return;
        with.watch.count("outbox.overtaken", 1, {});
        with.watch.log(log_level::info, "another worker has taken over shard " + routes.text_of(one.key), {});
    }
};

/// Sorts the claimed messages into units, in the order of each unit's first message (rule 13 for events).
inline void make_units(outbox_work& work) {
    struct place {
        std::int32_t category;
        std::int64_t object;
        std::size_t position;
    };
    for (std::size_t shard = 0; shard < work.claim.shards.size(); ++shard) {
        const std::vector<due_message>& messages = work.claim.shards[shard].messages;
        std::vector<place> order;
        order.reserve(messages.size());
        for (std::size_t i = 0; i < messages.size(); ++i)
            order.push_back({messages[i].category, messages[i].object, i});
        const auto same = [](const place& a, const place& b) {
            return a.category == b.category && a.object == b.object;
        };
        std::sort(order.begin(), order.end(), [&](const place& a, const place& b) {
            if (a.category != b.category) return a.category < b.category;
            return a.object != b.object ? a.object < b.object : a.position < b.position;
        });
        const auto first_unit = static_cast<std::ptrdiff_t>(work.units.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            const due_message& message = messages[order[i].position];
            const plan* about = work.routes.find(message.category);
            const bool event = about != nullptr && about->replication->kind == category_kind::every_event;
            if (i == 0 || event || !same(order[i - 1], order[i])) {
                outbox_unit made;
                made.shard = shard;
                made.about = about;
                made.category = message.category;
                made.object = message.object;
                work.units.push_back(std::move(made));
            }
            outbox_unit& unit = work.units.back();
            unit.ids.push_back(message.id);
            unit.attempts = message.attempts;
            unit.most_attempts = std::max(unit.most_attempts, message.attempts);
        }
        std::sort(work.units.begin() + first_unit, work.units.end(),
                  [](const outbox_unit& a, const outbox_unit& b) { return a.ids.front() < b.ids.front(); });
    }
}

/// Keeps the leases while the work goes on. @return false when no shard is this claim's any more
inline bool renew_leases(outbox_work& work) {
    const std::vector<std::size_t> mine = work.shards();
    if (mine.empty()) return false;
    const clock::duration now = work.with.time.now();
    if (now - work.renewed < std::chrono::seconds{work.settings.lease_seconds} / 3) return true;
    const std::string text = work.spelled(
        "UPDATE winnow_{silo}_outbox_shard SET lease_expires_at = {after $1} WHERE token = $2 AND cell_name = $3 AND " +
        in_shards(work.with.database.kind(), 4) + " RETURNING shard_scope, shard_identifier");
    rows kept;
    in_source(work.with, [&] {
        kept = work.with.database.execute_once(text, {work.settings.lease_seconds, work.claim.token,
                                                      std::string_view(work.claim.cell_name), work.keys_of(mine)});
    });
    work.keep(mine, kept);
    work.renewed = now;
    return !work.shards().empty();
}

}  // namespace detail

}  // namespace winnow::inline v0
