// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/context/brakes.hpp"
#include "winnow/context/context.hpp"
#include "winnow/deletion/frame.hpp"
#include "winnow/deletion/request.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/store/write_ahead_log.hpp"

namespace winnow::inline v0 {

namespace detail {
class lane_team;
}

/// How much one pass may do before it yields. Looked at between chunks, after at least one that deleted (R19).
struct pass_budget {
    std::int64_t rows = 0;              ///< 0: no limit
    std::chrono::microseconds time{0};  ///< 0: no limit
};

/// What the live schema says of one model's table, as far as the engine acts on it.
struct table_behaviour {
    bool addressable = true;  ///< rows may be chosen by address: a plain table with row ids
    bool triggers = false;    ///< something runs on DELETE that may keep or bring back rows
    std::string trigger_names;
    std::string keeper_names;  ///< those of them that may keep rows
};

/// What the live schema says of one edge.
struct edge_facts {
    bool enforced = false;    ///< a valid, enabled foreign key stands behind it: late children cannot slip in (R6)
    bool refuses = false;     ///< and the statement that deletes a parent fails while one of its children is there
    double rows_of_one = -1;  ///< children of a parent on average, by the server's statistics; negative: not known
    double most_of_one = 0;   ///< children of the parent that has the most, by the same
    double seen_of_one = -1;  ///< children of a parent on average in the last set; negative: none was looked at
    bool misjudged = false;   ///< a set had many more than that said
    double fetched_of_one =
        -1;  ///< children of a parent in the last set whose children were fetched; negative: none was
};

/// How leaf rows are taken where there is a choice.
enum class leaf_shape : unsigned char {
    automatic,
    sets,   ///< by the keys of their parents, and the first of them where one parent has more than a chunk
    pages,  ///< page after page wherever the table allows it
};

/// @param option what `deletion.shape` holds
[[nodiscard]] inline leaf_shape shape_of(std::string_view option) {
    return option == "sets" ? leaf_shape::sets : option == "pages" ? leaf_shape::pages : leaf_shape::automatic;
}

/// Facts of everything below one root.
struct tree_facts {
    std::vector<table_behaviour> tables;  ///< by model
    std::vector<std::pair<const edge*, edge_facts>> edges;

    /// @return null for an edge that is not below the root
    [[nodiscard]] edge_facts* of(const edge& along) noexcept {
        for (auto& [known, facts] : edges)
            if (known == &along) return &facts;
        return nullptr;
    }
    [[nodiscard]] const edge_facts* of(const edge& along) const noexcept {
        for (const auto& [known, facts] : edges)
            if (known == &along) return &facts;
        return nullptr;
    }
    [[nodiscard]] bool enforced(const edge& along) const noexcept {
        const edge_facts* facts = of(along);
        return facts != nullptr && facts->enforced;
    }
};

/// Chunk size of one model, adapted to how long its statements take. A set is made of whole parents and seldom fills a
/// chunk: half of one is enough to learn from.
struct chunk_tuning {
    std::int64_t most = 0;   ///< what the plan allows
    std::int64_t first = 0;  ///< what a deletion begins with
    std::int64_t now = 0;

    void took(std::chrono::microseconds time, std::chrono::microseconds target, std::int64_t rows) noexcept {
        if (target.count() <= 0) return;
        if (time > target && rows > 0) {
            // Less than a chunk may have taken so long for other reasons; another one tells.
            const std::int64_t least = rows < now ? std::max<std::int64_t>(1, now / 8) : 1;
            now = std::max(least, std::min(now, rows) * target.count() / time.count());
        }
        if (time * 2 < target && rows * 2 >= now) now = std::min(most, now + std::max<std::int64_t>(1, now / 2));
    }
    void halve() noexcept { now = std::max<std::int64_t>(1, now / 2); }
};

/// Rows of one relation, counted now and then: are they getting fewer (R19)?
struct shrink_watch {
    static constexpr std::int64_t uncounted = -1;

