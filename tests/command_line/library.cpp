// SPDX-License-Identifier: Apache-2.0
// The program that tests/integration/cli drives: a library with two silos, every kind of key but UUID, a
// rate limit, a restrict relation, and a command of its own.
#include <cstdint>
#include <optional>
#include <string>

#include <winnow/cli/main.hpp>
#include <winnow/winnow.hpp>

namespace library {

struct Loan {
    std::int64_t id;
    std::string book_isbn;
    std::optional<std::int64_t> reader_id;
};
struct Book {
    std::string isbn;
    std::int64_t shelf_id;
};
struct Seat {
    std::int64_t building;
    std::int32_t number;
};
struct Shelf {
    std::int64_t id;
    std::int64_t branch_id;
};
struct Branch {
    std::int64_t id;
    std::string name;
    winnow::object_status status;
};
struct Reader {
    std::int64_t id;
    std::string name;
};
struct Account {
    std::int64_t id;
};

WINNOW_DESCRIBE(Loan, id, book_isbn, reader_id)
WINNOW_DESCRIBE(Book, isbn, shelf_id)
WINNOW_DESCRIBE(Seat, building, number)
WINNOW_DESCRIBE(Shelf, id, branch_id)
WINNOW_DESCRIBE(Branch, id, name, status)
WINNOW_DESCRIBE(Reader, id, name)
WINNOW_DESCRIBE(Account, id)

}  // namespace library

template <> struct winnow::model<library::Loan> {
    static constexpr text key = "library.Loan";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<library::Book> {
    static constexpr text key = "library.Book";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key = winnow::primary_key<&library::Book::isbn>;
    static constexpr auto children = winnow::children(cascade<&library::Loan::book_isbn>);
    static constexpr text rate_limit_option = "library.books_per_second";
    static constexpr int chunk_size = 10;
};
template <> struct winnow::model<library::Seat> {
    static constexpr text key = "library.Seat";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto primary_key = winnow::primary_key<&library::Seat::building, &library::Seat::number>;
};
template <> struct winnow::model<library::Shelf> {
    static constexpr text key = "library.Shelf";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&library::Book::shelf_id>);
};
template <> struct winnow::model<library::Branch> {
    static constexpr text key = "library.Branch";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto status = &library::Branch::status;
    static constexpr auto children = winnow::children(cascade<&library::Shelf::branch_id>);
};
template <> struct winnow::model<library::Reader> {
    static constexpr text key = "library.Reader";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(restrict_<&library::Loan::reader_id>);
};
template <> struct winnow::model<library::Account> {
    static constexpr text key = "library.Account";
    static constexpr auto silo = winnow::silo::control;
};

namespace {

using Models = winnow::registry<library::Loan, library::Book, library::Seat, library::Shelf, library::Branch,
                                library::Reader, library::Account>;

int add_books(winnow::cli::environment& in, const winnow::cli::given& arguments) {
    const std::int64_t amount = arguments.number("--books", 0).value_or(1);
    winnow::connection& database = in.database(winnow::cli::access::write);
    for (std::int64_t book = 0; book < amount; ++book) {
        (void)database.execute_once("INSERT INTO library_book (isbn, shelf_id) VALUES ('added-" + std::to_string(book) +
                                        "', " + std::to_string(std::stoll(arguments.text("SHELF"))) + ")",
                                    {});
    }
    in.out().line("added " + std::to_string(amount));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return winnow::cli::run<Models>(argc, argv,
                                    {.version = "7.1",
                                     .commands = {{.name = "books add",
                                                   .description = "put books on a shelf",
                                                   .arguments = {winnow::cli::positional("SHELF", "its id"),
                                                                 winnow::cli::option("--books", "NUMBER", "how many")},
                                                   .run = add_books}}});
}
