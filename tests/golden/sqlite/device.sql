-- SPDX-License-Identifier: Apache-2.0
shop.Device, sqlite
  read
    SELECT "id", "account_slug", "replacement" FROM "shop_device" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  lock
    SELECT "id" FROM "shop_device" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  hold
    SELECT "id", "account_slug", "replacement" FROM "shop_device" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  remove
    DELETE FROM "shop_device" WHERE "id" IN (SELECT value FROM json_each(?1))
  count
    SELECT count(*) FROM "shop_device" WHERE "id" IN (SELECT value FROM json_each(?1))
shop.Device: set_null shop.Device over Replaced "By"
  fetch_first
    SELECT "id" FROM "shop_device" WHERE "replacement" IN (SELECT value FROM json_each(?1)) ORDER BY "id" LIMIT ?2
  fetch_next
    SELECT "id" FROM "shop_device" WHERE "replacement" IN (SELECT value FROM json_each(?1)) AND "id" > ?2 ORDER BY "id" LIMIT ?3
  nullify
    UPDATE "shop_device" SET "replacement" = NULL WHERE "replacement" IN (SELECT value FROM json_each(?1))
  nullify_some
    UPDATE "shop_device" SET "replacement" = NULL WHERE rowid IN (SELECT rowid FROM "shop_device" WHERE "replacement" IN (SELECT value FROM json_each(?1)) LIMIT ?2)
  count
    SELECT count(*) FROM (SELECT 1 FROM "shop_device" WHERE "replacement" IN (SELECT value FROM json_each(?1)) LIMIT ?2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "shop_device" WHERE "replacement" IN (SELECT value FROM json_each(?1)))
shop.Device: do_nothing shop.Label over device_id
  fetch_first
    SELECT "id" FROM "shop_label" WHERE "device_id" IN (SELECT value FROM json_each(?1)) ORDER BY "id" LIMIT ?2
  fetch_next
    SELECT "id" FROM "shop_label" WHERE "device_id" IN (SELECT value FROM json_each(?1)) AND "id" > ?2 ORDER BY "id" LIMIT ?3
  count
    SELECT count(*) FROM (SELECT 1 FROM "shop_label" WHERE "device_id" IN (SELECT value FROM json_each(?1)) LIMIT ?2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "shop_label" WHERE "device_id" IN (SELECT value FROM json_each(?1)))
