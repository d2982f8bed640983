// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/order.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/reach.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/plan/value.hpp"

namespace winnow::inline v0 {

/// Composes statements about everything below one root. A place becomes a common table expression of its
/// rows' identities; places on a cycle share a recursive one, in which `m` tells them apart.
class closure_writer {
public:
    closure_writer(const catalog& models, std::size_t root, dialect to)
        : models_(models), to_(to), places_(reach(models, root)) {
        std::vector<arc> arcs;
        for (std::size_t p = 0; p < places_.size(); ++p) {
            for (const arrival& by : places_[p].arrivals) arcs.push_back({by.from, p});
        }
        order_ = order_components(places_.size(), arcs);
        shared_.resize(places_.size());
        for (std::size_t i = 1; i < order_.children_first.size(); ++i) {
            const std::size_t a = order_.children_first[i - 1];
            const std::size_t b = order_.children_first[i];
            if (order_.component[a] == order_.component[b]) shared_[a] = shared_[b] = true;
        }
    }

    [[nodiscard]] const std::vector<place>& places() const noexcept { return places_; }
    [[nodiscard]] std::size_t key_width() const { return models_[places_[0].model].primary_key.size(); }

    /// Counts the rows of all places of one model.
    [[nodiscard]] std::string count_doomed(std::size_t model) {
        std::string rows;
        const std::vector<std::size_t> here = places_of(model);
        for (const std::size_t p : here) {
            rows += rows.empty() ? "SELECT " : " UNION SELECT ";
            rows += here.size() == 1 ? "1" : columns(p, "d.");
            rows += " FROM " + name(p) + " AS d";
            if (shared_[p]) rows += " WHERE d.m = " + std::to_string(p);
        }
        return counted(here, rows);
    }

    /// Counts the child rows of one relation that are not doomed themselves.
    [[nodiscard]] std::string count_kept(const edge& by) {
        std::vector<std::size_t> needed = places_of(by.child);
        const std::string kept = not_in_places(by.child, needed);
        const std::vector<std::size_t> parents = sources(by);
        std::string rows;
        for (const std::size_t p : parents) {
            needed.push_back(p);
            if (!rows.empty()) rows += " UNION ";
            rows += children(p, by, parents.size() == 1 && !is_unique(by), identity(by.child), kept);
        }
        return counted(needed, rows);
    }

    /// Places from which a relation starts and is not skipped.
    [[nodiscard]] std::vector<std::size_t> sources(const edge& by) const {
        std::vector<std::size_t> found;
        for (const std::size_t p : places_of(by.parent)) {
            if (!places_[p].skips(by.child)) found.push_back(p);
        }
        return found;
    }

    [[nodiscard]] std::vector<std::size_t> places_of(std::size_t model) const {
        std::vector<std::size_t> found;
        for (std::size_t p = 0; p < places_.size(); ++p) {
            if (places_[p].model == model) found.push_back(p);
        }
        return found;
    }

private:
    [[nodiscard]] const plan& plan_of(std::size_t p) const { return models_[places_[p].model]; }
    [[nodiscard]] std::string parameter(std::size_t number) const {
        return std::string(to_ == dialect::postgres ? "$" : "?").append(std::to_string(number));
    }
    [[nodiscard]] std::string name(std::size_t p) const {
        return std::string("winnow_").append(std::to_string(order_.component[p]));
    }
    [[nodiscard]] static std::string column_name(std::size_t p, std::size_t i) {
        // Appended: g++ 12 warns (-Wrestrict) of texts that are added to a literal when it optimizes.
        return std::string("p").append(std::to_string(p)).append("_").append(std::to_string(i));
    }
    /// `p3_0, p3_1`, each with `prefix` in front.
    [[nodiscard]] std::string columns(std::size_t p, std::string_view prefix) const {
        std::string text;
        for (std::size_t i = 0; i < plan_of(p).identity.size(); ++i) {
            text += (i == 0 ? "" : ", ") + std::string(prefix) + column_name(p, i);
        }
        return text;
    }
    [[nodiscard]] std::string quoted(const plan& of, std::uint16_t column, std::string_view alias = "n.") const {
        return std::string(alias) + std::string(of.columns[column].quoted[to_]);
    }
    /// `n."a", n."b"`: the identity of a model's rows.
    [[nodiscard]] std::string identity(std::size_t model) const {
        std::string text;
        for (const std::uint16_t column : models_[model].identity) {
            text += (text.empty() ? "" : ", ") + quoted(models_[model], column);
        }
        return text;
    }
    [[nodiscard]] static std::string_view type_name(value_kind kind) {
        switch (kind) {
            case value_kind::integer32: return "integer";
            case value_kind::integer64: return "bigint";
            case value_kind::boolean: return "boolean";
            case value_kind::real: return "double precision";
            case value_kind::uuid: return "uuid";
            case value_kind::timestamp: return "timestamptz";
            case value_kind::blob: return "bytea";
            case value_kind::text:
            case value_kind::json: break;
        }
        return "text";
    }

