#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the C++ blocks of docs/ that are no copy of an example, each as a reader would paste it.

usage: snippets.py COMPILER INCLUDE_FOLDER [FLAG...]

A program gets a model in front of it and nothing else; so do structs and functions. Members of a trait get the
trait around them, statements a function that is given a URL and a context. Left out
are copies of examples, which are compiled anyway, and what stands below `<!-- fragment -->`: lines about models that
only their page knows.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^(?P<mark><!-- (?:file: [^\n]*|fragment -->)\n)?```cpp\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)
MODEL = """#include <winnow/winnow.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
struct Shelf { std::int64_t id; std::string body; std::int64_t keeper_id = 0; std::optional<std::int64_t> reader_id; };
WINNOW_DESCRIBE(Shelf, id, body, keeper_id, reader_id)
template <> struct winnow::model<Shelf> {
    using T = Shelf;
    static constexpr text key = "library.Shelf";
    static constexpr auto silo = winnow::silo::cell;
%s};
using Models = winnow::registry<Shelf>;
"""


def as_file(code: str) -> str:
    """The block with what a reader of its page has around it."""
    if code.startswith("static constexpr"):
        return MODEL % code
    if "int main(" in code:
        program = "" if "#include" in code else "#include <winnow/cli/main.hpp>\n"
        return program + MODEL % "" + code
    if code.startswith(("struct", "template")):
        return MODEL % "" + code
    includes = "".join(re.findall(r"^#include.*\n", code, re.MULTILINE))
    given = "#include <winnow/context/context.hpp>\nvoid function(const char* url, const winnow::context& with) {\n"
    return MODEL % "" + includes + given + code.replace(includes, "", 1) + "(void)url;\n(void)with;\n}\n"


def main() -> int:
    compiler, include, *flags = sys.argv[1:]
    wrong = compiled = 0
    for page in sorted(ROOT.glob("docs/**/*.md")):
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            if block["mark"]:
                continue
            line = text.count("\n", 0, block.start()) + 1
            with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
                file.write(as_file(block["code"]))
                file.flush()
                command = [compiler, "-std=c++20", "-fsyntax-only", "-I", include, *flags, file.name]
                result = subprocess.run(command, capture_output=True, text=True, check=False)
            compiled += 1
            if result.returncode != 0:
                wrong += 1
                print(f"{page.relative_to(ROOT)}:{line}: does not compile\n{result.stderr}")
    print(f"{compiled} blocks, {wrong} wrong")
    return 1 if wrong or not compiled else 0


if __name__ == "__main__":
    sys.exit(main())
