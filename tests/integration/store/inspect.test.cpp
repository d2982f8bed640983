// SPDX-License-Identifier: Apache-2.0
// Facts of a live schema.
#include <string>
#include <vector>

#include "support/databases.hpp"
#include "winnow/store/inspect.hpp"

namespace {

using namespace winnow_test;
using winnow::delete_action;
using winnow::foreign_key_facts;
using winnow::schema_facts;
using winnow::table_facts;
using winnow::table_kind;
using winnow::table_name;
using winnow::trigger_timing;
using texts = std::vector<std::string>;

[[nodiscard]] schema_facts facts_of(const fresh_database& database, const std::vector<table_name>& wanted) {
    const winnow::connection_ptr session = database.open();
    return winnow::inspect(*session, wanted);
}

/// The facts of one table; the test fails when there is no such table.
[[nodiscard]] table_facts facts_of(const fresh_database& database, const std::string& name) {
    schema_facts found = facts_of(database, {{"", name}});
    if (found.tables.size() != 1) {
        ADD_FAILURE() << name << " was not found";
        return {};
    }
    return std::move(found.tables.front());
}

[[nodiscard]] const foreign_key_facts* key_of(const schema_facts& facts, const std::string& child,
                                              const std::string& column) {
    for (const foreign_key_facts& key : facts.foreign_keys) {
        if (key.child.name == child && !key.columns.empty() && key.columns.front() == column) return &key;
    }
    ADD_FAILURE() << "no foreign key of " << child << "." << column;
    static const foreign_key_facts none;
    return &none;
}

class any_schema : public on_every_database {};
INSTANTIATE_TEST_SUITE_P(databases, any_schema, all_databases(), name_of_database);

TEST_P(any_schema, reads_columns_and_keys) {
    database().run("CREATE TABLE \"Odd Name\" (id integer PRIMARY KEY, \"select\" varchar(10) NOT NULL, n bigint, "
                   "twice bigint GENERATED ALWAYS AS (n * 2) STORED)");
    const table_facts table = facts_of(database(), "Odd Name");
    EXPECT_EQ(table.kind, table_kind::table);
    EXPECT_EQ(table.primary_key, texts{"id"});
    ASSERT_EQ(table.columns.size(), 4U);
    EXPECT_TRUE(table.columns[0].not_null);
    EXPECT_TRUE(table.columns[1].not_null);
    EXPECT_FALSE(table.columns[2].not_null);
    EXPECT_EQ(table.column("n")->type, "bigint");
    EXPECT_TRUE(table.column("twice")->generated);
    EXPECT_FALSE(table.column("n")->generated);
    EXPECT_EQ(table.column("none"), nullptr);
    EXPECT_TRUE(table.has_row_addresses());
}

TEST_P(any_schema, leaves_out_what_does_not_exist) {
    database().run("CREATE TABLE here (id integer PRIMARY KEY)");
    const schema_facts found = facts_of(database(), {{"", "gone"}, {"", "here"}, {"nowhere", "here"}});
    ASSERT_EQ(found.tables.size(), 1U);
    EXPECT_NE(found.find({"", "here"}), nullptr);
    EXPECT_EQ(found.find({"", "gone"}), nullptr);
}

TEST_P(any_schema, tells_views_from_tables) {
    database().run(
        "CREATE TABLE t (id integer PRIMARY KEY); CREATE VIEW v AS SELECT * FROM t; CREATE TEMPORARY TABLE other (id integer)");
    EXPECT_EQ(facts_of(database(), "v").kind, table_kind::view);
    const winnow::connection_ptr session = database().open();
    session->execute_script("CREATE TEMPORARY TABLE passing (id integer PRIMARY KEY)");
    const std::vector<table_name> wanted{{"", "passing"}};
    const schema_facts found = winnow::inspect(*session, wanted);
    ASSERT_EQ(found.tables.size(), 1U);
    EXPECT_TRUE(found.tables.front().temporary);
}

TEST_P(any_schema, reads_composite_keys_and_indexes_in_order) {
    database().run(
        "CREATE TABLE t (a integer NOT NULL, b integer NOT NULL, c integer, d text, PRIMARY KEY (b, a));"
        "CREATE UNIQUE INDEX t_c ON t (c); CREATE INDEX t_dc ON t (d, c); CREATE INDEX t_part ON t (d) WHERE c > 5;"
        "CREATE INDEX t_set ON t (c) WHERE c IS NOT NULL; CREATE INDEX t_expr ON t (lower(d), a)");
    const table_facts table = facts_of(database(), "t");
    EXPECT_EQ(table.primary_key, (texts{"b", "a"}));
    const auto index = [&](const std::string& name) -> const winnow::index_facts& {
        for (const winnow::index_facts& each : table.indexes) {
            if (each.name == name) return each;
        }
        ADD_FAILURE() << "no index " << name;
        static const winnow::index_facts none;
        return none;
    };
    EXPECT_TRUE(index("t_c").unique);
    EXPECT_EQ(index("t_dc").columns, (texts{"d", "c"}));
    EXPECT_FALSE(index("t_dc").unique);
    EXPECT_TRUE(index("t_part").partial);
    EXPECT_FALSE(index("t_set").partial) << "leaves out nulls only, which nobody looks up";
    EXPECT_EQ(index("t_expr").columns, (texts{"", "a"}));
    EXPECT_TRUE(std::any_of(table.indexes.begin(), table.indexes.end(), [](const auto& each) { return each.primary; }));
}

TEST_P(any_schema, reads_foreign_keys_of_both_ends) {
    database().run(
        "CREATE TABLE p (id integer PRIMARY KEY, a integer, b integer, UNIQUE (a, b));"
        "CREATE TABLE cascading (id integer PRIMARY KEY, p integer REFERENCES p ON DELETE CASCADE);"
        "CREATE TABLE nulling (id integer PRIMARY KEY, p integer REFERENCES p (id) ON DELETE SET NULL);"
        "CREATE TABLE late (id integer PRIMARY KEY, p integer REFERENCES p DEFERRABLE INITIALLY DEFERRED);"
        "CREATE TABLE pair (id integer PRIMARY KEY, x integer, y integer, FOREIGN KEY (x, y) REFERENCES p (a, b) ON DELETE RESTRICT);"
        "CREATE TABLE unrelated (id integer PRIMARY KEY, up integer REFERENCES unrelated)");
    const schema_facts found = facts_of(database(), {{"", "p"}});
    EXPECT_EQ(found.foreign_keys.size(), 4U);
    EXPECT_EQ(key_of(found, "cascading", "p")->on_delete, delete_action::cascade);
    EXPECT_EQ(key_of(found, "cascading", "p")->referenced, texts{"id"});
    EXPECT_EQ(key_of(found, "nulling", "p")->on_delete, delete_action::set_null);
    EXPECT_TRUE(key_of(found, "late", "p")->deferrable);
    EXPECT_FALSE(key_of(found, "cascading", "p")->deferrable);
    EXPECT_EQ(key_of(found, "pair", "x")->columns, (texts{"x", "y"}));
    EXPECT_EQ(key_of(found, "pair", "x")->referenced, (texts{"a", "b"}));
    EXPECT_EQ(key_of(found, "pair", "x")->on_delete, delete_action::restrict_);
    EXPECT_EQ(key_of(found, "pair", "x")->parent, (table_name{"", "p"}));
    EXPECT_EQ(facts_of(database(), {{"", "late"}}).foreign_keys.size(), 1U);
}

TEST(sqlite_schema, tells_how_rows_are_numbered) {
    const fresh_sqlite database;
    database.run(
        "CREATE TABLE reused (id INTEGER PRIMARY KEY);"
        "CREATE TABLE never (id INTEGER PRIMARY KEY AUTOINCREMENT, note text DEFAULT 'x');"
        "CREATE TABLE mentions (id INTEGER PRIMARY KEY, \"autoincrement\" text DEFAULT 'AUTOINCREMENT' /* AUTOINCREMENT */);"
        "CREATE TABLE keyed (id TEXT PRIMARY KEY) WITHOUT ROWID; CREATE TABLE other (id INT PRIMARY KEY)");
    EXPECT_TRUE(facts_of(database, "reused").rowid_key);
    EXPECT_FALSE(facts_of(database, "reused").autoincrement);
    EXPECT_TRUE(facts_of(database, "never").autoincrement);
    EXPECT_FALSE(facts_of(database, "mentions").autoincrement);
    EXPECT_TRUE(facts_of(database, "keyed").without_rowid);
    EXPECT_FALSE(facts_of(database, "keyed").has_row_addresses());
    EXPECT_FALSE(facts_of(database, "keyed").rowid_key);
    EXPECT_FALSE(facts_of(database, "other").rowid_key);
}

TEST(sqlite_schema, names_have_no_case) {
    const fresh_sqlite database;
    database.run(
        "CREATE TABLE Parent (Id INTEGER PRIMARY KEY); CREATE TABLE Child (Id INTEGER PRIMARY KEY, ParentId INTEGER REFERENCES PARENT)");
    const schema_facts found = facts_of(database, {{"", "PARENT"}, {"", "child"}});
    ASSERT_EQ(found.tables.size(), 2U);
    EXPECT_NE(found.tables[0].column("ID"), nullptr);
    ASSERT_EQ(found.foreign_keys.size(), 1U);
    EXPECT_EQ(found.foreign_keys[0].parent, (table_name{"", "PARENT"}));
    EXPECT_EQ(found.foreign_keys[0].child, (table_name{"", "child"}));
}

TEST(sqlite_schema, reads_triggers_that_may_keep_rows) {
    const fresh_sqlite database;
    database.run(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, gone integer); CREATE VIEW v AS SELECT * FROM t;"
        "CREATE TRIGGER IF NOT EXISTS keeps BEFORE DELETE ON t BEGIN SELECT raise ( ignore ); END;"
        "CREATE TRIGGER refuses BEFORE DELETE ON t BEGIN SELECT RAISE(ABORT, 'on no account RAISE(IGNORE)'); END;"
        "CREATE TRIGGER \"after; delete\" AFTER DELETE ON t BEGIN SELECT 1; END;"
        "CREATE TRIGGER other BEFORE UPDATE ON t BEGIN DELETE FROM t WHERE 0; END;"
        "CREATE TRIGGER instead INSTEAD OF DELETE ON v BEGIN SELECT 1; END");
    const table_facts table = facts_of(database, "T");
    ASSERT_EQ(table.delete_triggers.size(), 3U);
    EXPECT_EQ(table.delete_triggers[0].name, "after; delete");
    EXPECT_EQ(table.delete_triggers[0].timing, trigger_timing::after);
    EXPECT_FALSE(table.delete_triggers[0].may_keep_rows);
    EXPECT_EQ(table.delete_triggers[1].name, "keeps");
    EXPECT_TRUE(table.delete_triggers[1].may_keep_rows);
    EXPECT_FALSE(table.delete_triggers[2].may_keep_rows);
    EXPECT_EQ(facts_of(database, "v").delete_triggers.at(0).timing, trigger_timing::instead);
}

