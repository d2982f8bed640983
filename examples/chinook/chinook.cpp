// SPDX-License-Identifier: Apache-2.0
// Deleting from a music store, on SQLite or PostgreSQL, whichever --database names. When an employee goes,
// those who report to him or her go as well.
//
//   chinook --database sqlite:music.db plan chinook.Artist 90
//   chinook --database sqlite:music.db schedule chinook.Employee 2 --in 0d
//   chinook --database sqlite:music.db deletions run
#include <winnow/cli/main.hpp>
#include <winnow/store/postgres.hpp>
#include <winnow/store/sqlite.hpp>
#include <winnow/winnow.hpp>

#include "models/employee.hpp"

template <> struct winnow::model<chinook::Employee> : chinook::employee_model {
    static constexpr auto children =
        winnow::children(cascade<&chinook::Employee::reports_to>, set_null<&chinook::Customer::support_rep_id>);
};

#include "registry.hpp"

int main(int argc, char** argv) { return winnow::cli::run<chinook::Models>(argc, argv); }
