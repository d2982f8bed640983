/* SPDX-License-Identifier: Apache-2.0 */
/* Right, and small: what is loaded already when something else is refused. */
#define NOTE_NAME "remark"
#define NOTE_KEY "remark.Remark"
#define NOTE_TABLE "remark"
#include "note.h"
