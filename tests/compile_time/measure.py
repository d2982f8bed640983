#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What declaring models costs a compiler.

measure.py time [COMPILER...]     seconds of user and system time, best of five: an empty file with <string> and
                                  Boost.Describe, the same for winnow.hpp and 5 models, 40 and 120 models with plans
measure.py count COMPILER         templates that a clang instantiates for 1, 40 and 120 models with plans
measure.py check COMPILER         the same, compared with counts.json; fails if one has grown by more than 5 %
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
BASELINE = HERE / "counts.json"
TOLERANCE = 1.05


def source(folder, models, *options):
    path = folder / f"models_{models}{'_'.join(options)}.cpp"
    with open(path, "w", encoding="utf-8") as out:
        subprocess.run([sys.executable, HERE / "generate.py", str(models), *options], stdout=out, check=True)
    return path


def build(compiler, path, *options):
    """Seconds that one compilation takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([compiler, "-std=c++20", "-O0", f"-I{INCLUDE}", "-c", path, "-o", path.with_suffix(".o"), *options],
                   check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def time(folder, compilers):
    empty = folder / "empty.cpp"
    empty.write_text("#include <string>\n#include <boost/describe.hpp>\n", encoding="utf-8")
    files = {
        "<string> and Describe": empty,
        "5 models, proved": source(folder, 5, "--declare-only"),
        "5 models with plans": source(folder, 5),
        "40 models with plans": source(folder, 40),
        "120 models, proved": source(folder, 120, "--declare-only"),
        "120 models with plans": source(folder, 120),
    }
    for compiler in compilers:
        base = None
        for name, path in files.items():
            best = min(build(compiler, path) for _ in range(5 if "120" not in name else 2))
            base = base or best
            print(f"{compiler:12} {name:24} {best:6.2f} s {best / base:6.1f} x", flush=True)


def count(folder, compiler):
    counts = {}
    for models in (1, 40, 120):
        path = source(folder, models)
        build(compiler, path, "-ftime-trace", "-ftime-trace-granularity=0")
        trace = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        counts[str(models)] = sum(
            event["name"] in ("InstantiateClass", "InstantiateFunction") for event in trace["traceEvents"]
        )
    return counts


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in ("time", "count", "check"):
        sys.exit(__doc__)
    task, compilers = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory(prefix="winnow-compile-time-") as name:
        folder = pathlib.Path(name)
        if task == "time":
            time(folder, compilers or ["g++", "clang++-19"])
            return
        counts = count(folder, compilers[0])
        if task == "count":
            print(json.dumps(counts, indent=4))
            return
        known = json.loads(BASELINE.read_text(encoding="utf-8"))
        grown = [f"{m} models: {counts[m]} templates are instantiated, recorded are {known[m]}"
                 for m in known if counts[m] > known[m] * TOLERANCE]
        print("\n".join(grown) or f"instantiated templates: {counts}, recorded: {known}")
        if grown:
            sys.exit(f"If the growth is wanted: {os.path.relpath(__file__)} count {compilers[0]} > {BASELINE.name}")


main()
