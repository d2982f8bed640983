/* SPDX-License-Identifier: Apache-2.0 */
/* Says that it has migrations, and has nothing there. */
#define NOTE_CAPABILITY &capability
#define NOTE_MORE                                                                                               \
    static const winnow_migrations migrations = {sizeof(winnow_migrations), 0, 0, 3, sizeof(winnow_migration)}; \
    static const void* capability(winnow_text id, uint32_t revision) {                                          \
        (void)revision;                                                                                         \
        return id.size == sizeof(WINNOW_CAPABILITY_MIGRATIONS) - 1 ? &migrations : (const void*)0;              \
    }
#include "../note.h"
