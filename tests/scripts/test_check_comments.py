#!/usr/bin/env python3
"""scripts/check_comments finds what the formatter once did to comments, and nothing in whole tables."""
import os
import subprocess
import sys
import tempfile
import unittest

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "check_comments")
WHOLE = """/* A table with its rows:
 *
 *     uniform   scalar T
 *     strided   scalar T of lane 0 (the stride is in the shape); a vector is made where one is
 *               needed
 *     varying   <W x T>
 *
 *        a            a: divergent
 *       / \\\\           b, c one after
 *      b   c    ->    the other
 *
 * and prose that goes on. */
int x; /* a        one word
        * second   row */
const char *text = "/* no comment     at all";
"""
RUN_TOGETHER = """/* A table with its rows:
 * uniform   scalar T strided   scalar T of lane 0 (the stride is in the shape); a vector is made
 * where one is needed varying   <W x T> */
"""
BROKEN = """/* A table with its rows:
 *
 *     strided   scalar T of lane 0 (the stride is in the shape); a vector is made where one is
 * needed
 */
"""


class CheckComments(unittest.TestCase):
    def found_in(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.c")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run([sys.executable, CHECK, path], capture_output=True, text=True, check=False)
        return [line for line in done.stdout.splitlines() if "x.c:" in line]

    def test_whole_tables_and_drawings_pass(self):
        self.assertEqual(self.found_in(WHOLE), [])

    def test_rows_run_together_are_found(self):
        self.assertTrue(any("run together" in line for line in self.found_in(RUN_TOGETHER)))

    def test_a_broken_row_is_found_where_it_goes_on(self):
        found = self.found_in(BROKEN)
        self.assertEqual(len(found), 1)
        self.assertIn("x.c:4: an indented line was broken", found[0])

    def test_long_lines_are_found(self):
        self.assertIn("x.c:2: a comment line of 104 columns", self.found_in("/*\n * " + "word " * 20 + "w */\n")[0])


if __name__ == "__main__":
    unittest.main()
