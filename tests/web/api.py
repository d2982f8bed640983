#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""api.py PROGRAM SOURCE [TEST...]: the API, metrics, health and limits of `serve`, asked as a script asks them."""
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from served import TOKEN, Served  # noqa: E402

PROGRAM = sys.argv[1]


def failed_deletion(server, number=1):
    server.sql("UPDATE winnow_cell_scheduled_deletion SET state = 'failed', state_detail = 'it was asked to' WHERE id = ?", number)


class Api(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Served(PROGRAM, "--organizations", "30", "--deletions", "120")
        cls.addClassCleanup(cls.server.close)

    def change(self, path, body, status=200):
        code, _, text = self.server.ask("/api/v1/" + path, body)
        self.assertEqual(code, status, text)
        return json.loads(text)

    def test_reads_are_what_the_command_line_prints(self):
        self.server.cli("schedule", "shop.Organization", "5", "--in", "3d")
        for path, arguments in (("models", ["models"]), ("options", ["options", "list"]), ("outbox", ["outbox", "status"]),
                                ("outbox/dead", ["outbox", "dead"]), ("backfills", ["backfill", "status"]),
                                ("plan?model=shop.Organization&id=5", ["plan", "shop.Organization", "5"]),
                                ("deletions/audit?model=shop.Organization&id=5", ["deletions", "audit", "shop.Organization", "5"])):
            without_ages = lambda text: re.sub(r"(_seconds\"): [0-9.e-]+", r"\1: 0", text)
            self.assertEqual(json.loads(without_ages(json.dumps(self.server.get("/api/v1/" + path)))),
                             json.loads(without_ages(json.dumps(self.server.document(*arguments)))), path)
        shown = self.server.get("/api/v1/deletions/show?model=shop.Organization&id=5")
        printed = self.server.document("deletions", "show", "shop.Organization", "5")
        for document in (shown, printed):
            document["deletion"].pop("seconds_until_due")
        self.assertEqual(shown, printed)

    def test_deletions_are_paged_by_key(self):
        seen, after, pages = [], "", 0
        while True:
            page = self.server.get(f"/api/v1/deletions?limit=25&model=shop.Badge&after={after}")
            seen += [one["id"] for one in page["deletions"]]
            pages += 1
            if not page["more"]:
                self.assertIsNone(page["next"])
                break
            after = page["next"]
        self.assertEqual(pages, 5)
        self.assertEqual(seen, [str(1000000 + n) for n in range(1, 121)])

    def test_a_list_filters_by_every_state(self):
        failed_deletion(self.server, 3)
        self.server.cli("deletions", "pause", "shop.Badge", "1000004")
        try:
            ids = lambda state: [one["id"] for one in self.server.get("/api/v1/deletions?state=" + state)["deletions"]]
            self.assertEqual(ids("failed"), ["1000003"])
            self.assertEqual(ids("paused"), ["1000004"])
            self.assertNotIn("1000004", ids("scheduled"))
            self.assertEqual(self.server.ask("/api/v1/deletions?state=dead")[0], 400)
        finally:
            self.server.cli("deletions", "resume", "shop.Badge", "1000004")
            self.change("deletions/retry", {"model": "shop.Badge", "id": "1000003"})

    def test_pause_resume_retry_confirm_cancel(self):
        one = {"model": "shop.Badge", "id": "1000010"}
        shown = lambda: self.server.get("/api/v1/deletions/show?model=shop.Badge&id=1000010")
        self.assertTrue(self.change("deletions/pause", {**one, "actor": "Ada"})["paused"])
        self.assertEqual(shown()["deletion"]["state"], "paused")
        self.assertEqual(shown()["deletion"]["paused_by"], "Ada (web)")
        self.assertTrue(self.change("deletions/resume", one)["resumed"])
        self.assertEqual(shown()["audit"][-1]["actor"], "tester", "who acted is not carried on to the next request")
        self.assertFalse(self.change("deletions/retry", one, 409)["retried"])
        failed_deletion(self.server, 10)
        self.assertTrue(self.change("deletions/retry", one)["retried"])
        self.assertEqual(shown()["deletion"]["state"], "scheduled")
        self.assertTrue(self.change("deletions/confirm", one)["confirmed"])
        self.assertEqual(self.change("deletions/cancel", one)["answer"], "cancelled before start")
        self.assertEqual(self.change("deletions/cancel", one, 409)["answer"], "not scheduled")
        self.assertIsNone(shown()["deletion"])
        self.assertEqual([entry["action"] for entry in shown()["audit"]],
                         ["paused", "resumed", "retried", "confirmed", "cancelled"])

    def test_pauses_of_everything_a_model_and_a_batch(self):
        for body, scope in (({"all": True}, "all"), ({"model": "shop.Badge"}, "model"), ({"batch": "<b>"}, "batch")):
            self.assertTrue(self.change("deletions/pause", body)["paused"])
            self.assertEqual([one["scope"] for one in self.server.get("/api/v1/deletions?limit=1")["pauses"]], [scope])
            self.assertTrue(self.change("deletions/resume", body)["resumed"])
        self.assertFalse(self.change("deletions/resume", {"all": True}, 409)["resumed"])
        self.change("deletions/pause", {}, 400)
        self.change("deletions/pause", {"all": True, "model": "shop.Badge"}, 400)
        self.change("deletions/pause", {"all": False}, 400)
        self.assertEqual(self.server.get("/api/v1/deletions?limit=1")["pauses"], [])

    def test_options(self):
        self.assertEqual(self.change("options/set", {"name": "deletion.max_rows", "value": 5000})["value"], "5000")
        self.assertEqual(self.server.get("/api/v1/options/get?name=deletion.max_rows")["value"], "5000")
        self.assertFalse(self.change("options/unset", {"name": "deletion.max_rows"})["set"])
        self.assertIn("deletion.max_rows", self.change("options/set", {"name": "deletion.max_rows", "value": "many"}, 400)["error"]["message"])
        self.change("options/set", {"name": "no.such", "value": "1"}, 400)
        self.change("options/set", {"name": "deletion.max_rows"}, 400)

    def test_backfills(self):
        self.server.cli("options", "set", "outbox_replication.shop_organization.replication_version", "1")
        self.server.cli("backfill", "run", "shop.Organization", "--rows", "7")
        self.assertTrue(self.change("backfills/pause", {"model": "shop.Organization"})["done"])
        mine = lambda: [one for one in self.server.get("/api/v1/backfills")["backfills"] if one["model"] == "shop.Organization"][0]
        self.assertEqual((mine()["paused_by"], mine()["rows_done"], mine()["rows_left"]), ("tester", 7, 23))
        self.assertTrue(self.change("backfills/resume", {"model": "shop.Organization"})["done"])
        self.assertFalse(self.change("backfills/resume", {"model": "shop.Organization"}, 409)["done"])
        self.assertTrue(self.change("backfills/restart", {"model": "shop.Organization"})["done"])
        self.change("backfills/pause", {"model": "shop.Nobody"}, 404)

    def test_dead_messages_and_shards(self):
        for number in range(3):
            self.server.sql("INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier, dead_at, attempts, "
                            "last_error) VALUES (0, 5, 0, ?, strftime('%Y-%m-%d %H:%M:%f', 'now'), 10, 'no route')", 500 + number)
        dead = lambda: [one["message"] for one in self.server.get("/api/v1/outbox/dead")["messages"]]
        first, second, third = dead()
        self.change("outbox/replay", {"message": first}, 400)
        self.assertTrue(self.change("outbox/replay", {"message": first, "outbox": "cell"})["done"])
        self.assertFalse(self.change("outbox/replay", {"message": first, "outbox": "cell"}, 409)["done"])
        self.assertTrue(self.change("outbox/skip", {"message": second, "outbox": "cell"})["done"])
        self.assertEqual(dead(), [third])
        self.assertEqual(self.change("outbox/replay", {"all": True})["replayed"], 1)
        shard = {"outbox": "cell", "shard": "organization:5"}
        self.assertTrue(self.change("outbox/shards/skip", shard)["done"])
        shown = [one for one in self.server.get("/api/v1/outbox")["outboxes"][1]["deepest"] if one["identifier"] == 5][0]
        self.assertEqual(shown["skipped_by"], "tester")
        self.assertTrue(self.change("outbox/shards/resume", shard)["done"])
        self.change("outbox/shards/skip", {"outbox": "cell", "shard": "nonsense"}, 400)

    def test_mistakes_are_sentences(self):
        for path, status in (("plan", 400), ("plan?model=shop.Badge", 400), ("plan?model=shop.Badge&id=x", 400), ("plan?model=shop.Nobody&id=1", 404),
                             ("plan?model=shop.Badge&id=1&more=1", 400), ("plan?model=shop.Badge&id=1&id=2", 400), ("deletions?limit=0", 400),
                             ("deletions?limit=x", 400), ("deletions?after=x", 400), ("deletions?silo=moon", 400), ("nothing", 404), ("", 404),
                             ("deletions/show?model=shop.Badge&id=77", 404), ("deletions/pause", 404)):
            code, headers, text = self.server.ask("/api/v1/" + path)
            self.assertEqual(code, status, path + text)
            self.assertEqual(headers["Content-Type"], "application/json")
            self.assertTrue(json.loads(text)["error"]["message"].endswith((".", "?", '"')), text)
        for body in (b"", b"{", b"[]", b"1", b'{"model": {"a": 1}}', b'{"model": 1.5}', b"\xff", b"[" * 20000):
            self.assertEqual(self.server.ask("/api/v1/deletions/retry", body)[0], 400, body[:10])
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
            self.assertEqual(self.server.ask("/api/v1/deletions", method=method)[0], 405)
        self.assertEqual(self.server.ask("/api/v1/deletions", {})[0], 404)

    def test_answers_have_security_headers_whatever_they_are(self):
        for path in ("/", "/page.js", "/views.js", "/page.css", "/api/v1/models", "/metrics", "/nothing", "/health"):
            _, headers, _ = self.server.ask(path)
            policy = headers["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertIn("frame-ancestors 'none'", policy)
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Cache-Control"], "no-store")
            self.assertIsNone(headers["Access-Control-Allow-Origin"])
            self.assertIsNone(headers["Set-Cookie"])

    def test_the_page_has_no_asset_of_others_and_no_inline_script(self):
        page = self.server.ask("/")[2]
        self.assertEqual(set(re.findall(r'(?:src|href)="([^"#]+)"', page)), {"/page.css", "/page.js", "/icon.svg"})
        self.assertNotRegex(page, r"<script(?![^>]*src=)|\son\w+=|style=")
        for script in ("/page.js", "/views.js"):
            self.assertNotRegex(self.server.ask(script)[2], r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")

    def test_changes_need_all_of_it(self):
        body = {"model": "shop.Badge", "id": "1000020"}
        for headers, status in (({"Authorization": None}, 401), ({"Authorization": "Bearer " + TOKEN + "x"}, 401),
                                ({"Authorization": "Bearer " + "x" * len(TOKEN)}, 401), ({"X-Winnow-Request": None}, 403),
                                ({"Content-Type": "text/plain"}, 415), ({"Origin": "http://evil.example"}, 403),
                                ({"Sec-Fetch-Site": "cross-site"}, 403), ({"Host": "evil.example"}, 421)):
            code, _, text = self.server.ask("/api/v1/deletions/pause", body, headers)
            self.assertEqual(code, status, (headers, text))
            self.assertNotIn(TOKEN, text)
        state = self.server.get("/api/v1/deletions/show?model=shop.Badge&id=1000020")["deletion"]["state"]
        self.assertEqual(state, "scheduled")
        self.assertNotIn(TOKEN, self.server.logged())

    def test_health_ready_and_metrics(self):
        self.assertEqual(self.server.get("/health"), {"alive": True})
        ready = self.server.get("/ready")
        self.assertTrue(ready["ready"])
        self.assertEqual(ready["models"], 6)
        code, headers, text = self.server.ask("/metrics")
        self.assertEqual(code, 200)
        self.assertEqual(headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
        self.assertIn('winnow_database_up{cell="main",silo="monolith"} 1', text)
        self.assertRegex(text, r'deletions_scheduled\{cell="main",silo="cell"\} \d+')
        if shutil.which("promtool"):
            checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
            # The names are the contract; what they should be called by Prometheus' taste is told with exit code 3.
            self.assertIn(checked.returncode, (0, 3), checked.stderr)
            for line in checked.stderr.splitlines():
                self.assertRegex(line, r"^(outbox_\w+|deletions_\w+|backfill_outboxes_\w+|deliver_from_outbox_\w+) .*should( not)? have", checked.stderr)

    def test_head_and_keeping_a_connection(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        for _ in range(30):
            connection.request("HEAD", "/api/v1/models")
            answer = connection.getresponse()
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.read(), b"")
        connection.close()

    def test_limits_of_a_request(self):
        def raw(text, wait=15):
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=wait) as held:
                try:
                    held.sendall(text)
                    answer = b""
                    while chunk := held.recv(65536):
                        answer += chunk
                except ConnectionError:
                    pass
                return answer
        head = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        self.assertTrue(raw(head + b"\r\n").startswith(b"HTTP/1.1 200"))
        self.assertNotIn(b"200 OK", raw(head + b"A: " + b"x" * 20000 + b"\r\n\r\n"))
        self.assertNotIn(b"200 OK", raw(head + b"A: xxxxxxxxxxxx\r\n" * 20000 + b"\r\n"))
        self.assertNotIn(b"200 OK", raw(b"GET /" + b"x" * 20000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        post = (b"POST /api/v1/deletions/retry HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nX-Winnow-Request: 1\r\n"
                b"Authorization: Bearer " + TOKEN.encode() + b"\r\nConnection: close\r\n")
        self.assertNotIn(b"200 OK", raw(post + b"Content-Length: 1000000\r\n\r\n" + b"x" * 1000000))
        self.assertNotIn(b"200 OK", raw(post + b"Transfer-Encoding: chunked\r\n\r\n" + b"ffff\r\n" + b"x" * 65535 + b"\r\nffff\r\n" + b"x" * 65535))
        self.assertTrue(raw(b"\x00\x01\x02 nonsense\r\n\r\n").startswith((b"HTTP/1.1 400", b"")))
        self.assertEqual(self.server.get("/health"), {"alive": True})

    def test_slow_clients_do_not_hold_it(self):
        held = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(12)]
        stop = threading.Event()

        def trickle():
            while not stop.wait(0.5):
                for one in held:
                    try:
                        one.sendall(b"X")
                    except OSError:
                        pass
        for one in held:
            one.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        trickling = threading.Thread(target=trickle)
        trickling.start()
        try:
            self.assertEqual(self.server.get("/health"), {"alive": True})
            held[0].settimeout(25)
            self.assertIn(b"" if not held[0].recv(1000) else b"4", b"HTTP/1.1 400")
        finally:
            stop.set()
            trickling.join()
            for one in held:
                one.close()

    def test_many_at_once(self):
        wrong = []

        def ask():
            for _ in range(10):
                code, _, text = self.server.ask("/api/v1/deletions?limit=5")
                if code not in (200, 503):
                    wrong.append(text)
        asking = [threading.Thread(target=ask) for _ in range(12)]
        for one in asking:
            one.start()
        for one in asking:
            one.join()
        self.assertEqual(wrong, [])


class Starting(unittest.TestCase):
    def test_without_a_token_changes_are_refused_with_what_to_do(self):
        with Served(PROGRAM, token=None) as server:
            code, _, text = server.ask("/api/v1/deletions/pause", {"all": True})
            self.assertEqual(code, 403)
            self.assertIn("--token-file", text)
            self.assertFalse(server.get("/api/v1/server")["changes_allowed"])
            self.assertEqual(server.get("/api/v1/deletions")["pauses"], [])
        self.assertEqual(server.code, 0)

    def test_what_is_wrong_at_the_start_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            token = os.path.join(folder, "token")
            with open(token, "w", encoding="utf-8") as file:
                file.write("short\n")
            os.chmod(token, 0o600)
            long = os.path.join(folder, "long")
            with open(long, "w", encoding="utf-8") as file:
                file.write(TOKEN + "\n")
            os.chmod(long, 0o644)
            with socket.create_server(("127.0.0.1", 0)) as taken:
                port = str(taken.getsockname()[1])
                environment = {**{k: v for k, v in os.environ.items() if not k.startswith("WINNOW_")}, "WINNOW_DATABASE": f"sqlite:{folder}/a.db?mode=rwc"}
                for arguments, said, variables in ((["--bind", "8080"], "--bind takes", {}), (["--bind", "example.com:80"], "--bind takes", {}),
                                                   (["--bind", "127.0.0.1:" + port], "Nothing can listen", {}),
                                                   (["--token-file", token], "too short", {}), (["--token-file", folder + "/none"], "cannot be read", {}),
                                                   (["--token-file", long], "open to others", {}), ([], "too short", {"WINNOW_TOKEN": "short"}),
                                                   ([], "No database is named", {"WINNOW_DATABASE": ""})):
                    done = subprocess.run([PROGRAM, "serve", *arguments], env={**environment, **variables}, capture_output=True, text=True, timeout=20, check=False)
                    self.assertIn(done.returncode, (1, 2), done)
                    self.assertIn(said, done.stderr)
                    self.assertLessEqual(len(done.stderr.splitlines()), 2, done.stderr)

    def test_it_starts_before_its_tables_are_there(self):
        with Served(PROGRAM, None) as server:
            code, _, text = server.ask("/ready")
            self.assertEqual(code, 503)
            self.assertIn("migrate", text + server.ask("/api/v1/deletions")[2])
            self.assertIn('winnow_database_up{cell="main",silo="monolith"} 0', server.ask("/metrics")[2])
            server.cli("setup")
            self.assertEqual(server.ask("/ready")[0], 200, "and notices when they come")

    def test_structured_logs_carry_the_transaction_from_end_to_end(self):
        with Served(PROGRAM) as server:
            environment = {**server.environment, "WINNOW_LOG_FORMAT": "json"}
            lines = []
            for arguments in (["schedule", "shop.Organization", "1", "--in", "0d"], ["deletions", "run"]):
                done = subprocess.run([PROGRAM, *arguments], env=environment, capture_output=True, text=True, check=True)
                lines += [json.loads(line) for line in done.stderr.splitlines()]
            guids = {line["transaction_id"] for line in lines if "transaction_id" in line}
            self.assertEqual(len(guids), 1, lines)
            self.assertEqual([line["message"] for line in lines if "transaction_id" in line][0], "deletion scheduled")
            self.assertIn("deletion ended", [line["message"] for line in lines])
            for line in lines:
                self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
                self.assertIn(line["level"], ("debug", "info", "warning", "error"))
            audit = server.get("/api/v1/deletions/show?model=shop.Organization&id=1")["audit"]
            self.assertEqual({entry["guid"] for entry in audit}, guids)


class Silos(unittest.TestCase):
    """A control silo and two cells, each with a database of its own."""

    def test_each_is_reached_by_its_name(self):
        with tempfile.TemporaryDirectory() as folder:
            url = lambda name: f"sqlite:{folder}/{name}.db?mode=rwc"
            for name in ("control", "us", "de"):
                subprocess.run([PROGRAM, "--database", url(name), "setup", "--organizations", "3"], check=True, capture_output=True,
                               env={k: v for k, v in os.environ.items() if not k.startswith("WINNOW_")})
            config = os.path.join(folder, "config.json")
            with open(config, "w", encoding="utf-8") as file:
                json.dump({"control": url("control"), "cells": {"us": url("us"), "de": url("de")}}, file)
            with Served(PROGRAM, None, database="", arguments=("--config", config)) as server:
                self.assertEqual(server.get("/api/v1/server")["silos"],
                                 [{"silo": "control", "cell": None}, {"silo": "cell", "cell": "us"}, {"silo": "cell", "cell": "de"}])
                server.cli("--config", config, "--cell", "us", "schedule", "shop.Organization", "1", "--in", "2d")
                every = server.get("/api/v1/deletions")["silos"]
                self.assertEqual({name: len(one["deletions"]) for name, one in every.items()}, {"control": 0, "cell us": 1, "cell de": 0})
                listed = lambda place: len(server.get("/api/v1/deletions?" + place)["deletions"])
                self.assertEqual([listed("silo=control"), listed("silo=cell&cell=us"), listed("cell=de")], [0, 1, 0])
                self.assertEqual(server.ask("/api/v1/deletions?silo=cell")[0], 400)
                self.assertEqual(server.ask("/api/v1/deletions?cell=moon")[0], 400)
                one = {"model": "shop.Organization", "id": "1"}
                self.assertEqual(server.ask("/api/v1/deletions/pause", one)[0], 400, "which cell?")
                self.assertEqual(server.ask("/api/v1/deletions/pause", {**one, "cell": "us"})[0], 200)
                self.assertEqual(server.ask("/api/v1/deletions/pause", {**one, "cell": "de"})[0], 409)
                text = server.ask("/metrics")[2]
                for series in ('deletions_scheduled{cell="us",silo="cell"} 1', 'deletions_scheduled{cell="de",silo="cell"} 0',
                               'deletions_scheduled{cell="",silo="control"} 0', 'winnow_database_up{cell="de",silo="cell"} 1'):
                    self.assertIn(series, text)
                os.rename(f"{folder}/de.db", f"{folder}/gone.db")
                os.mkdir(f"{folder}/de.db")
                server.process.send_signal(signal.SIGTERM)
                self.assertEqual(server.process.wait(20), 0)


class WorkerEndpoint(unittest.TestCase):
    def test_a_worker_counts_what_it_does(self):
        with Served(PROGRAM) as server:
            server.cli("schedule", "shop.Organization", "1", "--in", "0d")
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            worker = subprocess.Popen([PROGRAM, "worker", "--metrics", f"127.0.0.1:{port}"], env=server.environment, stderr=subprocess.PIPE, text=True)
            try:
                def ask(path, method="GET"):
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
                    try:
                        connection.request(method, path)
                        answer = connection.getresponse()
                        return answer.status, answer.read().decode()
                    except ConnectionError:
                        return 0, ""
                    finally:
                        connection.close()
                wait_until(lambda: re.search(r'deletions_rows\{model="shop.Badge",strategy="bulk"\} \d+', ask("/metrics")[1]))
                self.assertEqual(ask("/health"), (200, '{"alive":true}\n'))
                wait_until(lambda: ask("/ready")[0] == 200)
                self.assertEqual(ask("/api/v1/deletions")[0], 404)
                self.assertEqual(ask("/metrics", "POST")[0], 405)
                self.assertEqual(server.ask("/metrics", headers={"Host": "evil.example"})[0], 421)
                jobs = lambda: {one["name"]: one for one in server.get("/api/v1/jobs")["jobs"] if one["silo"] == "cell"}
                wait_until(lambda: jobs()["run_scheduled_deletions"]["last_success"])
                self.assertEqual(server.document("jobs")["jobs"][0].keys(), server.get("/api/v1/jobs")["jobs"][0].keys())
                self.assertRegex(server.ask("/metrics")[2], r'winnow_job_last_success_timestamp_seconds\{cell="main",job="run_scheduled_deletions",silo="cell"\} 1\.?\d*')
            finally:
                worker.send_signal(signal.SIGTERM)
                worker.communicate(timeout=30)
            self.assertEqual(worker.returncode, 0)


@unittest.skipUnless(os.environ.get("WINNOW_TEST_SUPPORT"), "needs tests/support/with_postgres")
class DeadDatabase(unittest.TestCase):
    """A server of its own, which is stopped and killed."""

    def test_requests_are_answered_whatever_the_database_does(self):
        support = os.environ["WINNOW_TEST_SUPPORT"]
        own = subprocess.Popen([os.path.join(support, "with_postgres"), "sh", "-c", "echo $WINNOW_TEST_POSTGRES; exec sleep 300"],
                               env={k: v for k, v in os.environ.items() if k != "WINNOW_TEST_POSTGRES"}, stdout=subprocess.PIPE, text=True)
        stopped = []
        try:
            url = own.stdout.readline().strip()
            folder = re.search(r"host=(\S+)", url)[1]
            with Served(PROGRAM, "--organizations", "5", database=url) as server:
                self.assertEqual(server.get("/api/v1/deletions")["deletions"], [])
                with open(folder + "/data/postmaster.pid", encoding="utf-8") as file:
                    master = int(file.readline())
                for process in [master, *children_of(master)]:
                    send(process, signal.SIGSTOP)
                    stopped.append(process)
                began = time.monotonic()
                answers = [server.ask(path) for path in ("/api/v1/deletions", "/ready", "/api/v1/models", "/health", "/metrics")]
                self.assertEqual([code for code, _, _ in answers], [503, 503, 200, 200, 200], answers)
                self.assertIn("has not answered in time", answers[0][2])
                self.assertIn("winnow_database_up", answers[4][2])
                crowd = [threading.Thread(target=server.ask, args=("/api/v1/deletions",)) for _ in range(30)]
                for one in crowd:
                    one.start()
                self.assertEqual(server.ask("/health")[0], 200)
                for one in crowd:
                    one.join()
                self.assertLess(time.monotonic() - began, 60, "bounded, with room for a slow machine")
                for process in stopped:
                    send(process, signal.SIGCONT)
                stopped.clear()
                wait_until(lambda: server.ask("/api/v1/deletions")[0] == 200)
                ended = [process for process in children_of(master) if "[local]" in title_of(process)]
                for process in ended:
                    send(process, signal.SIGTERM)  # as an administrator ends a session
                self.assertNotEqual(ended, [])
                wait_until(lambda: server.ask("/api/v1/deletions")[0] == 200)
                with open(folder + "/data/postmaster.pid", encoding="utf-8") as file:
                    master = int(file.readline())
                for process in [master, *children_of(master)]:
                    send(process, signal.SIGSTOP)
                    stopped.append(process)
                asking = threading.Thread(target=server.ask, args=("/api/v1/deletions",))
                asking.start()
                time.sleep(0.5)
                server.process.send_signal(signal.SIGTERM)
                self.assertEqual(server.process.wait(30), 0, "it ends although a connection does not answer\n" + server.logged())
                asking.join()
        finally:
            for process in stopped:
                send(process, signal.SIGCONT)
            own.terminate()
            own.wait(60)
            own.stdout.close()


def parent_of(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def children_of(process):
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and parent_of(entry) == process]


def title_of(process):
    try:
        with open(f"/proc/{process}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def send(process, which):
    try:
        os.kill(process, which)
    except ProcessLookupError:
        pass  # it ended by itself


def wait_until(ask, seconds=60):
    end = time.monotonic() + seconds
    while not ask():
        if time.monotonic() > end:
            raise AssertionError("it never came")
        time.sleep(0.1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
