// SPDX-License-Identifier: Apache-2.0
// Ways to delete one organization.
#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <winnow/context/context.hpp>
#include <winnow/deletion/run.hpp>
#include <winnow/store/postgres.hpp>

#include "data.hpp"
#include "tree_models.hpp"
#include "variants.hpp"

namespace bench {

namespace {

using winnow::key_set;
using winnow::value;

constexpr std::int64_t doomed = 1;
/// Rows of a chunk, as winnow takes them.
constexpr std::size_t chunk = 10'000;

std::string in_set(bool postgres, std::string_view column) {
    return std::string(column) + (postgres ? " = ANY($1::bigint[])" : " IN (SELECT value FROM json_each(?1))");
}
std::string quoted(std::string_view table) { return "\"" + std::string(table) + "\""; }

/// Statements of the hand-written variants.
class by_hand {
public:
    explicit by_hand(const place& at)
        : database_(at.database), postgres_(at.database.kind() == winnow::dialect::postgres) {}

    [[nodiscard]] key_set ids(std::string_view table, std::string_view column, const key_set& parents) {
        return database_
            .execute("SELECT id FROM " + quoted(table) + " WHERE " + in_set(postgres_, column) + " ORDER BY id",
                     {parents})
            .take_keys();
    }
    /// Deletes children of `parents`, so many parents at a time, each in a transaction of its own.
    void by_parents(std::string_view table, std::string_view column, const key_set& parents, std::size_t at_a_time) {
        const std::string text = "DELETE FROM " + quoted(table) + " WHERE " + in_set(postgres_, column);
        for (std::size_t from = 0; from < parents.size(); from += at_a_time) {
            key_set some(1);
            for (std::size_t row = from; row < std::min(parents.size(), from + at_a_time); ++row)
                some.push_back(parents[row]);
            rows_ += database_.execute(text, {some}).affected();
        }
    }
    /// How many parents have about a chunk of children, by the statistics that the server keeps.
    [[nodiscard]] std::size_t parents_in_a_chunk(std::string_view table, std::string_view column) {
        double children = 100;
        if (postgres_) {
            const winnow::rows found = database_.execute(
                "SELECT (c.reltuples / CASE WHEN s.n_distinct > 0 THEN s.n_distinct ELSE -s.n_distinct * c.reltuples "
                "END)::float8 FROM pg_stats s JOIN pg_class c ON c.oid = to_regclass(quote_ident(s.tablename)) "
                "WHERE s.tablename = $1 AND s.attname = $2",
                {table, column});
            if (!found.empty()) children = std::get<double>(found.at(0, 0));
        } else {
            children = table == "event" ? 100 : table == "activity" ? 20 : table == "groupsubscription" ? 15 : 10;
        }
        return static_cast<std::size_t>(std::clamp(static_cast<double>(chunk) / std::max(children, 1.0), 1.0, 500.0));
    }
    [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
    [[nodiscard]] bool postgres() const noexcept { return postgres_; }
    winnow::connection& database() noexcept { return database_; }

private:
    winnow::connection& database_;
    bool postgres_;
    std::int64_t rows_ = 0;
};

constexpr std::array<std::string_view, 5> group_tables{"event", "activity", "groupsubscription", "grouphash",
                                                       "groupassignee"};

key_set root() {
    key_set keys(1);
    const value id{doomed};
    keys.push_back({&id, 1});
    return keys;
}

/// Everything above the groups, which is little.
void finish(by_hand& with, const key_set& projects) {
    with.by_parents("project_team", "project_id", projects, 10'000);
    with.by_parents("project_key", "project_id", projects, 10'000);
    with.by_parents("environment_project", "project_id", projects, 10'000);
    // Each walks what is left of its events in the index: one at a time keeps the transactions short.
    with.by_parents("project", "id", projects, 1);
    for (const std::string_view table : {"organization_member", "team", "environment"})
        with.by_parents(table, "organization_id", root(), 1);
    with.by_parents("organization", "id", root(), 1);
}

/// The database does it in one statement.
done_work one_statement(const place& at) {
    at.database.execute(at.database.kind() == winnow::dialect::postgres ? "DELETE FROM organization WHERE id = $1"
                                                                        : "DELETE FROM organization WHERE id = ?1",
                        {doomed});
    return {};
}

/// What somebody writes who knows the tables well: sets of parents with about a chunk of children each.
done_work parent_sets(const place& at) {
    by_hand with(at);
    const key_set projects = with.ids("project", "organization_id", root());
    const key_set groups = with.ids("group", "project_id", projects);
    for (const std::string_view table : group_tables)
        with.by_parents(table, "group_id", groups, with.parents_in_a_chunk(table, "group_id"));
    with.by_parents("group", "id", groups, 500);
    finish(with, projects);
    return {with.rows(), false};
}

/// What is usual: so many rows of a table until none is left.
done_work limit_loop(const place& at) {
    by_hand with(at);
    std::int64_t rows = 0;
    const key_set projects = with.ids("project", "organization_id", root());
    const auto drain = [&](std::string_view table) {
        const std::string inner = "SELECT id FROM " + quoted(table) + " WHERE " +
                                  in_set(with.postgres(), "project_id") + " LIMIT " + std::to_string(chunk);
        const std::string text = "DELETE FROM " + quoted(table) + " WHERE id " +
                                 (with.postgres() ? "= ANY(ARRAY(" + inner + "))" : "IN (" + inner + ")");
        while (const std::int64_t gone = at.database.execute(text, {projects}).affected()) rows += gone;
    };
    for (const std::string_view table : group_tables) drain(table);
    drain("group");
    finish(with, projects);
    return {rows + with.rows(), false};
}

/// SQLite: table by table, in one transaction: as fast as it goes, and nobody else writes meanwhile.
done_work by_table(const place& at) {
    std::int64_t rows = 0;
    winnow::transaction scope(at.database);
    const auto tables = tree_tables();
    for (std::size_t table = tables.size(); table-- > 0;) {
        std::string which(tables[table].tenant);
        which.replace(which.find("{org}"), 5, "1");
        rows += at.database.execute("DELETE FROM " + quoted(tables[table].name) + " WHERE " + which).affected();
    }
    scope.commit();
    return {rows, false};
}

/// As an object mapper does it: read the children of an object, delete each of them, then the object.
done_work row_by_row(const place& at) {
    by_hand with(at);
    std::int64_t rows = 0;
    const bool postgres = with.postgres();
    const std::string_view mark = postgres ? "$1" : "?1";
    const auto enough = [&] { return at.rows_by_row != 0 && rows >= at.rows_by_row; };
    const auto each_child = [&](std::string_view table, std::string_view column, std::int64_t parent, auto&& act) {
        const winnow::rows found = at.database.execute(
            "SELECT * FROM " + quoted(table) + " WHERE " + std::string(column) + " = " + std::string(mark), {parent});
        for (std::size_t row = 0; row < found.size() && !enough(); ++row) act(found.integer(row, 0));
    };
    const auto remove = [&](std::string_view table, std::int64_t id) {
        rows +=
            at.database.execute("DELETE FROM " + quoted(table) + " WHERE id = " + std::string(mark), {id}).affected();
    };
    const auto children_go = [&](std::string_view table, std::string_view column, std::int64_t parent) {
        each_child(table, column, parent, [&](std::int64_t id) { remove(table, id); });
    };
    each_child("project", "organization_id", doomed, [&](std::int64_t project) {
        each_child("group", "project_id", project, [&](std::int64_t group) {
            for (const std::string_view table : group_tables) children_go(table, "group_id", group);
            if (!enough()) remove("group", group);
        });
        for (const std::string_view table : {"project_team", "project_key", "environment_project"})
            children_go(table, "project_id", project);
        if (!enough()) remove("project", project);
    });
    if (enough()) return {rows, true};
    for (const std::string_view table : {"organization_member", "team", "environment"})
        children_go(table, "organization_id", doomed);
    remove("organization", doomed);
    return {rows, false};
}

/// Opens connections whose use is counted with that of the first, once all have ended.
class metered_connector final : public winnow::connector {
public:
    explicit metered_connector(const place& at) : at_(at), to_(winnow::postgres_driver.make(at.url)) {}
    ~metered_connector() override {
        for (const meter& one : meters_) {
            at_.counted.statements += one.statements;
            at_.counted.transactions += one.transactions;
            at_.counted.longest = std::max(at_.counted.longest, one.longest);
        }
    }
    [[nodiscard]] winnow::dialect kind() const noexcept override { return to_->kind(); }
    [[nodiscard]] std::string description() const override { return to_->description(); }
    [[nodiscard]] winnow::connection_ptr open() override {
        opened_.push_back(to_->open());
        return std::make_unique<metered_connection>(*opened_.back(), meters_.emplace_back());
    }

private:
    const place& at_;
    winnow::connector_ptr to_;
    std::vector<winnow::connection_ptr> opened_;
    std::deque<meter> meters_;
};

done_work by_winnow(const place& at, bool seen_rows, std::int64_t connections = 1) {
    const std::vector<winnow::plan> plans = tree_plans(seen_rows);
    const winnow::catalog models{std::span<const winnow::plan>(plans)};
    winnow::steady_clock time;
    winnow::observer watch;
    winnow::context with{models, at.database, time, watch};
    std::optional<metered_connector> opener;
    if (connections > 1) with.opener = &opener.emplace(at);
    with.connections = connections;
    const value id{doomed};
    const winnow::deletion_report report =
        winnow::exec_sync(with, models.at("bench.Organization"), std::span<const value>(&id, 1));
    if (report.outcome != winnow::deletion_outcome::completed) throw std::runtime_error("winnow: " + report.detail);
    if (seen_rows && rows_seen() != report.rows) throw std::runtime_error("winnow: a row was not shown to its hook");
    return {report.rows, false};
}
done_work winnow_sets(const place& at) { return by_winnow(at, false); }
done_work winnow_hooks(const place& at) { return by_winnow(at, true); }
done_work winnow_two(const place& at) { return by_winnow(at, false, 2); }

constexpr std::array variants{
    variant{"one statement", "deletion", true, true, true, false, false, one_statement},
    variant{"by table", "deletion", false, true, false, false, false, by_table},
    variant{"parent sets", "deletion", true, true, false, false, false, parent_sets},
    variant{"limit loop", "deletion", true, true, false, false, false, limit_loop},
    variant{"row by row", "deletion", true, true, false, false, false, row_by_row},
    variant{"winnow", "deletion", true, true, false, false, false, winnow_sets},
    variant{"winnow, two connections", "deletion", true, false, false, false, false, winnow_two},
    variant{"winnow, old snapshot", "deletion", true, false, false, true, false, winnow_sets},
    variant{"winnow, a hook on each row", "deletion", true, true, false, false, false, winnow_hooks},
};

}  // namespace

std::span<const variant> deletion_variants() noexcept { return variants; }

}  // namespace bench
