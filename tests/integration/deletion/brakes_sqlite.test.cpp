// SPDX-License-Identifier: Apache-2.0
// S4 and S5: an SQLite file on a full disk, and one whose write-ahead log cannot be emptied.

#include <gmock/gmock.h>

#include "integration/deletion/worker.hpp"

namespace {

using namespace winnow_test;
using testing::AllOf;
using testing::HasSubstr;
using winnow::deletion_outcome;

class sqlite_brakes : public testing::Test {
protected:
    void SetUp() override {
        spy() = {};
        winnow::migrate(*database_.open());
        make(
            database_,
            "CREATE TABLE limited_parent (id {id});"
            "CREATE TABLE limited_bulk (id {id}, parent_id bigint NOT NULL REFERENCES limited_parent (id));"
            "CREATE TABLE limited_single (id {id}, parent_id bigint NOT NULL REFERENCES limited_parent (id));"
            "CREATE INDEX bulk_parent ON limited_bulk (parent_id); CREATE INDEX single_parent ON limited_single (parent_id);"
            "INSERT INTO limited_parent VALUES (1), (2);");
        fill(*database_.open(), "limited_bulk", rows, [](std::int64_t i) { return list(i, 1); });
    }
    [[nodiscard]] std::int64_t left() const { return database_.number("SELECT count(*) FROM limited_bulk"); }
    [[nodiscard]] std::int64_t log_size() const {
        std::error_code none;
        const auto size = std::filesystem::file_size(database_.file().string() + "-wal", none);
        return none ? 0 : static_cast<std::int64_t>(size);
    }

    static constexpr std::int64_t rows = 3'000;
    fresh_sqlite database_;
};

TEST_F(sqlite_brakes, a_log_that_nobody_can_empty_stops_the_deletion_until_it_can) {
    worker some(database_, limited_models());
    some.set("deletion.target_milliseconds", "0");
    some.database->execute_script("PRAGMA wal_autocheckpoint = 8");
    some.schedule("limited.Parent", one);
    const winnow::connection_ptr reader = database_.open();
    reader->begin(winnow::transaction_kind::read, {});
    ASSERT_EQ(reader->execute_once("SELECT count(*) FROM limited_bulk", {}).integer(0, 0), rows);

    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::waiting);
    EXPECT_THAT(report.detail, AllOf(HasSubstr("write-ahead log of"), HasSubstr("more than four times the file"),
                                     HasSubstr("some connection reads an old state of it")));
    EXPECT_EQ(report.wait_seconds, 5);
    EXPECT_GT(report.rows, 0);
    EXPECT_GT(left(), 0);
    EXPECT_EQ(some.request().state, "waiting");
    EXPECT_EQ(some.request().attempts, 0);
    const std::int64_t grown = log_size();
    EXPECT_LT(grown, 5 * static_cast<std::int64_t>(std::filesystem::file_size(database_.file())));

    some.end_waits();
    EXPECT_EQ(some.run().outcome, deletion_outcome::waiting) << "the reader is still there";
    EXPECT_LT(log_size(), grown + 200'000) << "no chunk was added to it";
    EXPECT_EQ(reader->execute_once("SELECT count(*) FROM limited_bulk", {}).integer(0, 0), rows)
        << "the reader was not disturbed";

    reader->rollback();
    some.end_waits();
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
    EXPECT_EQ(left(), 0);
}

TEST_F(sqlite_brakes, a_long_log_that_can_be_emptied_is_emptied) {
    worker some(database_, limited_models());
    some.set("deletion.target_milliseconds", "0");
    some.schedule("limited.Parent", one);
    // SQLite would let it grow without end; nothing is usual then.
    some.database->execute_script("PRAGMA wal_autocheckpoint = 0");
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
    EXPECT_EQ(left(), 0);
    EXPECT_LT(log_size(), 5 * static_cast<std::int64_t>(std::filesystem::file_size(database_.file())));
    EXPECT_EQ(some.database->execute_once("PRAGMA busy_timeout", {}).integer(0, 0), 20'000) << "set back";
}

TEST_F(sqlite_brakes, a_full_disk_makes_it_wait_and_loses_nothing) {
    // Room for what the deletion itself writes; the trigger's copies of the rows fill it.
    make(database_, "CREATE TABLE archive (id bigint NOT NULL, copy blob NOT NULL);"
                    "CREATE TRIGGER keep AFTER DELETE ON limited_bulk BEGIN"
                    " INSERT INTO archive VALUES (OLD.id, zeroblob(2000)); END;");
    worker some(database_, limited_models());
    some.set("deletion.target_milliseconds", "0");
    some.schedule("limited.Parent", one);
    const auto pages = [&] { return some.database->execute_once("PRAGMA page_count", {}).integer(0, 0); };
    (void)some.database->execute_once("PRAGMA max_page_count = " + std::to_string(pages() + 50), {});

    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::waiting);
    EXPECT_THAT(report.detail, AllOf(HasSubstr("the disk is full"), HasSubstr("the write-ahead log emptied")));
    EXPECT_FALSE(report.retried);
    EXPECT_GT(report.rows, 0) << "the chunks before it stand";
    EXPECT_EQ(left(), rows - report.rows);
    EXPECT_EQ(database_.number("SELECT count(*) FROM archive"), report.rows) << "none of the last chunk";
    EXPECT_FALSE(some.database->in_transaction());
    EXPECT_EQ(database_.open()->execute_once("PRAGMA integrity_check", {}).text(0, 0), "ok");
    const winnow::deletion_request row = some.request();
    EXPECT_EQ(row.state, "waiting");
    EXPECT_EQ(row.attempts, 0);
    EXPECT_FALSE(row.in_progress);
    EXPECT_THAT(row.last_error, HasSubstr("full"));

    some.end_waits();
    EXPECT_EQ(some.run().outcome, deletion_outcome::waiting) << "still full";
    (void)some.database->execute_once("PRAGMA max_page_count = 1000000000", {});
    some.end_waits();
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
    EXPECT_EQ(left(), 0);
    EXPECT_EQ(database_.number("SELECT count(*) FROM archive"), rows);
}

TEST_F(sqlite_brakes, not_even_the_row_can_be_written) {
    make(database_, "CREATE TABLE filler (copy blob NOT NULL);"
                    "CREATE TRIGGER keep AFTER DELETE ON limited_bulk BEGIN"
                    " INSERT INTO filler VALUES (zeroblob(200000)); END;"
                    "CREATE TRIGGER note AFTER UPDATE OF state ON winnow_cell_scheduled_deletion"
                    " WHEN NEW.state = 'waiting' BEGIN INSERT INTO filler VALUES (zeroblob(200000)); END;");
    worker some(database_, limited_models());
    some.schedule("limited.Parent", one);
    const std::int64_t pages = some.database->execute_once("PRAGMA page_count", {}).integer(0, 0);
    (void)some.database->execute_once("PRAGMA max_page_count = " + std::to_string(pages + 20), {});
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::waiting);
    EXPECT_THAT(report.detail, HasSubstr("the disk is full"));
    EXPECT_EQ(report.wait_seconds, 60) << "its lease has to run out";
    EXPECT_FALSE(some.database->in_transaction());
    EXPECT_TRUE(some.request().in_progress);
    database_.run("DROP TRIGGER keep; DROP TRIGGER note;");
    some.let_leases_run_out();
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
}

}  // namespace
