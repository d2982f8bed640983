// SPDX-License-Identifier: Apache-2.0
// Rows that refer to objects of the other silo, and what becomes of them when those die.

#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "integration/session/models.hpp"
#include "winnow/remote/scrub.hpp"
#include "winnow/remote/work_off.hpp"

namespace {

using namespace winnow_test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using winnow::remote_report;

/// Deletes trees by the deletion engine.
class engine final : public winnow::tree_remover {
public:
    void remove(const winnow::context& with, std::size_t model, const winnow::key_set& keys) override {
        ++calls;
        if (later) return;
        for (const winnow::deletion_report& one :
             winnow::exec_sync_many(with, model, keys, {.permit = winnow::permit_purge}))
            EXPECT_EQ(one.outcome, winnow::deletion_outcome::completed) << one.detail;
    }
    int calls = 0;
    bool later = false;
};

class tombstones : public desk::desk_test {
protected:
    void SetUp() override {
        desk_test::SetUp();
        here.emplace(database());
    }
    void TearDown() override { here.reset(); }
    [[nodiscard]] std::int64_t number(std::string_view query) const { return here->number(query); }
    void sql(std::string_view script) const { here->database->execute_script(script); }
    remote_report work_off() {
        remote_report done = winnow::work_off_tombstones(here->with, {.trees = &trees});
        EXPECT_THAT(done.problems, IsEmpty());
        EXPECT_FALSE(done.more);
        return done;
    }
    [[nodiscard]] std::int64_t open() const {
        return number("SELECT count(*) FROM winnow_cell_tombstone WHERE passed_at IS NULL");
    }
    std::optional<desk::process> here;
    engine trees;
};
INSTANTIATE_TEST_SUITE_P(databases, tombstones, all_databases(), name_of_database);

TEST_P(tombstones, every_kind_of_relation_is_worked_off) {
    std::vector<desk::ticket> tickets;
    std::vector<desk::folder> folders;
    std::vector<desk::seat> seats;
    std::vector<desk::remark> remarks;
    std::vector<desk::visit> visits;
    for (std::int64_t i = 1; i <= 30; ++i) {
        const std::int64_t person = i % 3 + 1;
        tickets.push_back({i, person});
        folders.push_back({i, person});
        seats.push_back({i, i % 2, person});
        remarks.push_back({i, person, "r"});
        visits.push_back({i, person, i});
    }
    here->session.bulk_insert(tickets);
    here->session.bulk_insert(folders);
    here->session.bulk_insert(seats);
    here->session.bulk_insert(remarks);
    here->session.bulk_insert(visits);
    for (std::int64_t i = 1; i <= 60; ++i) here->session.insert(desk::sheet{i, (i - 1) / 2 + 1});
    sql("DELETE FROM winnow_cell_outbox");
    here->bury({1, 2});
    const remote_report done = work_off();
    EXPECT_EQ(done.removed, 40) << "tickets and seats";
    EXPECT_EQ(done.nulled, 20);
    EXPECT_EQ(done.handed_over, 20);
    EXPECT_EQ(done.passed, 2);
    EXPECT_EQ(open(), 0);
    for (const std::string table : {"ticket", "folder", "seat"}) {
        EXPECT_EQ(number("SELECT count(*) FROM desk_" + table), 10) << table;
        EXPECT_EQ(number("SELECT count(*) FROM desk_" + table + " WHERE person_id <> 3"), 0) << table;
    }
    EXPECT_EQ(number("SELECT count(*) FROM desk_sheet"), 20);
    EXPECT_EQ(number("SELECT count(*) FROM desk_remark"), 30);
    EXPECT_EQ(number("SELECT count(*) FROM desk_remark WHERE person_id IS NULL"), 20);
    EXPECT_EQ(number("SELECT count(*) FROM desk_visit"), 30) << "do_nothing";
    // Replicated rows wrote their messages: 20 seats that went, 20 remarks that changed.
    EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_outbox WHERE category = 21"), 20);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_outbox WHERE category = 30"), 20);
    const remote_report again = work_off();
    EXPECT_EQ(again.removed + again.nulled + again.handed_over + again.passed, 0);
}

