/* SPDX-License-Identifier: Apache-2.0 */
/* app.Topic -> app.Post -> note.Note -> app.Topic, and no reference may become null. */
#define NOTE_PARENT "app.Post"
#define NOTE_PARENT_OPTIONAL 0
#define NOTE_STRATEGY WINNOW_STRATEGY_PER_ROW
#define NOTE_RELATIONS {relations, 1, sizeof(winnow_relation)}
#define NOTE_MORE                                                                        \
    static const winnow_column of_topic[] = {                                            \
        {WINNOW_BOTH("note_id"), WINNOW_BOTH("\"note_id\""), WINNOW_KIND_INTEGER64, 0}}; \
    static const winnow_relation relations[] = {{WINNOW_RELATION_CASCADE,                \
                                                 0,                                      \
                                                 WINNOW_TEXT(NOTE_KEY),                  \
                                                 WINNOW_TEXT("app.Topic"),               \
                                                 {of_topic, 1, sizeof(winnow_column)},   \
                                                 {0, 0, 0},                              \
                                                 {0, 0, 0},                              \
                                                 {0, 0},                                 \
                                                 {0, 0},                                 \
                                                 {0, 0},                                 \
                                                 &below}};
#include "../note.h"
