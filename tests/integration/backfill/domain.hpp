// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/databases.hpp"
#include "winnow/backfill/control.hpp"
#include "winnow/backfill/run.hpp"
#include "winnow/context/context.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/plan/replication.hpp"
#include "winnow/store/own_tables.hpp"

namespace winnow_test {

/// Plans of the models in domain.cpp: `t.Organization` and `t.Team` in the cell, `t.Token` in the control silo, `t.Event`
/// in the cell with messages that are never merged.
[[nodiscard]] std::span<const winnow::plan> replicated_plans();

/// A catalog of them with other versions, or other meanings, than the code has.
class versioned_models {
public:
    explicit versioned_models(std::initializer_list<std::pair<std::string_view, int>> versions = {},
                              std::uint64_t meaning = 0)
        : plans_(replicated_plans().begin(), replicated_plans().end()) {
        replications_.reserve(plans_.size());
        for (winnow::plan& one : plans_) {
            if (one.replication == nullptr) continue;
            winnow::replication& made = replications_.emplace_back(*one.replication);
            made.fingerprint += meaning;
            for (const auto& [key, version] : versions)
                if (key == one.key) made.version = version;
            one.replication = &made;
        }
        models_.emplace(std::span<const winnow::plan>(plans_));
    }
    [[nodiscard]] const winnow::catalog& catalog() const { return *models_; }
    [[nodiscard]] const winnow::plan& plan(std::string_view key) const { return (*models_)[models_->at(key)]; }

private:
    std::vector<winnow::plan> plans_;
    std::vector<winnow::replication> replications_;
    std::optional<winnow::catalog> models_;
};

/// Two cells that nothing is delivered to.
class two_cells final : public winnow::silo_directory {
public:
    [[nodiscard]] std::span<const std::string> cells() const noexcept override { return names_; }
    [[nodiscard]] winnow::connection& control() override { throw unused(); }
    [[nodiscard]] winnow::connection& cell(std::string_view) override { throw unused(); }

private:
    static winnow::error unused() { return {winnow::failure::usage, "a backfill writes messages and delivers none"}; }
    std::array<std::string, 2> names_{"de", "us"};
};

/// Keeps what a backfill says.
class backfill_recorder final : public winnow::observer {
public:
    using labels = std::map<std::string, std::string>;
    struct entry {
        std::string name;
        double number = 0;
        labels with;
    };
    void log(winnow::log_level, std::string_view message, std::initializer_list<winnow::label> all) override {
        lines.push_back({std::string(message), 0, kept(all)});
    }
    void count(std::string_view metric, std::int64_t by, std::initializer_list<winnow::label> all) override {
        counts.push_back({std::string(metric), static_cast<double>(by), kept(all)});
    }
    void gauge(std::string_view metric, double level, std::initializer_list<winnow::label> all) override {
        gauges.push_back({std::string(metric), level, kept(all)});
    }
    /// Sum of a counter, over entries with this label if one is given.
    [[nodiscard]] double counted(std::string_view metric, std::string_view name = {},
                                 std::string_view text = {}) const {
        double sum = 0;
        for (const entry& one : counts) {
            const auto found = one.with.find(std::string(name));
            if (one.name == metric && (name.empty() || (found != one.with.end() && found->second == text)))
                sum += one.number;
        }
        return sum;
    }

    std::vector<entry> lines;
    std::vector<entry> counts;
    std::vector<entry> gauges;

private:
    static labels kept(std::initializer_list<winnow::label> all) {
        labels made;
        for (const winnow::label& one : all) made.emplace(one.name, one.text);
        return made;
    }
};

/// Time that moves when somebody sleeps, or when it is told to.
class backfill_clock final : public winnow::clock {
public:
    [[nodiscard]] duration now() override { return now_ += each_look; }
    void sleep(duration how_long) override {
        now_ += how_long;
        if (on_sleep) on_sleep();
    }
    duration each_look{0};
    std::function<void()> on_sleep;

private:
    duration now_{1};
};

/// The tables of domain.cpp, and winnow's own.
void make_replicated_tables(winnow::connection& database);
/// Adds rows with the keys from `first` on.
void add_rows(winnow::connection& database, std::string_view table, std::int64_t count, std::int64_t first = 1);

/// One process that backfills: a connection, a clock, an observer.
struct backfiller {
    backfiller(winnow::connection_ptr database, const winnow::catalog& models, winnow::cursor_store* store = nullptr)
        : session(std::move(database)), known(&models), cursors(store) {}

    [[nodiscard]] winnow::context with() {
        return {*known, *session, time, watch, mode, "tester", {}, &silos, "us", cursors};
    }
    winnow::backfill_report run(const winnow::backfill_request& asked = {}) {
        return winnow::backfill_outboxes_for(with(), asked);
    }
    winnow::backfill_report forced(std::int64_t rate = 10'000) {
        return run({.max_batch_rate = rate, .force_synchronous = true});
    }
    /// Forced runs until one does nothing. @return how many did something
    int to_the_end(std::int64_t rate = 10'000) {
        int runs = 0;
        while (forced(rate)) ++runs;
        return runs;
    }
    void set(std::string_view option, std::string_view text) { with().options().set(option, text, "tester"); }
    [[nodiscard]] std::int64_t number(std::string_view query) { return session->execute_once(query, {}).integer(0, 0); }
    /// Messages of a category in a silo's outbox.
    [[nodiscard]] std::int64_t messages(std::string_view silo, int category) {
        return number("SELECT count(*) FROM winnow_" + std::string(silo) +
                      "_outbox WHERE category = " + std::to_string(category));
    }
    [[nodiscard]] winnow::backfill_record record(std::string_view table, std::string_view target = {},
                                                 winnow::silo where = winnow::silo::cell) {
        for (const winnow::backfill_record& one : winnow::read_backfill(*session, where, table))
            if (one.target == target) return one;
        return {};
    }

    winnow::connection_ptr session;
    const winnow::catalog* known;
    backfill_clock time;
    backfill_recorder watch;
    two_cells silos;
    winnow::silo_mode mode = winnow::silo_mode::monolith;
    winnow::cursor_store* cursors = nullptr;
};

/// Tests on each kind of database, with the tables made.
class backfill_test : public on_every_database {
protected:
    void SetUp() override {
        on_every_database::SetUp();
        make_replicated_tables(*database().open());
    }
    [[nodiscard]] backfiller worker(const versioned_models& models) const {
        return {database().open(), models.catalog()};
    }
    void add(std::string_view table, std::int64_t count, std::int64_t first = 1) const {
        add_rows(*database().open(), table, count, first);
    }

    versioned_models models_;
};

inline constexpr int organization_update = 0;
inline constexpr int team_update = 1;
inline constexpr int token_update = 2;
inline constexpr int audit = 3;

inline constexpr std::string_view organization_version = "outbox_replication.t_organization.replication_version";
inline constexpr std::string_view token_version = "outbox_replication.t_token.replication_version";
inline constexpr std::string_view token_cells = "outbox_replication.t_token.backfill.target_cells";

}  // namespace winnow_test
