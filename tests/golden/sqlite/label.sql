-- SPDX-License-Identifier: Apache-2.0
shop.Label, sqlite
  read
    SELECT "id", "object_id", "object_kind", "source", "device_id" FROM "shop_label" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  lock
    SELECT "id" FROM "shop_label" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  hold
    SELECT "id", "object_id", "object_kind", "source", "device_id" FROM "shop_label" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  remove
    DELETE FROM "shop_label" WHERE "id" IN (SELECT value FROM json_each(?1))
  count
    SELECT count(*) FROM "shop_label" WHERE "id" IN (SELECT value FROM json_each(?1))
