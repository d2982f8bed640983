/* SPDX-License-Identifier: Apache-2.0 */
#define NOTE_KEY "diary.Note"
#define NOTE_TABLE "diary_note"
#include "../note.h"
