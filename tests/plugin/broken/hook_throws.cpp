// SPDX-License-Identifier: Apache-2.0
// Against the contract: an exception of a type of its own leaves a hook.
#define NOTE_STRATEGY WINNOW_STRATEGY_PER_ROW
#define NOTE_HOOKS &hooks
#define NOTE_MORE                                                                                                      \
    struct own_exception {};                                                                                           \
    static winnow_status raise(const void*, const winnow_row*, const winnow_host_deletion*, const winnow_host_call*) { \
        throw own_exception{};                                                                                         \
    }                                                                                                                  \
    static const winnow_hooks hooks = {sizeof(winnow_hooks), 0, {0, 0}, {0, 0}, {&raise, 0}, {0, 0}};
#include "../note.h"