TEST_P(tombstones, a_large_death_goes_in_batches) {
    std::vector<desk::ticket> tickets;
    for (std::int64_t i = 1; i <= 1300; ++i) tickets.push_back({i, i <= 1200 ? 7 : 8});
    here->session.bulk_insert(tickets);
    here->bury({7});
    EXPECT_EQ(work_off().removed, 1200);
    EXPECT_EQ(number("SELECT count(*) FROM desk_ticket"), 100);
}

TEST_P(tombstones, what_is_handed_over_later_keeps_its_tombstone_open) {
    here->session.insert(desk::folder{1, 7});
    here->session.insert(desk::ticket{1, 7});
    here->bury({7});
    trees.later = true;
    const remote_report done = work_off();
    EXPECT_EQ(done.removed, 1) << "the other relation goes on";
    EXPECT_EQ(done.passed, 0);
    EXPECT_EQ(open(), 1);
    trees.later = false;
    EXPECT_EQ(work_off().passed, 1);
    EXPECT_EQ(number("SELECT count(*) FROM desk_folder"), 0);
}

TEST_P(tombstones, rows_with_children_are_reported_where_nobody_deletes_trees) {
    here->session.insert(desk::folder{1, 7});
    here->session.insert(desk::ticket{1, 7});
    here->bury({7});
    const remote_report done = winnow::work_off_tombstones(here->with);
    EXPECT_THAT(done.problems,
                ElementsAre(AllOf(HasSubstr("desk.Folder.person_id refers to desk.Person"), HasSubstr("children"))));
    EXPECT_EQ(done.removed, 1);
    EXPECT_EQ(open(), 1);
}

TEST_P(tombstones, only_the_silo_of_the_process_is_worked_off) {
    here->session.insert(desk::ticket{1, 7});
    here->bury({7});
    here->with.mode = winnow::silo_mode::control;
    EXPECT_EQ(work_off().removed, 0);
    here->with.mode = winnow::silo_mode::cell;
    EXPECT_EQ(work_off().removed, 1);
}

// A late delivery of the same message does not open a tombstone again (rule 11), a later death does.
TEST_P(tombstones, only_a_later_message_opens_a_tombstone_again) {
    here->bury({7}, 5);
    EXPECT_EQ(work_off().passed, 1);
    here->bury({7}, 5);
    here->bury({7}, 4);
    EXPECT_EQ(open(), 0);
    here->bury({7}, 6);
    EXPECT_EQ(open(), 1);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_tombstone WHERE horizon IS NOT NULL"), 0);
    EXPECT_EQ(work_off().passed, 1);
}

// a relation that is new meets many old tombstones.
TEST_P(tombstones, A36_a_new_relation_on_an_empty_table_is_caught_up_in_one_step) {
    const std::string many =
        GetParam() == dialect::postgres
            ? "generate_series(1, 100000) AS i"
            : "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT i FROM n)";
    sql("INSERT INTO winnow_cell_tombstone (model, object_identifier, source, message_id, horizon, passed_at) SELECT "
        "'desk.Person', i, 'far/control/us', i, '', " +
        std::string(GetParam() == dialect::postgres ? "now()" : "strftime('%Y-%m-%d %H:%M:%f', 'now')") + " FROM " +
        many);
    const remote_report done = work_off();
    EXPECT_EQ(done.examined, 0);
    EXPECT_EQ(done.removed, 0);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_remote_watermark"), 4);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_remote_watermark WHERE caught_up_at IS NULL"), 0);
    EXPECT_EQ(number("SELECT max(tombstone_id) FROM winnow_cell_remote_watermark"), 0) << "no walk over tombstones";
    sql("INSERT INTO desk_ticket (id, person_id) VALUES (1, 99999), (2, 100001)");
    const remote_report next = work_off();
    EXPECT_EQ(next.removed, 1);
    EXPECT_EQ(next.examined, 2);
    EXPECT_EQ(number("SELECT id FROM desk_ticket"), 2);
    EXPECT_EQ(work_off().examined, 0) << "a row is new once";
}

