// SPDX-License-Identifier: Apache-2.0
// R19: rows that will not die, or come back, are noticed, named and not looped on.

#include <gmock/gmock.h>

#include "integration/deletion/worker.hpp"

namespace {

using namespace winnow_test;
using testing::AllOf;
using testing::HasSubstr;
using winnow::deletion_outcome;

class no_progress : public deletion_test {
protected:
    void SetUp() override {
        deletion_test::SetUp();
        make_field_tables(database());
        fill_field(database());
    }
    /// A trigger on DELETE that does `body` in the words of each database.
    void trigger(std::string_view table, std::string_view timing, std::string_view postgres,
                 std::string_view sqlite) const {
        const std::string on(table);
        if (GetParam() == dialect::postgres)
            database().run("CREATE FUNCTION k() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + std::string(postgres) +
                           " END $$; CREATE TRIGGER k " + std::string(timing) + " DELETE ON " + on +
                           " FOR EACH ROW EXECUTE FUNCTION k();");
        else
            database().run("CREATE TRIGGER k " + std::string(timing) + " DELETE ON " + on + " BEGIN " +
                           std::string(sqlite) + " END;");
    }
    void drop_trigger(std::string_view table) const {
        database().run(GetParam() == dialect::postgres ? "DROP TRIGGER k ON " + std::string(table) : "DROP TRIGGER k");
    }
    /// Runs the deletion of organization 1 and expects it to stop for a person.
    winnow::deletion_request blocked() {
        worker some(database(), field_models());
        some.schedule("field.Org", one);
        EXPECT_EQ(some.run().outcome, deletion_outcome::blocked);
        EXPECT_FALSE(some.run_next()) << "no loop";
        const winnow::deletion_request row = some.request();
        EXPECT_EQ(row.state, "blocked");
        EXPECT_EQ(row.state_detail, row.last_error);
        EXPECT_EQ(left_of_org(database(), {}, 2), field_rows{}.of_one_org());
        EXPECT_EQ(field_orphans(database()), 0);
        return row;
    }
    void goes_on_without_the_trigger(std::string_view table) {
        drop_trigger(table);
        worker some(database(), field_models());
        EXPECT_TRUE(some.retry("field.Org", one));
        const winnow::deletion_report report = some.run();
        EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
        EXPECT_EQ(left_of_org(database(), {}, 1), 0);
    }
};
INSTANTIATE_TEST_SUITE_P(databases, no_progress, all_databases(), name_of_database);

TEST_P(no_progress, a_trigger_keeps_all_leaves) {
    trigger("event", "BEFORE", "RETURN NULL;", "SELECT RAISE(IGNORE);");
    EXPECT_THAT(blocked().state_detail,
                AllOf(HasSubstr("field.Event: 24 rows were asked to go and stayed, first id 1."),
                      HasSubstr("rigger \"k\""), HasSubstr("Change the trigger")));
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org());
    goes_on_without_the_trigger("event");
}

TEST_P(no_progress, a_trigger_keeps_rows_in_the_middle) {
    trigger("issue", "BEFORE", "RETURN NULL;", "SELECT RAISE(IGNORE);");
    EXPECT_THAT(blocked().state_detail, AllOf(HasSubstr("field.Issue: 6 rows were asked to go and stayed, first id 1."),
                                              HasSubstr("rigger \"k\"")));
    goes_on_without_the_trigger("issue");
}

TEST_P(no_progress, a_trigger_keeps_the_root) {
    trigger("org", "BEFORE", "RETURN NULL;", "SELECT RAISE(IGNORE);");
    EXPECT_THAT(blocked().state_detail, AllOf(HasSubstr("field.Org: 1 row was asked to go and stayed, first id 1."),
                                              HasSubstr("rigger \"k\"")));
    EXPECT_EQ(left_of_org(database(), {}, 1), 1) << "everything below it is gone";
    goes_on_without_the_trigger("org");
}

