// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "winnow/plugin/export.hpp"
#include "winnow/plugin/lift.hpp"

struct Book {
    std::int64_t id;
};
WINNOW_DESCRIBE(Book, id)
template <> struct winnow::model<Book> {
    static constexpr text key = "library.Book";
    static constexpr auto silo = winnow::silo::cell;
};

// Both ends of the plugin contract in one program, without a driver.
WINNOW_PLUGIN(winnow::registry<Book>, .name = "library", .version = "1.0.0")

int main() {
    std::vector<std::string> wrong;
    const auto lifted = winnow::lift(winnow_plugin, "itself", wrong);
    for (const std::string& one : wrong) std::printf("%s\n", one.c_str());
    return lifted && lifted->part().plans.size() == 1 && lifted->part().plans[0].key == "library.Book" ? 0 : 1;
}
