#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the include lines of include/winnow and fails on what the architecture forbids.

    check_layers.py [ROOT]

Prints each finding on a line of its own, then the sizes of the headers. Exit code 1 on any finding.
"""
import re
import statistics
import sys
from pathlib import Path

# Folder -> folders that its headers may include, besides their own. "" is include/winnow itself.
ALLOWED = {
    "core": set(),
    "plan": {"core"},
    "sql": {"core", "plan"},
    "model": {"core", "plan", "sql"},
    "store": {"core", "plan"},
    "registry": {"core", "plan", "model"},
    "context": {"core", "plan", "store"},
    "derive": {"core", "plan", "sql", "model", "registry"},
    "deletion": {"core", "plan", "store", "context"},
    "remote": {"core", "plan", "store", "context"},
    "outbox": {"core", "plan", "store", "context"},
    "backfill": {"core", "plan", "store", "context"},
    "runtime": {"core", "plan", "store", "context", "deletion", "remote", "outbox", "backfill"},
    "abi": set(),
    "plugin": {"core", "abi", "plan", "store", "context"},
    "cli": {"core", "abi", "plan", "store", "context", "deletion", "remote", "outbox", "backfill", "runtime", "plugin",
            "metrics"},
    "metrics": {"core", "plan", "store", "context"},
    # What the page shows is what the commands print.
    "web": {"core", "plan", "store", "context", "deletion", "remote", "outbox", "backfill", "runtime", "plugin",
            "metrics", "cli"},
    # Helpers of users' own tests.
    "testing": {"core", "plan", "sql", "model", "registry", "derive", "store", "context", "deletion", "backfill"},
    "": {"core", "plan", "sql", "model", "registry", "derive", "store", "context", "deletion", "remote", "outbox",
         "backfill", "runtime"},
}
# Single headers that may include more than their folder.
ALLOWED_EXTRA = {
    "cli/main.hpp": {"derive", "registry", "model"},
    "cli/run_complete_program.hpp": {"web"},
    # The command that serves the page, and the program that has it.
    "cli/commands/serve.hpp": {"web", "metrics"},
    # The plugin's side of the contract: a plugin is built from a registry.
    "plugin/export.hpp": {"derive", "registry", "model"},
}
# These never reach a model type, not even through another header.
RUN_TIME = {"store", "context", "deletion", "remote", "outbox", "backfill", "runtime", "plugin", "metrics", "cli", "web"}
COMPILE_TIME = {"sql", "model", "registry", "derive"}

# Third-party include -> headers, or folders ending in a slash, that may have it.
THIRD_PARTY = [
    (r"pqxx/", {"store/postgres_library.hpp"}),
    (r"sqlite3\.h$", {"store/sqlite.hpp"}),
    (r"hiredis/", {"store/redis.hpp"}),
    (r"boost/describe", {"model/describe.hpp"}),
    (r"boost/hana\.hpp$", set()),
    (r"boost/hana/", {"model/", "registry/"}),
    (r"CLI/", {"cli/arguments.hpp"}),
    (r"nlohmann/", {"cli/"}),
    (r"httplib\.h$", {"web/server.hpp"}),
    (r"prometheus/", {"metrics/prometheus_text.hpp"}),
    (r"spdlog/", {"cli/"}),
    (r"(stddef|stdint)\.h$", {"abi/"}),
    (r"(dlfcn|elf|link)\.h$", {"plugin/"}),
]
# Standard headers that are too heavy for what every user of models includes.
HEAVY = {"iostream", "regex", "format", "functional", "map", "unordered_map", "sstream", "fstream", "thread", "future"}
LIGHT_FOLDERS = {"core", "plan", "sql", "model", "registry", "derive"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# `inline` variable that is not constexpr: an object per process, or per library. Functions have a parenthesis.
INLINE_VARIABLE = re.compile(r"^\s*(?:static\s+)?inline\s+(?!constexpr\b|constinit\s+const\b|namespace\b)(?!.*operator)[^(]*[;={]")
MAX_LINES = 400


def folder_of(name):
    return name.split("/")[0] if "/" in name else ""


def excused_sizes(root):
    """Headers that docs/style.md names, with a reason, as longer than the limit: "- `store/x.hpp` is long because …"."""
    style = root / "docs" / "style.md"
    text = style.read_text(encoding="utf-8") if style.exists() else ""
    return set(re.findall(r"^- `([a-z_/]+\.hpp)` is long because \S", text, re.MULTILINE))


def cycle_in(graph):
    """One cycle as a list of names, or None."""
    state = {}
    for start in sorted(graph):
        if start in state:
            continue
        path, stack = [start], [iter(sorted(graph[start]))]
        state[start] = "open"
        while stack:
            following = next(stack[-1], None)
            if following is None:
                state[path.pop()] = "done"
                stack.pop()
            elif state.get(following) == "open":
                return path[path.index(following):] + [following]
            elif following not in state and following in graph:
                state[following] = "open"
                path.append(following)
                stack.append(iter(sorted(graph[following])))
    return None


def reachable(graph, start):
    found, todo = set(), [start]
    while todo:
        for following in graph.get(todo.pop(), ()):
            if following not in found:
                found.add(following)
                todo.append(following)
    return found


def findings_in(root):
    base = root / "include" / "winnow"
    findings = []
    headers = {str(path.relative_to(base)): path.read_text(encoding="utf-8").splitlines()
               for path in sorted(base.rglob("*")) if path.is_file()}
    graph = {name: set() for name in headers}
    excused = excused_sizes(root)

    for name, lines in headers.items():
        folder = folder_of(name)
        if folder not in ALLOWED:
            findings.append(f"{name}: the folder {folder} has no rank; give it one in tests/layering/check_layers.py")
            continue
        if "detail" in Path(name).parts:
            findings.append(f"{name}: no detail folders; a helper of one header belongs into it, of two gets a name")
        # The plugin contract is C11.
        ending, first, guard = (".h", "/* SPDX-License-Identifier: Apache-2.0 */",
                                f"#define WINNOW_ABI_{Path(name).stem.upper()}_H") if folder == "abi" else \
            (".hpp", "// SPDX-License-Identifier: Apache-2.0", "#pragma once")
        if not name.endswith(ending) or folder == "abi" and name.endswith(".hpp"):
            findings.append(f"{name}: headers here end in {ending}")
        if not lines or lines[0] != first:
            findings.append(f"{name}:1: the first line is `{first}`")
        if guard not in lines:
            findings.append(f"{name}: `{guard}` is missing")
        if len(lines) > MAX_LINES and name not in excused:
            findings.append(f"{name}: {len(lines)} lines, more than {MAX_LINES}, and docs/style.md does not say why")
        allowed = {folder} | ALLOWED[folder] | ALLOWED_EXTRA.get(name, set())
        for number, line in enumerate(lines, 1):
            where = f"{name}:{number}"
            if INLINE_VARIABLE.match(line):
                findings.append(f"{where}: an inline variable that is not constexpr: pass the object instead")
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, target = match.groups()
            if target.startswith("winnow/"):
                target = target.removeprefix("winnow/")
                if quote != '"':
                    findings.append(f"{where}: our own headers are included with quotes")
                if target not in headers:
                    findings.append(f"{where}: winnow/{target} does not exist")
                    continue
                graph[name].add(target)
                if folder_of(target) not in allowed:
                    to = folder_of(target) or "the root headers"
                    findings.append(f"{where}: {folder or 'a root header'} must not include {to} (winnow/{target})")
            elif quote == '"':
                findings.append(f"{where}: \"{target}\": our own headers are included as \"winnow/…\"")
            elif "/" in target or target.endswith(".h"):
                for pattern, users in THIRD_PARTY:
                    if re.match(pattern, target):
                        if name not in users and folder + "/" not in users:
                            homes = ", ".join(sorted(users)) or "nobody"
                            findings.append(f"{where}: <{target}> belongs to {homes}")
                        break
                else:
                    if not re.match(r"(sys/|arpa/inet\.h|poll\.h|unistd\.h|signal\.h|fcntl\.h|time\.h|stdlib\.h)", target):
                        findings.append(f"{where}: <{target}> has no home; give it one in tests/layering/check_layers.py")
            elif target in HEAVY and folder in LIGHT_FOLDERS:
                findings.append(f"{where}: <{target}> is too heavy for {folder}, which every user of models includes")

    cycle = cycle_in(graph)
    if cycle:
        findings.append("include cycle: " + " -> ".join(cycle))
    for name in sorted(graph):
        if folder_of(name) in RUN_TIME and name not in ALLOWED_EXTRA:
            for reached in sorted(reachable(graph, name)):
                if folder_of(reached) in COMPILE_TIME:
                    findings.append(f"{name}: reaches {reached}; what runs knows plans, never models")
    return findings, headers


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    findings, headers = findings_in(root)
    for finding in findings:
        print(finding)
    sizes = sorted(len(lines) for lines in headers.values())
    if sizes:
        p90 = sizes[min(len(sizes) - 1, round(0.9 * (len(sizes) - 1)))]
        print(f"{len(sizes)} headers, {sum(sizes)} lines: median {statistics.median(sizes):.0f}, p90 {p90}, max {sizes[-1]}")
    print(f"{len(findings)} findings")
    return 1 if findings or not sizes else 0


if __name__ == "__main__":
    sys.exit(main())