TEST_P(no_progress, a_trigger_that_marks_instead_of_deleting) {
    make(database(), "ALTER TABLE event ADD COLUMN gone integer NOT NULL DEFAULT 0;");
    trigger("event", "BEFORE", "UPDATE event SET gone = 1 WHERE id = OLD.id; RETURN NULL;",
            "UPDATE event SET gone = 1 WHERE id = OLD.id; SELECT RAISE(IGNORE);");
    EXPECT_THAT(blocked().state_detail, HasSubstr("rows were asked to go and stayed"));
    goes_on_without_the_trigger("event");
}

TEST_P(no_progress, a_trigger_that_keeps_one_row_of_many) {
    trigger("event", "BEFORE", "IF OLD.id = 7 THEN RETURN NULL; END IF; RETURN OLD;",
            "SELECT RAISE(IGNORE) WHERE OLD.id = 7;");
    EXPECT_THAT(blocked().state_detail, HasSubstr("field.Event: 1 row was asked to go and stayed, first id 7."));
    EXPECT_EQ(database().number("SELECT count(*) FROM event WHERE issue_id IN (1, 2, 3)"), 1) << "the others are gone";
    goes_on_without_the_trigger("event");
}

TEST_P(no_progress, leaves_that_come_back) {
    trigger("event", "AFTER", "INSERT INTO event VALUES (OLD.id + 1000, OLD.issue_id); RETURN NULL;",
            "INSERT INTO event VALUES (OLD.id + 1000, OLD.issue_id);");
    EXPECT_THAT(blocked().state_detail,
                AllOf(HasSubstr("field.Event: rows are deleted and come back; 10 chunks, no fewer rows."),
                      HasSubstr("rigger \"k\""), HasSubstr("live writer")));
    goes_on_without_the_trigger("event");
}

TEST_P(no_progress, more_leaves_than_a_chunk_that_come_back) {
    make(database(), "CREATE TABLE limited_parent (id {id});"
                     "CREATE TABLE limited_bulk (id {id}, parent_id bigint NOT NULL REFERENCES limited_parent (id));"
                     "CREATE TABLE limited_single (id {id}, parent_id bigint NOT NULL REFERENCES limited_parent (id));"
                     "CREATE INDEX bulk_parent ON limited_bulk (parent_id); INSERT INTO limited_parent VALUES (1);");
    {
        const winnow::connection_ptr to = database().open();
        fill(*to, "limited_bulk", 35, [](std::int64_t i) { return list(i, 1); });
    }
    trigger("limited_bulk", "AFTER", "INSERT INTO limited_bulk VALUES (OLD.id + 1000, OLD.parent_id); RETURN NULL;",
            "INSERT INTO limited_bulk VALUES (OLD.id + 1000, OLD.parent_id);");
    worker some(database(), limited_models());
    some.schedule("limited.Parent", one);
    std::int64_t chunks = 0;
    some.watch.on_progress = [&](const winnow::deletion_progress&) {
        // A loop would never end; so the test ends it.
        if (++chunks == 1000) winnow::pause(some.with(), winnow::pause_scope::all);
    };
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::blocked);
    EXPECT_THAT(report.detail, HasSubstr("limited.Bulk: rows are deleted and come back; 10 chunks, no fewer rows."));
    EXPECT_LT(chunks, 60);
}

TEST_P(no_progress, rows_in_the_middle_that_come_back) {
    trigger("issue", "AFTER", "INSERT INTO issue VALUES (OLD.id, OLD.proj_id); RETURN NULL;",
            "INSERT INTO issue VALUES (OLD.id, OLD.proj_id);");
    EXPECT_THAT(blocked().state_detail,
                AllOf(HasSubstr("field.Issue: rows are deleted and come back"), HasSubstr("rigger \"k\"")));
    goes_on_without_the_trigger("issue");
}

