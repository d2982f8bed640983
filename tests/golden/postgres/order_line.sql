-- SPDX-License-Identifier: Apache-2.0
shop.OrderLine, postgresql
  read
    SELECT "order_id", "position", "category_code" FROM "shop_orderline" WHERE ("order_id", "position") IN (SELECT * FROM unnest($1::bigint[], $2::integer[])) ORDER BY "order_id", "position"
  lock
    SELECT "order_id", "position" FROM "shop_orderline" WHERE ("order_id", "position") IN (SELECT * FROM unnest($1::bigint[], $2::integer[])) ORDER BY "order_id", "position" FOR UPDATE
  hold
    SELECT "order_id", "position", "category_code" FROM "shop_orderline" WHERE ("order_id", "position") IN (SELECT * FROM unnest($1::bigint[], $2::integer[])) ORDER BY "order_id", "position" FOR NO KEY UPDATE
  remove
    DELETE FROM "shop_orderline" WHERE ("order_id", "position") IN (SELECT * FROM unnest($1::bigint[], $2::integer[]))
  count
    SELECT count(*) FROM "shop_orderline" WHERE ("order_id", "position") IN (SELECT * FROM unnest($1::bigint[], $2::integer[]))
shop.OrderLine: set_null plugin.Note over (order_id, line_position)
  fetch_first
    SELECT "id" FROM "plugin_note" WHERE ("order_id", "line_position") IN (SELECT * FROM unnest($1::bigint[], $2::integer[])) ORDER BY "id" LIMIT $3
  fetch_next
    SELECT "id" FROM "plugin_note" WHERE ("order_id", "line_position") IN (SELECT * FROM unnest($1::bigint[], $2::integer[])) AND "id" > $3 ORDER BY "id" LIMIT $4
  nullify
    UPDATE "plugin_note" SET "order_id" = NULL, "line_position" = NULL WHERE ("order_id", "line_position") IN (SELECT * FROM unnest($1::bigint[], $2::integer[]))
  nullify_some
    UPDATE "plugin_note" SET "order_id" = NULL, "line_position" = NULL WHERE ctid = ANY(ARRAY(SELECT ctid FROM "plugin_note" WHERE ("order_id", "line_position") IN (SELECT * FROM unnest($1::bigint[], $2::integer[])) LIMIT $3)) AND (("order_id", "line_position") IN (SELECT * FROM unnest($1::bigint[], $2::integer[]))) IS TRUE
  count
    SELECT count(*) FROM (SELECT 1 FROM "plugin_note" WHERE ("order_id", "line_position") IN (SELECT * FROM unnest($1::bigint[], $2::integer[])) LIMIT $3) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "plugin_note" WHERE ("order_id", "line_position") IN (SELECT * FROM unnest($1::bigint[], $2::integer[])))::integer
