"""What counts as proven: a requirement that a case names, and a mutant together with that case.

Usage: test_spec_coverage.py [SOURCE_DIR]
"""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = sys.argv.pop(1) if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(HERE))

TREE = {
    "docs/spec/requirements.md": "### AAA: First\n| AAA-1 | One. |\n| AAA-2 | Two. |\n",
    "tests/api/CMakeLists.txt": "test_*.c\n",
    "tests/api/test_value.c": "/* AAA-1 */\nstatic void one(void **state)\n{\n}\n\n/* AAA-2 */\nstatic void two(void **state)\n{\n}\n",
}


class SpecCoverage(unittest.TestCase):
    def unproven(self, tests, cases, ids):
        mutant = f'[[mutant]]\nname = "broken"\nids = {ids}\nfile = "a.c"\nold = "a"\nnew = "b"\ntests = {tests}\ncases = {cases}\n'
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**TREE, "tests/mutants/first.toml": mutant}.items():
                path = os.path.join(root, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as stream:
                    stream.write(text)
            done = subprocess.run([sys.executable, os.path.join(ROOT, "scripts/spec_coverage.py"), "--root", root, "--unproven"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return [line.partition(":")[0] for line in done.stdout.splitlines() if line.startswith("AAA-")]

    def test_a_mutant_proves_what_its_cases_name(self):
        self.assertEqual(self.unproven(["api_value"], ["one"], ["AAA-1"]), ["AAA-2"])
        self.assertEqual(self.unproven(["api_value"], ["one"], ["AAA-1", "AAA-2"]), ["AAA-2"])
        self.assertEqual(self.unproven(["api_value"], [], ["AAA-1", "AAA-2"]), [])

    def test_a_program_that_runs_once_more_has_the_same_cases(self):
        self.assertEqual(self.unproven(["api_value_w8"], ["one"], ["AAA-1"]), ["AAA-2"])
        self.assertEqual(self.unproven(["api_other_w8"], ["one"], ["AAA-1"]), ["AAA-1", "AAA-2"])


if __name__ == "__main__":
    unittest.main()
