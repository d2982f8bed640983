// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
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
[[nodiscard]] inline std::string why_by_key(const catalog& models, std::size_t model, std::size_t root) {
    const plan& about = models[model];
    if (model == root) return "the object itself";
    if (about.hooks.per_row()) return "a hook sees each row";
    if (about.replication != nullptr) return "a message is written for each row";
    if (models.is_cyclic(model)) return "its rows may lie below each other";
    for (const edge* into : models.edges_to(model))
        if (into->relation->kind == relation_kind::cascade && !is_leaf(models, {}, *into))
            return "what is below its rows goes first";
    return {};
}

/// @param rows of the table that go, as counted; negative: not counted
/// @param parents rows above them that go, of the table that has most; negative: not counted
[[nodiscard]] inline planned_shape shape_of_leaves(const context& with, const plan& child, bool addressable,
                                                   std::int64_t rows, std::int64_t parents) {
    const leaf_options wanted = configured_leaves(with);
    const bool postgres = with.database.kind() == dialect::postgres;
    if (rows < 0 || parents <= 0)
        return {"sets", "as many parents at a time as have a chunk of rows, fitted as it goes"};
    const double each = static_cast<double>(rows) / static_cast<double>(parents);
    const auto chunk = static_cast<double>(child.chunk_size);
    const std::string number = short_number(each);
    const std::string about =
        "about " + number + (number == "1" ? " row" : " rows") + (parents == 1 ? "" : " below each parent");
    if (postgres && addressable && !wanted.counted_passes && wanted.shape != leaf_shape::sets) {
        if (wanted.shape == leaf_shape::pages) return {"pages", "option deletion.shape"};
        const std::optional<table_size> size = each > chunk ? size_of(with.database, child) : std::nullopt;
        if (size && pages_pay(*size, each, chunk))
            return {"pages",
                    about + ", " + short_number(each / std::max(1.0, static_cast<double>(size->pages))) + " on a page"};
    }
    if (each > chunk) {
        std::string why = about + ", a chunk of them at a time";
        if (wanted.shape == leaf_shape::sets) why += ": option deletion.shape";
        else if (wanted.counted_passes) why += ": option deletion.pass_rows";
        else if (postgres) why += ": too few on a page to read all pages";
        return {"sets", std::move(why)};
    }
    const auto together = static_cast<std::int64_t>(chunk / std::max(each, 1e-9));
    return {"sets", about + (together < parents ? ", " + std::to_string(together) + " parents a chunk" : "")};
}

}  // namespace detail

}  // namespace winnow::inline v0
