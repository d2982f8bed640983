/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WINNOW_ABI_PLAN_H
#define WINNOW_ABI_PLAN_H

#include "winnow/abi/host.h"
#include "winnow/abi/types.h"

/* One model as plain data: the mirror of winnow/plan/plan.hpp, whose comments say more about each field. All of it is
 * made by the plugin, constant, and valid as long as the library is loaded. A list with count 0 has null items. */

#ifdef __cplusplus
extern "C" {
#endif

/* Lists. Frozen; `item_size` is sizeof of one item in the plugin's headers. */
typedef struct winnow_text_list {
    const winnow_text* items; /* @owner plugin */
    size_t count;
} winnow_text_list;

typedef struct winnow_index_list {
    const uint16_t* items; /* @owner plugin; indices into the columns of the plan */
    size_t count;
} winnow_index_list;

/* One column of a table. */
typedef struct winnow_column {
    winnow_dialect_text name;   /* as the database spells it */
    winnow_dialect_text quoted; /* the same, quoted for use in statements */
    uint32_t kind;              /* WINNOW_KIND_... */
    uint32_t optional;          /* 1: may be null, 0: may not */
} winnow_column;

typedef struct winnow_column_list {
    const winnow_column* items; /* @owner plugin */
    size_t count;
    size_t item_size;
} winnow_column_list;

/* A constant that a relation's child rows must carry: the type column of a generic foreign key. */
typedef struct winnow_filter {
    winnow_column_list where; /* exactly one, of the child */
    winnow_text literal;      /* the SQL literal, quoted, the same for both kinds of database, @owner plugin */
} winnow_filter;

typedef struct winnow_filter_list {
    const winnow_filter* items; /* @owner plugin */
    size_t count;
    size_t item_size;
} winnow_filter_list;

/* A yes-or-no question about one row. Frozen. */
typedef struct winnow_row_predicate {
    /* Sets `answer` to 0 or 1. Null: no such hook.
     * @thread worker
     * @owner  plugin owns `state`; host owns everything else, until the call returns
     * @fails  WINNOW_FAILED: the chunk is rolled back and the deletion counts a failed attempt */
    winnow_status (*call)(const void* state, const winnow_row* row, const winnow_host_deletion* deletion,
                          const winnow_host_call* call, int32_t* answer);
    const void* state; /* @owner plugin; handed back untouched */
} winnow_row_predicate;

/* Something to be done for one row. Frozen. */
typedef struct winnow_row_action {
    /* Null: no such hook.
     * @thread worker
     * @owner  plugin owns `state`; host owns everything else, until the call returns
     * @fails  WINNOW_FAILED: the chunk is rolled back and the deletion counts a failed attempt */
    winnow_status (*call)(const void* state, const winnow_row* row, const winnow_host_deletion* deletion,
                          const winnow_host_call* call);
    const void* state; /* @owner plugin; handed back untouched */
} winnow_row_action;

/* Clears what is not in the database, for a set of parent keys. Frozen. */
typedef struct winnow_external_task {
    /* Sets `more` to 1 while something is left, to 0 when all is clear. Called before the rows go, and again with the same
     * keys after a crash: it must be idempotent.
     * @thread worker
     * @owner  plugin owns `state`; host owns everything else, until the call returns
     * @fails  WINNOW_FAILED: the rows stay and the deletion counts a failed attempt */
    winnow_status (*call)(const void* state, const winnow_key_set* keys, const winnow_host_deletion* deletion,
                          const winnow_host_call* call, int32_t* more);
    const void* state; /* @owner plugin; handed back untouched */
} winnow_external_task;

/* Statements of one relation, over the child's table. What each takes and gives is said in the documentation of the
 * contract and in winnow/plan/relation.hpp; a statement that the relation has no use for is empty. */
typedef struct winnow_relation_statements {
    uint32_t size; /* sizeof(winnow_relation_statements) of the plugin's headers */
    uint32_t reserved;
    winnow_dialect_text fetch_first;
    winnow_dialect_text fetch_next;
    winnow_dialect_text lock;
    winnow_dialect_text hold;
    winnow_dialect_text remove;
    winnow_dialect_text remove_some;
    winnow_dialect_text remove_some_by_key;
    winnow_dialect_text remove_unlocked;
    winnow_dialect_text nullify;
    winnow_dialect_text nullify_some;
    winnow_dialect_text nullify_keys;
    winnow_dialect_text count;
    winnow_dialect_text exists;
    winnow_dialect_text descend;
    winnow_dialect_text reach_outside;
} winnow_relation_statements;

/* What happens to the rows below when a row is deleted. */
enum {
    WINNOW_RELATION_CASCADE = 1,
    WINNOW_RELATION_SET_NULL = 2,
    WINNOW_RELATION_RESTRICT = 3,
    WINNOW_RELATION_DO_NOTHING = 4,
    WINNOW_RELATION_EXTERNAL = 5
};

/* One edge of the graph, seen from the parent. */
typedef struct winnow_relation {
    uint32_t kind; /* WINNOW_RELATION_... */
    uint32_t reserved;
    winnow_text parent;            /* key of the parent's model */
    winnow_text child;             /* key of the child's model; the task's name for WINNOW_RELATION_EXTERNAL */
    winnow_column_list columns;    /* of the child, that refer to the parent */
    winnow_column_list referenced; /* of the parent; none: its primary key */
    winnow_filter_list filters;
    winnow_text_list skips;                       /* keys of models that are left out everywhere below */
    winnow_row_predicate applies;                 /* parent rows for which it says no do not have this relation */
    winnow_external_task external;                /* WINNOW_RELATION_EXTERNAL only */
    const winnow_relation_statements* statements; /* @owner plugin; null for WINNOW_RELATION_EXTERNAL */
} winnow_relation;

typedef struct winnow_relation_list {
    const winnow_relation* items; /* @owner plugin */
    size_t count;
    size_t item_size;
} winnow_relation_list;

/* Statements over one model's own rows. */
typedef struct winnow_row_statements {
    uint32_t size; /* sizeof(winnow_row_statements) of the plugin's headers */
    uint32_t reserved;
    winnow_dialect_text read;
    winnow_dialect_text lock;
    winnow_dialect_text hold;
    winnow_dialect_text remove;
    winnow_dialect_text count;
    winnow_dialect_text mark; /* empty without a status column */
} winnow_row_statements;

/* Where a model keeps its status, and the values that winnow writes there. */
typedef struct winnow_status_column {
    uint32_t size;   /* sizeof(winnow_status_column) of the plugin's headers */
    uint32_t column; /* index into the columns of the plan */
    int64_t active;
    int64_t pending;
    int64_t in_progress;
} winnow_status_column;

/* User code of one model; all are optional. */
typedef struct winnow_hooks {
    uint32_t size; /* sizeof(winnow_hooks) of the plugin's headers */
    uint32_t reserved;
    winnow_row_predicate should_proceed;
    winnow_row_action pending_delete;
    winnow_row_action before_delete;
    winnow_row_action after_delete;
} winnow_hooks;

/* Stands in `winnow_mirrored_column::source` for the name of the cell that the row comes from. */
#define WINNOW_SOURCE_CELL_NAME 0xFFFFu

/* One column of a mirror's table and where its value comes from. */
typedef struct winnow_mirrored_column {
    uint32_t source;           /* index into the columns of the replicated model, or WINNOW_SOURCE_CELL_NAME */
    uint32_t identifies;       /* 1: one of the columns that the mirror's row is found by */
    winnow_column_list target; /* exactly one, of the mirror's table */
} winnow_mirrored_column;

typedef struct winnow_mirrored_column_list {
    const winnow_mirrored_column* items; /* @owner plugin */
    size_t count;
    size_t item_size;
} winnow_mirrored_column_list;

/* The table in the other silo that holds copies of a model's rows. */
typedef struct winnow_mirror {
    uint32_t size; /* sizeof(winnow_mirror) of the plugin's headers */
    uint32_t reserved;
    winnow_text model; /* key of the mirror's own model */
    winnow_dialect_text table;
    winnow_mirrored_column_list columns;
    winnow_dialect_text upsert;
    winnow_dialect_text erase;
    winnow_dialect_text read;
} winnow_mirror;

/* Handlers of a replicated model; both are optional where there is a mirror. */
typedef struct winnow_replication_hooks {
    uint32_t size; /* sizeof(winnow_replication_hooks) of the plugin's headers */
    uint32_t reserved;

    /* For an object that exists, with all columns of the plan. Outside of any transaction.
     * @thread worker
     * @owner  plugin owns `state`; host owns everything else, until the call returns
     * @fails  WINNOW_FAILED: the message stays and is tried again later */
    winnow_status (*replicate)(const void* state, const winnow_row* row, const winnow_host_delivery* about,
                               const winnow_host_call* call);

    /* For an object that is gone.
     * @thread worker
     * @owner  plugin owns `state`; host owns everything else, until the call returns
     * @fails  WINNOW_FAILED: the message stays and is tried again later */
    winnow_status (*erased)(const void* state, int64_t object, const winnow_host_delivery* about,
                            const winnow_host_call* call);

    const void* state; /* @owner plugin; handed back untouched */
} winnow_replication_hooks;

/* Statements of the source silo that write and look for messages of one model. */
typedef struct winnow_replication_statements {
    uint32_t size; /* sizeof(winnow_replication_statements) of the plugin's headers */
    uint32_t reserved;
    winnow_dialect_text produce;
    winnow_dialect_text produce_range;
    winnow_dialect_text batch;
    winnow_dialect_text bounds;
} winnow_replication_statements;

/* What the messages of a category are about. */
enum { WINNOW_CATEGORY_LATEST_STATE = 1, WINNOW_CATEGORY_EVERY_EVENT = 2 };

/* How the rows of a model are copied to the other silo. */
typedef struct winnow_replication {
    uint32_t size;         /* sizeof(winnow_replication) of the plugin's headers */
    int32_t version;       /* from 1; raised when the meaning of a copy changes */
    int32_t category;      /* the application's number */
    int32_t scope;         /* the application's number */
    uint32_t kind;         /* WINNOW_CATEGORY_... */
    uint32_t strict_order; /* 1: a failing message holds up its whole shard */
    uint32_t shard;        /* index of the immutable column that names the shard within the scope */
    uint32_t reserved;
    winnow_text category_name;
    winnow_text scope_name;
    winnow_index_list payload;                       /* columns that a message carries, for when the row is gone */
    uint64_t fingerprint;                            /* of all that a copy is made of */
    const winnow_mirror* mirror;                     /* @owner plugin; null: there is none */
    const winnow_replication_hooks* hooks;           /* @owner plugin; null: there are none */
    const winnow_replication_statements* statements; /* @owner plugin */
} winnow_replication;

/* What happens to rows that refer to a row of the other silo when that row is deleted. */
enum { WINNOW_REMOTE_CASCADE = 1, WINNOW_REMOTE_SET_NULL = 2, WINNOW_REMOTE_DO_NOTHING = 3 };

/* Statements of one remote relation, over the referring model's table. */
typedef struct winnow_remote_statements {
    uint32_t size; /* sizeof(winnow_remote_statements) of the plugin's headers */
    uint32_t reserved;
    winnow_dialect_text find;
    winnow_dialect_text lock;
    winnow_dialect_text nullify;
    winnow_dialect_text scrub_next;
    winnow_dialect_text scrub_first;
    winnow_dialect_text last;
} winnow_remote_statements;

/* A column that refers to a row in the other silo. */
typedef struct winnow_remote_relation {
    uint32_t kind;                              /* WINNOW_REMOTE_... */
    uint32_t column;                            /* index into the columns of the plan */
    winnow_text parent;                         /* key of the model in the other silo */
    const winnow_remote_statements* statements; /* @owner plugin */
} winnow_remote_relation;

typedef struct winnow_remote_relation_list {
    const winnow_remote_relation* items; /* @owner plugin */
    size_t count;
    size_t item_size;
} winnow_remote_relation_list;

/* How the rows of a model go. */
enum { WINNOW_STRATEGY_PER_ROW = 1, WINNOW_STRATEGY_BULK = 2 };

/* Stands in `winnow_plan::birth` for: there is none. */
#define WINNOW_NO_COLUMN 0xFFFFFFFFu

/* One model. */
typedef struct winnow_plan {
    winnow_text key;                  /* app.Model, unique among all models of a program */
    winnow_dialect_text schema;       /* empty: the connection's default */
    winnow_dialect_text table;        /* as the database spells it */
    winnow_dialect_text quoted_table; /* quoted and schema-qualified, for statements */
    uint32_t silo;                    /* WINNOW_SILO_... */
    uint32_t strategy;                /* WINNOW_STRATEGY_... */
    winnow_text strategy_reason;      /* one sentence: why this strategy */
    int32_t chunk_size;               /* rows per statement, from 1 */
    int32_t query_limit;              /* rows fetched at once, from 1 */
    uint32_t newest_first;            /* 1: children are taken in falling key order */
    uint32_t birth;                   /* index of an immutable column that tells a reused key from the first one, or
                                         WINNOW_NO_COLUMN */
    winnow_text rate_limit_option;    /* option that holds rows per second; empty: no limit */
    winnow_column_list columns;
    winnow_index_list primary_key;
    winnow_index_list identity;              /* the primary key, then further columns that relations refer to */
    const winnow_status_column* status;      /* @owner plugin; null: the model has no status */
    winnow_relation_list relations;          /* where this model is the parent */
    winnow_relation_list attached;           /* where this model attaches itself to a parent by key */
    const winnow_hooks* hooks;               /* @owner plugin; null: none */
    const winnow_row_statements* statements; /* @owner plugin */
    const winnow_replication* replication;   /* @owner plugin; null: rows of this model are not copied */
    winnow_remote_relation_list remotes;     /* columns that refer to rows of the other silo */
} winnow_plan;

typedef struct winnow_plan_list {
    const winnow_plan* items; /* @owner plugin */
    size_t count;
    size_t item_size;
} winnow_plan_list;

#ifdef __cplusplus
}
#endif

#endif
