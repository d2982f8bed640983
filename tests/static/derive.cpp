// SPDX-License-Identifier: Apache-2.0
// Plans: what a proved set of models is made into.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "golden/models.hpp"
#include "winnow/derive/plans_of.hpp"

namespace {

using winnow::dialect;
using winnow::plan;
using winnow::plan_of;
using winnow::plans_of;
using winnow::relation;
using winnow::relation_kind;
using winnow::strategy;

static_assert(plans_of<shop::models>.size() == 7);
static_assert(plans_of<shop::models>[0].key == "shop.Account" && plans_of<shop::models>[6].key == "plugin.Note");

constexpr const plan& account = plan_of<shop::models, shop::account>();
constexpr const plan& order = plan_of<shop::models, shop::order>();
constexpr const plan& order_line = plan_of<shop::models, shop::order_line>();
constexpr const plan& category = plan_of<shop::models, shop::category>();
constexpr const plan& device = plan_of<shop::models, shop::device>();
constexpr const plan& label = plan_of<shop::models, shop::label>();
constexpr const plan& note = plan_of<shop::models, shop::note>();

// Strategies are deduced, with a reason.
static_assert(account.strategy == strategy::per_row && order.strategy == strategy::per_row);
static_assert(label.strategy == strategy::bulk && note.strategy == strategy::bulk);
static_assert(std::ranges::none_of(plans_of<shop::models>, [](const plan& of) { return of.strategy_reason.empty(); }));
static_assert(label.strategy_reason != note.strategy_reason, "declared is told from deduced");

// Limits, by strategy unless declared.
static_assert(order.chunk_size == 1'000 && order.query_limit == 1'000);
static_assert(label.chunk_size == 10'000 && label.query_limit == 10'000);
static_assert(account.chunk_size == 50 && account.query_limit == 200);
static_assert(order.newest_first && !account.newest_first);
static_assert(account.rate_limit_option == "shop.accounts_per_second" && order.rate_limit_option.empty());

// The identity is the key, then what relations refer to.
static_assert(std::ranges::equal(account.identity, std::array<std::uint16_t, 2>{0, 2}));
static_assert(std::ranges::equal(order_line.identity, std::array<std::uint16_t, 2>{0, 1}));
static_assert(std::ranges::equal(order_line.primary_key, order_line.identity));
static_assert(label.identity.size() == 1);

// Hooks are function pointers, and only those that were written.
static_assert(account.hooks.should_proceed && account.hooks.pending_delete && account.hooks.after_delete);
static_assert(!account.hooks.before_delete && account.hooks.per_row());
static_assert(!order.hooks.should_proceed && !order.hooks.per_row());
static_assert(account.relations[0].external && !account.relations[1].external);
static_assert(order.relations[1].applies && !order.relations[0].applies);

// Relations, with the columns on both ends.
static_assert(account.relations[1].columns.size() == 1);
static_assert(account.relations[1].columns[0].name.postgres == "account_id");
static_assert(account.relations[1].columns[0].name.sqlite == "AccountId", "spelled as the child spells it");
static_assert(account.relations[1].referenced.empty(), "the primary key");
static_assert(account.relations[2].referenced.size() == 1 &&
              account.relations[2].referenced[0].name.postgres == "slug");
static_assert(account.relations[3].filters.size() == 2);
static_assert(account.relations[3].filters[0].where.name.postgres == "object_kind");
static_assert(account.relations[3].filters[0].literal == "1" &&
              account.relations[3].filters[1].literal == "'people''s'");
static_assert(order_line.relations[0].columns.size() == 2);
static_assert(category.relations[0].parent == category.relations[0].child);
static_assert(!category.relations[0].statements.descend.empty() && category.relations[1].statements.descend.empty());
static_assert(note.attached.size() == 2 && note.attached[1].parent == "shop.Order");
static_assert(note.attached[1].kind == relation_kind::set_null && note.relations.empty());
static_assert(device.relations[1].kind == relation_kind::do_nothing);

// Every plan has its row statements, in both dialects; `mark` where there is a status.
constexpr bool has_row_statements(const plan& of) {
    for (const dialect to : {dialect::postgres, dialect::sqlite}) {
        if (of.statements.read[to].empty() || of.statements.lock[to].empty() || of.statements.hold[to].empty() ||
            of.statements.remove[to].empty() || of.statements.count[to].empty()) {
            return false;
        }
        if (of.statements.mark[to].empty() == static_cast<bool>(of.status)) return false;
    }
    return true;
}
static_assert(std::ranges::all_of(plans_of<shop::models>, has_row_statements));

// The set of models changes a plan's strategy, and nothing else in the rest of the plan.
static_assert(winnow::plan_of<winnow::registry<shop::note>, shop::note>().statements.read.postgres ==
              note.statements.read.postgres);

// A relation has the statements that its kind needs.
constexpr bool has_statements_of_its_kind(const relation& of) {
    const bool rows = of.kind != relation_kind::external;
    const bool removed = of.kind == relation_kind::cascade;
    const bool nullable = std::ranges::any_of(of.columns, &winnow::column::optional);
    const bool unlinked = of.kind == relation_kind::set_null || (removed && nullable);  // a cycle is cut there
    return of.statements.exists.empty() != rows && of.statements.remove.empty() != removed &&
           of.statements.lock.empty() != removed && of.statements.nullify.empty() != unlinked;
}
static_assert(std::ranges::all_of(plans_of<shop::models>, [](const plan& of) {
    return std::ranges::all_of(of.relations, has_statements_of_its_kind) &&
           std::ranges::all_of(of.attached, has_statements_of_its_kind);
}));

}  // namespace
