/* SPDX-License-Identifier: Apache-2.0 */
#include "../note.h"
WINNOW_EXPORT int helper_of_mine(void);
WINNOW_EXPORT int helper_of_mine(void) { return 1; }
