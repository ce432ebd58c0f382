"""Tests scripts/check_names: names lead to their folder, and types have one meaning."""
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "check_names")

TABLE = """# Layout

## Where a name lives

| folder | names begin with |
|---|---|
| `x` | `geo_a`, `geo_list` |
| `y` | `geo_a_far`, `geo_b` |

## Something else

| `z` | `geo_z` |
"""


class CheckNames(unittest.TestCase):
    def check(self, files, table=TABLE):
        """Runs the script on a tree of {path below src: text}. Returns its exit status and output."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in {"docs/dev/layout.md": table, **{"src/" + path: text for path, text in files.items()}}.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as stream:
                    stream.write(text)
            done = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    # One function for each beginning of the table.
    whole = {"x/a.c": "int geo_a_near(void)\n{\n}\n\nbool geo_list(int x,\n              int y)\n{\n}\n",
             "y/b.c": "struct geo_t *geo_b_make(void)\n{\n}\n\nvoid geo_a_far_away(void)\n{\n}\n"}

    def assert_found(self, files, finding, table=TABLE):
        status, output = self.check({**self.whole, **files}, table)
        self.assertEqual(status, 1, output)
        self.assertIn(finding, output)

    def test_a_tree_that_follows_the_table(self):
        status, output = self.check({**self.whole, "x/below/c.c": "int geo_a_deep(void)\n{\n}\n",
                                     "x/d.c": "static int geo_b_own(void)\n{\n}\nint geo_zeInit(void)\n{\n}\n/* int geo_b_x(void) { */\n"})
        self.assertEqual(status, 0, output)

    def test_a_function_in_another_folder(self):
        self.assert_found({"x/c.c": "int geo_b_c(void)\n{\n}\n"}, "src/x/c.c: geo_b_c begins like a name of y (geo_b)")

    def test_an_inline_function_of_a_header(self):
        self.assert_found({"x/c.h": "static inline int geo_b_c(void)\n{\n}\n"}, "src/x/c.h: geo_b_c begins like a name of y (geo_b)")

    def test_the_longest_beginning_counts(self):
        self.assert_found({"x/c.c": "int geo_a_far(void)\n{\n}\n"}, "geo_a_far begins like a name of y (geo_a_far)")

    def test_a_beginning_ends_at_a_word(self):
        self.assert_found({"x/c.c": "int geo_lists(void)\n{\n}\n"}, "src/x/c.c: no beginning of geo_lists is in the table")

    def test_a_type_with_two_meanings(self):
        self.assert_found({"x/c.h": "struct geo_t {\n};\n", "y/c.c": "struct geo_t {\n};\n"},
                          "geo_t is the name of several types: src/x/c.h, src/y/c.c")

    def test_a_beginning_without_functions(self):
        self.assert_found({}, "no function begins with geo_c", TABLE.replace("`geo_b`", "`geo_b`, `geo_c`"))

    def test_a_beginning_of_two_folders(self):
        self.assert_found({}, "geo_list belongs to x already", TABLE.replace("`geo_b`", "`geo_b`, `geo_list`"))

    def test_a_folder_that_does_not_exist(self):
        self.assert_found({}, "the folder does not exist: src/w", TABLE.replace("| `y` ", "| `w` ", 1))

    def test_a_document_without_the_table(self):
        self.assert_found({}, "the table 'Where a name lives' is missing", "# Layout\n")


if __name__ == "__main__":
    unittest.main()
