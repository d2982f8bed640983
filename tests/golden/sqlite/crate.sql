-- SPDX-License-Identifier: Apache-2.0
depot.Crate, sqlite
  read
    SELECT "id", "region", "label", "contents", "picture" FROM "DepotCrate" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  lock
    SELECT "id" FROM "DepotCrate" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  hold
    SELECT "id", "region", "label", "contents", "picture" FROM "DepotCrate" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
  remove
    DELETE FROM "DepotCrate" WHERE "id" IN (SELECT value FROM json_each(?1))
  count
    SELECT count(*) FROM "DepotCrate" WHERE "id" IN (SELECT value FROM json_each(?1))
copied: version 3 as crate_update in scope region, shard region, to depot.CrateCopy: id -> crate (finds it), label -> label, contents -> contents, cell name -> cell (finds it)
  produce
    INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier, cell_name, payload) SELECT -1, t."region", 1, t."id", c.value, json_object('label', t."label", 'contents', json(t."contents")) FROM (SELECT * FROM "DepotCrate" WHERE "id" IN (SELECT value FROM json_each(?1))) AS t CROSS JOIN json_each(?2) AS c ORDER BY t."region", t."id"
  produce_range
    INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier, cell_name, payload) SELECT -1, t."region", 1, t."id", c.value, json_object('label', t."label", 'contents', json(t."contents")) FROM (SELECT * FROM "DepotCrate" WHERE "id" >= ?1 AND "id" <= ?2) AS t CROSS JOIN json_each(?3) AS c ORDER BY t."region", t."id"
  batch
    SELECT count(*), max("id") FROM (SELECT "id" FROM "DepotCrate" WHERE "id" >= ?1 AND "id" <= ?2 ORDER BY "id" LIMIT ?3) AS batch
  bounds
    SELECT min("id"), max("id") FROM "DepotCrate"
  upsert
    INSERT INTO "crate copies" ("crate", "label", "contents", "cell") SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'), json_extract(value, '$[3]') FROM json_each(?1) WHERE true ON CONFLICT ("crate", "cell") DO UPDATE SET "label" = excluded."label", "contents" = excluded."contents"
  erase
    DELETE FROM "crate copies" WHERE ("cell", "crate") IN (SELECT CAST(json_extract(value, '$[1]') AS TEXT), json_extract(value, '$[0]') FROM json_each(?1))
  read
    SELECT "crate", "label", "contents", "cell" FROM "crate copies" WHERE ("cell", "crate") IN (SELECT CAST(json_extract(value, '$[1]') AS TEXT), json_extract(value, '$[0]') FROM json_each(?1))
rows written by type
  insert
    INSERT INTO "DepotCrate" ("id", "region", "label", "contents", "picture") VALUES (?1, ?2, ?3, ?4, CAST(?5 AS BLOB))
  insert_generated
    INSERT INTO "DepotCrate" ("region", "label", "contents", "picture") VALUES (?1, ?2, ?3, CAST(?4 AS BLOB)) RETURNING "id"
  update
    UPDATE "DepotCrate" SET "label" = ?3, "contents" = ?4, "picture" = CAST(?5 AS BLOB) WHERE "id" = ?1 AND "region" = ?2
  hold
    SELECT "id", "region" FROM "DepotCrate" WHERE "id" IN (SELECT value FROM json_each(?1)) ORDER BY "id"
