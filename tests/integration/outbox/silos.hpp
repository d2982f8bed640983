// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "integration/outbox/domain.hpp"
#include "laws/observed_connection.hpp"
#include "support/databases.hpp"
#include "winnow/context/context.hpp"
#include "winnow/context/produce.hpp"
#include "winnow/outbox/drain.hpp"
#include "winnow/store/own_tables.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow_test {

/// Sessions with the databases of the silos, opened again when they are lost.
class open_silos final : public winnow::silo_directory {
public:
    open_silos(const fresh_database& control, std::vector<std::pair<std::string, const fresh_database*>> cells)
        : control_(control) {
        for (const auto& [name, where] : cells) {
            names_.push_back(name);
            cells_[name] = where;
        }
    }
    [[nodiscard]] std::span<const std::string> cells() const noexcept override { return names_; }
    [[nodiscard]] winnow::connection& control() override { return session("", control_); }
    [[nodiscard]] winnow::connection& cell(std::string_view name) override {
        const auto found = cells_.find(std::string(name));
        if (found == cells_.end())
            throw winnow::error(winnow::failure::configuration, "no cell is called " + std::string(name));
        return session(found->first, *found->second);
    }
    /// The session as it is; opened when it is not.
    observed_connection& session(const std::string& name, const fresh_database& of) {
        std::unique_ptr<observed_connection>& held = sessions_[name];
        if (away) throw winnow::error(winnow::failure::connection, "the server is away").with_retry(true);
        if (!held || !held->usable()) {
            held = std::make_unique<observed_connection>(of.open());
            if (before) held->before = before;
            if (after) held->after = after;
            ++opened;
        }
        return *held;
    }
    observed_connection& target() { return session("", control_); }
    void drop(const std::string& name) { sessions_.erase(name); }

    bool away = false;
    int opened = 0;
    observed_connection::before_call before;
    observed_connection::after_call after;

private:
    const fresh_database& control_;
    std::vector<std::string> names_;
    std::map<std::string, const fresh_database*> cells_;
    std::map<std::string, std::unique_ptr<observed_connection>> sessions_;
};

/// What is counted and logged.
class listening final : public winnow::observer {
public:
    void count(std::string_view metric, std::int64_t by, std::initializer_list<winnow::label> labels) override {
        counts[std::string(metric)] += by;
        for (const winnow::label& one : labels) counts[std::string(metric) + "." + std::string(one.text)] += by;
    }
    void gauge(std::string_view metric, double level, std::initializer_list<winnow::label>) override {
        gauges[std::string(metric)] = level;
    }
    void observe(std::string_view metric, double, std::initializer_list<winnow::label>) override {
        ++counts[std::string(metric)];
    }
    void log(winnow::log_level, std::string_view text, std::initializer_list<winnow::label>) override {
        lines.emplace_back(text);
    }
    std::map<std::string, std::int64_t> counts;
    std::map<std::string, double> gauges;
    std::vector<std::string> lines;
};

/// One process that drains: its own sessions with source and target.
struct worker {
    worker(const fresh_database& source_database, const fresh_database& control,
           std::vector<std::pair<std::string, const fresh_database*>> cells,
           const winnow::catalog& catalog = outbox_domain::models())
        : source(source_database.open()), silos(control, std::move(cells)), models(catalog) {}

    [[nodiscard]] winnow::context context() {
        winnow::context made{models, source, time, watch, winnow::silo_mode::monolith, "test"};
        made.silos = &silos;
        made.cell_name = "us";
        return made;
    }

    observed_connection source;
    open_silos silos;
    const winnow::catalog& models;
    winnow::steady_clock time;
    listening watch;
};

/// PostgreSQL's databases of a program's tests: made by the first, emptied for each, dropped at the end.
class kept_databases final : public testing::Environment {
public:
    static kept_databases& only() {
        static kept_databases* const one =
            static_cast<kept_databases*>(testing::AddGlobalTestEnvironment(new kept_databases));
        return *one;
    }
    fresh_database& give(const std::string& name) {
        std::unique_ptr<fresh_postgres>& held = held_[name];
        if (!held) {
            held = std::make_unique<fresh_postgres>();
            (void)winnow::migrate(*held->open());
            held->run(outbox_domain::tables);
        }
        const winnow::connection_ptr session = held->open();
        const winnow::rows tables = session->execute_once(
            "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables WHERE schemaname = 'public' AND tablename NOT "
            "IN ('winnow_schema', 'winnow_database')",
            {});
        session->execute_script("TRUNCATE " + tables.text(0, 0) + " RESTART IDENTITY");
        return *held;
    }
    void TearDown() override { held_.clear(); }

private:
    std::map<std::string, std::unique_ptr<fresh_postgres>> held_;
};

