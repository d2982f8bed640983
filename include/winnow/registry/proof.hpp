// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "winnow/model/lower.hpp"
#include "winnow/model/record.hpp"
#include "winnow/plan/graph.hpp"
#include "winnow/registry/edges.hpp"
#include "winnow/registry/text_index.hpp"

namespace winnow::inline v0 {

/// Proves a set of models, at compile time and over plain arrays.
///
/// Order of the answers: what is wrong with one model; what is wrong with the graph (by the checker that a
/// catalog runs again at load time); what is wrong with one relation; references that nobody declared.
template <std::size_t Models, std::size_t Relations>
class proof {
public:
    constexpr explicit proof(model_records models)
        : models_(models), keys_([&](std::size_t i) { return models[i]->key; }) {}

    /// The first thing that is wrong.
    [[nodiscard]] constexpr finding run() {
        for (const model_record* one : models_) {
            if (one->problem) return one->problem;
        }
        // Before any relation is followed by key: the first of two models would stand for the other.
        for (std::size_t i = 0; i < Models; ++i) {
            const std::size_t first = keys_.find(models_[i]->key);
            if (first != i) return {fault::duplicate_key, models_[i]->key, models_[first]->type, models_[i]->type};
        }
        collect();
        if (const graph_finding found = check(nodes_, {edges_.data(), edge_count_})) return translate(found);
        for (std::size_t e = 0; e < edge_count_; ++e) {
            if (const finding found = check_relation(origins_[e])) return found;
        }
        for (const model_record* one : models_) {
            if (const finding found = check_copy(*one)) return found;
        }
        return find_forgotten();
    }

private:
    // Positions, not pointers: g++ does not compare addresses of constants in constant expressions when it
    // sanitizes.
    static constexpr std::size_t none = text_index<Models>::none;

    /// The columns of a model; none if it is not among the checked ones.
    [[nodiscard]] constexpr std::span<const column> columns_of(std::size_t model) const {
        return model == none ? std::span<const column>() : models_[model]->columns;
    }

    constexpr void collect() {
        for (std::size_t i = 0; i < Models; ++i) {
            const model_record& one = *models_[i];
            nodes_[i] = node_of(one);
            for (const relation_record& to : one.relations) add({&one, &to, false}, i, keys_.find(to.child));
            // A parent that is not in this registry may be one of another part of the program.
            for (const relation_record& to : one.attached) {
                const std::size_t parent = keys_.find(to.parent);
                if (parent != none) add({&one, &to, true}, parent, i);
                else mark_covered(i, to);
            }
            for (const remote_record& to : one.remotes) covered_[i] |= std::uint64_t{1} << to.column;
            if (one.replication == nullptr) continue;
            // A copy's columns are named like what they are copied from.
            const std::size_t copy = keys_.find(one.replication->copy);
            if (copy == none) continue;
            for (const mapping_record& to : one.replication->columns) covered_[copy] |= std::uint64_t{1} << to.target;
        }
    }

    constexpr void add(const relation_origin& origin, std::size_t parent, std::size_t child) {
        edges_[edge_count_] = edge_of(*origin.relation, origin.attached, columns_of(parent), columns_of(child));
        origins_[edge_count_] = origin;
        ++edge_count_;
        if (child != none) mark_covered(child, *origin.relation);
    }

    constexpr void mark_covered(std::size_t child, const relation_record& by) {
        for (const std::uint16_t column : by.columns.view()) covered_[child] |= std::uint64_t{1} << column;
    }

    [[nodiscard]] constexpr finding check_copy(const model_record& of) const {
        if (of.replication == nullptr || of.replication->copy.empty()) return {};
        const std::size_t copy = keys_.find(of.replication->copy);
        if (copy == none) return {fault::unknown_copy, of.key, of.replication->copy_type};
        if (models_[copy]->silo == of.silo) return {fault::copy_in_same_silo, of.key, of.replication->copy};
        return {};
    }

    /// What is wrong with a relation by itself.
    [[nodiscard]] static constexpr finding problem_of(const relation_origin& origin) {
        const relation_record& relation = *origin.relation;
        switch (relation.problem) {
            case fault::none: return {};
            case fault::not_a_column:
                return {fault::not_a_column, title_of(*origin.model), origin.model->missing_member};
            case fault::wrong_condition:
            case fault::wrong_external_task: return {relation.problem, relation.parent, relation.child_type};
            default: return {relation.problem, relation.parent, relation.child, relation.problem_member};
        }
    }

