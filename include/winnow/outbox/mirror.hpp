// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/context/tombstone.hpp"
#include "winnow/core/error.hpp"
#include "winnow/outbox/fence.hpp"
#include "winnow/outbox/read_rows.hpp"
#include "winnow/outbox/work.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/value.hpp"

namespace winnow::inline v0::detail {

/// Rows were taken as whole columns, and some of them may not be written or this database takes them one by one.
struct rows_needed {};

/// Says in the target which of these objects are gone, and which of those that were gone exist again. Objects whose
/// shard was lost are left out.
inline void write_existence(const outbox_work& work, connection& target, const plan& about, unit_span units) {
    key_set dead(2);
    key_set alive(2);
    for (std::size_t i = 0; i < units.size(); ++i) {
        const outbox_unit& one = *units[i];
        // Sorted by object, then by message: the newest event of an object speaks for it.
        const bool last = i + 1 == units.size() || units[i + 1]->object != one.object;
        if (work.lost(one) || !last) continue;
        const std::array<value, 2> pair{one.object, one.ids.back()};
        (one.exists ? alive : dead).push_back(pair);
    }
    const silo there = opposite(work.claim.where);
    write_tombstones(target, there, about.key, work.source, dead);
    note_recreated(target, there, about.key, work.source, alive);
}

/// Writes and erases the copies of one model's objects, in key order, in the caller's transaction.
inline void write_copies(const outbox_work& work, connection& target, const plan& about, unit_span units) {
    const mirror_plan& mirror = about.replication->mirror;
    const copied_columns* whole = work.columns_of(about);
    const bool any_lost =
        std::any_of(units.begin(), units.end(), [&](const outbox_unit* one) { return work.lost(*one); });
    if (whole != nullptr && (any_lost || whole->units != units.size() || target.kind() != dialect::postgres))
        throw rows_needed{};
    const std::string cell(work.target_cell());
    std::size_t identifying = 0;
    for (const mirrored_column& one : mirror.columns) identifying += one.identifies ? 1 : 0;
    key_set copies(mirror.columns.size());
    key_set gone(identifying);
    std::vector<value> tuple;
    for (std::size_t i = 0; i < units.size(); ++i) {
        const outbox_unit& one = *units[i];
        if (whole != nullptr && one.exists) continue;
        if (work.lost(one) || (i != 0 && units[i - 1]->object == one.object && !work.lost(*units[i - 1]))) continue;
        tuple.clear();
        for (const mirrored_column& column : mirror.columns) {
            if (!one.exists && !column.identifies) continue;
            if (column.source == mirrored_column::cell_name) tuple.emplace_back(cell);
            else if (one.exists) tuple.push_back(one.row[column.source]);
            else tuple.emplace_back(one.object);
        }
        (one.exists ? copies : gone).push_back(tuple);
    }
    // What is gone first: an object that came after it may carry a value that has to be unique.
    if (!gone.empty()) (void)target.execute(mirror.erase, {gone});
    if (!copies.empty()) (void)target.execute(mirror.upsert, {copies});
    if (whole != nullptr && !is_null(whole->arrays.at(0, 0))) {
        std::vector<parameter> arrays;
        for (std::size_t i = 0; i < mirror.columns.size(); ++i) arrays.emplace_back(whole->arrays.at(0, 1 + i));
        (void)target.execute(mirror.upsert, std::span<const parameter>(arrays));
    }
    write_existence(work, target, about, units);
}

/// Whether the table, a column or a right is missing, so that no single object is to blame.
[[nodiscard]] inline bool concerns_all(const error& problem) {
    const std::string& state = problem.sqlstate();
    return state.starts_with("42") || state.starts_with("25") || state == "SQLITE_ERROR" || state == "SQLITE_READONLY";
}

[[nodiscard]] inline std::string copy_failure(const outbox_work& work, const plan& about, const error& problem) {
    const dialect which = work.with.database.kind();
    std::string text = "The copy of " + std::string(about.key);
    if (about.replication->mirror)
        text += " in " + std::string(about.replication->mirror.model) + " (table " +
                std::string(about.replication->mirror.table[which]) + ")";
    text += " could not be written: " + std::string(problem.what());
    if (!problem.hint().empty()) text += " " + problem.hint();
    return text;
}

/// Delivers units that have a mirror, or objects that are gone, in one transaction. When that fails, the categories
/// are tried apart, then halves, until what is to blame stands alone.
/// @param strict the units are in order, and none may be written once one before it has failed
/// @return whether all were written, or belong to lost shards
inline bool deliver_together(outbox_work& work, unit_span units, bool strict) {
    std::vector<outbox_unit*> open;
    for (outbox_unit* one : units)
        if (!work.lost(*one) && one->state == unit_state::waiting) open.push_back(one);
    if (open.empty()) return true;
    std::vector<outbox_unit*> sorted = open;
    std::sort(sorted.begin(), sorted.end(), before_in_target);
    const bool one_model = sorted.front()->about == sorted.back()->about;
    try {
        in_fence(work, work.shards_of(open), [&](connection& target) {
            for (std::size_t from = 0; from < sorted.size();) {
                std::size_t to = from;
                while (to < sorted.size() && sorted[to]->about == sorted[from]->about) ++to;
                const plan& about = *sorted[from]->about;
                const unit_span part(sorted.data() + from, to - from);
                if (about.replication->mirror) write_copies(work, target, about, part);
                else write_existence(work, target, about, part);
                from = to;
            }
        });
        work.by_column.clear();
        for (outbox_unit* one : open) one->state = work.lost(*one) ? unit_state::left : unit_state::delivered;
        return true;
    } catch (const rows_needed&) {
        read_columns_as_rows(work);
        return deliver_together(work, units, strict);
    } catch (const target_unreachable&) {
        throw;
    } catch (const error& problem) {
        if (!work.by_column.empty()) {
            read_columns_as_rows(work);
            return renew_leases(work) && deliver_together(work, units, strict);
        }
        if (open.size() == 1 || (one_model && !strict && concerns_all(problem))) {
            for (outbox_unit* one : open) work.fail(*one, copy_failure(work, *one->about, problem));
            return false;
        }
    }
    if (!renew_leases(work)) return false;
    std::vector<outbox_unit*>& order = strict ? open : sorted;
    std::size_t middle = order.size() / 2;
    if (!strict && !one_model) {
        middle = 1;
        while (order[middle]->about == order.front()->about) ++middle;
    }
    const bool first = deliver_together(work, unit_span(order.data(), middle), strict);
    if (!first && strict) return false;
    return deliver_together(work, unit_span(order.data() + middle, order.size() - middle), strict) && first;
}

}  // namespace winnow::inline v0::detail
