-- SPDX-License-Identifier: Apache-2.0
shop.Order, sqlite
  read
    SELECT "Id", "AccountId", "State", "Total" FROM "order" WHERE "Id" IN (SELECT value FROM json_each(?1)) ORDER BY "Id"
  lock
    SELECT "Id" FROM "order" WHERE "Id" IN (SELECT value FROM json_each(?1)) ORDER BY "Id"
  hold
    SELECT "Id", "AccountId", "State", "Total" FROM "order" WHERE "Id" IN (SELECT value FROM json_each(?1)) ORDER BY "Id"
  remove
    DELETE FROM "order" WHERE "Id" IN (SELECT value FROM json_each(?1))
  count
    SELECT count(*) FROM "order" WHERE "Id" IN (SELECT value FROM json_each(?1))
  mark
    UPDATE "order" SET "State" = ?1 WHERE "Id" IN (SELECT value FROM json_each(?2)) AND "State" IS NOT ?1
shop.Order: cascade shop.OrderLine over order_id
  fetch_first
    SELECT "orderId", "position" FROM "shop_orderline" WHERE "orderId" IN (SELECT value FROM json_each(?1)) ORDER BY "orderId", "position" LIMIT ?2
  fetch_next
    SELECT "orderId", "position" FROM "shop_orderline" WHERE "orderId" IN (SELECT value FROM json_each(?1)) AND ("orderId", "position") > (?2, ?3) ORDER BY "orderId", "position" LIMIT ?4
  lock
    SELECT "orderId", "position" FROM "shop_orderline" WHERE ("orderId", "position") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)) AND "orderId" IN (SELECT value FROM json_each(?2)) ORDER BY "orderId", "position"
  hold
    SELECT "orderId", "position" FROM "shop_orderline" WHERE ("orderId", "position") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)) AND "orderId" IN (SELECT value FROM json_each(?2)) ORDER BY "orderId", "position"
  remove
    DELETE FROM "shop_orderline" WHERE "orderId" IN (SELECT value FROM json_each(?1))
  remove_some
    DELETE FROM "shop_orderline" WHERE rowid IN (SELECT rowid FROM "shop_orderline" WHERE "orderId" IN (SELECT value FROM json_each(?1)) LIMIT ?2)
  remove_some_by_key
    DELETE FROM "shop_orderline" WHERE ("orderId", "position") IN (SELECT "orderId", "position" FROM "shop_orderline" WHERE "orderId" IN (SELECT value FROM json_each(?1)) LIMIT ?2)
  remove_unlocked
    DELETE FROM "shop_orderline" WHERE rowid IN (SELECT rowid FROM "shop_orderline" WHERE "orderId" IN (SELECT value FROM json_each(?1)) LIMIT ?2)
  count
    SELECT count(*) FROM (SELECT 1 FROM "shop_orderline" WHERE "orderId" IN (SELECT value FROM json_each(?1)) LIMIT ?2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "shop_orderline" WHERE "orderId" IN (SELECT value FROM json_each(?1)))
shop.Order: cascade shop.Label over object_id where object_kind = 2, when asked
  fetch_first
    SELECT "id" FROM "shop_label" WHERE "object_id" IN (SELECT value FROM json_each(?1)) AND "object_kind" = 2 ORDER BY "id" LIMIT ?2
  fetch_next
    SELECT "id" FROM "shop_label" WHERE "object_id" IN (SELECT value FROM json_each(?1)) AND "object_kind" = 2 AND "id" > ?2 ORDER BY "id" LIMIT ?3
  lock
    SELECT "id" FROM "shop_label" WHERE "id" IN (SELECT value FROM json_each(?1)) AND "object_id" IN (SELECT value FROM json_each(?2)) AND "object_kind" = 2 ORDER BY "id"
  hold
    SELECT "id" FROM "shop_label" WHERE "id" IN (SELECT value FROM json_each(?1)) AND "object_id" IN (SELECT value FROM json_each(?2)) AND "object_kind" = 2 ORDER BY "id"
  remove
    DELETE FROM "shop_label" WHERE "object_id" IN (SELECT value FROM json_each(?1)) AND "object_kind" = 2
  remove_some
    DELETE FROM "shop_label" WHERE rowid IN (SELECT rowid FROM "shop_label" WHERE "object_id" IN (SELECT value FROM json_each(?1)) AND "object_kind" = 2 LIMIT ?2)
  remove_some_by_key
    DELETE FROM "shop_label" WHERE "id" IN (SELECT "id" FROM "shop_label" WHERE "object_id" IN (SELECT value FROM json_each(?1)) AND "object_kind" = 2 LIMIT ?2)
  remove_unlocked
    DELETE FROM "shop_label" WHERE rowid IN (SELECT rowid FROM "shop_label" WHERE "object_id" IN (SELECT value FROM json_each(?1)) AND "object_kind" = 2 LIMIT ?2)
  count
    SELECT count(*) FROM (SELECT 1 FROM "shop_label" WHERE "object_id" IN (SELECT value FROM json_each(?1)) AND "object_kind" = 2 LIMIT ?2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "shop_label" WHERE "object_id" IN (SELECT value FROM json_each(?1)) AND "object_kind" = 2)
