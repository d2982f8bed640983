-- SPDX-License-Identifier: Apache-2.0
shop.OrderLine, sqlite
  read
    SELECT "orderId", "position", "categoryCode" FROM "shop_orderline" WHERE ("orderId", "position") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)) ORDER BY "orderId", "position"
  lock
    SELECT "orderId", "position" FROM "shop_orderline" WHERE ("orderId", "position") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)) ORDER BY "orderId", "position"
  hold
    SELECT "orderId", "position", "categoryCode" FROM "shop_orderline" WHERE ("orderId", "position") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)) ORDER BY "orderId", "position"
  remove
    DELETE FROM "shop_orderline" WHERE ("orderId", "position") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1))
  count
    SELECT count(*) FROM "shop_orderline" WHERE ("orderId", "position") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1))
shop.OrderLine: set_null plugin.Note over (order_id, line_position)
  fetch_first
    SELECT "id" FROM "plugin_note" WHERE ("order_id", "line_position") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)) ORDER BY "id" LIMIT ?2
  fetch_next
    SELECT "id" FROM "plugin_note" WHERE ("order_id", "line_position") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)) AND "id" > ?2 ORDER BY "id" LIMIT ?3
  nullify
    UPDATE "plugin_note" SET "order_id" = NULL, "line_position" = NULL WHERE ("order_id", "line_position") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1))
  nullify_some
    UPDATE "plugin_note" SET "order_id" = NULL, "line_position" = NULL WHERE rowid IN (SELECT rowid FROM "plugin_note" WHERE ("order_id", "line_position") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)) LIMIT ?2)
  count
    SELECT count(*) FROM (SELECT 1 FROM "plugin_note" WHERE ("order_id", "line_position") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)) LIMIT ?2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "plugin_note" WHERE ("order_id", "line_position") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)))
