"""The recipes of packaging/ci: docs/user/ci.md has their text, and their commands work.

Each command of a recipe runs as its CI system runs it, in a folder with a small program. Nothing is
installed from the network: the variable GEOID_PREFIX of the recipes names an installed Geoid, which
is this build's. `make test-recipes` runs the recipes with packages, in clean systems.

Usage: test_ci.py BUILD CMAKE [--update]      --update writes the recipes into the page
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "packaging"))
import recipes  # noqa: E402
from recipes import RECIPES, read  # noqa: E402

PAGE = os.path.join(ROOT, "docs", "user", "ci.md")
INCLUDED = re.compile(r"(<!-- file: packaging/ci/([\w.]+) -->\n\n```\w*\n)(.*?)(```\n)", re.S)
NOT_KEPT = ("GEOID_", "ZE_", "ZES_", "ZET_", "ZEL_", "LD_")


class Recipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = tempfile.mkdtemp(prefix="geoid-ci-")
        cls.prefix = os.path.join(cls.base, "prefix")
        done = subprocess.run(
            [CMAKE, "--install", BUILD, "--prefix", cls.prefix],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.base)

    def project(self, wrong=False):
        folder = tempfile.mkdtemp(dir=self.base)
        recipes.project_write(folder, wrong)
        return folder

    def run_recipe(self, reader, folder):
        """Runs the commands until one fails. Returns the exit status and what was printed."""
        recipe = reader(folder)
        kept = {name: os.environ[name] for name in os.environ if not name.startswith(NOT_KEPT)}
        added = os.path.join(folder, "path")
        environment = {
            **kept,
            **recipe.variables,
            "GEOID_PREFIX": self.prefix,
            "GITHUB_PATH": added,
            "GEOID_DEVICES": "1",
            "GEOID_NVIDIA": "off",
        }
        printed = ""
        self.assertTrue(recipe.steps)
        for step in recipe.steps:
            if step.title.startswith("COPY "):  # packages, which an installed Geoid replaces
                continue
            if os.path.exists(added):  # GitHub puts these folders before PATH of later steps
                environment["PATH"] = ":".join([*read(added).split(), kept["PATH"]])
            done = subprocess.run(
                [*step.shell, step.command],
                cwd=step.folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            printed += done.stdout
            if done.returncode:
                return done.returncode, printed
        return 0, printed

    def works(self, reader):
        folder = self.project()
        status, printed = self.run_recipe(reader, folder)
        self.assertEqual(status, 0, printed)
        self.assertRegex(printed, r"ok +kernel")
        self.assertIn("100% tests passed", printed)
        self.assertEqual(recipes.reports_check(folder), [])

    def test_github(self):
        self.works(recipes.github)

    def test_gitlab(self):
        self.works(recipes.gitlab)

    def test_jenkins(self):
        self.works(recipes.jenkins)

    def test_docker(self):
        folder = self.project()
        loader = glob.glob(f"{self.prefix}/lib*/**/libze_loader.so.1", recursive=True)[0]
        built = subprocess.run(
            ["cc", "program.c", f"-I{self.prefix}/include", loader, "-o", "program"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(built.returncode, 0, built.stderr)
        status, printed = self.run_recipe(recipes.docker, folder)
        self.assertEqual(status, 0, printed)
        self.assertRegex(printed, r"ok +kernel")
        os.unlink(os.path.join(folder, "program"))
        status, printed = self.run_recipe(recipes.docker, folder)
        self.assertNotEqual(status, 0, "the image was not run")

    def test_wrong_calls_fail_the_job(self):
        for reader in (recipes.github, recipes.gitlab, recipes.jenkins):
            folder = self.project(wrong=True)
            status, printed = self.run_recipe(reader, folder)
            self.assertNotEqual(status, 0, printed)
            self.assertIn('"ruleId":"destroyed-handle"', printed)
            self.assertIn("100% tests passed", printed)  # the program ignores the error
            self.assertTrue(os.path.exists(os.path.join(folder, "reports", "junit.xml")))

    def test_the_page_has_the_recipes(self):
        found = {name: text for _, name, text, _ in INCLUDED.findall(read(PAGE))}
        self.assertEqual(set(found), set(os.listdir(RECIPES)))
        self.assertEqual(set(found), set(recipes.READERS))
        for name, text in found.items():
            self.assertEqual(text, recipes.recipe_text(name), f"run test_ci.py with --update: {name}")


def update():
    page = INCLUDED.sub(
        lambda found: found[1] + recipes.recipe_text(found[2]) + found[4], read(PAGE)
    )
    recipes.write(PAGE, page)


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
        sys.exit(0)
    CMAKE = sys.argv.pop(2)
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main()
