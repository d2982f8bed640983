/* SPDX-License-Identifier: Apache-2.0 */
/* Filled in when the library starts: nothing could be known of it without running it. */
#define NOTE_OWN_ENTRY
#include "../note.h"

static const winnow_plugin_entry content = {sizeof(winnow_plugin_entry),
                                            WINNOW_ABI_VERSION,
                                            WINNOW_TEXT("late"),
                                            WINNOW_TEXT("1.0.0"),
                                            WINNOW_TEXT(""),
                                            {plans, 1, sizeof(winnow_plan)},
                                            0,
                                            0,
                                            0};
/* The header declares it as a constant. */
WINNOW_EXPORT winnow_plugin_entry late __asm__("winnow_plugin");
winnow_plugin_entry late;
__attribute__((constructor)) static void fill(void) { late = content; }
