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

#include "support/table_plans.hpp"
#include "winnow/core/dialect.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/plan.hpp"

namespace winnow_test {

/// A random schema with random rows, and what deleting one of them must leave, computed without any database.
/// The same seed gives the same tree in every process.
///
/// Tables t0, t1, … have `id`, `kind` and one column for each reference. A reference may lead to the table
/// itself, to an earlier table, or back to a later one (then it is nullable): depth, fan-out, several parents,
/// trees within a table, cycles over tables, filtered relations.
class random_tree {
public:
    struct reference {
        std::size_t child = 0;
        std::size_t parent = 0;
        std::string column;
        bool nullable = false;
        bool filtered = false;  ///< holds only for rows of kind 1; without a foreign key then
        winnow::relation_kind kind = winnow::relation_kind::cascade;
    };
    struct row {
        std::int64_t id = 0;
        std::int64_t kind = 0;
        std::vector<std::int64_t> references;  ///< by reference of the table; 0: null
        friend auto operator<=>(const row&, const row&) = default;
    };
    using table_rows = std::map<std::int64_t, row>;

    explicit random_tree(std::uint64_t seed, bool with_keys = true)
        : seed_(seed), random_(seed), with_keys_(with_keys) {
        make_schema();
        make_rows();
        make_plans();
    }
    random_tree(const random_tree&) = delete;
    random_tree& operator=(const random_tree&) = delete;

    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    [[nodiscard]] winnow::catalog models() const { return plans_.models(); }
    [[nodiscard]] std::size_t tables() const { return tables_; }
    [[nodiscard]] const std::vector<reference>& references() const { return references_; }
    [[nodiscard]] const std::vector<table_rows>& rows() const { return rows_; }
    [[nodiscard]] std::vector<winnow::plan>& plans() { return plans_.plans(); }
    [[nodiscard]] static std::string table(std::size_t index) { return "t" + std::to_string(index); }

    [[nodiscard]] std::string schema_script(winnow::dialect which) const;
    [[nodiscard]] std::string rows_script() const;

    /// Rows after the deletion of these rows of table 0.
    [[nodiscard]] std::vector<table_rows> after_deleting(std::span<const std::int64_t> ids) const;
    [[nodiscard]] std::vector<table_rows> after_deleting(std::int64_t id) const { return after_deleting({&id, 1}); }

private:
    std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
    bool chance(std::uint64_t percent) { return below(100) < percent; }

    void make_schema() {
        tables_ = 2 + below(5);
        newest_first_.resize(tables_);
        chunk_.resize(tables_);
        for (std::size_t child = 0; child < tables_; ++child) {
            newest_first_[child] = chance(20);
            chunk_[child] = static_cast<std::int32_t>(1 + below(chance(50) ? 5 : 60));
            if (child > 0) add(child, below(child), chance(30), chance(15));
            if (child > 1 && chance(40)) add(child, below(child), chance(50), chance(15));
            if (chance(25)) add(child, child, true, false);
            if (child > 0 && chance(20)) add(below(child), child, true, false);
        }
    }
    void add(std::size_t child, std::size_t parent, bool nullable, bool filtered) {
        reference one{child,    parent,   "r" + std::to_string(references_.size()),
                      nullable, filtered, winnow::relation_kind::cascade};
        if (nullable && child != parent && chance(30)) one.kind = winnow::relation_kind::set_null;
        references_.push_back(one);
    }
    void make_rows() {
        rows_.resize(tables_);
        for (std::size_t index = 0; index < tables_; ++index) {
            const std::uint64_t count = index == 0 ? 3 + below(4) : 5 + below(40);
            for (std::uint64_t n = 1; n <= count; ++n) {
                row one{static_cast<std::int64_t>(n), chance(70) ? 1 : 2, {}};
                for (const reference& r : references_) {
                    if (r.child != index) continue;
                    std::int64_t to = 0;
                    if (r.parent < index) to = static_cast<std::int64_t>(1 + below(rows_[r.parent].size()));
                    else if (r.parent == index && n > 1 && chance(80)) to = static_cast<std::int64_t>(1 + below(n - 1));
                    if (r.nullable && r.parent < index && chance(25)) to = 0;
                    one.references.push_back(to);
                }
                rows_[index].emplace(one.id, one);
            }
        }
        // References that lead back to later tables, and some within a table that close a cycle in the data.
        for (std::size_t at = 0; at < references_.size(); ++at) {
            const reference& r = references_[at];
            if (r.parent < r.child) continue;
            for (auto& [id, one] : rows_[r.child]) {
                if (r.parent == r.child ? chance(95) : chance(60)) continue;
                one.references[position(at)] = static_cast<std::int64_t>(1 + below(rows_[r.parent].size()));
            }
        }
    }
    [[nodiscard]] std::size_t position(std::size_t at) const {
        std::size_t place = 0;
        for (std::size_t earlier = 0; earlier < at; ++earlier)
            place += references_[earlier].child == references_[at].child ? 1U : 0U;
        return place;
    }
    void make_plans();

