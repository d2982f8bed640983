/* SPDX-License-Identifier: Apache-2.0 */
#define NOTE_STRATEGY WINNOW_STRATEGY_PER_ROW
#define NOTE_HOOKS &hooks
#define NOTE_MORE                                                                                             \
    static winnow_status fail(const void* state, const winnow_row* row, const winnow_host_deletion* deletion, \
                              const winnow_host_call* call) {                                                 \
        static const winnow_text why = WINNOW_TEXT("the archive is full");                                    \
        (void)state, (void)row, (void)deletion;                                                               \
        call->set_error(call, why);                                                                           \
        return WINNOW_FAILED;                                                                                 \
    }                                                                                                         \
    static const winnow_hooks hooks = {sizeof(winnow_hooks), 0, {0, 0}, {0, 0}, {&fail, 0}, {0, 0}};
#include "../note.h"
