"""Tests scripts/check_names: names lead to their file, and types have one meaning."""
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
| `z/*` | `geo_z` |

| file | names begin with |
|---|---|
| `x/a.c` | `geo_first` |
| `y/arm.h` | `geo_cpu` |
| `y/intel.h` | `geo_cpu` |

## Something else

| `z` | `geo_q` |
"""


def function(name):
    return f"int {name}(void)\n{{\n}}\n"


class CheckNames(unittest.TestCase):
    def run_on(self, files, table=TABLE, arguments=()):
        """Runs the script on a tree of {path below src: text}. Returns its exit status and output."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in {"docs/dev/layout.md": table, **{"src/" + path: text for path, text in files.items()}}.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as stream:
                    stream.write(text)
            done = subprocess.run([sys.executable, SCRIPT, root, *arguments], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    # One function for each beginning of the tables.
    whole = {"x/a.c": function("geo_a_near") + function("geo_first_of_all"),
             "x/list.h": "bool geo_list(int x,\n              int y)\n{\n}\n",
             "y/b.c": "struct geo_t *geo_b_make(void)\n{\n}\n",
             "y/far.c": "void geo_a_far_away(void)\n{\n}\n",
             "y/arm.h": "static inline int geo_cpu_id(void)\n{\n}\n",
             "y/intel.h": "static inline int geo_cpu_id(void)\n{\n}\n",
             "z/below/tree.c": function("geo_z_tree")}

    def assert_found(self, files, finding, table=TABLE):
        status, output = self.run_on({**self.whole, **files}, table)
        self.assertEqual(status, 1, output)
        self.assertIn(finding, output)

    def assert_clean(self, files, table=TABLE):
        status, output = self.run_on({**self.whole, **files}, table)
        self.assertEqual(status, 0, output)
        self.assertIn(" 0 findings", output)

    def test_a_tree_that_follows_the_table(self):
        self.assert_clean({"x/d.c": "static int geo_b_own(void)\n{\n}\nint geo_zeInit(void)\n{\n}\n/* int geo_b_x(void) { */\n"})

    def test_a_function_in_another_folder(self):
        self.assert_found({"x/b.c": function("geo_b_c")}, "src/x/b.c: geo_b_c begins like a name of y (geo_b)")

    def test_a_folder_means_itself_alone(self):
        self.assert_found({"x/below/a.c": function("geo_a_deep")}, "src/x/below/a.c: geo_a_deep begins like a name of x (geo_a)")

    def test_a_star_means_the_folders_below_too(self):
        self.assert_clean({"z/other/leaf.c": function("geo_z_leaf"), "z/root.c": function("geo_z_root")})
        self.assert_found({"z/root.c": function("geo_z_tree_grow")}, "src/z/root.c: geo_z_tree_grow leads to z/below/tree (geo_z)")

    def test_an_inline_function_of_a_header(self):
        self.assert_found({"x/b.h": "static inline int geo_b_c(void)\n{\n}\n"}, "src/x/b.h: geo_b_c begins like a name of y (geo_b)")

    def test_the_longest_beginning_counts(self):
        self.assert_found({"x/a.h": function("geo_a_far")}, "geo_a_far begins like a name of y (geo_a_far)")

    def test_a_beginning_ends_at_a_word(self):
        self.assert_found({"x/c.c": function("geo_lists")}, "src/x/c.c: no beginning of geo_lists is in the table")

    def test_a_name_without_a_file(self):
        self.assert_found({"y/c.c": function("geo_b_c"), "y/d.c": function("geo_b_other")}, "src/y/d.c: geo_b_other leads to y/b (geo_b)")
        self.assert_found({"y/d.c": function("geo_a_far_off"), "y/far.c": "", "y/b.c": function("geo_w_x")},
                          "src/y/b.c: geo_w_x leads to no file (geo_w)", TABLE.replace("`geo_b`", "`geo_b`, `geo_w`"))

    def test_the_longest_run_of_words_is_the_file(self):
        table = TABLE.replace("`geo_b`", "`geo_b`, `geo_w`")
        self.assert_clean({"y/c_d.c": function("geo_w_c_d_e"), "y/c.c": function("geo_w_c_e"), "y/e.c": ""}, table)
        self.assert_found({"y/c.c": function("geo_w_c_d_e"), "y/c_d.c": ""}, "src/y/c.c: geo_w_c_d_e leads to y/c_d (geo_w)", table)

    def test_the_first_of_equal_runs_is_the_file(self):
        self.assert_found({"x/list.c": function("geo_a_list")}, "src/x/list.c: geo_a_list leads to x/a (geo_a)")

    def test_a_file_named_like_its_folder_counts_last(self):
        table = TABLE.replace("`geo_b`", "`geo_b`, `geo_y`")
        self.assert_clean({"y/y.c": function("geo_y_open"), "y/b.h": function("geo_y_b")}, table)
        self.assert_found({"y/y.c": function("geo_y_b")}, "src/y/y.c: geo_y_b leads to y/b (geo_y)", table)

    def test_a_word_fits_its_plural(self):
        table = TABLE.replace("`geo_b`", "`geo_b`, `geo_w`")
        self.assert_clean({"y/entries.c": function("geo_w_entry"), "y/box.c": function("geo_w_boxes"), "y/part.c": function("geo_w_parts")}, table)
        self.assert_found({"y/entry.c": function("geo_w_entry"), "y/entries.c": function("geo_w_entry_old")},
                          "src/y/entries.c: geo_w_entry_old leads to y/entry (geo_w)", table)

    def test_a_prefix_geo_of_a_file_is_left_out(self):
        self.assert_clean({"x/geo_list_walk.h": function("geo_list_walk")})

    def test_two_files_of_one_name(self):
        self.assert_found({"z/other/tree.c": ""}, "src/z/below/tree.c: geo_z_tree leads to z/below/tree and z/other/tree (geo_z)")

    def test_a_beginning_of_a_file(self):
        self.assert_found({"x/list.c": function("geo_first_list")}, "src/x/list.c: geo_first_list leads to x/a (geo_first)")

    def test_a_row_that_no_function_needs(self):
        self.assert_found({}, "no function needs geo_a_near in the row of x/a", TABLE.replace("`geo_first`", "`geo_first`, `geo_a_near`"))
        self.assert_found({"y/intel.h": ""}, "no function needs geo_cpu in the row of y/intel")

    def test_a_type_with_two_meanings(self):
        self.assert_found({"x/c.h": "struct geo_t {\n};\n", "y/c.c": "struct geo_t {\n};\n"},
                          "geo_t is the name of several types: src/x/c.h, src/y/c.c")

    def test_a_beginning_without_functions(self):
        self.assert_found({}, "no function begins with geo_c", TABLE.replace("`geo_b`", "`geo_b`, `geo_c`"))
        self.assert_found({}, "no function begins with geo_c", TABLE.replace("`geo_first`", "`geo_first`, `geo_c`"))

    def test_a_beginning_of_two_places(self):
        self.assert_found({}, "geo_list belongs to x already", TABLE.replace("`geo_b`", "`geo_b`, `geo_list`"))
        self.assert_found({}, "geo_list belongs to x already", TABLE.replace("`geo_first`", "`geo_first`, `geo_list`"))

    def test_a_place_that_does_not_exist(self):
        self.assert_found({}, "neither a folder nor a file: src/w", TABLE.replace("| `y` ", "| `w` ", 1))
        self.assert_found({}, "neither a folder nor a file: src/x/w.c", TABLE.replace("| `x/a.c` ", "| `x/w.c` ", 1))

    def test_a_document_without_the_table(self):
        self.assert_found({}, "the table 'Where a name lives' is missing", "# Layout\n")

    def test_find(self):
        status, output = self.run_on(self.whole, arguments=["--find", "geo_z_tree", "geo_cpu_id", "geo_q"])
        self.assertEqual(status, 0, output)
        self.assertEqual(output, "geo_z_tree src/z/below/tree\ngeo_cpu_id src/y/arm src/y/intel\ngeo_q leads to no file\n")


if __name__ == "__main__":
    unittest.main()
