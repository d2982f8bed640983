#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a file of the project names a path of somebody's machine.

    check_paths.py [ROOT]
"""
import re
import subprocess
import sys
from pathlib import Path

# Spelled in pieces, so that this file passes its own check.
MACHINE_PATH = re.compile(rb"(?<![\w.$}])/" + rb"(?:work|root|home|Users|mnt)" + rb"/[\w.]|[A-Z]:\\+Users\\")


def files_of(root):
    command = ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z", "--cached", "--others",
               "--exclude-standard"]
    try:
        listed = subprocess.run(command, check=True, capture_output=True).stdout
        return [root / name.decode() for name in listed.split(b"\0") if name]
    except (OSError, subprocess.CalledProcessError):
        return [path for path in root.rglob("*")
                if not {".git", "build"} & set(path.relative_to(root).parts)]


def findings_in(root):
    findings = []
    for path in files_of(root):
        if not path.is_file():
            continue
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
            if MACHINE_PATH.search(line):
                text = line.strip()[:120].decode(errors="replace")
                findings.append(f"{path.relative_to(root)}:{number}: names a path of one machine: {text}")
    return findings


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    findings = findings_in(root)
    for finding in findings:
        print(finding)
    print(f"{len(files_of(root))} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
