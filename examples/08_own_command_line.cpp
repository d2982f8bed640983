// SPDX-License-Identifier: Apache-2.0
// The command line with the user's own models, and one command of the user's own. Without arguments it
// shows its models; try also `--help`, `graph`, `ddl --database sqlite:x.db` and `demo`.
#include <winnow/cli/main.hpp>
#include <winnow/store/postgres.hpp>
#include <winnow/store/sqlite.hpp>
#include <winnow/winnow.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

struct Shelf {
    std::int64_t id;
    std::string label;
};
struct Book {
    std::int64_t id;
    std::int64_t shelf_id;
    std::string title;
};
WINNOW_DESCRIBE(Shelf, id, label)
WINNOW_DESCRIBE(Book, id, shelf_id, title)

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

int demo(winnow::cli::environment& in, const winnow::cli::given& arguments) {
    const std::int64_t books = arguments.number("--books", 1).value_or(1000);
    winnow::connection& database = in.database(winnow::cli::access::build);
    database.execute_script(R"sql(
        CREATE TABLE library_shelf (id INTEGER PRIMARY KEY, label TEXT NOT NULL);
        CREATE TABLE library_book (id INTEGER PRIMARY KEY, shelf_id INTEGER NOT NULL REFERENCES library_shelf, title TEXT NOT NULL);
        CREATE INDEX book_shelf ON library_book (shelf_id);
        INSERT INTO library_shelf VALUES (1, 'full');)sql");
    for (std::int64_t i = 1; i <= books; ++i) {
        const std::string title = "book " + std::to_string(i);
        (void)database.execute("INSERT INTO library_book (shelf_id, title) VALUES (1, $1)", {std::string_view(title)});
    }
    in.out().line("Made a shelf with " + std::to_string(books) + " books.");
    return winnow::cli::run_command(in, "plan", {{"KEY", "library.Shelf"}, {"ID", "1"}});
}

int main(int argc, char** argv) {
    std::array<char*, 2> shown = {argc > 0 ? argv[0] : nullptr, const_cast<char*>("models")};
    if (argc == 1) {
        argc = 2;
        argv = shown.data();
    }
    return winnow::cli::run<Models>(
        argc, argv,
        {.commands = {{.name = "demo",
                       .description = "fill an empty database and show a plan",
                       .arguments = {winnow::cli::option("--books", "N", "how many; 1000 by default")},
                       .run = demo}}});
}
