-- SPDX-License-Identifier: Apache-2.0
depot.Shift, sqlite
  read
    SELECT "id", "worker_id", "place" FROM "depot_shift" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  lock
    SELECT "id" FROM "depot_shift" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  hold
    SELECT "id", "worker_id", "place" FROM "depot_shift" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  remove
    DELETE FROM "depot_shift" WHERE "id" IN (SELECT value FROM json_each(?1))
  count
    SELECT count(*) FROM "depot_shift" WHERE "id" IN (SELECT value FROM json_each(?1))
copied: version 1 as shift_event (every event) in scope region, shard place, to its handler
  produce
    INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier, cell_name, payload) SELECT -1, t."place", 3, t."id", c.value, NULL FROM (SELECT * FROM "depot_shift" WHERE "id" IN (SELECT value FROM json_each(?1))) AS t CROSS JOIN json_each(?2) AS c ORDER BY t."place", t."id"
  produce_range
    INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier, cell_name, payload) SELECT -1, t."place", 3, t."id", c.value, NULL FROM (SELECT * FROM "depot_shift" WHERE "id" >= ?1 AND "id" <= ?2) AS t CROSS JOIN json_each(?3) AS c ORDER BY t."place", t."id"
  batch
    SELECT count(*), max("id") FROM (SELECT "id" FROM "depot_shift" WHERE "id" >= ?1 AND "id" <= ?2 ORDER BY "id" LIMIT ?3) AS batch
  bounds
    SELECT min("id"), max("id") FROM "depot_shift"
remote: depot.Worker by worker_id
  find
    SELECT "id" FROM "depot_shift" WHERE "worker_id" IN (SELECT value FROM json_each(?1)) ORDER BY "id" LIMIT ?2
  lock
    SELECT "id" FROM "depot_shift" WHERE "id" IN (SELECT value FROM json_each(?1)) AND "worker_id" IN (SELECT value FROM json_each(?2)) ORDER BY "id"
  nullify
    UPDATE "depot_shift" SET "worker_id" = NULL WHERE "id" IN (SELECT value FROM json_each(?1)) AND "worker_id" IN (SELECT value FROM json_each(?2))
  scrub_first
    SELECT "id", "worker_id" FROM "depot_shift" WHERE "worker_id" IS NOT NULL ORDER BY "id" LIMIT ?1
  scrub_next
    SELECT "id", "worker_id" FROM "depot_shift" WHERE "worker_id" IS NOT NULL AND "id" > ?1 ORDER BY "id" LIMIT ?2
  last
    SELECT "id" FROM "depot_shift" ORDER BY "id" DESC LIMIT 1
rows written by type
  insert
    INSERT INTO "depot_shift" ("id", "worker_id", "place") VALUES (?1, ?2, ?3)
  insert_generated
    INSERT INTO "depot_shift" ("worker_id", "place") VALUES (?1, ?2) RETURNING "id"
  update
    UPDATE "depot_shift" SET "worker_id" = ?2 WHERE "id" = ?1 AND "place" = ?3
  hold
    SELECT "id", "place", "worker_id" FROM "depot_shift" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  insert_rows
    INSERT INTO "depot_shift" ("id", "worker_id", "place") SELECT json_extract(s.value, '$[0]'), json_extract(s.value, '$[1]'), json_extract(s.value, '$[2]') FROM json_each(?1) AS s
  insert_rows_generated
    INSERT INTO "depot_shift" ("worker_id", "place") SELECT json_extract(s.value, '$[0]'), json_extract(s.value, '$[1]') FROM json_each(?1) AS s RETURNING "id"
  update_rows
    UPDATE "depot_shift" AS t SET "worker_id" = json_extract(s.value, '$[1]') FROM json_each(?1) AS s WHERE t."id" = json_extract(s.value, '$[0]')
