/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WINNOW_ABI_HOST_H
#define WINNOW_ABI_HOST_H

#include "winnow/abi/types.h"

/* What the host hands to a plugin. All of it is made by the host. */

#ifdef __cplusplus
extern "C" {
#endif

/* Levels of a log line. */
enum { WINNOW_LOG_DEBUG = 1, WINNOW_LOG_INFO = 2, WINNOW_LOG_WARNING = 3, WINNOW_LOG_ERROR = 4 };

/* The host itself, as `start` gets it. @owner host, until `stop` has returned. */
typedef struct winnow_host {
    uint32_t size;        /* sizeof(winnow_host) of the host's headers */
    uint32_t abi_version; /* WINNOW_ABI_VERSION of the host's headers */
    winnow_text name;     /* of the program, @owner host */
    winnow_text version;  /* of winnow in it, @owner host */
    void* data;           /* @owner host; to be handed back, never looked at */

    /* Says why `start` is about to return WINNOW_FAILED.
     * @thread loader
     * @owner  plugin owns the text; it is copied
     * @fails  never */
    void (*set_error)(const struct winnow_host* host, winnow_text text);

    /* Writes a line to the host's log.
     * @thread any
     * @owner  plugin owns the message; it is copied
     * @fails  never; an unknown level counts as WINNOW_LOG_ERROR */
    void (*log)(const struct winnow_host* host, uint32_t level, winnow_text message);

    /* Asks for something that only some hosts have, as "winnow.something" and a revision of it.
     * @thread any
     * @owner  host owns what is returned, until `stop` has returned
     * @fails  null: this host does not have it */
    const void* (*get_capability)(const struct winnow_host* host, winnow_text id, uint32_t revision);
} winnow_host;

/* One call of a plugin's function. @owner host, until the call returns. */
typedef struct winnow_host_call {
    uint32_t size; /* sizeof(winnow_host_call) of the host's headers */
    uint32_t reserved;
    void* data; /* @owner host; to be handed back, never looked at */

    /* Says why the call is about to return WINNOW_FAILED. The last text counts.
     * @thread worker, the one that was called
     * @owner  plugin owns the text; it is copied
     * @fails  never */
    void (*set_error)(const struct winnow_host_call* call, winnow_text text);

    /* Writes a line to the host's log, with what is deleted or delivered beside it.
     * @thread worker, the one that was called
     * @owner  plugin owns the message; it is copied
     * @fails  never; an unknown level counts as WINNOW_LOG_ERROR */
    void (*log)(const struct winnow_host_call* call, uint32_t level, winnow_text message);
} winnow_host_call;

/* The deletion that a hook is called for. @owner host, until the call returns. */
typedef struct winnow_host_deletion {
    uint32_t size;              /* sizeof(winnow_host_deletion) of the host's headers */
    uint32_t has_actor;         /* 0 or 1 */
    int64_t actor;              /* who scheduled it */
    winnow_text model;          /* key of the model whose rows are handled, @owner host */
    winnow_text transaction_id; /* of the scheduled deletion, 32 hexadecimal digits, @owner host */
    winnow_text data;           /* JSON that was given when it was scheduled, @owner host */
} winnow_host_deletion;

/* What kind of thing went wrong. Code that tries again reads `may_retry`, never this. */
enum {
    WINNOW_ERROR_USAGE = 1,         /* the caller asked for something that makes no sense; nothing was done */
    WINNOW_ERROR_NOT_FOUND = 2,     /* an object or a model that does not exist */
    WINNOW_ERROR_AVAILABILITY = 3,  /* this process does not reach the model's silo */
    WINNOW_ERROR_CONFIGURATION = 4, /* a URL, an option, or winnow's own tables */
    WINNOW_ERROR_REFUSED = 5,       /* a rule forbids it; this worker was overtaken by another */
    WINNOW_ERROR_BLOCKED = 6,       /* rows that will not go */
    WINNOW_ERROR_CONNECTION = 7,    /* the database cannot be reached or went away */
    WINNOW_ERROR_STATEMENT = 8,     /* the database rejected a statement */
    WINNOW_ERROR_HOOK = 9           /* the plugin's own code failed */
};

/* What the host met in a call that failed; texts that do not apply are empty. @owner host, until the next call of the
 * object that was asked for it. */
typedef struct winnow_host_error {
    uint32_t size;          /* sizeof(winnow_host_error) of the host's headers */
    uint32_t kind;          /* WINNOW_ERROR_... */
    uint32_t may_retry;     /* 1: the same work may succeed if it is simply tried again */
    uint32_t in_doubt;      /* 1: a commit was sent and its outcome is unknown */
    winnow_text text;       /* what happened, @owner host */
    winnow_text hint;       /* what to do about it, @owner host */
    winnow_text model;      /* key of the model concerned, @owner host */
    winnow_text table;      /* @owner host */
    winnow_text constraint; /* @owner host */
    winnow_text statement;  /* @owner host */
    winnow_text sqlstate;   /* SQLSTATE on PostgreSQL; on SQLite the name of the result code, @owner host */
} winnow_host_error;

/* How a statement is run. */
enum {
    WINNOW_EXECUTE_PREPARED = 0, /* a constant text: prepared once per connection, and kept */
    WINNOW_EXECUTE_ONCE = 1,     /* a composed text: run once, not kept */
    WINNOW_EXECUTE_SCRIPT = 2    /* several statements separated by semicolons, without parameters */
};

/* One bound parameter: exactly one of the two is not null. Frozen. */
typedef struct winnow_parameter {
    const winnow_value* value; /* @owner plugin, until the call returns */
    const winnow_key_set* set; /* @owner plugin, until the call returns */
} winnow_parameter;

/* What a statement gave. @owner host, until the next statement on the connection or the end of the work. */
typedef struct winnow_host_result {
    uint32_t size; /* sizeof(winnow_host_result) of the host's headers */
    uint32_t reserved;
    const winnow_value* values; /* row by row, @owner host */
    size_t width;
    size_t rows;
    int64_t affected; /* rows inserted, updated or deleted */
} winnow_host_result;

/* A connection to the target's database, within one transaction. @owner host, until the work returns. */
typedef struct winnow_host_connection {
    uint32_t size;            /* sizeof(winnow_host_connection) of the host's headers */
    uint32_t sqlite;          /* 1: SQLite, 0: PostgreSQL */
    winnow_text description;  /* what it is connected to, without any password, @owner host */
    winnow_text session_name; /* of the process, @owner host */
    void* data;               /* @owner host; to be handed back, never looked at */

    /* Runs a statement; parameters are $1, $2, … in both kinds of database. A set is bound as one JSON array of rows on
     * SQLite, and as an array for each of its columns on PostgreSQL.
     * @thread worker, the one that was called
     * @owner  plugin owns statement and parameters; host owns the result, until the next statement on the connection
     * @fails  WINNOW_FAILED: the transaction cannot go on; return WINNOW_FAILED from the work without a text of your own
     *         to keep the database's */
    winnow_status (*execute)(const struct winnow_host_connection* connection, uint32_t how, winnow_text statement,
                             const winnow_parameter* parameters, size_t parameter_count,
                             const winnow_host_result** result);

    /* Bounds the waits of the statements that follow, in milliseconds; 0: no bound. The first is one wait for one lock
     * (PostgreSQL), the second one statement.
     * @thread worker, the one that was called
     * @owner  nothing is handed over
     * @fails  WINNOW_FAILED: the transaction cannot go on */
    winnow_status (*set_limits)(const struct winnow_host_connection* connection, int64_t lock_timeout,
                                int64_t statement_timeout);

    /* What the last call of a function above met.
     * @thread worker, the one that was called
     * @owner  host owns what is returned, until the next call on the connection
     * @fails  null: it did not fail */
    const winnow_host_error* (*last_error)(const struct winnow_host_connection* connection);
} winnow_host_connection;

/* Work within one transaction of the target's database.
 * @thread worker, the one that was called
 * @owner  plugin owns `state`; host owns the connection
 * @fails  WINNOW_FAILED: the transaction is rolled back and `run_in_target` fails */
typedef winnow_status (*winnow_target_work)(void* state, const winnow_host_connection* target);

/* One message on its way to the other silo. @owner host, until the call returns.
 *
 * A handler runs outside of every transaction and may be called again with the same message: after a crash, after a
 * time-out, or because another worker took over. What it writes to the target it writes through `run_in_target`; an
 * effect elsewhere must be idempotent. */
typedef struct winnow_host_delivery {
    uint32_t size;        /* sizeof(winnow_host_delivery) of the host's headers */
    int32_t attempt;      /* counted from 1 */
    int64_t object;       /* key of the row that changed */
    int64_t message_id;   /* of the newest message that is delivered; the same in every attempt */
    winnow_text model;    /* key of the replicated model, @owner host */
    winnow_text category; /* name of the message's category, @owner host */
    winnow_text payload;  /* JSON that was written with the message; empty: none, @owner host */
    winnow_text source;   /* database and silo that the message comes from, unique everywhere, @owner host */
    winnow_text cell;     /* the cell that it comes from or goes to, @owner host */
    void* data;           /* @owner host; to be handed back, never looked at */

    /* Runs `work` in one transaction of the target's database, after checking and raising the shard's fence there. With
     * `once` not 0 it runs once for a message: a second call with the same message, even after a crash, does nothing.
     * `ran` is set to 1 if `work` ran, to 0 if not; it may be null.
     * @thread worker, the one that was called
     * @owner  plugin owns `state`
     * @fails  WINNOW_FAILED: nothing was written; this worker was overtaken, the target cannot be reached, or `work`
     *         failed. Return WINNOW_FAILED without a text of your own to keep the host's */
    winnow_status (*run_in_target)(const struct winnow_host_delivery* about, int32_t once, winnow_target_work work,
                                   void* state, int32_t* ran);

    /* What the last `run_in_target` met.
     * @thread worker, the one that was called
     * @owner  host owns what is returned, until the next call on the delivery
     * @fails  null: it did not fail */
    const winnow_host_error* (*last_error)(const struct winnow_host_delivery* about);
} winnow_host_delivery;

#ifdef __cplusplus
}
#endif

#endif
