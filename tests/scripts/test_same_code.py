#!/usr/bin/env python3
"""scripts/same_code finds each text that differs between two builds."""
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "same_code")

# A program in the place of tests/compiler/emit/lowered.c: two settings for each file.
PROGRAM = """#!/bin/sh
shift
for file in "$@"; do
    echo "$file 0 0 %s"
    echo "$file 1 0 22"
done
exit %d
"""


class SameCode(unittest.TestCase):
    def compare(self, before, after, status=0):
        with tempfile.TemporaryDirectory() as root:
            for build, text in (("before", before), ("after", after)):
                folder = os.path.join(root, build, "tests")
                os.makedirs(folder)
                program = os.path.join(folder, "lowered")
                with open(program, "w", encoding="utf-8") as stream:
                    stream.write(PROGRAM % (text, status))
                os.chmod(program, 0o755)
            for i in range(7):
                with open(os.path.join(root, "after", f"{i} x.spv"), "wb") as stream:
                    stream.write(b"x")
            builds = [os.path.join(root, build) for build in ("before", "after")]
            done = subprocess.run([sys.executable, SCRIPT, *builds], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr

    def test_equal_texts(self):
        status, output = self.compare("11", "11")
        self.assertEqual(status, 0, output)
        self.assertIn("7 modules, 14 texts, 0 differ", output)

    def test_each_difference_is_listed(self):
        status, output = self.compare("11", "12")
        self.assertEqual(status, 1, output)
        self.assertIn("6 x.spv: setting 0 differs", output)
        self.assertNotIn("setting 1 differs", output)
        self.assertIn("7 modules, 14 texts, 7 differ", output)

    def test_a_program_that_fails_is_an_error(self):
        status, output = self.compare("11", "11", status=3)
        self.assertEqual(status, 1, output)
        self.assertIn("exit status 3", output)


if __name__ == "__main__":
    unittest.main()
