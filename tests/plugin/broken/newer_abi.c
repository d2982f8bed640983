/* SPDX-License-Identifier: Apache-2.0 */
/* Its entry is longer, and ends the process if anything of it is run. */
#define NOTE_SIZE (sizeof(winnow_plugin_entry) + 16)
#define NOTE_ABI (WINNOW_ABI_VERSION + 1)
#include <stdlib.h>

#include "../note.h"
__attribute__((constructor)) static void run(void) { abort(); }