TEST(sqlite_schema, knows_virtual_tables) {
    const fresh_sqlite database;
    database.run("CREATE VIRTUAL TABLE box USING rtree(id, low, high)");
    EXPECT_EQ(facts_of(database, "box").kind, table_kind::virtual_);
}

TEST(postgres_schema, finds_tables_by_schema_and_search_path) {
    const fresh_postgres database;
    database.run(
        "CREATE SCHEMA \"Music\"; CREATE TABLE \"Music\".t (id bigint PRIMARY KEY); CREATE TABLE public.t (id integer PRIMARY KEY);"
        "CREATE TABLE c (id integer PRIMARY KEY, t bigint REFERENCES \"Music\".t)");
    const schema_facts found = facts_of(database, {{"Music", "t"}, {"", "t"}});
    ASSERT_EQ(found.tables.size(), 2U);
    EXPECT_EQ(found.tables[0].column("id")->type, "bigint");
    EXPECT_EQ(found.tables[1].column("id")->type, "integer");
    EXPECT_EQ(found.tables[0].schema, "Music");
    EXPECT_EQ(key_of(found, "c", "t")->parent, (table_name{"Music", "t"}));
}

TEST(postgres_schema, knows_every_kind_of_relation) {
    const fresh_postgres database;
    database.run(
        "CREATE TABLE parted (id integer, d integer) PARTITION BY RANGE (d); CREATE TABLE part PARTITION OF parted FOR VALUES FROM (0) TO (9);"
        "CREATE MATERIALIZED VIEW matview AS SELECT 1 AS id; CREATE UNLOGGED TABLE loose (id integer);"
        "CREATE TABLE base (id integer PRIMARY KEY); CREATE TABLE heir () INHERITS (base); CREATE SEQUENCE counter;"
        "CREATE FOREIGN DATA WRAPPER w; CREATE SERVER s FOREIGN DATA WRAPPER w; CREATE FOREIGN TABLE far (id integer) SERVER s");
    EXPECT_EQ(facts_of(database, "parted").kind, table_kind::partitioned);
    EXPECT_FALSE(facts_of(database, "parted").has_row_addresses());
    EXPECT_FALSE(facts_of(database, "parted").inherited);
    EXPECT_TRUE(facts_of(database, "part").has_row_addresses());
    EXPECT_FALSE(facts_of(database, "part").inherits);
    EXPECT_EQ(facts_of(database, "matview").kind, table_kind::materialized_view);
    EXPECT_EQ(facts_of(database, "far").kind, table_kind::foreign);
    EXPECT_EQ(facts_of(database, "counter").kind, table_kind::other);
    EXPECT_TRUE(facts_of(database, "loose").unlogged);
    EXPECT_TRUE(facts_of(database, "base").inherited);
    EXPECT_EQ(facts_of(database, "base").heirs, (std::vector<table_name>{{"", "heir"}}));
    EXPECT_FALSE(facts_of(database, "base").has_row_addresses());
    EXPECT_TRUE(facts_of(database, "heir").inherits);
    EXPECT_TRUE(facts_of(database, "heir").has_row_addresses());
}

