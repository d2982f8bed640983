// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "winnow/deletion/chunk.hpp"
#include "winnow/deletion/path.hpp"
#include "winnow/deletion/row_refusal.hpp"
#include "winnow/deletion/finish.hpp"
#include "winnow/deletion/user_code.hpp"
#include "winnow/deletion/work.hpp"

namespace winnow::inline v0 {

namespace detail {

/// After so many rows that refuse, no further ones are looked for.
inline constexpr std::size_t most_refusals = 20;

/// What the search among the rows of one refused chunk found.
struct isolation {
    std::size_t model = 0;
    std::int64_t gone = 0;
    std::int64_t kept = 0;
    std::vector<std::string> keys{};  ///< of the rows that refuse
    std::string words{};              ///< what the database said of the first of them

    [[nodiscard]] bool full() const noexcept { return keys.size() >= most_refusals; }
    void add(const deletion_work& work, std::size_t of, const std::string& key, const error& problem) {
        if (keys.empty()) {
            model = of;
            words = problem.what();
            const std::string prefix = work.database().description() + ": ";
            if (words.starts_with(prefix)) words.erase(0, prefix.size());
        }
        keys.push_back(key);
        ++kept;
    }
};

/// Names the rows that refuse: `app.Event: row 2 refused by trigger "k": "row 2 is under legal hold". 1 row kept, 2 gone.`
[[noreturn]] inline void report_refusal(const deletion_work& work, const isolation& found) {
    const plan& about = work.plan_of(found.model);
    const std::string& triggers = work.facts.tables[found.model].trigger_names;
    std::string text = std::string(about.key) + (found.keys.size() == 1 ? ": row " : ": rows ");
    for (std::size_t at = 0; at < found.keys.size() && at < 5; ++at) text += (at == 0 ? "" : ", ") + found.keys[at];
    if (found.keys.size() > 5) text += ", …";
    text += triggers.empty()                           ? " refused by the database"
            : triggers.find(", ") == std::string::npos ? " refused by trigger " + triggers
                                                       : " refused by one of the triggers " + triggers;
    text += ": \"" + found.words + "\". " + (found.full() ? "At least " : "") + std::to_string(found.kept) +
            (found.kept == 1 ? " row kept, " : " rows kept, ") + std::to_string(found.gone) + " gone.";
    rows_refused refused(failure::statement, text);
    refused.with_model(about.key).with_table(about.table[work.database().kind()]);
    throw refused;
}

/// Puts both halves of a set on the list, the first one to be taken first. @return false for a set of one row
inline bool split(std::vector<key_set>& todo, const key_set& some) {
    if (some.size() < 2) return false;
    key_set second(some.width());
    for (std::size_t row = some.size() / 2; row < some.size(); ++row) second.push_back(some[row]);
    todo.push_back(std::move(second));
    todo.push_back(first_of(some, some.size() / 2));
    return true;
}

[[nodiscard]] inline std::string key_text(const plan& about, const key_set& identities, std::size_t row = 0) {
    return object_id_of(identities[row].first(about.primary_key.size()));
}

/// Deletes the next chunk of leaf rows below the top, half by half wherever a half is refused.
inline chunk_end isolate_leaves(deletion_work& work, const edge& along, isolation& found) {
    const plan& child = work.plan_of(along.child);
    const key_set* above = rows_of(work.stack.back().parts, along.parent);
    if (above == nullptr) return chunk_end::again;
    const key_set parents = references_of(along, parents_for(work, along, *above));
    std::vector<key_set> todo;
    todo.push_back(work.database()
                       .execute(along.relation->statements.fetch_first, {parents, work.tuning[along.child].now})
                       .take_keys());
    while (!todo.empty() && !found.full()) {
        const key_set some = std::move(todo.back());
        todo.pop_back();
        const std::int64_t before = work.rows[along.child];
        try {
            const chunk_end end = run_chunk(work, [&](deletion_work&, chunk& now) {
                bool stale = false;
                const held_parts held = lock_path(work, now.root, static_cast<std::size_t>(-1), false, stale);
                if (stale) return false;
                now.busy_with = along.child;
                const key_set* rows = rows_of(held, along.parent);
                if (rows == nullptr) return true;
                const key_set locked = lock_through(work, along, some, parents_for(work, along, *rows), true);
                if (locked.empty()) return true;
                now.count(along.child,
                          work.database().execute(child.statements.remove, {keys_of(child, locked)}).affected());
                return true;
            });
            if (end != chunk_end::committed) return end;
            found.gone += work.rows[along.child] - before;
        } catch (const error& problem) {
            if (!is_row_refusal(problem)) throw;
            if (!split(todo, some)) found.add(work, along.child, key_text(child, some), problem);
        }
    }
    return chunk_end::committed;
}

/// Finishes the rows of the top, half by half wherever a half is refused.
inline chunk_end isolate_rows(deletion_work& work, isolation& found) {
    const std::size_t depth = work.stack.size();
    const std::size_t model = work.stack.back().parts[0].model;
    const plan& about = work.plan_of(model);
    std::vector<key_set> todo{work.stack.back().parts[0].rows};
    key_set left(todo[0].width());
    while (!todo.empty() && !found.full()) {
        key_set some = std::move(todo.back());
        todo.pop_back();
        if (some.empty()) continue;
        work.stack.back().parts[0].rows = some;
        const std::int64_t before = work.rows[model];
        final_result result;
        try {
            const chunk_end end =
                run_chunk(work, [&](deletion_work&, chunk& now) { return finish_rows(work, now, result); });
            if (end != chunk_end::committed) return end;
            if (work.stack.size() != depth) return chunk_end::again;
        } catch (const row_refusal& refusal) {
            if (refusal.through() != nullptr) {
                // Its leaves come first.
                const chunk_end end = isolate_leaves(work, *refusal.through(), found);
                if (end != chunk_end::committed || !found.keys.empty()) return end;
                todo.push_back(std::move(some));
                continue;
            }
            key_set rest(some.width());
            for (std::size_t row = result.asked; row < some.size(); ++row) rest.push_back(some[row]);
            todo.push_back(std::move(rest));
            const key_set asked = first_of(some, result.asked);
            if (!split(todo, asked)) {
                found.add(work, model, key_text(about, asked), refusal);
                append(left, asked);
            }
            continue;
        }
        found.gone += work.rows[model] - before;
        if (result.children) {
            append(left, some);
        } else if (!result.gone) {
            todo.push_back(std::move(some));
        } else {
            key_set rest(some.width());
            for (std::size_t row = result.asked; row < some.size(); ++row) rest.push_back(some[row]);
            todo.push_back(std::move(rest));
        }
    }
    if (left.empty()) {
        work.stack.pop_back();
    } else {
        work.stack.back().parts[0].rows = std::move(left);
        work.stack.back().restart();
    }
    return chunk_end::committed;
}

/// Rows of a cycle go together or not at all, so nothing of them goes; which one refuses is found by trying parts of
/// them in transactions that are rolled back.
inline chunk_end isolate_in_cycle(deletion_work& work, isolation& found) {
    const held_parts parts = work.stack.back().parts;
    chunk_end end = chunk_end::again;
    const auto refused = [&](std::size_t model, const key_set& some) -> std::optional<error> {
        const plan& about = work.plan_of(model);
        try {
            end = run_chunk(work, [&](deletion_work&, chunk& now) {
                bool stale = false;
                (void)lock_path(work, now.root, static_cast<std::size_t>(-1), true, stale);
                if (stale) return false;
                try {
                    (void)work.database().execute(about.statements.remove, {keys_of(about, some)});
                } catch (const error& problem) {
                    // Rows that stay refer to them: no refusal of their own.
                    if (!is_foreign_key_violation(problem)) throw;
                }
                return false;
            });
        } catch (const error& problem) {
            if (!is_row_refusal(problem)) throw;
            return problem;
        }
        return std::nullopt;
    };
    for (const part& one : parts) {
        key_set suspects = one.rows;
        std::optional<error> problem;
        if (!suspects.empty()) problem = refused(one.model, suspects);
        while (problem && suspects.size() > 1) {
            std::vector<key_set> halves;
            (void)split(halves, suspects);
            if (std::optional<error> first = refused(one.model, halves[1])) {
                suspects = std::move(halves[1]);
                problem = std::move(first);
            } else {
                suspects = std::move(halves[0]);
                problem = refused(one.model, suspects);
            }
        }
        if (!problem) {
            if (end != chunk_end::again) return end;
            continue;
        }
        found.add(work, one.model, key_text(work.plan_of(one.model), suspects), *problem);
        found.kept = 0;
        for (const part& each : parts) found.kept += static_cast<std::int64_t>(each.rows.size());
        return chunk_end::committed;
    }
    return chunk_end::again;
}

/// A chunk was refused because of some of its rows: deletes the others and names those (section 9 of the rules).
/// @throws rows_refused with their keys and the database's words
inline chunk_end isolate(deletion_work& work, const row_refusal& refusal) {
    // The rows of one chunk are looked through to the end, whatever the pass has left.
    const pass_budget budget = std::exchange(work.budget, {});
    isolation found;
    chunk_end end = chunk_end::again;
    if (refusal.through() != nullptr) end = isolate_leaves(work, *refusal.through(), found);
    else if (work.stack.back().closed) end = isolate_in_cycle(work, found);
    else end = isolate_rows(work, found);
    work.budget = budget;
    // Interrupted in the middle: who goes on looks again.
    if (work.with.stopping()) return chunk_end::again;
    // Paused, or another worker has it: whoever goes on finds them again.
    if (end != chunk_end::committed && end != chunk_end::again) return end;
    if (!found.keys.empty()) report_refusal(work, found);
    if (found.gone == 0) throw error(refusal);
    return end;
}

}  // namespace detail

}  // namespace winnow::inline v0
