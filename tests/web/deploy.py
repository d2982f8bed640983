#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""deploy.py SOURCE: the files of examples/deploy are what their readers accept, and speak of metrics that there are."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = sys.argv[1]
DEPLOY = os.path.join(SOURCE, "examples", "deploy")


def text_of(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def known_metrics():
    names = re.findall(r'\{"([a-z_.]+)",\s*metric_kind::(\w+)', text_of(SOURCE, "include", "winnow", "metrics", "names.hpp"))
    known = set()
    for name, kind in names:
        name = name.replace(".", "_")
        known |= {name + ending for ending in ("_bucket", "_sum", "_count")} if kind == "histogram" else {name}
    return known


def metrics_in(expression):
    without = re.sub(r'"[^"]*"|\{[^}]*\}|\b(by|on|without)\s*\([^)]*\)|\$\w+', "", expression)
    return {word for word in re.findall(r"[a-z][a-z_]+", without) if word.startswith(("winnow_", "deletions_", "outbox_", "deliver_", "backfill_"))}


class Files(unittest.TestCase):
    def test_alerts(self):
        alerts = text_of(DEPLOY, "alerts.yaml")
        used = set().union(*(metrics_in(line.split("expr:", 1)[1]) for line in alerts.splitlines() if "expr:" in line))
        self.assertGreater(len(used), 8)
        self.assertEqual(used - known_metrics(), set())
        self.assertEqual(alerts.count("- alert:"), alerts.count("action:"), "each says what to do")
        if shutil.which("promtool"):
            for what, file in (("rules", "alerts.yaml"), ("config", "prometheus.yaml")):
                done = subprocess.run(["promtool", "check", what, file], cwd=DEPLOY, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_dashboard(self):
        dashboard = json.loads(text_of(DEPLOY, "grafana_dashboard.json"))
        used = set().union(*(metrics_in(target["expr"]) for panel in dashboard["panels"] for target in panel["targets"]))
        self.assertGreater(len(used), 12)
        self.assertEqual(used - known_metrics(), set())
        places = [(p["gridPos"]["x"], p["gridPos"]["y"]) for p in dashboard["panels"]]
        self.assertEqual(len(places), len(set(places)))

    def test_units(self):
        for name in ("winnow-worker.service", "winnow-serve.service"):
            unit = text_of(DEPLOY, name)
            for section in ("[Unit]", "[Service]", "[Install]"):
                self.assertIn(section, unit)
            self.assertRegex(unit, r"(?m)^ExecStart=/usr/bin/winnow (worker|serve) ")
            if not shutil.which("systemd-analyze"):
                continue
            # It looks whether the program is there, which it need not be here.
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(unit.replace("/usr/bin/winnow", "/bin/true").replace("man:winnow(1)", "https://winnow.invalid"))
                done = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True, check=False)
                told = [line for line in done.stderr.splitlines() if name in line]
                self.assertEqual(told, [])

    def test_container_file(self):
        lines = [line for line in text_of(DEPLOY, "Containerfile").splitlines() if line and not line.startswith("#")]
        words = {line.split()[0] for line in lines if not line.startswith(" ")}
        self.assertEqual(words, {"FROM", "RUN", "COPY", "ARG", "USER", "ENV", "EXPOSE", "STOPSIGNAL", "ENTRYPOINT", "CMD"})
        self.assertRegex(text_of(DEPLOY, "Containerfile"), r"(?m)^USER 10001$")
        # What a build takes is what the scripts install.
        needed = set(re.search(r"packages_to_build=\((.*?)\)", text_of(SOURCE, "cmake", "require_packages.sh"), re.DOTALL)[1].split())
        self.assertLessEqual(needed - {"ccache"}, set(text_of(DEPLOY, "Containerfile").split()))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
