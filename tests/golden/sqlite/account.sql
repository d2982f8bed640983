-- SPDX-License-Identifier: Apache-2.0
shop.Account, sqlite
  read
    SELECT "id", "guid", "slug", "status" FROM "ShopAccount" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  lock
    SELECT "id", "slug" FROM "ShopAccount" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  hold
    SELECT "id", "guid", "slug", "status" FROM "ShopAccount" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  remove
    DELETE FROM "ShopAccount" WHERE "id" IN (SELECT value FROM json_each(?1))
  count
    SELECT count(*) FROM "ShopAccount" WHERE "id" IN (SELECT value FROM json_each(?1))
  mark
    UPDATE "ShopAccount" SET "status" = ?1 WHERE "id" IN (SELECT value FROM json_each(?2)) AND "status" IS NOT ?1
shop.Account: external pictures
shop.Account: cascade shop.Order over account_id, skips shop.Label
  fetch_first
    SELECT "Id" FROM "order" WHERE "AccountId" IN (SELECT value FROM json_each(?1)) ORDER BY "Id" DESC LIMIT ?2
  fetch_next
    SELECT "Id" FROM "order" WHERE "AccountId" IN (SELECT value FROM json_each(?1)) AND "Id" < ?2 ORDER BY "Id" DESC LIMIT ?3
  lock
    SELECT "Id" FROM "order" WHERE "Id" IN (SELECT value FROM json_each(?1)) AND "AccountId" IN (SELECT value FROM json_each(?2)) ORDER BY "Id"
  hold
    SELECT "Id" FROM "order" WHERE "Id" IN (SELECT value FROM json_each(?1)) AND "AccountId" IN (SELECT value FROM json_each(?2)) ORDER BY "Id"
  remove
    DELETE FROM "order" WHERE "AccountId" IN (SELECT value FROM json_each(?1))
  remove_some
    DELETE FROM "order" WHERE rowid IN (SELECT rowid FROM "order" WHERE "AccountId" IN (SELECT value FROM json_each(?1)) LIMIT ?2)
  remove_some_by_key
    DELETE FROM "order" WHERE "Id" IN (SELECT "Id" FROM "order" WHERE "AccountId" IN (SELECT value FROM json_each(?1)) LIMIT ?2)
  remove_unlocked
    DELETE FROM "order" WHERE rowid IN (SELECT rowid FROM "order" WHERE "AccountId" IN (SELECT value FROM json_each(?1)) LIMIT ?2)
  count
    SELECT count(*) FROM (SELECT 1 FROM "order" WHERE "AccountId" IN (SELECT value FROM json_each(?1)) LIMIT ?2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "order" WHERE "AccountId" IN (SELECT value FROM json_each(?1)))
shop.Account: restrict shop.Device over account_slug -> slug
  fetch_first
    SELECT "id" FROM "shop_device" WHERE "account_slug" IN (SELECT value FROM json_each(?1)) ORDER BY "id" LIMIT ?2
  fetch_next
    SELECT "id" FROM "shop_device" WHERE "account_slug" IN (SELECT value FROM json_each(?1)) AND "id" > ?2 ORDER BY "id" LIMIT ?3
  count
    SELECT count(*) FROM (SELECT 1 FROM "shop_device" WHERE "account_slug" IN (SELECT value FROM json_each(?1)) LIMIT ?2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "shop_device" WHERE "account_slug" IN (SELECT value FROM json_each(?1)))
shop.Account: cascade shop.Label over object_id where object_kind = 1 and source = 'people''s'
  fetch_first
    SELECT "id" FROM "shop_label" WHERE "object_id" IN (SELECT value FROM json_each(?1)) AND "object_kind" = 1 AND "source" = 'people''s' ORDER BY "id" LIMIT ?2
  fetch_next
    SELECT "id" FROM "shop_label" WHERE "object_id" IN (SELECT value FROM json_each(?1)) AND "object_kind" = 1 AND "source" = 'people''s' AND "id" > ?2 ORDER BY "id" LIMIT ?3
  lock
    SELECT "id" FROM "shop_label" WHERE "id" IN (SELECT value FROM json_each(?1)) AND "object_id" IN (SELECT value FROM json_each(?2)) AND "object_kind" = 1 AND "source" = 'people''s' ORDER BY "id"
  hold
    SELECT "id" FROM "shop_label" WHERE "id" IN (SELECT value FROM json_each(?1)) AND "object_id" IN (SELECT value FROM json_each(?2)) AND "object_kind" = 1 AND "source" = 'people''s' ORDER BY "id"
  remove
    DELETE FROM "shop_label" WHERE "object_id" IN (SELECT value FROM json_each(?1)) AND "object_kind" = 1 AND "source" = 'people''s'
  remove_some
    DELETE FROM "shop_label" WHERE rowid IN (SELECT rowid FROM "shop_label" WHERE "object_id" IN (SELECT value FROM json_each(?1)) AND "object_kind" = 1 AND "source" = 'people''s' LIMIT ?2)
  remove_some_by_key
    DELETE FROM "shop_label" WHERE "id" IN (SELECT "id" FROM "shop_label" WHERE "object_id" IN (SELECT value FROM json_each(?1)) AND "object_kind" = 1 AND "source" = 'people''s' LIMIT ?2)
  remove_unlocked
    DELETE FROM "shop_label" WHERE rowid IN (SELECT rowid FROM "shop_label" WHERE "object_id" IN (SELECT value FROM json_each(?1)) AND "object_kind" = 1 AND "source" = 'people''s' LIMIT ?2)
  count
    SELECT count(*) FROM (SELECT 1 FROM "shop_label" WHERE "object_id" IN (SELECT value FROM json_each(?1)) AND "object_kind" = 1 AND "source" = 'people''s' LIMIT ?2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "shop_label" WHERE "object_id" IN (SELECT value FROM json_each(?1)) AND "object_kind" = 1 AND "source" = 'people''s')
