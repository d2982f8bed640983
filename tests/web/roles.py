#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""roles.py PROGRAM SOURCE: the roles of examples/deploy/roles.sql may do what the operations guide says, and no more."""
import json
import os
import subprocess
import sys
import unittest
import uuid

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from served import Served  # noqa: E402

PROGRAM, SOURCE = sys.argv[1:3]
SERVER = os.environ.get("WINNOW_TEST_POSTGRES", "")


def sql(url, *statements, file=None):
    command = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1", "--dbname", url]
    command += [word for one in statements for word in ("--command", one)] + (["--file", file] if file else [])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout.strip()


@unittest.skipUnless(SERVER, "needs tests/support/with_postgres")
class Roles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.name = "winnow_roles_" + uuid.uuid4().hex[:8]
        sql(SERVER, f"CREATE DATABASE {cls.name}")
        cls.addClassCleanup(cls.drop)
        cls.url = SERVER.replace("/postgres?", f"/{cls.name}?", 1)
        cls.cli(cls.url, "setup", "--organizations", "6")
        roles = os.path.join(SOURCE, "examples", "deploy", "roles.sql")
        for _ in range(2):  # as often as one likes
            sql(cls.url, file=roles)
        for role in ("viewer", "operator", "worker"):
            sql(cls.url, f"CREATE ROLE {cls.name}_{role} LOGIN IN ROLE winnow_{role}")

    @classmethod
    def drop(cls):
        sql(SERVER, f"DROP DATABASE {cls.name} WITH (FORCE)")
        for role in ("viewer", "operator", "worker"):
            sql(SERVER, f"DROP ROLE IF EXISTS {cls.name}_{role}")

    @classmethod
    def cli(cls, url, *arguments, code=0):
        environment = {name: text for name, text in os.environ.items() if not name.startswith("WINNOW_")}
        done = subprocess.run([PROGRAM, "--database", url, "--actor", "tester", *arguments], env=environment, capture_output=True, text=True, timeout=300, check=False)
        if code is not None and done.returncode != code:
            raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def of(self, role):
        return self.url.replace("//postgres@", f"//{self.name}_{role}@", 1)

    def refused(self, role, *arguments):
        self.assertIn("permission denied", self.cli(self.of(role), *arguments, code=1))

    def test_a_viewer_looks_and_nothing_else(self):
        self.cli(self.url, "schedule", "shop.Organization", "1", "--in", "2d")
        for arguments in (("plan", "shop.Organization", "1"), ("deletions", "list"), ("deletions", "show", "shop.Organization", "1"),
                          ("outbox", "status"), ("backfill", "status"), ("options", "list"), ("jobs",)):
            self.cli(self.of("viewer"), *arguments)
        for arguments in (("schedule", "shop.Organization", "2"), ("cancel", "shop.Organization", "1"), ("deletions", "pause", "--all"),
                          ("options", "set", "deletion.max_rows", "5")):
            self.refused("viewer", *arguments)
        with Served(PROGRAM, None, database=self.of("viewer")) as server:
            self.assertEqual(server.ask("/ready")[0], 200)
            self.assertEqual(len(server.get("/api/v1/deletions")["deletions"]), 1)
            self.assertGreater(server.get("/api/v1/plan?model=shop.Organization&id=1")["total"], 1)
            self.assertIn('winnow_database_up{cell="main",silo="monolith"} 1', server.ask("/metrics")[2])
            status, _, text = server.ask("/api/v1/deletions/pause", {"all": True})
            self.assertGreaterEqual(status, 400)
            self.assertIn("permission denied", json.loads(text)["error"]["message"])
        self.cli(self.url, "cancel", "shop.Organization", "1")

    def test_an_operator_changes_what_is_winnows(self):
        with Served(PROGRAM, None, database=self.of("operator")) as server:
            self.refused("operator", "schedule", "shop.Organization", "3", "--in", "2d")
            self.cli(self.of("worker"), "schedule", "shop.Organization", "3", "--in", "2d")
            one = {"model": "shop.Organization", "id": "3"}
            for path, body in (("deletions/pause", one), ("deletions/resume", one), ("deletions/confirm", one), ("deletions/pause", {"all": True}),
                               ("deletions/resume", {"all": True}), ("options/set", {"name": "deletion.max_rows", "value": "5"}),
                               ("options/unset", {"name": "deletion.max_rows"}), ("backfills/restart", {"model": "shop.Organization"}),
                               ("outbox/replay", {"all": True}), ("deletions/cancel", one)):
                status, _, text = server.ask("/api/v1/" + path, body)
                self.assertIn(status, (200, 409), path + text)
        self.assertEqual(sql(self.url, "SELECT count(*) FROM shop_organization WHERE id = 3"), "1")
        self.cli(self.of("worker"), "schedule", "shop.Organization", "3", "--in", "0d")
        self.assertIn("may not delete", self.cli(self.of("operator"), "deletions", "run", code=None) +
                      self.cli(self.url, "deletions", "show", "shop.Organization", "3"))
        self.assertEqual(sql(self.url, "SELECT count(*) FROM shop_organization WHERE id = 3"), "1", "it deletes nothing")
        self.cli(self.url, "cancel", "shop.Organization", "3")

    def test_a_worker_works(self):
        self.cli(self.url, "options", "set", "outbox_replication.shop_organization.replication_version", "1")
        self.cli(self.of("worker"), "schedule", "shop.Organization", "5", "--in", "0d", "--yes")
        self.cli(self.of("worker"), "worker", "--once")
        self.cli(self.of("worker"), "outbox", "drain")
        self.assertEqual(sql(self.url, "SELECT count(*) FROM shop_organization WHERE id = 5"), "0")
        self.assertEqual(sql(self.url, "SELECT count(*) FROM shop_member WHERE organization_id = 5"), "0")
        self.assertEqual(sql(self.url, "SELECT count(*) FROM shop_organizationcopy"), sql(self.url, "SELECT count(*) FROM shop_organization"))

    def test_nobody_alters_anything(self):
        for role in ("viewer", "operator", "worker"):
            for statement in ("CREATE TABLE a (b int)", "DROP TABLE shop_badge", "ALTER TABLE winnow_option ADD a int", "TRUNCATE winnow_audit",
                              "DELETE FROM winnow_schema"):
                with self.assertRaisesRegex(AssertionError, "permission denied|must be owner"):
                    sql(self.of(role), statement)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
