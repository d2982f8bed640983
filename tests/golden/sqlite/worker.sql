-- SPDX-License-Identifier: Apache-2.0
depot.Worker, sqlite
  read
    SELECT "id", "name" FROM "depot_worker" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  lock
    SELECT "id" FROM "depot_worker" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  hold
    SELECT "id", "name" FROM "depot_worker" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  remove
    DELETE FROM "depot_worker" WHERE "id" IN (SELECT value FROM json_each(?1))
  count
    SELECT count(*) FROM "depot_worker" WHERE "id" IN (SELECT value FROM json_each(?1))
copied: version 1 as worker_update in scope worker (strict order), shard id, to its handler
  produce
    INSERT INTO winnow_control_outbox (shard_scope, shard_identifier, category, object_identifier, cell_name, payload) SELECT 2, t."id", 2, t."id", c.value, NULL FROM (SELECT * FROM "depot_worker" WHERE "id" IN (SELECT value FROM json_each(?1))) AS t CROSS JOIN json_each(?2) AS c ORDER BY t."id", t."id"
  produce_range
    INSERT INTO winnow_control_outbox (shard_scope, shard_identifier, category, object_identifier, cell_name, payload) SELECT 2, t."id", 2, t."id", c.value, NULL FROM (SELECT * FROM "depot_worker" WHERE "id" >= ?1 AND "id" <= ?2) AS t CROSS JOIN json_each(?3) AS c ORDER BY t."id", t."id"
  batch
    SELECT count(*), max("id") FROM (SELECT "id" FROM "depot_worker" WHERE "id" >= ?1 AND "id" <= ?2 ORDER BY "id" LIMIT ?3) AS batch
  bounds
    SELECT min("id"), max("id") FROM "depot_worker"
rows written by type
  insert
    INSERT INTO "depot_worker" ("id", "name") VALUES (?1, ?2)
  insert_generated
    INSERT INTO "depot_worker" ("name") VALUES (?1) RETURNING "id"
  update
    UPDATE "depot_worker" SET "name" = ?2 WHERE "id" = ?1
  hold
    SELECT "id", "id" FROM "depot_worker" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  insert_rows
    INSERT INTO "depot_worker" ("id", "name") SELECT json_extract(s.value, '$[0]'), json_extract(s.value, '$[1]') FROM json_each(?1) AS s
  insert_rows_generated
    INSERT INTO "depot_worker" ("name") SELECT s.value FROM json_each(?1) AS s RETURNING "id"
  update_rows
    UPDATE "depot_worker" AS t SET "name" = json_extract(s.value, '$[1]') FROM json_each(?1) AS s WHERE t."id" = json_extract(s.value, '$[0]')
