#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds what `bench --json` wrote against the goals: prints a table in Markdown.

    goals.py [--json FILE] FILE.json...

Each goal is a ratio of two medians of one run, or a figure of one variant. `must` is what winnow promises, `aim` what
would be as good as the best that is known to be possible by hand. A goal whose figures were not measured is left out.
"""

import argparse
import json
import pathlib
import sys

AT_MOST, AT_LEAST = "≤", "≥"


class Figures:
    """What was measured, by database, work, scale and variant."""

    def __init__(self, rows):
        self.rows = {(row["on"], row["work"], row["scale"], row["variant"]): row for row in rows}

    def of(self, on, work, scale, variant):
        return self.rows[on, work, scale, variant]

    def fastest(self, on, work, scale, variants):
        """The row with the best rate among those variants that were measured."""
        found = [self.rows[key] for name in variants if (key := (on, work, scale, name)) in self.rows]
        if not found:
            raise KeyError(variants)
        return max(found, key=lambda row: row["rate"])


def deletion(name, scale, over, must, aim):
    """Wall time of winnow over that of another variant."""
    return (
        f"deletion, {scale}: time ÷ {name}",
        lambda f: f.of("postgres", "deletion", scale, "winnow")["wall"]
        / f.of("postgres", "deletion", scale, over)["wall"],
        AT_MOST,
        must,
        aim,
    )


def of_winnow(title, scale, figure, must, aim, variant="winnow"):
    return (
        f"deletion, {scale}: {title}",
        lambda f: figure(f.of("postgres", "deletion", scale, variant)),
        AT_MOST,
        must,
        aim,
    )


def rate(on, work, title, variant, over, must, aim, scale="s1"):
    """Rate of winnow over that of another variant."""
    return (
        f"{work}, {scale}: rate ÷ {title}",
        lambda f: f.of(on, work, scale, variant)["rate"] / f.of(on, work, scale, over)["rate"],
        AT_LEAST,
        must,
        aim,
    )


def on_sqlite(work, title, by_hand):
    return (
        f"{work} on SQLite, s1: time ÷ {title}",
        # Of rates, as the variants may have done different amounts of work.
        lambda f: f.fastest("sqlite", work, "s1", by_hand)["rate"] / f.of("sqlite", work, "s1", "winnow")["rate"],
        AT_MOST,
        1.2,
        1.0,
    )


def large(figure):
    """A figure of winnow at the largest scale that was measured, over that at s2."""

    def value(f):
        return figure(f.of("postgres", "deletion", "s30", "winnow")) / figure(f.of("postgres", "deletion", "s2", "winnow"))

    return value


def goals():
    snapshot = "winnow, old snapshot"
    sets = "sets of 10 000"
    yield deletion("parent sets", "s1", "parent sets", 1.10, 0.90)
    yield deletion("one statement", "s1", "one statement", 1.5, 1.2)
    yield deletion("one statement", "s2", "one statement", 1.0, 0.8)
    yield (
        "deletion: rows/s at s2 ÷ rows/s at s1",
        lambda f: f.of("postgres", "deletion", "s2", "winnow")["rate"]
        / f.of("postgres", "deletion", "s1", "winnow")["rate"],
        AT_LEAST,
        1.0,
        1.5,
    )
    for scale in "s1", "s2":
        yield of_winnow("longest transaction, s", scale, lambda row: row["longest"], 0.25, 0.10)
    for scale in "s1", "s2":
        yield (
            f"deletion, {scale}: time with an old snapshot ÷ without",
            lambda f, scale=scale: f.of("postgres", "deletion", scale, snapshot)["wall"]
            / f.of("postgres", "deletion", scale, "winnow")["wall"],
            AT_MOST,
            1.1,
            1.05,
        )
    for scale in "s1", "s2":
        yield of_winnow("client CPU, % of time", scale, lambda row: 100 * row["cpu"] / row["wall"], 5, 2)
    for scale in "s1", "s2":
        yield of_winnow("client memory, MB", scale, lambda row: row["memory"] / 1024, 32, 16)
    yield (
        "deletion: client memory at s2 ÷ at s1",
        lambda f: f.of("postgres", "deletion", "s2", "winnow")["memory"]
        / f.of("postgres", "deletion", "s1", "winnow")["memory"],
        AT_MOST,
        1.1,
        1.05,
    )
    yield rate("postgres", "deletion", "row by row, a hook on each", "winnow, a hook on each row", "row by row", 10, 20)
    yield rate("postgres", "backfill", "one INSERT by id", "winnow", "one INSERT, by id", 0.85, 1.2)
    yield rate("postgres", "backfill", "row by row", "winnow", "row by row", 70, 100)
    yield rate("postgres", "backfill", "object mapper", "winnow", "object mapper", 70, 100)
    yield rate("postgres", "drain", "raw, one connection", "winnow", "raw COPY and DELETE", 0.40, 0.48)
    yield rate("postgres", "drain", "raw, two connections", "winnow, two workers", "raw COPY and DELETE", 0.60, 0.75)
    yield rate("postgres", "drain", "message by message", "winnow", "message by message", 150, 190)
    yield rate("postgres", "drain", "object mapper", "winnow", "object mapper", 150, 190)
    yield on_sqlite("deletion", "fastest by hand", ["one statement", "by table", "parent sets", "limit loop"])
    yield on_sqlite("backfill", "fastest by hand", ["one INSERT, by id", "one INSERT, by shard", sets])
    yield on_sqlite("drain", "fastest by hand", ["raw sets and DELETE", sets])
    # One statement for everything keeps other writers out of the file for a second and more.
    for work in "backfill", "drain":
        yield on_sqlite(work, "fastest by hand with short transactions", [sets])
    yield ("deletion: rows/s at s30 ÷ rows/s at s2", large(lambda row: row["rate"]), AT_LEAST, 0.8, 1.0)
    yield ("deletion: client memory at s30 ÷ at s2", large(lambda row: row["memory"]), AT_MOST, 1.1, 1.05)
    yield of_winnow("longest transaction, s", "s30", lambda row: row["longest"], 0.25, 0.10)


def judge(rows):
    """What was measured for each goal, in the goals' order."""
    figures = Figures(rows)
    judged = []
    for title, value_of, way, must, aim in goals():
        try:
            value = value_of(figures)
        except KeyError:
            continue

        def reached(bar, value=value, way=way):
            return value <= bar if way == AT_MOST else value >= bar

        judged.append(
            {
                "goal": title,
                "measured": value,
                "way": way,
                "must": must,
                "met": reached(must),
                "aim": aim,
                "aim_reached": reached(aim),
            }
        )
    return judged


