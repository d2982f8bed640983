// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "winnow/abi/plan.h"
#include "winnow/core/letters.hpp"
#include "winnow/plan/plan.hpp"
#include "winnow/plugin/lifted_records.hpp"
#include "winnow/plugin/reader.hpp"
#include "winnow/plugin/required_statements.hpp"
#include "winnow/plugin/statement_members.hpp"

namespace winnow::inline v0::detail {

/// Statements of one struct; those that the engine runs must be there, in both dialects.
template <class Struct, class Record, std::size_t Size, class Required>
void lift_statements(contract_reader& in, const contract_place& at, const Struct& from, Record& to,
                     const statement_member<Record, Struct> (&members)[Size], const Required& required) {
    for (const statement_member<Record, Struct>& one : members) {
        const contract_place here(at, one.name);
        to.*one.record =
            required(one.record)
                ? in.needed(here, from.*one.abi, longest_statement,
                            "the engine runs it; write the statement, a plan serves both kinds of database")
                : in.text(here, from.*one.abi, longest_statement);
    }
}

/// Names of a column or a table: as the database spells them.
[[nodiscard]] inline dialect_text lift_name(contract_reader& in, const contract_place& at,
                                            const winnow_dialect_text& from, std::string_view of_what) {
    // PostgreSQL cuts longer names off without a word.
    const contract_place postgres(at, "postgres");
    const contract_place sqlite(at, "sqlite");
    const std::string remedy = "give the name of the " + std::string(of_what) + " there";
    return {in.needed(postgres, from.postgres, 63, remedy), in.needed(sqlite, from.sqlite, longest_name, remedy)};
}

[[nodiscard]] inline bool same_folded(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

[[nodiscard]] inline std::vector<column> lift_columns(contract_reader& in, const contract_place& at,
                                                      const winnow_column_list& from) {
    std::vector<column> made;
    const std::vector<winnow_column> items = in.read(at, from);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const winnow_column& one = items[i];
        contract_place here(at, i);
        column& to = made.emplace_back();
        to.name = lift_name(in, contract_place(here, "name"), one.name, "column");
        here.call(to.name.postgres);
        to.quoted =
            in.needed(contract_place(here, "quoted"), one.quoted, longest_name, "give the name in double quotes");
        (void)in.choice(contract_place(here, "kind"), one.kind, to.kind, WINNOW_KIND_BLOB, "WINNOW_KIND_...");
        to.optional = in.yes_or_no(contract_place(here, "optional"), one.optional);
        const bool known = std::any_of(made.begin(), made.end() - 1, [&](const column& other) {
            return (!to.name.postgres.empty() && other.name.postgres == to.name.postgres) ||
                   (!to.name.sqlite.empty() && same_folded(other.name.sqlite, to.name.sqlite));
        });
        if (known) in.blame(here, "has a name that an earlier column has. Name each column once.");
    }
    return made;
}

inline void lift_hooks(contract_reader& in, const contract_place& at, const winnow_hooks* from, plan& to,
                       lifted_records& records) {
    winnow_hooks held{};
    if (from == nullptr || !in.read(at, from, held, "")) return;
    to.hooks.should_proceed = records.keep(held.should_proceed);
    to.hooks.pending_delete = records.keep(held.pending_delete);
    to.hooks.before_delete = records.keep(held.before_delete);
    to.hooks.after_delete = records.keep(held.after_delete);
}

[[nodiscard]] inline bool is_integer(const column& one) noexcept {
    return one.kind == value_kind::integer32 || one.kind == value_kind::integer64;
}

inline void lift_status(contract_reader& in, const contract_place& at, const winnow_status_column* from, plan& to) {
    winnow_status_column held{};
    if (from == nullptr || !in.read(at, from, held, "")) return;
    const contract_place column_at(at, "column");
    if (!in.index(column_at, held.column, to.columns.size())) return;
    if (!is_integer(to.columns[held.column]))
        in.blame(column_at, "names " + std::string(to.columns[held.column].name.postgres) + ", a column of kind " +
                                std::string(name_of(to.columns[held.column].kind)) +
                                ". A status is an integer: name another column.");
    if (held.active == held.pending || held.active == held.in_progress)
        in.blame(at, "gives a row that is to be deleted the status of one that is not. Give three different numbers.");
    to.status = {static_cast<int>(held.column), held.active, held.pending, held.in_progress};
}

/// The part of a plan that speaks of its own table only. What it refers to is lifted when all models are known.
/// @return whether the columns are what the plugin says
inline bool lift_model(contract_reader& in, contract_place& at, const winnow_plan& from, plan& to,
                       lifted_records& records) {
    to.key = in.key(contract_place(at, "key"), from.key, "name the model, as app.Model");
    at.call(to.key);
    to.schema = in.text(contract_place(at, "schema"), from.schema, longest_name);
    to.table = lift_name(in, contract_place(at, "table"), from.table, "table");
    to.quoted_table = in.needed(contract_place(at, "quoted_table"), from.quoted_table, 2 * longest_name,
                                "give the name in double quotes, with the schema in front if there is one");
    (void)in.choice(contract_place(at, "silo"), from.silo, to.silo, WINNOW_SILO_CELL,
                    "WINNOW_SILO_CONTROL and WINNOW_SILO_CELL");
    (void)in.choice(contract_place(at, "strategy"), from.strategy, to.strategy, WINNOW_STRATEGY_BULK,
                    "WINNOW_STRATEGY_PER_ROW and WINNOW_STRATEGY_BULK");
    to.strategy_reason = in.text(contract_place(at, "strategy_reason"), from.strategy_reason, longest_text);
    to.chunk_size = in.number(contract_place(at, "chunk_size"), from.chunk_size, 1, 1'000'000);
    to.query_limit = in.number(contract_place(at, "query_limit"), from.query_limit, 1, 1'000'000);
    to.newest_first = in.yes_or_no(contract_place(at, "newest_first"), from.newest_first);
    to.rate_limit_option = in.text(contract_place(at, "rate_limit_option"), from.rate_limit_option, longest_name);

    const contract_place columns(at, "columns");
    const std::size_t before = in.faults();
    std::vector<column> read = lift_columns(in, columns, from.columns);
    if (from.columns.count == 0) in.blame(columns, "has no items: list all columns of the table that the plan reads.");
    const bool sound = in.faults() == before;
    const std::size_t size = read.size();
    to.columns = records.keep(std::move(read));
    const contract_place primary_key(at, "primary_key");
    const contract_place identity(at, "identity");
    // A relation names a column of the identity by one byte.
    std::vector<std::uint16_t> key = in.indices(primary_key, from.primary_key, size, 32);
    std::vector<std::uint16_t> all = in.indices(identity, from.identity, size, 255);
    if (from.primary_key.count == 0) in.blame(primary_key, "has no items: list the columns of the primary key.");
    if (all.size() < key.size() || !std::equal(key.begin(), key.end(), all.begin()))
        in.blame(identity, "does not begin with the primary key. List the primary key first, then the further columns "
                           "that relations refer to.");
    to.primary_key = records.keep(std::move(key));
    to.identity = records.keep(std::move(all));
    if (from.birth != WINNOW_NO_COLUMN && in.index(contract_place(at, "birth"), from.birth, size))
        to.birth = static_cast<int>(from.birth);
    lift_status(in, contract_place(at, "status"), from.status, to);
    lift_hooks(in, contract_place(at, "hooks"), from.hooks, to, records);

    winnow_row_statements statements{};
    const contract_place statements_at(at, "statements");
    if (in.read(statements_at, from.statements, statements, "point to the statements over the model's own rows"))
        lift_statements(in, statements_at, statements, to.statements, row_statement_members,
                        [&](dialect_text row_statements::* which) { return is_required(which, to); });
    return sound;
}

}  // namespace winnow::inline v0::detail
