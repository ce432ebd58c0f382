"""Checks what the documents say of the tree. README's table of missing functions has what `zeinfo --functions` calls not
implemented, docs/dev/layout.md has every folder, files that pages name exist, and decisions have their form.

Usage: test_docs.py BUILD
"""
import fnmatch
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUILD = sys.argv.pop(1)
DECISIONS = [f"docs/decisions/{name}" for name in sorted(os.listdir(os.path.join(ROOT, "docs", "decisions"))) if name != "README.md"]
PARTS = ["Context", "Choice", "Alternatives", "Consequences"]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as stream:
        return stream.read()


def folders(path):
    """Of `path` and below, those that hold files of the project."""
    for folder, below, names in os.walk(os.path.join(ROOT, path)):
        below[:] = [name for name in below if not name.startswith((".", "__"))]
        if names:
            yield os.path.relpath(folder, ROOT)


def missing_functions():
    """Asks the driver of this build alone."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("ZE_", "ZES_", "ZET_", "ZEL_"))}
    environment["ZE_ENABLE_ALT_DRIVERS"] = os.path.join(BUILD, "lib", "libze_geoid.so.1")
    done = subprocess.run([os.path.join(BUILD, "bin", "zeinfo"), "--functions"], env=environment, capture_output=True,
                          text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    functions = {line[0]: line[1] for line in lines if len(line) == 2 and re.match(r"ze[rst]?[A-Z]", line[0])}
    return {name for name, state in functions.items() if state == "-"}, set(functions)


class Docs(unittest.TestCase):
    def test_missing_functions_are_listed(self):
        missing, known = missing_functions()
        self.assertGreater(len(known), 470)
        section = read("README.md").split("## What does not work\n")[1].split("\n## ")[0]
        rows = [line for line in section.splitlines() if line.startswith("| ")]
        patterns = [name for row in rows for name in re.findall(r"`(ze[\w*]+)`", row)]
        for pattern in patterns:
            self.assertTrue(fnmatch.filter(missing, pattern), f"README: nothing of {pattern} is missing any more")
        unlisted = {name for name in missing if not any(fnmatch.fnmatchcase(name, p) for p in patterns)}
        self.assertEqual(unlisted, set(), "README does not say that these are missing")

    def test_every_room_is_in_the_layout(self):
        layout = read("docs/dev/layout.md")
        rooms = layout.split("## The rooms of src\n")[1].split("\n## ")[0]
        for folder in folders("src"):
            room = folder.removeprefix("src/")
            if room.startswith("compiler/lower/"):
                found = re.search(rf"^    .*\b{room.split('/')[2]}\b", rooms, re.M)
            elif room.startswith("driver/api/"):
                found = re.search(rf"^\| `driver/api` .*`{room.split('/')[2]}`", rooms, re.M)
            else:
                found = re.search(rf"^\| .*`{room}`( \*)?[,| ]", rooms, re.M) or room == "driver"
            self.assertTrue(found, f"docs/dev/layout.md does not name {folder}")
        for folder in folders("tests"):
            kind = "/".join(folder.split("/")[:2])
            self.assertTrue(kind == "tests" or f"`{kind}/`" in layout, f"docs/dev/layout.md does not name {kind}")
        for room in re.findall(r"^\| ((?:`[\w/]+`(?: \*)?(?:, )?)+)", rooms, re.M):
            for name, star in re.findall(r"`([\w/]+)`( \*)?", room):
                self.assertEqual(os.path.isdir(os.path.join(ROOT, "src", name)), not star, f"docs/dev/layout.md: {name}")

    def test_files_that_pages_name_exist(self):
        rooms = [os.path.join(folder, "README.md") for folder in folders("src")]
        pages = [*DECISIONS, *(room for room in rooms if os.path.exists(os.path.join(ROOT, room)))]
        for page in ("docs/dev/layout.md", "docs/dev/recipes.md", "docs/glossary.md", "CONTRIBUTING.md", *pages):
            for name in re.findall(r"`([\w.-]+/[\w./-]*)`(?! \*)", read(page)):
                places = [os.path.join(ROOT, base, name) for base in ("", "src", "src/compiler", "src/compiler/lower")]
                places += [os.path.join(ROOT, os.path.dirname(page), name), os.path.join(BUILD, "gen", name)]
                if not name.startswith(("build/", "build-")):
                    self.assertTrue(any(os.path.exists(place) for place in places), f"{page}: {name} is not there")

    def test_decisions_have_their_form(self):
        """A heading, then context, choice, alternatives, consequences in at most 15 lines. The index has every page."""
        index = read("docs/decisions/README.md")
        for page in DECISIONS:
            self.assertIn(f"]({os.path.basename(page)})", index)
            decisions = re.split(r"^## ", read(page), flags=re.M)[1:]
            self.assertTrue(decisions, page)
            for decision in decisions:
                heading, _, body = decision.partition("\n")
                body = re.split(r"\n\n\|", body)[0]  # a table may follow
                self.assertEqual(re.findall(r"^- \*\*(\w+):\*\* ", body, re.M), PARTS, f"{page}: {heading}")
                self.assertLessEqual(len(body.strip().split("\n")), 15, f"{page}: {heading}")


if __name__ == "__main__":
    unittest.main()
