// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/plan/graph.hpp"
#include "winnow/plan/graph_text.hpp"
#include "winnow/plan/order.hpp"
#include "winnow/plan/part.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/plan/shared_names.hpp"

namespace winnow::inline v0 {

/// One resolved relation.
struct edge {
    /// No model: the child of an external relation.
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    std::size_t parent = none;  ///< index of a plan
    std::size_t child = none;   ///< index of a plan; `none` for an external relation
    const winnow::relation* relation = nullptr;
    /// For each column of the relation: index into the parent's `plan::identity`. An external relation has
    /// no columns and gets the whole primary key.
    std::vector<std::uint8_t> referenced;
};

namespace detail {

/// Number of single-character edits between two texts.
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
        }
    }
    return row[b.size()];
}

[[nodiscard]] inline bool same_column(const column& a, const column& b) {
    return a.name.postgres == b.name.postgres && a.name.sqlite == b.name.sqlite;
}

/// Position in the identity of the parent column that `wanted` names, if it is there.
[[nodiscard]] inline std::optional<std::uint8_t> identity_position(const plan& parent, const column& wanted) {
    for (std::size_t i = 0; i < parent.identity.size(); ++i) {
        if (same_column(parent.columns[parent.identity[i]], wanted)) return static_cast<std::uint8_t>(i);
    }
    return std::nullopt;
}

}  // namespace detail

/// All plans of a process, resolved into one checked graph. Never changes once it is built; may be read
/// from any number of threads.
class catalog {
public:
    /// Resolves and checks. What the plans point to must outlive the catalog; the records themselves are
    /// copied. Throws `error(failure::configuration)` whose text lists everything that is wrong, a line each.
    explicit catalog(std::span<const plan> plans) : catalog(std::vector<model_part>{{.plans = plans}}) {}

    /// The same over several parts: the host's models, those of libraries and those of plugins.
    explicit catalog(std::vector<model_part> parts) : parts_(std::move(parts)) {
        for (std::size_t at = 0; at < parts_.size(); ++at) {
            plans_.insert(plans_.end(), parts_[at].plans.begin(), parts_[at].plans.end());
            part_of_.resize(plans_.size(), at);
        }
        keys_.reserve(plans_.size());
        for (std::size_t i = 0; i < plans_.size(); ++i) keys_.push_back(i);
        std::sort(keys_.begin(), keys_.end(),
                  [&](std::size_t a, std::size_t b) { return plans_[a].key < plans_[b].key; });
        const std::vector<std::string> wrong = check_and_resolve();
        if (wrong.empty()) {
            order_cascades();
            return;
        }
        std::string text = "the models do not fit together:";
        for (const std::string& line : wrong) text += "\n  " + line;
        throw error(failure::configuration, text);
    }

    catalog(const catalog&) = delete;
    catalog& operator=(const catalog&) = delete;
    catalog(catalog&&) noexcept = default;
    catalog& operator=(catalog&&) noexcept = default;
    ~catalog() = default;

    /// Number of models.
    [[nodiscard]] std::size_t size() const noexcept { return plans_.size(); }
    [[nodiscard]] const plan& operator[](std::size_t index) const noexcept { return plans_[index]; }

    /// Index of the model with this key.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view key) const noexcept {
        const auto at =
            std::lower_bound(keys_.begin(), keys_.end(), key,
                             [&](std::size_t index, std::string_view wanted) { return plans_[index].key < wanted; });
        if (at == keys_.end() || plans_[*at].key != key) return std::nullopt;
        return *at;
    }

    /// The same; throws `error(failure::not_found)` that names the key and the nearest known one.
    [[nodiscard]] std::size_t at(std::string_view key) const {
        if (const std::optional<std::size_t> index = find(key)) return *index;
        std::string text = "no model has the key \"" + std::string(key) + "\"";
        std::string hint = "There are no models: link the part that registers them, or load a plugin that brings them.";
        if (!plans_.empty()) {
            const plan* nearest = &plans_.front();
            for (const plan& one : plans_) {
                if (detail::edit_distance(one.key, key) < detail::edit_distance(nearest->key, key)) nearest = &one;
            }
            text += "; the nearest is \"" + std::string(nearest->key) + "\"";
            hint =
                "Keys are spelled app.Model, with regard to case. A model of a plugin is known while the plugin is loaded.";
        }
        throw error(failure::not_found, text).with_model(key).with_hint(hint);
    }

    /// The parts that the models come from, in the order they were given.
    [[nodiscard]] std::span<const model_part> parts() const noexcept { return parts_; }
    /// The part that a model comes from.
    [[nodiscard]] const model_part& part_of(std::size_t model) const noexcept { return parts_[part_of_[model]]; }

    /// Relations of which the model is the parent: its own in declared order, then those of models that
    /// attach themselves to it.
    [[nodiscard]] std::span<const edge> edges_from(std::size_t parent) const noexcept {
        return {edges_.data() + first_edge_[parent], first_edge_[parent + 1] - first_edge_[parent]};
    }
    /// Relations of which the model is the child.
    [[nodiscard]] std::span<const edge* const> edges_to(std::size_t child) const noexcept { return edges_to_[child]; }

    /// Models of one strongly connected component of the cascade graph share a number. A child's number is
    /// never higher than its parent's.
    [[nodiscard]] std::size_t component(std::size_t model) const noexcept { return order_.component[model]; }
    /// True for a model on a cycle of cascade relations, a relation to itself included.
    [[nodiscard]] bool is_cyclic(std::size_t model) const noexcept { return order_.cyclic[model]; }
    /// All models, children before parents; members of one component stand beside each other.
    [[nodiscard]] std::span<const std::size_t> children_first() const noexcept { return order_.children_first; }

    /// How the rows of a model go in this catalog: a bulk model to which another one attaches itself is
    /// taken per row, so that those children are not passed over.
    [[nodiscard]] winnow::strategy strategy_of(std::size_t model) const noexcept {
        for (const edge& one : edges_from(model)) {
            if (one.relation->kind != relation_kind::do_nothing) return strategy::per_row;
        }
        return plans_[model].strategy;
    }

