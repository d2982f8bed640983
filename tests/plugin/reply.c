/* SPDX-License-Identifier: Apache-2.0 */
/* Right, and below a model of another plugin. */
#define NOTE_NAME "reply"
#define NOTE_KEY "reply.Reply"
#define NOTE_TABLE "reply"
#define NOTE_PARENT "note.Note"
#include "note.h"
