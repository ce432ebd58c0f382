#!/usr/bin/env python3
"""scripts/check_links finds links, paths and headings that lead nowhere, and nothing else."""
import os
import subprocess
import tempfile
import unittest

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "check_links")
PAGE = "# A page\n\n## Any `code` can be cited\n\nText.\n"


class CheckLinks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.git("init", "-q")
        self.write("docs/page.md", PAGE)

    def git(self, *words):
        subprocess.run(["git", "-C", self.folder.name, *words], check=True, capture_output=True)

    def write(self, path, text):
        whole = os.path.join(self.folder.name, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8") as stream:
            stream.write(text)
        self.git("add", path)

    def findings(self, path, text):
        """The findings of one more file; the exit status says whether there are any."""
        self.write(path, text)
        done = subprocess.run([CHECK], env={**os.environ, "GEOID_LINKS_ROOT": self.folder.name}, capture_output=True, text=True,
                              check=False)
        lines = done.stdout.splitlines()[:-1]
        self.assertEqual(done.returncode, 1 if lines else 0, done.stdout + done.stderr)
        return lines

    def test_links_of_documents(self):
        self.assertEqual(self.findings("docs/a.md", "[p](page.md) [q](../docs/page.md) [r](https://example.org/x) [s](#here)\n\n# Here\n"), [])
        self.assertEqual(self.findings("docs/a.md", "Text.\n\n[p](pages.md)\n"), ["docs/a.md:3: the link to pages.md leads nowhere"])

    def test_headings_of_links(self):
        self.assertEqual(self.findings("docs/a.md", "[p](page.md#any-code-can-be-cited)\n"), [])
        self.assertEqual(self.findings("docs/a.md", "[p](page.md#other)\n"), ["docs/a.md:1: page.md has no heading #other"])
        self.assertEqual(self.findings("docs/a.md", "[p](#other)\n"), ["docs/a.md:1: docs/a.md has no heading #other"])

    def test_code_in_documents_is_left_out(self):
        self.assertEqual(self.findings("docs/a.md", "```\n[p](pages.md) docs/none.md\n```\n\n    docs/none.md\n"), [])

    def test_paths_in_any_file(self):
        self.assertEqual(self.findings("src/a.c", "/* See docs/page.md. */\n"), [])
        self.assertEqual(self.findings("src/a.c", "int x; /* docs/none.md */\n"), ["src/a.c:1: docs/none.md is not there"])
        self.assertEqual(self.findings("src/a.c", "\n/* src/room/README.md says how. */\n"), ["src/a.c:2: src/room/README.md is not there"])
        self.assertEqual(self.findings("src/a.c", "/* oneapi-src/level-zero/docs/none.md */\n"), [])

    def test_cited_headings(self):
        cited = "docs/page.md, \"Any `code` can\n%sbe cited\"."
        for path, begin, mark, end in (("src/a.c", "/* ", " * ", " */"), ("src/a.py", "# ", "# ", ""), ("docs/a.md", "", "", "")):
            self.assertEqual(self.findings(path, begin + cited % mark + end + "\n"), [])
        self.assertEqual(self.findings("docs/a.md", "docs/page.md, \"Any code\"\n"), ["docs/a.md: docs/page.md has no heading \"Any code\""])

    def test_lines_that_only_look_like_headings(self):
        self.write("docs/page.md", PAGE + "\n```\n# Not one\n```\n")
        self.assertEqual(self.findings("src/a.c", "/* docs/page.md, \"Not one\" */\n"), ["src/a.c: docs/page.md has no heading \"Not one\""])


if __name__ == "__main__":
    unittest.main()