    std::uint64_t seed_;
    std::mt19937_64 random_;
    bool with_keys_;
    std::size_t tables_ = 0;
    std::vector<bool> newest_first_;
    std::vector<std::int32_t> chunk_;
    std::vector<reference> references_;
    std::vector<table_rows> rows_;
    table_plans plans_{"random"};
};

inline void random_tree::make_plans() {
    for (std::size_t index = 0; index < tables_; ++index) {
        std::vector<table_plans::column_name> columns{{"kind", false}};
        for (const reference& r : references_)
            if (r.child == index) columns.push_back({r.column, r.nullable});
        plans_.add_table(table(index), columns, chunk_[index], newest_first_[index]);
    }
    for (const reference& r : references_)
        plans_.add_relation(r.parent, r.child, r.column, r.nullable, r.kind, r.filtered ? "1" : "");
    plans_.finish();
}

inline std::string random_tree::schema_script(winnow::dialect which) const {
    const bool postgres = which == winnow::dialect::postgres;
    std::string script;
    for (std::size_t index = 0; index < tables_; ++index) {
        script += "CREATE TABLE " + table(index) +
                  (postgres ? " (id bigint PRIMARY KEY, kind bigint NOT NULL"
                            : " (id INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL");
        for (const reference& r : references_) {
            if (r.child != index) continue;
            script += ", " + r.column + " bigint" + (r.nullable ? "" : " NOT NULL");
            // PostgreSQL gets its keys below: a table may refer to one that does not exist yet.
            if (with_keys_ && !r.filtered && !postgres) script += " REFERENCES " + table(r.parent) + "(id)";
        }
        script += ");\n";
    }
    for (const reference& r : references_) {
        script += "CREATE INDEX ON_" + r.column + " ON " + table(r.child) + "(" + r.column + ");\n";
        if (with_keys_ && !r.filtered && postgres)
            script += "ALTER TABLE " + table(r.child) + " ADD FOREIGN KEY (" + r.column + ") REFERENCES " +
                      table(r.parent) + "(id);\n";
    }
    return script;
}

inline std::string random_tree::rows_script() const {
    // Rows first without references that lead on or within, then these.
    std::string script;
    std::string later;
    for (std::size_t index = 0; index < tables_; ++index) {
        for (const auto& [id, one] : rows_[index]) {
            script +=
                "INSERT INTO " + table(index) + " VALUES (" + std::to_string(id) + ", " + std::to_string(one.kind);
            std::size_t at = 0;
            for (const reference& r : references_) {
                if (r.child != index) continue;
                const std::int64_t to = one.references[at++];
                const bool now = r.parent < index && to != 0;
                script += now ? ", " + std::to_string(to) : ", NULL";
                if (!now && to != 0)
                    later += "UPDATE " + table(index) + " SET " + r.column + " = " + std::to_string(to) +
                             " WHERE id = " + std::to_string(id) + ";\n";
            }
            script += ");\n";
        }
    }
    return script + later;
}

inline std::vector<random_tree::table_rows> random_tree::after_deleting(std::span<const std::int64_t> ids) const {
    std::vector<std::set<std::int64_t>> doomed(tables_);
    std::vector<std::pair<std::size_t, std::int64_t>> open;
    for (const std::int64_t id : ids) {
        open.emplace_back(0, id);
        doomed[0].insert(id);
    }
    while (!open.empty()) {
        const auto [parent, gone] = open.back();
        open.pop_back();
        for (std::size_t at = 0; at < references_.size(); ++at) {
            const reference& r = references_[at];
            if (r.parent != parent || r.kind != winnow::relation_kind::cascade) continue;
            for (const auto& [child, one] : rows_[r.child]) {
                if (one.references[position(at)] != gone || (r.filtered && one.kind != 1)) continue;
                if (doomed[r.child].insert(child).second) open.emplace_back(r.child, child);
            }
        }
    }
    std::vector<table_rows> left = rows_;
    for (std::size_t index = 0; index < tables_; ++index)
        for (const std::int64_t gone : doomed[index]) left[index].erase(gone);
    for (std::size_t at = 0; at < references_.size(); ++at) {
        const reference& r = references_[at];
        if (r.kind != winnow::relation_kind::set_null) continue;
        for (auto& [child, one] : left[r.child]) {
            std::int64_t& to = one.references[position(at)];
            if (to != 0 && doomed[r.parent].count(to) != 0 && (!r.filtered || one.kind == 1)) to = 0;
        }
    }
    return left;
}

}  // namespace winnow_test
