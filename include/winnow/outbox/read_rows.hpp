// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/outbox/work.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/value.hpp"

namespace winnow::inline v0::detail {

using unit_span = std::span<outbox_unit* const>;

[[nodiscard]] inline bool has_handler(const plan& of) {
    return of.replication->hooks.replicate != nullptr || of.replication->hooks.erased != nullptr;
}

[[nodiscard]] inline bool before_in_target(const outbox_unit* a, const outbox_unit* b) {
    if (a->category != b->category) return a->category < b->category;
    return a->object != b->object ? a->object < b->object : a->ids.back() < b->ids.back();
}

/// Keys of these units of one model, sorted, each once.
[[nodiscard]] inline key_set keys_of_units(unit_span units) {
    key_set keys(1);
    keys.reserve(units.size());
    for (std::size_t i = 0; i < units.size(); ++i)
        if (i == 0 || units[i]->object != units[i - 1]->object) add_id(keys, units[i]->object);
    return keys;
}

/// Reads the rows of one model's units, sorted, by one statement. A failure is that of each of them.
inline void read_values(outbox_work& work, const plan& about, unit_span units) {
    try {
        work.read.push_back(work.with.database.execute(about.statements.read, {keys_of_units(units)}));
        const rows& found = work.read.back();
        std::size_t row = 0;
        for (outbox_unit* one : units) {
            while (row < found.size() && found.integer(row, about.primary_key[0]) < one->object) ++row;
            one->exists = row < found.size() && found.integer(row, about.primary_key[0]) == one->object;
            if (one->exists) one->row = found[row];
        }
    } catch (const error& problem) {
        if (problem.kind() == failure::connection) throw;
        for (outbox_unit* one : units)
            work.fail(*one, "The row of " + std::string(about.key) + " could not be read: " + problem.what());
    }
}

/// Whether copies of a model can go from statement to statement as whole columns: between two PostgreSQL databases,
/// where nobody looks at the rows on their way. Raw bytes have another text form inside an array.
[[nodiscard]] inline bool goes_by_column(const outbox_work& work, const plan& about) {
    if (work.with.database.kind() != dialect::postgres || !about.replication->mirror || has_handler(about))
        return false;
    if (work.routes.strict(about.replication->scope)) return false;
    const auto columns = about.replication->mirror.columns;
    return std::all_of(columns.begin(), columns.end(), [&](const mirrored_column& one) {
        return one.source == mirrored_column::cell_name || about.columns[one.source].kind != value_kind::blob;
    });
}

/// Says which of these units, sorted by object, are in a list of integers as `{1,2,3}`, sorted.
inline void mark_existing(unit_span units, std::string_view listed) {
    const char* at = listed.data();
    const char* const end = at + listed.size();
    std::int64_t key = 0;
    bool valid = false;
    const auto advance = [&] {
        const char* const from = at == end ? end : at + 1;
        const auto [next, fault] = std::from_chars(from, end, key);
        valid = fault == std::errc{};
        at = next;
    };
    advance();
    for (outbox_unit* one : units) {
        while (valid && key < one->object) advance();
        one->exists = valid && key == one->object;
    }
}

/// Reads the mirrored columns of one model's units, sorted, each as the array that the copies' statement takes.
/// @return false when that failed: the rows are to be read one by one
[[nodiscard]] inline bool read_columns(outbox_work& work, const plan& about, unit_span units) {
    const std::string_view key = about.columns[about.primary_key[0]].quoted[dialect::postgres];
    std::string text = "SELECT array_agg(t." + std::string(key) + ")::text";
    bool names_cell = false;
    for (const mirrored_column& one : about.replication->mirror.columns) {
        const bool cell = one.source == mirrored_column::cell_name;
        names_cell = names_cell || cell;
        text += ", array_agg(";
        if (cell) text += "$2::text";
        else text.append("t.").append(about.columns[one.source].quoted[dialect::postgres]);
        text += ")::text";
    }
    text.append(" FROM (").append(about.statements.read[dialect::postgres]).append(") AS t");
    const key_set keys = keys_of_units(units);
    const std::string cell(work.target_cell());
    std::vector<parameter> given{keys};
    if (names_cell) given.emplace_back(std::string_view(cell));
    try {
        rows found = work.with.database.execute(text, std::span<const parameter>(given));
        mark_existing(units, found.text(0, 0));
        work.by_column.push_back({&about, units.size(), std::move(found)});
        return true;
    } catch (const error& problem) {
        if (problem.kind() == failure::connection) throw;
        return false;
    }
}

/// Reads the rows that the units are about, after the claim's commit and each model's in one statement. The row
/// decides whether an object exists, never the message (rules 3 and 11).
inline void read_rows(outbox_work& work) {
    constexpr std::size_t worth_columns = 64;
    std::vector<outbox_unit*> sorted;
    for (outbox_unit& one : work.units)
        if (one.about != nullptr) sorted.push_back(&one);
    std::sort(sorted.begin(), sorted.end(), before_in_target);
    for (std::size_t from = 0; from < sorted.size();) {
        const plan& about = *sorted[from]->about;
        std::size_t to = from;
        while (to < sorted.size() && sorted[to]->about == &about) ++to;
        const unit_span part(sorted.data() + from, to - from);
        const bool many = part.size() >= worth_columns && goes_by_column(work, about);
        if (!many || !read_columns(work, about, part)) read_values(work, about, part);
        from = to;
    }
}

/// Gives up whole columns: the rows of those units are read one by one. The same ids under the same token: what has
/// changed meanwhile has a message behind them (rule 4).
inline void read_columns_as_rows(outbox_work& work) {
    const std::vector<copied_columns> given = std::exchange(work.by_column, {});
    for (const copied_columns& each : given) {
        std::vector<outbox_unit*> units;
        for (outbox_unit& one : work.units)
            if (one.about == each.about && one.state == unit_state::waiting) units.push_back(&one);
        std::sort(units.begin(), units.end(), before_in_target);
        read_values(work, *each.about, units);
    }
}

}  // namespace winnow::inline v0::detail
