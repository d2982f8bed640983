#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what `bench --json` wrote: one SVG for each kind of work, database and scale.

    plot.py FOLDER FILE.json...
"""

import html
import json
import pathlib
import sys

BAR, GAP, LEFT, ROOM = 20, 10, 215, 300
# Right edges of the columns of numbers beside the bars, and their headings.
COLUMNS = ((605, "rows/s"), (680, "÷ winnow"), (825, "longest transaction s"), (955, "time s, all rounds"))
WIDTH = 965
TOP = 72

# Two shades each, so that text and bars can be read on white and on black.
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600; font-size: 15px }
.note { font-size: 12px; fill: #57606a }
.bar { fill: #8c959f }
.winnow { fill: #0969da }
.axis { stroke: #d0d7de }
.grid { stroke: #d0d7de; stroke-dasharray: 2 4 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .note { fill: #9198a1 }
  .bar { fill: #6e7681 }
  .winnow { fill: #4493f8 }
  .axis { stroke: #3d444d }
  .grid { stroke: #3d444d }
}
"""


def figure(number):
    """A rate as people read it: 1 234 000 becomes 1.23 million, 123 456 becomes 123 500."""
    if number >= 1e6:
        return f"{number / 1e6:.2f} million"
    return f"{round(number, -2 if number >= 10_000 else 0):,.0f}".replace(",", "\u202f")


def ratio(number):
    """Three digits at the most."""
    return f"{number:.2f}" if number < 10 else f"{number:.0f}"


def step_of(most):
    """A round number that goes into `most` two to five times."""
    step = 10 ** (len(str(int(most))) - 1)
    while most / step > 5:
        step *= 2
    while most / step < 2:
        step /= 2
    return step


def plot(title, rows):
    """One horizontal bar for each variant, as long as its rate; the fastest comes first."""
    rows = sorted(rows, key=lambda row: -row["rate"])
    most = rows[0]["rate"]
    winnow = next((row["rate"] for row in rows if row["variant"] == "winnow"), None)
    bottom = TOP + len(rows) * (BAR + GAP)
    height = bottom + 46
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{html.escape(title)}">',
        f"<style>{STYLE}</style>",
        f'<text class="title" x="10" y="24">{html.escape(title)}</text>',
        f'<text class="note" x="{LEFT - 10}" y="{TOP - 16}" text-anchor="end">variant</text>',
    ]
    for edge, heading in COLUMNS:
        if winnow or heading != "÷ winnow":
            parts.append(f'<text class="note" x="{edge}" y="{TOP - 16}" text-anchor="end">{heading}</text>')
    step = step_of(most)
    for tick in range(int(most // step) + 1):
        x = LEFT + ROOM * tick * step / most
        kind = "axis" if tick == 0 else "grid"
        parts.append(f'<line class="{kind}" x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{bottom}"/>')
        parts.append(
            f'<text class="note" x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{figure(tick * step)}</text>'
        )
    parts.append(
        f'<text class="note" x="{LEFT + ROOM / 2}" y="{bottom + 34}" text-anchor="middle">rows per second, '
        f"median of {len(rows[0]['walls'])}</text>"
    )
    for at, row in enumerate(rows):
        y = TOP + at * (BAR + GAP)
        name = row["variant"] + (" (in part)" if row["partly"] else "")
        kind = "bar winnow" if row["variant"].startswith("winnow") else "bar"
        walls = row["walls"]
        spread = f"{min(walls):.2f}" if len(walls) == 1 else f"{min(walls):.2f} – {max(walls):.2f}"
        texts = (
            figure(row["rate"]),
            ratio(row["rate"] / winnow) if winnow else "",
            f"{row['longest']:.3f}",
            spread,
        )
        parts.append(f'<text x="{LEFT - 10}" y="{y + 15}" text-anchor="end">{html.escape(name)}</text>')
        length = max(1, ROOM * row["rate"] / most)
        parts.append(f'<rect class="{kind}" x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" rx="2"/>')
        for (edge, _), text in zip(COLUMNS, texts):
            parts.append(f'<text x="{edge}" y="{y + 15}" text-anchor="end">{text}</text>')
    parts.append("</svg>\n")
    return "\n".join(parts)


def main(folder, files):
    groups = {}
    for file in files:
        for row in json.loads(pathlib.Path(file).read_text(encoding="utf-8")):
            groups.setdefault((row["work"], row["on"], row["scale"]), []).append(row)
    names = {"postgres": "PostgreSQL", "sqlite": "SQLite"}
    for (work, on, scale), rows in groups.items():
        title = f"{work.capitalize()} on {names[on]}, {scale}"
        target = pathlib.Path(folder) / f"{work}_{on}_{scale}.svg"
        target.write_text(plot(title, rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
