// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <winnow/winnow.hpp>

struct Shelf {
    std::int64_t id;
};
struct Book {
    std::int64_t id, shelf_id;
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
using Models = winnow::registry<Shelf, Book>;