    [[nodiscard]] constexpr finding check_relation(const relation_origin& origin) const {
        const relation_record& relation = *origin.relation;
        if (const finding found = problem_of(origin)) return found;
        for (const std::string_view key : relation.skips) {
            if (keys_.find(key) == none) return {fault::unknown_skip, title_of(*origin.model), key};
        }
        if (!origin.attached) return {};
        const model_record& parent = *models_[keys_.find(relation.parent)];
        const bool forced = parent.strategy_given && parent.strategy == strategy::bulk;
        if (forced && is_walked(relation.kind)) return {fault::bulk_forced, parent.key};
        return {};
    }

    [[nodiscard]] constexpr finding translate(const graph_finding& found) const {
        const relation_origin origin = found.edge == none ? relation_origin{} : origins_[found.edge];
        const relation_record* relation = origin.relation;
        const std::string_view node = found.node == none ? std::string_view() : models_[found.node]->key;
        const std::string_view other = found.other == none ? std::string_view() : models_[found.other]->key;
        switch (found.fault) {
            case graph_fault::none: break;
            case graph_fault::unusable_key: return {fault::missing_primary_key, node};
            case graph_fault::duplicate_key:
                return {fault::duplicate_key, node, models_[found.other]->type, models_[found.node]->type};
            case graph_fault::duplicate_table:
                return {fault::duplicate_table, other, node, models_[found.node]->names.quoted_table.postgres};
            case graph_fault::unknown_parent: return {fault::unknown_child, relation->parent, relation->child};
            case graph_fault::unknown_child: return {fault::unknown_child, relation->parent, relation->child_type};
            case graph_fault::silo_mismatch: return {fault::other_silo, node, other, column_of(*relation)};
            case graph_fault::key_type_mismatch:
                if (const finding first = problem_of(origin)) return first;
                return {fault::key_type_differs, node, other, column_of(*relation)};
            case graph_fault::set_null_not_optional:
                if (const finding first = problem_of(origin)) return first;
                return {fault::set_null_needs_optional, node, other, column_of(*relation)};
            case graph_fault::bulk_with_children: return {fault::bulk_forced, node};
            case graph_fault::cycle_without_nullable_edge:
                return {fault::endless_cycle, node, other, column_of(*relation)};
        }
        return {};
    }

    /// The first member that the relation's child refers with.
    [[nodiscard]] constexpr std::string_view column_of(const relation_record& of) const {
        const std::size_t child = keys_.find(of.child);
        if (child == none || of.columns.size == 0) return {};
        return models_[child]->members[of.columns.at[0]].name;
    }

    [[nodiscard]] constexpr finding find_forgotten() const {
        const text_index<Models> foreign_names([&](std::size_t i) { return models_[i]->names.foreign_name; });
        for (std::size_t i = 0; i < Models; ++i) {
            const model_record& child = *models_[i];
            const std::uint64_t excused = covered_[i] | child.unrelated;
            for (std::size_t m = 0; m < child.members.size(); ++m) {
                if ((excused >> m & 1U) != 0) continue;
                const std::size_t parent = foreign_names.find(child.members[m].name);
                if (parent == none) continue;
                const bool own_key = parent == i && is_key(child, m);
                if (!own_key) return {fault::forgotten_child, models_[parent]->key, child.key, child.members[m].name};
            }
        }
        return {};
    }

    [[nodiscard]] static constexpr bool is_key(const model_record& of, std::size_t member) {
        for (const std::uint16_t index : of.primary_key.view()) {
            if (index == member) return true;
        }
        return false;
    }

    model_records models_;
    text_index<Models> keys_;
    std::array<graph_node, Models> nodes_{};
    std::array<graph_edge, Relations == 0 ? 1 : Relations> edges_{};
    std::array<relation_origin, Relations == 0 ? 1 : Relations> origins_{};
    std::size_t edge_count_ = 0;
    std::array<std::uint64_t, Models == 0 ? 1 : Models> covered_{};
};

/// The proof of a list of types.
template <class... Types>
struct proof_of {
    static constexpr std::array<const model_record*, sizeof...(Types)> records{&lowered<Types>::record...};
    static constexpr std::size_t relations = count_relations(records);
    static constexpr finding found = proof<sizeof...(Types), relations>(records).run();
};

}  // namespace winnow::inline v0
