#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deletes a tree of the plugin's models with the program `winnow`, which has never seen them.

    delete_a_tree.py PROGRAM PLUGIN
"""
import json
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

SCHEMA = """
CREATE TABLE library_shelf (id INTEGER PRIMARY KEY AUTOINCREMENT);
CREATE TABLE library_book (
    id INTEGER PRIMARY KEY AUTOINCREMENT, shelf_id INTEGER NOT NULL REFERENCES library_shelf);
CREATE INDEX book_shelf ON library_book (shelf_id);
INSERT INTO library_shelf VALUES (1), (2);
INSERT INTO library_book VALUES (1, 1), (2, 1), (3, 2);
"""


def main():
    program, plugin = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "library.db"
        with sqlite3.connect(path) as database:
            database.executescript(SCHEMA)
        database.close()

        def winnow(*words):
            line = [program, "--plugin", plugin, "--database", f"sqlite:{path}", "--json", *words]
            done = subprocess.run(line, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(f"{' '.join(line)}: {done.returncode}\n{done.stdout}{done.stderr}")
            return json.loads(done.stdout)

        winnow("migrate")
        planned = winnow("plan", "library.Shelf", "1")["total"]
        winnow("schedule", "library.Shelf", "1", "--in", "0d")
        gone = sum(one["rows"] for one in winnow("deletions", "run")["deletions"])
        with sqlite3.connect(path) as database:
            left = database.execute("SELECT (SELECT count(*) FROM library_shelf), (SELECT count(*) FROM library_book)")
            left = left.fetchone()
        database.close()
        print(f"planned {planned}, gone {gone}, left {left}")
        return 0 if (planned, gone, left) == (3, 3, (1, 1)) else 1


if __name__ == "__main__":
    sys.exit(main())