// The other way round: few tombstones, and a large table that already points at one of them.
TEST_P(tombstones, A36_a_new_relation_on_a_large_table_walks_the_tombstones) {
    here->bury({7});
    EXPECT_EQ(work_off().passed, 1);
    sql("DELETE FROM winnow_cell_remote_watermark");  // the relation was declared only now
    std::vector<desk::ticket> tickets;
    for (std::int64_t i = 1; i <= 2000; ++i) tickets.push_back({i, 8});
    here->session.bulk_insert(tickets);
    sql("UPDATE desk_ticket SET person_id = 7 WHERE id > 1990");
    const remote_report done = work_off();
    EXPECT_EQ(done.removed, 10);
    EXPECT_EQ(done.examined, 500) << "one page of rows, then the tombstones were through";
    EXPECT_EQ(work_off().examined, 0);
}

// a row that raw SQL wrote after the tombstone had been worked off.
TEST_P(tombstones, A37_a_late_row_goes_within_one_pass) {
    here->session.insert(desk::ticket{1, 6});
    here->bury({7});
    EXPECT_EQ(work_off().passed, 1);
    sql("INSERT INTO desk_ticket (id, person_id) VALUES (2, 7), (3, 6);"
        "INSERT INTO desk_remark (id, person_id, body) VALUES (1, 7, 'late');"
        "INSERT INTO desk_folder (id, person_id) VALUES (1, 7); INSERT INTO desk_sheet (id, folder_id) VALUES (1, 1);");
    const remote_report done = work_off();
    EXPECT_EQ(done.removed, 1);
    EXPECT_EQ(done.nulled, 1);
    EXPECT_EQ(done.handed_over, 1);
    EXPECT_EQ(number("SELECT count(*) FROM desk_ticket WHERE person_id = 6"), 2);
    EXPECT_EQ(number("SELECT count(*) FROM desk_ticket"), 2);
    EXPECT_EQ(number("SELECT count(*) FROM desk_remark WHERE person_id IS NULL"), 1);
    EXPECT_EQ(number("SELECT count(*) FROM desk_sheet"), 0);
}

TEST_P(tombstones, the_scrub_finds_what_no_watermark_shows) {
    for (std::int64_t i = 1; i <= 25; ++i) here->session.insert(desk::ticket{i, 6});
    here->bury({7});
    EXPECT_EQ(work_off().passed, 1);
    sql("UPDATE desk_ticket SET person_id = 7 WHERE id IN (3, 24)");
    EXPECT_EQ(work_off().removed, 0) << "old rows are not new";
    // Ten rows of a relation in a call; the place is kept.
    const winnow::remote_limits limits{.batch = 5, .trees = &trees};
    EXPECT_EQ(winnow::scrub_references(here->with, 10, limits).removed, 1);
    EXPECT_EQ(winnow::scrub_references(here->with, 10, limits).removed, 0);
    EXPECT_EQ(winnow::scrub_references(here->with, 10, limits).removed, 1);
    EXPECT_EQ(number("SELECT scrubs FROM winnow_cell_remote_watermark WHERE model = 'desk.Ticket'"), 1);
    sql("UPDATE desk_ticket SET person_id = 7 WHERE id = 1");
    EXPECT_EQ(winnow::scrub_references(here->with, 10, limits).removed, 1) << "it never ends";
}

