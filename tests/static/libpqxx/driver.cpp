// SPDX-License-Identifier: Apache-2.0
#include "winnow/store/postgres.hpp"

// The driver against the declarations of a libpqxx that is not on this machine; to compile it is to pass.
static_assert(winnow::postgres_driver.schemes[0] == "postgresql");
