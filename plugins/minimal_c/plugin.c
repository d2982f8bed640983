/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin in plain C, by hand: two tables whose rows belong to a project of the tracker and go with it. Stamps go in bulk;
 * visits go row by row, since a hook looks at each. */
#include "winnow/abi/winnow.h"

/* Both models have these columns, in this order. */
enum { COLUMN_ID = 0, COLUMN_PROJECT_ID = 1, COLUMN_TEXT = 2 };

static const winnow_column columns[] = {
    {WINNOW_BOTH("id"), WINNOW_BOTH("\"id\""), WINNOW_KIND_INTEGER64, 0},
    {WINNOW_BOTH("project_id"), WINNOW_BOTH("\"project_id\""), WINNOW_KIND_INTEGER64, 0},
    {WINNOW_BOTH("text"), WINNOW_BOTH("\"text\""), WINNOW_KIND_TEXT, 1},
};
static const uint16_t primary_key[] = {COLUMN_ID};

/* A set of keys is one array on PostgreSQL and one JSON array on SQLite. SQLite has one writer: what locks rows there
 * reads the same as what does not. */
#define P_IN(column, number) "\"" column "\" = ANY($" #number "::bigint[])"
#define S_IN(column, number) "\"" column "\" IN (SELECT value FROM json_each(?" #number "))"

/* Statements over a table's own rows. */
#define ROW_STATEMENTS(table)                                                                                        \
    {                                                                                                                \
        .size = sizeof(winnow_row_statements),                                                                       \
        .read = {WINNOW_TEXT("SELECT \"id\", \"project_id\", \"text\" FROM \"" table                                 \
                             "\" WHERE " P_IN("id", 1) " ORDER BY \"id\""),                                          \
                 WINNOW_TEXT("SELECT \"id\", \"project_id\", \"text\" FROM \"" table                                 \
                             "\" WHERE " S_IN("id", 1) " ORDER BY \"id\"")},                                         \
        .lock = {WINNOW_TEXT("SELECT \"id\" FROM \"" table "\" WHERE " P_IN("id", 1) " ORDER BY \"id\" FOR UPDATE"), \
                 WINNOW_TEXT("SELECT \"id\" FROM \"" table "\" WHERE " S_IN("id", 1) " ORDER BY \"id\"")},           \
        .hold = {WINNOW_TEXT("SELECT \"id\", \"project_id\", \"text\" FROM \"" table                                 \
                             "\" WHERE " P_IN("id", 1) " ORDER BY \"id\" FOR NO KEY UPDATE"),                        \
                 WINNOW_TEXT("SELECT \"id\", \"project_id\", \"text\" FROM \"" table                                 \
                             "\" WHERE " S_IN("id", 1) " ORDER BY \"id\"")},                                         \
        .remove = {WINNOW_TEXT("DELETE FROM \"" table "\" WHERE " P_IN("id", 1)),                                    \
                   WINNOW_TEXT("DELETE FROM \"" table "\" WHERE " S_IN("id", 1))},                                   \
        .count = {WINNOW_TEXT("SELECT count(*) FROM \"" table "\" WHERE " P_IN("id", 1)),                            \
                  WINNOW_TEXT("SELECT count(*) FROM \"" table "\" WHERE " S_IN("id", 1))},                           \
    }

