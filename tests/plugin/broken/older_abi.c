/* SPDX-License-Identifier: Apache-2.0 */
#define NOTE_ABI 0
#include "../note.h"
