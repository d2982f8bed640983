// SPDX-License-Identifier: Apache-2.0
// R6 (b) and R20: where no enforced key keeps late children out, a deletion is done only when every transaction
// that could not see the removal has ended, and what it left has been swept.

#include <gmock/gmock.h>

#include "integration/deletion/worker.hpp"
#include "winnow/deletion/measure.hpp"

namespace {

using namespace winnow_test;
using testing::HasSubstr;
using winnow::deletion_outcome;

class horizon : public postgres_deletion_test {
protected:
    void SetUp() override {
        postgres_deletion_test::SetUp();
        make_field_tables(database(), {.keys = false, .indexes = true});
        fill_field(database());
    }
    /// Goes on with a deletion that waits.
    static winnow::deletion_report run_to_end(worker& some) {
        some.end_waits();
        return some.run_to_end();
    }
};

TEST_F(horizon, a_late_child_of_an_open_transaction_is_swept) {
    const winnow::connection_ptr writer = database().open();
    writer->begin(winnow::transaction_kind::write, {});
    (void)writer->execute("INSERT INTO event VALUES (1000, 1)");
    (void)writer->execute("INSERT INTO issue VALUES (1000, 1)");
    (void)writer->execute("INSERT INTO event VALUES (1001, 1000)");

    worker some(database(), field_models());
    some.schedule("field.Org", one);
    const winnow::deletion_report waits = some.run();
    EXPECT_EQ(waits.outcome, deletion_outcome::waiting);
    EXPECT_THAT(waits.detail, HasSubstr("waiting for transactions that were open"));
    EXPECT_THAT(waits.detail, HasSubstr("process "));
    EXPECT_EQ(left_of_org(database(), {}, 1), 0) << "what could be seen is gone";
    EXPECT_GT(count("winnow_grave"), 0);

    writer->commit();
    EXPECT_EQ(count("event") - 24, 2) << "the late rows are there";
    const winnow::deletion_report report = run_to_end(some);
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(field_orphans(database()), 0);
    EXPECT_EQ(left_of_org(database(), {}, 2), field_rows{}.of_one_org());
    EXPECT_EQ(report.rows, field_rows{}.of_one_org() + 3) << "what is swept is counted";
    EXPECT_EQ(count("winnow_grave"), 0);
    EXPECT_EQ(some.audit("field.Org", "1"), "scheduled started completed");
}

TEST_F(horizon, a_transaction_that_writes_later_counts_as_well) {
    // It has no transaction id yet when the rows go, and has not seen that they do.
    const winnow::connection_ptr writer = database().open();
    writer->execute_script("BEGIN ISOLATION LEVEL REPEATABLE READ");
    EXPECT_EQ(writer->execute_once("SELECT count(*) FROM issue WHERE id = 1", {}).integer(0, 0), 1);
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    EXPECT_EQ(some.run().outcome, deletion_outcome::waiting);
    writer->execute_script("INSERT INTO event VALUES (1000, 1); COMMIT");
    const winnow::deletion_report report = run_to_end(some);
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(field_orphans(database()), 0);
}

TEST_F(horizon, a_prepared_transaction_is_waited_for) {
    {
        const winnow::connection_ptr writer = database().open();
        writer->execute_script("BEGIN; INSERT INTO event VALUES (1000, 1); PREPARE TRANSACTION '" + database().name() +
                               "'");
    }
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    const winnow::deletion_report waits = some.run();
    EXPECT_EQ(waits.outcome, deletion_outcome::waiting);
    EXPECT_THAT(waits.detail, HasSubstr("prepared"));
    database().run("COMMIT PREPARED '" + database().name() + "'");
    const winnow::deletion_report report = run_to_end(some);
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(field_orphans(database()), 0);
}

TEST_F(horizon, transactions_that_begin_later_are_not_waited_for) {
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    const winnow::connection_ptr first = database().open();
    first->begin(winnow::transaction_kind::write, {});
    (void)first->execute("INSERT INTO event VALUES (1000, 1)");
    EXPECT_EQ(some.run().outcome, deletion_outcome::waiting);
    const winnow::connection_ptr later = database().open();
    later->begin(winnow::transaction_kind::read, {});
    (void)later->execute("SELECT count(*) FROM issue");
    first->rollback();
    const winnow::deletion_report report = run_to_end(some);
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    later->rollback();
}

TEST_F(horizon, enforced_keys_leave_no_graves) {
    make(database(), "ALTER TABLE proj ADD FOREIGN KEY (org_id) REFERENCES org (id);"
                     "ALTER TABLE issue ADD FOREIGN KEY (proj_id) REFERENCES proj (id);"
                     "ALTER TABLE event ADD FOREIGN KEY (issue_id) REFERENCES issue (id);");
    const winnow::connection_ptr reader = database().open();
    reader->begin(winnow::transaction_kind::read, {});
    (void)reader->execute("SELECT count(*) FROM issue");
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed) << "nobody has to be waited for";
    reader->rollback();
}

TEST_F(horizon, an_object_that_is_gone_cannot_be_cancelled) {
    const winnow::connection_ptr writer = database().open();
    writer->begin(winnow::transaction_kind::write, {});
    (void)writer->execute("INSERT INTO event VALUES (1000, 1)");
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    EXPECT_EQ(some.run().outcome, deletion_outcome::waiting);
    EXPECT_EQ(some.cancel("field.Org", one).answer, winnow::cancel_answer::already_done);
    writer->commit();
    EXPECT_EQ(run_to_end(some).outcome, deletion_outcome::completed) << "what is left to sweep is swept";
    EXPECT_EQ(field_orphans(database()), 0);
}

TEST_F(horizon, cancelling_forgets_the_graves) {
    worker some(database(), field_models());
    some.set("deletion.pass_rows", "20");
    some.schedule("field.Org", one);
    EXPECT_EQ(some.run().outcome, deletion_outcome::yielded) << "leaves only: nothing to bury yet";
    EXPECT_EQ(count("winnow_grave"), 0);
    some.set("deletion.pass_rows", "10");
    EXPECT_EQ(some.run().outcome, deletion_outcome::yielded);
    EXPECT_GT(count("winnow_grave"), 0);
    EXPECT_EQ(some.cancel("field.Org", one).answer, winnow::cancel_answer::stopped);
    EXPECT_EQ(count("winnow_grave"), 0);
}

}  // namespace
