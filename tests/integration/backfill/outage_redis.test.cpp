// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/backfill/domain.hpp"
#include "integration/backfill/redis_server.hpp"
#include "support/private_postgres.hpp"
#include "winnow/store/redis_cursor.hpp"

/// PostgreSQL goes down in the middle of a backfill and comes up again, and Redis forgets everything.
namespace winnow_test {
namespace {

using testing::HasSubstr;

class backfill_outage : public testing::Test {
protected:
    void SetUp() override {
        // The tests' servers may lose the last commits in a crash, which no source of replication should.
        database_.open()->execute_script("ALTER DATABASE postgres SET synchronous_commit = on");
        make_replicated_tables(*database_.open());
        add_rows(*database_.open(), "t_organization", 20'000);
    }
    /// A backend that dies hard makes the server end all sessions and recover, as after a crash.
    void crash_server() const {
        const winnow::connection_ptr victim = database_.open();
        const std::string process = std::to_string(victim->execute_once("SELECT pg_backend_pid()", {}).integer(0, 0));
        try {
            database_.open()->execute_script("COPY (SELECT 1) TO PROGRAM 'kill -9 " + process + "; sleep 5'");
            ADD_FAILURE() << "the server did not go down";
        } catch (const winnow::error&) {
            // This session was ended as well.
        }
    }
    [[nodiscard]] winnow::connection_ptr open_again() const {
        for (int attempt = 0; attempt < 600; ++attempt) {
            try {
                return database_.open();
            } catch (const winnow::error& problem) {
                if (problem.kind() != winnow::failure::connection) throw;
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
            }
        }
        throw std::runtime_error("the server did not come up again");
    }

    private_postgres database_;
    fresh_redis redis_;
    winnow::redis_cursors cursors_{redis_.url()};
    versioned_models models_;
};

TEST_F(backfill_outage, a_restarted_database_and_a_flushed_redis_leave_a_backfill_that_ends_complete) {
    std::string said;
    std::int64_t before = 0;
    {
        backfiller one(database_.open(), models_.catalog(), &cursors_);
        winnow::backfill_request asked;
        asked.max_batch_rate = 1'000'000;
        asked.force_synchronous = true;
        asked.after_batch = [&](std::int64_t rows) {
            before += rows;
            if (before > 4'000 && said.empty()) {
                said = "down";
                crash_server();
            }
        };
        const winnow::error problem = error_of([&] { (void)one.run(asked); });
        EXPECT_EQ(problem.kind(), winnow::failure::connection);
        EXPECT_FALSE(one.session->usable());
        said = problem.what();
    }
    EXPECT_THAT(said, HasSubstr("connection"));
    EXPECT_LT(before, 20'000);
    (void)redis_.command({"FLUSHALL"});

    backfiller again(open_again(), models_.catalog(), &cursors_);
    const winnow::backfill_status far = winnow::backfill_statuses(again.with(), "t.Organization").front();
    EXPECT_EQ(far.record.stage, winnow::backfill_stage::bound);
    EXPECT_EQ(far.record.rows_done + far.rows_left, 20'000);
    EXPECT_GE(far.record.rows_done, before);
    EXPECT_EQ(again.messages("cell", organization_update), far.record.rows_done) << "messages and cursor went together";
    (void)again.to_the_end();
    EXPECT_EQ(again.messages("cell", organization_update), 20'000);
    EXPECT_EQ(again.number("SELECT count(DISTINCT object_identifier) FROM winnow_cell_outbox"), 20'000);
    EXPECT_EQ(again.record("t_organization").position(), (winnow::cursor_position{3, 0}));
    EXPECT_EQ(redis_.at("outbox_backfill.t_organization"), "[0, 3]");
    EXPECT_EQ(again.watch.counted("backfill_outboxes.watermark_missing", "table_name", "t_organization"), 1)
        << "it says what happened";
}

}  // namespace
}  // namespace winnow_test
