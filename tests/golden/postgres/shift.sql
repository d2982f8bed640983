-- SPDX-License-Identifier: Apache-2.0
depot.Shift, postgresql
  read
    SELECT "id", "worker_id", "place" FROM "depot_shift" WHERE "id" = ANY($1::bigint[]) ORDER BY "id"
  lock
    SELECT "id" FROM "depot_shift" WHERE "id" = ANY($1::bigint[]) ORDER BY "id" FOR UPDATE
  hold
    SELECT "id", "worker_id", "place" FROM "depot_shift" WHERE "id" = ANY($1::bigint[]) ORDER BY "id" FOR NO KEY UPDATE
  remove
    DELETE FROM "depot_shift" WHERE "id" = ANY($1::bigint[])
  count
    SELECT count(*) FROM "depot_shift" WHERE "id" = ANY($1::bigint[])
copied: version 1 as shift_event (every event) in scope region, shard place, to its handler
  produce
    INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier, cell_name, payload) SELECT -1, t."place", 3, t."id", c.name, NULL FROM (SELECT * FROM "depot_shift" WHERE "id" = ANY($1::bigint[])) AS t CROSS JOIN unnest($2::text[]) AS c(name) ORDER BY t."place", t."id"
  produce_range
    INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier, cell_name, payload) SELECT -1, t."place", 3, t."id", c.name, NULL FROM (SELECT * FROM "depot_shift" WHERE "id" >= $1 AND "id" <= $2) AS t CROSS JOIN unnest($3::text[]) AS c(name) ORDER BY t."place", t."id"
  batch
    SELECT count(*), max("id") FROM (SELECT "id" FROM "depot_shift" WHERE "id" >= $1 AND "id" <= $2 ORDER BY "id" LIMIT $3) AS batch
  bounds
    SELECT min("id"), max("id") FROM "depot_shift"
remote: depot.Worker by worker_id
  find
    SELECT "id" FROM "depot_shift" WHERE "worker_id" = ANY($1::bigint[]) ORDER BY "id" LIMIT $2
  lock
    SELECT "id" FROM "depot_shift" WHERE "id" = ANY($1::bigint[]) AND "worker_id" = ANY($2::bigint[]) ORDER BY "id" FOR UPDATE
  nullify
    UPDATE "depot_shift" SET "worker_id" = NULL WHERE "id" = ANY($1::bigint[]) AND "worker_id" = ANY($2::bigint[])
  scrub_first
    SELECT "id", "worker_id" FROM "depot_shift" WHERE "worker_id" IS NOT NULL ORDER BY "id" LIMIT $1
  scrub_next
    SELECT "id", "worker_id" FROM "depot_shift" WHERE "worker_id" IS NOT NULL AND "id" > $1 ORDER BY "id" LIMIT $2
  last
    SELECT "id" FROM "depot_shift" ORDER BY "id" DESC LIMIT 1
rows written by type
  insert
    INSERT INTO "depot_shift" ("id", "worker_id", "place") VALUES ($1, $2, $3)
  insert_generated
    INSERT INTO "depot_shift" ("worker_id", "place") VALUES ($1, $2) RETURNING "id"
  update
    UPDATE "depot_shift" SET "worker_id" = $2 WHERE "id" = $1 AND "place" = $3
  hold
    SELECT "id", "place", "worker_id" FROM "depot_shift" WHERE "id" = ANY($1::bigint[]) ORDER BY "id" FOR NO KEY UPDATE
  insert_rows
    INSERT INTO "depot_shift" ("id", "worker_id", "place") SELECT s.c0, s.c1, s.c2 FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS s(c0, c1, c2, n) ORDER BY s.n
  insert_rows_generated
    INSERT INTO "depot_shift" ("worker_id", "place") SELECT s.c1, s.c2 FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS s(c1, c2, n) ORDER BY s.n RETURNING "id"
  update_rows
    UPDATE "depot_shift" AS t SET "worker_id" = s.c1 FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS s(c0, c1, c2) WHERE t."id" = s.c0
