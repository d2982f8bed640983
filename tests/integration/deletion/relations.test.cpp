// SPDX-License-Identifier: Apache-2.0
// Every kind of relation: set_null, restrict, do_nothing, filters, conditions, external tasks, skips.

#include <gmock/gmock.h>

#include <stdexcept>

#include "integration/deletion/watched_connection.hpp"
#include "integration/deletion/worker.hpp"

namespace {

using namespace winnow_test;
using testing::HasSubstr;
using winnow::deletion_outcome;

class relations : public deletion_test {
protected:
    void SetUp() override {
        deletion_test::SetUp();
        make(database(),
             "CREATE TABLE owner (id {id}, level bigint NOT NULL);"
             "CREATE TABLE memo (id {id}, owner_id bigint REFERENCES owner (id));"
             "CREATE TABLE invoice (id {id}, owner_id bigint NOT NULL REFERENCES owner (id));"
             "CREATE TABLE trace (id {id}, owner_id bigint NOT NULL);"
             "CREATE TABLE attachment (id {id}, object_kind integer NOT NULL, object_id bigint NOT NULL);"
             "CREATE TABLE perk (id {id}, owner_id bigint NOT NULL);"
             "CREATE TABLE doc (id {id}, owner_id bigint NOT NULL REFERENCES owner (id));"
             "CREATE INDEX memo_owner ON memo (owner_id); CREATE INDEX invoice_owner ON invoice (owner_id);"
             "CREATE INDEX attachment_object ON attachment (object_id); CREATE INDEX perk_owner ON perk (owner_id);"
             "CREATE INDEX doc_owner ON doc (owner_id);"
             "INSERT INTO owner VALUES (1, 10), (2, 20);");
    }
    void insert(std::string_view rows) const { make(database(), rows); }
};
INSTANTIATE_TEST_SUITE_P(databases, relations, all_databases(), name_of_database);

TEST_P(relations, set_null_keeps_the_rows) {
    insert("INSERT INTO memo VALUES (1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (7, 1), (8, 2), (9, NULL);");
    worker some(database(), kinds_models());
    some.schedule("kinds.Owner", one);
    const winnow::deletion_report report = some.run_to_end();  // in chunks of three
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(count("memo"), 9);
    EXPECT_EQ(database().number("SELECT count(*) FROM memo WHERE owner_id IS NULL"), 8);
    EXPECT_EQ(database().number("SELECT owner_id FROM memo WHERE id = 8"), 2);
    EXPECT_EQ(report.rows, 1) << "rows that stay are not counted as gone";
}

TEST_P(relations, restrict_refuses_before_the_first_row_goes) {
    insert("INSERT INTO doc VALUES (1, 1), (2, 1); INSERT INTO invoice VALUES (1, 1), (2, 1), (3, 1), (4, 2);");
    bool called = false;
    spy().external = [&](const std::string&, const std::vector<std::int64_t>&, const winnow::hook_context&) {
        return !(called = true);
    };
    worker some(database(), kinds_models());
    some.schedule("kinds.Owner", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::blocked);
    EXPECT_THAT(report.detail, HasSubstr("kinds.Owner cannot be deleted: 3 rows of kinds.Invoice (table invoice)"));
    EXPECT_EQ(count("doc"), 2) << "nothing is gone";
    EXPECT_FALSE(called);
    EXPECT_EQ(some.request().state, "blocked");
    EXPECT_FALSE(some.run_next());
    insert("DELETE FROM invoice WHERE owner_id = 1;");
    EXPECT_TRUE(some.retry("kinds.Owner", one));
    EXPECT_EQ(some.run_to_end().outcome, deletion_outcome::completed);
    EXPECT_EQ(count("invoice"), 1);
}

TEST_P(relations, restrict_is_looked_at_again_under_the_last_lock) {
    insert("INSERT INTO doc VALUES (1, 1), (2, 1), (3, 1);");
    worker some(database(), kinds_models());
    some.schedule("kinds.Owner", one);
    some.watch.on_progress = [&](const winnow::deletion_progress& now) {
        if (now.rows_done == 2) insert("INSERT INTO invoice VALUES (1, 1);");
    };
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::blocked);
    EXPECT_THAT(report.detail, HasSubstr("1 row of kinds.Invoice"));
    EXPECT_EQ(count("owner"), 2);
    EXPECT_EQ(count("invoice"), 1);
}

