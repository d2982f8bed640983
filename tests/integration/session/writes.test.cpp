// SPDX-License-Identifier: Apache-2.0
// Objects that are written by type: rows and messages are one transaction.

#include <gmock/gmock.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "integration/session/models.hpp"

namespace {

using namespace winnow_test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using winnow::failure;

class writes : public desk::desk_test {
protected:
    void SetUp() override {
        desk_test::SetUp();
        here.emplace(database());
    }
    void TearDown() override { here.reset(); }
    [[nodiscard]] std::int64_t number(std::string_view query) const { return here->number(query); }
    [[nodiscard]] std::vector<std::string> lines(std::string_view query) const {
        const winnow::rows found = here->database->execute_once(query, {});
        std::vector<std::string> all;
        for (std::size_t row = 0; row < found.size(); ++row) {
            std::string line;
            for (std::size_t column = 0; column < found.width(); ++column)
                line += (column == 0 ? "" : "|") + winnow::detail::text_of(found.at(row, column));
            all.push_back(line);
        }
        return all;
    }
    std::optional<desk::process> here;
};
INSTANTIATE_TEST_SUITE_P(databases, writes, all_databases(), name_of_database);

TEST_P(writes, a_row_and_its_messages_are_one_transaction) {
    desk::person ada{0, "Ada", std::nullopt};
    const std::int64_t key = here->session.insert(ada);
    EXPECT_EQ(key, ada.id);
    EXPECT_GT(key, 0);
    EXPECT_EQ(number("SELECT count(*) FROM desk_person WHERE name = 'Ada' AND mail IS NULL"), 1);
    EXPECT_THAT(lines("SELECT shard_scope, shard_identifier, category, object_identifier, cell_name FROM "
                      "winnow_control_outbox ORDER BY id"),
                ElementsAre("1|" + std::to_string(key) + "|10|" + std::to_string(key) + "|us",
                            "1|" + std::to_string(key) + "|10|" + std::to_string(key) + "|eu"));
    ada.mail = "ada@example.org";
    here->session.update(ada);
    EXPECT_EQ(number("SELECT count(*) FROM desk_person WHERE mail = 'ada@example.org'"), 1);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_control_outbox"), 4);
    EXPECT_TRUE(here->session.erase(ada));
    EXPECT_FALSE(here->session.erase(ada)) << "what is gone already has no message";
    EXPECT_EQ(number("SELECT count(*) FROM desk_person"), 0);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_control_outbox"), 6);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_outbox"), 0);
}

TEST_P(writes, A33_a_message_stands_and_falls_with_its_row) {
    const winnow::plan& person = here->models[here->models.at("desk.Person")];
    const winnow::error outside =
        error_of([&] { (void)winnow::produce_messages(here->with, person, keys({std::int64_t{1}})); });
    EXPECT_EQ(outside.kind(), failure::usage);
    EXPECT_THAT(outside.what(), HasSubstr("outside of a transaction"));
    {
        const winnow::transaction scope(*here->database);
        here->session.insert(desk::person{7, "Bob", std::nullopt});
        std::vector<desk::project> many(3, {0, 4, "x", std::nullopt});
        here->session.bulk_insert(many);
        EXPECT_EQ(number("SELECT count(*) FROM winnow_control_outbox"), 2);
        EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_outbox"), 3);
    }
    EXPECT_EQ(number("SELECT count(*) FROM desk_person"), 0);
    EXPECT_EQ(number("SELECT count(*) FROM desk_project"), 0);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_control_outbox"), 0);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_outbox"), 0);
    EXPECT_TRUE(here->flushes.seen.empty());
    // The second row of a call fails: nothing of the first is left.
    here->session.insert(desk::person{8, "Cleo", std::nullopt});
    const std::array<desk::person, 2> both{{{9, "Dan", std::nullopt}, {8, "Eve", std::nullopt}}};
    EXPECT_EQ(error_of([&] { here->session.bulk_insert(both); }).kind(), failure::statement);
    EXPECT_EQ(number("SELECT count(*) FROM desk_person"), 1);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_control_outbox"), 2);
}

TEST_P(writes, without_known_cells_a_control_model_is_refused) {
    here->with.silos = nullptr;
    const winnow::error problem = error_of([&] { here->session.insert(desk::person{1, "Ada", std::nullopt}); });
    EXPECT_EQ(problem.kind(), failure::configuration);
    EXPECT_EQ(problem.model(), "desk.Person");
    EXPECT_EQ(number("SELECT count(*) FROM desk_person"), 0);
    here->session.insert(desk::project{1, 2, "goes to control", std::nullopt});
    EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_outbox WHERE cell_name = ''"), 1);
}