    const edge* along = nullptr;
    std::size_t parents = 0;  ///< below how many parents
    std::int64_t rows = 0;    ///< at the last count
    std::int64_t gone = 0;    ///< since then
    int chunks = 0;           ///< since then
    int next = 10;            ///< chunks until the next count; doubles, so that counting stays cheap
};

/// A deletion under way: everything that lives between its chunks. It is never the truth; the rows are.
struct deletion_work {
    const context& with;
    deletion_request request;
    std::size_t root;  ///< index of the root's model
    key_set root_key;
    key_set root_identity{};
    pass_budget budget{};
    std::chrono::microseconds pass_started{0};
    tree_facts facts{};
    std::chrono::microseconds target{100'000};
    std::chrono::milliseconds statement_timeout{0};
    std::int64_t lease_seconds = 60;
    double collision_seconds = 30;  ///< how long it is put down when others hold what it needs (R9)

    leaf_shape shape = leaf_shape::automatic;
    std::vector<frame> stack{};
    std::vector<chunk_tuning> tuning{};  ///< by model
    std::vector<chunk_tuning> ending{};  ///< by model: how many rows take their last step together
    std::vector<std::int64_t> rows{};    ///< gone so far, by model
    std::int64_t rows_done = 0;
    std::int64_t rows_this_pass = 0;
    std::int64_t chunks_this_pass = 0;
    bool root_seen = false;                      ///< the root row existed when this pass began
    std::size_t rotation = 0;                    ///< which of the deep path frames is checked next
    std::vector<std::string> external_done{};    ///< names of the root's external tasks that have said they are done
    std::vector<std::int64_t> charged{};         ///< rows that the rate limits know of, by model
    double owed_seconds = 0;                     ///< what a rate limit wants to be waited for
    std::string owed_to{};                       ///< name of that rate limit
    std::optional<sqlite_log> log{};             ///< of an SQLite file; nothing before it was looked for
    std::chrono::microseconds buckets_again{0};  ///< no bucket in Redis is tried before
    std::string buckets_away{};                  ///< why they are not used, in parentheses; empty: they are
    brake_watch brakes{};
    std::string brake{};         ///< name of the brake that it waits for, plain words; empty once rows have gone
    std::string brake_since{};   ///< since when, UTC
    std::size_t current = 0;     ///< model most of whose rows went in the last chunk
    bool moved = false;          ///< an external task did something in this pass
    std::size_t cycle_room = 0;  ///< rows of a cycle that are gathered even above the chunk size
    std::vector<shrink_watch> watches{};
    std::string outrun{};                  ///< which rows arrive as fast as they go; empty: none do
    std::vector<const edge*> childless{};  ///< relations below which the last set of parents had no rows
    bool looks_twice = false;              ///< that was once taken to hold for the next set as well, and did not
    int fruitless = 0;                     ///< chunks in a row that removed nothing although rows were there (R19)

    std::int64_t connections = 1;               ///< how many may work on it; 1 for a lane
    std::int64_t lane = 0;                      ///< whose work it is; 0: of the connection that claimed the deletion
    std::shared_ptr<detail::lane_team> team{};  ///< the lanes, once there are any
    std::size_t shared_levels = 0;          ///< levels that all lanes stand on at the moment, from the root on (R14)
    std::mutex* shared_turn = nullptr;      ///< whose lane may lock these
    std::vector<std::int64_t> lane_rows{};  ///< rows gone in lanes and not yet in `rows`, by model

    /// Milliseconds that this process may be silent inside a transaction: half a lease, as far as a server counts.
    [[nodiscard]] std::int64_t longest_silence() const noexcept {
        return std::clamp<std::int64_t>(lease_seconds * 500, 1, std::numeric_limits<std::int32_t>::max());
    }
    /// Rows that this pass may still delete, seen from inside a chunk that deleted `pending` so far.
    [[nodiscard]] std::int64_t rows_left(std::int64_t pending) const noexcept {
        return budget.rows == 0 ? std::int64_t{1} << 40 : budget.rows - rows_this_pass - pending;
    }
    /// Whether the pass has used up its rows or its time. Never before something was deleted (R19).
    [[nodiscard]] bool spent(std::int64_t pending = 0) const {
        if (rows_this_pass + pending == 0 && !moved) return false;
        return rows_left(pending) <= 0 || (budget.time.count() > 0 && with.time.now() - pass_started >= budget.time);
    }
    /// Rows gone so far, in lanes too.
    [[nodiscard]] std::int64_t rows_of_all() const noexcept {
        return std::accumulate(lane_rows.begin(), lane_rows.end(), rows_done);
    }
    [[nodiscard]] const plan& plan_of(std::size_t model) const noexcept { return with.models[model]; }
    [[nodiscard]] connection& database() const noexcept { return with.database; }
    [[nodiscard]] hook_context hooks_for(std::size_t model) const noexcept {
        return {plan_of(model).key, request.guid, request.actor, request.data};
    }
    /// Rows gone by model, as a JSON object whose last brace is missing.
    [[nodiscard]] std::string counts_as_json() const {
        std::string text = "{";
        for (std::size_t model = 0; model < rows.size(); ++model) {
            if (rows[model] == 0) continue;
            text += text.size() > 1 ? ", \"" : "\"";
            text += plan_of(model).key;
            text += "\": " + std::to_string(rows[model]);
        }
        return text;
    }
    /// What is kept on the scheduled row: rows gone by model, finished external tasks, chunk sizes that were fitted.
    [[nodiscard]] std::string progress_as_json() const {
        std::string text = counts_as_json();
        const auto next = [](std::string& list) { list += list.size() > 1 ? ", " : ""; };
        for (const std::string& task : external_done) {
            next(text);
            text += "\"~" + task + "\": 1";
        }
        // What is no count stands last and begins alike, so that the audit can leave it out.
        if (!brake.empty()) {
            next(text);
            text += R"("#brake": {"name": ")" + brake + R"(", "since": ")" + brake_since + R"("})";
        }
        std::string sizes = "{";
        for (std::size_t model = 0; model < tuning.size(); ++model) {
            if (tuning[model].now == tuning[model].first) continue;
            next(sizes);
            sizes += '"';
            sizes += plan_of(model).key;
            sizes += "\": " + std::to_string(tuning[model].now);
        }
        if (sizes.size() > 1) {
            next(text);
            text += "\"#chunk\": " + sizes + "}";
        }
        return text + "}";
    }
};

/// How many rows of a child refuse a deletion, and what they do: `1 row of app.Child (table child) refers to it`.
[[nodiscard]] inline std::string referring_rows(const plan& child, std::int64_t count, std::int64_t cap,
                                                dialect which) {
    return std::to_string(std::min(count, cap)) +
           (count > cap  ? " or more rows of "
            : count == 1 ? " row of "
                         : " rows of ") +
           std::string(child.key) + " (table " + std::string(child.table[which]) +
           (count == 1 ? ") refers to it" : ") refer to it");
}

/// Whether the walk need not go down into a relation, because none of its rows is looked at by itself: a child that is
/// bulk and keeps nothing below it after the skips is a leaf: one statement removes it.
/// @param skipped models left out everywhere below
[[nodiscard]] inline bool is_leaf(const catalog& models, const std::vector<std::size_t>& skipped, const edge& along) {
    const plan& child = models[along.child];
    if (child.hooks.per_row() || child.replication != nullptr) return false;
    for (const edge& below : models.edges_from(along.child)) {
        if (below.relation->kind == relation_kind::do_nothing) continue;
        if (below.child == edge::none) return false;
        const bool left_out = std::find(skipped.begin(), skipped.end(), below.child) != skipped.end() ||
                              std::find(along.relation->skips.begin(), along.relation->skips.end(),
                                        models[below.child].key) != along.relation->skips.end();
        if (!left_out) return false;
    }
    return true;
}
[[nodiscard]] inline bool is_leaf(const deletion_work& work, const frame& above, const edge& along) {
    return is_leaf(work.with.models, above.skipped, along);
}

/// Both ends of the edge are in one cycle of cascades: handled together, not level by level.
[[nodiscard]] inline bool is_within_cycle(const deletion_work& work, const edge& along) {
    return along.relation->kind == relation_kind::cascade && along.child != edge::none &&
           work.with.models.is_cyclic(along.parent) &&
           work.with.models.component(along.parent) == work.with.models.component(along.child);
}

}  // namespace winnow::inline v0
