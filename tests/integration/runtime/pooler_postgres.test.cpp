// SPDX-License-Identifier: Apache-2.0
// behind a transaction pooler each transaction may land on another session of the server. Nothing of winnow's may
// rest on a session, least of all a lock.

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "integration/runtime/shop.hpp"
#include "support/databases.hpp"
#include "winnow/backfill/run.hpp"
#include "winnow/deletion/run.hpp"
#include "winnow/deletion/schedule.hpp"
#include "winnow/outbox/drain.hpp"

namespace {

using namespace winnow_test;

/// Gives each transaction, and each statement outside of one, to the next of several sessions.
class pooled_connection final : public winnow::connection {
public:
    explicit pooled_connection(const fresh_database& to) {
        for (auto& one : sessions_) one = to.open();
    }
    [[nodiscard]] winnow::dialect kind() const noexcept override { return now().kind(); }
    [[nodiscard]] std::string description() const override { return now().description(); }
    [[nodiscard]] bool usable() const noexcept override { return now().usable(); }
    [[nodiscard]] bool read_only() const override { return now().read_only(); }
    using connection::execute;
    using connection::execute_once;
    winnow::rows execute(std::string_view statement, std::span<const winnow::parameter> parameters) override {
        look(statement);
        return next().execute(statement, parameters);
    }
    winnow::rows execute_once(std::string_view statement, std::span<const winnow::parameter> parameters) override {
        look(statement);
        return next().execute_once(statement, parameters);
    }
    void execute_script(std::string_view script) override {
        look(script);
        next().execute_script(script);
    }
    void begin(winnow::transaction_kind kind, const winnow::transaction_limits& limits) override {
        next().begin(kind, limits);
    }
    void commit() override { now().commit(); }
    void rollback() noexcept override { now().rollback(); }
    [[nodiscard]] bool in_transaction() const noexcept override { return now().in_transaction(); }
    void set_limits(const winnow::transaction_limits& limits) override { now().set_limits(limits); }
    [[nodiscard]] std::chrono::milliseconds deadlock_timeout() override { return now().deadlock_timeout(); }
    [[nodiscard]] std::string session_name() const override { return now().session_name(); }

    std::vector<std::string> session_locks;  ///< statements that take or release one

private:
    [[nodiscard]] winnow::connection& now() const noexcept { return *sessions_[at_]; }
    winnow::connection& next() {
        if (!now().in_transaction()) at_ = (at_ + 1) % sessions_.size();
        return now();
    }
    void look(std::string_view statement) {
        for (const std::string_view name : {"pg_advisory_lock", "pg_try_advisory_lock", "pg_advisory_unlock", "LISTEN ",
                                            "CREATE TEMP", "SET SESSION"})
            if (statement.find(name) != std::string_view::npos) session_locks.emplace_back(statement);
    }

    std::array<winnow::connection_ptr, 3> sessions_;
    std::size_t at_ = 0;
};

TEST(field_cases, A_39_nothing_rests_on_a_session) {
    shop_silos all(winnow::dialect::postgres);
    const shop_models models;
    pooled_connection first(all.database(1));
    pooled_connection second(all.database(1));
    EXPECT_EQ(winnow::migrate(first), 0);
    first.execute_script(
        "INSERT INTO shop_organization (name) SELECT 'o' || i FROM generate_series(1, 300) i;"
        "INSERT INTO shop_member (organization_id, user_id) SELECT 1 + i % 300, i FROM generate_series(1, 900) i;");
    // Two workers take turns in the middle of each other's work.
    std::array<winnow::context, 2> workers{all.in(models, all.us()), all.in(models, all.us())};
    const winnow::context in_first{
        models.catalog(), first, workers[0].time, workers[0].watch, winnow::silo_mode::cell, "one", {},
        workers[0].silos, "us"};
    const winnow::context in_second{
        models.catalog(), second, workers[1].time, workers[1].watch, winnow::silo_mode::cell, "two", {},
        workers[1].silos, "us"};
    winnow::backfill_request batch;
    batch.force_synchronous = true;
    batch.max_batch_rate = 70;
    std::int64_t rows = 0;
    for (bool moved = true; moved;) {
        const winnow::backfill_report one = winnow::backfill_outboxes_for(in_first, batch);
        (void)winnow::drain(in_second, winnow::silo::cell);
        const winnow::backfill_report two = winnow::backfill_outboxes_for(in_second, batch);
        (void)winnow::drain(in_first, winnow::silo::cell);
        moved = one || two;
        rows += one.rows + two.rows;
    }
    EXPECT_EQ(rows, 300);
    EXPECT_EQ(all.number(all.control(), "SELECT count(*) FROM shop_organizationcopy WHERE cell = 'us'"), 300);

    winnow::schedule_options now;
    now.days = 0;
    now.permit = winnow::permit_purge;
    const std::array<winnow::value, 1> key{std::int64_t{7}};
    (void)winnow::schedule(in_first, models.catalog().at("shop.Organization"), key, now);
    const std::optional<winnow::deletion_report> report = winnow::run_next(in_second);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->outcome, winnow::deletion_outcome::completed) << report->detail;
    EXPECT_EQ(report->rows, 4);

    EXPECT_EQ(first.session_locks, std::vector<std::string>());
    EXPECT_EQ(second.session_locks, std::vector<std::string>());
    EXPECT_EQ(all.number(all.us(), "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), 0);
}

}  // namespace
