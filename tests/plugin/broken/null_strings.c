/* SPDX-License-Identifier: Apache-2.0 */
#define NOTE_NAME_TEXT {0, 4}
#define NOTE_KEY_TEXT {0, 0}
#include "../note.h"
