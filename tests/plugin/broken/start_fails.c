/* SPDX-License-Identifier: Apache-2.0 */
#define NOTE_NAME "unwilling"
#define NOTE_KEY "unwilling.Note"
#define NOTE_TABLE "unwilling"
#define NOTE_START &start
#define NOTE_MORE                                                                  \
    static winnow_status start(const winnow_host* host) {                          \
        static const winnow_text why = WINNOW_TEXT("the license file is missing"); \
        host->set_error(host, why);                                                \
        return WINNOW_FAILED;                                                      \
    }
#include "../note.h"
