// SPDX-License-Identifier: Apache-2.0
// Leaf rows that are taken page after page: all of them go, and nothing else, wherever they lie and whatever comes.

#include <gmock/gmock.h>

#include <functional>
#include <memory>

#include "integration/deletion/watched_connection.hpp"
#include "integration/deletion/worker.hpp"
#include "support/table_plans.hpp"
#include "winnow/deletion/measure.hpp"

namespace {

using namespace winnow_test;
using winnow::deletion_outcome;

class page_walks : public postgres_deletion_test {
protected:
    /// One issue of each of two organizations has so many events, row by row in turn.
    void fill_events(std::int64_t each) {
        make_field_tables(database());
        fill_field(database(), {.orgs = 2, .projs = 1, .issues = 1, .events = 0});
        database().run("INSERT INTO event (id, issue_id) SELECT n, 1 + n % 2 FROM generate_series(1, " +
                       std::to_string(2 * each) + ") AS n; ANALYZE");
    }
    /// A worker whose connection counts what removes events.
    std::unique_ptr<worker> watched() {
        auto opened = std::make_unique<watched_connection>(database().open());
        opened->after = [this](std::string_view text, const winnow::rows& result) {
            if (text.find("DELETE FROM \"event\"") == std::string_view::npos) return;
            const bool by_page = text.find("ctid >=") != std::string_view::npos;
            (by_page ? page_statements : other_statements) += 1;
            most_rows = std::max(most_rows, result.affected());
            if (on_removed) on_removed();
        };
        auto some = std::make_unique<worker>(std::move(opened), field_models());
        some->schedule("field.Org", one);
        return some;
    }
    /// How a plan says that events will be taken.
    [[nodiscard]] std::string planned(const winnow::measure_options& how = {}) {
        worker some(database(), field_models());
        for (const winnow::planned_table& table :
             winnow::plan_deletion(some.with(), some.model("field.Org"), {&one, 1}, how).tables)
            if (table.key == "field.Event") return table.shape.name + ": " + table.shape.reason;
        return "no events";
    }
    void set(std::string_view option, std::string_view to) {
        const winnow::connection_ptr session = database().open();
        winnow::options(*session, field_models()).set(option, to, "test");
    }

