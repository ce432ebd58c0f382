#!/usr/bin/env python3
"""The ABI check finds what is wrong: each case breaks a copy of the headers in one way and names the rows that must fail.

usage: test_check_abi.py INCLUDE_DIR [CLANG]
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = sys.argv.pop(1) if len(sys.argv) > 1 else os.path.join(HERE, "../../include")
CLANG = sys.argv.pop(1) if len(sys.argv) > 1 else "clang-22"


def broken(header, before, after, *more):
    """Runs the check on headers with a text replaced, or several; its status and output."""
    with tempfile.TemporaryDirectory() as work:
        include = os.path.join(work, "include")
        shutil.copytree(INCLUDE, include)
        for name, old, new in ((header, before, after), *more):
            path = os.path.join(include, "level_zero", name)
            with open(path, encoding="utf-8") as f:
                text = f.read()
            if old not in text:
                raise AssertionError(f"{name} has no '{old}'")
            with open(path, "w", encoding="utf-8") as f:
                f.write(text.replace(old, new, 1))
        done = subprocess.run([sys.executable, os.path.join(HERE, "check_abi.py"), include, CLANG],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


class CheckAbi(unittest.TestCase):
    def assert_found(self, edit, *rows):
        status, output = broken(*edit)
        self.assertEqual(status, 1, output)
        for row in rows:
            self.assertIn("differs: " + row.replace(" ", "\t"), output)

    # GEN-18
    def test_the_headers_hold(self):
        status, output = broken("ze_api.h", "#", "#")
        self.assertEqual(status, 0, output)

    # GEN-18
    def test_other_value_of_an_enumerator(self):
        self.assert_found(("ze_api.h", "ZE_RESULT_NOT_READY = 1,", "ZE_RESULT_NOT_READY = 2,"),
                          "enum ze_result_t ZE_RESULT_NOT_READY 1")

    # GEN-18
    def test_other_type_of_a_field(self):
        self.assert_found(("ze_api.h", "    uint32_t driverVersion;", "    int32_t driverVersion;"),
                          "field ze_driver_properties_t driverVersion")

    # GEN-18
    def test_additional_field(self):
        self.assert_found(("ze_api.h", "    uint32_t driverVersion;",
                           "    uint64_t other; uint32_t driverVersion;"),
                          "struct ze_driver_properties_t", "field ze_driver_properties_t driverVersion")

    # GEN-18
    def test_swapped_slots_of_a_table(self):
        self.assert_found(("ze_ddi.h", "    ze_pfnMemFree_t pfnFree;\n", ""),
                          "struct ze_mem_dditable_t", "field ze_mem_dditable_t pfnFree")

    # GEN-2
    def test_other_name_of_a_parameter(self):
        self.assert_found(("zer_api.h", "uint32_t identifier", "uint32_t number"),
                          "function zerTranslateIdentifierToDeviceHandle")

    # GEN-18
    def test_other_type_of_a_parameter(self):
        self.assert_found(("zer_api.h", "uint32_t identifier", "uint64_t identifier"),
                          "function zerTranslateIdentifierToDeviceHandle")

    def test_other_text_of_a_macro(self):
        self.assert_found(("ze_api.h", "#define ZE_MAX_UUID_SIZE 16", "#define ZE_MAX_UUID_SIZE 0x10"),
                          "macro ZE_MAX_UUID_SIZE")

    def test_headers_of_a_later_version_may_only_add(self):
        """1.117 holds everything that the table has; a table that lost a slot is found all the same."""
        later = ("ze_api.h", "ZE_API_VERSION_CURRENT_M ZE_MAKE_VERSION( 1, ", "ZE_API_VERSION_CURRENT_M ZE_MAKE_VERSION( 1, 1")
        status, output = broken(*later)
        self.assertEqual(status, 0, output)
        self.assertIn("an earlier version's", output)
        status, output = broken(*later, ("ze_ddi.h", "    ze_pfnMemFree_t pfnFree;\n", ""))
        self.assertEqual(status, 1, output)
        self.assertIn("differs: field\tze_mem_dditable_t\tpfnFree", output)

    def test_headers_that_do_not_compile(self):
        status, output = broken("ze_api.h", "typedef uint8_t ze_bool_t;", "")
        self.assertNotEqual(status, 0)
        self.assertIn("do not compile", output)


if __name__ == "__main__":
    unittest.main()
