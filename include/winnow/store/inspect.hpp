// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "winnow/store/connection.hpp"
#include "winnow/store/facts.hpp"
#include "winnow/store/inspect_postgres.hpp"
#include "winnow/store/inspect_sqlite.hpp"

namespace winnow::inline v0 {

/// Reads what the database knows about these tables, and about every foreign key from or to them.
///
/// Only reads catalogs; no table is scanned. PostgreSQL: a fixed number of statements. SQLite: a few for
/// each table. A name that does not exist is left out of the answer.
/// \param wanted  schema and name as the database spells them; no name twice
/// \throws error as `connection::execute`
[[nodiscard]] inline schema_facts inspect(connection& session, std::span<const table_name> wanted) {
    if (session.kind() == dialect::postgres) return detail::postgres_inspector(session, wanted).read();
    return detail::sqlite_inspector(session, wanted).read();
}

}  // namespace winnow::inline v0
