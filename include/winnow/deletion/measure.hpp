// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/context/context.hpp"
#include "winnow/core/error.hpp"
#include "winnow/store/object_id.hpp"
#include "winnow/deletion/estimate.hpp"
#include "winnow/deletion/planned_shape.hpp"
#include "winnow/deletion/work.hpp"
#include "winnow/plan/closure.hpp"
#include "winnow/store/live_schema.hpp"
#include "winnow/store/own_statement.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow::inline v0 {

/// Bounds of measuring.
struct measure_options {
    std::int64_t cap = 10'000'000;                ///< a table's rows are counted up to this number
    std::chrono::milliseconds each_table{5'000};  ///< a count that takes longer is given up
};

/// One table of a plan.
struct planned_table {
    std::string key;         ///< key of the model; of the parent's model for `external`
    std::string table;       ///< as the database spells it; the task's name for `external`
    std::string action;      ///< `deleted`, `set null` or `external`
    std::int64_t rows = -1;  ///< -1: not measured
    bool capped = false;     ///< there are at least so many
    bool at_most = false;    ///< a condition in C++ may spare some of them
    std::string strategy;
    std::int64_t chunks = 0;
    std::string access;  ///< name of the index by which the rows are found, `primary key`, or `sequential scan`
    std::string note;
    planned_shape shape{};  ///< how they are taken; empty for `external` and `set null`
};

/// What a deletion would take. Measured without changing or locking anything.
struct deletion_plan {
    std::vector<planned_table> tables;
    std::int64_t total = 0;             ///< rows that would be deleted
    bool complete = true;               ///< false: some count was cut short, `total` is a lower bound
    std::vector<std::string> refusals;  ///< why the deletion would be refused as things are
};

namespace detail {

/// Runs one counting query in a short transaction of its own. @return nothing when it took too long
inline std::optional<std::int64_t> counted(connection& database, const closure_query& query, std::span<const value> key,
                                           std::int64_t cap, std::chrono::milliseconds patience) {
    std::vector<parameter> parameters;
    for (std::size_t column = 0; column < query.key_parameters; ++column) parameters.emplace_back(key[column]);
    parameters.emplace_back(cap);
    transaction_limits limits;
    limits.statement_timeout = patience;
    try {
        transaction scope(database, transaction_kind::read, limits);
        const std::int64_t rows =
            database.execute_once(query.sql, std::span<const parameter>(parameters)).integer(0, 0);
        scope.commit();
        return rows;
    } catch (const error& problem) {
        if (problem.sqlstate() == "57014" || problem.sqlstate() == "SQLITE_INTERRUPT") return std::nullopt;
        throw;
    }
}

inline std::string columns_of(const relation& along, dialect which) {
    std::string text;
    for (const column& one : along.columns) text += (text.empty() ? "" : ", ") + std::string(one.name[which]);
    return text;
}

inline std::string refusal_text(const context& with, const closure_query& query, std::int64_t count, std::int64_t cap) {
    const plan& child = with.models[query.model];
    return std::string(with.models[query.by->parent].key) +
           " cannot be deleted: " + referring_rows(child, count, cap, with.database.kind()) + " by " +
           columns_of(*query.by->relation, with.database.kind()) +
           ", and the relation is declared `restrict`. Delete or re-point those rows first.";
}

/// By what the rows of a model are found when its parents go.
inline std::string access_of(const context& with, const schema_facts& live, std::size_t model, std::size_t root,
                             const deletion_plan& so_far) {
    if (model == root) return "primary key";
    std::string access;
    for (const edge* into : with.models.edges_to(model)) {
        if (into->relation->kind != relation_kind::cascade && into->relation->kind != relation_kind::set_null) continue;
        const bool walked = std::any_of(so_far.tables.begin(), so_far.tables.end(), [&](const planned_table& one) {
            return one.key == with.models[into->parent].key;
        });
        if (!walked) continue;
        const std::string index = index_for(with.models[model], *into->relation, live, with.database.kind());
        const std::string found = index.empty() ? "sequential scan" : index;
        if (access.find(found) == std::string::npos) access += (access.empty() ? "" : ", ") + found;
    }
    return access;
}

/// How the rows of a model are taken when their parents go.
/// @param table what was counted of it
/// @param so_far the tables above it
inline planned_shape shape_of_rows(const context& with, const schema_facts& live, std::size_t model, std::size_t root,
                                   const leaf_options& wanted, const planned_table& table,
                                   const deletion_plan& so_far) {
    std::vector<bool> walked(with.models.size(), false);
    std::vector<const planned_table*> above(with.models.size(), nullptr);
    for (const planned_table& one : so_far.tables) {
        if (one.action != "deleted") continue;
        const std::size_t parent = with.models.at(one.key);
        walked[parent] = true;
        above[parent] = &one;
    }
    std::string why = why_by_key(with.models, model, root, walked);
    if (!why.empty()) return {"key", std::move(why)};
    const plan& child = with.models[model];
    const table_facts* facts = live.find(table_of(child, with.database.kind()));
    counted_leaves found{table.rows, table.capped, 0,
                         why_never_pages(with.database.kind(), wanted.shape, wanted.counted_passes,
                                         facts != nullptr && facts->has_row_addresses())};
    for (const edge* into : with.models.edges_to(model)) {
        const planned_table* parents = above[into->parent];
        if (into->relation->kind != relation_kind::cascade || parents == nullptr) continue;
        const bool known = parents->rows >= 0 && !parents->capped && found.parents >= 0;
        found.parents = known ? std::max(found.parents, parents->rows) : -1;
        if (with.models.is_cyclic(into->parent) && found.no_pages.empty())
            found.no_pages = "its parents may lie below each other";
    }
    return shape_of_leaves(with, child, wanted.shape, found);
}

}  // namespace detail

/// What the deletion of one object would take, per table. Read-only: needs SELECT only, works without
/// winnow's own tables and on a read-only file.
/// @throws error of kind `not_found` without such an object
inline deletion_plan plan_deletion(const context& with, std::size_t model, std::span<const value> key,
                                   const measure_options& how = {}) {
    with.require_reachable(model);
    const plan& root = with.models[model];
    const dialect which = with.database.kind();
    key_set keys(key.size());
    keys.push_back(key);
    if (with.database.execute(root.statements.count, {keys}).integer(0, 0) == 0)
        throw error(failure::not_found, std::string(root.key) + " " + object_id_of(key) + " does not exist.")
            .with_model(root.key);
    const schema_facts live = inspect_models(with.database, with.models);
    const detail::leaf_options leaves = detail::configured_leaves(with);
    deletion_plan result;
    // One row more than the cap says that there are more; the largest of numbers is no cap.
    const std::int64_t cap = std::min(how.cap, std::numeric_limits<std::int64_t>::max() - 1);
    for (const closure_query& query : closure_queries(with.models, model, which)) {
        const plan& about = with.models[query.model];
        const std::optional<std::int64_t> rows = detail::counted(with.database, query, key, cap + 1, how.each_table);
        if (query.counts == closure_count::blocking) {
            if (rows && *rows > 0) result.refusals.push_back(detail::refusal_text(with, query, *rows, cap));
            if (!rows) result.complete = false;
            continue;
        }
        planned_table one;
        one.key = about.key;
        one.table = about.table[which];
        one.action = query.counts == closure_count::doomed ? "deleted" : "set null";
        one.capped = rows && *rows > cap;
        one.rows = rows ? std::min(*rows, cap) : -1;
        one.at_most = query.bound != count_bound::exact;
        one.strategy = name_of(about.strategy);
        one.chunks = one.rows <= 0 ? 0 : (one.rows + about.chunk_size - 1) / about.chunk_size;
        if (query.counts == closure_count::doomed) {
            one.access = detail::access_of(with, live, query.model, model, result);
            one.shape = detail::shape_of_rows(with, live, query.model, model, leaves, one, result);
            if (rows) result.total += one.rows;
            else one.note = "not measured: the count took too long";
            if (!rows || one.capped) result.complete = false;
        } else {
            one.note = detail::columns_of(*query.by->relation, which);
            const std::string index = index_for(about, *query.by->relation, live, which);
            one.access = index.empty() ? "sequential scan" : index;
        }
        result.tables.push_back(std::move(one));
        if (query.counts != closure_count::doomed) continue;
        for (const edge& along : with.models.edges_from(query.model)) {
            if (along.relation->kind != relation_kind::external) continue;
            planned_table task;
            task.key = about.key;
            task.table = along.relation->child;
            task.action = "external";
            task.note = "not in the database";
            result.tables.push_back(std::move(task));
        }
    }
    return result;
}

/// Rows of one relation that refer to a parent which does not exist.
struct orphan_count {
    std::string child;    ///< key of the model
    std::string parent;   ///< key of the model
    std::string columns;  ///< of the child
    std::int64_t rows = 0;
    std::string note;
};

/// Looks for orphans of every declared relation whose child is in this process's silos; with `root`, only of
/// those that a deletion of that model would walk.
inline std::vector<orphan_count> find_orphans(const context& with, std::optional<std::size_t> root = std::nullopt,
                                              const measure_options& how = {}) {
    std::vector<bool> wanted(with.models.size(), !root);
    if (root)
        for (const closure_query& query : closure_queries(with.models, *root, with.database.kind()))
            wanted[query.model] = true;
    std::vector<orphan_count> found;
    for (std::size_t model = 0; model < with.models.size(); ++model) {
        if (!reaches(with.mode, with.models[model].silo)) continue;
        for (const edge& along : with.models.edges_from(model)) {
            if (along.child == edge::none || !wanted[along.child] || !wanted[model]) continue;
            const closure_query query = orphan_query(with.models, along, with.database.kind());
            const std::optional<std::int64_t> rows = detail::counted(with.database, query, {}, how.cap, how.each_table);
            orphan_count one{std::string(with.models[along.child].key),
                             std::string(with.models[model].key),
                             detail::columns_of(*along.relation, with.database.kind()),
                             rows.value_or(-1),
                             {}};
            if (!rows) one.note = "not measured: the count took too long";
            if (query.bound != count_bound::exact) one.note = "at most: the relation has a condition in C++";
            found.push_back(std::move(one));
        }
    }
    return found;
}

namespace detail {

/// Before the first row goes: does a restrict relation forbid it? @return the refusal, or nothing
inline std::string find_restriction(deletion_work& work) {
    constexpr std::int64_t cap = 10'000;
    std::string text;
    for (const closure_query& query : closure_queries(work.with.models, work.root, work.database().kind())) {
        if (query.counts != closure_count::blocking) continue;
        const std::optional<std::int64_t> rows =
            counted(work.database(), query, work.root_key[0], cap + 1, std::chrono::minutes(1));
        if (!rows || *rows == 0) continue;  // not counted in time: the check under the last lock stands
        if (!text.empty()) text += ' ';
        text += refusal_text(work.with, query, *rows, cap);
    }
    return text;
}

/// Counts what is doomed and keeps it on the row; left empty when a count takes too long. Where nothing depends on
/// the number but what people are told, tables with very many doomed rows are not counted but estimated: the count
/// takes a third as long as the deletion.
/// @param decides something is decided by it
inline void measure_total(deletion_work& work, bool decides) {
    constexpr std::int64_t cap = std::int64_t{1} << 50;
    constexpr std::int64_t quickly_counted = 5'000;
    std::int64_t total = work.rows_done;
    const bool sqlite = work.database().kind() == dialect::sqlite;
    std::vector<std::optional<std::int64_t>> doomed(work.with.models.size());
    for (const closure_query& query : closure_queries(work.with.models, work.root, work.database().kind())) {
        if (query.counts != closure_count::doomed) continue;
        std::optional<std::int64_t> rows;
        if (!decides)
            rows = sqlite ? expected_below(work.database(), work.with.models, query.model, doomed)
                          : expected_rows(work.database(), query, work.root_key[0], cap);
        if (!rows || *rows <= quickly_counted)
            rows = counted(work.database(), query, work.root_key[0], cap, std::chrono::seconds(5));
        if (!rows) return;
        doomed[query.model] = rows;
        total += *rows;
    }
    const std::string text =
        own_statement("UPDATE winnow_{silo}_scheduled_deletion SET rows_total = $1 WHERE id = $2 AND guid = $3",
                      work.database().kind(), work.request.silo);
    (void)work.database().execute(text, {total, work.request.id, std::string_view(work.request.guid)});
    work.request.rows_total = total;
}

}  // namespace detail

}  // namespace winnow::inline v0