    int page_statements = 0;
    int other_statements = 0;
    std::int64_t most_rows = 0;
    std::function<void()> on_removed;
};

TEST_F(page_walks, take_the_rows_of_one_parent_and_leave_the_others) {
    fill_events(60'000);
    EXPECT_THAT(planned(), testing::StartsWith("pages: about 60000 rows, "));
    const std::unique_ptr<worker> some = watched();
    const winnow::deletion_report report = some->run_to_end();
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(report.rows, 60'003);
    EXPECT_GE(page_statements, 6);
    EXPECT_LE(page_statements, 14) << "fast chunks grow from 2 500 rows to 10 000";
    EXPECT_LE(most_rows, 25'000) << "two and a half chunks at most, if the pages hold nothing else";
    EXPECT_EQ(count("event"), 60'000);
    EXPECT_EQ(database().number("SELECT count(*) FROM event WHERE issue_id = 1"), 0);
    EXPECT_EQ(field_orphans(database()), 0);
}

TEST_F(page_walks, never_look_back_over_what_is_gone_while_an_old_state_is_read) {
    fill_events(60'000);
    const winnow::connection_ptr reader = database().open();
    reader->execute_script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM event");
    const std::unique_ptr<worker> some = watched();
    const winnow::deletion_report report = some->run();
    EXPECT_EQ(report.rows, 60'003) << report.detail;
    EXPECT_GE(page_statements, 6);
    EXPECT_LE(other_statements, 1) << "the last look";
    EXPECT_EQ(reader->execute("SELECT count(*) FROM event").integer(0, 0), 120'000);
}

TEST_F(page_walks, find_what_arrives_on_pages_that_were_passed) {
    fill_events(60'000);
    const std::unique_ptr<worker> some = watched();
    std::int64_t id = 1'000'000;
    // Each lands wherever there is room: on pages that the walk has left, or behind the last one that it knows.
    on_removed = [&] {
        if (id == 1'000'005) return;
        database().run("INSERT INTO event VALUES (" + std::to_string(id++) +
                       ", 1); UPDATE event SET id = id + 2000000 "
                       "WHERE issue_id = 1 AND id > 110000 AND id < 110200");
    };
    // The worker holds the issue: the writers come through a session that does not refer to it anew.
    database().run("ALTER TABLE event DROP CONSTRAINT event_issue_id_fkey");
    const winnow::deletion_report report = some->run_to_end();
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(database().number("SELECT count(*) FROM event WHERE issue_id = 1"), 0);
    EXPECT_EQ(count("event"), 60'000);
}

TEST_F(page_walks, are_not_made_where_rows_are_sparse_or_counted_exactly) {
    fill_events(60'000);
    database().run("INSERT INTO event SELECT 1000000 + n, 2 FROM generate_series(1, 1000000) AS n; ANALYZE event;"
                   "DELETE FROM event WHERE issue_id = 1 AND id % 8 <> 0");
    database().run("VACUUM ANALYZE event");
    EXPECT_EQ(planned(), "sets: about 15000 rows, a chunk of them at a time: fewer than four chunks");
    const std::unique_ptr<worker> sparse = watched();
    EXPECT_EQ(sparse->run_to_end().rows, 15'003);
    EXPECT_EQ(page_statements, 0) << "three rows on a page at the start of the table, none on the others";
    database().run("INSERT INTO org VALUES (1, 0); INSERT INTO proj VALUES (1, 1); INSERT INTO issue VALUES (1, 1);"
                   "INSERT INTO event SELECT 3000000 + n, 1 FROM generate_series(1, 1000000) AS n; ANALYZE event");
    set("deletion.pass_rows", "30000");
    EXPECT_EQ(planned(), "sets: about 1000000 rows, a chunk of them at a time: option deletion.pass_rows");
    const std::unique_ptr<worker> exact = watched();
    EXPECT_EQ(exact->run().rows, 30'000);
    EXPECT_EQ(page_statements, 0);
}

/// Two relations of one parent to one table, each with enough rows for a walk: one after the other, not in turns.
TEST_F(page_walks, of_two_relations_come_to_an_end) {
    table_plans plans("mail");
    const std::size_t user = plans.add_table("member", {});
    const std::size_t message = plans.add_table("message", {{"sender_id"}, {"receiver_id"}}, 500);
    plans.add_relation(user, message, "sender_id", false);
    plans.add_relation(user, message, "receiver_id", false);
    plans.finish();
    const winnow::catalog models = plans.models();
    for (const char* shape : {"auto", "pages"}) {
        set("deletion.shape", shape);
        for (const std::int64_t each : {std::int64_t{20}, std::int64_t{6'000}}) {
            database().run(
                "CREATE TABLE member (id bigint PRIMARY KEY); INSERT INTO member VALUES (1), (2);"
                "CREATE TABLE message (id bigint PRIMARY KEY, sender_id bigint NOT NULL REFERENCES member (id), "
                "receiver_id bigint NOT NULL REFERENCES member (id)); CREATE INDEX ON message (sender_id);"
                "CREATE INDEX ON message (receiver_id); INSERT INTO message SELECT n, 1 + n % 2, 2 - n % 2 FROM "
                "generate_series(1, 2 * " +
                std::to_string(each) + ") AS n; ANALYZE");
            worker some(database(), models);
            some.schedule("mail.member", one);
            std::size_t steps = 0;
            some.watch.on_progress = [&](const winnow::deletion_progress&) {
                if (++steps > 1'000) throw std::runtime_error("it goes round in circles");
            };
            const winnow::deletion_report report = some.run_to_end();
            EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
            EXPECT_EQ(report.rows, 2 * each + 1) << shape;
            database().run("DROP TABLE message; DROP TABLE member");
        }
    }
}

TEST_F(page_walks, can_be_asked_for_and_forbidden) {
    fill_events(60'000);
    set("deletion.shape", "sets");
    EXPECT_EQ(planned(), "sets: about 60000 rows, a chunk of them at a time: option deletion.shape");
    const std::unique_ptr<worker> sets = watched();
    EXPECT_EQ(sets->run_to_end().rows, 60'003);
    EXPECT_EQ(page_statements, 0);
    database().run("INSERT INTO org VALUES (1, 0); INSERT INTO proj VALUES (1, 1); INSERT INTO issue VALUES (2000, 1);"
                   "INSERT INTO event VALUES (1000000, 2000), (1000001, 2000)");
    set("deletion.shape", "pages");
    EXPECT_EQ(planned(), "pages: option deletion.shape");
    const std::unique_ptr<worker> pages = watched();
    EXPECT_EQ(pages->run_to_end().rows, 5);
    EXPECT_GE(page_statements, 1) << "even for two rows";
    EXPECT_EQ(count("event"), 60'000);
    EXPECT_THROW(set("deletion.shape", "heap"), winnow::error);
}

/// What a plan says is what the deletion does.
TEST_F(page_walks, are_planned_by_what_decides) {
    fill_events(60'000);
    EXPECT_THAT(planned({.cap = 50'000}), testing::StartsWith("pages: at least 50000 rows, ")) << "enough to know";
    EXPECT_EQ(planned({.cap = 30'000}),
              "sets: at least 30000 rows, a chunk of them at a time: the rows were not all counted");
    set("deletion.shape", "pages");
    EXPECT_EQ(planned({.each_table = std::chrono::milliseconds{1}}), "pages: option deletion.shape");
    set("deletion.shape", "auto");
    EXPECT_EQ(planned({.each_table = std::chrono::milliseconds{1}}),
              "sets: as many parents at a time as have a chunk of rows, fitted as it goes");
    database().run("UPDATE pg_class SET reltuples = -1 WHERE relname = 'event'");
    EXPECT_EQ(planned(), "sets: about 60000 rows, a chunk of them at a time: the table was never analyzed");
    const std::unique_ptr<worker> unknown = watched();
    EXPECT_EQ(unknown->run_to_end().rows, 60'003);
    EXPECT_EQ(page_statements, 0);

    const winnow::detail::table_size large{.pages = 30'000, .rows = 1'000'000};
    EXPECT_EQ(winnow::detail::why_no_pages(large, 50'000, 10'000), "too few on a page to read all pages");
    EXPECT_EQ(winnow::detail::why_no_pages(large, 60'000, 10'000), "");
}

/// A plan knows averages only; the deletion looks at each set of parents.
TEST_F(page_walks, are_made_below_a_parent_that_an_average_hides) {
    make_field_tables(database());
    fill_field(database(), {.orgs = 2, .projs = 1, .issues = 3'000, .events = 1});
    database().run("INSERT INTO event SELECT 1000000 + n, 17 FROM generate_series(1, 60000) AS n; ANALYZE");
    EXPECT_EQ(planned(), "sets: about 21 rows below each parent, up to 476 parents a chunk");
    const std::unique_ptr<worker> some = watched();
    EXPECT_EQ(some->run_to_end().rows, 66'002);
    EXPECT_GE(page_statements, 6);
}

TEST_F(page_walks, are_not_made_over_partitions) {
    database().run("CREATE TABLE org (id bigint PRIMARY KEY, status integer NOT NULL DEFAULT 0);"
                   "CREATE TABLE proj (id bigint PRIMARY KEY, org_id bigint NOT NULL REFERENCES org (id));"
                   "CREATE TABLE issue (id bigint PRIMARY KEY, proj_id bigint NOT NULL REFERENCES proj (id));"
                   "CREATE TABLE event (id bigint PRIMARY KEY, issue_id bigint NOT NULL REFERENCES issue (id)) "
                   "PARTITION BY HASH (id);"
                   "CREATE TABLE event_0 PARTITION OF event FOR VALUES WITH (MODULUS 2, REMAINDER 0);"
                   "CREATE TABLE event_1 PARTITION OF event FOR VALUES WITH (MODULUS 2, REMAINDER 1);"
                   "CREATE INDEX ON proj (org_id); CREATE INDEX ON issue (proj_id); CREATE INDEX ON event (issue_id);");
    fill_field(database(), {.orgs = 2, .projs = 1, .issues = 1, .events = 0});
    database().run("INSERT INTO event SELECT n, 1 + n % 2 FROM generate_series(1, 60000) AS n; ANALYZE");
    set("deletion.shape", "pages");
    EXPECT_EQ(
        planned(),
        "sets: about 30000 rows, a chunk of them at a time; no pages: only rows of a plain table have an address");
    const std::unique_ptr<worker> some = watched();
    EXPECT_EQ(some->run_to_end().rows, 30'003) << "addresses are those of one partition only";
    EXPECT_EQ(page_statements, 0);
    EXPECT_EQ(count("event"), 30'000);
}

}  // namespace
