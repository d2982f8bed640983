#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a program that declares, proves and uses a given number of models: `generate.py MODELS [--declare-only]`.

Each model has an integer key, two other columns and up to five child relations, most of them cascades, of which
one in eleven is filtered. With --declare-only the registry is proved and no plan is made.
"""
import argparse

STEPS = (1, 2, 3, 5, 8)


def children(index, count):
    # Three to five relations, as far as there are models left.
    return [index + step for step in STEPS[: 3 + index % 3] if index + step < count]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("models", type=int)
    arguments.add_argument("--declare-only", action="store_true")
    given = arguments.parse_args()
    count = given.models
    parents = [[p for p in range(child) if child in children(p, count)] for child in range(count)]

    plans = "" if given.declare_only else "#include <winnow/derive/plans_of.hpp>\n"
    print(f"{plans}#include <winnow/winnow.hpp>\n\n#include <cstdint>\n#include <optional>\n#include <string>\n")
    for i in range(count):
        references = "".join(f" std::int64_t m{p}_id;" for p in parents[i])
        names = "".join(f", m{p}_id" for p in parents[i])
        print(f"struct M{i} {{ std::int64_t id; std::string name; std::int32_t kind;{references} }};")
        print(f"WINNOW_DESCRIBE(M{i}, id, name, kind{names})")
    for i in range(count):
        relations = []
        for n, child in enumerate(children(i, count)):
            kind = ("cascade", "cascade", "cascade", "restrict_", "do_nothing")[n]
            where = f".where<&M{child}::kind>({i})" if (i + n) % 11 == 0 else ""
            relations.append(f"{kind}<&M{child}::m{i}_id>{where}")
        print(f"template <> struct winnow::model<M{i}> {{")
        print(f'    static constexpr text key = "load.M{i}";')
        print("    static constexpr auto silo = winnow::silo::cell;")
        if relations:
            print(f"    static constexpr auto children = winnow::children({', '.join(relations)});")
        print("};")
    models = ", ".join(f"M{i}" for i in range(count))
    print(f"using Models = winnow::registry<{models}>;")
    if given.declare_only:
        print(f"static_assert(Models::size == {count});")
    else:
        print("""
int main() {
    std::size_t characters = 0;
    for (const winnow::plan& one : winnow::plans_of<Models>) {
        characters += one.statements.read.postgres.size();
        for (const winnow::relation& to : one.relations) characters += to.statements.fetch_next.sqlite.size();
    }
    return characters != 0 ? 0 : 1;
}""")


main()