TEST_P(relations, do_nothing_is_never_looked_at) {
    insert("INSERT INTO trace VALUES (1, 1), (2, 1);");
    worker some(database(), kinds_models());
    some.schedule("kinds.Owner", one);
    EXPECT_EQ(some.run_to_end().outcome, deletion_outcome::completed);
    EXPECT_EQ(count("trace"), 2);
}

TEST_P(relations, do_nothing_with_an_enforced_key_is_refused_at_the_start) {
    make(database(), "DROP TABLE trace; CREATE TABLE trace (id {id}, owner_id bigint NOT NULL REFERENCES owner (id));"
                     "INSERT INTO doc VALUES (1, 1);");
    worker some(database(), kinds_models());
    some.schedule("kinds.Owner", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::blocked);
    EXPECT_THAT(report.detail, HasSubstr("trace.owner_id is declared do_nothing"));
    EXPECT_EQ(count("doc"), 1);
}

TEST_P(relations, a_filter_takes_only_its_kind) {
    insert("INSERT INTO attachment VALUES (1, 3, 1), (2, 4, 1), (3, 3, 2), (4, 3, 1);");
    worker some(database(), kinds_models());
    some.schedule("kinds.Owner", one);
    EXPECT_EQ(some.run_to_end().outcome, deletion_outcome::completed);
    EXPECT_EQ(count("attachment"), 2);
    EXPECT_EQ(database().number("SELECT count(*) FROM attachment WHERE id IN (2, 3)"), 2);
}

TEST_P(relations, a_condition_decides_for_each_parent) {
    insert("INSERT INTO perk VALUES (1, 1), (2, 2);");
    spy().has_perks = [](std::int64_t, std::int64_t level) { return level >= 20; };
    worker some(database(), kinds_models());
    some.schedule("kinds.Owner", one);
    some.schedule("kinds.Owner", std::int64_t{2});
    EXPECT_EQ(some.run_to_end().outcome, deletion_outcome::completed);
    EXPECT_EQ(some.run_to_end().outcome, deletion_outcome::completed);
    EXPECT_EQ(count("owner"), 0);
    EXPECT_EQ(count("perk"), 1);
    EXPECT_EQ(database().number("SELECT owner_id FROM perk"), 1) << "owner 1 has no perks of its own";
}

TEST_P(relations, a_condition_that_throws_is_a_failure) {
    insert("INSERT INTO perk VALUES (1, 1);");
    spy().has_perks = [](std::int64_t, std::int64_t) -> bool { throw std::runtime_error("no idea"); };
    worker some(database(), kinds_models());
    some.schedule("kinds.Owner", one);
    EXPECT_EQ(some.run().outcome, deletion_outcome::waiting);
    EXPECT_THAT(some.request().last_error, HasSubstr("kinds.Owner 1: the condition of a relation failed: no idea"));
    EXPECT_EQ(count("perk"), 1);
}

TEST_P(relations, external_tasks_are_called_before_the_rows_go) {
    insert("INSERT INTO doc VALUES (1, 1), (2, 1), (3, 1), (4, 2);");
    std::vector<std::int64_t> files;
    std::vector<std::int64_t> pages;
    int more = 2;
    worker some(database(), kinds_models());
    spy().external = [&](const std::string& task, const std::vector<std::int64_t>& ids,
                         const winnow::hook_context& context) {
        EXPECT_FALSE(some.database->in_transaction()) << "work outside never holds a transaction";
        EXPECT_EQ(context.model, task == "files" ? "kinds.Owner" : "kinds.Doc");
        EXPECT_FALSE(context.transaction_id.empty());
        for (const std::int64_t id : ids) {
            EXPECT_EQ(database().number("SELECT count(*) FROM " + std::string(task == "files" ? "owner" : "doc") +
                                        " WHERE id = " + std::to_string(id)),
                      1);
            (task == "files" ? files : pages).push_back(id);
        }
        return task == "files" && more-- > 0;
    };
    some.schedule("kinds.Owner", one);
    EXPECT_EQ(some.run_to_end().outcome, deletion_outcome::completed);
    EXPECT_EQ(files, (std::vector<std::int64_t>{1, 1, 1})) << "until it says that nothing is left";
    std::sort(pages.begin(), pages.end());
    EXPECT_EQ(pages, (std::vector<std::int64_t>{1, 2, 3}));
    EXPECT_EQ(count("doc"), 1);
}

