-- SPDX-License-Identifier: Apache-2.0
shop.Category, sqlite
  read
    SELECT "code", "parent_code", "properties" FROM "shop_category" WHERE "code" IN (SELECT value FROM json_each(?1)) ORDER BY "code"
  lock
    SELECT "code" FROM "shop_category" WHERE "code" IN (SELECT value FROM json_each(?1)) ORDER BY "code"
  hold
    SELECT "code", "parent_code", "properties" FROM "shop_category" WHERE "code" IN (SELECT value FROM json_each(?1)) ORDER BY "code"
  remove
    DELETE FROM "shop_category" WHERE "code" IN (SELECT value FROM json_each(?1))
  count
    SELECT count(*) FROM "shop_category" WHERE "code" IN (SELECT value FROM json_each(?1))
shop.Category: cascade shop.Category over parent_code
  fetch_first
    SELECT "code" FROM "shop_category" WHERE "parent_code" IN (SELECT value FROM json_each(?1)) ORDER BY "code" LIMIT ?2
  fetch_next
    SELECT "code" FROM "shop_category" WHERE "parent_code" IN (SELECT value FROM json_each(?1)) AND "code" > ?2 ORDER BY "code" LIMIT ?3
  lock
    SELECT "code" FROM "shop_category" WHERE "code" IN (SELECT value FROM json_each(?1)) AND "parent_code" IN (SELECT value FROM json_each(?2)) ORDER BY "code"
  hold
    SELECT "code" FROM "shop_category" WHERE "code" IN (SELECT value FROM json_each(?1)) AND "parent_code" IN (SELECT value FROM json_each(?2)) ORDER BY "code"
  remove
    DELETE FROM "shop_category" WHERE "parent_code" IN (SELECT value FROM json_each(?1))
  remove_some
    DELETE FROM "shop_category" WHERE rowid IN (SELECT rowid FROM "shop_category" WHERE "parent_code" IN (SELECT value FROM json_each(?1)) LIMIT ?2)
  remove_some_by_key
    DELETE FROM "shop_category" WHERE "code" IN (SELECT "code" FROM "shop_category" WHERE "parent_code" IN (SELECT value FROM json_each(?1)) LIMIT ?2)
  remove_unlocked
    DELETE FROM "shop_category" WHERE rowid IN (SELECT rowid FROM "shop_category" WHERE "parent_code" IN (SELECT value FROM json_each(?1)) LIMIT ?2)
  nullify
    UPDATE "shop_category" SET "parent_code" = NULL WHERE "parent_code" IN (SELECT value FROM json_each(?1))
  nullify_some
    UPDATE "shop_category" SET "parent_code" = NULL WHERE rowid IN (SELECT rowid FROM "shop_category" WHERE "parent_code" IN (SELECT value FROM json_each(?1)) LIMIT ?2)
  count
    SELECT count(*) FROM (SELECT 1 FROM "shop_category" WHERE "parent_code" IN (SELECT value FROM json_each(?1)) LIMIT ?2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "shop_category" WHERE "parent_code" IN (SELECT value FROM json_each(?1)))
  descend
    WITH RECURSIVE winnow_below(i0, r0) AS (SELECT "code", "parent_code" FROM "shop_category" WHERE "parent_code" IN (SELECT value FROM json_each(?1)) UNION SELECT n."code", n."parent_code" FROM winnow_below JOIN "shop_category" AS n ON n."parent_code" = winnow_below.i0 LIMIT ?2) SELECT * FROM winnow_below
  reach_outside
    SELECT DISTINCT "parent_code" FROM "shop_category" WHERE "parent_code" IN (SELECT value FROM json_each(?1)) AND NOT "code" IN (SELECT value FROM json_each(?2))
shop.Category: set_null shop.OrderLine over category_code
  fetch_first
    SELECT "orderId", "position" FROM "shop_orderline" WHERE "categoryCode" IN (SELECT value FROM json_each(?1)) ORDER BY "orderId", "position" LIMIT ?2
  fetch_next
    SELECT "orderId", "position" FROM "shop_orderline" WHERE "categoryCode" IN (SELECT value FROM json_each(?1)) AND ("orderId", "position") > (?2, ?3) ORDER BY "orderId", "position" LIMIT ?4
  nullify
    UPDATE "shop_orderline" SET "categoryCode" = NULL WHERE "categoryCode" IN (SELECT value FROM json_each(?1))
  nullify_some
    UPDATE "shop_orderline" SET "categoryCode" = NULL WHERE rowid IN (SELECT rowid FROM "shop_orderline" WHERE "categoryCode" IN (SELECT value FROM json_each(?1)) LIMIT ?2)
  count
    SELECT count(*) FROM (SELECT 1 FROM "shop_orderline" WHERE "categoryCode" IN (SELECT value FROM json_each(?1)) LIMIT ?2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "shop_orderline" WHERE "categoryCode" IN (SELECT value FROM json_each(?1)))
