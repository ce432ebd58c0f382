"""scripts/check_circles finds files that need each other, by their objects, and nothing in files with an order."""
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "check_circles")
COMPILER = os.environ.get("CC", "cc")


class CheckCircles(unittest.TestCase):
    def check(self, files):
        """Compiles {name: text} as files of one folder of src; the script's exit status and output."""
        with tempfile.TemporaryDirectory() as root:
            source, objects = os.path.join(root, "src", "x"), os.path.join(root, "build", "src", "x", "CMakeFiles", "x.dir")
            os.makedirs(source)
            os.makedirs(objects)
            for name, text in files.items():
                with open(os.path.join(source, name), "w", encoding="utf-8") as stream:
                    stream.write(text)
            for name in files:
                if name.endswith(".h"):
                    continue
                subprocess.run([COMPILER, "-I", os.path.join(root, "src"), "-c", os.path.join(source, name), "-o", os.path.join(objects, name + ".o")], check=True)
            done = subprocess.run([sys.executable, SCRIPT, os.path.join(root, "build"), "nm", root], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    def test_an_order_passes(self):
        status, output = self.check({"a.c": "int b(void); int a(void) { return b(); }", "b.c": "int c; int b(void) { return c; }"})
        self.assertEqual(status, 0, output)

    def test_functions_and_variables_tie(self):
        status, output = self.check({"a.c": "int state; int b(void); int a(void) { return b(); }",
                                     "b.c": "int c(void); int b(void) { return c(); }",
                                     "c.c": "extern int state; int c(void) { return state; }"})
        self.assertEqual(status, 1)
        self.assertIn("a circle of 3 files", output)
        self.assertIn("x/c.c -> x/a.c: state", output)

    def test_headers_tie(self):
        header = "#ifndef {0}\n#define {0}\n#include \"{1}\"\n#endif\n"
        files = {"a.c": "#include \"x/b.h\"\nint a;", "b.h": header.format("B", "x/c.h"), "c.h": header.format("C", "d.h")}
        status, output = self.check({**files, "d.h": ""})
        self.assertEqual(status, 0, output)
        status, output = self.check({**files, "d.h": header.format("D", "x/b.h")})
        self.assertEqual(status, 1)
        self.assertIn("a circle of 3 files", output)
        self.assertIn("x/d.h -> x/b.h: #include", output)

    def test_names_of_one_file_tie_nothing(self):
        status, output = self.check({"a.c": "static int b(void) { return 1; } int a(void) { return b(); }",
                                     "b.c": "int a(void); int b(void) { return a(); }"})
        self.assertEqual(status, 0, output)


if __name__ == "__main__":
    unittest.main()
