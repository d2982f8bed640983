// SPDX-License-Identifier: Apache-2.0
#include "books.hpp"

#include <cstdint>

#include <winnow/derive/plans_of.hpp>
#include <winnow/winnow.hpp>

struct Book {
    std::int64_t id;
};
WINNOW_DESCRIBE(Book, id)
template <> struct winnow::model<Book> {
    static constexpr text key = "library.Book";
    static constexpr auto silo = winnow::silo::cell;
};

winnow::model_part library::models() {
    return {.name = "library", .version = "1.0.0", .plans = winnow::plans_of<winnow::registry<Book>>};
}