TEST_P(no_progress, rows_in_the_middle_that_come_back_as_others) {
    trigger("issue", "AFTER", "INSERT INTO issue VALUES (OLD.id + 1000, OLD.proj_id); RETURN NULL;",
            "INSERT INTO issue VALUES (OLD.id + 1000, OLD.proj_id);");
    EXPECT_THAT(blocked().state_detail, AllOf(HasSubstr("field."), HasSubstr("rigger \"k\"")));
    goes_on_without_the_trigger("issue");
}

/// What a row of `field` tables says when it refuses to go.
constexpr std::string_view hold_7[] = {"IF OLD.id = 7 THEN RAISE 'row 7 is under legal hold'; END IF; RETURN OLD;",
                                       "SELECT RAISE(ABORT, 'row 7 is under legal hold') WHERE OLD.id = 7;"};

TEST_P(no_progress, a_leaf_that_refuses_is_found_and_named) {
    trigger("event", "BEFORE", hold_7[0], hold_7[1]);
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::failed);
    const winnow::deletion_request row = some.request();
    EXPECT_EQ(row.state, "failed");
    // Row 7 is one of the twelve events of the first project.
    EXPECT_THAT(row.last_error, testing::StartsWith("field.Event: row 7 refused by trigger \"k\": \"row 7 is under "
                                                    "legal hold\". 1 row kept, "));
    EXPECT_EQ(row.state_detail, row.last_error);
    EXPECT_EQ(database().number("SELECT count(*) FROM event WHERE issue_id IN (1, 2, 3)"), 1)
        << "the rest of its chunk is gone";
    EXPECT_EQ(database().number("SELECT count(*) FROM event WHERE id = 7"), 1);
    EXPECT_EQ(count("issue"), 12) << "its parents stay";
    EXPECT_EQ(report.rows, row.rows_done);
    EXPECT_FALSE(some.run_next()) << "it is not tried again by itself";
    EXPECT_EQ(field_orphans(database()), 0);
    goes_on_without_the_trigger("event");
}

TEST_P(no_progress, one_of_three_as_the_rules_word_it) {
    make(database(), "DELETE FROM event WHERE id > 3;");
    trigger("event", "BEFORE", "IF OLD.id = 2 THEN RAISE 'row 2 is under legal hold'; END IF; RETURN OLD;",
            "SELECT RAISE(ABORT, 'row 2 is under legal hold') WHERE OLD.id = 2;");
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    EXPECT_EQ(some.run().detail,
              "field.Event: row 2 refused by trigger \"k\": \"row 2 is under legal hold\". 1 row kept, 2 gone.");
    goes_on_without_the_trigger("event");
}

TEST_P(no_progress, a_row_in_the_middle_that_refuses) {
    make(database(), "DELETE FROM event WHERE issue_id IN (SELECT id FROM issue WHERE proj_id = 1);"
                     "UPDATE issue SET proj_id = 1 WHERE proj_id = 2;");
    trigger("issue", "BEFORE", "IF OLD.id = 4 THEN RAISE 'issue 4 is wanted'; END IF; RETURN OLD;",
            "SELECT RAISE(ABORT, 'issue 4 is wanted') WHERE OLD.id = 4;");
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    EXPECT_EQ(some.run().detail,
              "field.Issue: row 4 refused by trigger \"k\": \"issue 4 is wanted\". 1 row kept, 5 gone.");
    EXPECT_EQ(database().number("SELECT count(*) FROM issue WHERE proj_id = 1"), 1);
    goes_on_without_the_trigger("issue");
}

TEST_P(no_progress, the_root_refuses) {
    trigger("org", "BEFORE", "RAISE 'stays'; RETURN OLD;", "SELECT RAISE(ABORT, 'stays');");
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    EXPECT_EQ(some.run().detail, "field.Org: row 1 refused by trigger \"k\": \"stays\". 1 row kept, 0 gone.");
    EXPECT_EQ(left_of_org(database(), {}, 1), 1) << "everything below it is gone";
    goes_on_without_the_trigger("org");
}

