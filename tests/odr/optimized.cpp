// SPDX-License-Identifier: Apache-2.0
// A whole program, which is compiled with optimization and never run: some of g++'s warnings come from its optimizer, and
// only in functions that somebody calls.
#include "every_header.hpp"

struct Account {
    std::int64_t id;
    std::string name;
};
struct Invoice {
    std::int64_t id;
    std::int64_t account_id;
    std::string text;
};
WINNOW_DESCRIBE(Account, id, name)
WINNOW_DESCRIBE(Invoice, id, account_id, text)

template <> struct winnow::model<Invoice> {
    static constexpr text key = "optimized.Invoice";
    static constexpr auto silo = winnow::silo::cell;
};
template <> struct winnow::model<Account> {
    static constexpr text key = "optimized.Account";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto children = winnow::children(cascade<&Invoice::account_id>);
};

using Models = winnow::registry<Account, Invoice>;

int main(int argc, char** argv) { return winnow::cli::run<Models>(argc, argv); }
