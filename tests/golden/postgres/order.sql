-- SPDX-License-Identifier: Apache-2.0
shop.Order, postgresql
  read
    SELECT "id", "account_id", "state", "total" FROM "order" WHERE "id" = ANY($1::bigint[]) ORDER BY "id"
  lock
    SELECT "id" FROM "order" WHERE "id" = ANY($1::bigint[]) ORDER BY "id" FOR UPDATE
  hold
    SELECT "id", "account_id", "state", "total" FROM "order" WHERE "id" = ANY($1::bigint[]) ORDER BY "id" FOR NO KEY UPDATE
  remove
    DELETE FROM "order" WHERE "id" = ANY($1::bigint[])
  count
    SELECT count(*) FROM "order" WHERE "id" = ANY($1::bigint[])
  mark
    UPDATE "order" SET "state" = $1 WHERE "id" = ANY($2::bigint[]) AND "state" IS DISTINCT FROM $1
shop.Order: cascade shop.OrderLine over order_id
  fetch_first
    SELECT "order_id", "position" FROM "shop_orderline" WHERE "order_id" = ANY($1::bigint[]) ORDER BY "order_id", "position" LIMIT $2
  fetch_next
    SELECT "order_id", "position" FROM "shop_orderline" WHERE "order_id" = ANY($1::bigint[]) AND ("order_id", "position") > ($2, $3) ORDER BY "order_id", "position" LIMIT $4
  lock
    SELECT "order_id", "position" FROM "shop_orderline" WHERE ("order_id", "position") IN (SELECT * FROM unnest($1::bigint[], $2::integer[])) AND "order_id" = ANY($3::bigint[]) ORDER BY "order_id", "position" FOR UPDATE
  hold
    SELECT "order_id", "position" FROM "shop_orderline" WHERE ("order_id", "position") IN (SELECT * FROM unnest($1::bigint[], $2::integer[])) AND "order_id" = ANY($3::bigint[]) ORDER BY "order_id", "position" FOR NO KEY UPDATE
  remove
    DELETE FROM "shop_orderline" WHERE "order_id" = ANY($1::bigint[])
  remove_some
    DELETE FROM "shop_orderline" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "shop_orderline" WHERE "order_id" = ANY($1::bigint[]) LIMIT $2)) AND "order_id" = ANY($1::bigint[])
  remove_some_by_key
    WITH winnow_chosen AS MATERIALIZED (SELECT "order_id", "position" FROM "shop_orderline" WHERE "order_id" = ANY($1::bigint[]) LIMIT $2) DELETE FROM "shop_orderline" WHERE ("order_id", "position") IN (SELECT * FROM winnow_chosen) AND "order_id" = ANY($1::bigint[])
  remove_unlocked
    DELETE FROM "shop_orderline" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "shop_orderline" WHERE "order_id" = ANY($1::bigint[]) LIMIT $2 FOR UPDATE SKIP LOCKED)) AND "order_id" = ANY($1::bigint[])
  count
    SELECT count(*) FROM (SELECT 1 FROM "shop_orderline" WHERE "order_id" = ANY($1::bigint[]) LIMIT $2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "shop_orderline" WHERE "order_id" = ANY($1::bigint[]))::integer
shop.Order: cascade shop.Label over object_id where object_kind = 2, when asked
  fetch_first
    SELECT "id" FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) AND "object_kind" = 2 ORDER BY "id" LIMIT $2
  fetch_next
    SELECT "id" FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) AND "object_kind" = 2 AND "id" > $2 ORDER BY "id" LIMIT $3
  lock
    SELECT "id" FROM "shop_label" WHERE "id" = ANY($1::integer[]) AND "object_id" = ANY($2::bigint[]) AND "object_kind" = 2 ORDER BY "id" FOR UPDATE
  hold
    SELECT "id" FROM "shop_label" WHERE "id" = ANY($1::integer[]) AND "object_id" = ANY($2::bigint[]) AND "object_kind" = 2 ORDER BY "id" FOR NO KEY UPDATE
  remove
    DELETE FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) AND "object_kind" = 2
  remove_some
    DELETE FROM "shop_label" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) AND "object_kind" = 2 LIMIT $2)) AND "object_id" = ANY($1::bigint[]) AND "object_kind" = 2
  remove_some_by_key
    DELETE FROM "shop_label" WHERE "id" = ANY(ARRAY(SELECT "id" FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) AND "object_kind" = 2 LIMIT $2)) AND "object_id" = ANY($1::bigint[]) AND "object_kind" = 2
  remove_unlocked
    DELETE FROM "shop_label" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) AND "object_kind" = 2 LIMIT $2 FOR UPDATE SKIP LOCKED)) AND "object_id" = ANY($1::bigint[]) AND "object_kind" = 2
  count
    SELECT count(*) FROM (SELECT 1 FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) AND "object_kind" = 2 LIMIT $2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) AND "object_kind" = 2)::integer
