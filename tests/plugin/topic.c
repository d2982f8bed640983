/* SPDX-License-Identifier: Apache-2.0 */
/* Right: brings app.Topic itself, the root of a program that has no models of its own. */
#define NOTE_NAME "topic"
#define NOTE_KEY "app.Topic"
#define NOTE_TABLE "topic"
#define NOTE_ROOT
#define NOTE_STRATEGY WINNOW_STRATEGY_PER_ROW
#include "note.h"