TEST(postgres_schema, reads_triggers_rules_and_what_is_disabled) {
    const fresh_postgres database;
    database.run(
        "CREATE TABLE p (id integer PRIMARY KEY); CREATE TABLE t (id integer PRIMARY KEY, p integer CONSTRAINT t_p REFERENCES p);"
        "CREATE TABLE u (id integer PRIMARY KEY, p integer);"
        "ALTER TABLE u ADD CONSTRAINT u_p FOREIGN KEY (p) REFERENCES p NOT VALID;"
        "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
        "CREATE TRIGGER a_before BEFORE DELETE ON t FOR EACH ROW EXECUTE FUNCTION keep();"
        "CREATE TRIGGER b_off BEFORE DELETE OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION keep();"
        "CREATE TRIGGER c_after AFTER DELETE ON t FOR EACH ROW EXECUTE FUNCTION keep();"
        "CREATE TRIGGER d_statement BEFORE DELETE ON t EXECUTE FUNCTION keep();"
        "CREATE TRIGGER e_insert BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION keep();"
        "CREATE RULE no_delete AS ON DELETE TO u DO INSTEAD NOTHING; ALTER TABLE t DISABLE TRIGGER b_off");
    const schema_facts found = facts_of(database, {{"", "t"}, {"", "u"}});
    const table_facts& t = *found.find({"", "t"});
    ASSERT_EQ(t.delete_triggers.size(), 4U);
    EXPECT_TRUE(t.delete_triggers[0].may_keep_rows);
    EXPECT_EQ(t.delete_triggers[0].function, "keep");
    EXPECT_FALSE(t.delete_triggers[1].enabled);
    EXPECT_FALSE(t.delete_triggers[1].may_keep_rows);
    EXPECT_EQ(t.delete_triggers[2].timing, trigger_timing::after);
    EXPECT_FALSE(t.delete_triggers[3].may_keep_rows);
    EXPECT_EQ(found.find({"", "u"})->delete_rules, texts{"no_delete"});
    EXPECT_TRUE(key_of(found, "t", "p")->enforced);
    EXPECT_FALSE(key_of(found, "u", "p")->validated);
    EXPECT_TRUE(key_of(found, "u", "p")->enforced);
    EXPECT_EQ(key_of(found, "t", "p")->name, "t_p");
    database.run("ALTER TABLE t DISABLE TRIGGER ALL");
    EXPECT_FALSE(key_of(facts_of(database, {{"", "t"}}), "t", "p")->enforced);
}

