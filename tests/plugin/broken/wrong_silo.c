/* SPDX-License-Identifier: Apache-2.0 */
#define NOTE_SILO WINNOW_SILO_CONTROL
#include "../note.h"
