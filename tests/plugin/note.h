/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin in C that is right: one bulk leaf, a table `note` of (id, topic_id), which attaches itself to app.Topic. What a
 * test wants to be different it defines before it includes this file. */
#include <winnow/abi/winnow.h>

#ifndef NOTE_NAME
#define NOTE_NAME "note"
#endif
#ifndef NOTE_KEY
#define NOTE_KEY "note.Note"
#endif
#ifndef NOTE_TABLE
#define NOTE_TABLE "note"
#endif
#ifndef NOTE_PARENT
#define NOTE_PARENT "app.Topic"
#endif
#ifndef NOTE_PARENT_OPTIONAL
#define NOTE_PARENT_OPTIONAL 1
#endif
#ifndef NOTE_SILO
#define NOTE_SILO WINNOW_SILO_CELL
#endif
#ifndef NOTE_STRATEGY
#define NOTE_STRATEGY WINNOW_STRATEGY_BULK
#endif
#ifndef NOTE_RELATIONS
#define NOTE_RELATIONS {0, 0, 0}
#endif
#ifndef NOTE_HOOKS
#define NOTE_HOOKS 0
#endif
#ifndef NOTE_CAPABILITY
#define NOTE_CAPABILITY 0
#endif
#ifndef NOTE_START
#define NOTE_START 0
#endif
#ifndef NOTE_STOP
#define NOTE_STOP 0
#endif
#ifndef NOTE_SIZE
#define NOTE_SIZE sizeof(winnow_plugin_entry)
#endif
#ifndef NOTE_ABI
#define NOTE_ABI WINNOW_ABI_VERSION
#endif
#ifndef NOTE_NAME_TEXT
#define NOTE_NAME_TEXT WINNOW_TEXT(NOTE_NAME)
#endif
#ifndef NOTE_KEY_TEXT
#define NOTE_KEY_TEXT WINNOW_TEXT(NOTE_KEY)
#endif
/* What SQLite deletes all children by. */
#ifndef NOTE_REMOVE_SQLITE
#define NOTE_REMOVE_SQLITE \
    WINNOW_TEXT("DELETE FROM \"" NOTE_TABLE "\" WHERE \"topic_id\" IN (SELECT value FROM json_each(?1))")
#endif

#define NOTE_NONE {{0, 0}, {0, 0}}

static const winnow_column columns[] = {
    {WINNOW_BOTH("id"), WINNOW_BOTH("\"id\""), WINNOW_KIND_INTEGER64, 0},
    {WINNOW_BOTH("topic_id"), WINNOW_BOTH("\"topic_id\""), WINNOW_KIND_INTEGER64, NOTE_PARENT_OPTIONAL}};
static const uint16_t key[] = {0};

static const winnow_row_statements rows = {
    sizeof(winnow_row_statements),
    0,
    /* read */
    {WINNOW_TEXT("SELECT \"id\", \"topic_id\" FROM \"" NOTE_TABLE
                 "\" WHERE \"id\" = ANY($1::bigint[]) ORDER BY \"id\""),
     WINNOW_TEXT("SELECT \"id\", \"topic_id\" FROM \"" NOTE_TABLE
                 "\" WHERE \"id\" IN (SELECT value FROM json_each(?1)) ORDER BY \"id\"")},
    /* lock */
    {WINNOW_TEXT("SELECT \"id\" FROM \"" NOTE_TABLE "\" WHERE \"id\" = ANY($1::bigint[]) ORDER BY \"id\" FOR UPDATE"),
     WINNOW_TEXT("SELECT \"id\" FROM \"" NOTE_TABLE
                 "\" WHERE \"id\" IN (SELECT value FROM json_each(?1)) ORDER BY \"id\"")},
    /* hold */
    {WINNOW_TEXT("SELECT \"id\", \"topic_id\" FROM \"" NOTE_TABLE
                 "\" WHERE \"id\" = ANY($1::bigint[]) ORDER BY \"id\" FOR NO KEY UPDATE"),
     WINNOW_TEXT("SELECT \"id\", \"topic_id\" FROM \"" NOTE_TABLE
                 "\" WHERE \"id\" IN (SELECT value FROM json_each(?1)) ORDER BY \"id\"")},
    /* remove */
    {WINNOW_TEXT("DELETE FROM \"" NOTE_TABLE "\" WHERE \"id\" = ANY($1::bigint[])"),
     WINNOW_TEXT("DELETE FROM \"" NOTE_TABLE "\" WHERE \"id\" IN (SELECT value FROM json_each(?1))")},
    /* count */
    {WINNOW_TEXT("SELECT count(*) FROM \"" NOTE_TABLE "\" WHERE \"id\" = ANY($1::bigint[])"),
     WINNOW_TEXT("SELECT count(*) FROM \"" NOTE_TABLE "\" WHERE \"id\" IN (SELECT value FROM json_each(?1))")},
    /* mark */ NOTE_NONE};

