// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "winnow/context/produce.hpp"
#include "winnow/deletion/frame.hpp"
#include "winnow/deletion/work.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/store/connection.hpp"

namespace winnow::inline v0 {

/// Rows of one level that are locked and still belong below the level above.
using held_parts = std::vector<part>;

namespace detail {

[[nodiscard]] inline const key_set* rows_of(const held_parts& parts, std::size_t model) noexcept {
    for (const part& one : parts)
        if (one.model == model) return &one.rows;
    return nullptr;
}

inline void collect(held_parts& into, std::size_t model, const key_set& rows) {
    for (part& one : into) {
        if (one.model != model) continue;
        append(one.rows, rows);
        return;
    }
    into.push_back({model, rows});
}

/// Locks the rows of one part through one edge: those that are still children of `parents`.
inline key_set lock_through(deletion_work& work, const edge& along, const key_set& rows, const key_set& parents,
                            bool strongly) {
    const key_set references = references_of(along, parents);
    if (rows.empty() || references.empty()) return key_set(rows.width());
    const relation_statements& statements = along.relation->statements;
    return work.database()
        .execute(strongly ? statements.lock : statements.hold, {keys_of(work.plan_of(along.child), rows), references})
        .take_keys();
}

/// Whether every row of a level within a cycle is still below the level above: each must be a child of that
/// level, or of another row of its own level. All or nothing: a row that moved may have taken others with it.
inline bool confirm_cycle(deletion_work& work, const frame& level, const held_parts& above, bool strongly) {
    held_parts around = above;
    for (const part& one : level.kin) collect(around, one.model, one.rows);
    for (const part& one : level.parts) collect(around, one.model, one.rows);

    const auto confirm = [&](const part& some, bool as_rows) {
        key_set missing = some.rows;
        if (const key_set* locked = rows_of(above, some.model))
            missing = without(work.plan_of(some.model), missing, *locked);
        for (const edge* into : work.with.models.edges_to(some.model)) {
            if (missing.empty()) return true;
            const bool within = is_within_cycle(work, *into);
            if (into != level.via && !within) continue;
            const key_set* parents = rows_of(within ? around : above, into->parent);
            if (parents == nullptr) continue;
            missing = without(work.plan_of(some.model), missing,
                              lock_through(work, *into, missing, *parents, as_rows && strongly));
        }
        return missing.empty();
    };
    return std::all_of(level.kin.begin(), level.kin.end(), [&](const part& one) { return confirm(one, false); }) &&
           std::all_of(level.parts.begin(), level.parts.end(), [&](const part& one) { return confirm(one, true); });
}

/// How many levels below the top are checked in every chunk at least, and how many rows of levels. What lies
/// deeper takes turns, one level in each chunk; only trees within one table get so deep.
inline constexpr std::size_t levels_always_checked = 8;
inline constexpr std::size_t rows_always_checked = 2'500;
/// Levels of one tree are checked together, in statements of about so many rows.
inline constexpr std::size_t rows_checked_together = 1'000;

[[nodiscard]] inline std::size_t rows_of_level(const frame& level) noexcept {
    std::size_t rows = level.size();
    for (const part& one : level.kin) rows += one.rows.size();
    return rows;
}

/// The lowest level that is checked in every chunk.
[[nodiscard]] inline std::size_t first_checked(const deletion_work& work) noexcept {
    std::size_t level = work.stack.size() - 1;
    std::size_t rows = 0;
    for (std::size_t levels = 0; level > 1; --level, ++levels) {
        rows += rows_of_level(work.stack[level - 1]);
        if (levels >= levels_always_checked && rows > rows_always_checked) break;
    }
    return level;
}

/// Writes into the rows of a level below the top that they are being deleted, once.
inline void mark_level(deletion_work& work, frame& level, const held_parts& rows) {
    if (std::exchange(level.marked, true)) return;
    for (const part& one : rows) {
        const plan& about = work.plan_of(one.model);
        if (about.status) mark_rows(work.with, about, about.status.in_progress, keys_of(about, one.rows));
    }
}

/// Checks and locks several levels of one table's tree in one statement, beginning with `level`: each of their
/// rows must be a child of one of them, or of the level below them.
/// @return the first level that was not checked so; `level` itself when these cannot be or are not as they were
inline std::size_t confirm_together(deletion_work& work, std::size_t level, const held_parts& above) {
    const edge* along = work.stack[level].via;
    const key_set* below = rows_of(above, along->parent);
    if (along->parent != along->child || below == nullptr) return level;
    key_set rows(work.plan_of(along->child).identity.size());
    std::size_t next = level;
    for (; next + 1 < work.stack.size(); ++next) {
        const frame& here = work.stack[next];
        if (here.via != along || here.parts.size() != 1 ||
            (next > level && rows.size() + rows_of_level(here) > rows_checked_together))
            break;
        for (const part& one : here.kin) append(rows, one.rows);
        append(rows, here.parts[0].rows);
    }
    if (next - level < 2) return level;
    key_set parents = *below;
    append(parents, rows);
    return lock_through(work, *along, rows, parents, false).size() == rows.size() ? next : level;
}

}  // namespace detail

/// Forgets the top of the stack, because what it holds is no longer what the database says: the level below
/// it looks again. A root that was gathered with its cycle goes back to the root alone.
inline void reopen(deletion_work& work) {
    if (work.stack.size() > 1) {
        work.stack.pop_back();
        work.stack.back().restart();
        return;
    }
    frame& root = work.stack[0];
    root.parts.assign(1, {work.root, work.root_identity});
    root.closed = false;
    root.restart();
}

/// Locks the rows from the root down to the top of the stack, each level in key order, and checks that each
/// still belongs below the one above (R3, R4, R7). The top is locked against everything, the rest against changes.
/// @param root the root's identity, locked already; empty when the root is gone and its remains are swept
/// @param most at most so many rows of the top
/// @param strongly lock the top against everything: its rows are about to go (R2)
/// @return the rows of the top that may be handled. When a level is no longer there, the stack is cut back
///         to the level above it and `stale` is set; nothing may be deleted then.
inline held_parts lock_path(deletion_work& work, const key_set& root, std::size_t most, bool strongly, bool& stale) {
    stale = false;
    const std::size_t top = work.stack.size() - 1;
    held_parts above;
    // What lanes share is locked and checked at the end of the chunk (R14).
    const bool shared = work.shared_levels != 0;
    if (shared) above = work.stack[work.shared_levels - 1].parts;
    else if (work.stack[0].ghost) above = work.stack[0].parts;
    else above.push_back({work.root, root});
    if (!work.stack[0].ghost && !shared) {
        if (top == 0 && strongly)
            (void)work.database().execute(work.plan_of(work.root).statements.lock, {work.root_key});
        if (work.stack[0].closed) {
            if (!detail::confirm_cycle(work, work.stack[0], above, top == 0 && strongly)) {
                work.stack.resize(1);
                reopen(work);
                stale = true;
                return {};
            }
            above = work.stack[0].parts;
        }
    }
    if (top == 0) return above;
    ++work.rotation;
    const std::size_t checked = detail::first_checked(work);
    for (std::size_t level = std::max<std::size_t>(1, work.shared_levels); level <= top; ++level) {
        const bool is_top = level == top;
        if (level < checked && work.rotation % checked != level) {
            above = work.stack[level].parts;
            continue;
        }
        if (level >= checked) {
            const std::size_t next = detail::confirm_together(work, level, above);
            if (next != level) {
                for (; level < next; ++level) detail::mark_level(work, work.stack[level], work.stack[level].parts);
                above = work.stack[--level].parts;
                continue;
            }
        }
        frame& here = work.stack[level];
        if (work.with.models.is_cyclic(here.via->child) && (!here.kin.empty() || here.closed)) {
            if (!detail::confirm_cycle(work, here, above, is_top && strongly)) {
                work.stack.resize(level + 1);
                reopen(work);
                stale = true;
                return {};
            }
            above = here.parts;
        } else {
            const key_set* parents = detail::rows_of(above, here.via->parent);
            const key_set rows = is_top ? first_of(here.parts[0].rows, most) : here.parts[0].rows;
            key_set held = parents == nullptr
                               ? key_set(rows.width())
                               : detail::lock_through(work, *here.via, rows, *parents, is_top && strongly);
            if (held.empty() && !is_top) {
                work.stack.resize(level);
                stale = true;
                return {};
            }
            above.assign(1, {here.via->child, std::move(held)});
        }
        if (!is_top) detail::mark_level(work, here, above);
    }
    return above;
}

}  // namespace winnow::inline v0
