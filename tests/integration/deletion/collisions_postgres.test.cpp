// SPDX-License-Identifier: Apache-2.0
// Locks that others hold, rows that move, and roles that may not do everything.

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "integration/deletion/watched_connection.hpp"
#include "integration/deletion/worker.hpp"

namespace {

using namespace winnow_test;
using testing::HasSubstr;
using winnow::deletion_outcome;

class collisions : public postgres_deletion_test {
protected:
    void SetUp() override {
        postgres_deletion_test::SetUp();
        make_field_tables(database());
        fill_field(database());
    }
};

TEST_F(collisions, a_row_that_somebody_keeps_locked_is_reported_and_not_waited_for_ever) {
    const winnow::connection_ptr holder = database().open();
    holder->begin(winnow::transaction_kind::write, {});
    (void)holder->execute("SELECT * FROM event WHERE id = 5 FOR UPDATE");
    const std::int64_t pid = holder->execute("SELECT pg_backend_pid()").integer(0, 0);
    worker some(database(), field_models());
    some.real_time = true;
    some.schedule("field.Org", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::waiting) << report.detail;
    EXPECT_THAT(report.detail, HasSubstr(std::to_string(pid))) << "names who is in the way";
    EXPECT_EQ(database().number("SELECT count(*) FROM event WHERE id = 5"), 1);
    EXPECT_NO_THROW((void)holder->execute("UPDATE event SET issue_id = issue_id WHERE id = 5"))
        << "the application loses nothing";
    holder->commit();
    some.end_waits();
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
    EXPECT_EQ(left_of_org(database(), {}, 1), 0);
}

TEST_F(collisions, exec_sync_looks_again_soon_and_says_what_it_waits_for) {
    const winnow::connection_ptr holder = database().open();
    holder->begin(winnow::transaction_kind::write, {});
    (void)holder->execute("SELECT * FROM event WHERE id = 5 FOR UPDATE");
    const std::int64_t pid = holder->execute("SELECT pg_backend_pid()").integer(0, 0);
    worker some(database(), field_models());
    some.time.on_sleep = [&] {
        some.end_waits();
        if (some.watch.times("deletion waits") == 3 && holder->in_transaction()) holder->rollback();
    };
    EXPECT_EQ(some.exec_sync("field.Org", one).outcome, deletion_outcome::completed);
    EXPECT_EQ(some.watch.times("deletion waits"), 3);
    EXPECT_EQ(some.watch.times("deletion failed"), 0) << "it is no failure";
    double waited = 0;
    for (const recorder::line& line : some.watch.lines) {
        if (line.message != "deletion waits") continue;
        EXPECT_THAT(line.label("why"), HasSubstr("process " + std::to_string(pid)));
        EXPECT_EQ(line.label("object_id"), "1");
        EXPECT_LT(std::stod(line.label("seconds")), 1);
        waited += std::stod(line.label("seconds"));
    }
    EXPECT_GT(waited, 0.5);
    EXPECT_EQ(left_of_org(database(), {}, 1), 0);
}

TEST_F(collisions, a_lock_that_is_given_back_costs_a_retry_only) {
    const winnow::connection_ptr holder = database().open();
    holder->begin(winnow::transaction_kind::write, {});
    (void)holder->execute("SELECT * FROM issue WHERE id = 2 FOR UPDATE");
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    int sleeps = 0;
    some.time.on_sleep = [&] {
        if (++sleeps == 2) holder->rollback();
    };
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(report.rows, field_rows{}.of_one_org()) << "each row is counted once";
    EXPECT_GE(some.watch.times("chunk is tried again"), 2);
}

TEST_F(collisions, a_connection_that_breaks_while_a_chunk_gives_up_is_reported_as_lost) {
    auto watched = std::make_unique<watched_connection>(database().open());
    watched_connection& own = *watched;
    worker some(std::move(watched), field_models());
    some.schedule("field.Org", one);
    const std::int64_t pid = own.execute("SELECT pg_backend_pid()").integer(0, 0);
    own.before = [&](std::string_view statement) {
        if (!statement.starts_with("DELETE FROM \"event\"")) return;
        database().run("SELECT pg_terminate_backend(" + std::to_string(pid) + ", 10000)");
        throw winnow::error(winnow::failure::statement, "canceling statement due to lock timeout")
            .with_sqlstate("55P03")
            .with_retry(true);
    };
    const winnow::error problem = error_of([&] { (void)some.run_next(); });
    EXPECT_EQ(problem.kind(), winnow::failure::connection);
    EXPECT_TRUE(problem.may_retry());
    EXPECT_THAT(problem.what(), HasSubstr("lock timeout"));
    EXPECT_THAT(problem.what(), HasSubstr("lost"));
}

TEST_F(collisions, rows_that_move_to_a_living_parent_survive) {
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    bool moved = false;
    // While project 1 is worked on, issue 3 of it and its events move to the other organization.
    spy().should_proceed = [&](std::int64_t, bool) {
        if (!moved) {
            moved = true;
            database().run("UPDATE issue SET proj_id = 3 WHERE id = 3");
        }
        return true;
    };
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(database().number("SELECT count(*) FROM issue WHERE id = 3"), 1);
    EXPECT_EQ(database().number("SELECT count(*) FROM event WHERE issue_id = 3"), 4);
    EXPECT_EQ(report.rows, field_rows{}.of_one_org() - 5);
    EXPECT_EQ(field_orphans(database()), 0);
}

class roles : public collisions {
protected:
    void SetUp() override {
        collisions::SetUp();
        role_ = database().name() + "_app";
        database().run("CREATE ROLE " + role_ +
                       " LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO " + role_);
        worker(database(), field_models()).schedule("field.Org", one);
    }
    void TearDown() override {
        database().run("DROP OWNED BY " + role_ + "; DROP ROLE " + role_);
        collisions::TearDown();
    }
    /// Runs as the restricted role; it must stop before a row is gone.
    std::string refusal() {
        worker some(winnow::open_connector(database().url_as(role_), drivers)->open(), field_models());
        const winnow::deletion_report report = some.run();
        EXPECT_EQ(report.outcome, deletion_outcome::blocked);
        EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org());
        EXPECT_EQ(some.request().state, "blocked");
        return report.detail;
    }
    std::string role_;
};

