-- SPDX-License-Identifier: Apache-2.0
depot.Worker, postgresql
  read
    SELECT "id", "name" FROM "depot_worker" WHERE "id" = ANY($1::bigint[]) ORDER BY "id"
  lock
    SELECT "id" FROM "depot_worker" WHERE "id" = ANY($1::bigint[]) ORDER BY "id" FOR UPDATE
  hold
    SELECT "id", "name" FROM "depot_worker" WHERE "id" = ANY($1::bigint[]) ORDER BY "id" FOR NO KEY UPDATE
  remove
    DELETE FROM "depot_worker" WHERE "id" = ANY($1::bigint[])
  count
    SELECT count(*) FROM "depot_worker" WHERE "id" = ANY($1::bigint[])
copied: version 1 as worker_update in scope worker (strict order), shard id, to its handler
  produce
    INSERT INTO winnow_control_outbox (shard_scope, shard_identifier, category, object_identifier, cell_name, payload) SELECT 2, t."id", 2, t."id", c.name, NULL FROM (SELECT * FROM "depot_worker" WHERE "id" = ANY($1::bigint[])) AS t CROSS JOIN unnest($2::text[]) AS c(name) ORDER BY t."id", t."id"
  produce_range
    INSERT INTO winnow_control_outbox (shard_scope, shard_identifier, category, object_identifier, cell_name, payload) SELECT 2, t."id", 2, t."id", c.name, NULL FROM (SELECT * FROM "depot_worker" WHERE "id" >= $1 AND "id" <= $2) AS t CROSS JOIN unnest($3::text[]) AS c(name) ORDER BY t."id", t."id"
  batch
    SELECT count(*), max("id") FROM (SELECT "id" FROM "depot_worker" WHERE "id" >= $1 AND "id" <= $2 ORDER BY "id" LIMIT $3) AS batch
  bounds
    SELECT min("id"), max("id") FROM "depot_worker"
rows written by type
  insert
    INSERT INTO "depot_worker" ("id", "name") VALUES ($1, $2)
  insert_generated
    INSERT INTO "depot_worker" ("name") VALUES ($1) RETURNING "id"
  update
    UPDATE "depot_worker" SET "name" = $2 WHERE "id" = $1
  hold
    SELECT "id", "id" FROM "depot_worker" WHERE "id" = ANY($1::bigint[]) ORDER BY "id" FOR NO KEY UPDATE
  insert_rows
    INSERT INTO "depot_worker" ("id", "name") SELECT s.c0, s.c1 FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS s(c0, c1, n) ORDER BY s.n
  insert_rows_generated
    INSERT INTO "depot_worker" ("name") SELECT s.c1 FROM unnest($1::text[]) WITH ORDINALITY AS s(c1, n) ORDER BY s.n RETURNING "id"
  update_rows
    UPDATE "depot_worker" AS t SET "name" = s.c1 FROM unnest($1::bigint[], $2::text[]) AS s(c0, c1) WHERE t."id" = s.c0
