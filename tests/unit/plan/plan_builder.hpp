// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/plan/plan.hpp"
#include "winnow/sql/identifier.hpp"
#include "winnow/sql/statements.hpp"
#include "winnow/sql/writer.hpp"

namespace winnow_test {

/// One column of a model under test.
struct column_spec {
    std::string name;
    winnow::value_kind kind = winnow::value_kind::integer64;
    bool optional = false;
};

/// One relation of a model under test.
struct relation_spec {
    winnow::relation_kind kind = winnow::relation_kind::cascade;
    std::string child;
    std::vector<std::string> columns;
    std::vector<std::string> referenced = {};                       ///< empty: the primary key
    std::vector<std::pair<std::string, std::string>> filters = {};  ///< column of the child, literal
    std::vector<std::string> skips = {};
    winnow::row_predicate applies = {};
};

/// One model under test; its table is named by the part of the key behind the point, unless named.
struct model_spec {
    std::string key;
    std::vector<column_spec> columns;
    std::vector<std::string> primary_key = {"id"};
    std::vector<relation_spec> relations = {};
    std::string table = {};
    std::string schema = {};
    winnow::silo silo = winnow::silo::cell;
    std::string status = {};
    bool newest_first = false;
    winnow::strategy strategy = winnow::strategy::per_row;
    /// Relations by which this model attaches itself: the parent's key, then the relation as above.
    std::vector<std::pair<std::string, relation_spec>> attached = {};
    /// Changes of its rows write messages; the shard is the first column.
    const winnow::replication* replication = nullptr;
};

/// Makes plans at run time and owns everything that they point to.
class plan_builder {
public:
    explicit plan_builder(std::vector<model_spec> models) : models_(std::move(models)) {
        for (const model_spec& of : models_) plans_.push_back(names_of(of));
        for (std::size_t i = 0; i < models_.size(); ++i) add_identity(i);
        for (std::size_t i = 0; i < models_.size(); ++i) add_relations(i);
        for (winnow::plan& of : plans_) {
            for (const winnow::row_statement which : winnow::all_row_statements) {
                const auto text = [&](winnow::dialect to) -> std::string_view {
                    return keep(winnow::written([&](winnow::writer& out) { write_row_statement(out, which, of, to); }));
                };
                of.statements.*
                    winnow::member_of(which) = {text(winnow::dialect::postgres), text(winnow::dialect::sqlite)};
            }
        }
    }
    plan_builder(const plan_builder&) = delete;
    plan_builder& operator=(const plan_builder&) = delete;

    [[nodiscard]] std::span<const winnow::plan> plans() const { return plans_; }
    [[nodiscard]] const winnow::plan& plan(std::string_view key) const { return plans_[index_of(key)]; }

private:
    std::string& keep(std::string text) { return texts_.emplace_back(std::move(text)); }

    [[nodiscard]] bool knows(std::string_view key) const {
        return std::any_of(models_.begin(), models_.end(), [&](const model_spec& one) { return one.key == key; });
    }
    [[nodiscard]] std::size_t index_of(std::string_view key) const {
        for (std::size_t i = 0; i < models_.size(); ++i) {
            if (models_[i].key == key) return i;
        }
        throw std::out_of_range("no model " + std::string(key));
    }
    [[nodiscard]] std::uint16_t column_of(std::size_t model, std::string_view name) const {
        const std::vector<column_spec>& columns = models_[model].columns;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (columns[i].name == name) return static_cast<std::uint16_t>(i);
        }
        throw std::out_of_range("no column " + std::string(name) + " in " + models_[model].key);
    }
    winnow::dialect_text quoted(std::string_view name) {
        const std::string& text = keep(winnow::written([&](winnow::writer& out) { winnow::write_quoted(out, name); }));
        return {text, text};
    }

