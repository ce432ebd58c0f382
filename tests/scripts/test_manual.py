"""scripts/manual is tried on changed copies of the tree: it must find what is out of date or missing. The pages are formatted without
warnings."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import toolhelp  # noqa: E402

PAGES = sorted(glob.glob(os.path.join(ROOT, "packaging", "manual", "*.1"))) + [os.path.join(ROOT, "packaging", "geoid.7")]


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


class Tree(unittest.TestCase):
    """A copy of what the scripts read and write, which a case changes."""

    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="geoid-manual-")
        self.addCleanup(shutil.rmtree, self.root)
        for folder in ("tools", "packaging"):
            shutil.copytree(os.path.join(ROOT, folder), os.path.join(self.root, folder))
        os.makedirs(os.path.join(self.root, "src", "base"))
        shutil.copy(os.path.join(ROOT, "src", "base", "options.def"), os.path.join(self.root, "src", "base"))

    def run_script(self, script, *arguments):
        environment = {**os.environ, "GEOID_TOOLS_ROOT": self.root}
        done = subprocess.run([sys.executable, os.path.join(ROOT, "scripts", script), *arguments], env=environment,
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def edit(self, path, old, new):
        path = os.path.join(self.root, path)
        text = read(path)
        self.assertEqual(text.count(old), 1, f"{path}: {old}")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text.replace(old, new))


class Manual(Tree):
    def test_the_pages_of_the_tree_are_up_to_date(self):
        self.assertEqual(self.run_script("manual", "--verify"), (0, ""))

    def test_a_page_that_is_out_of_date_is_found(self):
        self.edit("packaging/manual/zetop.1", "Print the version.", "Print a version.")
        os.remove(os.path.join(self.root, "packaging/manual/zedbg.1"))
        self.assertEqual(self.run_script("manual", "--verify"), (1, "packaging/manual/zedbg.1 is out of date: run scripts/manual\n"
                                                                   "packaging/manual/zetop.1 is out of date: run scripts/manual\n"))
        self.assertEqual(self.run_script("manual"), (0, ""))
        self.assertEqual(self.run_script("manual", "--verify"), (0, ""))

    def test_an_option_of_the_help_is_in_the_page(self):
        self.edit("tools/zetrace/main.c", '    "  --quiet        print no table\\n"\n',
                  '    "  --quiet        print no table\\n"\n    "  --loud LEVEL   print\\n"\n    "                 much more\\n"\n')
        self.run_script("manual")
        self.assertIn(".TP\n\\fB\\-\\-loud\\fR \\fILEVEL\\fR\nPrint much more.\n", read(os.path.join(self.root, "packaging/manual/zetrace.1")))

    def test_a_variable_that_no_page_names_is_found(self):
        self.edit("tools/zetop/screen.c", 'getenv("NO_COLOR")', 'getenv("NO_SOUND")')
        self.assertEqual(self.run_script("manual", "--verify"), (
            1, "packaging/manual/zetop.txt: the tool reads NO_SOUND, which neither this text nor src/base/options.def names\n"))

    def test_an_example_with_an_unknown_option_is_found(self):
        self.edit("packaging/manual/zeinfo.txt", "    zeinfo --why\n", "    zeinfo --because\n")
        self.run_script("manual")
        self.assertEqual(self.run_script("manual", "--verify"), (1, "packaging/manual/zeinfo.txt: zeinfo has no option --because\n"))

    def test_a_help_without_exit_status_is_found(self):
        self.edit("tools/zedbg/main.c", '"Exit status: ', '"Status: ')
        status, output = self.run_script("manual")
        self.assertEqual((status, output), (1, 'tools/zedbg/main.c: the help of zedbg has no paragraph "Exit status: "\n'))

    def test_pages_have_every_option_and_section(self):
        for tool in toolhelp.SOURCES:
            text = read(os.path.join(ROOT, "packaging", "manual", f"{tool}.1")).replace("\\-", "-")
            for option in toolhelp.of_tool(tool).options:
                for name in option.names:
                    self.assertRegex(text, rf"\.TP\n.*\\fB{re.escape(name)}", f"{tool}: {name}")
            for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES", "SEE ALSO"):
                self.assertIn(f"\n.SH {section}\n", text, tool)

    def test_pages_are_formatted_without_warnings(self):
        if not shutil.which("man") or not shutil.which("groff"):
            self.skipTest("man or groff is not installed")
        self.assertGreater(len(PAGES), 7)
        for page in PAGES:
            done = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True, check=False,
                                  env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)
            self.assertIn("SEE ALSO", done.stdout)
            for line in done.stdout.splitlines():
                self.assertLessEqual(len(line), 100, page)

    def test_mandoc_finds_no_errors(self):
        if not shutil.which("mandoc"):
            self.skipTest("mandoc is not installed")
        for page in PAGES:
            done = subprocess.run(["mandoc", "-Tlint", "-Werror", page], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, ""), page)


if __name__ == "__main__":
    unittest.main()
