#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""goals.py and plot.py on figures that were made up."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import goals
import plot

HERE = pathlib.Path(__file__).parent


def row(variant, rate, on="postgres", work="deletion", scale="s1", **more):
    made = {"on": on, "work": work, "scale": scale, "variant": variant, "rate": rate, "rows": 1000}
    made |= {"wall": 1000 / rate, "walls": [1000 / rate], "cpu": 0.0, "longest": 0.1, "memory": 10240, "partly": 0}
    return made | more


def judged(*rows):
    return {one["goal"]: one for one in goals.judge(rows)}


class Goals(unittest.TestCase):
    def test_a_ratio_is_held_against_its_bar(self):
        found = judged(row("winnow", 100), row("parent sets", 109))["deletion, s1: time ÷ parent sets"]
        self.assertAlmostEqual(found["measured"], 1.09)
        self.assertTrue(found["met"])
        self.assertFalse(found["aim_reached"])
        found = judged(row("winnow", 100), row("parent sets", 111))["deletion, s1: time ÷ parent sets"]
        self.assertFalse(found["met"])

    def test_a_rate_has_to_be_at_least_its_bar(self):
        for rate, met, reached in ((39, False, False), (41, True, False), (49, True, True)):
            found = judged(row("winnow", rate, work="drain"), row("raw COPY and DELETE", 100, work="drain"))
            one = found["drain, s1: rate ÷ raw, one connection"]
            self.assertEqual((one["met"], one["aim_reached"]), (met, reached), rate)

    def test_what_was_not_measured_is_left_out(self):
        self.assertEqual(judged(row("parent sets", 100)), {})
        self.assertNotIn("deletion: rows/s at s2 ÷ rows/s at s1", judged(row("winnow", 100)))

    def test_scales_are_compared(self):
        found = judged(row("winnow", 100), row("winnow", 150, scale="s2", memory=20480))
        self.assertAlmostEqual(found["deletion: rows/s at s2 ÷ rows/s at s1"]["measured"], 1.5)
        self.assertFalse(found["deletion: client memory at s2 ÷ at s1"]["met"])

    def test_on_sqlite_the_fastest_by_hand_counts(self):
        found = judged(*(row(name, rate, on="sqlite") for name, rate in
                         (("winnow", 100), ("by table", 50), ("parent sets", 130), ("limit loop", 10))))
        self.assertAlmostEqual(found["deletion on SQLite, s1: time ÷ fastest by hand"]["measured"], 1.3)

    def test_the_command_writes_both_forms(self):
        with tempfile.TemporaryDirectory() as folder:
            figures = pathlib.Path(folder) / "figures.json"
            figures.write_text(json.dumps([row("winnow", 100), row("one statement", 200)]), encoding="utf-8")
            written = pathlib.Path(folder) / "goals.json"
            said = subprocess.run([sys.executable, "-B", HERE / "goals.py", "--json", written, figures],
                                  capture_output=True, text=True, check=True).stdout
            self.assertIn("| deletion, s1: time ÷ one statement | 2.00 | ≤ 1.5 | **no** | ≤ 1.2 | no |", said)
            named = [one["goal"] for one in json.loads(written.read_text(encoding="utf-8"))]
            self.assertIn("deletion, s1: time ÷ one statement", named)


class Plot(unittest.TestCase):
    def test_bars_are_sorted_and_labelled(self):
        drawn = plot.plot("A <title>", [row("row by row", 10), row("winnow", 1000), row("one statement", 1500)])
        root = xml.etree.ElementTree.fromstring(drawn)
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        names = [text for text in texts if text in ("one statement", "winnow", "row by row")]
        self.assertEqual(names, ["one statement", "winnow", "row by row"])
        for text in ("A <title>", "1.50", "1.00", "0.01", "rows per second, median of 1"):
            self.assertIn(text, texts)
        widths = [float(bar.get("width")) for bar in root.iter("{http://www.w3.org/2000/svg}rect")]
        self.assertEqual(widths, sorted(widths, reverse=True))

    def test_it_can_be_drawn_without_winnow(self):
        for rate in (0.4, 3, 999, 1_000_000, 7_654_321):
            drawn = plot.plot("t", [row("parent sets", rate)])
            ticks = [one for one in xml.etree.ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}line")]
            self.assertTrue(2 <= len(ticks) <= 7, (rate, len(ticks)))


unittest.main()