TEST_F(roles, with_all_rights_it_works) {
    worker some(winnow::open_connector(database().url_as(role_), drivers)->open(), field_models());
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
}

TEST_F(roles, without_the_right_to_lock) {
    database().run("REVOKE UPDATE ON issue FROM " + role_);
    EXPECT_THAT(refusal(), HasSubstr("may delete from issue but not lock it (needs UPDATE on one column)"));
}

TEST_F(roles, without_the_right_to_delete) {
    database().run("REVOKE DELETE ON event FROM " + role_);
    EXPECT_THAT(refusal(), HasSubstr("may not delete from event"));
}

TEST_F(roles, with_policies_that_hide_rows) {
    database().run("ALTER TABLE event ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON event TO " + role_ +
                   " USING (id < 3)");
    EXPECT_THAT(refusal(), HasSubstr("policies hide rows from this role"));
}

TEST_F(roles, with_a_rule_in_the_way) {
    database().run("CREATE RULE r AS ON DELETE TO event DO INSTEAD NOTHING");
    EXPECT_THAT(refusal(), HasSubstr("rule \"r\" replaces DELETE"));
}

TEST_F(roles, with_a_view_in_place_of_a_table) {
    database().run(
        "ALTER TABLE event RENAME TO all_event; CREATE VIEW event AS SELECT * FROM all_event; GRANT ALL ON event TO " +
        role_);
    worker some(winnow::open_connector(database().url_as(role_), drivers)->open(), field_models());
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::blocked);
    EXPECT_THAT(report.detail, HasSubstr("event is a view. Name the table behind it."));
}

}  // namespace