TEST_P(tombstones, an_object_that_exists_again_keeps_its_rows) {
    here->bury({7});
    EXPECT_EQ(work_off().passed, 1);
    here->session.insert(desk::person_copy{7, "again"});
    here->session.insert(desk::ticket{1, 7});
    EXPECT_EQ(work_off().removed, 0);
    EXPECT_EQ(winnow::scrub_references(here->with).removed, 0);
    EXPECT_EQ(number("SELECT count(*) FROM desk_ticket"), 1);
}

TEST_P(tombstones, old_ones_are_pruned_when_every_relation_has_passed_them) {
    here->session.insert(desk::folder{1, 7});
    here->bury({6, 7});
    sql("INSERT INTO winnow_cell_tombstone (model, object_identifier, source, message_id) VALUES ('desk.Nobody', 1, 'x', 1)");
    const auto age = [&] {
        const bool postgres = GetParam() == dialect::postgres;
        for (const std::string column : {"arrived_at", "passed_at"})
            sql("UPDATE winnow_cell_tombstone SET " + column + " = " +
                (postgres ? column + " - interval '40 days'"
                          : "strftime('%Y-%m-%d %H:%M:%f', " + column + ", '-40 days')"));
    };
    EXPECT_EQ(winnow::prune_tombstones(here->with), 0);
    age();
    EXPECT_EQ(winnow::prune_tombstones(here->with), 1) << "the one that no relation is about";
    trees.later = true;
    EXPECT_EQ(work_off().passed, 0);
    EXPECT_EQ(winnow::prune_tombstones(here->with), 0) << "a row refers to one of the batch";
    trees.later = false;
    EXPECT_EQ(work_off().passed, 2);
    EXPECT_EQ(winnow::prune_tombstones(here->with), 0) << "passed just now";
    age();
    sql("UPDATE winnow_cell_remote_watermark SET caught_up_at = NULL WHERE model = 'desk.Seat'");
    EXPECT_EQ(winnow::prune_tombstones(here->with), 0) << "a new relation has not been compared with them";
    EXPECT_EQ(work_off().removed, 0);
    EXPECT_EQ(winnow::prune_tombstones(here->with, std::chrono::hours(24 * 30), 1), 1);
    EXPECT_EQ(winnow::prune_tombstones(here->with), 1);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_tombstone"), 0);
}

TEST_P(tombstones, when_the_time_is_used_up_the_next_call_goes_on) {
    here->session.insert(desk::ticket{1, 7});
    here->bury({7});
    const remote_report none = winnow::work_off_tombstones(here->with, {.time = std::chrono::milliseconds(0)});
    EXPECT_TRUE(none.more);
    EXPECT_EQ(none.passed, 0);
    EXPECT_EQ(work_off().passed, 1);
}

// R20 and R21 with a writer that is open while the tombstone arrives. SQLite has one writer: there is no such moment.
class open_writer : public tombstones {
protected:
    void SetUp() override {
        tombstones::SetUp();
        other.emplace(database());
    }
    void TearDown() override {
        other.reset();
        tombstones::TearDown();
    }
    std::optional<desk::process> other;
};
INSTANTIATE_TEST_SUITE_P(databases, open_writer, testing::Values(dialect::postgres), name_of_database);

TEST_P(open_writer, R20_one_that_did_not_see_the_tombstone_is_waited_for) {
    winnow::transaction writer(*other->database);
    other->session.insert(desk::ticket{1, 7});  // the check sees nothing
    here->bury({7});
    const remote_report waiting = work_off();
    EXPECT_EQ(waiting.passed, 0);
    EXPECT_EQ(waiting.removed, 0) << "the row is not there yet";
    EXPECT_THAT(waiting.waiting_for, AllOf(HasSubstr("desk.Person"), HasSubstr("process")));
    writer.commit();
    const remote_report done = work_off();
    EXPECT_EQ(done.removed, 1);
    EXPECT_EQ(done.passed, 1);
    EXPECT_EQ(number("SELECT count(*) FROM desk_ticket"), 0);
}

