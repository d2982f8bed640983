// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/core/error.hpp"
#include "winnow/deletion/page_walk.hpp"
#include "winnow/deletion/work.hpp"

namespace winnow::inline v0 {

/// How a deletion finds the rows of one table, and why so.
struct planned_shape {
    std::string name;    ///< `key`, `sets` or `pages`
    std::string reason;  ///< for people
};

namespace detail {

/// What options say of leaf rows; what is usual where winnow's own tables are missing or not to be read.
struct leaf_options {
    leaf_shape shape = leaf_shape::automatic;
    bool counted_passes = false;
};
[[nodiscard]] inline leaf_options configured_leaves(const context& with) {
    try {
        const options live = with.options().snapshot();
        return {shape_of(live.text("deletion.shape")), live.integer("deletion.pass_rows") != 0};
    } catch (const error&) {
        return {};
    }
}

[[nodiscard]] inline std::string short_number(double number) {
    char text[32];
    (void)std::snprintf(text, sizeof text, number < 10 ? "%.1f" : "%.0f", number);
    const std::string made = text;
    return made.ends_with(".0") ? made.substr(0, made.size() - 2) : made;
}

/// Why rows of a model are taken by their own keys; empty: they are not.
/// @param walked by model: whether the deletion comes to its rows
[[nodiscard]] inline std::string why_by_key(const catalog& models, std::size_t model, std::size_t root,
                                            const std::vector<bool>& walked) {
    const plan& about = models[model];
    if (model == root) return "the object itself";
    if (about.hooks.per_row()) return "a hook sees each row";
    if (about.replication != nullptr) return "a message is written for each row";
    if (models.is_cyclic(model)) return "its rows may lie below each other";
    for (const edge* into : models.edges_to(model))
        if (walked[into->parent] && into->relation->kind == relation_kind::cascade && !is_leaf(models, {}, *into))
            return "what is below its rows goes first";
    return {};
}

/// The leaf rows of one table, as far as they were counted.
struct counted_leaves {
    std::int64_t rows = -1;     ///< that go; negative: not counted
    bool at_least = false;      ///< there are more
    std::int64_t parents = -1;  ///< above them that go, in the table that has most; negative: not counted
    std::string_view no_pages;  ///< why pages can never be walked; empty: they can
};

/// Where numbers decide, they are those of the plan, so averages: the deletion itself looks at every set of parents that
/// it takes, and may walk pages below one of them that has very many rows.
[[nodiscard]] inline planned_shape shape_of_leaves(const context& with, const plan& child, leaf_shape wanted,
                                                   const counted_leaves& found) {
    std::string_view no_pages = found.no_pages;
    table_size size;
    if (no_pages.empty()) {
        const std::optional<table_size> looked = size_of(with.database, child);
        if (looked) size = *looked;
        else no_pages = "PostgreSQL reads ranges of pages as such from version 14 on";
    }
    if (wanted == leaf_shape::pages && no_pages.empty()) return {"pages", "option deletion.shape"};
    const auto sets = [&](std::string why) {
        // Whoever asked for pages, or forbade them, is told why.
        if (wanted == leaf_shape::pages) why += "; no pages: " + std::string(no_pages);
        return planned_shape{"sets", std::move(why)};
    };
    if (found.rows < 0 || found.parents <= 0)
        return sets("as many parents at a time as have a chunk of rows, fitted as it goes");
    const double each = static_cast<double>(found.rows) / static_cast<double>(found.parents);
    const auto chunk = static_cast<double>(child.chunk_size);
    const std::string number = short_number(each);
    const std::string about = (found.at_least ? "at least " : "about ") + number + (number == "1" ? " row" : " rows") +
                              (found.parents == 1 ? "" : " below each parent");
    if (each <= chunk) {
        const auto together = static_cast<std::int64_t>(chunk / std::max(each, 1e-9));
        return sets(about + (!found.at_least && together < found.parents
                                 ? ", up to " + std::to_string(together) + " parents a chunk"
                                 : ""));
    }
    if (no_pages.empty()) {
        no_pages = why_no_pages(size, each, chunk);
        if (no_pages.empty())
            return {"pages",
                    about + ", " + short_number(each / std::max(1.0, static_cast<double>(size.pages))) + " on a page"};
        if (found.at_least) no_pages = "the rows were not all counted";
    }
    const bool told = wanted == leaf_shape::pages || with.database.kind() != dialect::postgres;
    return sets(about + ", a chunk of them at a time" + (told ? "" : ": " + std::string(no_pages)));
}

}  // namespace detail

}  // namespace winnow::inline v0