/* Statements over the table's rows that belong to some projects. Where there are two sets, the keys come first. */
#define P_OF P_IN("project_id", 1)
#define S_OF S_IN("project_id", 1)
#define CHILD_STATEMENTS(table)                                                                                       \
    {                                                                                                                 \
        .size = sizeof(winnow_relation_statements),                                                                   \
        .fetch_first = {WINNOW_TEXT("SELECT \"id\" FROM \"" table "\" WHERE " P_OF " ORDER BY \"id\" LIMIT $2"),      \
                        WINNOW_TEXT("SELECT \"id\" FROM \"" table "\" WHERE " S_OF " ORDER BY \"id\" LIMIT ?2")},     \
        .fetch_next = {WINNOW_TEXT("SELECT \"id\" FROM \"" table "\" WHERE " P_OF                                     \
                                   " AND \"id\" > $2 ORDER BY \"id\" LIMIT $3"),                                      \
                       WINNOW_TEXT("SELECT \"id\" FROM \"" table "\" WHERE " S_OF                                     \
                                   " AND \"id\" > ?2 ORDER BY \"id\" LIMIT ?3")},                                     \
        .lock = {WINNOW_TEXT("SELECT \"id\" FROM \"" table                                                            \
                             "\" WHERE " P_IN("id", 1) " AND " P_IN("project_id", 2) " ORDER BY \"id\" FOR UPDATE"),  \
                 WINNOW_TEXT("SELECT \"id\" FROM \"" table                                                            \
                             "\" WHERE " S_IN("id", 1) " AND " S_IN("project_id", 2) " ORDER BY \"id\"")},            \
        .hold = {WINNOW_TEXT("SELECT \"id\" FROM \"" table "\" WHERE " P_IN("id", 1) " AND " P_IN(                    \
                     "project_id", 2) " ORDER BY \"id\" FOR NO KEY UPDATE"),                                          \
                 WINNOW_TEXT("SELECT \"id\" FROM \"" table                                                            \
                             "\" WHERE " S_IN("id", 1) " AND " S_IN("project_id", 2) " ORDER BY \"id\"")},            \
        .remove = {WINNOW_TEXT("DELETE FROM \"" table "\" WHERE " P_OF),                                              \
                   WINNOW_TEXT("DELETE FROM \"" table "\" WHERE " S_OF)},                                             \
        .remove_some = {WINNOW_TEXT("DELETE FROM \"" table "\" WHERE ctid = ANY(ARRAY(SELECT ctid FROM \"" table      \
                                    "\" WHERE " P_OF " LIMIT $2)) AND " P_OF),                                        \
                        WINNOW_TEXT("DELETE FROM \"" table "\" WHERE rowid IN (SELECT rowid FROM \"" table            \
                                    "\" WHERE " S_OF " LIMIT ?2)")},                                                  \
        .remove_some_by_key = {WINNOW_TEXT("DELETE FROM \"" table                                                     \
                                           "\" WHERE \"id\" = ANY(ARRAY(SELECT \"id\" FROM \"" table "\" WHERE " P_OF \
                                           " LIMIT $2)) AND " P_OF),                                                  \
                               WINNOW_TEXT("DELETE FROM \"" table "\" WHERE \"id\" IN (SELECT \"id\" FROM \"" table   \
                                           "\" WHERE " S_OF " LIMIT ?2)")},                                           \
        .remove_unlocked = {WINNOW_TEXT("DELETE FROM \"" table "\" WHERE ctid = ANY(ARRAY(SELECT ctid FROM \"" table  \
                                        "\" WHERE " P_OF " LIMIT $2 FOR UPDATE SKIP LOCKED)) AND " P_OF),             \
                            WINNOW_TEXT("DELETE FROM \"" table "\" WHERE rowid IN (SELECT rowid FROM \"" table        \
                                        "\" WHERE " S_OF " LIMIT ?2)")},                                              \
        .count = {WINNOW_TEXT("SELECT count(*) FROM (SELECT 1 FROM \"" table "\" WHERE " P_OF                         \
                              " LIMIT $2) AS counted"),                                                               \
                  WINNOW_TEXT("SELECT count(*) FROM (SELECT 1 FROM \"" table "\" WHERE " S_OF                         \
                              " LIMIT ?2) AS counted")},                                                              \
        .exists = {WINNOW_TEXT("SELECT EXISTS (SELECT 1 FROM \"" table "\" WHERE " P_OF ")::integer"),                \
                   WINNOW_TEXT("SELECT EXISTS (SELECT 1 FROM \"" table "\" WHERE " S_OF ")")},                        \
    }

static const winnow_row_statements stamp_rows = ROW_STATEMENTS("minimal_stamp");
static const winnow_row_statements visit_rows = ROW_STATEMENTS("minimal_visit");
static const winnow_relation_statements stamp_children = CHILD_STATEMENTS("minimal_stamp");
static const winnow_relation_statements visit_children = CHILD_STATEMENTS("minimal_visit");

/* Where a model attaches itself: by the key of the parent's model, whose headers are not needed. */
static const winnow_relation stamp_of_project = {
    .kind = WINNOW_RELATION_CASCADE,
    .parent = WINNOW_TEXT("tracker.Project"),
    .child = WINNOW_TEXT("minimal.Stamp"),
    .columns = {&columns[COLUMN_PROJECT_ID], 1, sizeof(winnow_column)},
    .statements = &stamp_children,
};
static const winnow_relation visit_of_project = {
    .kind = WINNOW_RELATION_CASCADE,
    .parent = WINNOW_TEXT("tracker.Project"),
    .child = WINNOW_TEXT("minimal.Visit"),
    .columns = {&columns[COLUMN_PROJECT_ID], 1, sizeof(winnow_column)},
    .statements = &visit_children,
};

/* Called for each visit, in the transaction that deletes it. A visit whose text is "keep" stays, and its project with it,
 * until somebody changes that. */
