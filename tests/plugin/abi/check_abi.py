#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The headers of the plugin contract: what they say of themselves, and their layout against that of every version before.

    check_abi.py [ROOT]             prints each finding on a line of its own; exit code 1 on any
    check_abi.py --renew [ROOT]     accepts the headers as they are: writes fingerprint.txt. Comments may have changed, layout not
    check_abi.py --record [ROOT]    the same, and writes the layout of a new version to previous/VERSION.json. Once for a version

- Every function pointer has @thread, @owner and @fails in the comment before it, every data pointer @owner beside it.
- A struct is frozen, or tells its size: by a first member `size`, or by the `item_size` of a list.
- Each header compiles alone, as C11 and as C++20, without a warning.
- The layout is that of previous/VERSION.json; older versions are the beginning of it, and constants keep their values.
- The headers are those of fingerprint.txt, so that no edit goes unnoticed.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RENEW = "tests/plugin/abi/check_abi.py --renew"
RECORD = "raise WINNOW_ABI_VERSION and run tests/plugin/abi/check_abi.py --record"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only"]
THREADS = ("loader", "worker", "any")

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
STRUCT = re.compile(r"(?P<before>(?:/\*(?:(?!\*/).)*\*/\s*)?)typedef struct (?P<name>\w+) \{(?P<body>.*?)^\} (?P=name);",
                    re.DOTALL | re.MULTILINE)
FUNCTION_TYPE = re.compile(r"(?P<before>/\*(?:(?!\*/).)*\*/)?\s*typedef [^;{}/]*?\(\*(?P<name>\w+)\)\s*\([^;]*\);", re.DOTALL)
POINTED_TO = re.compile(r"\(\*\s*(\w+)\)\s*\(")
ENUMERATOR = re.compile(r"\b(WINNOW_\w+)\s*=")
NUMBER = re.compile(r"^#define (WINNOW_\w+) (\(?[0-9][0-9a-fA-FxuU]*\)?)$", re.MULTILINE)
TEXT = re.compile(r'^#define (WINNOW_\w+) ("[^"]*")$', re.MULTILINE)


def abi_folder(root):
    return root / "include" / "winnow" / "abi"


def headers_of(root):
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(abi_folder(root).glob("*.h"))}


def without_comments(text):
    return re.sub(r"\s+", " ", COMMENT.sub(" ", text)).strip()


def members_of(body):
    """(comment before, declaration, comment behind on the same line) of each member; a union is one member."""
    at, depth, start = 0, 0, 0
    while at < len(body):
        if body.startswith("/*", at):
            at = body.index("*/", at) + 2
            continue
        depth += {"{": 1, "}": -1}.get(body[at], 0)
        if body[at] == ";" and depth == 0:
            piece = body[start:at + 1]
            behind = re.match(r"[ \t]*(/\*.*?\*/)", body[at + 1:], re.DOTALL)
            yield piece, without_comments(piece).rstrip(";").strip(), behind[1] if behind else ""
            start = at = at + 1 + (behind.end() if behind else 0)
            continue
        at += 1


def tags_missing(comment, tags):
    return [tag for tag in tags if not re.search(re.escape(tag) + r"\s+\w", comment)]


def name_of_member(declaration):
    pointed = POINTED_TO.search(declaration)
    return pointed[1] if pointed else re.search(r"(\w+)(?:\[\w*\])?$", declaration)[1]


def is_function(declaration):
    return POINTED_TO.search(declaration) is not None


def last_comment(piece):
    comments = COMMENT.findall(piece)
    return comments[-1] if comments else ""


def structs_in(headers):
    """name -> {"header", "comment", "members": [(piece, declaration, behind)]}"""
    found = {}
    for header, text in headers.items():
        for match in STRUCT.finditer(text):
            found[match["name"]] = {"header": header, "comment": match["before"], "members": list(members_of(match["body"]))}
    return found


