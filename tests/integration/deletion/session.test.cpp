// SPDX-License-Identifier: Apache-2.0
// The typed calls of an application, and why a deletion has not ended.

#include <gmock/gmock.h>

#include <array>

#include "integration/deletion/traits.hpp"
#include "integration/deletion/worker.hpp"
#include "winnow/deletion/why.hpp"
#include "winnow/session.hpp"

namespace {

using namespace winnow_test;
using testing::AllOf;
using testing::HasSubstr;
using winnow::cancel_answer;
using winnow::deletion_outcome;

class sessions : public deletion_test {
protected:
    void SetUp() override {
        deletion_test::SetUp();
        make_field_tables(database());
        fill_field(database());
        some.emplace(database(), field_models());
    }
    void TearDown() override {
        some.reset();
        deletion_test::TearDown();
    }
    [[nodiscard]] std::string why(std::string_view key, std::int64_t id) {
        const winnow::value value = id;
        return winnow::why_not_gone(some->with(), some->model(key), {&value, 1});
    }
    std::optional<worker> some;
};
INSTANTIATE_TEST_SUITE_P(databases, sessions, all_databases(), name_of_database);

TEST_P(sessions, objects_are_scheduled_and_cancelled_by_type) {
    const winnow::session<domain::field> typed(some->with());
    const domain::org first{1, winnow::object_status::active};
    const domain::proj project{3, 2};
    typed.schedule(first, {.days = 1});
    typed.schedule(project);
    EXPECT_EQ(some->requests({.model = "field.Org", .object_id = "1"}).size(), 1U);
    EXPECT_EQ(some->requests({.model = "field.Proj", .object_id = "3"}).size(), 1U);
    EXPECT_EQ(typed.cancel(first).answer, cancel_answer::before_start);
    EXPECT_EQ(typed.cancel(first).answer, cancel_answer::not_scheduled);
    EXPECT_EQ(typed.plan(project).total, 16);
    EXPECT_EQ(typed.exec_sync(project).outcome, deletion_outcome::completed);
    EXPECT_EQ(typed.cancel(project).answer, cancel_answer::already_done);
    EXPECT_EQ(count("proj"), 3);
}

TEST_P(sessions, several_objects_at_once) {
    const winnow::session<domain::field> typed(some->with());
    const std::array<domain::proj, 2> both{{{1, 1}, {2, 1}}};
    const std::string batch = typed.schedule_many(std::span<const domain::proj>(both), {.days = 3});
    EXPECT_EQ(winnow::cancel_batch(some->with(), batch).size(), 2U);
    EXPECT_EQ(typed.exec_sync_many(std::span<const domain::proj>(both)).size(), 2U);
    EXPECT_EQ(count("proj"), 2);
}

TEST_P(sessions, one_sentence_says_why_it_is_not_gone) {
    EXPECT_EQ(why("field.Org", 1), "field.Org 1 is not scheduled for deletion.");
    some->schedule("field.Org", std::int64_t{1}, {});
    EXPECT_THAT(why("field.Org", 1), HasSubstr("is not due before"));
    some->pause("field.Org", std::int64_t{1});
    EXPECT_THAT(why("field.Org", 1), HasSubstr("paused by tester"));
    some->resume("field.Org", std::int64_t{1});
    winnow::pause(some->with(), winnow::pause_scope::model, "field.Org");
    EXPECT_THAT(why("field.Org", 1), HasSubstr("deletions of field.Org are paused by tester since"));
    (void)winnow::resume(some->with(), winnow::pause_scope::model, "field.Org");
    some->schedule("field.Org", std::int64_t{1});
    EXPECT_THAT(why("field.Org", 1), HasSubstr("is due and waits for a worker"));

    some->set("deletion.max_rows", "3");
    EXPECT_EQ(some->run().outcome, deletion_outcome::unconfirmed);
    EXPECT_THAT(why("field.Org", 1), HasSubstr("waits for a confirmation"));
    some->confirm("field.Org", std::int64_t{1});
    some->set("deletion.health_query", "SELECT 0");
    EXPECT_EQ(some->run().outcome, deletion_outcome::waiting);
    EXPECT_THAT(why("field.Org", 1), AllOf(HasSubstr("waits for another"), HasSubstr("health query says no")));
    some->set("deletion.health_query", "");
    some->end_waits();

    const auto claimed = some->claim();
    ASSERT_TRUE(claimed);
    EXPECT_THAT(why("field.Org", 1), HasSubstr("is being deleted by " + claimed->lease_owner));
    some->let_leases_run_out();
    EXPECT_THAT(why("field.Org", 1), HasSubstr("which has been silent"));
    EXPECT_EQ(some->run().outcome, deletion_outcome::completed);
    EXPECT_THAT(why("field.Org", 1), HasSubstr("its last deletion was completed at"));

    make(database(), "CREATE TABLE note (id {id}, org_id bigint NOT NULL REFERENCES org (id));");
    some->schedule("field.Org", std::int64_t{2});
    EXPECT_EQ(some->run().outcome, deletion_outcome::blocked);
    EXPECT_THAT(why("field.Org", 2), AllOf(HasSubstr("is blocked"), HasSubstr("note.org_id refers to org")));
}

}  // namespace