TEST_P(no_progress, several_rows_refuse) {
    trigger("event", "BEFORE", "IF OLD.id % 5 = 0 THEN RAISE 'no % today', OLD.id; END IF; RETURN OLD;",
            "SELECT RAISE(ROLLBACK, 'no fives today') WHERE OLD.id % 5 = 0;");
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::failed);
    EXPECT_THAT(report.detail, testing::MatchesRegex("field.Event: rows 5, 10.* refused by trigger .k.: .no .* today.. "
                                                     "[24] rows kept, .* gone."));
    goes_on_without_the_trigger("event");
}

/// Pauses everything after the first chunk that deleted something.
class pausing_observer final : public winnow::observer {
public:
    explicit pausing_observer(const winnow::context& with) : with_(with) {}
    void count(std::string_view, std::int64_t, std::initializer_list<winnow::label>) override {
        if (!std::exchange(done_, true)) winnow::pause(with_, winnow::pause_scope::all);
    }

private:
    const winnow::context& with_;
    bool done_ = false;
};

TEST_P(no_progress, a_pause_holds_while_the_row_is_looked_for) {
    trigger("event", "BEFORE", hold_7[0], hold_7[1]);
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    worker other(database(), field_models());
    pausing_observer watch(other.with());
    const winnow::context with{field_models(), *some.database, some.time, watch, winnow::silo_mode::monolith, "tester"};
    const std::optional<winnow::deletion_report> report = winnow::run_next(with);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->outcome, deletion_outcome::paused);
    EXPECT_LT(report->rows, 11) << "not all of the chunk";
    EXPECT_EQ(some.audit("field.Org", "1").find("failed"), std::string::npos);
    EXPECT_TRUE(winnow::resume(some.with(), winnow::pause_scope::all));
    EXPECT_EQ(some.run().outcome, deletion_outcome::failed);
    EXPECT_THAT(some.request().last_error, HasSubstr("row 7 refused by trigger"));
}

TEST_P(no_progress, a_table_whose_rows_all_refuse_is_not_asked_about_each) {
    make(database(), "DELETE FROM event WHERE id > 0; INSERT INTO issue VALUES (1000, 1);");
    fill(*database().open(), "event", 500, [](std::int64_t i) { return list(i, 1000); });
    trigger("event", "BEFORE", "RAISE 'never'; RETURN OLD;", "SELECT RAISE(ABORT, 'never');");
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    EXPECT_EQ(some.run().detail, "field.Event: rows 1, 2, 3, 4, 5, … refused by trigger \"k\": \"never\". At least 20 "
                                 "rows kept, 0 gone.");
    EXPECT_EQ(count("event"), 500);
}

TEST_P(no_progress, a_row_of_a_tree_that_refuses_is_named_and_its_tree_stays_whole) {
    make(database(), "CREATE TABLE node (id {id}, parent_id bigint REFERENCES node (id));"
                     "CREATE INDEX node_parent ON node (parent_id);"
                     "INSERT INTO node VALUES (1, NULL), (2, 1), (3, 2), (4, 2), (5, 1);");
    trigger("node", "BEFORE", "IF OLD.id = 4 THEN RAISE 'four stays'; END IF; RETURN OLD;",
            "SELECT RAISE(ABORT, 'four stays') WHERE OLD.id = 4;");
    worker some(database(), tree_models());
    some.schedule("tree.Node", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::failed);
    EXPECT_EQ(report.detail, "tree.Node: row 4 refused by trigger \"k\": \"four stays\". 5 rows kept, 0 gone.");
    EXPECT_EQ(count("node"), 5);
    drop_trigger("node");
    EXPECT_TRUE(some.retry("tree.Node", one));
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
}