TEST_P(open_writer, R20_one_that_has_only_read_so_far_is_waited_for) {
    winnow::transaction writer(*other->database);
    (void)winnow::dead_among(other->with, winnow::silo::cell, "desk.Person", keys({std::int64_t{7}}));
    here->bury({7});
    EXPECT_EQ(work_off().passed, 0);
    // It has no transaction id yet, and writes what the guard allowed before.
    (void)other->database->execute_once("INSERT INTO desk_ticket (id, person_id) VALUES (1, 7)", {});
    EXPECT_EQ(work_off().passed, 0);
    writer.commit();
    const remote_report done = work_off();
    EXPECT_EQ(done.removed, 1);
    EXPECT_EQ(done.passed, 1);
}

TEST_P(open_writer, R20_a_prepared_one_is_waited_for) {
    winnow::transaction writer(*other->database);
    other->session.insert(desk::ticket{1, 7});
    here->bury({7});
    EXPECT_EQ(work_off().passed, 0);
    (void)other->database->execute_once("PREPARE TRANSACTION 'late'", {});
    const remote_report waiting = work_off();
    EXPECT_EQ(waiting.passed, 0);
    EXPECT_THAT(waiting.waiting_for, HasSubstr("prepared"));
    sql("COMMIT PREPARED 'late'");
    EXPECT_EQ(work_off().removed, 1);
    EXPECT_EQ(open(), 0);
}

TEST_P(open_writer, R20_later_ones_are_not_waited_for) {
    here->bury({7});
    here->session.insert(desk::folder{1, 6});
    trees.later = true;
    sql("INSERT INTO desk_folder (id, person_id) VALUES (2, 7)");
    EXPECT_EQ(work_off().passed, 0);  // fixes the horizon
    winnow::transaction writer(*other->database);
    (void)other->database->execute_once("SELECT count(*) FROM desk_ticket", {});
    trees.later = false;
    EXPECT_EQ(work_off().passed, 1);
}

TEST_P(open_writer, R21_one_that_sees_the_tombstone_is_refused) {
    winnow::transaction writer(*other->database);
    (void)other->database->execute_once("SELECT 1", {});
    here->bury({7});
    EXPECT_EQ(error_of([&] { other->session.insert(desk::ticket{1, 7}); }).kind(), winnow::failure::refused);
    writer.rollback();
    EXPECT_EQ(work_off().passed, 1);
}

// A row that others hold is left for the next pass, and nobody waits long.
TEST_P(open_writer, R8_a_held_row_is_left_for_the_next_pass) {
    here->session.insert(desk::ticket{1, 7});
    here->session.insert(desk::seat{1, 1, 7});
    here->bury({7});
    winnow::transaction writer(*other->database);
    (void)other->database->execute_once("SELECT 1 FROM desk_ticket WHERE id = 1 FOR UPDATE", {});
    const remote_report done = work_off();
    EXPECT_EQ(done.removed, 1) << "the seat";
    EXPECT_THAT(done.waiting_for, HasSubstr("desk.Ticket"));
    writer.rollback();
    EXPECT_EQ(work_off().removed, 1);
    EXPECT_EQ(open(), 0);
}

// A row that was pointed elsewhere between the look and the lock stays.
TEST_P(open_writer, a_row_that_refers_to_another_by_now_stays) {
    here->session.insert(desk::ticket{1, 7});
    here->bury({7});
    winnow::detail::remote_job job(here->with, {});
    const winnow::detail::remote_place at = winnow::detail::remote_places(here->with, winnow::silo::cell)[0];
    ASSERT_EQ(job.plan_of(at).key, "desk.Ticket");
    other->session.update(desk::ticket{1, 8});
    EXPECT_EQ(winnow::detail::act_on(job, at, keys({std::int64_t{1}}), keys({std::int64_t{7}})), 0);
    EXPECT_EQ(number("SELECT count(*) FROM desk_ticket"), 1);
}

}  // namespace
