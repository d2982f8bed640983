// SPDX-License-Identifier: Apache-2.0
// What makes the library a plugin: its name, and the tables that it keeps.
#include "models.hpp"

#include <winnow/plugin/export.hpp>

namespace {

// Steps only go forward: one that was released never changes, and new ones are appended.
constexpr winnow::migration steps[] = {
    {.name = "1_orders",
     .silo = winnow::silo::cell,
     .script = {.postgres = R"sql(
CREATE TABLE orders_order (id bigserial PRIMARY KEY, customer text NOT NULL);
CREATE TABLE orders_line (
    id bigserial PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders_order, article text NOT NULL);
CREATE INDEX orders_line_order_id ON orders_line (order_id);
)sql",
                .sqlite = R"sql(
CREATE TABLE orders_order (id INTEGER PRIMARY KEY AUTOINCREMENT, customer TEXT NOT NULL);
CREATE TABLE orders_line (
    id INTEGER PRIMARY KEY AUTOINCREMENT, order_id INTEGER NOT NULL REFERENCES orders_order, article TEXT NOT NULL);
CREATE INDEX orders_line_order_id ON orders_line (order_id);
)sql"}},
};

}  // namespace

WINNOW_PLUGIN(orders::Models, .name = "orders", .version = ORDERS_VERSION, .description = "orders and their lines",
              .migrations = steps)