def check_tags(headers):
    findings, functions, pointers = [], 0, 0

    def check_function(where, comment):
        missing = tags_missing(comment, ("@thread", "@owner", "@fails"))
        for tag in missing:
            findings.append(f"{where}: the comment before this function pointer lacks {tag}; see types.h for what it says")
        thread = re.search(r"@thread\s+(\w+)", comment)
        if thread and thread[1] not in THREADS:
            findings.append(f"{where}: @thread {thread[1]} is none of {', '.join(THREADS)}")

    def check_pointers(where, declaration, comments):
        nonlocal pointers
        if "*" not in declaration:
            return
        pointers += 1
        if tags_missing(comments, ("@owner",)):
            findings.append(f"{where}: the comment of this pointer lacks @owner: who owns it, and how long it may be used")

    for name, struct in structs_in(headers).items():
        for piece, declaration, behind in struct["members"]:
            if "{" in declaration:  # a union: each of its members
                inner = piece[piece.index("{") + 1:piece.rindex("}")]
                for _, inside, comment in members_of(inner):
                    check_pointers(f"{struct['header']}: {name}::{name_of_member(inside)}", inside, comment)
                continue
            where = f"{struct['header']}: {name}::{name_of_member(declaration)}"
            if is_function(declaration):
                functions += 1
                check_function(where, last_comment(piece))
            else:
                check_pointers(where, declaration, behind + last_comment(piece))
    for header, text in headers.items():
        for match in FUNCTION_TYPE.finditer(STRUCT.sub("", text)):
            functions += 1
            check_function(f"{header}: {match['name']}", match["before"] or "")
    return findings, functions, pointers


def check_sizes(headers):
    structs = structs_in(headers)
    items = set()
    for struct in structs.values():
        declarations = [declaration for _, declaration, _ in struct["members"]]
        if any(declaration == "size_t item_size" for declaration in declarations):
            items |= {match[1] for declaration in declarations
                      if (match := re.match(r"const (?:struct )?(\w+)\* items$", declaration))}
    findings = []
    for name, struct in structs.items():
        frozen = "Frozen" in struct["comment"] or name.endswith("_list")
        if not frozen and struct["members"][0][1] != "uint32_t size" and name not in items:
            findings.append(f"{struct['header']}: {name} is not frozen and tells no size: begin it with `uint32_t size`, put it "
                            "into a list with an item_size, or mark it Frozen")
    return findings


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def check_compiles(root, headers):
    findings = []
    c_compiler, cxx_compiler = os.environ.get("CC", "cc"), os.environ.get("CXX", "c++")
    include = f"-I{root / 'include'}"
    for header in headers:
        source = f'#include "winnow/abi/{header}"\n#include "winnow/abi/{header}"\ntypedef int not_empty;\n'
        for compiler, language, standard in ((c_compiler, "c", "c11"), (cxx_compiler, "c++", "c++20")):
            done = run([compiler, "-x", language, f"-std={standard}", *WARNINGS, include, "-"], input=source)
            if done.returncode != 0:
                first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip())
                findings.append(f"{header}: does not compile alone as {language} ({standard}): {first}")
    for header, text in headers.items():
        for included in re.findall(r'#\s*include\s*[<"]([^>"]+)[>"]', text):
            if not included.startswith("winnow/abi/") and included not in ("stddef.h", "stdint.h"):
                findings.append(f"{header}: includes {included}; the contract stands alone")
    return findings


def layout_of(root, headers):
    """Offsets and sizes as the C compiler has them, and the value of every constant. None where they do not compile."""
    structs = structs_in(headers)
    lines = ["#include <stdio.h>", '#include "winnow/abi/winnow.h"', "int main(void) {"]
    for name, struct in structs.items():
        lines.append(f'printf("struct {name} %zu\\n", sizeof({name}));')
        for _, declaration, _ in struct["members"]:
            member = name_of_member(declaration)
            lines.append(f'printf("member {name} {member} %zu %zu\\n", offsetof({name}, {member}), '
                         f"sizeof((({name}*)0)->{member}));")
    constants = sorted({name for text in headers.values() for name in
                        ENUMERATOR.findall(COMMENT.sub(" ", text)) + [found[0] for found in NUMBER.findall(text)]})
    for name in constants:
        lines.append(f'printf("constant {name} %lld\\n", (long long){name});')
    lines += ["return 0;", "}"]
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "layout.c", Path(folder) / "layout"
        source.write_text("\n".join(lines), encoding="utf-8")
        done = run([os.environ.get("CC", "cc"), "-std=c11", f"-I{root / 'include'}", str(source), "-o", str(program)])
        if done.returncode != 0:
            return None
        printed = run([str(program)]).stdout.splitlines()
    layout = {"pointer": 0, "structs": {}, "constants": {}, "texts": {}, "functions": {}}
    for line in printed:
        kind, *rest = line.split()
        if kind == "struct":
            layout["structs"][rest[0]] = {"size": int(rest[1]), "frozen": "Frozen" in structs[rest[0]]["comment"],
                                          "members": []}
        elif kind == "member":
            declaration = next(declaration for _, declaration, _ in structs[rest[0]]["members"]
                               if name_of_member(declaration) == rest[1])
            layout["structs"][rest[0]]["members"].append(
                {"name": rest[1], "offset": int(rest[2]), "size": int(rest[3]), "declaration": declaration})
        else:
            layout["constants"][rest[0]] = int(rest[1])
    layout["pointer"] = layout["structs"]["winnow_text"]["members"][0]["size"]
    for text in headers.values():
        layout["texts"].update({name: value.strip('"') for name, value in TEXT.findall(text)})
        for match in FUNCTION_TYPE.finditer(STRUCT.sub("", text)):
            layout["functions"][match["name"]] = without_comments(match[0])
    return layout


