-- SPDX-License-Identifier: Apache-2.0
plugin.Note, postgresql
  read
    SELECT "id", "account_id", "order_id", "line_position", "pinned" FROM "plugin_note" WHERE "id" = ANY($1::bigint[]) ORDER BY "id"
  lock
    SELECT "id" FROM "plugin_note" WHERE "id" = ANY($1::bigint[]) ORDER BY "id" FOR UPDATE
  hold
    SELECT "id", "account_id", "order_id", "line_position", "pinned" FROM "plugin_note" WHERE "id" = ANY($1::bigint[]) ORDER BY "id" FOR NO KEY UPDATE
  remove
    DELETE FROM "plugin_note" WHERE "id" = ANY($1::bigint[])
  count
    SELECT count(*) FROM "plugin_note" WHERE "id" = ANY($1::bigint[])
shop.Account: cascade plugin.Note over account_id where pinned = FALSE
  fetch_first
    SELECT "id" FROM "plugin_note" WHERE "account_id" = ANY($1::bigint[]) AND "pinned" = FALSE ORDER BY "id" LIMIT $2
  fetch_next
    SELECT "id" FROM "plugin_note" WHERE "account_id" = ANY($1::bigint[]) AND "pinned" = FALSE AND "id" > $2 ORDER BY "id" LIMIT $3
  lock
    SELECT "id" FROM "plugin_note" WHERE "id" = ANY($1::bigint[]) AND "account_id" = ANY($2::bigint[]) AND "pinned" = FALSE ORDER BY "id" FOR UPDATE
  hold
    SELECT "id" FROM "plugin_note" WHERE "id" = ANY($1::bigint[]) AND "account_id" = ANY($2::bigint[]) AND "pinned" = FALSE ORDER BY "id" FOR NO KEY UPDATE
  remove
    DELETE FROM "plugin_note" WHERE "account_id" = ANY($1::bigint[]) AND "pinned" = FALSE
  remove_some
    DELETE FROM "plugin_note" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "plugin_note" WHERE "account_id" = ANY($1::bigint[]) AND "pinned" = FALSE LIMIT $2)) AND "account_id" = ANY($1::bigint[]) AND "pinned" = FALSE
  remove_some_by_key
    DELETE FROM "plugin_note" WHERE "id" = ANY(ARRAY(SELECT "id" FROM "plugin_note" WHERE "account_id" = ANY($1::bigint[]) AND "pinned" = FALSE LIMIT $2)) AND "account_id" = ANY($1::bigint[]) AND "pinned" = FALSE
  remove_unlocked
    DELETE FROM "plugin_note" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "plugin_note" WHERE "account_id" = ANY($1::bigint[]) AND "pinned" = FALSE LIMIT $2 FOR UPDATE SKIP LOCKED)) AND "account_id" = ANY($1::bigint[]) AND "pinned" = FALSE
  count
    SELECT count(*) FROM (SELECT 1 FROM "plugin_note" WHERE "account_id" = ANY($1::bigint[]) AND "pinned" = FALSE LIMIT $2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "plugin_note" WHERE "account_id" = ANY($1::bigint[]) AND "pinned" = FALSE)::integer
shop.Order: set_null plugin.Note over order_id
  fetch_first
    SELECT "id" FROM "plugin_note" WHERE "order_id" = ANY($1::bigint[]) ORDER BY "id" LIMIT $2
  fetch_next
    SELECT "id" FROM "plugin_note" WHERE "order_id" = ANY($1::bigint[]) AND "id" > $2 ORDER BY "id" LIMIT $3
  nullify
    UPDATE "plugin_note" SET "order_id" = NULL WHERE "order_id" = ANY($1::bigint[])
  nullify_some
    UPDATE "plugin_note" SET "order_id" = NULL WHERE ctid = ANY(ARRAY(SELECT ctid FROM "plugin_note" WHERE "order_id" = ANY($1::bigint[]) LIMIT $2)) AND "order_id" = ANY($1::bigint[])
  count
    SELECT count(*) FROM (SELECT 1 FROM "plugin_note" WHERE "order_id" = ANY($1::bigint[]) LIMIT $2) AS counted
  exists
    SELECT EXISTS (SELECT 1 FROM "plugin_note" WHERE "order_id" = ANY($1::bigint[]))::integer
