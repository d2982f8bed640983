// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/core/error.hpp"
#include "winnow/runtime/broker.hpp"
#include "winnow/runtime/number_pair.hpp"
#include "winnow/runtime/wakeup.hpp"
#include "winnow/store/connection.hpp"
#include "winnow/store/own_statement.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow::inline v0 {

/// A broker in table `winnow_task` of a silo's own database: needs nothing but the database. Workers that wait look
/// twice a second; those of the process that adds a task are woken. On PostgreSQL they do not wait for each other's
/// rows; an SQLite file has one writer anyway.
class sql_broker final : public broker {
public:
    /// @param session used by nobody else at the same time
    /// @param changed shared by the brokers of a process
    sql_broker(connection_ptr session, std::shared_ptr<wakeup> changed, broker_options options)
        : session_(std::move(session)), changed_(std::move(changed)), options_(std::move(options)) {}

    [[nodiscard]] std::string description() const override { return session_->description(); }
    [[nodiscard]] bool serves(std::string_view queue) const override { return options_.serves(queue); }

    void push(const task& what, double delay_seconds = 0) override {
        // One that waits already says the same.
        const std::string text =
            "INSERT INTO winnow_task (queue, kind, argument, attempt, deadline_seconds, visible_at) SELECT CAST($1 AS text), "
            "CAST($2 AS text), CAST($3 AS text), CAST($4 AS integer), CAST($5 AS double precision), {after $6} WHERE NOT EXISTS (SELECT 1 FROM winnow_task t WHERE "
            "t.queue = $1 AND t.kind = $2 AND t.argument = $3 AND t.owner IS NULL AND t.visible_at <= {after $6})";
        (void)write(text,
                    {std::string_view(queue_of(what)), std::string_view(what.kind), std::string_view(what.argument),
                     std::int64_t{what.attempt}, value(what.deadline_seconds), value(delay_seconds)});
        changed_->notify();
    }

    [[nodiscard]] std::optional<taken_task> take(std::chrono::milliseconds patience) override {
        constexpr std::chrono::milliseconds between_looks{500};
        const auto end = std::chrono::steady_clock::now() + patience;
        for (;;) {
            const std::uint64_t seen = changed_->now();
            if (std::optional<taken_task> found = take_now()) return found;
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
            if (left.count() <= 0) return std::nullopt;
            changed_->wait(seen, std::min(left, between_looks));
        }
    }

    bool done(const taken_task& which) override {
        const auto [id, token] = parts_of(which);
        return write("DELETE FROM winnow_task WHERE id = $1 AND token = $2", {id, token}).affected() > 0;
    }
    bool retry(const taken_task& which, double delay_seconds) override {
        const auto [id, token] = parts_of(which);
        const bool mine =
            write(
                "UPDATE winnow_task SET owner = NULL, attempt = attempt + 1, token = token + 1, visible_at = {after $1} "
                "WHERE id = $2 AND token = $3",
                {value(delay_seconds), id, token})
                .affected() > 0;
        changed_->notify();
        return mine;
    }
    bool extend(const taken_task& which) override {
        const auto [id, token] = parts_of(which);
        return write(
                   "UPDATE winnow_task SET visible_at = {after $1} WHERE id = $2 AND token = $3 AND owner IS NOT NULL",
                   {value(options_.lease_seconds), id, token})
                   .affected() > 0;
    }

    [[nodiscard]] broker_statistics statistics() override {
        std::vector<parameter> values;
        const std::string text = spelled(
            "SELECT count(CASE WHEN visible_at <= {now} THEN 1 END), count(CASE WHEN visible_at > {now} AND owner IS NULL "
            "THEN 1 END), count(CASE WHEN visible_at > {now} AND owner IS NOT NULL THEN 1 END) FROM winnow_task WHERE " +
            served(values));
        const rows found = session_->execute(text, std::span<const parameter>(values));
        return {found.integer(0, 0), found.integer(0, 1), found.integer(0, 2)};
    }

private:
    [[nodiscard]] std::string spelled(std::string_view text) const { return own_statement(text, session_->kind()); }

    /// The condition that a queue is one that is served; its values come after those that are there.
    [[nodiscard]] std::string served(std::vector<parameter>& values) const {
        if (options_.queues.empty()) return "1 = 0";
        std::string list;
        for (const std::string& one : options_.queues) {
            values.emplace_back(std::string_view(one));
            list += (list.empty() ? "$" : ", $") + std::to_string(values.size());
        }
        return "queue IN (" + list + ")";
    }

    rows write(std::string_view text, std::initializer_list<parameter> parameters) {
        return write(text, std::span<const parameter>(parameters.begin(), parameters.size()));
    }
    /// One statement in a transaction of its own. Two sessions that collide try again.
    rows write(std::string_view text, std::span<const parameter> parameters) {
        const std::string statement = spelled(text);
        for (int tries = 1;; ++tries) {
            try {
                transaction open(*session_);
                rows found = session_->execute(statement, parameters);
                open.commit();
                return found;
            } catch (const error& problem) {
                if (!session_->usable() || !problem.may_retry() || problem.in_doubt() || tries == 5) throw;
            }
        }
    }

    [[nodiscard]] std::optional<taken_task> take_now() {
        // A look writes nothing, and on SQLite does not wait for the writer.
        std::vector<parameter> where;
        const std::string look =
            spelled("SELECT id FROM winnow_task WHERE " + served(where) + " AND visible_at <= {now} LIMIT 1");
        if (session_->execute(look, std::span<const parameter>(where)).empty()) return std::nullopt;
        std::vector<parameter> values{std::string_view(options_.owner), value(options_.lease_seconds)};
        const std::string take =
            "UPDATE winnow_task SET owner = $1, token = token + 1, visible_at = {after $2} WHERE id = (SELECT id FROM "
            "winnow_task WHERE " +
            served(values) +
            " AND visible_at <= {now} ORDER BY visible_at, id LIMIT 1 {skip}) RETURNING id, token, queue, kind, "
            "argument, attempt, deadline_seconds";
        const rows found = write(take, std::span<const parameter>(values));
        if (found.empty()) return std::nullopt;
        taken_task made;
        made.id = std::to_string(found.integer(0, 0)) + "/" + std::to_string(found.integer(0, 1));
        made.owner = options_.owner;
        made.queue = found.text(0, 2);
        made.what.kind = found.text(0, 3);
        made.what.argument = found.text(0, 4);
        made.what.attempt = static_cast<int>(found.integer(0, 5));
        if (const auto* seconds = std::get_if<double>(&found.at(0, 6))) made.what.deadline_seconds = *seconds;
        made.what.silo = made.queue == "control" ? silo::control : silo::cell;
        if (made.what.silo == silo::cell) made.what.cell = made.queue.substr(made.queue.find(':') + 1);
        return made;
    }

    /// Id and token; those of no task when it is not one of ours.
    [[nodiscard]] static std::pair<std::int64_t, std::int64_t> parts_of(const taken_task& which) {
        return parse_number_pair(which.id, '/').value_or(std::pair<std::int64_t, std::int64_t>{0, 0});
    }

    connection_ptr session_;
    std::shared_ptr<wakeup> changed_;
    broker_options options_;
};

}  // namespace winnow::inline v0