TEST_P(writes, the_other_silo_is_out_of_reach) {
    here->with.mode = winnow::silo_mode::cell;
    EXPECT_EQ(error_of([&] { here->session.insert(desk::person{1, "Ada", std::nullopt}); }).kind(),
              failure::availability);
    here->session.insert(desk::ticket{1, 5});
    EXPECT_EQ(number("SELECT count(*) FROM desk_ticket"), 1);
}

TEST_P(writes, shards_are_flushed_after_a_commit_of_ones_own) {
    using winnow::silo;
    std::vector<desk::project> many{{0, 5, "a", {}}, {0, 4, "b", {}}, {0, 5, "c", {}}};
    here->session.bulk_insert(many);
    EXPECT_THAT(here->flushes.seen,
                ElementsAre(winnow::touched_shard{silo::cell, 2, 4}, winnow::touched_shard{silo::cell, 2, 5}));
    here->flushes.seen.clear();
    here->session.insert(desk::project{0, 6, "d", {}}, {.flush = false});
    here->session.insert(desk::ticket{0, 5});
    {
        winnow::transaction scope(*here->database);
        here->session.update(many[0]);
        scope.commit();
    }
    EXPECT_TRUE(here->flushes.seen.empty()) << "left to the scheduler";
    const std::int64_t person = here->session.insert(desk::person{0, "Ada", {}});
    EXPECT_THAT(here->flushes.seen, ElementsAre(winnow::touched_shard{silo::control, 1, person}));
    here->flushes.fails = true;
    EXPECT_TRUE(here->session.erase(many[1])) << "the row is gone, whatever becomes of its message";
    EXPECT_EQ(number("SELECT count(*) FROM desk_project"), 3);
}

TEST_P(writes, a_shard_never_changes) {
    here->session.insert(desk::project{3, 4, "p", std::nullopt});
    const winnow::error problem = error_of([&] { here->session.update(desk::project{3, 5, "q", std::nullopt}); });
    EXPECT_EQ(problem.kind(), failure::refused);
    EXPECT_EQ(problem.model(), "desk.Project");
    EXPECT_THAT(problem.what(), HasSubstr("desk.Project 3: team is 4 and would become 5"));
    const std::array<desk::project, 2> both{{{3, 5, "q", {}}, {9, 5, "q", {}}}};
    here->session.insert(desk::project{9, 5, "p", std::nullopt});
    EXPECT_THAT(error_of([&] { here->session.bulk_update(both); }).what(), HasSubstr("team is 4 and would become 5"));
    EXPECT_EQ(number("SELECT count(*) FROM desk_project WHERE title = 'p'"), 2);
    EXPECT_EQ(number("SELECT count(*) FROM winnow_cell_outbox"), 2);
}

TEST_P(writes, what_is_not_there_cannot_be_changed) {
    EXPECT_THAT(error_of([&] { here->session.update(desk::ticket{3, 4}); }).what(),
                HasSubstr("desk.Ticket 3 does not exist"));
    here->session.insert(desk::ticket{1, 4});
    const std::array<desk::ticket, 2> both{{{1, 5}, {2, 5}}};
    const winnow::error problem = error_of([&] { here->session.bulk_update(both); });
    EXPECT_EQ(problem.kind(), failure::not_found);
    EXPECT_THAT(problem.what(), HasSubstr("desk.Ticket 2 does not exist"));
    EXPECT_EQ(number("SELECT person_id FROM desk_ticket WHERE id = 1"), 4) << "all or none";
    const std::array<desk::ticket, 2> twice{{{1, 5}, {1, 6}}};
    EXPECT_EQ(error_of([&] { here->session.bulk_update(twice); }).kind(), failure::usage);
    EXPECT_EQ(here->session.bulk_erase(twice), 1);
}

