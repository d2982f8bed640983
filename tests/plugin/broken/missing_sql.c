/* SPDX-License-Identifier: Apache-2.0 */
#define NOTE_REMOVE_SQLITE {0, 0}
#include "../note.h"
