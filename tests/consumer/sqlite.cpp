// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "winnow/core/version.hpp"
#include "winnow/store/sqlite.hpp"

int main() {
    const winnow::driver drivers[] = {winnow::sqlite_driver};
    const auto connection = winnow::open_connector("sqlite::memory:", drivers)->open();
    const auto answer = connection->execute_once("SELECT 6 * 7", {}).integer(0, 0);
    std::printf("%s %d\n", winnow::version_text, static_cast<int>(answer));
    return answer == 42 ? 0 : 1;
}