TEST(postgres_schema, knows_indexes_that_no_query_uses) {
    const fresh_postgres database;
    database.run(
        "CREATE TABLE t (id integer PRIMARY KEY, p integer); INSERT INTO t VALUES (1, 1), (2, 1); CREATE INDEX by_hash ON t USING hash (p)");
    const winnow::connection_ptr session = database.open();
    EXPECT_THROW((void)session->execute_once("CREATE UNIQUE INDEX CONCURRENTLY broken ON t (p)", {}), winnow::error);
    const table_facts table = facts_of(database, "t");
    for (const winnow::index_facts& index : table.indexes) {
        EXPECT_EQ(index.valid, index.name != "broken") << index.name;
        EXPECT_EQ(index.ordered, index.name != "by_hash") << index.name;
    }
    EXPECT_EQ(table.indexes.size(), 3U);
}

TEST(postgres_schema, resolves_domains) {
    const fresh_postgres database;
    database.run(
        "CREATE DOMAIN tenant AS bigint NOT NULL; CREATE TABLE t (id integer PRIMARY KEY, tenant tenant, name varchar(20), at timestamptz)");
    const table_facts table = facts_of(database, "t");
    EXPECT_EQ(table.column("tenant")->type, "bigint");
    EXPECT_TRUE(table.column("tenant")->not_null);
    EXPECT_EQ(table.column("name")->type, "character varying");
    EXPECT_EQ(table.column("at")->type, "timestamp with time zone");
}

