-- SPDX-License-Identifier: Apache-2.0
depot.Crate, postgresql
  read
    SELECT "id", "region", "label", "contents", "picture" FROM "Depot"."Crate" WHERE "id" = ANY($1::integer[]) ORDER BY "id"
  lock
    SELECT "id" FROM "Depot"."Crate" WHERE "id" = ANY($1::integer[]) ORDER BY "id" FOR UPDATE
  hold
    SELECT "id", "region", "label", "contents", "picture" FROM "Depot"."Crate" WHERE "id" = ANY($1::integer[]) ORDER BY "id" FOR NO KEY UPDATE
  remove
    DELETE FROM "Depot"."Crate" WHERE "id" = ANY($1::integer[])
  count
    SELECT count(*) FROM "Depot"."Crate" WHERE "id" = ANY($1::integer[])
copied: version 3 as crate_update in scope region, shard region, to depot.CrateCopy: id -> crate (finds it), label -> label, contents -> contents, cell name -> cell (finds it)
  produce
    INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier, cell_name, payload) SELECT -1, t."region", 1, t."id", c.name, jsonb_build_object('label', t."label", 'contents', t."contents"::jsonb) FROM (SELECT * FROM "Depot"."Crate" WHERE "id" = ANY($1::integer[])) AS t CROSS JOIN unnest($2::text[]) AS c(name) ORDER BY t."region", t."id"
  produce_range
    INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier, cell_name, payload) SELECT -1, t."region", 1, t."id", c.name, jsonb_build_object('label', t."label", 'contents', t."contents"::jsonb) FROM (SELECT * FROM "Depot"."Crate" WHERE "id" >= $1 AND "id" <= $2) AS t CROSS JOIN unnest($3::text[]) AS c(name) ORDER BY t."region", t."id"
  batch
    SELECT count(*), max("id") FROM (SELECT "id" FROM "Depot"."Crate" WHERE "id" >= $1 AND "id" <= $2 ORDER BY "id" LIMIT $3) AS batch
  bounds
    SELECT min("id"), max("id") FROM "Depot"."Crate"
  upsert
    INSERT INTO "crate copies" ("crate", "label", "contents", "cell") SELECT s.c0, s.c1, s.c2::jsonb, s.c3 FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) AS s(c0, c1, c2, c3) ON CONFLICT ("crate", "cell") DO UPDATE SET "label" = excluded."label", "contents" = excluded."contents"
  erase
    DELETE FROM "crate copies" WHERE ("crate", "cell") IN (SELECT * FROM unnest($1::bigint[], $2::text[]))
  read
    SELECT "crate", "label", "contents", "cell" FROM "crate copies" WHERE ("crate", "cell") IN (SELECT * FROM unnest($1::bigint[], $2::text[]))
rows written by type
  insert
    INSERT INTO "Depot"."Crate" ("id", "region", "label", "contents", "picture") VALUES ($1, $2, $3, $4, $5)
  insert_generated
    INSERT INTO "Depot"."Crate" ("region", "label", "contents", "picture") VALUES ($1, $2, $3, $4) RETURNING "id"
  update
    UPDATE "Depot"."Crate" SET "label" = $3, "contents" = $4, "picture" = $5 WHERE "id" = $1 AND "region" = $2
  hold
    SELECT "id", "region" FROM "Depot"."Crate" WHERE "id" = ANY($1::integer[]) ORDER BY "id" FOR NO KEY UPDATE
  insert_rows
    INSERT INTO "Depot"."Crate" ("id", "region", "label", "contents", "picture") SELECT s.c0, s.c1, s.c2, s.c3::json, s.c4 FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::text[], $5::bytea[]) WITH ORDINALITY AS s(c0, c1, c2, c3, c4, n) ORDER BY s.n
  insert_rows_generated
    INSERT INTO "Depot"."Crate" ("region", "label", "contents", "picture") SELECT s.c1, s.c2, s.c3::json, s.c4 FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bytea[]) WITH ORDINALITY AS s(c1, c2, c3, c4, n) ORDER BY s.n RETURNING "id"
  update_rows
    UPDATE "Depot"."Crate" AS t SET "label" = s.c2, "contents" = s.c3::json, "picture" = s.c4 FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::text[], $5::bytea[]) AS s(c0, c1, c2, c3, c4) WHERE t."id" = s.c0
