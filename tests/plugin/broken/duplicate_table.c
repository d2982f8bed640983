/* SPDX-License-Identifier: Apache-2.0 */
#define NOTE_TABLE "post"
#include "../note.h"
