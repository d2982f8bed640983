-- SPDX-License-Identifier: Apache-2.0
-- Roles of a PostgreSQL database with least privilege. Run as its owner, after `migrate`, and again after each release or
-- new plugin: what is new gets its rights. It can be run as often as one likes.
--
--   psql --dbname URL --set ON_ERROR_STOP=1 --set app=public --file roles.sql
--   CREATE ROLE shop_worker LOGIN IN ROLE winnow_worker;  -- and so on: these roles are to be granted, not logged in to
--
-- app is the schema of the models' tables. winnow's own are wherever `migrate` put them: the first schema of the search
-- path of the role that ran it.
\if :{?app}
\else
\set app public
\endif
SELECT format('CREATE ROLE %I NOLOGIN', name)
FROM unnest(ARRAY['winnow_viewer', 'winnow_operator', 'winnow_worker']) AS name
WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name) \gexec

-- Everybody may look: `deletions list`, `show`, `plan`, `check`, and `serve` without a token.
GRANT USAGE ON SCHEMA :"app" TO winnow_viewer, winnow_operator, winnow_worker;
GRANT SELECT ON ALL TABLES IN SCHEMA :"app" TO winnow_viewer, winnow_operator, winnow_worker;

-- Workers delete rows, set references to null, lock parents, and write copies and statuses.
GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA :"app" TO winnow_worker;

-- winnow's own tables. Operators change what is scheduled, paused, set and dead, nothing of the application. Nobody but the
-- owner changes the table that says which form they have.
SELECT format('GRANT USAGE ON SCHEMA %I TO winnow_viewer, winnow_operator, winnow_worker', nspname)
FROM pg_namespace WHERE oid = (SELECT relnamespace FROM pg_class WHERE oid = 'winnow_schema'::regclass) \gexec
SELECT format('GRANT SELECT ON %I.%I TO winnow_viewer', n.nspname, c.relname),
       format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I.%I TO winnow_operator, winnow_worker', n.nspname, c.relname)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND c.relname LIKE 'winnow\_%' \gexec
SELECT format('GRANT USAGE, SELECT ON SEQUENCE %I.%I TO winnow_operator, winnow_worker', n.nspname, c.relname)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'S' AND c.relname LIKE 'winnow\_%' \gexec
REVOKE INSERT, UPDATE, DELETE ON winnow_schema FROM winnow_operator, winnow_worker;