private:
    /// Texts of all faults. Edges are complete only if there are none.
    std::vector<std::string> check_and_resolve() {
        std::vector<graph_node> nodes;
        std::vector<graph_edge> records;
        std::vector<const winnow::relation*> relations;
        std::vector<std::string> wrong;
        const auto add = [&](const winnow::relation& one, bool attached) {
            records.push_back(edge_of(one, attached));
            relations.push_back(&one);
        };
        for (const plan& of : plans_) nodes.push_back(node_of(of));
        // Where everything comes from one place there is nothing to tell apart.
        std::vector<std::string> homes;
        if (has_homes())
            for (std::size_t model = 0; model < plans_.size(); ++model) homes.push_back(title_of(part_of(model)));
        for (std::size_t model = 0; model < plans_.size(); ++model) check_plan(plans_[model], home_of(model), wrong);
        find_shared_part_names(parts_, wrong);
        find_shared_numbers(plans_, homes, wrong);
        for (const plan& of : plans_) {
            for (const winnow::relation& one : of.relations) add(one, false);
        }
        for (const plan& of : plans_) {
            for (const winnow::relation& one : of.attached) add(one, true);
        }
        for (const graph_finding& found : check_all(nodes, records))
            wrong.push_back(describe(found, nodes, records, homes));

        std::vector<std::vector<edge>> by_parent(plans_.size());
        for (const winnow::relation* one : relations) {
            const std::optional<std::size_t> parent = find(one->parent);
            if (!parent) continue;
            edge resolved{.parent = *parent, .child = edge::none, .relation = one, .referenced = {}};
            if (one->kind != relation_kind::external) resolved.child = find(one->child).value_or(edge::none);
            refer(resolved, wrong);
            by_parent[*parent].push_back(std::move(resolved));
        }
        first_edge_.push_back(0);
        for (std::vector<edge>& edges : by_parent) {
            for (edge& one : edges) edges_.push_back(std::move(one));
            first_edge_.push_back(edges_.size());
        }
        return wrong;
    }

    [[nodiscard]] bool has_homes() const noexcept {
        return parts_.size() > 1 || (parts_.size() == 1 && !parts_.front().origin.empty());
    }
    [[nodiscard]] std::string home_of(std::size_t model) const {
        return has_homes() ? " of " + title_of(part_of(model)) : std::string();
    }

    static void check_plan(const plan& of, const std::string& home, std::vector<std::string>& wrong) {
        const std::string name = std::string(of.key) + home;
        if (of.chunk_size <= 0 || of.query_limit <= 0) {
            wrong.push_back(name + ": chunk_size and query_limit are numbers of rows. Make both greater than 0.");
        }
        if (of.identity.size() < of.primary_key.size() ||
            !std::equal(of.primary_key.begin(), of.primary_key.end(), of.identity.begin())) {
            wrong.push_back(name +
                            ": its identity does not begin with its primary key. List the primary key first, then "
                            "what relations refer to.");
        }
    }

    /// Finds the referenced columns in the parent's identity, and the skipped models among all.
    void refer(edge& resolved, std::vector<std::string>& wrong) const {
        const plan& parent = plans_[resolved.parent];
        const winnow::relation& one = *resolved.relation;
        const std::string what = std::string(one.parent) + home_of(resolved.parent) + ": its " +
                                 std::string(name_of(one.kind)) + " relation to " + std::string(one.child);
        for (const column& wanted : one.referenced) {
            if (const auto position = detail::identity_position(parent, wanted)) {
                resolved.referenced.push_back(*position);
            } else {
                wrong.push_back(what + " refers to column \"" + std::string(wanted.name.postgres) +
                                "\", which is not read with the parent's key. Refer to its primary key, or declare the "
                                "relation in the parent.");
            }
        }
        if (one.referenced.empty()) {
            for (std::size_t i = 0; i < parent.primary_key.size(); ++i) {
                resolved.referenced.push_back(static_cast<std::uint8_t>(i));
            }
        }
        for (const std::string_view skipped : one.skips) {
            if (find(skipped)) continue;
            wrong.push_back(what + " skips " + std::string(skipped) +
                            ", which no model has as key. Correct the key, or remove the skip.");
        }
    }

    void order_cascades() {
        edges_to_.resize(plans_.size());
        std::vector<arc> arcs;
        for (const edge& one : edges_) {
            if (one.child == edge::none) continue;
            edges_to_[one.child].push_back(&one);
            if (one.relation->kind == relation_kind::cascade) arcs.push_back({one.parent, one.child});
        }
        order_ = order_components(plans_.size(), arcs);
    }

    std::vector<model_part> parts_;
    std::vector<std::size_t> part_of_;  // index of a part, by model
    std::vector<plan> plans_;
    std::vector<std::size_t> keys_;  // indices of plans, by key
    std::vector<edge> edges_;        // by parent
    std::vector<std::size_t> first_edge_;
    std::vector<std::vector<const edge*>> edges_to_;
    component_order order_;
};

}  // namespace winnow::inline v0
