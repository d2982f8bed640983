-- SPDX-License-Identifier: Apache-2.0
shop.Device, postgresql
  read
    SELECT "id", "account_slug", "Replaced ""By""" FROM "shop_device" WHERE "id" = ANY($1::uuid[]) ORDER BY "id"
  lock
    SELECT "id" FROM "shop_device" WHERE "id" = ANY($1::uuid[]) ORDER BY "id" FOR UPDATE
  hold
    SELECT "id", "account_slug", "Replaced ""By""" FROM "shop_device" WHERE "id" = ANY($1::uuid[]) ORDER BY "id" FOR NO KEY UPDATE
  remove
    DELETE FROM "shop_device" WHERE "id" = ANY($1::uuid[])
  count
    SELECT count(*) FROM "shop_device" WHERE "id" = ANY($1::uuid[])
shop.Device: set_null shop.Device over Replaced "By"
  fetch_first
    SELECT "id" FROM "shop_device" WHERE "Replaced ""By""" = ANY($1::uuid[]) ORDER BY "id" LIMIT $2
  fetch_next
    SELECT "id" FROM "shop_device" WHERE "Replaced ""By""" = ANY($1::uuid[]) AND "id" > $2 ORDER BY "id" LIMIT $3
  nullify
    UPDATE "shop_device" SET "Replaced ""By""" = NULL WHERE "Replaced ""By""" = ANY($1::uuid[])
  nullify_some
    UPDATE "shop_device" SET "Replaced ""By""" = NULL WHERE ctid = ANY(ARRAY(SELECT ctid FROM "shop_device" WHERE "Replaced ""By""" = ANY($1::uuid[]) LIMIT $2)) AND "Replaced ""By""" = ANY($1::uuid[])
  count
    SELECT count(*) FROM (SELECT 1 FROM "shop_device" WHERE "Replaced ""By""" = ANY($1::uuid[]) LIMIT $2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "shop_device" WHERE "Replaced ""By""" = ANY($1::uuid[]))::integer
shop.Device: do_nothing shop.Label over device_id
  fetch_first
    SELECT "id" FROM "shop_label" WHERE "device_id" = ANY($1::uuid[]) ORDER BY "id" LIMIT $2
  fetch_next
    SELECT "id" FROM "shop_label" WHERE "device_id" = ANY($1::uuid[]) AND "id" > $2 ORDER BY "id" LIMIT $3
  count
    SELECT count(*) FROM (SELECT 1 FROM "shop_label" WHERE "device_id" = ANY($1::uuid[]) LIMIT $2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "shop_label" WHERE "device_id" = ANY($1::uuid[]))::integer
