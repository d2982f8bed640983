/* SPDX-License-Identifier: Apache-2.0 */
/* Right, with a hook that counts in the file that its host's name is, tables of its own, and an option. */
#define NOTE_STRATEGY WINNOW_STRATEGY_PER_ROW
#define NOTE_HOOKS &hooks
#define NOTE_CAPABILITY &capability
#define NOTE_START &start
#define NOTE_STOP &stop
#define NOTE_MORE                                                                                                   \
    static const winnow_host* host;                                                                                 \
    static winnow_status gone(const void* state, const winnow_row* row, const winnow_host_deletion* deletion,       \
                              const winnow_host_call* call) {                                                       \
        (void)state, (void)row, (void)deletion;                                                                     \
        static const winnow_text line = WINNOW_TEXT("a note goes");                                                 \
        call->log(call, host == 0 ? WINNOW_LOG_ERROR : WINNOW_LOG_INFO, line);                                      \
        return WINNOW_OK;                                                                                           \
    }                                                                                                               \
    static const winnow_hooks hooks = {sizeof(winnow_hooks), 0, {0, 0}, {0, 0}, {&gone, 0}, {0, 0}};                \
    static winnow_status start(const winnow_host* from) {                                                           \
        static const winnow_text line = WINNOW_TEXT("started");                                                     \
        host = from;                                                                                                \
        from->log(from, WINNOW_LOG_INFO, line);                                                                     \
        return WINNOW_OK;                                                                                           \
    }                                                                                                               \
    static void stop(const winnow_host* from) {                                                                     \
        static const winnow_text line = WINNOW_TEXT("stopped");                                                     \
        host = 0;                                                                                                   \
        from->log(from, WINNOW_LOG_INFO, line);                                                                     \
    }                                                                                                               \
    static const winnow_migration steps[] = {                                                                       \
        {WINNOW_TEXT("note"), WINNOW_SILO_CELL, 0,                                                                  \
         WINNOW_BOTH("CREATE TABLE note (id bigint PRIMARY KEY, topic_id bigint); CREATE INDEX note_topic_id ON "   \
                     "note (topic_id);")}};                                                                         \
    static const winnow_migrations migrations = {sizeof(winnow_migrations), 0, steps, 1, sizeof(winnow_migration)}; \
    static const winnow_option own[] = {                                                                            \
        {WINNOW_TEXT("note.color"), WINNOW_TEXT("blue"), WINNOW_TEXT("of new notes"), WINNOW_OPTION_TEXT, 0}};      \
    static const winnow_options options = {sizeof(winnow_options), 0, own, 1, sizeof(winnow_option)};               \
    static const void* capability(winnow_text id, uint32_t revision) {                                              \
        if (revision != 1) return 0;                                                                                \
        if (id.size == sizeof(WINNOW_CAPABILITY_OPTIONS) - 1) return &options;                                      \
        return id.size == sizeof(WINNOW_CAPABILITY_MIGRATIONS) - 1 ? &migrations : (const void*)0;                  \
    }
#include "note.h"
