// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "winnow/abi/plan.h"
#include "winnow/plan/plan.hpp"
#include "winnow/plan/replication.hpp"
#include "winnow/plugin/lift_model.hpp"
#include "winnow/plugin/lifted_records.hpp"
#include "winnow/plugin/reader.hpp"
#include "winnow/plugin/required_statements.hpp"
#include "winnow/plugin/statement_members.hpp"

namespace winnow::inline v0::detail {

inline void lift_mirror(contract_reader& in, const contract_place& at, const winnow_mirror* from, const plan& of,
                        mirror_plan& to, lifted_records& records) {
    winnow_mirror held{};
    if (from == nullptr || !in.read(at, from, held, "")) return;
    to.model = in.key(contract_place(at, "model"), held.model, "name the key of the mirror's own model");
    to.table = lift_name(in, contract_place(at, "table"), held.table, "mirror's table");
    const contract_place columns(at, "columns");
    const std::vector<winnow_mirrored_column> items = in.read(columns, held.columns);
    std::vector<mirrored_column> made;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const contract_place here(columns, i);
        const contract_place target(here, "target");
        mirrored_column& one = made.emplace_back();
        if (items[i].source == WINNOW_SOURCE_CELL_NAME) one.source = mirrored_column::cell_name;
        else if (in.index(contract_place(here, "source"), items[i].source, of.columns.size()))
            one.source = static_cast<std::uint16_t>(items[i].source);
        one.identifies = in.yes_or_no(contract_place(here, "identifies"), items[i].identifies);
        const std::vector<column> read = lift_columns(in, target, items[i].target);
        if (items[i].target.count != 1) in.blame(target, "has to be one column. Give exactly one.");
        else if (read.size() == 1) one.target = read[0];
    }
    if (held.columns.count == 0) in.blame(columns, "has no items: list the columns that are copied.");
    else if (!made.empty() &&
             std::none_of(made.begin(), made.end(), [](const mirrored_column& one) { return one.identifies; }))
        in.blame(columns, "has none that identifies a copy. Set `identifies` of those that its row is found by.");
    to.columns = records.keep(std::move(made));
    lift_statements(in, at, held, to, mirror_statement_members,
                    [&](dialect_text mirror_plan::* which) { return is_required(which, to); });
}

inline void lift_replication_hooks(contract_reader& in, const contract_place& at, const winnow_replication_hooks* from,
                                   bool mirrored, replication& to, lifted_records& records) {
    winnow_replication_hooks held{};
    if (from != nullptr && !in.read(at, from, held, "")) return;
    if (held.replicate == nullptr && !mirrored)
        in.blame(contract_place(at, "replicate"),
                 "is null, and there is no mirror: nobody would take the messages. Give a handler or a mirror.");
    if (held.replicate != nullptr || held.erased != nullptr) to.hooks = records.keep(held);
}

inline void lift_replication(contract_reader& in, const contract_place& at, const winnow_replication* from, plan& of,
                             lifted_records& records) {
    winnow_replication held{};
    if (from == nullptr || !in.read(at, from, held, "")) return;
    replication to;
    to.version = in.number(contract_place(at, "version"), held.version, 1, 1'000'000'000);
    to.category = held.category;
    to.scope = held.scope;
    (void)in.choice(contract_place(at, "kind"), held.kind, to.kind, WINNOW_CATEGORY_EVERY_EVENT,
                    "WINNOW_CATEGORY_LATEST_STATE and WINNOW_CATEGORY_EVERY_EVENT");
    to.strict_order = in.yes_or_no(contract_place(at, "strict_order"), held.strict_order);
    to.category_name = in.needed(contract_place(at, "category_name"), held.category_name, longest_name,
                                 "name the category, for messages and metrics");
    to.scope_name = in.needed(contract_place(at, "scope_name"), held.scope_name, longest_name,
                              "name the scope, for messages and metrics");
    const contract_place shard(at, "shard");
    if (in.index(shard, held.shard, of.columns.size())) {
        to.shard = static_cast<std::uint16_t>(held.shard);
        const column& one = of.columns[to.shard];
        if (!is_integer(one) || one.optional)
            in.blame(shard, "names " + std::string(one.name.postgres) +
                                ", which is no integer that is always there. Name one that is.");
    }
    const bool integer_key = of.primary_key.size() == 1 && is_integer(of.columns[of.primary_key[0]]);
    if (!integer_key && !of.primary_key.empty())
        in.blame(at, "is given to a model whose key is not one integer, which messages could not name. Give the model "
                     "such a key, or leave the replication out.");
    to.payload = records.keep(in.indices(contract_place(at, "payload"), held.payload, of.columns.size()));
    to.fingerprint = held.fingerprint;
    if (held.fingerprint == 0)
        in.blame(contract_place(at, "fingerprint"),
                 "is 0, which is nothing: it was forgotten. Set it to a number that changes with what is copied.");
    lift_mirror(in, contract_place(at, "mirror"), held.mirror, of, to.mirror, records);
    lift_replication_hooks(in, contract_place(at, "hooks"), held.hooks, held.mirror != nullptr, to, records);
    winnow_replication_statements statements{};
    const contract_place statements_at(at, "statements");
    if (in.read(statements_at, held.statements, statements, "point to the statements that write messages"))
        lift_statements(in, statements_at, statements, to.statements, replication_statement_members,
                        [&](dialect_text replication_statements::* which) { return is_required(which, to); });
    of.replication = records.keep(to);
}

inline void lift_remotes(contract_reader& in, const contract_place& at, const winnow_remote_relation_list& from,
                         plan& of, lifted_records& records) {
    const std::vector<winnow_remote_relation> items = in.read(at, from);
    std::vector<remote_relation> made(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        remote_relation& to = made[i];
        contract_place here(at, i);
        const bool known = in.choice(contract_place(here, "kind"), items[i].kind, to.kind, WINNOW_REMOTE_DO_NOTHING,
                                     "WINNOW_REMOTE_...");
        to.parent =
            in.key(contract_place(here, "parent"), items[i].parent, "name the key of the model in the other silo");
        here.call(to.parent);
        const contract_place column_at(here, "column");
        if (in.index(column_at, items[i].column, of.columns.size())) {
            to.index = static_cast<std::uint16_t>(items[i].column);
            to.reference = of.columns[to.index];
            if (!is_integer(to.reference))
                in.blame(column_at,
                         "names " + std::string(to.reference.name.postgres) +
                             ", which is no integer, as keys of replicated models are. Name another column.");
            if (known && to.kind == remote_kind::set_null && !to.reference.optional)
                in.blame(column_at, "names " + std::string(to.reference.name.postgres) +
                                        ", which cannot become null. Name an optional column, or cascade.");
        }
        winnow_remote_statements statements{};
        const contract_place statements_at(here, "statements");
        if (to.kind == remote_kind::do_nothing && items[i].statements == nullptr) continue;
        if (in.read(statements_at, items[i].statements, statements, "point to the statements over the model's table"))
            lift_statements(in, statements_at, statements, to.statements, remote_statement_members,
                            [&](dialect_text remote_statements::* which) { return is_required(which, to); });
    }
    of.remotes = records.keep(std::move(made));
}

}  // namespace winnow::inline v0::detail
