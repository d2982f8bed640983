// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "winnow/core/dialect.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/relation.hpp"
#include "winnow/plan/replication.hpp"
#include "winnow/plan/silo.hpp"
#include "winnow/plan/write.hpp"

namespace winnow::inline v0 {

namespace detail {

[[nodiscard]] inline std::string both(const dialect_text& name) {
    const auto shown = [](std::string_view one) { return one.empty() ? std::string("none") : std::string(one); };
    std::string text = shown(name.postgres);
    if (name.sqlite != name.postgres) text += " (sqlite: " + shown(name.sqlite) + ")";
    return text;
}

[[nodiscard]] inline std::string list(std::span<const column> columns) {
    std::string text;
    for (const column& one : columns) text += (text.empty() ? "" : ", ") + std::string(one.name.postgres);
    return columns.size() == 1 ? text : "(" + text + ")";
}

[[nodiscard]] inline std::string list(const plan& of, std::span<const std::uint16_t> indices) {
    std::string text;
    for (const std::uint16_t i : indices) text += (text.empty() ? "" : ", ") + std::string(of.columns[i].name.postgres);
    return indices.size() == 1 ? text : "(" + text + ")";
}

/// `cascade t.B over parent_id -> id where kind = 3, skips t.C, when asked`.
[[nodiscard]] inline std::string relation_line(const relation& of, std::string_view other) {
    std::string text = std::string(name_of(of.kind)) + " " + std::string(other);
    if (!of.columns.empty()) text += " over " + list(of.columns);
    if (!of.referenced.empty()) text += " -> " + list(of.referenced);
    for (std::size_t i = 0; i < of.filters.size(); ++i) {
        text += (i == 0 ? " where " : " and ") + std::string(of.filters[i].where.name.postgres) + " = " +
                std::string(of.filters[i].literal);
    }
    for (std::size_t i = 0; i < of.skips.size(); ++i) text += (i == 0 ? ", skips " : " ") + std::string(of.skips[i]);
    if (of.applies) text += ", when asked";
    return text;
}

/// Calls `each(name, statement)` for every member.
template <class Each> void each_statement(const row_statements& all, const Each& each) {
    each("read", all.read);
    each("lock", all.lock);
    each("hold", all.hold);
    each("remove", all.remove);
    each("count", all.count);
    each("mark", all.mark);
}
template <class Each> void each_statement(const relation_statements& all, const Each& each) {
    each("fetch_first", all.fetch_first);
    each("fetch_next", all.fetch_next);
    each("lock", all.lock);
    each("hold", all.hold);
    each("remove", all.remove);
    each("remove_some", all.remove_some);
    each("remove_some_by_key", all.remove_some_by_key);
    each("remove_unlocked", all.remove_unlocked);
    each("nullify", all.nullify);
    each("nullify_some", all.nullify_some);
    each("nullify_keys", all.nullify_keys);
    each("count", all.count);
    each("exists", all.exists);
    each("descend", all.descend);
    each("reach_outside", all.reach_outside);
}
template <class Each> void each_statement(const replication& all, const Each& each) {
    each("produce", all.statements.produce);
    each("produce_range", all.statements.produce_range);
    each("batch", all.statements.batch);
    each("bounds", all.statements.bounds);
    each("upsert", all.mirror.upsert);
    each("erase", all.mirror.erase);
    each("read", all.mirror.read);
}
template <class Each> void each_statement(const remote_statements& all, const Each& each) {
    each("find", all.find);
    each("lock", all.lock);
    each("nullify", all.nullify);
    each("scrub_first", all.scrub_first);
    each("scrub_next", all.scrub_next);
    each("last", all.last);
}
template <class Each> void each_statement(const write_statements& all, const Each& each) {
    each("insert", all.insert);
    each("insert_generated", all.insert_generated);
    each("update", all.update);
    each("hold", all.hold);
    each("insert_rows", all.insert_rows);
    each("insert_rows_generated", all.insert_rows_generated);
    each("update_rows", all.update_rows);
}

/// Appends name and statement, indented, in one dialect; nothing for a statement that does not apply.
class statement_list {
public:
    statement_list(std::string& to, dialect which) : to_(to), which_(which) {}

