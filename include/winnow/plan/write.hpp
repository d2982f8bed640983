// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "winnow/core/dialect.hpp"

namespace winnow::inline v0 {

/// Statements that write whole rows of one model. A row is all columns of the plan, in their order; ROWS is a set
/// parameter of all of them.
///
/// SQLite gets a set as JSON, which carries neither bytes nor every real number: the statements of sets are empty there for
/// a model with such a column, and its rows are written one by one.
struct write_statements {
    /// (column…) a new row.
    dialect_text insert;
    /// (column… without the key) a new row whose key the database makes; gives the key. Empty unless it is one integer.
    dialect_text insert_generated;
    /// (column…) changes the row with this key and, where the model is replicated, with this shard.
    dialect_text update;
    /// (KEYS) key, shard where the model is replicated, and remote references, in key order; locked against changes.
    dialect_text hold;
    /// (ROWS) new rows.
    dialect_text insert_rows;
    /// (ROWS without the key) new rows whose keys the database makes; gives the keys in the order of the rows. Empty
    /// as `insert_generated`, and for a model that has a key only.
    dialect_text insert_rows_generated;
    /// (ROWS) changes the rows with these keys.
    dialect_text update_rows;
};

}  // namespace winnow::inline v0
