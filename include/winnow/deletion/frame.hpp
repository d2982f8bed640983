// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/store/object_id.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/value.hpp"

namespace winnow::inline v0 {

/// Rows of one model by their identity columns.
struct part {
    std::size_t model = 0;
    key_set rows;
};

/// The pages of one relation's table, walked in order: where its leaf rows are next looked for.
struct page_walk {
    const edge* along = nullptr;
    std::int64_t next = 0;
    std::int64_t end = 0;   ///< pages that there were at the start; rows that came to later ones are found by key
    std::int64_t step = 0;  ///< pages at once; 0: it does not pay
    std::int64_t most = 0;  ///< pages at once, at most

    [[nodiscard]] bool goes_on(const edge& through) const noexcept { return along == &through && next < end; }
};

/// One level of the explicit stack with which a tree is walked: a bounded set of rows that go together
/// once everything below them is gone. Holds no more rows than a chunk.
struct frame {
    std::vector<part> parts;           ///< one, unless the models form a cycle
    const edge* via = nullptr;         ///< how the rows were reached from the frame below; null for the root
    std::vector<std::size_t> skipped;  ///< models left out everywhere below
    bool closed = false;               ///< cyclic models: the parts hold everything that is below within the cycle
    bool ghost = false;                ///< the rows are gone; only what still refers to them is looked for (R6)
    bool marked = false;               ///< the rows' status says that they are being deleted
    /// Cyclic models: rows through which these were reached, each below another of them or of the frame below.
    std::vector<part> kin;

    std::size_t at = 0;                   ///< which of the relations is worked on, counted over all parts
    std::size_t first_parent = 0;         ///< children are fetched through it below this row and those after it, …
    std::size_t parents = 0;              ///< … so many; 0: not chosen yet
    std::vector<value> last;              ///< key of the last child fetched below them: a hint, never the truth (R18)
    bool last_batch = false;              ///< the fetch that gave the latest children came to the end of the relation
    int fetches = 0;                      ///< how many chunks of children were fetched through it
    std::int64_t counted = -1;            ///< children that were left when they were counted (R19); -1: not counted
    std::int64_t fetched = 0;             ///< children fetched since then
    int peeled = 0;                       ///< cyclic models: how often in a row a part was taken from below these rows
    int rounds = 0;                       ///< how often children were found under the last lock (R5)
    std::vector<const edge*> swept;       ///< relations whose leaf rows went in earlier chunks, below the next in turn
    std::size_t swept_rows = 0;           ///< below how many rows
    page_walk pages;                      ///< below the same rows
    std::chrono::microseconds looked{0};  ///< for leaf rows below them of which there were none

    [[nodiscard]] bool empty() const noexcept {
        return std::all_of(parts.begin(), parts.end(), [](const part& one) { return one.rows.empty(); });
    }
    [[nodiscard]] std::size_t size() const noexcept {
        std::size_t rows = 0;
        for (const part& one : parts) rows += one.rows.size();
        return rows;
    }
    [[nodiscard]] bool skips(std::size_t model) const noexcept {
        return std::find(skipped.begin(), skipped.end(), model) != skipped.end();
    }
    void restart() {
        go_to(0);
        forget_swept();
    }
    void forget_swept() {
        swept.clear();
        pages = {};
        looked = {};
    }
    [[nodiscard]] bool has_swept(const edge& along) const noexcept {
        return std::find(swept.begin(), swept.end(), &along) != swept.end();
    }
    /// Begins with a relation, from its first child.
    void go_to(std::size_t relation) {
        at = relation;
        last_batch = false;
        go_to_parent(0);
    }
    /// Goes on with the children of the parents from this one on.
    void go_to_parent(std::size_t row) {
        first_parent = row;
        parents = 0;
        last.clear();
        fetches = 0;
        counted = -1;
        fetched = 0;
    }
};

/// The first columns of each tuple: primary keys of identity tuples.
[[nodiscard]] inline key_set keys_of(const plan& about, const key_set& identities) {
    const std::size_t width = about.primary_key.size();
    if (identities.width() == width) return identities;
    key_set keys(width);
    keys.reserve(identities.size());
    for (std::size_t row = 0; row < identities.size(); ++row) keys.push_back(identities[row].first(width));
    return keys;
}

/// Values of the columns that an edge refers to; tuples with a null in them have no children and are left out.
[[nodiscard]] inline key_set references_of(const edge& along, const key_set& identities) {
    key_set references(along.referenced.size());
    references.reserve(identities.size());
    std::vector<value> tuple(along.referenced.size());
    for (std::size_t row = 0; row < identities.size(); ++row) {
        bool whole = true;
        for (std::size_t column = 0; column < tuple.size(); ++column) {
            tuple[column] = identities[row][along.referenced[column]];
            whole = whole && !is_null(tuple[column]);
        }
        if (whole) references.push_back(tuple);
    }
    return references;
}

/// At most `count` tuples from the one at `first` on.
[[nodiscard]] inline key_set some_of(const key_set& all, std::size_t first, std::size_t count) {
    if (first == 0 && all.size() <= count) return all;
    const std::size_t end = first + std::min(count, all.size() - std::min(first, all.size()));
    key_set some(all.width());
    some.reserve(count);
    for (std::size_t row = first; row < end; ++row) some.push_back(all[row]);
    return some;
}
/// The first `count` tuples.
[[nodiscard]] inline key_set first_of(const key_set& all, std::size_t count) { return some_of(all, 0, count); }

/// Those tuples of `all` whose key is not in `gone`; both are identity tuples of one model.
[[nodiscard]] inline key_set without(const plan& about, const key_set& all, const key_set& gone) {
    const std::size_t width = about.primary_key.size();
    std::vector<std::string> texts;
    texts.reserve(gone.size());
    for (std::size_t row = 0; row < gone.size(); ++row) texts.push_back(object_id_of(gone[row].first(width)));
    std::sort(texts.begin(), texts.end());
    key_set left(all.width());
    for (std::size_t row = 0; row < all.size(); ++row)
        if (!std::binary_search(texts.begin(), texts.end(), object_id_of(all[row].first(width))))
            left.push_back(all[row]);
    return left;
}

/// Appends the tuples of `more`.
inline void append(key_set& to, const key_set& more) {
    for (std::size_t row = 0; row < more.size(); ++row) to.push_back(more[row]);
}

/// First few keys of a set as text, for messages.
[[nodiscard]] inline std::string sample_of(const plan& about, const key_set& identities, std::size_t most = 3) {
    std::string text;
    for (std::size_t row = 0; row < identities.size() && row < most; ++row) {
        if (row != 0) text += ", ";
        text += object_id_of(identities[row].first(about.primary_key.size()));
    }
    if (identities.size() > most) text += ", …";
    return text;
}

}  // namespace winnow::inline v0
