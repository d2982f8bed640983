#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants one defect at a time in a copy of the contract's headers, and expects the check to name it."""
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check_abi  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]


class Defects(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = Path(holder.name)
        for folder in ("include/winnow/abi", "tests/plugin/abi/previous"):
            shutil.copytree(ROOT / folder, self.root / folder)
        shutil.copy(ROOT / "tests/plugin/abi/fingerprint.txt", self.root / "tests/plugin/abi/fingerprint.txt")

    def change(self, header, old, new, count=1):
        path = self.root / "include" / "winnow" / "abi" / header
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, count), encoding="utf-8")

    def findings(self, compile_headers=False):
        return "\n".join(check_abi.findings_in(self.root, compile_headers)[0])

    def test_the_headers_as_they_are(self):
        self.assertEqual(self.findings(compile_headers=True), "")

    def test_something_is_counted(self):
        _, functions, pointers = check_abi.check_tags(check_abi.headers_of(ROOT))
        self.assertGreaterEqual(functions, 19)
        self.assertGreaterEqual(pointers, 30)

    def test_function_without_a_tag(self):
        for tag in ("thread", "owner", "fails"):
            with self.subTest(tag):
                self.setUp()
                self.change("entry.h", f"     * @{tag}", "     * ")
                self.assertIn(f"entry.h: winnow_plugin_entry::get_capability: the comment before this function pointer lacks "
                              f"@{tag}", self.findings())

    def test_function_type_without_a_tag(self):
        self.change("host.h", " * @thread worker, the one that was called\n * @owner  plugin owns `state`; host owns the "
                              "connection\n", " * @thread worker\n")
        self.assertIn("host.h: winnow_target_work: the comment before this function pointer lacks @owner", self.findings())

    def test_unknown_thread(self):
        self.change("entry.h", "@thread loader;", "@thread main;")
        self.assertIn("@thread main is none of loader, worker, any", self.findings())

    def test_pointer_without_an_owner(self):
        self.change("plan.h", "const winnow_hooks* hooks;               /* @owner plugin; null: none */",
                    "const winnow_hooks* hooks;               /* null: none */")
        self.assertIn("plan.h: winnow_plan::hooks: the comment of this pointer lacks @owner", self.findings())

    def test_member_in_the_middle(self):
        self.change("plan.h", "    uint32_t silo;                    /*", "    uint32_t color;\n    uint32_t silo;  /*")
        self.assertIn("winnow_plan::silo of version 1 is now", self.findings())

    def test_member_taken_away(self):
        self.change("host.h", "    uint32_t in_doubt;", "    uint32_t in_doubtful;")
        self.assertIn("winnow_host_error::in_doubt of version 1 is now", self.findings())

    def test_type_changed_in_place(self):
        self.change("plan.h", "    int32_t chunk_size;", "    uint32_t chunk_size;")
        self.assertIn("winnow_plan::chunk_size of version 1 is now", self.findings())

    def test_signature_changed(self):
        self.change("plan.h", "const winnow_host_call* call, int32_t* answer);", "const winnow_host_call* call, int64_t* answer);")
        self.assertIn("winnow_row_predicate has been frozen since version 1, and changed", self.findings())

    def test_frozen_struct_that_grew(self):
        self.change("types.h", "    size_t size;      /* bytes */", "    size_t size;      /* bytes */\n    size_t more;")
        self.assertIn("winnow_text has been frozen since version 1, and changed", self.findings())

    def test_struct_gone(self):
        self.change("entry.h", "winnow_options", "winnow_choices", count=-1)
        self.assertIn("winnow_options of version 1 is gone", self.findings())

    def test_constant_changed(self):
        self.change("types.h", "WINNOW_KIND_BLOB = 9", "WINNOW_KIND_BLOB = 10")
        self.assertIn("WINNOW_KIND_BLOB is 10, in version 1 it was 9", self.findings())

    def test_name_of_a_capability_changed(self):
        self.change("entry.h", 'OPTIONS "winnow.options"', 'OPTIONS "winnow.choices"')
        self.assertIn("WINNOW_CAPABILITY_OPTIONS is winnow.choices, in version 1 it was winnow.options", self.findings())

    def test_grown_without_a_new_version(self):
        self.change("plan.h", "    winnow_remote_relation_list remotes;", "    winnow_remote_relation_list remotes;\n    uint32_t color;")
        self.assertIn("the layout has more than that of version 1: raise WINNOW_ABI_VERSION", self.findings())

    def test_new_version_without_a_record_and_then_with_one(self):
        self.change("plan.h", "    winnow_remote_relation_list remotes;", "    winnow_remote_relation_list remotes;\n    uint32_t color;")
        self.change("version.h", "#define WINNOW_ABI_VERSION 1u", "#define WINNOW_ABI_VERSION 2u")
        self.assertIn("there is no record of version 2", self.findings())
        self.assertEqual(check_abi.accept(self.root, record=True), [])
        self.assertEqual(self.findings(), "")
        self.assertIn("version 2 is recorded already", "\n".join(check_abi.accept(self.root, record=True)))

    def test_version_taken_back(self):
        self.change("version.h", "#define WINNOW_ABI_VERSION 1u", "#define WINNOW_ABI_VERSION 0u")
        self.assertIn("version 1 is recorded, but WINNOW_ABI_VERSION is 0", self.findings())

    def test_edited_comment(self):
        self.change("types.h", "Bytes of UTF-8.", "Bytes, in UTF-8.")
        self.assertIn("the headers are not those of fingerprint.txt", self.findings())
        self.assertEqual(check_abi.accept(self.root, record=False), [])

    def test_struct_without_a_size(self):
        self.change("types.h", "/* A set of key tuples of one width, row by row. Frozen. */", "/* A set of key tuples. */")
        self.assertIn("types.h: winnow_key_set is not frozen and tells no size", self.findings())

    def test_header_that_needs_another(self):
        self.change("host.h", '#include "winnow/abi/types.h"\n', "")
        self.assertIn("host.h: does not compile alone as c (c11)", self.findings(compile_headers=True))

    def test_header_that_is_no_c(self):
        self.change("types.h", "typedef int32_t winnow_status;", "using winnow_status = int32_t;")
        self.assertIn("types.h: does not compile alone as c (c11)", self.findings(compile_headers=True))

    def test_foreign_include(self):
        self.change("types.h", "#include <stddef.h>", "#include <stddef.h>\n#include <stdio.h>")
        self.assertIn("types.h: includes stdio.h; the contract stands alone", self.findings(compile_headers=True))


if __name__ == "__main__":
    unittest.main()
