// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laws/observed_connection.hpp"
#include "support/databases.hpp"
#include "winnow/context/context.hpp"
#include "winnow/context/produce.hpp"
#include "winnow/plan/catalog.hpp"
#include "winnow/store/transaction.hpp"

namespace winnow_test {

/// `law.Doc`, copied, and `law.Trail`, whose every event counts. Declared in replication.test.cpp.
[[nodiscard]] const winnow::catalog& replicated_models();

/// Tables of the source and of the target. The tables of a random run are emptied, never made again.
inline constexpr winnow::dialect_text replicated_tables = {
    "CREATE TABLE law_doc (id bigint PRIMARY KEY, org_id bigint NOT NULL, body bigint NOT NULL);"
    "CREATE TABLE law_doc_copy (doc_id bigint PRIMARY KEY, body bigint NOT NULL);"
    "CREATE TABLE law_trail (id bigint PRIMARY KEY, org_id bigint NOT NULL, steps bigint NOT NULL);"
    "CREATE TABLE law_effect (id bigserial PRIMARY KEY, trail_id bigint NOT NULL, step text NOT NULL);",
    "CREATE TABLE law_doc (id INTEGER PRIMARY KEY AUTOINCREMENT, org_id INTEGER NOT NULL, body INTEGER NOT NULL);"
    "CREATE TABLE law_doc_copy (doc_id INTEGER PRIMARY KEY, body INTEGER NOT NULL);"
    "CREATE TABLE law_trail (id INTEGER PRIMARY KEY AUTOINCREMENT, org_id INTEGER NOT NULL, steps INTEGER NOT NULL);"
    "CREATE TABLE law_effect (id INTEGER PRIMARY KEY AUTOINCREMENT, trail_id INTEGER NOT NULL, step TEXT NOT NULL);"};

/// Where a process of a random run finds the target; opened again when it is asked for after it was dropped.
class target_of final : public winnow::silo_directory {
public:
    target_of(const fresh_database& of, observed_connection::before_call before)
        : of_(of), before_(std::move(before)) {}
    [[nodiscard]] std::span<const std::string> cells() const noexcept override { return {}; }
    [[nodiscard]] winnow::connection& control() override {
        if (!session_) {
            session_ = std::make_unique<observed_connection>(of_.open());
            session_->before = before_;
        }
        return *session_;
    }
    [[nodiscard]] winnow::connection& cell(std::string_view) override { return control(); }
    [[nodiscard]] bool in_transaction() const { return session_ && session_->in_transaction(); }

private:
    const fresh_database& of_;
    observed_connection::before_call before_;
    std::unique_ptr<observed_connection> session_;
};

/// Changes rows as applications do: each change and its message in one transaction (L4), some of them committed late
/// or never.
class random_writer {
public:
    random_writer(const fresh_database& source, std::mt19937_64& random)
        : session_(source.open()), late_(source.open()), random_(random) {}

    /// One step: a change, or the end of a transaction that was left open.
    void step() {
        if (pending_ != 0 && chance(3)) {
            finish();
            return;
        }
        const std::int64_t object = drawn(objects);
        // SQLite has one writer at a time: a transaction left open would only make the others wait.
        const bool late = session_->kind() == winnow::dialect::postgres && pending_ == 0 && chance(4);
        if (object == pending_) return;
        winnow::connection& on = late ? *late_ : *session_;
        on.begin(winnow::transaction_kind::write, {});
        if (chance(2)) change_doc(on, object);
        else change_trail(on, object);
        if (late) {
            pending_ = object;
        } else if (chance(10)) {
            on.rollback();
        } else {
            on.commit();
        }
    }
    void finish() {
        if (std::exchange(pending_, 0) == 0) return;
        if (chance(4)) late_->rollback();
        else late_->commit();
    }

private:
    static constexpr std::int64_t objects = 5;

    [[nodiscard]] bool chance(std::uint64_t one_in) { return random_() % one_in == 0; }
    [[nodiscard]] std::int64_t drawn(std::int64_t most) {
        return 1 + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most));
    }
    void produce(winnow::connection& on, std::string_view model, std::int64_t object) {
        const winnow::context with{replicated_models(), on, time_, watch_};
        const winnow::value key = object;
        winnow::key_set keys(1);
        keys.push_back({&key, 1});
        (void)winnow::produce_messages(with, replicated_models()[replicated_models().at(model)], keys);
    }
    /// All rows of one organization in one statement, but one that another transaction holds.
    void change_docs(winnow::connection& on, std::int64_t org) {
        const winnow::context with{replicated_models(), on, time_, watch_};
        const winnow::plan& docs = replicated_models()[replicated_models().at("law.Doc")];
        const winnow::key_set keys =
            on.execute("SELECT id FROM law_doc WHERE org_id = $1 AND id <> $2 ORDER BY id", {org, pending_})
                .take_keys();
        const bool erase = chance(3);
        if (!erase)
            (void)on.execute("UPDATE law_doc SET body = $1 WHERE org_id = $2 AND id <> $3",
                             {static_cast<std::int64_t>(random_() % 1'000'000), org, pending_});
        (void)winnow::produce_messages(with, docs, keys);
        if (erase) (void)on.execute("DELETE FROM law_doc WHERE org_id = $1 AND id <> $2", {org, pending_});
    }
    void change_doc(winnow::connection& on, std::int64_t object) {
        const std::int64_t org = object % 2;
        // A transaction that is left open holds one row only, so that the others are never waited for.
        if (&on == session_.get() && chance(4)) {
            change_docs(on, org);
            return;
        }
        if (chance(3)) {
            produce(on, "law.Doc", object);
            (void)on.execute("DELETE FROM law_doc WHERE id = $1", {object});
            return;
        }
        (void)on.execute(
            "INSERT INTO law_doc (id, org_id, body) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET body = "
            "excluded.body",
            {object, org, static_cast<std::int64_t>(random_() % 1'000'000)});
        produce(on, "law.Doc", object);
    }
    void change_trail(winnow::connection& on, std::int64_t object) {
        (void)on.execute(
            "INSERT INTO law_trail (id, org_id, steps) VALUES ($1, $2, 1) ON CONFLICT (id) DO UPDATE SET steps = "
            "law_trail.steps + 1",
            {object, object % 2});
        produce(on, "law.Trail", object);
    }

    winnow::connection_ptr session_;
    winnow::connection_ptr late_;
    std::int64_t pending_ = 0;  // object of the transaction that is open
    std::mt19937_64& random_;
    winnow::steady_clock time_;
    winnow::observer watch_;
};

}  // namespace winnow_test
