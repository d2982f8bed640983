#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the templates that declaring, proving and using models instantiates, and holds them against a recorded number.

    instantiations.py COMPILER INCLUDE... [--renew]

COMPILER is a clang; INCLUDE are folders with headers. For 1, 40 and 120 models (see generate.py), once only declared and
proved, once with plans, clang's time trace names each class and each function template that it instantiated. Their
numbers are the same in every run, so that they can be tested where time cannot. More or less than 5 % away from what
instantiations.json says is a failure; --renew writes that file anew. Ends with 77 where there is nothing to compare
with: another compiler or standard library than the numbers were recorded with.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECORDED = HERE / "instantiations.json"
SKIPPED = 77
ALLOWED = 0.05
KINDS = {"classes": b'"name":"InstantiateClass"', "functions": b'"name":"InstantiateFunction"'}


def tools(compiler):
    """What the numbers depend on besides our headers."""
    given = subprocess.run(
        [compiler, "-std=c++20", "-E", "-dM", "-x", "c++", "-"],
        input="#include <version>\n",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    macros = dict(line.split(" ", 2)[1:] for line in given.splitlines() if line.count(" ") > 1)
    library = "libstdc++ " + macros["_GLIBCXX_RELEASE"] if "_GLIBCXX_RELEASE" in macros else "another library"
    return {"compiler": "clang " + macros.get("__clang_major__", "?"), "library": library}


def count(compiler, includes, models, declare_only):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "load.cpp"
        trace = pathlib.Path(folder) / "trace.json"
        generate = [sys.executable, "-B", HERE / "generate.py", str(models)]
        source.write_bytes(
            subprocess.run(generate + ["--declare-only"] * declare_only, capture_output=True, check=True).stdout
        )
        options = [f"-I{folder}" for folder in includes]
        options += ["-Xclang", f"-ftime-trace={trace}", "-Xclang", "-ftime-trace-granularity=0"]
        subprocess.run([compiler, "-std=c++20", "-fsyntax-only", *options, source], check=True)
        text = trace.read_bytes()
        return {kind: text.count(event) for kind, event in KINDS.items()}


def main():
    arguments = argparse.ArgumentParser(description="Counts template instantiations.")
    arguments.add_argument("compiler")
    arguments.add_argument("includes", nargs="+", metavar="INCLUDE")
    arguments.add_argument("--renew", action="store_true", help="record the numbers that are found")
    given = arguments.parse_args()
    found = {"tools": tools(given.compiler), "instantiations": {}}
    recorded = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    if not given.renew and recorded.get("tools") != found["tools"]:
        print(f"skipped: the numbers were recorded with {recorded.get('tools')}, and here is {found['tools']}")
        return SKIPPED
    faults = []
    for models in 1, 40, 120:
        for declare_only in True, False:
            name = f"{models} models, {'declared and proved' if declare_only else 'with plans'}"
            numbers = count(given.compiler, given.includes, models, declare_only)
            found["instantiations"][name] = numbers
            if given.renew:
                print(f"{name}: {numbers}")
                continue
            for kind, number in numbers.items():
                was = recorded["instantiations"].get(name, {}).get(kind, 0)
                change = (number - was) / max(was, 1)
                print(f"{name}: {number} {kind}, recorded {was} ({change:+.1%})")
                if abs(change) > ALLOWED:
                    faults.append(f"{name}: {number} {kind} are instantiated, {was} are recorded")
    if given.renew:
        RECORDED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(f"written: {RECORDED}")
    elif faults:
        print("\n".join(["", *faults]))
        words = " ".join([given.compiler, *given.includes])
        print(
            "\nWhat to do: if more is instantiated, see whether a template can do with fewer types, or work become a plain "
            f"constexpr function. If the change is meant, run\n    tests/compile_time/instantiations.py {words} --renew\n"
            "and commit tests/compile_time/instantiations.json with the change."
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
