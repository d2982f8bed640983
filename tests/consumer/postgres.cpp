// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "winnow/store/postgres.hpp"

// No server here: the connector is made, and the error of a server that is not there is winnow's.
int main() {
    const winnow::driver drivers[] = {winnow::postgres_driver};
    const auto connector = winnow::open_connector("postgresql://nobody@127.0.0.1:1/nothing?connect_timeout=2", drivers);
    try {
        (void)connector->open();
    } catch (const winnow::error& e) {
        std::printf("%s\n", e.what());
        return e.kind() == winnow::failure::connection ? 0 : 1;
    }
    return 1;
}
