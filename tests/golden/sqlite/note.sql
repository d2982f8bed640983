-- SPDX-License-Identifier: Apache-2.0
plugin.Note, sqlite
  read
    SELECT "id", "account_id", "order_id", "line_position", "pinned" FROM "plugin_note" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  lock
    SELECT "id" FROM "plugin_note" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  hold
    SELECT "id", "account_id", "order_id", "line_position", "pinned" FROM "plugin_note" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  remove
    DELETE FROM "plugin_note" WHERE "id" IN (SELECT value FROM json_each(?1))
  count
    SELECT count(*) FROM "plugin_note" WHERE "id" IN (SELECT value FROM json_each(?1))
shop.Account: cascade plugin.Note over account_id where pinned = FALSE
  fetch_first
    SELECT "id" FROM "plugin_note" WHERE "account_id" IN (SELECT value FROM json_each(?1)) AND "pinned" = FALSE ORDER BY "id" LIMIT ?2
  fetch_next
    SELECT "id" FROM "plugin_note" WHERE "account_id" IN (SELECT value FROM json_each(?1)) AND "pinned" = FALSE AND "id" > ?2 ORDER BY "id" LIMIT ?3
  lock
    SELECT "id" FROM "plugin_note" WHERE "id" IN (SELECT value FROM json_each(?1)) AND "account_id" IN (SELECT value FROM json_each(?2)) AND "pinned" = FALSE ORDER BY "id"
  hold
    SELECT "id" FROM "plugin_note" WHERE "id" IN (SELECT value FROM json_each(?1)) AND "account_id" IN (SELECT value FROM json_each(?2)) AND "pinned" = FALSE ORDER BY "id"
  remove
    DELETE FROM "plugin_note" WHERE "account_id" IN (SELECT value FROM json_each(?1)) AND "pinned" = FALSE
  remove_some
    DELETE FROM "plugin_note" WHERE rowid IN (SELECT rowid FROM "plugin_note" WHERE "account_id" IN (SELECT value FROM json_each(?1)) AND "pinned" = FALSE LIMIT ?2)
  remove_some_by_key
    DELETE FROM "plugin_note" WHERE "id" IN (SELECT "id" FROM "plugin_note" WHERE "account_id" IN (SELECT value FROM json_each(?1)) AND "pinned" = FALSE LIMIT ?2)
  remove_unlocked
    DELETE FROM "plugin_note" WHERE rowid IN (SELECT rowid FROM "plugin_note" WHERE "account_id" IN (SELECT value FROM json_each(?1)) AND "pinned" = FALSE LIMIT ?2)
  count
    SELECT count(*) FROM (SELECT 1 FROM "plugin_note" WHERE "account_id" IN (SELECT value FROM json_each(?1)) AND "pinned" = FALSE LIMIT ?2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "plugin_note" WHERE "account_id" IN (SELECT value FROM json_each(?1)) AND "pinned" = FALSE)
shop.Order: set_null plugin.Note over order_id
  fetch_first
    SELECT "id" FROM "plugin_note" WHERE "order_id" IN (SELECT value FROM json_each(?1)) ORDER BY "id" LIMIT ?2
  fetch_next
    SELECT "id" FROM "plugin_note" WHERE "order_id" IN (SELECT value FROM json_each(?1)) AND "id" > ?2 ORDER BY "id" LIMIT ?3
  nullify
    UPDATE "plugin_note" SET "order_id" = NULL WHERE "order_id" IN (SELECT value FROM json_each(?1))
  nullify_some
    UPDATE "plugin_note" SET "order_id" = NULL WHERE rowid IN (SELECT rowid FROM "plugin_note" WHERE "order_id" IN (SELECT value FROM json_each(?1)) LIMIT ?2)
  count
    SELECT count(*) FROM (SELECT 1 FROM "plugin_note" WHERE "order_id" IN (SELECT value FROM json_each(?1)) LIMIT ?2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "plugin_note" WHERE "order_id" IN (SELECT value FROM json_each(?1)))