/* NOTE_ROOT: it attaches itself to nothing. */
#ifndef NOTE_ROOT
static const winnow_relation_statements below = {
    sizeof(winnow_relation_statements),
    0,
    /* fetch_first */
    {WINNOW_TEXT("SELECT \"id\" FROM \"" NOTE_TABLE
                 "\" WHERE \"topic_id\" = ANY($1::bigint[]) ORDER BY \"id\" LIMIT $2"),
     WINNOW_TEXT("SELECT \"id\" FROM \"" NOTE_TABLE
                 "\" WHERE \"topic_id\" IN (SELECT value FROM json_each(?1)) ORDER BY \"id\" LIMIT ?2")},
    /* fetch_next */
    {WINNOW_TEXT("SELECT \"id\" FROM \"" NOTE_TABLE
                 "\" WHERE \"topic_id\" = ANY($1::bigint[]) AND \"id\" > $2 ORDER BY \"id\" LIMIT $3"),
     WINNOW_TEXT(
         "SELECT \"id\" FROM \"" NOTE_TABLE
         "\" WHERE \"topic_id\" IN (SELECT value FROM json_each(?1)) AND \"id\" > ?2 ORDER BY \"id\" LIMIT ?3")},
    /* lock */
    {WINNOW_TEXT("SELECT \"id\" FROM \"" NOTE_TABLE
                 "\" WHERE \"id\" = ANY($1::bigint[]) AND \"topic_id\" = ANY($2::bigint[]) ORDER BY \"id\" FOR UPDATE"),
     WINNOW_TEXT(
         "SELECT \"id\" FROM \"" NOTE_TABLE
         "\" WHERE \"id\" IN (SELECT value FROM json_each(?1)) AND \"topic_id\" IN (SELECT value FROM json_each(?2)) ORDER BY \"id\"")},
    /* hold */
    {WINNOW_TEXT(
         "SELECT \"id\" FROM \"" NOTE_TABLE
         "\" WHERE \"id\" = ANY($1::bigint[]) AND \"topic_id\" = ANY($2::bigint[]) ORDER BY \"id\" FOR NO KEY UPDATE"),
     WINNOW_TEXT(
         "SELECT \"id\" FROM \"" NOTE_TABLE
         "\" WHERE \"id\" IN (SELECT value FROM json_each(?1)) AND \"topic_id\" IN (SELECT value FROM json_each(?2)) ORDER BY \"id\"")},
    /* remove */
    {WINNOW_TEXT("DELETE FROM \"" NOTE_TABLE "\" WHERE \"topic_id\" = ANY($1::bigint[])"), NOTE_REMOVE_SQLITE},
    /* remove_some */
    {WINNOW_TEXT("DELETE FROM \"" NOTE_TABLE "\" WHERE ctid = ANY(ARRAY(SELECT ctid FROM \"" NOTE_TABLE
                 "\" WHERE \"topic_id\" = ANY($1::bigint[]) LIMIT $2)) AND \"topic_id\" = ANY($1::bigint[])"),
     WINNOW_TEXT("DELETE FROM \"" NOTE_TABLE "\" WHERE rowid IN (SELECT rowid FROM \"" NOTE_TABLE
                 "\" WHERE \"topic_id\" IN (SELECT value FROM json_each(?1)) LIMIT ?2)")},
    /* remove_some_by_key */
    {WINNOW_TEXT("DELETE FROM \"" NOTE_TABLE "\" WHERE \"id\" = ANY(ARRAY(SELECT \"id\" FROM \"" NOTE_TABLE
                 "\" WHERE \"topic_id\" = ANY($1::bigint[]) LIMIT $2)) AND \"topic_id\" = ANY($1::bigint[])"),
     WINNOW_TEXT("DELETE FROM \"" NOTE_TABLE "\" WHERE \"id\" IN (SELECT \"id\" FROM \"" NOTE_TABLE
                 "\" WHERE \"topic_id\" IN (SELECT value FROM json_each(?1)) LIMIT ?2)")},
    /* remove_unlocked */
    {WINNOW_TEXT(
         "DELETE FROM \"" NOTE_TABLE "\" WHERE ctid = ANY(ARRAY(SELECT ctid FROM \"" NOTE_TABLE
         "\" WHERE \"topic_id\" = ANY($1::bigint[]) LIMIT $2 FOR UPDATE SKIP LOCKED)) AND \"topic_id\" = ANY($1::bigint[])"),
     WINNOW_TEXT("DELETE FROM \"" NOTE_TABLE "\" WHERE rowid IN (SELECT rowid FROM \"" NOTE_TABLE
                 "\" WHERE \"topic_id\" IN (SELECT value FROM json_each(?1)) LIMIT ?2)")},
    /* nullify */
    {WINNOW_TEXT("UPDATE \"" NOTE_TABLE "\" SET \"topic_id\" = NULL WHERE \"topic_id\" = ANY($1::bigint[])"),
     WINNOW_TEXT("UPDATE \"" NOTE_TABLE
                 "\" SET \"topic_id\" = NULL WHERE \"topic_id\" IN (SELECT value FROM json_each(?1))")},
    /* nullify_some */ NOTE_NONE,
    /* nullify_keys */ NOTE_NONE,
    /* count */
    {WINNOW_TEXT("SELECT count(*) FROM (SELECT 1 FROM \"" NOTE_TABLE
                 "\" WHERE \"topic_id\" = ANY($1::bigint[]) LIMIT $2) AS counted"),
     WINNOW_TEXT("SELECT count(*) FROM (SELECT 1 FROM \"" NOTE_TABLE
                 "\" WHERE \"topic_id\" IN (SELECT value FROM json_each(?1)) LIMIT ?2) AS counted")},
    /* exists */
    {WINNOW_TEXT("SELECT EXISTS (SELECT 1 FROM \"" NOTE_TABLE "\" WHERE \"topic_id\" = ANY($1::bigint[]))::integer"),
     WINNOW_TEXT("SELECT EXISTS (SELECT 1 FROM \"" NOTE_TABLE
                 "\" WHERE \"topic_id\" IN (SELECT value FROM json_each(?1)))")},
    /* descend */ NOTE_NONE,
    /* reach_outside */ NOTE_NONE};