def digits(number):
    """Three digits that count."""
    return f"{number:.3f}" if number < 1 else f"{number:.2f}" if number < 10 else f"{number:.1f}"


def as_markdown(judged):
    lines = ["| goal | measured | must | met | aim | reached |", "| --- | --- | --- | --- | --- | --- |"]
    for one in judged:
        lines.append(
            f"| {one['goal']} | {digits(one['measured'])} | {one['way']} {one['must']:g} | "
            f"{'yes' if one['met'] else '**no**'} | {one['way']} {one['aim']:g} | {'yes' if one['aim_reached'] else 'no'} |"
        )
    met = sum(one["met"] for one in judged)
    lines.append("")
    lines.append(f"{met} of {len(judged)} met.")
    return "\n".join(lines) + "\n"


def main():
    arguments = argparse.ArgumentParser(description="Holds figures against the goals.")
    arguments.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE.json", help="what bench --json wrote")
    arguments.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the goals there as well")
    given = arguments.parse_args()
    rows = []
    for file in given.files:
        rows += json.loads(file.read_text(encoding="utf-8"))
    judged = judge(rows)
    if given.json:
        given.json.write_text(json.dumps(judged, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.stdout.write("goals\n\n" + as_markdown(judged))


if __name__ == "__main__":
    main()
