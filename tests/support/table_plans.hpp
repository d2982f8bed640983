// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/sql/statements.hpp"

namespace winnow_test {

/// Plans for tables that are known only at run time. Every table has a whole-number key `id` as its first
/// column; all columns are whole numbers. Add tables, then relations, then `finish()`.
class table_plans {
public:
    struct column_name {
        std::string name;
        bool optional = false;
    };

    explicit table_plans(std::string application) : application_(std::move(application)) {}
    table_plans(const table_plans&) = delete;
    table_plans& operator=(const table_plans&) = delete;

    /// @param columns those after `id`
    /// @return index of the table, and of its model in `models()`
    std::size_t add_table(const std::string& name, const std::vector<column_name>& columns,
                          std::int32_t chunk_size = 100, bool newest_first = false) {
        winnow::plan made;
        std::string key = application_ + ".";
        key += name;
        made.key = keep(std::move(key));
        const std::string_view table = keep(name);
        const std::string_view quoted = keep('"' + name + '"');
        made.table = {table, table};
        made.quoted_table = {quoted, quoted};
        std::vector<winnow::column>& all = columns_.emplace_back();
        all.push_back(column_of("id", false));
        for (const column_name& each : columns) all.push_back(column_of(each.name, each.optional));
        made.columns = all;
        made.primary_key = key_;
        made.identity = key_;
        made.newest_first = newest_first;
        made.chunk_size = chunk_size;
        made.query_limit = chunk_size;
        plans_.push_back(made);
        relations_.emplace_back();
        return plans_.size() - 1;
    }

    /// @param only_kind when not empty, the relation holds for child rows whose column `kind` has this value
    void add_relation(std::size_t parent, std::size_t child, const std::string& column, bool optional,
                      winnow::relation_kind kind = winnow::relation_kind::cascade, const std::string& only_kind = {}) {
        winnow::relation along;
        along.kind = kind;
        along.parent = plans_[parent].key;
        along.child = plans_[child].key;
        along.columns = columns_.emplace_back(std::vector<winnow::column>{column_of(column, optional)});
        if (!only_kind.empty())
            along.filters = {&filters_.emplace_back(winnow::filter{column_of("kind", false), keep(only_kind)}), 1};
        relations_[parent].emplace_back(along, child);
    }

    /// Writes all statements. Nothing may be added afterwards.
    void finish() {
        for (std::size_t index = 0; index < plans_.size(); ++index) {
            std::vector<winnow::relation>& below = finished_.emplace_back();
            for (const auto& [along, child] : relations_[index]) below.push_back(along);
            plans_[index].relations = below;
            plans_[index].strategy = below.empty() ? winnow::strategy::bulk : winnow::strategy::per_row;
        }
        for (const winnow::dialect to : {winnow::dialect::postgres, winnow::dialect::sqlite}) write_all(to);
    }

    [[nodiscard]] std::vector<winnow::plan>& plans() { return plans_; }
    [[nodiscard]] winnow::catalog models() const { return winnow::catalog(std::span<const winnow::plan>(plans_)); }

private:
    std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }
    winnow::column column_of(const std::string& name, bool optional) {
        const std::string_view raw = keep(name);
        const std::string_view quoted = keep('"' + name + '"');
        return {{raw, raw}, {quoted, quoted}, winnow::value_kind::integer64, optional};
    }
    template <class Write>
    std::string_view written(Write&& write) {
        winnow::writer measure;
        write(measure);
        std::string& text = texts_.emplace_back(std::string(measure.size(), '\0'));
        winnow::writer out(text);
        write(out);
        return text;
    }
    void write_all(winnow::dialect to) {
        const auto put = [&](winnow::dialect_text& text, std::string_view spelled) {
            (to == winnow::dialect::postgres ? text.postgres : text.sqlite) = spelled;
        };
        for (std::size_t index = 0; index < plans_.size(); ++index) {
            for (const winnow::row_statement which : winnow::all_row_statements)
                put(plans_[index].statements.*member_of(which),
                    written([&](winnow::writer& out) { write_row_statement(out, which, plans_[index], to); }));
            for (std::size_t at = 0; at < relations_[index].size(); ++at) {
                winnow::relation& along = finished_[index][at];
                const winnow::plan& child = plans_[relations_[index][at].second];
                for (const winnow::relation_statement which : winnow::all_relation_statements)
                    put(along.statements.*member_of(which),
                        written([&](winnow::writer& out) { write_relation_statement(out, which, along, child, to); }));
            }
        }
    }

    std::string application_;
    std::vector<std::uint16_t> key_{0};
    std::vector<winnow::plan> plans_;
    std::vector<std::vector<std::pair<winnow::relation, std::size_t>>> relations_;
    std::deque<std::vector<winnow::relation>> finished_;
    std::deque<std::string> texts_;
    std::deque<std::vector<winnow::column>> columns_;
    std::deque<winnow::filter> filters_;
};

}  // namespace winnow_test
