// SPDX-License-Identifier: Apache-2.0
// Right, and in C++ over the same headers as its host: one root model, whose hook throws a type of its own for some rows.
#include <cstdint>
#include <stdexcept>
#include <string>

#include <winnow/plugin/export.hpp>
#include <winnow/winnow.hpp>

namespace shelf {

struct Book {
    std::int64_t id;
    std::string title;
};
WINNOW_DESCRIBE(Book, id, title)

/// Known to nobody but this library.
struct cursed final : std::runtime_error {
    using std::runtime_error::runtime_error;
};

constexpr winnow::part_option options[] = {
    {"shelf.books_per_second", winnow::option_kind::integer, "1000", "books that go in a second"},
    {"shelf.reader", winnow::option_kind::text, "nobody", "who is asked first"}};
constexpr winnow::migration migrations[] = {
    {"book",
     winnow::silo::cell,
     {"CREATE TABLE shelf_book (id bigint PRIMARY KEY, title text NOT NULL);",
      "CREATE TABLE shelf_book (id integer PRIMARY KEY, title text NOT NULL);"}}};

}  // namespace shelf

template <> struct winnow::model<shelf::Book> {
    static constexpr text key = "shelf.Book";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr text rate_limit_option = "shelf.books_per_second";
    static void before_delete(const shelf::Book& book) {
        if (book.title == "cursed") throw shelf::cursed("this book cannot be burnt");
        if (book.title == "odd") throw 13;
    }
};

using Models = winnow::registry<shelf::Book>;
WINNOW_PLUGIN(Models, .name = "shelf", .version = "2.1", .description = "books", .migrations = shelf::migrations,
              .options = shelf::options)
