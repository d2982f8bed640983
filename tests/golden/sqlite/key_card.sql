-- SPDX-License-Identifier: Apache-2.0
depot.KeyCard, sqlite
  read
    SELECT "serial", "door", "worker_id" FROM "depot_keycard" WHERE ("serial", "door") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)) ORDER BY "serial", "door"
  lock
    SELECT "serial", "door" FROM "depot_keycard" WHERE ("serial", "door") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)) ORDER BY "serial", "door"
  hold
    SELECT "serial", "door", "worker_id" FROM "depot_keycard" WHERE ("serial", "door") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)) ORDER BY "serial", "door"
  remove
    DELETE FROM "depot_keycard" WHERE ("serial", "door") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1))
  count
    SELECT count(*) FROM "depot_keycard" WHERE ("serial", "door") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1))
remote: depot.Worker by worker_id
  find
    SELECT "serial", "door" FROM "depot_keycard" WHERE "worker_id" IN (SELECT value FROM json_each(?1)) ORDER BY "serial", "door" LIMIT ?2
  lock
    SELECT "serial", "door" FROM "depot_keycard" WHERE ("serial", "door") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)) AND "worker_id" IN (SELECT value FROM json_each(?2)) ORDER BY "serial", "door"
  scrub_first
    SELECT "serial", "door", "worker_id" FROM "depot_keycard" WHERE "worker_id" IS NOT NULL ORDER BY "serial", "door" LIMIT ?1
  scrub_next
    SELECT "serial", "door", "worker_id" FROM "depot_keycard" WHERE "worker_id" IS NOT NULL AND ("serial", "door") > (?1, ?2) ORDER BY "serial", "door" LIMIT ?3
  last
    SELECT "serial", "door" FROM "depot_keycard" ORDER BY "serial" DESC, "door" DESC LIMIT 1
rows written by type
  insert
    INSERT INTO "depot_keycard" ("serial", "door", "worker_id") VALUES (?1, ?2, ?3)
  update
    UPDATE "depot_keycard" SET "worker_id" = ?3 WHERE "serial" = ?1 AND "door" = ?2
  hold
    SELECT "serial", "door", "worker_id" FROM "depot_keycard" WHERE ("serial", "door") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)) ORDER BY "serial", "door"
  insert_rows
    INSERT INTO "depot_keycard" ("serial", "door", "worker_id") SELECT json_extract(s.value, '$[0]'), json_extract(s.value, '$[1]'), json_extract(s.value, '$[2]') FROM json_each(?1) AS s
  update_rows
    UPDATE "depot_keycard" AS t SET "worker_id" = json_extract(s.value, '$[2]') FROM json_each(?1) AS s WHERE t."serial" = json_extract(s.value, '$[0]') AND t."door" = json_extract(s.value, '$[1]')
