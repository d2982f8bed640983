-- SPDX-License-Identifier: Apache-2.0
shop.Account, postgresql
  read
    SELECT "id", "guid", "slug", "status" FROM "Shop"."Account" WHERE "id" = ANY($1::bigint[]) ORDER BY "id"
  lock
    SELECT "id", "slug" FROM "Shop"."Account" WHERE "id" = ANY($1::bigint[]) ORDER BY "id" FOR UPDATE
  hold
    SELECT "id", "guid", "slug", "status" FROM "Shop"."Account" WHERE "id" = ANY($1::bigint[]) ORDER BY "id" FOR NO KEY UPDATE
  remove
    DELETE FROM "Shop"."Account" WHERE "id" = ANY($1::bigint[])
  count
    SELECT count(*) FROM "Shop"."Account" WHERE "id" = ANY($1::bigint[])
  mark
    UPDATE "Shop"."Account" SET "status" = $1 WHERE "id" = ANY($2::bigint[]) AND "status" IS DISTINCT FROM $1
shop.Account: external pictures
shop.Account: cascade shop.Order over account_id, skips shop.Label
  fetch_first
    SELECT "id" FROM "order" WHERE "account_id" = ANY($1::bigint[]) ORDER BY "id" DESC LIMIT $2
  fetch_next
    SELECT "id" FROM "order" WHERE "account_id" = ANY($1::bigint[]) AND "id" < $2 ORDER BY "id" DESC LIMIT $3
  lock
    SELECT "id" FROM "order" WHERE "id" = ANY($1::bigint[]) AND "account_id" = ANY($2::bigint[]) ORDER BY "id" FOR UPDATE
  hold
    SELECT "id" FROM "order" WHERE "id" = ANY($1::bigint[]) AND "account_id" = ANY($2::bigint[]) ORDER BY "id" FOR NO KEY UPDATE
  remove
    DELETE FROM "order" WHERE "account_id" = ANY($1::bigint[])
  remove_some
    DELETE FROM "order" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "order" WHERE "account_id" = ANY($1::bigint[]) LIMIT $2)) AND "account_id" = ANY($1::bigint[])
  remove_some_by_key
    DELETE FROM "order" WHERE "id" = ANY(ARRAY(SELECT "id" FROM "order" WHERE "account_id" = ANY($1::bigint[]) LIMIT $2)) AND "account_id" = ANY($1::bigint[])
  remove_unlocked
    DELETE FROM "order" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "order" WHERE "account_id" = ANY($1::bigint[]) LIMIT $2 FOR UPDATE SKIP LOCKED)) AND "account_id" = ANY($1::bigint[])
  count
    SELECT count(*) FROM (SELECT 1 FROM "order" WHERE "account_id" = ANY($1::bigint[]) LIMIT $2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "order" WHERE "account_id" = ANY($1::bigint[]))::integer
shop.Account: restrict shop.Device over account_slug -> slug
  fetch_first
    SELECT "id" FROM "shop_device" WHERE "account_slug" = ANY($1::text[]) ORDER BY "id" LIMIT $2
  fetch_next
    SELECT "id" FROM "shop_device" WHERE "account_slug" = ANY($1::text[]) AND "id" > $2 ORDER BY "id" LIMIT $3
  count
    SELECT count(*) FROM (SELECT 1 FROM "shop_device" WHERE "account_slug" = ANY($1::text[]) LIMIT $2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "shop_device" WHERE "account_slug" = ANY($1::text[]))::integer
shop.Account: cascade shop.Label over object_id where object_kind = 1 and source = 'people''s'
  fetch_first
    SELECT "id" FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) AND "object_kind" = 1 AND "source" = 'people''s' ORDER BY "id" LIMIT $2
  fetch_next
    SELECT "id" FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) AND "object_kind" = 1 AND "source" = 'people''s' AND "id" > $2 ORDER BY "id" LIMIT $3
  lock
    SELECT "id" FROM "shop_label" WHERE "id" = ANY($1::integer[]) AND "object_id" = ANY($2::bigint[]) AND "object_kind" = 1 AND "source" = 'people''s' ORDER BY "id" FOR UPDATE
  hold
    SELECT "id" FROM "shop_label" WHERE "id" = ANY($1::integer[]) AND "object_id" = ANY($2::bigint[]) AND "object_kind" = 1 AND "source" = 'people''s' ORDER BY "id" FOR NO KEY UPDATE
  remove
    DELETE FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) AND "object_kind" = 1 AND "source" = 'people''s'
  remove_some
    DELETE FROM "shop_label" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) AND "object_kind" = 1 AND "source" = 'people''s' LIMIT $2)) AND "object_id" = ANY($1::bigint[]) AND "object_kind" = 1 AND "source" = 'people''s'
  remove_some_by_key
    DELETE FROM "shop_label" WHERE "id" = ANY(ARRAY(SELECT "id" FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) AND "object_kind" = 1 AND "source" = 'people''s' LIMIT $2)) AND "object_id" = ANY($1::bigint[]) AND "object_kind" = 1 AND "source" = 'people''s'
  remove_unlocked
    DELETE FROM "shop_label" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) AND "object_kind" = 1 AND "source" = 'people''s' LIMIT $2 FOR UPDATE SKIP LOCKED)) AND "object_id" = ANY($1::bigint[]) AND "object_kind" = 1 AND "source" = 'people''s'
  count
    SELECT count(*) FROM (SELECT 1 FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) AND "object_kind" = 1 AND "source" = 'people''s' LIMIT $2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "shop_label" WHERE "object_id" = ANY($1::bigint[]) AND "object_kind" = 1 AND "source" = 'people''s')::integer