def compare(before, now, version):
    """What a plugin built with the headers of `version` would notice."""
    findings = []
    for name, old in before["structs"].items():
        new = now["structs"].get(name)
        if new is None:
            findings.append(f"{name} of version {version} is gone")
            continue
        if old["frozen"] and new != old:
            findings.append(f"{name} has been frozen since version {version}, and changed")
            continue
        for position, member in enumerate(old["members"]):
            if position >= len(new["members"]):
                findings.append(f"{name}::{member['name']} of version {version} is gone")
            elif new["members"][position] != member:
                findings.append(f"{name}::{member['name']} of version {version} is now {new['members'][position]}; structs "
                                "grow at their end only")
                break
        if new["size"] < old["size"]:
            findings.append(f"{name} has {new['size']} bytes, fewer than the {old['size']} of version {version}")
    for kind in ("constants", "texts", "functions"):
        for name, value in before[kind].items():
            if name != "WINNOW_ABI_VERSION" and now[kind].get(name) != value:
                findings.append(f"{name} is {now[kind].get(name)}, in version {version} it was {value}")
    return findings


def fingerprint_of(headers):
    made = hashlib.sha256()
    for name, text in headers.items():
        made.update(f"{name}\n{text}".encode())
    return made.hexdigest()


def check_layout(root, headers):
    folder = root / "tests" / "plugin" / "abi"
    layout = layout_of(root, headers)
    if layout is None:
        return ["the layout cannot be read: the headers do not compile"]
    findings = []
    version = layout["constants"]["WINNOW_ABI_VERSION"]
    records = {int(path.stem): json.loads(path.read_text(encoding="utf-8"))
               for path in (folder / "previous").glob("*.json")}
    for recorded in sorted(records):
        if records[recorded]["pointer"] != layout["pointer"]:
            continue  # another kind of machine: nothing can be said
        findings += compare(records[recorded], layout, recorded)
        if recorded == version and not findings and records[recorded] != layout:
            findings.append(f"the layout has more than that of version {version}: {RECORD}")
    if version not in records:
        findings.append(f"there is no record of version {version}: run tests/plugin/abi/check_abi.py --record")
    for recorded in records:
        if recorded > version:
            findings.append(f"version {recorded} is recorded, but WINNOW_ABI_VERSION is {version}")
    fingerprint = folder / "fingerprint.txt"
    known = fingerprint.read_text(encoding="utf-8").split() if fingerprint.exists() else [""]
    if known[0] != fingerprint_of(headers):
        findings.append(f"the headers are not those of fingerprint.txt. If only comments changed, run {RENEW}; else {RECORD}")
    return findings


def findings_in(root, compile_headers=True):
    headers = headers_of(root)
    findings, functions, pointers = check_tags(headers)
    findings += check_sizes(headers)
    if compile_headers:
        findings += check_compiles(root, headers)
    findings += check_layout(root, headers)
    return findings, f"{len(headers)} headers, {len(structs_in(headers))} structs, {functions} function pointers, " \
                     f"{pointers} data pointers"


def accept(root, record):
    headers = headers_of(root)
    folder = root / "tests" / "plugin" / "abi"
    layout = layout_of(root, headers)
    if layout is None:
        return ["the layout cannot be read: the headers do not compile"]
    version = layout["constants"]["WINNOW_ABI_VERSION"]
    path = folder / "previous" / f"{version}.json"
    if record and path.exists():
        return [f"version {version} is recorded already; {RECORD}"]
    if record:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(layout, indent=1) + "\n", encoding="utf-8")
    (folder / "fingerprint.txt").write_text(
        f"{fingerprint_of(headers)}\nof include/winnow/abi/*.h, written by {RENEW}\n", encoding="utf-8")
    return findings_in(root)[0]


def main():
    arguments = sys.argv[1:]
    chosen = [one for one in arguments if one.startswith("--")]
    paths = [one for one in arguments if not one.startswith("--")]
    root = Path(paths[0]) if paths else Path(__file__).resolve().parents[3]
    if chosen not in ([], ["--renew"], ["--record"]):
        print(__doc__)
        return 2
    if chosen:
        findings, summary = accept(root, chosen == ["--record"]), "accepted"
    else:
        findings, summary = findings_in(root)
    for finding in findings:
        print(finding)
    print(f"{summary}; {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
