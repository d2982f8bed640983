-- SPDX-License-Identifier: Apache-2.0
depot.CrateCopy, postgresql
  read
    SELECT "cell", "crate", "label", "contents" FROM "crate copies" WHERE ("cell", "crate") IN (SELECT * FROM unnest($1::text[], $2::bigint[])) ORDER BY "cell", "crate"
  lock
    SELECT "cell", "crate" FROM "crate copies" WHERE ("cell", "crate") IN (SELECT * FROM unnest($1::text[], $2::bigint[])) ORDER BY "cell", "crate" FOR UPDATE
  hold
    SELECT "cell", "crate", "label", "contents" FROM "crate copies" WHERE ("cell", "crate") IN (SELECT * FROM unnest($1::text[], $2::bigint[])) ORDER BY "cell", "crate" FOR NO KEY UPDATE
  remove
    DELETE FROM "crate copies" WHERE ("cell", "crate") IN (SELECT * FROM unnest($1::text[], $2::bigint[]))
  count
    SELECT count(*) FROM "crate copies" WHERE ("cell", "crate") IN (SELECT * FROM unnest($1::text[], $2::bigint[]))
rows written by type
  insert
    INSERT INTO "crate copies" ("cell", "crate", "label", "contents") VALUES ($1, $2, $3, $4)
  update
    UPDATE "crate copies" SET "label" = $3, "contents" = $4 WHERE "cell" = $1 AND "crate" = $2
  hold
    SELECT "cell", "crate" FROM "crate copies" WHERE ("cell", "crate") IN (SELECT * FROM unnest($1::text[], $2::bigint[])) ORDER BY "cell", "crate" FOR NO KEY UPDATE
  insert_rows
    INSERT INTO "crate copies" ("cell", "crate", "label", "contents") SELECT s.c0, s.c1, s.c2, s.c3::json FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) WITH ORDINALITY AS s(c0, c1, c2, c3, n) ORDER BY s.n
  update_rows
    UPDATE "crate copies" AS t SET "label" = s.c2, "contents" = s.c3::json FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS s(c0, c1, c2, c3) WHERE t."cell" = s.c0 AND t."crate" = s.c1
