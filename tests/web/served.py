# SPDX-License-Identifier: Apache-2.0
"""A program of ours that serves its page over a database of its own."""
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import urllib.error
import urllib.request

TOKEN = "a-token-for-the-tests"


class Served:
    """Sets a database up and serves it. Use it in a `with`."""

    def __init__(self, program, *setup, token=TOKEN, database=None, arguments=()):
        self.program, self.folder = program, tempfile.mkdtemp(prefix="winnow-web-")
        self.file = os.path.join(self.folder, "shop.db")
        self.database = "sqlite:" + self.file + "?mode=rwc" if database is None else database
        self.environment = {name: text for name, text in os.environ.items() if not name.startswith("WINNOW_")}
        self.environment.update(WINNOW_DATABASE=self.database, WINNOW_ACTOR="tester")
        self.process = None
        try:
            if setup is not None and setup[:1] != (None,):
                self.cli("setup", *setup)
            if token:
                self.environment["WINNOW_TOKEN"] = token
            self.log = open(os.path.join(self.folder, "log"), "w+", encoding="utf-8")
            self.process = subprocess.Popen([program, "serve", "--bind", "127.0.0.1:0", *arguments], env=self.environment,
                                            stdout=subprocess.PIPE, stderr=self.log, text=True)
            line = self.process.stdout.readline()
            found = re.search(r"http://\S+", line)
            if not found:
                raise RuntimeError("serve did not start: " + line + self.logged())
            self.url = found[0]
            self.port = int(re.search(r":(\d+)/", self.url)[1])
        except BaseException:
            self.close()
            raise

    def cli(self, *arguments, code=0):
        done = subprocess.run([self.program, *arguments], env=self.environment, capture_output=True, text=True, check=False)
        if code is not None and done.returncode != code:
            raise RuntimeError(f"{' '.join(arguments)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def document(self, *arguments, code=0):
        return json.loads(self.cli(*arguments, "--json", code=code))

    def sql(self, text, *parameters):
        connection = sqlite3.connect(self.file, timeout=30, isolation_level=None)
        try:
            return connection.execute(text, parameters).fetchall()
        finally:
            connection.close()

    def logged(self):
        with open(self.log.name, encoding="utf-8", errors="replace") as file:
            return file.read()

    def ask(self, path, body=None, headers=None, method=None):
        """Status, headers and text of an answer. A body is sent as a change with the token, unless headers say otherwise."""
        sent = {}
        data = None
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent = {"Content-Type": "application/json", "X-Winnow-Request": "1", "Authorization": "Bearer " + TOKEN}
        sent.update(headers or {})
        sent = {name: text for name, text in sent.items() if text is not None}
        asked = urllib.request.Request(self.url.rstrip("/") + path, data, sent, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as problem:
            return problem.code, problem.headers, problem.read().decode()

    def get(self, path):
        return json.loads(self.ask(path)[2])

    def close(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.code = self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.code = self.process.wait()
            self.process.stdout.close()
            self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