    void operator()(std::string_view name, const dialect_text& statement) const {
        if (statement[which_].empty()) return;
        to_.append("  ").append(name).append("\n    ").append(statement[which_]).append("\n");
    }

private:
    std::string& to_;
    dialect which_;
};

/// `version 1 as organization_update in scope organization, shard id, copied to t.Copy: a -> b`.
[[nodiscard]] inline std::string replication_line(const plan& of) {
    const replication& made = *of.replication;
    std::string text = "version " + std::to_string(made.version) + " as " + std::string(made.category_name);
    if (made.kind == category_kind::every_event) text += " (every event)";
    text += " in scope " + std::string(made.scope_name) + (made.strict_order ? " (strict order)" : "") + ", shard " +
            std::string(of.columns[made.shard].name.postgres);
    if (!made.mirror) return text + ", to its handler";
    text += ", to " + std::string(made.mirror.model) + ":";
    for (std::size_t i = 0; i < made.mirror.columns.size(); ++i) {
        const mirrored_column& one = made.mirror.columns[i];
        text += (i == 0 ? " " : ", ") +
                (one.source == mirrored_column::cell_name ? std::string("cell name")
                                                          : std::string(of.columns[one.source].name.postgres)) +
                " -> " + std::string(one.target.name.postgres) + (one.identifies ? " (finds it)" : "");
    }
    return text + (made.hooks.replicate != nullptr ? ", and its handler" : "");
}

}  // namespace detail

/// A plan as text for people: what will be done with the model's rows and why. Stable: the same plan gives
/// the same text. Several lines, each ended.
///
/// \code
/// tracker.Project
///   table     tracker_project, cell silo
///   key       id
///   strategy  per_row: it has children
///   chunk     100 rows, fetched 100 at a time, oldest first
///   relation  cascade tracker.Event over project_id
/// \endcode
[[nodiscard]] inline std::string explain(const plan& of) {
    std::string text(of.key);
    const auto line = [&](std::string_view name, const std::string& content) {
        text += "\n  ";
        text += name;
        text.append(name.size() < 10 ? 10 - name.size() : 1, ' ');
        text += content;
    };
    std::string table = detail::both(of.table);
    if (!of.schema.empty()) table += " in schema " + detail::both(of.schema);
    line("table", table + ", " + std::string(name_of(of.silo)) + " silo");
    line("key", detail::list(of, of.primary_key));
    if (of.birth >= 0) line("birth", std::string(of.columns[static_cast<std::size_t>(of.birth)].name.postgres));
    if (of.status) {
        line("status", std::string(of.columns[static_cast<std::size_t>(of.status.index)].name.postgres) + ": active " +
                           std::to_string(of.status.active) + ", pending " + std::to_string(of.status.pending) +
                           ", in progress " + std::to_string(of.status.in_progress));
    }
    std::string strategy(name_of(of.strategy));
    if (!of.strategy_reason.empty()) strategy += ": " + std::string(of.strategy_reason);
    line("strategy", strategy);
    line("chunk", std::to_string(of.chunk_size) + " rows, fetched " + std::to_string(of.query_limit) + " at a time, " +
                      (of.newest_first ? "newest" : "oldest") + " first");
    if (!of.rate_limit_option.empty())
        line("limit", "rows per second from option " + std::string(of.rate_limit_option));
    std::string hooks;
    const auto hook = [&](bool present, std::string_view name) {
        if (present) hooks += (hooks.empty() ? "" : ", ") + std::string(name);
    };
    hook(static_cast<bool>(of.hooks.should_proceed), "should_proceed");
    hook(static_cast<bool>(of.hooks.pending_delete), "pending_delete");
    hook(static_cast<bool>(of.hooks.before_delete), "before_delete");
    hook(static_cast<bool>(of.hooks.after_delete), "after_delete");
    if (!hooks.empty()) line("hooks", hooks);
    for (const relation& one : of.relations) line("relation", detail::relation_line(one, one.child));
    for (const relation& one : of.attached)
        line("attached", "to " + std::string(one.parent) + ": " + detail::relation_line(one, one.child));
    if (of.replication != nullptr) line("copied", detail::replication_line(of));
    for (const remote_relation& one : of.remotes)
        line("remote", std::string(name_of(one.kind)) + " over " + std::string(one.reference.name.postgres) +
                           " when a row of " + std::string(one.parent) + " has gone");
    return text + "\n";
}

/// All statements of a plan in one dialect, as text: a heading for the rows and for each relation, then
/// name and statement. Statements that do not apply are left out.
[[nodiscard]] inline std::string explain_statements(const plan& of, dialect which) {
    std::string text;
    const detail::statement_list each(text, which);
    text += std::string(of.key) + ", " + std::string(name_of(which)) + "\n";
    detail::each_statement(of.statements, each);
    for (const std::span<const relation> relations : {of.relations, of.attached}) {
        for (const relation& one : relations) {
            text += std::string(one.parent) + ": " + detail::relation_line(one, one.child) + "\n";
            detail::each_statement(one.statements, each);
        }
    }
    if (of.replication != nullptr) {
        text += "copied: " + detail::replication_line(of) + "\n";
        detail::each_statement(*of.replication, each);
    }
    for (const remote_relation& one : of.remotes) {
        text += "remote: " + std::string(one.parent) + " by " + std::string(one.reference.name.postgres) + "\n";
        detail::each_statement(one.statements, each);
    }
    return text;
}

/// The same of the statements that write a model's rows by type; they are no part of its plan.
[[nodiscard]] inline std::string explain_statements(const write_statements& of, dialect which) {
    std::string text = "rows written by type\n";
    detail::each_statement(of, detail::statement_list(text, which));
    return text;
}

}  // namespace winnow::inline v0
