#!/usr/bin/env python3
"""The archive of the sources has all committed files and nothing else, and the same bytes on every
machine. tests/packaging/run_source builds one.
"""

import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COPIED = ("CMakeLists.txt", "scripts/package", "scripts/version.py")
ADDED = {"src/a.c": "int a;\n", "dos.txt": "one\r\ntwo\r\n", "tool": "#!/bin/sh\n"}


class Source(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.join(folder.name, "tree")
        self.folder = folder.name
        for name in COPIED:
            path = os.path.join(self.root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copy(os.path.join(ROOT, name), path)
        for name, text in ADDED.items():
            self.write(name, text)
        os.chmod(os.path.join(self.root, "tool"), 0o755)
        self.write(".gitignore", "/build/\n")
        self.write("build/product.o", "")
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-qm", "one", GIT_COMMITTER_DATE="1600000000 +0000")

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def git(self, *words, **environment):
        subprocess.run(
            ["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@localhost", *words],
            env={**os.environ, **environment},
            check=True,
        )

    def package(self, out="out", status=0, umask=0o022, arguments=None, **environment):
        """Makes the archive. Returns its path, or what is said of an error."""
        out = os.path.join(self.folder, out)
        done = subprocess.run(
            [os.path.join(self.root, "scripts/package"), *(arguments or ("--source", out))],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
            umask=umask,
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout.strip() if status == 0 else done.stderr

    def test_it_has_the_committed_files(self):
        with tarfile.open(self.package()) as archive:
            entries = {entry.name: entry for entry in archive if entry.isfile()}
            top = {name.partition("/")[0] for name in entries}
            self.assertEqual(len(top), 1)
            top = top.pop()
            self.assertRegex(top, r"^geoid-\d+\.\d+\.\d+$")
            wanted = {*COPIED, *ADDED, ".gitignore"}
            self.assertEqual(set(entries), {f"{top}/{name}" for name in wanted})
            for name, text in ADDED.items():
                self.assertEqual(archive.extractfile(f"{top}/{name}").read(), text.encode())
        self.assertEqual({entry.mtime for entry in entries.values()}, {1_600_000_000})
        self.assertEqual({entry.uname for entry in entries.values()}, {"root"})
        self.assertEqual(entries[f"{top}/tool"].mode, 0o755)
        self.assertEqual(entries[f"{top}/src/a.c"].mode, 0o644)

    def test_settings_of_the_machine_do_not_count(self):
        home = os.path.join(self.folder, "home")
        os.mkdir(home)
        with open(os.path.join(home, ".gitconfig"), "w", encoding="utf-8") as file:
            file.write(
                "[tar]\n\tumask = 0077\n[core]\n\tautocrlf = true\n"
                f"\tattributesFile = {home}/attributes\n"
            )
        with open(os.path.join(home, "attributes"), "w", encoding="utf-8") as file:
            file.write("*.c export-ignore\n")
        first = self.package()
        second = self.package("other", umask=0o077, HOME=home, TZ="Asia/Tokyo", LC_ALL="C")
        self.assertEqual(os.path.basename(first), os.path.basename(second))
        with open(first, "rb") as one, open(second, "rb") as other:
            self.assertEqual(
                hashlib.sha256(one.read()).digest(), hashlib.sha256(other.read()).digest()
            )

    def test_the_sum_is_listed(self):
        path = self.package()
        with open(path, "rb") as file:
            wanted = hashlib.sha256(file.read()).hexdigest()
        with open(os.path.join(os.path.dirname(path), "SHA256SUMS"), encoding="utf-8") as file:
            self.assertEqual(file.read(), f"{wanted}  {os.path.basename(path)}\n")

    def test_changes_that_are_not_committed_are_left_out(self):
        path = self.package()
        self.write("src/a.c", "int changed;\n")
        self.write("src/new.c", "int new;\n")
        with open(path, "rb") as one, open(self.package("other"), "rb") as other:
            self.assertEqual(one.read(), other.read())

    def test_trees_without_git_are_refused(self):
        """A repository around the tree does not count."""
        os.rename(os.path.join(self.root, ".git"), os.path.join(self.folder, ".git"))
        self.assertIn("the sources are not a git repository", self.package(status=1))

    def test_wrong_usage_is_refused(self):
        out = os.path.join(self.folder, "out")
        self.assertIn(
            "--source makes no other parts",
            self.package(status=1, arguments=("--source", out, "tar")),
        )
        self.assertIn("scripts/package BUILD OUT", self.package(status=2, arguments=("--source",)))
        self.assertIn(
            "is not a build folder of Geoid", self.package(status=1, arguments=(self.root, out))
        )


if __name__ == "__main__":
    unittest.main()
