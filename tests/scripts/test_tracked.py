"""scripts/tracked.py lists what git tracks, and in a source archive every file outside of build
folders."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import tracked  # noqa: E402

FILES = ("README.md", "src/a.c", "src/build/b.c", "build/c.c", "build-x/d.c", "src/__pycache__/e.pyc")


class Tracked(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.join(folder.name, "tree")
        for name in FILES:
            self.write(name)

    def write(self, name, text=""):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def git(self, *words, root=None):
        subprocess.run(["git", "-C", root or self.root, *words], check=True)

    def test_git_knows_the_files(self):
        self.git("init", "-q")
        self.write(".gitignore", "/build*/\n__pycache__/\n")
        self.git("add", "src/a.c", "README.md")
        os.unlink(os.path.join(self.root, "README.md"))
        self.assertEqual(tracked.files(self.root), ["src/a.c"])
        self.assertEqual(tracked.files(self.root, others=True),
                         [".gitignore", "src/a.c", "src/build/b.c"])

    def test_without_git_all_files_outside_of_build_folders(self):
        expected = ["README.md", "src/a.c", "src/build/b.c"]
        self.assertEqual(tracked.files(self.root), expected)
        self.assertEqual(tracked.files(self.root, others=True), expected)

    def test_a_repository_around_the_tree_does_not_count(self):
        self.git("init", "-q", root=os.path.dirname(self.root))
        self.assertEqual(tracked.files(self.root), ["README.md", "src/a.c", "src/build/b.c"])

    def test_the_program_prints_paths_for_shells(self):
        program = os.path.join(ROOT, "scripts/tracked.py")
        done = subprocess.run([program], capture_output=True, text=True, check=True)
        self.assertIn("\0scripts/tracked.py\0", done.stdout)
        self.assertEqual(done.stdout[-1], "\0")
        done = subprocess.run([program, "--all"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("usage: scripts/tracked.py", done.stderr)


if __name__ == "__main__":
    unittest.main()
