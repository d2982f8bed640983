// SPDX-License-Identifier: Apache-2.0
// The statements exist when the program is compiled: one of each form, compared by the compiler.
#include <string_view>

#include "models.hpp"
#include "winnow/derive/plans_of.hpp"

namespace {

using winnow::plan;
using winnow::relation;

constexpr const plan& account = winnow::plan_of<shop::models, shop::account>();
constexpr const plan& order = winnow::plan_of<shop::models, shop::order>();
constexpr const plan& order_line = winnow::plan_of<shop::models, shop::order_line>();
constexpr const plan& category = winnow::plan_of<shop::models, shop::category>();
constexpr const plan& device = winnow::plan_of<shop::models, shop::device>();
constexpr const plan& note = winnow::plan_of<shop::models, shop::note>();

// Schema and mixed case; the identity holds what relations refer to besides the key.
static_assert(account.statements.lock.postgres ==
              R"(SELECT "id", "slug" FROM "Shop"."Account" WHERE "id" = ANY($1::bigint[]) ORDER BY "id" FOR UPDATE)");
static_assert(account.statements.lock.sqlite == R"(SELECT "id", "slug" FROM "ShopAccount" )"
                                                R"(WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id")");

// A reserved word; columns spelled otherwise on SQLite.
static_assert(order.statements.remove.postgres == R"(DELETE FROM "order" WHERE "id" = ANY($1::bigint[]))");
static_assert(order.statements.remove.sqlite ==
              R"(DELETE FROM "order" WHERE "Id" IN (SELECT value FROM json_each(?1)))");

// A composite key.
static_assert(order_line.statements.remove.postgres ==
              R"(DELETE FROM "shop_orderline" WHERE ("order_id", "position") IN )"
              R"((SELECT * FROM unnest($1::bigint[], $2::integer[])))");

// A text key, unlinked.
static_assert(category.relations[1].statements.nullify.postgres ==
              R"(UPDATE "shop_orderline" SET "category_code" = NULL WHERE "category_code" = ANY($1::text[]))");

// A UUID key; a column name with quotes in it.
static_assert(device.relations[0].statements.exists.postgres ==
              R"(SELECT EXISTS (SELECT 1 FROM "shop_device" WHERE "Replaced ""By""" = ANY($1::uuid[]))::integer)");
static_assert(
    device.relations[0].statements.nullify.sqlite ==
    R"(UPDATE "shop_device" SET "replacement" = NULL WHERE "replacement" IN (SELECT value FROM json_each(?1)))");

// Filters, with a quote in a constant.
static_assert(account.relations[3].statements.remove.postgres ==
              R"(DELETE FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) )"
              R"(AND "object_kind" = 1 AND "source" = 'people''s')");

// An attached relation.
static_assert(note.attached[0].statements.remove.postgres ==
              R"(DELETE FROM "plugin_note" WHERE "account_id" = ANY($1::bigint[]) AND "pinned" = FALSE)");

// A relation whose rows stay as they are has no statement that changes them; one outside the database has none.
static_assert(device.relations[1].statements.remove.empty() && device.relations[1].statements.nullify.empty());
static_assert(account.relations[0].statements.exists.empty() && account.relations[0].statements.remove.empty());

}  // namespace
