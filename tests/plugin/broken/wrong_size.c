/* SPDX-License-Identifier: Apache-2.0 */
#define NOTE_SIZE (sizeof(winnow_plugin_entry) - 8)
#include "../note.h"
