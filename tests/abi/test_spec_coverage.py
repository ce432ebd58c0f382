#!/usr/bin/env python3
"""The coverage of the specification counts test cases of registered tests, and what mutants prove.

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

    def test_comments_above_cases_of_registered_tests_count(self):
        status, text = self.run_on({
            "tests/a/CMakeLists.txt": "geoid_add_test(NAME one SOURCES one.c)\nadd_test(two two.py)\n",
            "tests/a/one.c": "/* AAA-1..2 */\nstatic void case_one(void **state)\n{}\n// BBB-1\nstatic void case_two(void **state)\n{}\n",
            "tests/a/two.py": "    # AAA-2\n    def test_it(self):\n"})
        self.assertEqual(status, 0, text)
        self.assertIn("AAA    0 /   2 /   3    0 %", text)
        self.assertIn("BBB    0 /   1 /   1    0 %", text)
        self.assertIn("all    0 /   3 /   4    0 %", text)

    def test_other_comments_strings_and_unregistered_files_do_not_count(self):
        status, text = self.run_on({
            "tests/a/CMakeLists.txt": "# other.c\nfile(GLOB sources test_*.c)\n",
            "tests/a/test_one.c": '/* AAA-1 */\n\nconst char *x = "/* AAA-1 */ AAA-2"; // AAA-3\n/* AAA-1 */\nstatic void helper(int x)\n'
                                  "{}\nstatic void case_one(void **state)\n{}\n",
            "tests/a/other.c": "/* AAA-3 */\nstatic void case_one(void **state)\n{}\n"})
        self.assertEqual(status, 0, text)
        self.assertIn("all    0 /   0 /   4    0 %", text)
        self.assertIn("ignored (in no registered test): tests/a/other.c", text)

    def test_a_mutant_proves_what_its_case_names(self):
        files = {"tests/unit/CMakeLists.txt": "file(GLOB_RECURSE tests test_*.c)\n",
                 "tests/unit/a/test_one.c": "/* AAA-1, AAA-2 */\nstatic void case_one(void **state)\n{}\n/* AAA-3 */\nstatic void case_two(void **state)\n{}\n",
                 "tests/mutants/a.toml": """[[mutant]]
ids = ["AAA-1", "AAA-3"]
tests = ["unit_a_one"]
cases = ["case_one"]
"""}
        status, text = self.run_on(files, "--unproven", "AAA")
        self.assertEqual(status, 0, text)
        self.assertIn("AAA    1 /   3 /   3   33 %", text)
        self.assertNotIn("AAA-1:", text)
        self.assertIn("AAA-2: Two.\n    test_one.c: case_one", text)
        self.assertIn("AAA-3: Three.\n    test_one.c: case_two", text)

    def test_what_cannot_be_tested_is_counted_apart(self):
        files = {"tests/CMakeLists.txt": "x.c", "tests/x.c": "/* AAA-1 */\nvoid case_one(void **state)\n",
                 "docs/spec/not_tested.toml": "[application]\nAAA-2 = 'reason'\n"}
        status, text = self.run_on(files)
        self.assertEqual(status, 0, text)
        self.assertIn("AAA    0 /   1 /   2    0 %  First (1 apart)", text)
        files["tests/x.c"] = "/* AAA-2 */\nvoid case_one(void **state)\n"
        status, text = self.run_on(files)
        self.assertEqual(status, 1, text)
        self.assertIn("case_one names AAA-2, which is apart", text)

    def test_the_tree_names_only_what_there_is(self):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "scripts/spec_coverage.py")], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_ids_that_do_not_exist_are_errors(self):
        status, text = self.run_on({"tests/CMakeLists.txt": "x.c", "tests/x.c": "/* AAA-9 */\nvoid case_one(void **state)\n"})
        self.assertEqual(status, 1, text)
        self.assertIn("unknown requirement AAA-9", text)

    def test_a_wanted_share_is_kept(self):
        files = {"tests/CMakeLists.txt": "x.c", "tests/x.c": "/* AAA-1, BBB-1 */\nvoid case_one(void **state)\n"}
        self.assertEqual(self.run_on(files, "--min", "BBB=100", "AAA=30")[0], 0)
        self.assertEqual(self.run_on(files, "--min", "AAA=40")[0], 1)


if __name__ == "__main__":
    unittest.main()
