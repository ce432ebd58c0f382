"""scripts/options is tried on small trees: it must find a page that is out of date, a variable that the table lacks, a row that no library
reads, and a row that it cannot read."""
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "options")
TABLE = 'GEO_OPTION("GEOID_LOG", NULL, "base", "Log "\n           "level.")\nGEO_VARIABLE("ZE_AFFINITY_MASK", "0", "driver", "Devices.")\n'
SOURCE = 'geo_option_string("GEOID_LOG"); geo_option_environment("ZE_AFFINITY_MASK");\n'


class Options(unittest.TestCase):
    def run_in(self, table=TABLE, source=SOURCE, edit=lambda page: page, name="docs/user/options.md"):
        """Writes the pages of a tree, edits one, and verifies: (status, output, the page before the edit)."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in (("src/base/options.def", table), ("src/a.c", source), ("docs/user/options.md", ""), ("packaging/geoid.7", "")):
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as stream:
                    stream.write(text)
            environment = {**os.environ, "GEOID_OPTIONS_ROOT": root}
            written = subprocess.run([sys.executable, SCRIPT], env=environment, capture_output=True, text=True, check=False)
            page = os.path.join(root, name)
            with open(page, encoding="utf-8") as stream:
                text = stream.read()
            with open(page, "w", encoding="utf-8") as stream:
                stream.write(edit(text))
            done = subprocess.run([sys.executable, SCRIPT, "--verify"], env=environment, capture_output=True, text=True, check=False)
            return done.returncode, written.stderr + done.stdout, text

    def test_a_complete_tree_passes(self):
        status, output, page = self.run_in()
        self.assertEqual((status, output), (0, ""))
        self.assertIn("| `GEOID_LOG` |  | Log level. |\n", page)
        self.assertIn("| `ZE_AFFINITY_MASK` | `0` | Devices. |\n", page)

    def test_a_page_that_is_out_of_date_is_found(self):
        status, output, _ = self.run_in(edit=lambda page: page.replace("Devices.", "Machines."))
        self.assertEqual((status, output), (1, "docs/user/options.md is out of date: run scripts/options\n"))

    def test_a_manual_page_that_is_out_of_date_is_found(self):
        status, output, _ = self.run_in(edit=lambda page: page.replace("\\-", "-"), name="packaging/geoid.7")
        self.assertEqual((status, output), (1, "packaging/geoid.7 is out of date: run scripts/options\n"))

    def test_a_manual_page_has_every_variable(self):
        table = TABLE + 'GEO_OPTION("GEOID_X", NULL, "cpu", ".5 or a-b")\n'
        status, output, page = self.run_in(table=table, source=SOURCE + 'geo_option_string("GEOID_X");', name="packaging/geoid.7")
        self.assertEqual((status, output), (0, ""))
        self.assertIn(".SH DEVICES\n.TP\n.B ZE_AFFINITY_MASK\nDevices.\nThe default is 0.\n", page)
        self.assertIn(".B GEOID_X\n\\&.5 or a\\-b\n", page)

    def test_a_variable_without_a_row_is_found(self):
        for name in ("GEOID_NEW", "ZEL_LOADER_NEW", "XDG_DATA_HOME"):
            status, output, _ = self.run_in(source=SOURCE + f'read("{name}");')
            self.assertEqual((status, output), (1, f"src/a.c: {name} is not in src/base/options.def\n"))
        self.assertEqual(self.run_in(source=SOURCE + 'print("ZE_RESULT_SUCCESS")')[0], 0)

    def test_a_row_without_a_reader_is_found(self):
        status, output, _ = self.run_in(source='geo_option_string("GEOID_LOG");')
        self.assertEqual((status, output), (1, "src/base/options.def: no library reads ZE_AFFINITY_MASK\n"))

    def test_a_row_of_another_form_is_found(self):
        status, output, _ = self.run_in(table=TABLE + 'GEO_OPTION(NAME, NULL, "base", "Text.")\n')
        self.assertEqual(status, 1)
        self.assertIn("a row has another form than the others", output)

    def test_an_unknown_component_is_found(self):
        status, output, _ = self.run_in(table=TABLE.replace('"driver"', '"gpu"'))
        self.assertEqual(status, 1)
        self.assertIn("gpu: scripts/options has no heading", output)


if __name__ == "__main__":
    unittest.main()
