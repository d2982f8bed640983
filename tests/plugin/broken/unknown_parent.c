/* SPDX-License-Identifier: Apache-2.0 */
#define NOTE_PARENT "app.Nowhere"
#include "../note.h"
