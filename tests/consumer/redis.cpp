// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "winnow/store/redis_cursor.hpp"

// No server here: the store is made, and the error of a server that is not there is winnow's.
int main() {
    winnow::redis_cursors cursors("redis://127.0.0.1:1/0");
    try {
        (void)cursors.read("outbox_backfill.nothing");
    } catch (const winnow::error& e) {
        std::printf("%s\n", e.what());
        return e.kind() == winnow::failure::connection ? 0 : 1;
    }
    return 1;
}