/// Somebody who adds rows below parent 1 after each chunk, as many as go in one.
class live_writer : public no_progress {
protected:
    void SetUp() override {
        no_progress::SetUp();
        make(database(),
             "CREATE TABLE limited_parent (id {id});"
             "CREATE TABLE limited_bulk (id {id}, parent_id bigint NOT NULL REFERENCES limited_parent (id));"
             "CREATE TABLE limited_single (id {id}, parent_id bigint NOT NULL REFERENCES limited_parent (id));"
             "CREATE INDEX bulk_parent ON limited_bulk (parent_id); CREATE INDEX single_parent ON limited_single "
             "(parent_id); INSERT INTO limited_parent VALUES (1);");
    }
    /// @param each rows that are added after each chunk
    winnow::deletion_report run_against(std::string_view table, std::int64_t rows, std::int64_t each) {
        fill(*database().open(), table, rows, [](std::int64_t i) { return list(i, 1); });
        worker_ = std::make_unique<worker>(database(), limited_models());
        worker& some = *worker_;
        some.set("deletion.target_milliseconds", "0");
        some.schedule("limited.Parent", one);
        some.watch.on_progress = [this, table, each,
                                  next = std::int64_t{10'000}](const winnow::deletion_progress&) mutable {
            // A loop would never end; so the test ends it.
            if (++chunks_ == 1'000) winnow::pause(worker_->with(), winnow::pause_scope::all);
            std::string script;
            for (std::int64_t row = 0; row < each; ++row)
                script += "INSERT INTO " + std::string(table) + " SELECT " + list(next++, 1) +
                          " WHERE EXISTS (SELECT 1 FROM limited_parent WHERE id = 1);";
            if (chunks_ < 900 && writing_) database().run(script);
        };
        return some.run();
    }
    /// The writer stops, and the deletion's wait is over.
    winnow::deletion_report run_alone() {
        writing_ = false;
        database().run("UPDATE winnow_cell_scheduled_deletion SET wait_until = NULL");
        return worker_->run();
    }
    std::unique_ptr<worker> worker_;
    bool writing_ = true;
    std::int64_t chunks_ = 0;
};
INSTANTIATE_TEST_SUITE_P(databases, live_writer, all_databases(), name_of_database);

TEST_P(live_writer, leaves_that_arrive_as_fast_as_they_go) {
    const winnow::deletion_report report = run_against("limited_bulk", 200, 10);
    EXPECT_EQ(report.outcome, deletion_outcome::waiting) << "a live writer is no reason to call for a person";
    EXPECT_THAT(report.detail, AllOf(HasSubstr("limited.Bulk: rows arrive as fast as they are deleted;"),
                                     HasSubstr("chunks, no fewer rows. Stop what writes them")));
    EXPECT_LT(chunks_, 60);
    EXPECT_EQ(run_alone().outcome, deletion_outcome::completed);
}

TEST_P(live_writer, rows_in_the_middle_that_arrive_as_fast_as_they_go) {
    const winnow::deletion_report report = run_against("limited_single", 200, 10);
    EXPECT_EQ(report.outcome, deletion_outcome::waiting);
    EXPECT_THAT(report.detail, HasSubstr("limited.Single: rows arrive as fast as they are deleted;"));
    EXPECT_LT(chunks_, 60);
    EXPECT_EQ(run_alone().outcome, deletion_outcome::completed);
}

TEST_P(live_writer, one_that_is_slower_does_not_stop_it) {
    EXPECT_EQ(run_against("limited_bulk", 200, 5).outcome, deletion_outcome::completed);
    EXPECT_EQ(count("limited_bulk"), 0);
}

TEST_P(no_progress, a_harmless_trigger_is_no_reason_to_stop) {
    make(database(), "CREATE TABLE seen (id bigint NOT NULL);");
    trigger("event", "AFTER", "INSERT INTO seen VALUES (OLD.id); RETURN NULL;", "INSERT INTO seen VALUES (OLD.id);");
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
    EXPECT_EQ(count("seen"), 24);
}

}  // namespace