    /// What a row of place `p` looks like in its expression. In a shared one all other places' columns are
    /// null; PostgreSQL wants each column to have the same type throughout.
    [[nodiscard]] std::string row_of(std::size_t p) const {
        if (!shared_[p]) return identity(places_[p].model);
        std::string text = std::to_string(p) + " AS m";
        for (std::size_t other = 0; other < places_.size(); ++other) {
            if (order_.component[other] != order_.component[p]) continue;
            for (std::size_t i = 0; i < plan_of(other).identity.size(); ++i) {
                const std::uint16_t column = plan_of(other).identity[i];
                text += ", " + (other == p ? quoted(plan_of(p), column) : std::string("NULL"));
                if (to_ == dialect::postgres)
                    text += "::" + std::string(type_name(plan_of(other).columns[column].kind));
            }
        }
        return text;
    }

    /// `p1_0 = …` for each column of the reference: the child row `n` belongs to the row `d` of place `p`.
    [[nodiscard]] std::string belongs(std::size_t p, const edge& by) const {
        std::string text;
        for (std::size_t i = 0; i < by.relation->columns.size(); ++i) {
            text += (i == 0 ? "n." : " AND n.") + std::string(by.relation->columns[i].quoted[to_]);
            text += " = d." + column_name(p, by.referenced[i]);
        }
        return text + filters(by);
    }
    [[nodiscard]] std::string filters(const edge& by) const {
        std::string text;
        for (const filter& one : by.relation->filters) {
            text += " AND n." + std::string(one.where.quoted[to_]) + " = " + std::string(one.literal);
        }
        return text;
    }
    /// Only a reference to the whole primary key is sure to find each child once.
    [[nodiscard]] bool is_unique(const edge& by) const {
        const std::size_t width = models_[by.parent].primary_key.size();
        if (by.referenced.size() != width) return false;
        std::vector<bool> seen(width);
        for (const std::uint8_t position : by.referenced) {
            if (position >= width || seen[position]) return false;
            seen[position] = true;
        }
        return true;
    }

    /// The children, by one relation, of the rows of place `p`.
    [[nodiscard]] std::string children(std::size_t p, const edge& by, bool distinct, const std::string& row,
                                       const std::string& condition = {}) const {
        std::string text = "SELECT " + std::string(distinct ? "DISTINCT " : "") + row + " FROM " + name(p) +
                           " AS d JOIN " + std::string(models_[by.child].quoted_table[to_]) + " AS n ON " +
                           belongs(p, by);
        if (shared_[p]) text += " AND d.m = " + std::to_string(p);
        return text + condition;
    }

    /// ` AND n is no row of any place of its model`. PostgreSQL makes a join of NOT EXISTS; SQLite would run
    /// it for each row, and looks NOT IN up in a table that it fills once.
    [[nodiscard]] std::string not_in_places(std::size_t model, const std::vector<std::size_t>& places) const {
        const plan& of = models_[model];
        std::string text;
        for (const std::size_t p : places) {
            std::string mine;
            std::string theirs;
            std::string equal;
            for (std::size_t i = 0; i < of.primary_key.size(); ++i) {
                const std::string column = quoted(of, of.primary_key[i]);
                mine += (i == 0 ? "" : ", ") + column;
                theirs += (i == 0 ? "c." : ", c.") + column_name(p, i);
                equal += (i == 0 ? "c." : " AND c.") + column_name(p, i) + " = " + column;
            }
            const std::string tag = shared_[p] ? "c.m = " + std::to_string(p) : std::string();
            if (to_ == dialect::postgres) {
                text += " AND NOT EXISTS (SELECT 1 FROM " + name(p) + " AS c WHERE " + equal +
                        (tag.empty() ? "" : " AND " + tag) + ")";
            } else {
                text += " AND (" + mine + ") NOT IN (SELECT " + theirs + " FROM " + name(p) + " AS c" +
                        (tag.empty() ? "" : " WHERE " + tag) + ")";
            }
        }
        return text;
    }

