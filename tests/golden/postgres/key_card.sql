-- SPDX-License-Identifier: Apache-2.0
depot.KeyCard, postgresql
  read
    SELECT "serial", "door", "worker_id" FROM "depot_keycard" WHERE ("serial", "door") IN (SELECT * FROM unnest($1::text[], $2::uuid[])) ORDER BY "serial", "door"
  lock
    SELECT "serial", "door" FROM "depot_keycard" WHERE ("serial", "door") IN (SELECT * FROM unnest($1::text[], $2::uuid[])) ORDER BY "serial", "door" FOR UPDATE
  hold
    SELECT "serial", "door", "worker_id" FROM "depot_keycard" WHERE ("serial", "door") IN (SELECT * FROM unnest($1::text[], $2::uuid[])) ORDER BY "serial", "door" FOR NO KEY UPDATE
  remove
    DELETE FROM "depot_keycard" WHERE ("serial", "door") IN (SELECT * FROM unnest($1::text[], $2::uuid[]))
  count
    SELECT count(*) FROM "depot_keycard" WHERE ("serial", "door") IN (SELECT * FROM unnest($1::text[], $2::uuid[]))
remote: depot.Worker by worker_id
  find
    SELECT "serial", "door" FROM "depot_keycard" WHERE "worker_id" = ANY($1::bigint[]) ORDER BY "serial", "door" LIMIT $2
  lock
    SELECT "serial", "door" FROM "depot_keycard" WHERE ("serial", "door") IN (SELECT * FROM unnest($1::text[], $2::uuid[])) AND "worker_id" = ANY($3::bigint[]) ORDER BY "serial", "door" FOR UPDATE
  scrub_first
    SELECT "serial", "door", "worker_id" FROM "depot_keycard" WHERE "worker_id" IS NOT NULL ORDER BY "serial", "door" LIMIT $1
  scrub_next
    SELECT "serial", "door", "worker_id" FROM "depot_keycard" WHERE "worker_id" IS NOT NULL AND ("serial", "door") > ($1, $2) ORDER BY "serial", "door" LIMIT $3
  last
    SELECT "serial", "door" FROM "depot_keycard" ORDER BY "serial" DESC, "door" DESC LIMIT 1
rows written by type
  insert
    INSERT INTO "depot_keycard" ("serial", "door", "worker_id") VALUES ($1, $2, $3)
  update
    UPDATE "depot_keycard" SET "worker_id" = $3 WHERE "serial" = $1 AND "door" = $2
  hold
    SELECT "serial", "door", "worker_id" FROM "depot_keycard" WHERE ("serial", "door") IN (SELECT * FROM unnest($1::text[], $2::uuid[])) ORDER BY "serial", "door" FOR NO KEY UPDATE
  insert_rows
    INSERT INTO "depot_keycard" ("serial", "door", "worker_id") SELECT s.c0, s.c1, s.c2 FROM unnest($1::text[], $2::uuid[], $3::bigint[]) WITH ORDINALITY AS s(c0, c1, c2, n) ORDER BY s.n
  update_rows
    UPDATE "depot_keycard" AS t SET "worker_id" = s.c2 FROM unnest($1::text[], $2::uuid[], $3::bigint[]) AS s(c0, c1, c2) WHERE t."serial" = s.c0 AND t."door" = s.c1
