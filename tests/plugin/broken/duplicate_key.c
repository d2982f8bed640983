/* SPDX-License-Identifier: Apache-2.0 */
#define NOTE_KEY "app.Post"
#include "../note.h"
