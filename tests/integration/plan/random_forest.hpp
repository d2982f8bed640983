// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "unit/plan/plan_builder.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/plan/value.hpp"

namespace winnow_test {

/// A value of a cell: null, or a number. Text columns hold `k` and the number.
using cell = int;
inline constexpr cell null_cell = -1;

/// Tables of models under test, filled at random, in memory and as SQL. References may dangle.
class random_forest {
public:
    /// At most `rows` rows a table (fewer where keys repeat), of values below `range`.
    random_forest(std::span<const winnow::plan> plans, std::size_t rows, unsigned range, unsigned seed)
        : plans_(plans), random_(seed) {
        for (const winnow::plan& of : plans) tables_.push_back(fill(of, rows, range));
    }

    using row = std::vector<cell>;

    [[nodiscard]] const std::vector<row>& table(std::size_t model) const { return tables_[model]; }

    [[nodiscard]] static winnow::value bound(const winnow::column& column, cell of) {
        if (of == null_cell) return winnow::null_value{};
        if (column.kind == winnow::value_kind::text) return "k" + std::to_string(of);
        return std::int64_t{of};
    }

    /// Statements that create and fill all tables.
    [[nodiscard]] std::string script() const {
        std::string text = "BEGIN;\n";
        for (std::size_t m = 0; m < plans_.size(); ++m) {
            const winnow::plan& of = plans_[m];
            const std::string table(of.quoted_table.sqlite);
            text += "CREATE TABLE " + table + " (";
            for (const winnow::column& one : of.columns) {
                text += std::string(one.quoted.sqlite) + (one.kind == winnow::value_kind::text        ? " VARCHAR(20), "
                                                          : one.kind == winnow::value_kind::integer32 ? " INTEGER, "
                                                                                                      : " BIGINT, ");
            }
            text += "PRIMARY KEY (";
            for (std::size_t i = 0; i < of.primary_key.size(); ++i) {
                text += (i == 0 ? "" : ", ") + std::string(of.columns[of.primary_key[i]].quoted.sqlite);
            }
            text += "));\n";
            for (const row& one : tables_[m]) {
                text += "INSERT INTO " + table + " VALUES (";
                for (std::size_t c = 0; c < one.size(); ++c) {
                    text += c == 0 ? "" : ", ";
                    if (one[c] == null_cell) text += "NULL";
                    else if (of.columns[c].kind == winnow::value_kind::text)
                        text += "'k" + std::to_string(one[c]) + "'";
                    else text += std::to_string(one[c]);
                }
                text += ");\n";
            }
        }
        return text + "COMMIT;\n";
    }

    [[nodiscard]] std::size_t model(std::string_view key) const {
        for (std::size_t m = 0; m < plans_.size(); ++m) {
            if (plans_[m].key == key) return m;
        }
        return plans_.size();
    }

    /// True if a row of the child belongs to a row of the parent.
    [[nodiscard]] bool belongs(const winnow::relation& by, const row& child, const row& parent) const {
        const winnow::plan& above = plans_[model(by.parent)];
        const winnow::plan& below = plans_[model(by.child)];
        for (std::size_t i = 0; i < by.columns.size(); ++i) {
            const std::string_view target =
                by.referenced.empty() ? above.columns[above.primary_key[i]].name.sqlite : by.referenced[i].name.sqlite;
            const cell mine = child[column(below, by.columns[i].name.sqlite)];
            if (mine == null_cell || mine != parent[column(above, target)]) return false;
        }
        return passes(by, child);
    }
    [[nodiscard]] bool passes(const winnow::relation& by, const row& child) const {
        for (const winnow::filter& one : by.filters) {
            const cell mine = child[column(plans_[model(by.child)], one.where.name.sqlite)];
            if (mine == null_cell || std::to_string(mine) != one.literal) return false;
        }
        return true;
    }
    [[nodiscard]] bool refers(const winnow::relation& by, const row& child) const {
        for (const winnow::column& one : by.columns) {
            if (child[column(plans_[model(by.child)], one.name.sqlite)] == null_cell) return false;
        }
        return passes(by, child);
    }

    /// (model, row) of everything that goes with a root, each with the sets of models skipped below it.
    using doomed = std::map<std::pair<std::size_t, std::size_t>, std::set<std::set<std::string_view>>>;

    [[nodiscard]] doomed closure(std::size_t root, std::size_t root_row) const {
        doomed found;
        std::vector<std::pair<std::pair<std::size_t, std::size_t>, std::set<std::string_view>>> open{
            {{root, root_row}, {}}};
        while (!open.empty()) {
            const auto [at, skipped] = open.back();
            open.pop_back();
            if (!found[at].insert(skipped).second) continue;
            for (const winnow::relation& by : plans_[at.first].relations) {
                if (by.kind != winnow::relation_kind::cascade || skipped.count(by.child) != 0) continue;
                std::set<std::string_view> below = skipped;
                below.insert(by.skips.begin(), by.skips.end());
                const std::size_t child = model(by.child);
                for (std::size_t r = 0; r < tables_[child].size(); ++r) {
                    if (belongs(by, tables_[child][r], tables_[at.first][at.second]))
                        open.push_back({{child, r}, below});
                }
            }
        }
        return found;
    }

private:
    [[nodiscard]] static std::size_t column(const winnow::plan& of, std::string_view name) {
        for (std::size_t c = 0; c < of.columns.size(); ++c) {
            if (of.columns[c].name.sqlite == name) return c;
        }
        return of.columns.size();
    }

    [[nodiscard]] std::vector<row> fill(const winnow::plan& of, std::size_t rows, unsigned range) {
        std::vector<row> made;
        std::set<row> keys;
        for (std::size_t r = 0; r < rows; ++r) {
            row one;
            for (const winnow::column& each : of.columns) {
                const bool is_null = each.optional && random_() % 3 == 0;
                one.push_back(is_null ? null_cell : static_cast<cell>(random_() % range));
            }
            // Small numbers in every second column of a composite key, so that composite references meet.
            for (std::size_t c = 0; c < one.size(); ++c) {
                if (of.columns[c].name.sqlite.find("tenant") != std::string_view::npos && one[c] != null_cell)
                    one[c] %= 3;
                if (of.columns[c].name.sqlite.find("kind") != std::string_view::npos) one[c] %= 2;
            }
            row key;
            for (const std::uint16_t c : of.primary_key) key.push_back(one[c]);
            if (keys.insert(key).second) made.push_back(std::move(one));
        }
        return made;
    }

    std::span<const winnow::plan> plans_;
    std::mt19937 random_;
    std::vector<std::vector<row>> tables_;
};

}  // namespace winnow_test
