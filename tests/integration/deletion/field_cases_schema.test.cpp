// SPDX-License-Identifier: Apache-2.0
// Field cases about a schema that says something else than the models.

#include <gmock/gmock.h>

#include "integration/deletion/worker.hpp"
#include "winnow/deletion/measure.hpp"
#include "winnow/store/drift.hpp"

namespace {

using namespace winnow_test;
using testing::HasSubstr;
using testing::Not;
using winnow::deletion_outcome;

/// Texts of the findings with this code for a deletion of a model.
std::string findings(const fresh_database& where, const winnow::catalog& models, std::string_view root,
                     std::string_view code) {
    const winnow::connection_ptr session = where.open();
    const winnow::schema_facts facts = winnow::inspect_models(*session, models);
    const std::size_t roots[] = {models.at(root)};
    std::string text;
    for (const winnow::drift_finding& each : winnow::find_drift_below(models, roots[0], facts, {.roots = roots}))
        if (each.code == code) text += each.text + "|" + each.remedy + "\n";
    return text;
}

TEST_P(field_cases, A_09_a_new_relation_nobody_registered) {
    make_field_tables(database());
    fill_field(database());
    make(
        database(),
        "CREATE TABLE note (id {id}, proj_id bigint NOT NULL, CONSTRAINT note_proj_fk FOREIGN KEY (proj_id) REFERENCES proj (id));"
        "INSERT INTO note VALUES (1, 2);");
    worker some(database(), field_models());
    some.schedule("field.Proj", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::blocked);
    EXPECT_THAT(report.detail, HasSubstr("note.proj_id refers to proj"));
    EXPECT_THAT(report.detail, HasSubstr("no model declares it"));
    if (GetParam() == dialect::postgres) {
        EXPECT_THAT(report.detail, HasSubstr("note_proj_fk"));
    }
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org()) << "before any row is deleted";

    const winnow::deletion_request row = some.request();
    EXPECT_EQ(row.state, "blocked");
    EXPECT_THAT(row.state_detail, HasSubstr("note.proj_id"));
    EXPECT_THAT(row.last_error, HasSubstr("note.proj_id"));
    some.end_waits();
    EXPECT_FALSE(some.run_next()) << "no silent retry";

    make(database(), "DROP TABLE note;");
    EXPECT_TRUE(some.retry("field.Proj", one));
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
}

TEST_P(field_cases, A_09_also_far_below_the_root) {
    make_field_tables(database());
    fill_field(database());
    make(database(), "CREATE TABLE note (id {id}, issue_id bigint NOT NULL REFERENCES issue (id));");
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::blocked);
    EXPECT_THAT(report.detail, HasSubstr("note.issue_id refers to issue"));
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org());
}

TEST_P(field_cases, A_10_bulk_on_a_table_that_has_children) {
    make_field_tables(database());
    fill_field(database());
    make(database(),
         "CREATE TABLE tag (id {id}, event_id bigint NOT NULL REFERENCES event (id)); INSERT INTO tag VALUES (1, 1);");
    ASSERT_EQ(field_models()[field_models().at("field.Event")].strategy, winnow::strategy::bulk);
    worker some(database(), field_models());
    some.schedule("field.Org", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::blocked);
    EXPECT_THAT(report.detail, HasSubstr("tag.event_id refers to event"));
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org()) << "never a constraint error in the middle";
}

TEST_P(field_cases, A_12_missing_index_on_the_child_column) {
    make_field_tables(database(), {.keys = true, .indexes = false});
    make(database(), "CREATE INDEX proj_org_id ON proj (org_id); CREATE INDEX issue_proj_id ON issue (proj_id);");
    fill_field(database());
    const std::string found = findings(database(), field_models(), "field.Org", "missing_index");
    EXPECT_THAT(found, HasSubstr("event.issue_id has no index"));
    EXPECT_THAT(found, HasSubstr("CREATE INDEX "));
    EXPECT_THAT(found, Not(HasSubstr("proj.org_id")));

    worker some(database(), field_models());
    const winnow::deletion_plan plan = winnow::plan_deletion(some.with(), some.model("field.Org"), {&one, 1});
    bool seen = false;
    for (const winnow::planned_table& table : plan.tables) {
        EXPECT_EQ(table.access == "sequential scan", table.key == "field.Event") << table.key << ": " << table.access;
        seen = seen || table.key == "field.Event";
    }
    EXPECT_TRUE(seen);

    some.set("deletion.strict", "true");
    some.schedule("field.Org", one);
    const winnow::deletion_report refused = some.run();
    EXPECT_EQ(refused.outcome, deletion_outcome::blocked);
    EXPECT_THAT(refused.detail, HasSubstr("event.issue_id has no index"));
    EXPECT_EQ(left_of_org(database(), {}, 1), field_rows{}.of_one_org());
    some.set("deletion.strict", "false");
    EXPECT_TRUE(some.retry("field.Org", one));
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed) << "a warning only, unless strict";
}

