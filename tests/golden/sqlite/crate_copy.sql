-- SPDX-License-Identifier: Apache-2.0
depot.CrateCopy, sqlite
  read
    SELECT "cell", "crate", "label", "contents" FROM "crate copies" WHERE ("cell", "crate") IN (SELECT CAST(json_extract(value, '$[0]') AS TEXT), json_extract(value, '$[1]') FROM json_each(?1)) ORDER BY "cell", "crate"
  lock
    SELECT "cell", "crate" FROM "crate copies" WHERE ("cell", "crate") IN (SELECT CAST(json_extract(value, '$[0]') AS TEXT), json_extract(value, '$[1]') FROM json_each(?1)) ORDER BY "cell", "crate"
  hold
    SELECT "cell", "crate", "label", "contents" FROM "crate copies" WHERE ("cell", "crate") IN (SELECT CAST(json_extract(value, '$[0]') AS TEXT), json_extract(value, '$[1]') FROM json_each(?1)) ORDER BY "cell", "crate"
  remove
    DELETE FROM "crate copies" WHERE ("cell", "crate") IN (SELECT CAST(json_extract(value, '$[0]') AS TEXT), json_extract(value, '$[1]') FROM json_each(?1))
  count
    SELECT count(*) FROM "crate copies" WHERE ("cell", "crate") IN (SELECT CAST(json_extract(value, '$[0]') AS TEXT), json_extract(value, '$[1]') FROM json_each(?1))
rows written by type
  insert
    INSERT INTO "crate copies" ("cell", "crate", "label", "contents") VALUES (?1, ?2, ?3, ?4)
  update
    UPDATE "crate copies" SET "label" = ?3, "contents" = ?4 WHERE "cell" = ?1 AND "crate" = ?2
  hold
    SELECT "cell", "crate" FROM "crate copies" WHERE ("cell", "crate") IN (SELECT CAST(json_extract(value, '$[0]') AS TEXT), json_extract(value, '$[1]') FROM json_each(?1)) ORDER BY "cell", "crate"
  insert_rows
    INSERT INTO "crate copies" ("cell", "crate", "label", "contents") SELECT json_extract(s.value, '$[0]'), json_extract(s.value, '$[1]'), json_extract(s.value, '$[2]'), json_extract(s.value, '$[3]') FROM json_each(?1) AS s
  update_rows
    UPDATE "crate copies" AS t SET "label" = json_extract(s.value, '$[2]'), "contents" = json_extract(s.value, '$[3]') FROM json_each(?1) AS s WHERE t."cell" = json_extract(s.value, '$[0]') AND t."crate" = json_extract(s.value, '$[1]')
