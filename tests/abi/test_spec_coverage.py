#!/usr/bin/env python3
"""The coverage of the specification counts only what a registered test proves.

usage: test_spec_coverage.py [SOURCE_DIR]
"""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = sys.argv.pop(1) if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(HERE))

DOCUMENT = """### AAA: First
| AAA-1 | One. |
| AAA-2 | Two. |
| AAA-3 | Three. |

### BBB: Second
| BBB-1 | Four. |
"""


class Coverage(unittest.TestCase):
    def run_on(self, files, *arguments):
        with tempfile.TemporaryDirectory() as root:
            for name, text in {"docs/spec/requirements.md": DOCUMENT, **files}.items():
                path = os.path.join(root, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
            done = subprocess.run(
                [sys.executable, os.path.join(ROOT, "scripts/spec_coverage.py"), "--root", root,
                 *arguments], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    def test_comments_of_registered_tests_count(self):
        status, text = self.run_on({
            "tests/a/CMakeLists.txt": "geoid_add_test(NAME one SOURCES one.c)\nadd_test(two two.py)\n",
            "tests/a/one.c": "/* AAA-1..2 */\nint x; // BBB-1\n",
            "tests/a/two.py": "# AAA-2\n"})
        self.assertEqual(status, 0, text)
        self.assertIn("AAA    2 /   3   66 %", text)
        self.assertIn("BBB    1 /   1  100 %", text)
        self.assertIn("all    3 /   4   75 %", text)

    def test_strings_and_unregistered_files_do_not_count(self):
        status, text = self.run_on({
            "tests/a/CMakeLists.txt": "# other.c\nfile(GLOB sources test_*.c)\n",
            "tests/a/test_one.c": 'const char *x = "/* AAA-1 */ AAA-2";\n',
            "tests/a/other.c": "/* AAA-3 */\n"})
        self.assertEqual(status, 0, text)
        self.assertIn("all    0 /   4    0 %", text)
        self.assertIn("ignored (in no registered test): tests/a/other.c", text)

    def test_ids_that_do_not_exist_are_errors(self):
        status, text = self.run_on({"tests/CMakeLists.txt": "x.c", "tests/x.c": "/* AAA-9 */"})
        self.assertEqual(status, 1, text)
        self.assertIn("no requirement AAA-9", text)

    def test_a_wanted_share_is_kept(self):
        files = {"tests/CMakeLists.txt": "x.c", "tests/x.c": "/* AAA-1, BBB-1 */"}
        self.assertEqual(self.run_on(files, "--min", "BBB=100", "AAA=30")[0], 0)
        self.assertEqual(self.run_on(files, "--min", "AAA=40")[0], 1)


if __name__ == "__main__":
    unittest.main()