// Single writes and bulk writes of the same objects leave the same rows and messages.
TEST_P(writes, in_bulk_is_the_same_as_one_by_one) {
    desk::process& one = *here;
    const std::unique_ptr<fresh_database> other = make_database(GetParam());
    winnow::migrate(*other->open());
    other->run(desk::tables);
    desk::process bulk(*other);
    std::vector<desk::project> objects;
    for (std::int64_t i = 1; i <= 2200; ++i)
        objects.push_back({i % 3 == 0 ? 0 : i, i % 7, "t\"\\'" + std::to_string(i),
                           i % 2 == 0 ? std::nullopt : std::optional(winnow::json_text{"{\"n\": [1, \"\\u00e4\"]}"})});
    // Keys that the database makes lie above the given ones.
    const std::string_view above = GetParam() == dialect::postgres
                                       ? "ALTER TABLE desk_project ALTER COLUMN id RESTART WITH 100000"
                                       : "INSERT INTO sqlite_sequence (name, seq) VALUES ('desk_project', 99999)";
    for (const desk::process* each : {&one, &bulk}) (void)each->database->execute_once(above, {});
    std::vector<desk::project> singly = objects;
    const auto in_one_transaction = [&](auto&& work) {
        winnow::transaction scope(*one.database);
        work();
        scope.commit();
    };
    in_one_transaction([&] {
        for (const bool generated : {false, true})
            for (desk::project& each : singly)
                if ((each.id == 0) == generated) one.session.insert(each);
    });
    bulk.session.bulk_insert(objects);
    for (std::size_t i = 0; i < objects.size(); ++i) ASSERT_EQ(objects[i].id, singly[i].id) << i;
    const auto same = [&](std::string_view query) {
        const winnow::rows left = one.database->execute_once(query, {});
        const winnow::rows right = bulk.database->execute_once(query, {});
        ASSERT_EQ(left.size(), right.size());
        ASSERT_GT(left.size(), 0U);
        for (std::size_t row = 0; row < left.size(); ++row)
            ASSERT_TRUE(std::ranges::equal(left[row], right[row])) << query << ", row " << row;
    };
    const std::string_view rows = "SELECT * FROM desk_project ORDER BY id";
    const std::string_view messages =
        "SELECT shard_scope, shard_identifier, category, object_identifier, cell_name, payload, count(*) FROM "
        "winnow_cell_outbox GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 4, 6";
    same(rows);
    same(messages);
    for (desk::project& each : objects) each.title += " changed", each.settings.reset();
    in_one_transaction([&] {
        for (const desk::project& each : objects) one.session.update(each);
    });
    bulk.session.bulk_update(objects);
    same(rows);
    same(messages);
    objects.resize(1700);
    in_one_transaction([&] {
        for (const desk::project& each : objects) one.session.erase(each);
    });
    EXPECT_EQ(bulk.session.bulk_erase(objects), 1700);
    EXPECT_EQ(bulk.session.bulk_erase(objects), 0);
    same(rows);
    same(messages);
}

TEST_P(writes, nothing_in_bulk_is_nothing) {
    const std::vector<desk::ticket> none;
    here->session.bulk_insert(none);
    here->session.bulk_update(none);
    EXPECT_EQ(here->session.bulk_erase(none), 0);
}

// R21: a reference to an object that is gone in the other silo is refused, in every way of writing it.
TEST_P(writes, R21_references_to_dead_objects_are_refused) {
    here->session.insert(desk::ticket{1, 6});
    here->session.insert(desk::remark{1, 6, "was there before"});
    here->session.insert(desk::visit{1, 6, 1});
    here->bury({6, 7});
    const winnow::error problem = error_of([&] { here->session.insert(desk::ticket{2, 7}); });
    EXPECT_EQ(problem.kind(), failure::refused);
    EXPECT_EQ(problem.model(), "desk.Ticket");
    EXPECT_THAT(problem.what(),
                AllOf(HasSubstr("person_id would refer to desk.Person 7"), HasSubstr("deleted in the other silo")));
    const std::array<desk::ticket, 2> both{{{3, 5}, {4, 6}}};
    EXPECT_EQ(error_of([&] { here->session.bulk_insert(both); }).kind(), failure::refused);
    EXPECT_EQ(number("SELECT count(*) FROM desk_ticket"), 1);
    EXPECT_EQ(error_of([&] { here->session.insert(desk::remark{2, 7, "x"}); }).kind(), failure::refused);
    EXPECT_EQ(error_of([&] { here->session.update(desk::remark{1, 7, "x"}); }).kind(), failure::refused);
    here->session.update(desk::remark{1, 6, "keeps the reference that it has"});
    here->session.update(desk::remark{1, std::nullopt, "refers to nobody"});
    EXPECT_EQ(error_of([&] { here->session.update(desk::remark{1, 6, "again"}); }).kind(), failure::refused);
    here->session.insert(desk::visit{2, 7, 1});
    EXPECT_EQ(number("SELECT count(*) FROM desk_visit"), 2) << "do_nothing asks for nothing";
    // Also in bulk, one that keeps its reference and one that does not.
    here->session.insert(desk::ticket{5, 9});
    const std::array<desk::ticket, 2> changed{{{1, 6}, {5, 7}}};
    EXPECT_THAT(error_of([&] { here->session.bulk_update(changed); }).what(), HasSubstr("desk.Person 7"));
    here->session.bulk_update(std::span(changed).first(1));
    EXPECT_EQ(number("SELECT person_id FROM desk_ticket WHERE id = 5"), 9);
}

