// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "winnow/deletion/estimate.hpp"
#include "winnow/deletion/work.hpp"

namespace winnow::inline v0 {

namespace detail {

/// What PostgreSQL knows of a table without reading it.
struct table_size {
    std::int64_t pages = 0;
    std::int64_t rows = 0;  ///< when it was last analyzed; 0: not known
};
/// @return nothing where ranges of pages cannot be read as such: before version 14
[[nodiscard]] inline std::optional<table_size> size_of(connection& database, const plan& about) {
    const rows size = database.execute(
        "SELECT pg_relation_size(c.oid) / current_setting('block_size')::bigint, greatest(c.reltuples, 0)::bigint, "
        "current_setting('server_version_num')::bigint FROM pg_class AS c WHERE c.oid = to_regclass($1)",
        {about.quoted_table.postgres});
    if (size.empty() || size.integer(0, 2) < 140'000) return std::nullopt;
    return table_size{size.integer(0, 0), size.integer(0, 1)};
}

/// Why the pages of a table can never be read one range after the other; empty: they can. Addresses are unique within one
/// plain table only. A pass that counts its rows exactly cannot have them: how many rows are on a page is known only after.
/// @param addressable as in the facts of the table
[[nodiscard]] inline std::string_view why_never_pages(dialect which, leaf_shape shape, bool counted_passes,
                                                      bool addressable) noexcept {
    if (which != dialect::postgres) return "SQLite has no addresses of pages";
    if (shape == leaf_shape::sets) return "option deletion.shape";
    if (counted_passes) return "option deletion.pass_rows";
    return addressable ? std::string_view() : "only rows of a plain table have an address";
}

/// Why all pages of a table are not read rather than the index, for so many rows of it; empty: they are.
/// @param doomed rows below the parents in hand
/// @param chunk rows
[[nodiscard]] inline std::string_view why_no_pages(const table_size& size, double doomed, double chunk) noexcept {
    constexpr double dense_rows_on_a_page = 2;
    constexpr double worth_it_chunks = 4;
    if (size.rows <= 0) return "the table was never analyzed";
    if (doomed < worth_it_chunks * chunk) return "fewer than four chunks";
    if (doomed < dense_rows_on_a_page * static_cast<double>(size.pages)) return "too few on a page to read all pages";
    return {};
}

/// Which pages of a child's table come next.
///
/// More leaf rows below one parent than a chunk holds cannot be had by taking fewer parents. Asking for "the first of
/// them" again and again passes over the entries of all that went before, which nobody may remove while an old state of
/// the database is being read: each chunk then takes longer than the one before. Ranges of pages never look back. Where
/// the rows are sparse, reading all pages costs more than that.
inline page_walk begin_page_walk(deletion_work& work, const edge& along, const key_set& parents, std::int64_t chunk) {
    page_walk begun;
    begun.along = &along;
    connection& database = work.database();
    const plan& child = work.plan_of(along.child);
    if (!why_never_pages(database.kind(), work.shape, work.budget.rows != 0, work.facts.tables[along.child].addressable)
             .empty())
        return begun;
    const std::optional<table_size> size = size_of(database, child);
    if (!size) return begun;
    const std::optional<std::int64_t> expected =
        planned_rows(database, along.relation->statements.count.postgres, {parents, std::int64_t{1} << 50});
    const double doomed = static_cast<double>(expected.value_or(0));
    const auto most = static_cast<double>(work.tuning[along.child].most);
    if (work.shape == leaf_shape::automatic && !why_no_pages(*size, doomed, most).empty()) return begun;
    const auto pages = static_cast<double>(size->pages);
    const auto all_rows = static_cast<double>(size->rows);
    // About a chunk if they lie evenly, and two and a half if these pages hold nothing else.
    const double even = doomed > 0 ? 0.9 * most * pages / doomed : most;
    const double packed = all_rows > 0 ? 2.5 * most * pages / all_rows : most;
    const double widest = std::min(even, packed);
    begun.most = std::max<std::int64_t>(1, static_cast<std::int64_t>(widest));
    begun.step = std::max<std::int64_t>(1, static_cast<std::int64_t>(widest * static_cast<double>(chunk) / most));
    begun.end = size->pages;
    work.with.watch.log(log_level::debug, "leaf rows are taken page after page",
                        {{"transaction_id", work.request.guid},
                         {"model", child.key},
                         {"pages", std::to_string(begun.end)},
                         {"rows", std::to_string(expected.value_or(-1))}});
    return begun;
}

/// Deletes the children of `parents` on the next pages. @return how many
inline std::int64_t remove_on_pages(deletion_work& work, const edge& along, const key_set& parents, page_walk& at) {
    std::string text(along.relation->statements.remove.postgres);
    std::size_t parameter = parents.width();
    text += " AND ctid >= $" + std::to_string(++parameter) + "::tid";
    text += " AND ctid < $" + std::to_string(++parameter) + "::tid";
    const std::int64_t to = std::min(at.next + at.step, at.end);
    const auto address = [](std::int64_t page) { return "(" + std::to_string(page) + ",0)"; };
    // Planned for these addresses: a plan for any addresses may go through the index.
    const std::int64_t gone =
        work.database()
            .execute_once(text, {parents, std::string_view(address(at.next)), std::string_view(address(to))})
            .affected();
    at.next = to;
    return gone;
}

}  // namespace detail

}  // namespace winnow::inline v0
