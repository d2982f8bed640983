/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WINNOW_ABI_ENTRY_H
#define WINNOW_ABI_ENTRY_H

#include "winnow/abi/export.h"
#include "winnow/abi/host.h"
#include "winnow/abi/plan.h"
#include "winnow/abi/version.h"

/* The one thing that a plugin exports.
 *
 * Why a constant struct and not a function: the host reads size and version before any code of the plugin is called, so
 * that a plugin of another version is refused with a sentence instead of a crash; and what a plugin brings can be shown
 * without running it.
 *
 * Trust: a plugin runs in the host's process with all of its rights. What the host checks guards against mistakes, not
 * against malice. */

#ifdef __cplusplus
extern "C" {
#endif

/* What a plugin may bring besides models, asked for through `get_capability`. */

/* Capability "winnow.migrations", revision 1: the plugin's own tables. */
#define WINNOW_CAPABILITY_MIGRATIONS "winnow.migrations"

/* One forward step. A released step never changes; new ones are appended. */
typedef struct winnow_migration {
    winnow_text name; /* unique within the plugin, @owner plugin */
    uint32_t silo;    /* WINNOW_SILO_..., whose databases it is for */
    uint32_t reserved;
    winnow_dialect_text script; /* statements separated by semicolons; run in one transaction, @owner plugin */
} winnow_migration;

typedef struct winnow_migrations {
    uint32_t size; /* sizeof(winnow_migrations) of the plugin's headers */
    uint32_t reserved;
    const winnow_migration* items; /* in the order they are to be run, @owner plugin */
    size_t count;
    size_t item_size; /* sizeof(winnow_migration) of the plugin's headers */
} winnow_migrations;

/* Capability "winnow.options", revision 1: options that the plugin brings, and defaults for those of its models. */
#define WINNOW_CAPABILITY_OPTIONS "winnow.options"

/* Kinds of options. */
enum { WINNOW_OPTION_INTEGER = 1, WINNOW_OPTION_BOOLEAN = 2, WINNOW_OPTION_TEXT = 3, WINNOW_OPTION_TEXT_LIST = 4 };

typedef struct winnow_option {
    winnow_text name;      /* @owner plugin */
    winnow_text otherwise; /* value when it is not set, @owner plugin */
    winnow_text meaning;   /* one line, @owner plugin */
    uint32_t kind;         /* WINNOW_OPTION_... */
    uint32_t reserved;
} winnow_option;

typedef struct winnow_options {
    uint32_t size; /* sizeof(winnow_options) of the plugin's headers */
    uint32_t reserved;
    const winnow_option* items; /* @owner plugin */
    size_t count;
    size_t item_size; /* sizeof(winnow_option) of the plugin's headers */
} winnow_options;

/* A plugin. */
typedef struct winnow_plugin_entry {
    uint32_t size;           /* sizeof(winnow_plugin_entry) of the plugin's headers */
    uint32_t abi_version;    /* WINNOW_ABI_VERSION of the plugin's headers */
    winnow_text name;        /* letters, digits, _ and -, at most 64; unique in a program, @owner plugin */
    winnow_text version;     /* of the plugin, for people, @owner plugin */
    winnow_text description; /* one line, may be empty, @owner plugin */
    winnow_plan_list plans;

    /* Asks for something that not every plugin has. Null: it has nothing.
     * @thread loader; it is called before `start`, by a tool without `start` being called at all
     * @owner  plugin owns what is returned, constant, valid as long as the library is loaded
     * @fails  null: the plugin does not have it, or not in this revision */
    const void* (*get_capability)(winnow_text id, uint32_t revision);

    /* Called before any hook. May be null. Several hosts in one process may each start the same plugin: a second `start`
     * can come before the first `stop`.
     * @thread loader
     * @owner  host owns `host`, until `stop` has returned
     * @fails  WINNOW_FAILED: the plugin is not loaded, and `stop` is not called */
    winnow_status (*start)(const winnow_host* host);

    /* Called after the last hook, once for each `start` that succeeded. May be null.
     * @thread loader
     * @owner  host owns `host`, until this returns
     * @fails  never */
    void (*stop)(const winnow_host* host);
} winnow_plugin_entry;

/* Name of the symbol below. */
#define WINNOW_PLUGIN_SYMBOL "winnow_plugin"

/* Defined by the plugin:
 *
 *     const winnow_plugin_entry winnow_plugin = {sizeof(winnow_plugin_entry), WINNOW_ABI_VERSION, …};
 */
WINNOW_EXPORT extern const winnow_plugin_entry winnow_plugin;

#ifdef __cplusplus
}
#endif

#endif