static winnow_status before_visit_goes(const void* state, const winnow_row* row, const winnow_host_deletion* deletion,
                                       const winnow_host_call* call) {
    static const char keep[] = {'k', 'e', 'e', 'p'};
    const winnow_value* text = &row->values[COLUMN_TEXT];
    size_t at = 0;
    (void)state;
    (void)deletion;
    if (text->holds != WINNOW_VALUE_TEXT || text->as.text.size != sizeof keep) return WINNOW_OK;
    while (at < sizeof keep && text->as.text.data[at] == keep[at]) ++at;
    if (at < sizeof keep) return WINNOW_OK;
    call->set_error(call, (winnow_text)WINNOW_TEXT("this visit is marked \"keep\"; change its text first"));
    return WINNOW_FAILED;
}

static const winnow_hooks visit_hooks = {
    .size = sizeof(winnow_hooks),
    .before_delete = {before_visit_goes, NULL},
};

static const winnow_plan plans[] = {
    {
        .key = WINNOW_TEXT("minimal.Stamp"),
        .table = WINNOW_BOTH("minimal_stamp"),
        .quoted_table = WINNOW_BOTH("\"minimal_stamp\""),
        .silo = WINNOW_SILO_CELL,
        .strategy = WINNOW_STRATEGY_BULK,
        .strategy_reason = WINNOW_TEXT("nothing is below a stamp, and nobody looks at it"),
        .chunk_size = 10000,
        .query_limit = 10000,
        .birth = WINNOW_NO_COLUMN,
        .columns = {columns, sizeof columns / sizeof *columns, sizeof *columns},
        .primary_key = {primary_key, 1},
        .identity = {primary_key, 1},
        .attached = {&stamp_of_project, 1, sizeof(winnow_relation)},
        .statements = &stamp_rows,
    },
    {
        .key = WINNOW_TEXT("minimal.Visit"),
        .table = WINNOW_BOTH("minimal_visit"),
        .quoted_table = WINNOW_BOTH("\"minimal_visit\""),
        .silo = WINNOW_SILO_CELL,
        .strategy = WINNOW_STRATEGY_PER_ROW,
        .strategy_reason = WINNOW_TEXT("a hook looks at each visit"),
        .chunk_size = 1000,
        .query_limit = 1000,
        .birth = WINNOW_NO_COLUMN,
        .columns = {columns, sizeof columns / sizeof *columns, sizeof *columns},
        .primary_key = {primary_key, 1},
        .identity = {primary_key, 1},
        .attached = {&visit_of_project, 1, sizeof(winnow_relation)},
        .hooks = &visit_hooks,
        .statements = &visit_rows,
    },
};

/* Its own tables. A released step never changes; new ones are appended. */
#define P_TABLE(table)                                                                                   \
    "CREATE TABLE " table " (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, project_id bigint " \
    "NOT NULL REFERENCES tracker_project (id), text text); CREATE INDEX " table "_project_id ON " table  \
    " (project_id); "
#define S_TABLE(table)                                                                        \
    "CREATE TABLE " table " (id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES " \
    "tracker_project (id), text TEXT); CREATE INDEX " table "_project_id ON " table " (project_id); "

static const winnow_migration steps[] = {
    {WINNOW_TEXT("stamps and visits"),
     WINNOW_SILO_CELL,
     0,
     {WINNOW_TEXT(P_TABLE("minimal_stamp") P_TABLE("minimal_visit")),
      WINNOW_TEXT(S_TABLE("minimal_stamp") S_TABLE("minimal_visit"))}},
};
static const winnow_migrations migrations = {
    sizeof(winnow_migrations), 0, steps, sizeof steps / sizeof *steps, sizeof *steps,
};

static int is_same(winnow_text a, const char* b, size_t size) {
    size_t at = 0;
    if (a.size != size) return 0;
    while (at < size && a.data[at] == b[at]) ++at;
    return at == size;
}

static const void* get_capability(winnow_text id, uint32_t revision) {
    if (revision != 1) return NULL;
    if (is_same(id, WINNOW_CAPABILITY_MIGRATIONS, sizeof WINNOW_CAPABILITY_MIGRATIONS - 1)) return &migrations;
    return NULL;
}

const winnow_plugin_entry winnow_plugin = {
    .size = sizeof(winnow_plugin_entry),
    .abi_version = WINNOW_ABI_VERSION,
    .name = WINNOW_TEXT("minimal_c"),
    .version = WINNOW_TEXT("1.0.0"),
    .description = WINNOW_TEXT("Stamps and visits of projects, in plain C"),
    .plans = {plans, sizeof plans / sizeof *plans, sizeof *plans},
    .get_capability = get_capability,
};
