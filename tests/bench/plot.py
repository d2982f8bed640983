#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what `bench --json` wrote: one SVG for each kind of work, database and scale.

    plot.py FOLDER FILE.json...
"""

import html
import json
import pathlib
import sys

BAR, GAP, LEFT, WIDTH = 20, 10, 210, 760

# Two shades each, so that text and bars can be read on white and on black.
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600; font-size: 15px }
.note { font-size: 12px; fill: #57606a }
.bar { fill: #8c959f }
.winnow { fill: #0969da }
.axis { stroke: #d0d7de }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .note { fill: #9198a1 }
  .bar { fill: #6e7681 }
  .winnow { fill: #4493f8 }
  .axis { stroke: #3d444d }
}
"""


def figure(number):
    """A rate as people read it: 1 234 000 becomes 1.2 million."""
    if number >= 1e6:
        return f"{number / 1e6:.1f} million/s"
    return f"{round(number, -2 if number >= 10_000 else 0):,.0f}/s".replace(",", "\u202f")


def plot(title, rows):
    """One horizontal bar for each variant, as long as its rate."""
    most = max(row["rate"] for row in rows)
    height = 78 + len(rows) * (BAR + GAP)
    room = WIDTH - LEFT - 230
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{html.escape(title)}">',
        f"<style>{STYLE}</style>",
        f'<text class="title" x="10" y="24">{html.escape(title)}</text>',
        '<text class="note" x="10" y="44">rows per second; beside it the longest transaction and the range over '
        "all rounds</text>",
    ]
    for at, row in enumerate(rows):
        y = 60 + at * (BAR + GAP)
        name = row["variant"] + (" (in part)" if row["partly"] else "")
        kind = "bar winnow" if row["variant"].startswith("winnow") else "bar"
        length = max(1, room * row["rate"] / most)
        spread = ""
        if len(row["walls"]) > 1:
            spread = f", {min(row['walls']):.2f}–{max(row['walls']):.2f} s"
        parts.append(f'<text x="{LEFT - 10}" y="{y + 15}" text-anchor="end">{html.escape(name)}</text>')
        parts.append(f'<rect class="{kind}" x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" rx="2"/>')
        parts.append(
            f'<text x="{LEFT + length + 8:.1f}" y="{y + 15}">{figure(row["rate"])}'
            f'<tspan class="note">  {row["longest"]:.2f} s{spread}</tspan></text>'
        )
    bottom = height - 18
    parts.append(f'<line class="axis" x1="{LEFT}" y1="56" x2="{LEFT}" y2="{bottom}"/>')
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
