/* SPDX-License-Identifier: Apache-2.0 */
/* Linked with a library that is not there when it is loaded. */
int winnow_test_absent(void);
#define NOTE_STOP &stop
#define NOTE_MORE \
    static void stop(const winnow_host* host) { (void)host, (void)winnow_test_absent(); }
#include "../note.h"
