/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WINNOW_ABI_TYPES_H
#define WINNOW_ABI_TYPES_H

/* What both sides of the plugin contract are made of. C11, and C++ as well; includes nothing of winnow but its own folder.
 *
 * Notation
 *   Each function pointer is preceded by three lines:
 *     @thread  loader: the thread that loads or unloads, one at a time
 *              worker: any thread that works on deletions or messages, several at once
 *              any:    every thread, at any time between `start` and the end of `stop`
 *     @owner   who owns what is handed over, and how long it may be used
 *     @fails   what a failure is and what comes of it
 *   Each data pointer says @owner in its own comment. Types that begin with winnow_host_ are made and owned by the
 *   host; all others are made and owned by the plugin, constant, and valid as long as the library is loaded.
 *
 * Growth
 *   A struct marked "frozen" never changes. Every other struct grows at its end only, is handed over by pointer, and
 *   tells its size: by a first member `size`, or by the `item_size` of the list it stands in. Whoever reads looks at no
 *   member that lies beyond that size. A field that is zero where zero means nothing was forgotten, and is refused.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of UTF-8. Not ended by a zero. Frozen. */
typedef struct winnow_text {
    const char* data; /* @owner whoever made the text; null only where size is 0 */
    size_t size;      /* bytes */
} winnow_text;

/* Initializer of a winnow_text from a string literal. */
#define WINNOW_TEXT(literal) {(literal), sizeof(literal) - 1}

/* One text for each kind of database: a name, or a statement. Frozen. */
typedef struct winnow_dialect_text {
    winnow_text postgres;
    winnow_text sqlite;
} winnow_dialect_text;

/* Initializer of a winnow_dialect_text that is the same for both. */
#define WINNOW_BOTH(literal) {WINNOW_TEXT(literal), WINNOW_TEXT(literal)}

/* Outcome of a call: WINNOW_OK, or WINNOW_FAILED after the text was handed to `set_error`. Any other number counts as
 * failed. */
typedef int32_t winnow_status;
enum { WINNOW_OK = 0, WINNOW_FAILED = 1 };

/* Where a table lives. */
enum { WINNOW_SILO_CONTROL = 1, WINNOW_SILO_CELL = 2 };

/* Kinds of columns. UUIDs are held in their canonical text form, JSON as text, points in time in the database's own text
 * form, blobs as raw bytes. */
enum {
    WINNOW_KIND_INTEGER32 = 1,
    WINNOW_KIND_INTEGER64 = 2,
    WINNOW_KIND_BOOLEAN = 3,
    WINNOW_KIND_REAL = 4,
    WINNOW_KIND_TEXT = 5,
    WINNOW_KIND_UUID = 6,
    WINNOW_KIND_JSON = 7,
    WINNOW_KIND_TIMESTAMP = 8,
    WINNOW_KIND_BLOB = 9
};

/* What a value holds. */
enum {
    WINNOW_VALUE_NULL = 0,
    WINNOW_VALUE_INTEGER = 1,
    WINNOW_VALUE_REAL = 2,
    WINNOW_VALUE_BOOLEAN = 3,
    WINNOW_VALUE_TEXT = 4 /* text, UUID, JSON, point in time and blob */
};

/* One value of one column. Frozen. */
typedef struct winnow_value {
    uint32_t holds; /* WINNOW_VALUE_... */
    uint32_t reserved;
    union {
        int64_t integer;
        double real;
        int32_t boolean;  /* 0 or 1 */
        winnow_text text; /* @owner as the value itself */
    } as;
} winnow_value;

/* One row: all columns of the plan, in their order. Frozen. */
typedef struct winnow_row {
    const winnow_value* values; /* @owner host, until the call returns */
    size_t count;
} winnow_row;

/* A set of key tuples of one width, row by row. Frozen. */
typedef struct winnow_key_set {
    const winnow_value* values; /* @owner whoever made the set, until the call returns; width * rows of them */
    size_t width;
    size_t rows;
} winnow_key_set;

#ifdef __cplusplus
}
#endif

#endif