    winnow::plan names_of(const model_spec& of) {
        winnow::plan made;
        made.key = of.key;
        const std::string& table = keep(of.table.empty() ? of.key.substr(of.key.find('.') + 1) : of.table);
        made.table = {table, table};
        made.schema = {of.schema, of.schema};
        const std::string& qualified =
            keep(winnow::written([&](winnow::writer& out) { winnow::write_qualified(out, of.schema, table); }));
        made.quoted_table = {qualified, qualified};
        made.silo = of.silo;
        made.newest_first = of.newest_first;
        made.strategy = of.strategy;
        made.strategy_reason = "stated by the test";
        made.replication = of.replication;
        std::vector<winnow::column>& columns = columns_.emplace_back();
        for (const column_spec& one : of.columns) {
            columns.push_back({{one.name, one.name}, quoted(one.name), one.kind, one.optional});
        }
        made.columns = columns;
        return made;
    }

    void add_identity(std::size_t model) {
        std::vector<std::uint16_t>& key = indices_.emplace_back();
        for (const std::string& name : models_[model].primary_key) key.push_back(column_of(model, name));
        std::vector<std::uint16_t>& identity = indices_.emplace_back(key);
        const auto refer = [&](const relation_spec& one) {
            for (const std::string& name : one.referenced) {
                const std::uint16_t index = column_of(model, name);
                if (std::find(identity.begin(), identity.end(), index) == identity.end()) identity.push_back(index);
            }
        };
        for (const relation_spec& one : models_[model].relations) refer(one);
        plans_[model].primary_key = key;
        plans_[model].identity = identity;
        if (!models_[model].status.empty()) plans_[model].status.index = column_of(model, models_[model].status);
    }

    winnow::relation relation_of(const std::string& parent, const std::string& child, const relation_spec& spec) {
        winnow::relation made;
        made.kind = spec.kind;
        made.parent = parent;
        made.child = child;
        made.applies = spec.applies;
        std::vector<std::string_view>& skips = skips_.emplace_back();
        skips.assign(spec.skips.begin(), spec.skips.end());
        made.skips = skips;
        if (!knows(child)) {
            // A reference to a model that is missing on purpose, or an external task.
            std::vector<winnow::column>& columns = columns_.emplace_back();
            for (const std::string& name : spec.columns) columns.push_back({{name, name}, quoted(name)});
            made.columns = columns;
            return made;
        }
        const std::size_t index = index_of(child);
        std::vector<winnow::column>& columns = columns_.emplace_back();
        for (const std::string& name : spec.columns) columns.push_back(plans_[index].columns[column_of(index, name)]);
        made.columns = columns;
        std::vector<winnow::column>& referenced = columns_.emplace_back();
        for (const std::string& name : spec.referenced) {
            if (!knows(parent)) continue;
            referenced.push_back(plans_[index_of(parent)].columns[column_of(index_of(parent), name)]);
        }
        made.referenced = referenced;
        std::vector<winnow::filter>& filters = filters_.emplace_back();
        for (const auto& [name, literal] : spec.filters) {
            filters.push_back({plans_[index].columns[column_of(index, name)], literal});
        }
        made.filters = filters;
        for (const winnow::relation_statement which : winnow::all_relation_statements) {
            const auto text = [&](winnow::dialect to) -> std::string_view {
                return keep(winnow::written(
                    [&](winnow::writer& out) { write_relation_statement(out, which, made, plans_[index], to); }));
            };
            made.statements.*
                winnow::member_of(which) = {text(winnow::dialect::postgres), text(winnow::dialect::sqlite)};
        }
        return made;
    }

    void add_relations(std::size_t model) {
        std::vector<winnow::relation>& relations = relations_.emplace_back();
        for (const relation_spec& one : models_[model].relations) {
            relations.push_back(relation_of(models_[model].key, one.child, one));
        }
        std::vector<winnow::relation>& attached = relations_.emplace_back();
        for (const auto& [parent, one] : models_[model].attached) {
            attached.push_back(relation_of(parent, models_[model].key, one));
        }
        plans_[model].relations = relations;
        plans_[model].attached = attached;
    }

    std::vector<model_spec> models_;
    std::vector<winnow::plan> plans_;
    std::deque<std::string> texts_;
    std::deque<std::vector<winnow::column>> columns_;
    std::deque<std::vector<std::uint16_t>> indices_;
    std::deque<std::vector<winnow::filter>> filters_;
    std::deque<std::vector<std::string_view>> skips_;
    std::deque<std::vector<winnow::relation>> relations_;
};

}  // namespace winnow_test
