// SPDX-License-Identifier: Apache-2.0
#include <winnow/session.hpp>
#include <winnow/store/sqlite.hpp>
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
constexpr auto schema = R"(
CREATE TABLE library_shelf (id INTEGER PRIMARY KEY AUTOINCREMENT);
CREATE TABLE library_book (id INTEGER PRIMARY KEY AUTOINCREMENT, shelf_id INTEGER NOT NULL REFERENCES library_shelf);
CREATE INDEX book_shelf ON library_book (shelf_id);
INSERT INTO library_shelf VALUES (1), (2);
INSERT INTO library_book VALUES (1, 1), (2, 1), (3, 2))";
int main() {
    winnow::sqlite_connection database({.path = ":memory:", .mode = winnow::sqlite_mode::create});
    database.execute_script(schema);
    winnow::migrate(database);
    const winnow::catalog models(winnow::plans_of<Models>);
    winnow::steady_clock time;
    winnow::observer silent;
    const winnow::context context{models, database, time, silent};
    winnow::session<Models>(context).schedule(Shelf{1}, {.days = 0, .permit = winnow::permit_purge});
    winnow::run_scheduled_deletions(context);
    return database.execute("SELECT count(*) FROM library_book").integer(0, 0) == 1 ? 0 : 1;
}
