/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults for an option of winnow's and for one of nobody's. */
#define NOTE_CAPABILITY &capability
#define NOTE_MORE                                                                                             \
    static const winnow_option own[] = {                                                                      \
        {WINNOW_TEXT("deletion.max_rows"), WINNOW_TEXT("5"), WINNOW_TEXT("a cap"), WINNOW_OPTION_INTEGER, 0}, \
        {WINNOW_TEXT("other.color"), WINNOW_TEXT("blue"), WINNOW_TEXT("a color"), WINNOW_OPTION_TEXT, 0}};    \
    static const winnow_options options = {sizeof(winnow_options), 0, own, 2, sizeof(winnow_option)};         \
    static const void* capability(winnow_text id, uint32_t revision) {                                        \
        (void)revision;                                                                                       \
        return id.size == sizeof(WINNOW_CAPABILITY_OPTIONS) - 1 ? &options : (const void*)0;                  \
    }
#include "../note.h"
