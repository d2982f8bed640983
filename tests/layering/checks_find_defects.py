#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants one defect at a time in a small tree, and expects the checks to name it."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check_layers  # noqa: E402
import check_paths  # noqa: E402

START = "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n"


class Checks(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = Path(holder.name)
        self.write("include/winnow/core/error.hpp", START)
        self.write("include/winnow/plan/plan.hpp", START + '#include "winnow/core/error.hpp"\n#include <string>\n')
        self.write("include/winnow/model/describe.hpp", START + "#include <boost/describe.hpp>\n")
        self.write("include/winnow/store/rows.hpp", START + '#include "winnow/plan/plan.hpp"\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def layers(self):
        return "\n".join(check_layers.findings_in(self.root)[0])

    def test_a_clean_tree_has_no_findings(self):
        self.assertEqual(self.layers(), "")
        self.assertEqual(check_paths.findings_in(self.root), [])

    def test_wrong_arrow(self):
        self.write("include/winnow/core/error.hpp", START + '#include "winnow/store/rows.hpp"\n')
        self.assertIn("core must not include store", self.layers())

    def test_model_reached_through_another_header(self):
        self.write("include/winnow/plan/plan.hpp", START + '#include "winnow/model/describe.hpp"\n')
        self.assertIn("store/rows.hpp: reaches model/describe.hpp", self.layers())

    def test_cycle(self):
        self.write("include/winnow/plan/value.hpp", START + '#include "winnow/plan/plan.hpp"\n')
        self.write("include/winnow/plan/plan.hpp", START + '#include "winnow/plan/value.hpp"\n')
        self.assertIn("include cycle: plan/plan.hpp -> plan/value.hpp -> plan/plan.hpp", self.layers())

    def test_detail_folder(self):
        self.write("include/winnow/plan/detail/x.hpp", START)
        self.assertIn("no detail folders", self.layers())

    def test_second_user_of_a_third_party_header(self):
        self.write("include/winnow/model/traits.hpp", START + "#include <boost/describe/members.hpp>\n")
        self.assertIn("<boost/describe/members.hpp> belongs to model/describe.hpp", self.layers())

    def test_whole_hana(self):
        self.write("include/winnow/model/traits.hpp", START + "#include <boost/hana.hpp>\n")
        self.assertIn("<boost/hana.hpp> belongs to nobody", self.layers())

    def test_unknown_third_party_header(self):
        self.write("include/winnow/store/rows.hpp", START + "#include <curl/curl.h>\n")
        self.assertIn("<curl/curl.h> has no home", self.layers())

    def test_heavy_header_in_a_light_folder(self):
        self.write("include/winnow/plan/plan.hpp", START + "#include <iostream>\n")
        self.assertIn("<iostream> is too heavy for plan", self.layers())

    def test_long_header_unless_the_style_page_says_why(self):
        self.write("include/winnow/store/rows.hpp", START + "\n" * 400)
        self.assertIn("402 lines, more than 400", self.layers())
        self.write("docs/style.md", "- `store/rows.hpp` is long because it is a table.\n")
        self.assertEqual(self.layers(), "")

    def test_inline_variable(self):
        self.write("include/winnow/store/rows.hpp", START + "inline int counter = 0;\n")
        self.assertIn("an inline variable that is not constexpr", self.layers())
        self.write("include/winnow/store/rows.hpp", START + "inline constexpr int limit = 1;\ninline int f() { return 0; }\n")
        self.assertEqual(self.layers(), "")

    def test_licence_and_guard(self):
        self.write("include/winnow/store/rows.hpp", "#include <string>\n")
        self.assertIn("the first line is", self.layers())
        self.assertIn("`#pragma once` is missing", self.layers())

    def test_machine_path(self):
        self.write("docs/index.md", "see /" + "home/somebody/notes\n")
        self.assertEqual(len(check_paths.findings_in(self.root)), 1)


if __name__ == "__main__":
    unittest.main()
