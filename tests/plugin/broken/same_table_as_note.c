/* SPDX-License-Identifier: Apache-2.0 */
#define NOTE_NAME "diary"
#define NOTE_KEY "diary.Note"
#include "../note.h"