TEST_P(relations, an_external_task_of_the_root_is_done_once) {
    insert("INSERT INTO doc VALUES (1, 1), (2, 1), (3, 1), (4, 1), (5, 1);");
    int files = 0;
    spy().external = [&](const std::string& task, const std::vector<std::int64_t>&, const winnow::hook_context&) {
        files += task == "files" ? 1 : 0;
        return false;
    };
    worker some(database(), kinds_models());
    some.set("deletion.pass_rows", "2");
    some.schedule("kinds.Owner", one);
    int passes = 1;
    for (winnow::deletion_report report = some.run_to_end(); report.outcome != deletion_outcome::completed;
         report = some.run_to_end()) {
        ASSERT_EQ(report.outcome, deletion_outcome::yielded) << report.detail;
        ASSERT_LT(++passes, 50);
    }
    EXPECT_GT(passes, 2);
    EXPECT_EQ(files, 1) << "it said that it was done";
    EXPECT_EQ(count("doc"), 0);
}

TEST_P(relations, an_external_task_that_fails_keeps_the_rows) {
    insert("INSERT INTO doc VALUES (1, 1);");
    spy().external = [](const std::string& task, const std::vector<std::int64_t>&,
                        const winnow::hook_context&) -> bool {
        if (task == "pages") throw std::runtime_error("bucket is gone");
        return false;
    };
    worker some(database(), kinds_models());
    some.schedule("kinds.Owner", one);
    EXPECT_EQ(some.run().outcome, deletion_outcome::waiting);
    EXPECT_THAT(some.request().last_error, HasSubstr("external task pages failed: bucket is gone"));
    EXPECT_EQ(count("doc"), 1);
    spy().external = nullptr;
    some.end_waits();
    EXPECT_EQ(some.run_to_end().outcome, deletion_outcome::completed);
}

TEST_P(relations, a_skipped_model_is_left_to_the_parent) {
    make(database(),
         "CREATE TABLE skip_project (id {id});"
         "CREATE TABLE skip_group (id {id}, project_id bigint NOT NULL REFERENCES skip_project (id));"
         "CREATE TABLE skip_event (id {id}, project_id bigint NOT NULL REFERENCES skip_project (id), "
         "group_id bigint NOT NULL REFERENCES skip_group (id));"
         "CREATE INDEX group_project ON skip_group (project_id); CREATE INDEX event_project ON skip_event (project_id);"
         "CREATE INDEX event_group ON skip_event (group_id); INSERT INTO skip_project VALUES (1), (2);");
    {
        const winnow::connection_ptr to = database().open();
        fill(*to, "skip_group", 20, [](std::int64_t i) { return list(i, (i - 1) / 10 + 1); });
        fill(*to, "skip_event", 200, [](std::int64_t i) { return list(i, (i - 1) / 100 + 1, (i - 1) / 10 + 1); });
    }
    auto connection = std::make_unique<watched_connection>(database().open());
    int by_project = 0;
    int by_group = 0;
    connection->before = [&](std::string_view statement) {
        if (statement.find("skip_event") == std::string_view::npos || !statement.starts_with("DELETE")) return;
        by_project += statement.find("\"project_id\"") != std::string_view::npos ? 1 : 0;
        by_group += statement.find("\"group_id\"") != std::string_view::npos ? 1 : 0;
    };
    worker some(std::move(connection), skip_models());
    some.schedule("skip.Project", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(count("skip_event"), 100);
    EXPECT_EQ(count("skip_group"), 10);
    EXPECT_GT(by_project, 0) << "in bulk, by project";
    EXPECT_EQ(by_group, 0) << "never group by group";
    // A group by itself takes its events with it.
    some.schedule("skip.Group", std::int64_t{11});
    EXPECT_EQ(some.run_to_end().outcome, deletion_outcome::completed);
    EXPECT_EQ(count("skip_event"), 90);
}

}  // namespace
