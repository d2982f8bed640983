// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/remote/reference.hpp"
#include "winnow/store/object_id.hpp"
#include "winnow/store/own_statement.hpp"

namespace winnow::inline v0::detail {

/// How far the rows and the tombstones of one relation have been compared.
struct remote_watermark {
    std::int64_t tombstone = 0;  ///< those up to this id were compared with all rows, while it catches up
    std::string rows_to;         ///< rows up to this key were compared with all tombstones
    bool caught_up = false;      ///< all that were there when the relation was new have been compared
    std::string scrubbed_to;     ///< the same of the slow walk that never ends
};

/// Runs a statement over the watermark of one relation. Its parameters are `first`, then the names of model and column.
inline rows ask_watermark(remote_job& job, const remote_place& at, std::string_view text,
                          std::initializer_list<parameter> first = {}) {
    const dialect which = job.with.database.kind();
    std::vector<parameter> given(first);
    given.emplace_back(job.plan_of(at).key);
    given.emplace_back(at.along->reference.name[which]);
    return job.with.database.execute(own_statement(text, which, job.plan_of(at).silo), given);
}

/// Reads the watermark of a relation, and begins with one for a new relation. One that has got another parent is new.
inline remote_watermark watermark_of(remote_job& job, const remote_place& at) {
    const auto read = [&] {
        return ask_watermark(
            job, at,
            "SELECT tombstone_id, coalesce(rows_to, ''), caught_up_at IS NOT NULL, coalesce(scrubbed_to, ''), "
            "parent FROM winnow_{silo}_remote_watermark WHERE model = $1 AND column_name = $2");
    };
    rows found = read();
    if (found.empty() || found.text(0, 4) != at.along->parent) {
        (void)ask_watermark(
            job, at,
            "INSERT INTO winnow_{silo}_remote_watermark AS w (parent, model, column_name) VALUES ($1, $2, $3) ON CONFLICT "
            "(model, column_name) DO UPDATE SET parent = excluded.parent, tombstone_id = 0, rows_to = NULL, caught_up_at = "
            "NULL, scrubbed_to = NULL, updated_at = {now} WHERE w.parent <> excluded.parent",
            {at.along->parent});
        found = read();
    }
    return {found.integer(0, 0), found.text(0, 1), found.integer(0, 2) != 0, found.text(0, 3)};
}

/// Two processes may write after each other: what is set back is only looked at twice.
inline void keep_watermark(remote_job& job, const remote_place& at, const remote_watermark& now) {
    (void)ask_watermark(
        job, at,
        "UPDATE winnow_{silo}_remote_watermark SET tombstone_id = $1, rows_to = $2, caught_up_at = CASE WHEN "
        "caught_up_at IS NOT NULL OR $3 = 0 THEN caught_up_at ELSE {now} END, updated_at = {now} WHERE model = "
        "$4 AND column_name = $5",
        {now.tombstone, now.rows_to.empty() ? parameter(null_value{}) : parameter(std::string_view(now.rows_to)),
         std::int64_t{now.caught_up ? 1 : 0}});
}

/// Compares the next rows in key order with the tombstones. @param[in,out] position key of the last row, empty: from the
/// beginning @return whether it was the last page
inline bool compare_page(remote_job& job, const remote_place& at, std::string& position) {
    const plan& of = job.plan_of(at);
    const std::size_t width = of.primary_key.size();
    std::vector<value> after;
    std::vector<parameter> given;
    if (!position.empty()) after = key_of_text(of, position);
    for (const value& part : after) given.emplace_back(part);
    given.emplace_back(job.limits.batch);
    const remote_statements& statements = at.along->statements;
    const rows found = job.with.database.execute(position.empty() ? statements.scrub_first : statements.scrub_next,
                                                 std::span<const parameter>(given));
    job.done.examined += static_cast<std::int64_t>(found.size());
    if (!found.empty()) {
        key_set objects(1);
        for (std::size_t row = 0; row < found.size(); ++row) objects.push_back(found[row].last(1));
        const std::vector<std::int64_t> dead = dead_among(job.with, of.silo, at.along->parent, objects);
        key_set keys(width);
        for (std::size_t row = 0; row < found.size(); ++row)
            if (std::binary_search(dead.begin(), dead.end(), std::get<std::int64_t>(objects[row][0])))
                keys.push_back(found[row].first(width));
        (void)act_on(job, at, keys, set_of(dead));
        position = object_id_of(found[found.size() - 1].first(width));
    }
    return static_cast<std::int64_t>(found.size()) < job.limits.batch;
}

/// The greatest key of the referring table, as text; empty for an empty table.
inline std::string last_position(remote_job& job, const remote_place& at) {
    const rows found = job.with.database.execute(at.along->statements.last);
    return found.empty() ? std::string() : object_id_of(found[0]);
}

}  // namespace winnow::inline v0::detail