TEST(postgres_schema, sees_with_the_eyes_of_its_role) {
    const fresh_postgres database;
    const std::string role = unused_name();
    database.run("CREATE TABLE open (id integer PRIMARY KEY, n integer); CREATE TABLE hidden (id integer PRIMARY KEY);"
                 "CREATE TABLE closed (id integer PRIMARY KEY); CREATE ROLE " +
                 role +
                 " LOGIN;"
                 "GRANT SELECT, DELETE, UPDATE (n) ON open TO " +
                 role + "; GRANT SELECT, DELETE ON hidden TO " + role +
                 ";"
                 "ALTER TABLE hidden ENABLE ROW LEVEL SECURITY; CREATE POLICY none ON hidden USING (false)");
    EXPECT_FALSE(facts_of(database, "hidden").row_security) << "the owner sees all rows";
    {
        const winnow::connection_ptr session = winnow::open_connector(database.url_as(role), drivers)->open();
        const std::vector<table_name> wanted{{"", "open"}, {"", "hidden"}, {"", "closed"}};
        const schema_facts found = winnow::inspect(*session, wanted);
        ASSERT_EQ(found.tables.size(), 3U);
        EXPECT_TRUE(found.tables[0].may_select && found.tables[0].may_delete && found.tables[0].may_lock);
        EXPECT_FALSE(found.tables[0].row_security);
        EXPECT_TRUE(found.tables[1].row_security);
        EXPECT_TRUE(found.tables[1].may_delete);
        EXPECT_FALSE(found.tables[1].may_lock);
        EXPECT_FALSE(found.tables[2].may_select || found.tables[2].may_delete || found.tables[2].may_lock);
    }
    database.run("DROP OWNED BY " + role + "; DROP ROLE " + role);
}

TEST(postgres_schema, finds_published_tables_that_cannot_publish_a_delete) {
    const fresh_postgres database;
    database.run(
        "CREATE TABLE bare (id integer); CREATE TABLE keyed (id integer PRIMARY KEY); CREATE TABLE full_row (id integer);"
        "ALTER TABLE full_row REPLICA IDENTITY FULL; CREATE TABLE nothing (id integer PRIMARY KEY); ALTER TABLE nothing REPLICA IDENTITY NOTHING;"
        "CREATE TABLE inserts (id integer); CREATE PUBLICATION pubx FOR TABLE bare, keyed, full_row, nothing;"
        "CREATE PUBLICATION puby FOR TABLE inserts WITH (publish = 'insert')");
    EXPECT_EQ(facts_of(database, "bare").publication_without_identity, "pubx");
    EXPECT_EQ(facts_of(database, "nothing").publication_without_identity, "pubx");
    EXPECT_EQ(facts_of(database, "keyed").publication_without_identity, "");
    EXPECT_EQ(facts_of(database, "full_row").publication_without_identity, "");
    EXPECT_EQ(facts_of(database, "inserts").publication_without_identity, "");
}

TEST(postgres_schema, a_key_of_a_partitioned_table_counts_once) {
    const fresh_postgres database;
    database.run(
        "CREATE TABLE p (id integer PRIMARY KEY); CREATE TABLE c (id integer, p integer REFERENCES p) PARTITION BY RANGE (id);"
        "CREATE TABLE c1 PARTITION OF c FOR VALUES FROM (0) TO (10); CREATE TABLE c2 PARTITION OF c FOR VALUES FROM (10) TO (20)");
    EXPECT_EQ(facts_of(database, {{"", "p"}}).foreign_keys.size(), 1U);
    EXPECT_EQ(facts_of(database, {{"", "c"}}).foreign_keys.size(), 1U);
}

}  // namespace
