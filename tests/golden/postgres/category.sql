-- SPDX-License-Identifier: Apache-2.0
shop.Category, postgresql
  read
    SELECT "code", "parent_code", "properties" FROM "shop_category" WHERE "code" = ANY($1::text[]) ORDER BY "code"
  lock
    SELECT "code" FROM "shop_category" WHERE "code" = ANY($1::text[]) ORDER BY "code" FOR UPDATE
  hold
    SELECT "code", "parent_code", "properties" FROM "shop_category" WHERE "code" = ANY($1::text[]) ORDER BY "code" FOR NO KEY UPDATE
  remove
    DELETE FROM "shop_category" WHERE "code" = ANY($1::text[])
  count
    SELECT count(*) FROM "shop_category" WHERE "code" = ANY($1::text[])
shop.Category: cascade shop.Category over parent_code
  fetch_first
    SELECT "code" FROM "shop_category" WHERE "parent_code" = ANY($1::text[]) ORDER BY "code" LIMIT $2
  fetch_next
    SELECT "code" FROM "shop_category" WHERE "parent_code" = ANY($1::text[]) AND "code" > $2 ORDER BY "code" LIMIT $3
  lock
    SELECT "code" FROM "shop_category" WHERE "code" = ANY($1::text[]) AND "parent_code" = ANY($2::text[]) ORDER BY "code" FOR UPDATE
  hold
    SELECT "code" FROM "shop_category" WHERE "code" = ANY($1::text[]) AND "parent_code" = ANY($2::text[]) ORDER BY "code" FOR NO KEY UPDATE
  remove
    DELETE FROM "shop_category" WHERE "parent_code" = ANY($1::text[])
  remove_some
    DELETE FROM "shop_category" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "shop_category" WHERE "parent_code" = ANY($1::text[]) LIMIT $2)) AND "parent_code" = ANY($1::text[])
  remove_some_by_key
    DELETE FROM "shop_category" WHERE "code" = ANY(ARRAY(SELECT "code" FROM "shop_category" WHERE "parent_code" = ANY($1::text[]) LIMIT $2)) AND "parent_code" = ANY($1::text[])
  remove_unlocked
    DELETE FROM "shop_category" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "shop_category" WHERE "parent_code" = ANY($1::text[]) LIMIT $2 FOR UPDATE SKIP LOCKED)) AND "parent_code" = ANY($1::text[])
  nullify
    UPDATE "shop_category" SET "parent_code" = NULL WHERE "parent_code" = ANY($1::text[])
  nullify_some
    UPDATE "shop_category" SET "parent_code" = NULL WHERE ctid = ANY(ARRAY(SELECT ctid FROM "shop_category" WHERE "parent_code" = ANY($1::text[]) LIMIT $2)) AND "parent_code" = ANY($1::text[])
  count
    SELECT count(*) FROM (SELECT 1 FROM "shop_category" WHERE "parent_code" = ANY($1::text[]) LIMIT $2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "shop_category" WHERE "parent_code" = ANY($1::text[]))::integer
  descend
    WITH RECURSIVE winnow_below(i0, r0) AS (SELECT "code", "parent_code" FROM "shop_category" WHERE "parent_code" = ANY($1::text[]) UNION SELECT x.* FROM winnow_below CROSS JOIN LATERAL (SELECT n."code", n."parent_code" FROM "shop_category" AS n WHERE n."parent_code" = winnow_below.i0 OFFSET 0) AS x) SELECT * FROM winnow_below LIMIT $2
  reach_outside
    SELECT DISTINCT "parent_code" FROM "shop_category" WHERE "parent_code" = ANY($1::text[]) AND NOT "code" = ANY($2::text[])
shop.Category: set_null shop.OrderLine over category_code
  fetch_first
    SELECT "order_id", "position" FROM "shop_orderline" WHERE "category_code" = ANY($1::text[]) ORDER BY "order_id", "position" LIMIT $2
  fetch_next
    SELECT "order_id", "position" FROM "shop_orderline" WHERE "category_code" = ANY($1::text[]) AND ("order_id", "position") > ($2, $3) ORDER BY "order_id", "position" LIMIT $4
  nullify
    UPDATE "shop_orderline" SET "category_code" = NULL WHERE "category_code" = ANY($1::text[])
  nullify_some
    UPDATE "shop_orderline" SET "category_code" = NULL WHERE ctid = ANY(ARRAY(SELECT ctid FROM "shop_orderline" WHERE "category_code" = ANY($1::text[]) LIMIT $2)) AND "category_code" = ANY($1::text[])
  count
    SELECT count(*) FROM (SELECT 1 FROM "shop_orderline" WHERE "category_code" = ANY($1::text[]) LIMIT $2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "shop_orderline" WHERE "category_code" = ANY($1::text[]))::integer
