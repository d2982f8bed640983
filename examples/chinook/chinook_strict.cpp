// SPDX-License-Identifier: Apache-2.0
// The same store with another rule: an employee to whom somebody reports cannot be deleted. The refusal
// names the table and the number of rows in the way.
#include <winnow/cli/main.hpp>
#include <winnow/store/postgres.hpp>
#include <winnow/store/sqlite.hpp>
#include <winnow/winnow.hpp>

#include "models/employee.hpp"

template <> struct winnow::model<chinook::Employee> : chinook::employee_model {
    static constexpr auto children =
        winnow::children(restrict_<&chinook::Employee::reports_to>, set_null<&chinook::Customer::support_rep_id>);
};

#include "registry.hpp"

int main(int argc, char** argv) { return winnow::cli::run<chinook::Models>(argc, argv); }
