// SPDX-License-Identifier: Apache-2.0
// What is said about the difference between the models and the live schema.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "support/databases.hpp"
#include "unit/plan/plan_builder.hpp"
#include "winnow/store/drift.hpp"

namespace {

using namespace winnow_test;
using testing::HasSubstr;
using winnow::drift_finding;
using winnow::relation_kind;
using winnow::severity;
using winnow::value_kind;

/// Models, their live tables, and what a comparison finds.
class comparison {
public:
    comparison(const fresh_database& database, const std::vector<model_spec>& models)
        : plans_(models), catalog_(plans_.plans()) {
        const winnow::connection_ptr session = database.open();
        facts_ = winnow::inspect_models(*session, catalog_);
        found_ = winnow::find_drift(catalog_, facts_);
    }

    [[nodiscard]] const winnow::catalog& models() const { return catalog_; }
    [[nodiscard]] const winnow::schema_facts& facts() const { return facts_; }
    [[nodiscard]] const std::vector<drift_finding>& found() const { return found_; }
    [[nodiscard]] std::vector<drift_finding> below(std::string_view root, bool scheduled = false) const {
        const std::size_t index = catalog_.at(root);
        winnow::drift_options options;
        if (scheduled) options.roots = {&index, 1};
        return winnow::find_drift_below(catalog_, index, facts_, options);
    }

private:
    plan_builder plans_;
    winnow::catalog catalog_;
    winnow::schema_facts facts_;
    std::vector<drift_finding> found_;
};

[[nodiscard]] const drift_finding* find(const std::vector<drift_finding>& found, std::string_view code) {
    const auto at =
        std::find_if(found.begin(), found.end(), [&](const drift_finding& each) { return each.code == code; });
    return at == found.end() ? nullptr : &*at;
}

[[nodiscard]] std::string all_texts(const std::vector<drift_finding>& found) {
    std::string out;
    for (const drift_finding& each : found)
        out += std::string(name_of(each.severity)) + ' ' + each.code + ": " + each.text + '\n';
    return out;
}

/// The finding of that kind; the test fails when there is none.
[[nodiscard]] drift_finding one(const std::vector<drift_finding>& found, std::string_view code) {
    if (const drift_finding* each = find(found, code)) return *each;
    ADD_FAILURE() << "no finding " << code << " among\n" << all_texts(found);
    return {};
}

/// Project with notes below it; the note's table is what most tests change.
[[nodiscard]] std::vector<model_spec> project_and_note(relation_kind kind = relation_kind::cascade,
                                                       bool optional = false) {
    return {{.key = "tracker.Project",
             .columns = {{"id"}, {"name", value_kind::text, true}},
             .relations = {{.kind = kind, .child = "tracker.Note", .columns = {"project_id"}}},
             .table = "project"},
            {.key = "tracker.Note",
             .columns = {{"id"}, {"project_id", value_kind::integer64, optional}},
             .table = "note",
             .strategy = winnow::strategy::bulk}};
}

constexpr std::string_view project = "CREATE TABLE project (id integer PRIMARY KEY, name text);";

class any_drift : public on_every_database {
protected:
    void run(std::string_view note) { database().run(std::string(project) + std::string(note)); }
};
INSTANTIATE_TEST_SUITE_P(databases, any_drift, all_databases(), name_of_database);

TEST_P(any_drift, finds_nothing_where_all_is_well) {
    run("CREATE TABLE note (id integer PRIMARY KEY, project_id integer NOT NULL REFERENCES project);"
        "CREATE INDEX note_project ON note (project_id)");
    const comparison compared(database(), project_and_note());
    std::vector<drift_finding> found = compared.found();
    std::erase_if(found, [](const drift_finding& each) { return each.code == "reusable_ids"; });
    EXPECT_TRUE(found.empty()) << all_texts(found);
    EXPECT_FALSE(winnow::any_refusal(compared.found()));
}

// Without it every chunk of parents reads the whole child table.
TEST_P(any_drift, a_child_column_without_index_comes_with_the_statement_that_makes_one) {
    run("CREATE TABLE note (id integer PRIMARY KEY, project_id integer NOT NULL REFERENCES project)");
    const comparison compared(database(), project_and_note());
    const drift_finding finding = one(compared.found(), "missing_index");
    EXPECT_EQ(finding.severity, severity::warn);
    EXPECT_EQ(finding.table, "note");
    EXPECT_EQ(finding.model, "tracker.Note");
    EXPECT_THAT(finding.text, HasSubstr("note.project_id has no index"));
    EXPECT_THAT(finding.remedy, HasSubstr("CREATE INDEX"));
    const winnow::connection_ptr session = database().open();
    (void)session->execute_once(finding.remedy, {});  // it runs as it stands, and it helps
    EXPECT_EQ(find(comparison(database(), project_and_note()).found(), "missing_index"), nullptr);
    EXPECT_EQ(one(winnow::find_drift(compared.models(), compared.facts(), {.require_indexes = true}), "missing_index")
                  .severity,
              severity::refuse);
}

TEST_P(any_drift, an_index_must_begin_with_the_column_and_cover_all_rows) {
    run("CREATE TABLE note (id integer PRIMARY KEY, project_id integer NOT NULL REFERENCES project, n integer);"
        "CREATE INDEX note_n ON note (n, project_id); CREATE INDEX note_part ON note (project_id) WHERE n > 5");
    EXPECT_THAT(one(comparison(database(), project_and_note()).found(), "missing_index").text,
                HasSubstr("\"note_part\" covers a part"));
    database().run("CREATE INDEX note_both ON note (project_id, n)");
    EXPECT_EQ(find(comparison(database(), project_and_note()).found(), "missing_index"), nullptr);
}

TEST_P(any_drift, a_filtered_relation_may_use_an_index_that_begins_with_the_filter) {
    std::vector<model_spec> models = project_and_note();
    models[0].relations[0].filters = {{"kind", "3"}};
    models[1].columns.push_back({"kind"});
    run("CREATE TABLE note (id integer PRIMARY KEY, kind integer NOT NULL, project_id integer NOT NULL)");
    const drift_finding finding = one(comparison(database(), models).found(), "missing_index");
    EXPECT_THAT(finding.remedy, HasSubstr("(\"kind\", \"project_id\")"));
    database().run("CREATE INDEX note_kind ON note (kind, project_id)");
    EXPECT_EQ(find(comparison(database(), models).found(), "missing_index"), nullptr);
}

TEST_P(any_drift, a_missing_table_or_column_is_refused) {
    database().run(project);
    const comparison without(database(), project_and_note());
    EXPECT_EQ(one(without.found(), "missing_table").severity, severity::refuse);
    EXPECT_THAT(one(without.found(), "missing_table").text, HasSubstr("note, the table of tracker.Note"));
    database().run("CREATE TABLE note (id integer PRIMARY KEY, other integer)");
    const drift_finding finding = one(comparison(database(), project_and_note()).found(), "missing_column");
    EXPECT_EQ(finding.severity, severity::refuse);
    EXPECT_THAT(finding.text, HasSubstr("note has no column project_id"));
}

TEST_P(any_drift, a_key_of_another_type_is_refused) {
    run("CREATE TABLE note (id text PRIMARY KEY, project_id text)");
    const comparison compared(database(), project_and_note());
    EXPECT_EQ(one(compared.found(), "type_differs").severity, severity::refuse);
    EXPECT_THAT(all_texts(compared.found()),
                HasSubstr("note.project_id is " + std::string(GetParam() == dialect::postgres ? "text" : "TEXT")));
}

TEST_P(any_drift, a_view_is_refused) {
    run("CREATE TABLE real_note (id integer PRIMARY KEY, project_id integer); CREATE VIEW note AS SELECT * FROM real_note");
    const drift_finding finding = one(comparison(database(), project_and_note()).found(), "not_a_table");
    EXPECT_EQ(finding.severity, severity::refuse);
    EXPECT_EQ(finding.text, "note is a view. Name the table behind it.");
}

TEST_P(any_drift, set_null_on_a_column_that_cannot_be_null_is_refused) {
    run("CREATE TABLE note (id integer PRIMARY KEY, project_id integer NOT NULL REFERENCES project)");
    const comparison compared(database(), project_and_note(relation_kind::set_null, true));
    const drift_finding finding = one(compared.found(), "set_null_not_null");
    EXPECT_EQ(finding.severity, severity::refuse);
    EXPECT_EQ(finding.text, "note.project_id is NOT NULL and cannot be set to null.");
    EXPECT_NE(find(compared.below("tracker.Project"), "set_null_not_null"), nullptr);
    EXPECT_EQ(find(compared.below("tracker.Note"), "set_null_not_null"), nullptr) << "concerns projects only";
}

TEST_P(any_drift, set_null_on_a_generated_column_is_refused) {
    run("CREATE TABLE note (id integer PRIMARY KEY, n integer, project_id integer GENERATED ALWAYS AS (n + 1) STORED)");
    const drift_finding finding =
        one(comparison(database(), project_and_note(relation_kind::set_null, true)).found(), "set_null_generated");
    EXPECT_EQ(finding.severity, severity::refuse);
    EXPECT_EQ(finding.text, "note.project_id is generated and cannot be set to null.");
}

TEST_P(any_drift, a_foreign_key_that_nobody_declares_is_refused) {
    run("CREATE TABLE note (id integer PRIMARY KEY, project_id integer REFERENCES project);"
        "CREATE TABLE stranger (id integer PRIMARY KEY, proj integer CONSTRAINT stranger_fk REFERENCES project)");
    const comparison compared(database(), project_and_note());
    const drift_finding finding = one(compared.found(), "undeclared_key");
    EXPECT_EQ(finding.severity, severity::refuse);
    EXPECT_EQ(finding.text, "stranger.proj refers to project" +
                                std::string(GetParam() == dialect::postgres ? " (\"stranger_fk\")" : "") +
                                " and no model declares it. Declare cascade, set_null or skip.");
    EXPECT_NE(find(compared.below("tracker.Project"), "undeclared_key"), nullptr);
    EXPECT_EQ(find(compared.below("tracker.Note"), "undeclared_key"), nullptr);
    EXPECT_THAT(winnow::describe_refusals(compared.found()), HasSubstr("stranger.proj"));
}

TEST_P(any_drift, a_filtered_relation_does_not_declare_a_whole_foreign_key) {
    std::vector<model_spec> models = project_and_note();
    models[0].relations[0].filters = {{"kind", "3"}};
    models[1].columns.push_back({"kind"});
    run("CREATE TABLE note (id integer PRIMARY KEY, kind integer NOT NULL, project_id integer NOT NULL REFERENCES project)");
    EXPECT_NE(find(comparison(database(), models).found(), "undeclared_key"), nullptr);
}

TEST_P(any_drift, do_nothing_on_an_enforced_key_is_refused) {
    run("CREATE TABLE note (id integer PRIMARY KEY, project_id integer REFERENCES project)");
    EXPECT_EQ(one(comparison(database(), project_and_note(relation_kind::do_nothing)).found(), "do_nothing_with_key")
                  .severity,
              severity::refuse);
}

TEST_P(any_drift, do_nothing_without_a_key_is_left_alone) {
    run("CREATE TABLE note (id integer PRIMARY KEY, project_id integer)");
    const comparison compared(database(), project_and_note(relation_kind::do_nothing));
    EXPECT_FALSE(winnow::any_refusal(compared.found())) << all_texts(compared.found());
    EXPECT_EQ(find(compared.found(), "missing_index"), nullptr) << "it is never looked up";
}

// The database would remove the children in the parent's statement, without hooks.
TEST_P(any_drift, a_cascade_of_the_database_that_hides_hooks_is_a_warning) {
    const std::vector<model_spec> specs = project_and_note();
    run("CREATE TABLE note (id integer PRIMARY KEY, project_id integer REFERENCES project ON DELETE CASCADE);"
        "CREATE INDEX note_project ON note (project_id)");
    const plan_builder plans(specs);
    std::vector<winnow::plan> hooked(plans.plans().begin(), plans.plans().end());
    hooked[1].hooks.before_delete.call = [](const void*, winnow::row_values, const winnow::hook_context&) {};
    hooked[1].strategy = winnow::strategy::per_row;
    const winnow::catalog models{std::span<const winnow::plan>(hooked)};
    const winnow::connection_ptr session = database().open();
    const winnow::schema_facts facts = winnow::inspect_models(*session, models);
    const drift_finding finding = one(winnow::find_drift(models, facts), "hidden_cascade");
    EXPECT_EQ(finding.severity, severity::warn);
    EXPECT_THAT(finding.text, HasSubstr("without the hooks of tracker.Note"));
    EXPECT_EQ(find(comparison(database(), specs).found(), "hidden_cascade"), nullptr) << "no hooks, nothing hidden";
}

TEST_P(any_drift, a_reference_without_a_key_is_noted) {
    run("CREATE TABLE note (id integer PRIMARY KEY, project_id integer); CREATE INDEX note_project ON note (project_id)");
    EXPECT_EQ(one(comparison(database(), project_and_note()).found(), "no_enforced_key").severity, severity::note);
}

TEST_P(any_drift, rows_that_are_taken_one_by_one_need_a_primary_key) {
    std::vector<model_spec> models = project_and_note();
    run("CREATE TABLE note (id integer, project_id integer REFERENCES project)");
    EXPECT_EQ(find(comparison(database(), models).found(), "no_primary_key"), nullptr)
        << "a leaf goes by its foreign key";
    models[1].strategy = winnow::strategy::per_row;
    const drift_finding finding = one(comparison(database(), models).found(), "no_primary_key");
    EXPECT_EQ(finding.severity, severity::refuse);
    EXPECT_EQ(finding.text, "note has children or hooks and no primary key.");
}

TEST_P(any_drift, a_trigger_that_may_keep_rows_is_named) {
    run("CREATE TABLE note (id integer PRIMARY KEY, project_id integer REFERENCES project)");
    database().run(
        winnow::dialect_text{"CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
                             "CREATE TRIGGER k BEFORE DELETE ON note FOR EACH ROW EXECUTE FUNCTION keep()",
                             "CREATE TRIGGER k BEFORE DELETE ON note BEGIN SELECT RAISE(IGNORE); END"});
    const drift_finding finding = one(comparison(database(), project_and_note()).found(), "trigger_may_keep_rows");
    EXPECT_EQ(finding.severity, severity::warn);
    EXPECT_EQ(
        finding.text,
        "note: trigger \"k\" runs before DELETE and may keep rows. If it does, the deletion stops as blocked and names them.");
}

TEST_P(any_drift, cascade_and_a_keeping_trigger_together_are_refused) {
    run("CREATE TABLE note (id integer PRIMARY KEY, project_id integer REFERENCES project ON DELETE CASCADE)");
    database().run(
        winnow::dialect_text{"CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
                             "CREATE TRIGGER k BEFORE DELETE ON note FOR EACH ROW EXECUTE FUNCTION keep()",
                             "CREATE TRIGGER k BEFORE DELETE ON note BEGIN SELECT RAISE(IGNORE); END"});
    EXPECT_EQ(one(comparison(database(), project_and_note()).found(), "cascade_and_trigger").severity,
              severity::refuse);
}

TEST_P(any_drift, a_model_skipped_everywhere_below_a_root_holds_its_parents) {
    std::vector<model_spec> models{
        {.key = "tracker.Organization",
         .columns = {{"id"}},
         .relations = {{.child = "tracker.Project", .columns = {"organization_id"}, .skips = {"tracker.Note"}}},
         .table = "organization"}};
    for (model_spec& each : project_and_note()) models.push_back(std::move(each));
    models[1].columns.push_back({"organization_id"});
    database().run(
        "CREATE TABLE organization (id integer PRIMARY KEY);"
        "CREATE TABLE project (id integer PRIMARY KEY, name text, organization_id integer REFERENCES organization);"
        "CREATE TABLE note (id integer PRIMARY KEY, project_id integer REFERENCES project)");
    const comparison compared(database(), models);
    EXPECT_EQ(one(compared.below("tracker.Organization"), "skipped_with_key").severity, severity::refuse);
    EXPECT_EQ(find(compared.below("tracker.Project"), "skipped_with_key"), nullptr);
}

TEST_P(any_drift, only_the_models_that_are_asked_for_are_looked_at) {
    database().run(project);
    const comparison compared(database(), project_and_note());
    const std::size_t index = compared.models().at("tracker.Project");
    const auto found = winnow::find_drift(compared.models(), compared.facts(), {.models = {&index, 1}});
    EXPECT_EQ(find(found, "missing_table"), nullptr) << "the other one lives in another silo";
}

TEST_P(any_drift, a_tree_is_compared_as_well) {
    database().run("CREATE TABLE node (id integer PRIMARY KEY, up integer REFERENCES node)");
    const std::vector<model_spec> models{{.key = "tree.Node",
                                          .columns = {{"id"}, {"up", value_kind::integer64, true}},
                                          .relations = {{.child = "tree.Node", .columns = {"up"}}},
                                          .table = "node"}};
    const comparison compared(database(), models);
    EXPECT_FALSE(winnow::any_refusal(compared.found())) << all_texts(compared.found());
    EXPECT_THAT(one(compared.found(), "missing_index").text, HasSubstr("node.up has no index"));
}

TEST(sqlite_drift, reusable_ids_are_refused_where_objects_are_scheduled) {
    const fresh_sqlite database;
    database.run(
        "CREATE TABLE project (id INTEGER PRIMARY KEY, name text); CREATE TABLE note (id INTEGER PRIMARY KEY, project_id integer)");
    const comparison compared(database, project_and_note());
    EXPECT_EQ(one(compared.found(), "reusable_ids").severity, severity::note);
    EXPECT_EQ(one(compared.found(), "reusable_ids").table, "project");
    const auto scheduled = compared.below("tracker.Project", true);
    EXPECT_EQ(one(scheduled, "reusable_ids").severity, severity::refuse);
    EXPECT_THAT(one(scheduled, "reusable_ids").text, HasSubstr("may give a freed id to another row"));
    database.run("DROP TABLE project; CREATE TABLE project (id INTEGER PRIMARY KEY AUTOINCREMENT, name text)");
    const comparison cured(database, project_and_note());
    EXPECT_FALSE(winnow::any_refusal(cured.below("tracker.Project", true)));
}

TEST(sqlite_drift, a_key_that_refers_to_nothing_unique_is_refused) {
    const fresh_sqlite database;
    database.run(
        "CREATE TABLE project (id INTEGER PRIMARY KEY, name text);"
        "CREATE TABLE note (id INTEGER PRIMARY KEY, project_id integer, project_name text REFERENCES project (name))");
    const drift_finding finding = one(comparison(database, project_and_note()).found(), "key_mismatch");
    EXPECT_EQ(finding.severity, severity::refuse);
    EXPECT_EQ(finding.text,
              "note.project_name refers to project.name, which has no unique index: every delete from project fails.");
    database.run(finding.remedy);
    EXPECT_EQ(find(comparison(database, project_and_note()).found(), "key_mismatch"), nullptr);
}

TEST(sqlite_drift, names_match_whatever_their_case) {
    const fresh_sqlite database;
    database.run("CREATE TABLE Project (Id INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT);"
                 "CREATE TABLE Note (Id INTEGER PRIMARY KEY AUTOINCREMENT, Project_Id INTEGER REFERENCES PROJECT);"
                 "CREATE INDEX by_project ON note (PROJECT_ID)");
    const comparison compared(database, project_and_note());
    EXPECT_TRUE(compared.found().empty()) << all_texts(compared.found());
}

TEST(postgres_drift, an_invalid_index_does_not_count) {
    const fresh_postgres database;
    database.run(
        "CREATE TABLE project (id integer PRIMARY KEY, name text); CREATE TABLE note (id integer PRIMARY KEY, project_id integer REFERENCES project);"
        "INSERT INTO project VALUES (1); INSERT INTO note VALUES (1, 1), (2, 1)");
    EXPECT_THROW(
        (void)database.open()->execute_once("CREATE UNIQUE INDEX CONCURRENTLY broken ON note (project_id)", {}),
        winnow::error);
    EXPECT_THAT(one(comparison(database, project_and_note()).found(), "missing_index").text,
                HasSubstr("\"broken\" is invalid"));
}

TEST(postgres_drift, rules_unlogged_tables_and_disabled_keys) {
    const fresh_postgres database;
    database.run("CREATE TABLE project (id integer PRIMARY KEY, name text);"
                 "CREATE UNLOGGED TABLE note (id integer PRIMARY KEY, project_id integer);"
                 "CREATE RULE r AS ON DELETE TO note DO INSTEAD NOTHING");
    const comparison compared(database, project_and_note());
    EXPECT_EQ(one(compared.found(), "rule_on_delete").text,
              "note: rule \"r\" replaces DELETE. winnow cannot delete through rules; drop it or use a trigger.");
    EXPECT_EQ(one(compared.found(), "unlogged").severity, severity::note);
    database.run(
        one(compared.found(), "rule_on_delete").remedy +
        "ALTER TABLE note SET LOGGED; ALTER TABLE note ADD CONSTRAINT note_fk FOREIGN KEY (project_id) REFERENCES project;"
        "ALTER TABLE note DISABLE TRIGGER ALL");
    const comparison disabled(database, project_and_note());
    EXPECT_EQ(one(disabled.found(), "key_disabled").text,
              "note: foreign key \"note_fk\" is declared but its triggers are disabled.");
    database.run(one(disabled.found(), "key_disabled").remedy);
    EXPECT_EQ(find(comparison(database, project_and_note()).found(), "key_disabled"), nullptr);
}

TEST(postgres_drift, published_tables_without_identity_are_refused) {
    const fresh_postgres database;
    database.run(
        "CREATE TABLE project (id integer PRIMARY KEY, name text); CREATE TABLE note (id integer, project_id integer REFERENCES project);"
        "CREATE PUBLICATION pubx FOR TABLE note");
    const drift_finding finding = one(comparison(database, project_and_note()).found(), "no_replica_identity");
    EXPECT_EQ(finding.severity, severity::refuse);
    EXPECT_THAT(finding.text, HasSubstr("note is in publication \"pubx\""));
    database.run(finding.remedy);
    EXPECT_EQ(find(comparison(database, project_and_note()).found(), "no_replica_identity"), nullptr);
}

TEST(postgres_drift, tables_that_inherit_do_not_inherit_keys) {
    const fresh_postgres database;
    database.run(
        "CREATE TABLE project (id integer PRIMARY KEY, name text);"
        "CREATE TABLE note (id integer PRIMARY KEY, project_id integer REFERENCES project); CREATE TABLE heir () INHERITS (note)");
    const drift_finding finding = one(comparison(database, project_and_note()).found(), "heir_without_key");
    EXPECT_EQ(finding.text, "heir inherits note but not its foreign key to project: add it.");
    database.run(finding.remedy);
    EXPECT_EQ(find(comparison(database, project_and_note()).found(), "heir_without_key"), nullptr);
    EXPECT_EQ(find(comparison(database, project_and_note()).found(), "undeclared_key"), nullptr);
}

TEST(postgres_drift, a_role_that_cannot_do_it_is_refused) {
    const fresh_postgres database;
    const std::string role = unused_name();
    database.run(
        "CREATE TABLE project (id integer PRIMARY KEY, name text); CREATE TABLE note (id integer PRIMARY KEY, project_id integer REFERENCES project);"
        "CREATE ROLE " +
        role + " LOGIN; GRANT SELECT, DELETE ON project TO " + role + "; GRANT SELECT ON note TO " + role +
        ";"
        "ALTER TABLE note ENABLE ROW LEVEL SECURITY");
    {
        const plan_builder plans(project_and_note());
        const winnow::catalog models(plans.plans());
        const winnow::connection_ptr session = winnow::open_connector(database.url_as(role), drivers)->open();
        const auto found = winnow::find_drift(models, winnow::inspect_models(*session, models));
        EXPECT_THAT(all_texts(found),
                    HasSubstr("This role may delete from project but not lock it (needs UPDATE on one column)."));
        EXPECT_THAT(all_texts(found), HasSubstr("This role may not delete from note."));
        EXPECT_THAT(one(found, "row_security").text, HasSubstr("policies hide rows"));
        // Somebody else grants, and it helps.
        for (const winnow::drift_finding& each : found)
            if (each.code == "no_right") database.run(each.remedy);
        EXPECT_EQ(find(winnow::find_drift(models, winnow::inspect_models(*session, models)), "no_right"), nullptr);
    }
    database.run("DROP OWNED BY " + role + "; DROP ROLE " + role);
}

// The models say that one edge may be null; the live schema knows better.
TEST(postgres_drift, a_ring_of_three_tables_needs_one_loose_edge) {
    const fresh_postgres database;
    database.run(
        "CREATE TABLE a (id integer PRIMARY KEY, c_id integer NOT NULL); CREATE TABLE b (id integer PRIMARY KEY, a_id integer NOT NULL REFERENCES a);"
        "CREATE TABLE c (id integer PRIMARY KEY, b_id integer NOT NULL REFERENCES b); ALTER TABLE a ADD CONSTRAINT a_c FOREIGN KEY (c_id) REFERENCES c");
    const std::vector<model_spec> models{{.key = "ring.A",
                                          .columns = {{"id"}, {"c_id", value_kind::integer64, true}},
                                          .relations = {{.child = "ring.B", .columns = {"a_id"}}},
                                          .table = "a"},
                                         {.key = "ring.B",
                                          .columns = {{"id"}, {"a_id"}},
                                          .relations = {{.child = "ring.C", .columns = {"b_id"}}},
                                          .table = "b"},
                                         {.key = "ring.C",
                                          .columns = {{"id"}, {"b_id"}},
                                          .relations = {{.child = "ring.A", .columns = {"c_id"}}},
                                          .table = "c"}};
    const drift_finding finding = one(comparison(database, models).found(), "ring");
    EXPECT_EQ(finding.severity, severity::refuse);
    EXPECT_THAT(finding.text, HasSubstr("is NOT NULL throughout. Make one edge nullable or DEFERRABLE."));
    database.run("ALTER TABLE a ALTER CONSTRAINT a_c DEFERRABLE");
    EXPECT_EQ(find(comparison(database, models).found(), "ring"), nullptr);
}

TEST(postgres_drift, types_are_compared_by_kind) {
    const fresh_postgres database;
    database.run(
        "CREATE DOMAIN tenant AS bigint; CREATE TYPE mood AS ENUM ('sad', 'ok');"
        "CREATE TABLE t (id uuid PRIMARY KEY, a tenant, b varchar(9), c timestamptz, d jsonb, e boolean, f double precision, g bytea, h mood, i smallint)");
    std::vector<model_spec> models{{.key = "x.T",
                                    .columns = {{"id", value_kind::uuid},
                                                {"a", value_kind::integer64, true},
                                                {"b", value_kind::text, true},
                                                {"c", value_kind::timestamp, true},
                                                {"d", value_kind::json, true},
                                                {"e", value_kind::boolean, true},
                                                {"f", value_kind::real, true},
                                                {"g", value_kind::blob, true},
                                                {"h", value_kind::text, true},
                                                {"i", value_kind::integer32, true}},
                                    .table = "t"}};
    const comparison good(database, models);
    EXPECT_TRUE(good.found().empty()) << all_texts(good.found());
    models[0].columns[0].kind = value_kind::text;
    models[0].columns[1].kind = value_kind::integer32;
    const comparison bad(database, models);
    EXPECT_EQ(bad.found().size(), 2U) << all_texts(bad.found());
    EXPECT_EQ(bad.found()[0].text, "t.id is uuid and x.T declares it as text.");
    EXPECT_EQ(bad.found()[0].severity, severity::refuse);
    EXPECT_EQ(bad.found()[1].severity, severity::warn);
}

}  // namespace