TEST_P(field_cases, A_19_set_null_on_a_not_null_column) {
    make(database(), "CREATE TABLE owner (id {id}, level bigint NOT NULL);"
                     "CREATE TABLE memo (id {id}, owner_id bigint NOT NULL REFERENCES owner (id));"
                     "CREATE TABLE invoice (id {id}, owner_id bigint NOT NULL REFERENCES owner (id));"
                     "CREATE TABLE trace (id {id}, owner_id bigint NOT NULL);"
                     "CREATE TABLE attachment (id {id}, object_kind integer NOT NULL, object_id bigint NOT NULL);"
                     "CREATE TABLE perk (id {id}, owner_id bigint NOT NULL REFERENCES owner (id));"
                     "CREATE TABLE doc (id {id}, owner_id bigint NOT NULL REFERENCES owner (id));"
                     "INSERT INTO owner VALUES (1, 0); INSERT INTO memo VALUES (1, 1); INSERT INTO doc VALUES (1, 1);");
    worker some(database(), kinds_models());
    some.schedule("kinds.Owner", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::blocked);
    EXPECT_THAT(report.detail, HasSubstr("memo.owner_id is NOT NULL and cannot be set to null"));
    EXPECT_EQ(count("doc"), 1) << "never at row time";
}

TEST_P(field_cases, A_20_a_cascade_in_the_database_hides_no_hook) {
    make_hooked(database(), 2, 5, "ON DELETE CASCADE");
    EXPECT_THAT(findings(database(), hooked_models(), "hooked.Parent", "hidden_cascade"),
                HasSubstr("child.parent_id has ON DELETE CASCADE"));
    std::vector<std::int64_t> before;
    std::vector<std::int64_t> after;
    spy().before_delete = [&](std::int64_t id, const winnow::hook_context&) { before.push_back(id); };
    spy().after_delete = [&](std::int64_t id, const winnow::hook_context&) { after.push_back(id); };
    worker some(database(), hooked_models());
    some.schedule("hooked.Parent", one);
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
    EXPECT_EQ(before, (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
    EXPECT_EQ(after, before);
    EXPECT_EQ(count("child"), 5);
}

TEST_P(field_cases, A_21_hidden_soft_deleted_children) {
    make_hooked(database(), 1, 3);
    make(database(), "UPDATE child SET deleted_at = CURRENT_TIMESTAMP WHERE id = 2;"
                     "CREATE VIEW live_child AS SELECT * FROM child WHERE deleted_at IS NULL;");
    EXPECT_EQ(count("live_child"), 2) << "what the application sees";
    worker some(database(), hooked_models());
    const winnow::deletion_plan plan = winnow::plan_deletion(some.with(), some.model("hooked.Parent"), {&one, 1});
    EXPECT_EQ(plan.total, 4) << "the parent and three children";
    some.schedule("hooked.Parent", one);
    EXPECT_EQ(some.run().outcome, deletion_outcome::completed);
    EXPECT_EQ(count("child"), 0);
}

void make_nodes(const fresh_database& where, std::int64_t first, std::int64_t depth) {
    const winnow::connection_ptr to = where.open();
    fill(*to, "node", depth, [&](std::int64_t i) {
        return std::to_string(first + i - 1) + ", " + (i == 1 ? "NULL" : std::to_string(first + i - 2));
    });
}
constexpr std::string_view node_table =
    "CREATE TABLE node (id {id}, parent_id bigint REFERENCES node (id)); CREATE INDEX node_parent_id ON node (parent_id);";

TEST_P(field_cases, A_18_tree_table) {
    make(database(), node_table);
    make(database(), "INSERT INTO node VALUES (1, NULL), (2, 1), (3, 1), (4, 2), (50, NULL), (51, 50);");
    worker some(database(), tree_models());
    some.schedule("tree.Node", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(report.rows, 4);
    EXPECT_EQ(count("node"), 2) << "the other tree stays";
}

TEST_P(field_cases, A_18_chain_of_five_thousand) {
    make(database(), node_table);
    make_nodes(database(), 1, 5'000);
    make_nodes(database(), 10'001, 3);
    worker some(database(), tree_models());
    some.schedule("tree.Node", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(report.rows, 5'000);
    EXPECT_EQ(count("node"), 3);
}

TEST_P(field_cases, A_18_chunks_of_two_rows) {
    make(database(), node_table);
    make_nodes(database(), 1, 60);
    make(database(), "INSERT INTO node VALUES (101, 1), (102, 1), (103, 1), (104, 103), (105, 30);");
    worker some(database(), small_tree_models());
    some.schedule("tree.SmallNode", one);
    const winnow::deletion_report report = some.run();
    EXPECT_EQ(report.outcome, deletion_outcome::completed) << report.detail;
    EXPECT_EQ(count("node"), 0);
    for (const std::int64_t rows : some.watch.chunks) EXPECT_LE(rows, 3) << "a chunk, and the row that it hangs on";
}

}  // namespace
