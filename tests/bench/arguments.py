#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts a program or a script with arguments that it must refuse, and with --help: `arguments.py PROGRAM [VALUES]`.

It has to say in one line what is wrong and end with 2, before it measures or installs anything; its help names it and
ends with 0. VALUES is an argument with a value that is of the wrong kind, as `--rounds=many`.
"""

import subprocess
import sys

program, wrong_values = sys.argv[1], sys.argv[2:]


def run(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL)


faults = []
helped = run("--help")
if helped.returncode != 0 or program.rsplit("/", 1)[-1] not in helped.stdout or helped.stderr:
    faults.append(f"--help: ended with {helped.returncode} and said:\n{helped.stdout}{helped.stderr}")
for arguments in [["--no-such-argument"], ["stray"], ["--no-such-argument", "1"], *([one] for one in wrong_values)]:
    refused = run(*arguments)
    said = refused.stderr.splitlines()
    if refused.returncode != 2 or len(said) != 1 or refused.stdout:
        faults.append(f"{' '.join(arguments)}: ended with {refused.returncode} and said:\n{refused.stdout}{refused.stderr}")
    elif arguments[0].split("=")[0].lstrip("-") not in said[0]:
        faults.append(f"{' '.join(arguments)}: the line does not name it: {said[0]}")
print("\n".join(faults))
sys.exit(1 if faults else 0)