    /// The expression of all places of one component.
    [[nodiscard]] std::string expression(std::size_t component) const {
        std::vector<std::size_t> members;
        for (std::size_t p = 0; p < places_.size(); ++p) {
            if (order_.component[p] == component) members.push_back(p);
        }
        std::string head = name(members[0]) + "(" + (shared_[members[0]] ? "m, " : "");
        std::vector<std::string> first;                      // rows that come from outside
        std::vector<std::pair<std::size_t, arrival>> inner;  // arrivals from the component itself
        for (const std::size_t p : members) {
            head += (p == members[0] ? "" : ", ") + columns(p, "");
            if (p == 0) first.push_back(root_row());
            for (const arrival& by : places_[p].arrivals) {
                if (order_.component[by.from] == component) inner.emplace_back(p, by);
            }
        }
        for (const std::size_t p : members) {
            for (const arrival& by : places_[p].arrivals) {
                if (order_.component[by.from] == component) continue;
                const bool alone = members.size() == 1 && p != 0 && places_[p].arrivals.size() == 1;
                first.push_back(children(by.from, *by.by, alone && !is_unique(*by.by), row_of(p)));
            }
        }
        std::string text = head + ") AS (";
        for (std::size_t i = 0; i < first.size(); ++i) text += (i == 0 ? "" : " UNION ") + first[i];
        if (!inner.empty()) text += " UNION " + recursion(members[0], inner);
        return text + ")";
    }

    [[nodiscard]] std::string root_row() const {
        const plan& root = plan_of(0);
        std::string text = "SELECT " + row_of(0) + " FROM " + std::string(root.quoted_table[to_]) + " AS n WHERE ";
        for (std::size_t i = 0; i < root.primary_key.size(); ++i) {
            text.append(i == 0 ? "" : " AND ").append(quoted(root, root.primary_key[i])).append(" = ");
            text.append(parameter(i + 1));
        }
        return text;
    }

    /// PostgreSQL allows one recursive term with one reference to itself: the relations hang on it side by
    /// side, each by its index (OFFSET 0; a join would read the whole table at each level of a chain). SQLite
    /// has no LATERAL, and allows several terms.
    [[nodiscard]] std::string recursion(std::size_t member,
                                        const std::vector<std::pair<std::size_t, arrival>>& inner) const {
        std::string text;
        for (const auto& [p, by] : inner) {
            if (to_ == dialect::sqlite) {
                text += (text.empty() ? "" : " UNION ") + children(by.from, *by.by, false, row_of(p));
                continue;
            }
            text += (text.empty() ? "SELECT " : " UNION ALL SELECT ") + row_of(p) + " FROM " +
                    std::string(plan_of(p).quoted_table[to_]) + " AS n WHERE " + belongs(by.from, *by.by);
            if (shared_[p]) text += " AND d.m = " + std::to_string(by.from);
        }
        if (to_ == dialect::sqlite) return text;
        return "SELECT x.* FROM " + name(member) + " AS d CROSS JOIN LATERAL (" + text + " OFFSET 0) AS x";
    }

    /// The statement that counts `rows` up to the cap, with the expressions that `needed` places stand on.
    [[nodiscard]] std::string counted(const std::vector<std::size_t>& needed, const std::string& rows) const {
        std::vector<bool> wanted(places_.size());
        std::vector<std::size_t> open = needed;
        while (!open.empty()) {
            const std::size_t p = open.back();
            open.pop_back();
            if (wanted[order_.component[p]]) continue;
            wanted[order_.component[p]] = true;
            for (std::size_t other = 0; other < places_.size(); ++other) {
                if (order_.component[other] != order_.component[p]) continue;
                for (const arrival& by : places_[other].arrivals) open.push_back(by.from);
            }
        }
        std::string text;
        for (std::size_t component = places_.size(); component-- > 0;) {
            if (!wanted[component]) continue;
            text += (text.empty() ? "WITH RECURSIVE " : ", ") + expression(component);
        }
        return text + " SELECT count(*) FROM (" + rows + " LIMIT " + parameter(key_width() + 1) + ") AS counted";
    }

    const catalog& models_;
    dialect to_;
    std::vector<place> places_;
    component_order order_;
    std::vector<bool> shared_;  // by place: other places share its expression
};

}  // namespace winnow::inline v0
