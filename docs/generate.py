#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the parts of docs/ that repeat what stands in the source.

    docs/generate.py            writes them
    docs/generate.py --check    exit code 1 when one is not what it should be, or a link leads nowhere

- In every page, the code block after `<!-- file: PATH -->` is that file, without its licence line.
- reference/compile_errors.md lists the refusals of model/violations.hpp and registry/violations.hpp.
- reference/options.md lists the options of context/options.hpp and the jobs of context/job_table.hpp.
- reference/metrics.md lists the metrics of metrics/names.hpp.
- reference/sql.md holds the statements of tests/golden.
- man/winnow.1 is man/winnow.1.in with the options and commands of reference/command_line.md.
"""
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
LANGUAGES = {".c": "c", ".cpp": "cpp", ".hpp": "cpp", ".sql": "sql", ".sh": "sh", ".txt": "text", ".cmake": "cmake"}
LICENCE = re.compile(r"^(?:(?://|#|--) SPDX-License-Identifier: [^\n]*|/\* SPDX-License-Identifier: [^\n]* \*/)\n")

INCLUDED = re.compile(r"(<!-- file: (\S+) -->\n)```\w*\n.*?^```\n", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(#[^)]*)?\)")
REFUSAL = re.compile(
    r"^/// (?P<doc>[^\n]*)\ntemplate <(?P<parameters>[^>]*)>\s+struct (?P<name>\w+) \{\n"
    r"\s*static_assert\([^;]*?WINNOW_REFUSAL\((?P<sentence>(?:\s*\"(?:[^\"\\]|\\.)*\")+)\)\);\n", re.MULTILINE)


def source_of(path):
    return LICENCE.sub("", (ROOT / path).read_text(encoding="utf-8")).rstrip("\n") + "\n"


def with_files(text):
    def block(match):
        named = Path(match[2])
        language = "cmake" if named.name == "CMakeLists.txt" else LANGUAGES.get(named.suffix, "text")
        return f"{match[1]}```{language}\n{source_of(match[2])}```\n"
    return INCLUDED.sub(block, text)


def refusals(header):
    for match in REFUSAL.finditer(header.read_text(encoding="utf-8")):
        sentence = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match["sentence"])).replace('\\"', '"')
        yield match["name"], re.findall(r"fixed_string (\w+)", match["parameters"]), match["doc"], sentence


def compile_errors():
    lines = [
        "# Compile errors", "",
        "<!-- Written by docs/generate.py from the violations headers. -->", "",
        "A wrong declaration is one compile error. Its sentence begins with `----> winnow:`, says what is wrong and, after",
        "the colon, what to write. The models and members that it speaks of are printed beside it, as the arguments of the",
        "refusal's type:", "",
        "```text",
        'forgotten_child<fixed_string<15>{"tracker.Project"}, fixed_string<13>{"tracker.Event"}, …{"project_id"}>',
        "```", "",
        "Only the first mistake of a registry is reported; correct it and compile again.", ""]
    for title, path in (("One model", "model"), ("A set of models", "registry")):
        lines += [f"## {title}", ""]
        header = ROOT / "include" / "winnow" / path / "violations.hpp"
        found = list(refusals(header))
        if len(found) != header.read_text(encoding="utf-8").count("static_assert("):
            raise SystemExit(f"{header.relative_to(ROOT)}: a refusal is not written as the others; see docs/generate.py")
        for name, parameters, doc, sentence in found:
            arguments = ", ".join(f"`{parameter}`" for parameter in parameters)
            lines += [f"### `{name}`", "", f"{doc} Arguments: {arguments}.", "",
                      "```text", *textwrap.wrap("----> winnow: " + sentence, 112, break_long_words=False), "```", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def options():
    header = (ROOT / "include" / "winnow" / "context" / "options.hpp").read_text(encoding="utf-8")
    lines = [
        "# Options", "",
        "<!-- Written by docs/generate.py from winnow/context/options.hpp. -->", "",
        "Options are rows in the database, read by every worker when it needs them. `options set` checks the type;",
        "a whole number goes from 0 to 1 000 000 000. Besides these, each model's `rate_limit_option` is one: rows per",
        "second, 0 for no limit. Each replicated model brings",
        "`outbox_replication.{table}.replication_version`, the version up to which its rows may be backfilled (not set: none),",
        "and in the control silo `outbox_replication.{table}.backfill.target_cells`, a JSON list of the cells that a backfill",
        "goes to (not set: all).", "",
        "| option | kind | default | |", "| --- | --- | --- | --- |"]
    kinds = {"integer": "whole number", "boolean": "true or false", "text": "text", "text_list": "list of texts"}
    for name, kind, otherwise, meaning in re.findall(
            r'\{"([a-z_.]+)",\s*option_kind::(\w+),\s*"([^"]*)",\s*"([^"]*)"(?:,\s*detail::\w+)?\}', header):
        lines.append(f"| `{name}` | {kinds[kind]} | {otherwise or 'none'} | {meaning} |")
    lines += [
        "", "## Jobs", "",
        "Workers run these by themselves ([guide](../guide/11_worker.md)), in the control silo and in each cell. Of each",
        "job there are the options `job.NAME.interval_seconds`, `job.NAME.deadline_seconds` and `job.NAME.enabled`; the",
        "table, from winnow/context/job_table.hpp, has their defaults.", "",
        "| job | interval | deadline | |", "| --- | --- | --- | --- |"]
    table = (ROOT / "include" / "winnow" / "context" / "job_table.hpp").read_text(encoding="utf-8")
    jobs = re.findall(r'\{job_kind::\w+,\s*"(\w+)",\s*([\d\']+),\s*([\d\']+),\s*true,\s*true,\s*"([^"]*)"\}', table)
    if len(jobs) != table.count("{job_kind::"):
        raise SystemExit("context/job_table.hpp: a job is not written as the others; see docs/generate.py")
    for name, interval, deadline, meaning in jobs:
        lines.append(f"| `{name}` | {int(interval.replace(chr(39), ''))} s | {int(deadline.replace(chr(39), ''))} s | {meaning} |")
    return "\n".join(lines) + "\n"


def metrics():
    header = (ROOT / "include" / "winnow" / "metrics" / "names.hpp").read_text(encoding="utf-8")
    lines = [
        "# Metrics", "",
        "<!-- Written by docs/generate.py from winnow/metrics/names.hpp. -->", "",
        "Names and labels are [promised](../versioning.md). Counters and histograms, and the gauges of backfills, are those of",
        "one process since it started: Prometheus asks each worker (`worker --metrics`). The other gauges are read from the",
        "databases when `/metrics` of `serve` is asked; one `serve` will do. A metric without a series has its `# TYPE` all the",
        "same.", "",
        "`silo` is `control` or `cell`; `cell` is the cell's name, `main` where there is one database. In",
        "`winnow_database_up`, `silo` is `monolith` where one database has both.", "",
        "| metric | type | labels | |", "| --- | --- | --- | --- |"]
    found = re.findall(r'\{"([a-z_.]+)",\s*metric_kind::(\w+),\s*"([^"]*)",\s*"([^"]*)"\}', header)
    if len(found) != header.count("metric_kind::"):
        raise SystemExit("metrics/names.hpp: a metric is not written as the others; see docs/generate.py")
    for name, kind, labels, meaning in found:
        shown = ", ".join(f"`{one}`" for one in labels.split())
        lines.append(f"| `{name.replace('.', '_')}` | {kind} | {shown} | {meaning} |")
    bounds = re.search(r"metric_buckets\{([^}]*)\}",
                       (ROOT / "include" / "winnow" / "metrics" / "store.hpp").read_text(encoding="utf-8"))[1]
    lines += ["", f"Buckets of histograms, in seconds: {' '.join(bounds.split())}."]
    return "\n".join(lines) + "\n"


def undocumented_commands():
    text = (DOCS / "reference" / "command_line.md").read_text(encoding="utf-8")
    for header in sorted((ROOT / "include" / "winnow" / "cli" / "commands").glob("*.hpp")):
        source = header.read_text(encoding="utf-8")
        for block in re.findall(r"_commands\(\) \{.*?^\}", source, re.MULTILINE | re.DOTALL):
            for name in re.findall(r'\{"([a-z]+(?: [a-z]+)?)",\s*"[^"]* [^"]*"', block):
                if not re.search(rf"`{name}\b", text):
                    yield name


def statements():
    golden = ROOT / "tests" / "golden"
    lines = [
        "# SQL", "",
        "<!-- Written by docs/generate.py from tests/golden. -->", "",
        "Every statement that reads, locks, changes or deletes rows of your tables is constant text, written when the",
        "program is compiled. These are the ones of the models that the golden tests use; for your own,",
        "`winnow::explain_statements(plan, dialect)` returns the same text.", ""]
    for struct, file, title in (("row_statements", "plan.hpp", "Of a model's own rows"),
                                ("relation_statements", "relation.hpp", "Of one relation, over the child's table"),
                                ("write_statements", "write.hpp", "Of rows that are written by type"),
                                ("replication_statements", "replication.hpp", "Of messages about a model's rows"),
                                ("mirror_plan", "replication.hpp", "Of the table that holds copies"),
                                ("remote_statements", "replication.hpp", "Of one remote relation")):
        source = (ROOT / "include" / "winnow" / "plan" / file).read_text(encoding="utf-8")
        body = re.search(rf"^struct {struct} \{{\n(.*?)^\}};", source, re.MULTILINE | re.DOTALL)[1]
        lines += [f"## {title}", "", "| statement | (parameters) what it does |", "| --- | --- |"]
        for comment, name in re.findall(r"((?:^[ \t]*///[^\n]*\n)+)[ \t]*dialect_text (\w+);", body, re.MULTILINE):
            text = " ".join(line.strip().removeprefix("///").strip() for line in comment.strip().splitlines())
            lines.append(f"| `{name}` | {text.replace('|', chr(92) + '|')} |")
        lines.append("")
    lines += ["`KEYS` are primary keys, `PARENTS` values of the columns that the relation refers to, `ROWS` whole rows, `DEAD` keys of",
              "objects that are gone in the other silo: arrays on PostgreSQL, one JSON parameter on SQLite. Rule numbers: see",
              "[rules](rules.md).", ""]
    for dialect, title in (("postgres", "PostgreSQL"), ("sqlite", "SQLite")):
        files = sorted((golden / dialect).glob("*.sql"))
        for file in files:
            lines += [f"## {title}: {file.stem.replace('_', ' ')}", "", "```text",
                      source_of(file.relative_to(ROOT)).rstrip("\n"), "```", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def roff(text):
    """Markdown as roff: `code` is bold, a link is its text."""
    text = LINK.sub(lambda link: link[0][1:link[0].index("]")], text)
    text = text.replace("\\|", "|").replace("\\", "\\e").replace("…", "...").replace("-", "\\-")
    parts = text.split("`")
    return "".join("\\fB" + part + "\\fR" if i % 2 else part for i, part in enumerate(parts))


def sentence(text):
    """A table's cell as roff's running text, in lines that begin with no request."""
    text = text[:1].upper() + text[1:]
    lines = textwrap.wrap(roff(text if text.endswith(".") else text + "."), 78, break_long_words=False,
                          break_on_hyphens=False)
    return ["\\&" + line if line.startswith((".", "'")) else line for line in lines]


def table_rows(text):
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if line.startswith("| `") and cells:
            yield cells


def manual_page():
    page = (DOCS / "man" / "winnow.1.in").read_text(encoding="utf-8").rstrip("\n") + "\n"
    text = (DOCS / "reference" / "command_line.md").read_text(encoding="utf-8")
    header = (ROOT / "include" / "winnow" / "core" / "version.hpp").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    options, commands, keys = [], [], []
    for name, variable, meaning in table_rows(sections["Global options"]):
        options += [".TP", roff(name), *sentence(meaning or "print it and do nothing"),
                    *(["Environment:", f".BR {variable.strip('`')} ."] if variable else [])]
    for title, body in sections.items():
        table = re.search(r"^\| (command|key) \| \|\n\| --- \| --- \|\n(.*?)(?:\n\n|\Z)", body,
                          re.MULTILINE | re.DOTALL)
        if not table:
            continue
        into = commands if table[1] == "command" else keys
        if into is commands:
            into.append(f'.SS "{title[0].upper()}{title[1:]}"')
        for name, meaning in table_rows(table[2]):
            into += [".TP", roff(name), *sentence(meaning)]
    return (page.replace("@VERSION@", re.search(r'version_text = "([^"]*)"', header)[1])
            .replace("@OPTIONS@", "\n".join(options)).replace("@COMMANDS@", "\n".join(commands))
            .replace("@KEYS@", "\n".join(keys)))


def wanted():
    """Path -> text, for every page."""
    pages = {path: with_files(path.read_text(encoding="utf-8"))
             for path in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))] if path.exists()}
    pages[DOCS / "reference" / "compile_errors.md"] = compile_errors()
    pages[DOCS / "reference" / "options.md"] = options()
    pages[DOCS / "reference" / "metrics.md"] = metrics()
    pages[DOCS / "man" / "winnow.1"] = manual_page()
    if any((ROOT / "tests" / "golden").rglob("*.sql")):
        pages[DOCS / "reference" / "sql.md"] = statements()
    return pages


def findings_in(pages):
    findings = []
    for path, text in pages.items():
        name = path.relative_to(ROOT)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            findings.append(f"{name}: is not what the source says; run docs/generate.py")
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
        for target, _ in LINK.findall(prose):
            if not re.match(r"[a-z]+:", target) and not (path.parent / target).exists():
                findings.append(f"{name}: the link to {target} leads nowhere")
        for number, line in enumerate(prose.splitlines(), 1):
            if len(line) > 120 and not line.startswith("|"):
                findings.append(f"{name}: a line of {len(line)} characters: {line[:60]}…")
    findings += [f"docs/reference/command_line.md: nothing is said about the command `{name}`"
                 for name in undocumented_commands()]
    readme = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    if not any(line.startswith("```") for line in readme[:29]):
        findings.append("README.md: the first code begins before line 30")
    return findings


def main():
    pages = wanted()
    if sys.argv[1:] == ["--check"]:
        findings = findings_in(pages)
        print("\n".join([*findings, f"{len(pages)} pages, {len(findings)} findings"]))
        return 1 if findings else 0
    for path, text in pages.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
