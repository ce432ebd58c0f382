"""grammar.py is tried on changed tables: an instruction of OpenCL.std without a row, a row that it cannot use, and a row of no instruction end
the build with a message."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

IR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "compiler", "ir")
GRAMMARS = [f"/usr/include/spirv/unified1/{name}.grammar.json" for name in (
    "spirv.core", "extinst.opencl.std.100", "extinst.opencl.debuginfo.100", "extinst.nonsemantic.shader.debuginfo.100")]


def read(name):
    with open(os.path.join(IR, name), encoding="utf-8") as stream:
        return stream.read()


class Grammar(unittest.TestCase):
    def make(self, edit=lambda text: text):
        """Runs grammar.py with an edited opencl_std.def: (status, messages, what it wrote)."""
        with tempfile.TemporaryDirectory() as folder:
            table, target = os.path.join(folder, "opencl_std.def"), os.path.join(folder, "out.inc")
            with open(table, "w", encoding="utf-8") as stream:
                stream.write(edit(read("opencl_std.def")))
            command = [sys.executable, os.path.join(IR, "grammar.py"), *GRAMMARS, os.path.join(IR, "numbers.def"),
                       os.path.join(IR, "opcodes.def"), table, target]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            text = ""
            if os.path.exists(target):
                with open(target, encoding="utf-8") as stream:
                    text = stream.read()
            return done.returncode, done.stderr, text

    def test_the_rows_of_the_tree_are_complete(self):
        status, messages, text = self.make()
        self.assertEqual((status, messages), (0, ""))
        self.assertIn('{184, "printf", "ii*", 0, ', text)

    def test_an_instruction_without_a_row_ends_the_build(self):
        status, messages, _ = self.make(lambda text: text.replace("INTEGERS(SAbs_diff, 2)\n", ""))
        self.assertEqual((status, messages), (1, "grammar.py: opencl_std.def has no row of the OpenCL.std instruction s_abs_diff\n"))

    def test_a_row_of_no_instruction_ends_the_build(self):
        status, messages, _ = self.make(lambda text: text.replace("INTEGERS(SAbs, 1)\n", "INTEGERS(SAbs, 1)\nINTEGERS(SNothing, 1)\n"))
        self.assertEqual((status, messages), (1, "grammar.py: the grammar has no OpenCL.std instruction snothing\n"))

    def test_two_rows_of_an_instruction_end_the_build(self):
        status, messages, _ = self.make(lambda text: text.replace("INTEGERS(SAbs, 1)\n", "INTEGERS(SAbs, 1)\nINTEGERS(S_abs, 1)\n"))
        self.assertEqual((status, messages), (1, "grammar.py: opencl_std.def has two rows of S_abs\n"))

    def test_a_row_of_an_unknown_kind_ends_the_build(self):
        status, messages, _ = self.make(lambda text: text.replace("INTEGERS(SAbs, 1)\n", "NUMBERS(SAbs, 1)\n"))
        self.assertEqual((status, messages), (1, "grammar.py: opencl_std.def has a row of the unknown kind NUMBERS\n"))

    def test_traits_are_those_of_the_row(self):
        _, _, text = self.make(lambda text: re.sub(r"^ROW\(Printf, (.*), 0\)$", r"ROW(Printf, \1, PURE)", text, flags=re.MULTILINE))
        self.assertIn('{184, "printf", "ii*", GEO_IS_PURE, ', text)


if __name__ == "__main__":
    unittest.main()
