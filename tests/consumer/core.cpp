// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>

#include "winnow/core/version.hpp"
#include "winnow/derive/plans_of.hpp"
#include "winnow/winnow.hpp"

struct Shelf {
    std::int64_t id;
};
struct Book {
    std::int64_t id;
    std::int64_t shelf_id;
};
WINNOW_DESCRIBE(Shelf, id)
WINNOW_DESCRIBE(Book, id, shelf_id)

template <> struct winnow::model<Book> {
    static constexpr text key = "library.Book";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<Shelf> {
    static constexpr text key = "library.Shelf";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&Book::shelf_id>);
};

// Models, their proof and their plans, without a database.
int main() {
    const auto plans = winnow::plans_of<winnow::registry<Shelf, Book>>;
    std::printf("%s %zu\n", winnow::version_text, plans.size());
    return plans.size() == 2 ? 0 : 1;
}