static const winnow_relation attached[] = {{WINNOW_RELATION_CASCADE,
                                            0,
                                            WINNOW_TEXT(NOTE_PARENT),
                                            NOTE_KEY_TEXT,
                                            {columns + 1, 1, sizeof(winnow_column)},
                                            {0, 0, 0},
                                            {0, 0, 0},
                                            {0, 0},
                                            {0, 0},
                                            {0, 0},
                                            &below}};

#endif

#ifdef NOTE_ROOT
#define NOTE_ATTACHED {0, 0, 0}
#else
#define NOTE_ATTACHED {attached, sizeof attached / sizeof attached[0], sizeof(winnow_relation)}
#endif

#ifdef NOTE_MORE
/* Definitions that the macros above speak of. */
NOTE_MORE
#endif

static const winnow_plan plans[] = {{NOTE_KEY_TEXT,
                                     NOTE_NONE,
                                     WINNOW_BOTH(NOTE_TABLE),
                                     WINNOW_BOTH("\"" NOTE_TABLE "\""),
                                     NOTE_SILO,
                                     NOTE_STRATEGY,
                                     WINNOW_TEXT("said by the test"),
                                     100,
                                     100,
                                     0,
                                     WINNOW_NO_COLUMN,
                                     {0, 0},
                                     {columns, 2, sizeof(winnow_column)},
                                     {key, 1},
                                     {key, 1},
                                     0,
                                     NOTE_RELATIONS,
                                     NOTE_ATTACHED,
                                     NOTE_HOOKS,
                                     &rows,
                                     0,
                                     {0, 0, 0}}};

#ifndef NOTE_OWN_ENTRY
const winnow_plugin_entry winnow_plugin = {NOTE_SIZE,
                                           NOTE_ABI,
                                           NOTE_NAME_TEXT,
                                           WINNOW_TEXT("1.0.0"),
                                           WINNOW_TEXT("notes about topics"),
                                           {plans, 1, sizeof(winnow_plan)},
                                           NOTE_CAPABILITY,
                                           NOTE_START,
                                           NOTE_STOP};
#endif