/// A control silo and the cells `us` and `de`, each with a database of its own. Tests work on `us` unless they say
/// otherwise.
class outbox_test : public testing::TestWithParam<dialect> {
protected:
    void SetUp() override {
        outbox_domain::hooks() = {};
        control_ = prepare("control");
        us_ = prepare("us");
        app_ = us_->open();
    }
    void TearDown() override {
        app_.reset();
        files_.clear();
        outbox_domain::hooks() = {};
    }

    [[nodiscard]] static bool postgres() { return GetParam() == dialect::postgres; }
    [[nodiscard]] fresh_database& control() const { return *control_; }
    [[nodiscard]] fresh_database& us() const { return *us_; }
    /// Made when it is first asked for: most tests need no second cell.
    [[nodiscard]] fresh_database& de() {
        if (de_ == nullptr) de_ = prepare("de");
        return *de_;
    }

    [[nodiscard]] std::unique_ptr<worker> make_worker(const winnow::catalog& catalog = outbox_domain::models()) const {
        return std::make_unique<worker>(*us_, *control_, cells(), catalog);
    }
    [[nodiscard]] std::unique_ptr<worker> make_control_worker() {
        (void)de();
        return std::make_unique<worker>(*control_, *control_, cells());
    }

    /// Writes messages about rows of a model in the transaction that is open on a connection.
    static void produce(winnow::connection& on, std::string_view model, std::initializer_list<std::int64_t> ids) {
        static winnow::steady_clock time;
        static winnow::observer watch;
        static const std::vector<std::string> no_cells;
        struct named final : winnow::silo_directory {
            std::vector<std::string> names{"us", "de"};
            [[nodiscard]] std::span<const std::string> cells() const noexcept override { return names; }
            [[nodiscard]] winnow::connection& control() override {
                throw winnow::error(winnow::failure::usage, "none");
            }
            [[nodiscard]] winnow::connection& cell(std::string_view) override {
                throw winnow::error(winnow::failure::usage, "none");
            }
        } silos;
        winnow::context with{outbox_domain::models(), on, time, watch};
        with.silos = &silos;
        winnow::key_set keys(1);
        for (const std::int64_t id : ids) winnow::detail::add_id(keys, id);
        (void)winnow::produce_messages(with, outbox_domain::models()[outbox_domain::models().at(model)], keys);
    }
    /// One change of one row and its message, as an application makes it.
    static void change(winnow::connection& on, std::string_view model, std::int64_t id, const std::string& sql) {
        const bool erase = sql.starts_with("DELETE");
        winnow::transaction open(on);
        if (erase) produce(on, model, {id});
        (void)on.execute_once(sql, {});
        if (!erase) produce(on, model, {id});
        open.commit();
    }
    void change(std::string_view model, std::int64_t id, const std::string& sql) { change(*app_, model, id, sql); }

    void put_org(std::int64_t id, const std::string& slug) {
        change("t.Org", id,
               "INSERT INTO t_org (id, slug) VALUES (" + std::to_string(id) + ", '" + slug +
                   "') ON CONFLICT (id) DO UPDATE SET slug = excluded.slug");
    }
    void put(const std::string& table, std::string_view model, std::int64_t id, std::int64_t shard,
             const std::string& text) {
        static const std::map<std::string, std::string> columns{{"t_project", "org_id, name"},
                                                                {"t_note", "org_id, body"},
                                                                {"t_audit", "org_id, body"},
                                                                {"t_ticket", "queue_id, body"},
                                                                {"t_slot", "queue_id, body"}};
        const std::string& names = columns.at(table);
        const std::string last = names.substr(names.find(' ') + 1);
        change(model, id,
               "INSERT INTO " + table + " (id, " + names + ") VALUES (" + std::to_string(id) + ", " +
                   std::to_string(shard) + ", '" + text + "') ON CONFLICT (id) DO UPDATE SET " + last + " = excluded." +
                   last);
    }
    void put_project(std::int64_t id, std::int64_t org, const std::string& name) {
        put("t_project", "t.Project", id, org, name);
    }
    void put_note(std::int64_t id, std::int64_t org, const std::string& body) {
        put("t_note", "t.Note", id, org, body);
    }
    void put_audit(std::int64_t id, std::int64_t org, const std::string& body) {
        put("t_audit", "t.Audit", id, org, body);
    }

