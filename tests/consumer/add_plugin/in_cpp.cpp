// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <stdexcept>

#include <winnow/plugin/export.hpp>
#include <winnow/winnow.hpp>

int entries_of_archive();

struct Book {
    std::int64_t id;
};
WINNOW_DESCRIBE(Book, id)
template <> struct winnow::model<Book> {
    static constexpr text key = "library.Book";
    static constexpr auto silo = winnow::silo::cell;
};

namespace {

// Code that the library needs at run time: a function of the archive, and exceptions.
void start(winnow::plugin_host) {
    if (entries_of_archive() != 1) throw std::runtime_error("the archive has been used before");
}

}  // namespace

WINNOW_PLUGIN(winnow::registry<Book>, .name = "in_cpp", .version = "1.0.0", .start = start)
