// SPDX-License-Identifier: Apache-2.0
// Field cases that only a server can show.

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "integration/deletion/worker.hpp"

namespace {

using namespace winnow_test;
using testing::HasSubstr;
using winnow::deletion_outcome;

class field_cases_postgres : public postgres_deletion_test {};

TEST_F(field_cases_postgres, A_14_a_statement_over_the_time_out) {
    make_field_tables(database());
    make(database(), "INSERT INTO org VALUES (1, 0); INSERT INTO proj VALUES (1, 1); INSERT INTO issue VALUES (1, 1);"
                     "INSERT INTO event SELECT n, 1 FROM generate_series(1, 12000) AS n;"
                     // A chunk of 10 000 rows takes about a second.
                     "CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE until timestamptz; BEGIN "
                     "until = clock_timestamp() + interval '100 microseconds'; "
                     "WHILE clock_timestamp() < until LOOP END LOOP; RETURN OLD; END $$;"
                     "CREATE TRIGGER slow BEFORE DELETE ON event FOR EACH ROW EXECUTE FUNCTION dawdle();");
    worker some(database(), field_models());
    some.real_time = true;
    some.set("deletion.statement_milliseconds", "200");
    some.set("deletion.pass_rows", "1");
    some.schedule("field.Org", one);
    // One chunk in each pass: the backlog shrinks in every run.
    std::int64_t left = count("event");
    for (int pass = 0; pass < 3; ++pass) {
        EXPECT_EQ(some.run().outcome, deletion_outcome::yielded);
        EXPECT_LT(count("event"), left);
        left = count("event");
    }
    some.set("deletion.pass_rows", "0");
    some.watch.lines.clear();
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
    EXPECT_LE(some.watch.times("chunk is tried again"), 8) << "the size that fits is remembered";
    for (const recorder::line& line : some.watch.lines) {
        if (line.message != "chunk is tried again") continue;
        EXPECT_EQ(line.label("sqlstate"), "57014");
    }
    EXPECT_EQ(count("event"), 0);
}

TEST_F(field_cases_postgres, A_15_no_transaction_is_open_while_it_waits) {
    make_field_tables(database());
    fill_field(database());
    make(database(), "CREATE TABLE health (fine boolean); INSERT INTO health VALUES (true);");
    worker some(database(), field_models());
    some.real_time = true;
    some.set("deletion.health_query", "SELECT fine FROM health");
    some.set("deletion.brake_seconds", "0");
    (void)some.database->execute_once("SET idle_in_transaction_session_timeout = '1s'", {});
    const std::int64_t pid = some.database->execute_once("SELECT pg_backend_pid()", {}).integer(0, 0);
    // The brake goes on after the first chunk, and off again 5 s later.
    some.watch.on_progress = [&](const winnow::deletion_progress&) {
        make(database(), "UPDATE health SET fine = false;");
    };
    std::atomic<bool> ended{false};
    std::int64_t looks = 0;
    std::int64_t open = 0;
    std::thread looks_on([&] {
        const winnow::connection_ptr own = database().open();
        while (own->execute_once("SELECT fine FROM health", {}).integer(0, 0) != 0) std::this_thread::yield();
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
        // What the last chunk left may still be on its way out.
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        while (std::chrono::steady_clock::now() < end) {
            ++looks;
            // Each second it looks whether the brake is still on, which takes a transaction of a moment.
            open += own->execute_once(
                           "SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND state LIKE 'idle in transaction%' "
                           "AND state_change < clock_timestamp() - interval '700 milliseconds'",
                           {pid})
                        .integer(0, 0);
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        some.watch.on_progress = nullptr;
        (void)own->execute_once("UPDATE health SET fine = true", {});
        ended = true;
    });
    const winnow::deletion_report report = some.exec_sync("field.Org", one);
    looks_on.join();
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << "the run goes on after";
    EXPECT_TRUE(ended);
    EXPECT_GT(looks, 20);
    EXPECT_EQ(open, 0) << "an idle transaction was seen while the brake was on";
    EXPECT_EQ(left_of_org(database(), {}, 1), 0);
}

}  // namespace
