/* SPDX-License-Identifier: Apache-2.0 */
int winnow_test_nowhere(void);
#define NOTE_STOP &stop
#define NOTE_MORE \
    static void stop(const winnow_host* host) { (void)host, (void)winnow_test_nowhere(); }
#include "../note.h"