    [[nodiscard]] static winnow::outbox_shard org_shard(std::int64_t id) {
        return {winnow::silo::cell, outbox_domain::organization, id, ""};
    }
    [[nodiscard]] static winnow::outbox_shard queue_shard(std::int64_t id) {
        return {winnow::silo::cell, outbox_domain::queue, id, ""};
    }
    /// Messages in the cell's outbox that a condition names.
    [[nodiscard]] std::int64_t messages(const std::string& condition = "1 = 1") const {
        return us_->number("SELECT count(*) FROM winnow_cell_outbox WHERE " + condition);
    }
    /// All cells of a query, rows separated by blanks and columns by commas.
    [[nodiscard]] static std::string list(const fresh_database& of, const std::string& query) {
        const winnow::rows found = of.open()->execute_once(query, {});
        std::string text;
        for (std::size_t row = 0; row < found.size(); ++row) {
            if (row != 0) text += ' ';
            for (std::size_t column = 0; column < found.width(); ++column) {
                if (column != 0) text += ',';
                const winnow::value& one = found.at(row, column);
                if (winnow::is_null(one)) text += "null";
                else if (std::holds_alternative<std::string>(one)) text += std::get<std::string>(one);
                else text += std::to_string(found.integer(row, column));
            }
        }
        return text;
    }
    [[nodiscard]] std::string org_copies() const {
        return list(*control_, "SELECT org_id, slug FROM t_org_copy ORDER BY org_id");
    }
    void set_option(const std::string& name, const std::string& to) const {
        us_->run("INSERT INTO winnow_option (name, value, updated_by) VALUES ('" + name + "', '" + to +
                 "', 'test') ON CONFLICT (name) DO UPDATE SET value = excluded.value");
    }
    /// As if time had passed: what backs off is due, and leases are over.
    void let_time_pass() const {
        us_->run(postgres() ? "UPDATE winnow_cell_outbox SET scheduled_for = clock_timestamp() - interval '1 s' WHERE "
                              "scheduled_for > clock_timestamp()"
                            : "UPDATE winnow_cell_outbox SET scheduled_for = strftime('%Y-%m-%d %H:%M:%f', 'now', '-1 "
                              "seconds') WHERE scheduled_for > strftime('%Y-%m-%d %H:%M:%f', 'now')");
        us_->run(postgres() ? "UPDATE winnow_cell_outbox_shard SET waiting_until = NULL, lease_expires_at = "
                              "clock_timestamp() - interval '1 s' WHERE lease_expires_at IS NOT NULL"
                            : "UPDATE winnow_cell_outbox_shard SET waiting_until = NULL, lease_expires_at = "
                              "strftime('%Y-%m-%d %H:%M:%f', 'now', '-1 seconds') WHERE lease_expires_at IS NOT NULL");
        us_->run("UPDATE winnow_cell_outbox_shard SET waiting_until = NULL");
    }

    winnow::connection_ptr app_;  ///< the application's session with `us`

private:
    [[nodiscard]] std::vector<std::pair<std::string, const fresh_database*>> cells() const {
        return {{"us", us_}, {"de", de_}};
    }
    [[nodiscard]] fresh_database* prepare(const std::string& name) {
        if (postgres()) return &kept_databases::only().give(name);
        files_.push_back(std::make_unique<fresh_sqlite>());
        (void)winnow::migrate(*files_.back()->open());
        files_.back()->run(outbox_domain::tables);
        return files_.back().get();
    }

    std::vector<std::unique_ptr<fresh_database>> files_;
    fresh_database* control_ = nullptr;
    fresh_database* us_ = nullptr;
    fresh_database* de_ = nullptr;
};

}  // namespace winnow_test