TEST_P(writes, R21_an_object_that_exists_again_may_be_referred_to) {
    here->bury({7, 8}, 50);
    const auto refused = [&](std::int64_t person) {
        try {
            here->session.insert(desk::ticket{0, person});
        } catch (const winnow::error& problem) {
            return problem.kind() == failure::refused;
        }
        return false;
    };
    EXPECT_TRUE(refused(7));
    // Its copy is there, and the tombstone has been worked off.
    here->session.insert(desk::person_copy{7, "Ada again"});
    EXPECT_TRUE(refused(7)) << "rows of the dead one may be left";
    (void)here->database->execute_once("UPDATE winnow_cell_tombstone SET passed_at = arrived_at", {});
    EXPECT_FALSE(refused(7));
    EXPECT_TRUE(refused(8));
    // A later message has said so; an earlier one does not count.
    const auto say = [&](std::int64_t message) {
        winnow::key_set alive(2);
        const winnow::value pair[] = {std::int64_t{8}, message};
        alive.push_back(pair);
        winnow::note_recreated(*here->database, winnow::silo::cell, "desk.Person", "far/control/us", alive);
    };
    say(50);
    EXPECT_TRUE(refused(8));
    say(51);
    EXPECT_FALSE(refused(8));
    // It dies once more.
    here->bury({8}, 52);
    EXPECT_TRUE(refused(8));
}

// Rule 12: an id whose erased owner the other silo does not know of is not given out again.
TEST_P(writes, an_erased_id_waits_for_its_messages) {
    const desk::person ada{7, "Ada", std::nullopt};
    here->session.insert(ada);
    here->session.erase(ada);
    const winnow::error problem = error_of([&] { here->session.insert(desk::person{7, "Bob", std::nullopt}); });
    EXPECT_EQ(problem.kind(), failure::refused);
    EXPECT_THAT(problem.what(), AllOf(HasSubstr("desk.Person 7 was erased"), HasSubstr("4 of its messages")));
    const std::array<desk::person, 2> both{{{6, "Eve", {}}, {7, "Bob", {}}}};
    EXPECT_EQ(error_of([&] { here->session.bulk_insert(both); }).kind(), failure::refused);
    EXPECT_EQ(number("SELECT count(*) FROM desk_person"), 0);
    (void)here->database->execute_once("DELETE FROM winnow_control_outbox", {});
    here->session.bulk_insert(both);
    EXPECT_EQ(number("SELECT count(*) FROM desk_person"), 2);
    // Nothing refers to a project from another silo: its id is free at once.
    here->session.insert(desk::project{3, 1, "p", {}});
    here->session.erase(desk::project{3, 1, "p", {}});
    here->session.insert(desk::project{3, 2, "q", {}});
    EXPECT_EQ(number("SELECT team FROM desk_project"), 2);
}

TEST(writes_sqlite, a_number_that_is_given_out_again_is_noticed) {
    const std::unique_ptr<fresh_database> where = make_database(dialect::sqlite);
    winnow::migrate(*where->open());
    std::string script(desk::tables.sqlite);
    script.replace(script.find(" AUTOINCREMENT"), 14, "");  // of desk_person, the first table
    where->run(script);
    const desk::process here(*where);
    desk::person ada{0, "Ada", std::nullopt};
    here.session.insert(ada);
    here.session.erase(ada);
    desk::person bob{0, "Bob", std::nullopt};
    EXPECT_EQ(error_of([&] { here.session.insert(bob); }).kind(), failure::refused);
    EXPECT_EQ(bob.id, 0);
    EXPECT_EQ(here.number("SELECT count(*) FROM desk_person"), 0);
}

}  // namespace
