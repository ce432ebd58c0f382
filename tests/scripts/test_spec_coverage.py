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


CLAUSES = "[AAA-1]\na = 'The first half.'\nb = 'The second half.'\n"


def mutant(tests, cases, ids):
    return f'[[mutant]]\nname = "broken"\nids = {ids}\nfile = "a.c"\nold = "a"\nnew = "b"\ntests = {tests}\ncases = {cases}\n'


class SpecCoverage(unittest.TestCase):
    def run_on(self, files, *arguments):
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**TREE, **files}.items():
                path = os.path.join(root, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as stream:
                    stream.write(text)
            done = subprocess.run([sys.executable, os.path.join(ROOT, "scripts/spec_coverage.py"), "--root", root, *arguments],
                                  capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr

    def unproven(self, tests, cases, ids, files=None):
        status, text = self.run_on({"tests/mutants/first.toml": mutant(tests, cases, ids), **(files or {})}, "--unproven")
        self.assertEqual(status, 0, text)
        return [line.partition(":")[0] for line in text.splitlines() if line.startswith("AAA-")]

    def unproven_of_clauses(self, ids, files=None):
        return self.unproven(["api_value"], ["one"], ids, {"docs/spec/clauses.toml": CLAUSES, **(files or {})})

    def error_of(self, files):
        status, text = self.run_on(files)
        self.assertEqual(status, 1, text)
        return text

    def test_a_mutant_proves_what_its_cases_name(self):
        self.assertEqual(self.unproven(["api_value"], ["one"], ["AAA-1"]), ["AAA-2"])
        self.assertEqual(self.unproven(["api_value"], ["one"], ["AAA-1", "AAA-2"]), ["AAA-2"])
        self.assertEqual(self.unproven(["api_value"], [], ["AAA-1", "AAA-2"]), [])

    def test_a_program_that_runs_once_more_has_the_same_cases(self):
        self.assertEqual(self.unproven(["api_value_w8"], ["one"], ["AAA-1"]), ["AAA-2"])
        self.assertEqual(self.unproven(["api_other_w8"], ["one"], ["AAA-1"]), ["AAA-1", "AAA-2"])

    def test_each_listed_clause_needs_a_mutant(self):
        self.assertEqual(self.unproven_of_clauses(["AAA-1a", "AAA-1b"]), ["AAA-2"])
        self.assertEqual(self.unproven_of_clauses(["AAA-1a"]), ["AAA-1", "AAA-2"])
        self.assertEqual(self.unproven_of_clauses(["AAA-1"]), ["AAA-1", "AAA-2"])

    def test_a_clause_needs_a_case_that_names_the_requirement(self):
        self.assertEqual(self.unproven(["api_value"], ["two"], ["AAA-1a", "AAA-1b"], {"docs/spec/clauses.toml": CLAUSES}),
                         ["AAA-1", "AAA-2"])

    def test_a_clause_with_a_reason_needs_no_mutant(self):
        reason = {"docs/spec/not_tested.toml": "[hardware]\nAAA-1b = 'reason'\n"}
        self.assertEqual(self.unproven_of_clauses(["AAA-1a"], reason), ["AAA-2"])
        self.assertEqual(self.unproven_of_clauses(["AAA-2"], reason), ["AAA-1", "AAA-2"])
        self.assertIn("a mutant proves AAA-1b, which is apart",
                      self.error_of({"docs/spec/clauses.toml": CLAUSES, **reason,
                                     "tests/mutants/first.toml": mutant(["api_value"], ["one"], ["AAA-1b"])}))

    def test_open_clauses_are_listed_with_their_text(self):
        files = {"docs/spec/clauses.toml": CLAUSES, "tests/mutants/first.toml": mutant(["api_value"], ["one"], ["AAA-1a"])}
        self.assertIn("    clause b: The second half.\n", self.run_on(files, "--unproven")[1])
        self.assertIn("    a The first half.: broken\n    b The second half.: no mutant\n", self.run_on(files, "--proof", "AAA-1")[1])

    def test_clauses_of_unknown_requirements_and_wrong_letters_are_errors(self):
        self.assertIn("unknown requirement AAA-3",
                      self.error_of({"docs/spec/clauses.toml": "[AAA-3]\na = '1'\nb = '2'\n"}))
        self.assertIn("AAA-1 needs two or more clauses", self.error_of({"docs/spec/clauses.toml": "[AAA-1]\na = '1'\n"}))
        self.assertIn("AAA-1 needs two or more clauses", self.error_of({"docs/spec/clauses.toml": "[AAA-1]\na = '1'\nc = '2'\n"}))
        self.assertIn("lists no clause c of AAA-1",
                      self.error_of({"docs/spec/clauses.toml": CLAUSES, "docs/spec/not_tested.toml": "[hardware]\nAAA-1c = 'why'\n"}))


if __name__ == "__main__":
    unittest.main()
