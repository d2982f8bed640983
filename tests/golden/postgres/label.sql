-- SPDX-License-Identifier: Apache-2.0
shop.Label, postgresql
  read
    SELECT "id", "object_id", "object_kind", "source", "device_id" FROM "shop_label" WHERE "id" = ANY($1::integer[]) ORDER BY "id"
  lock
    SELECT "id" FROM "shop_label" WHERE "id" = ANY($1::integer[]) ORDER BY "id" FOR UPDATE
  hold
    SELECT "id", "object_id", "object_kind", "source", "device_id" FROM "shop_label" WHERE "id" = ANY($1::integer[]) ORDER BY "id" FOR NO KEY UPDATE
  remove
    DELETE FROM "shop_label" WHERE "id" = ANY($1::integer[])
  count
    SELECT count(*) FROM "shop_label" WHERE "id" = ANY($1::integer[])
