"""scripts/check_reproducible finds each kind of difference between two folders of packages, and
builds a commit twice in different surroundings."""

import io
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/check_reproducible"


def tar_make(members, mode="w:gz", mtime=7):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as archive:
        for name, text in members:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(text), mtime
            archive.addfile(entry, io.BytesIO(text))
    return data.getvalue()


def zip_make(name, text):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6)), text)
    return data.getvalue()


def deb_make(inner, time="7"):
    def member(name, data):
        return f"{name:<16}{time:<12}0     0     100644  {len(data):<10}`\n".encode() + data

    return b"!<arch>\n" + member("debian-binary", b"2.0\n") + member("data.tar.xz", inner)


def elf_make(number):
    """Compiles a program with debug information; it differs by a constant."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program")
        subprocess.run(
            ["cc", "-g", "-x", "c", "-", "-o", path, "-Wl,--build-id=none"],
            input=f"int number = {number}; int main(void) {{ return number; }}",
            text=True,
            check=True,
        )
        return pathlib.Path(path).read_bytes()


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def compare(self, first, second):
        """Compares folders with the given files. Returns the exit status and the lines."""
        for name, files in (("first", first), ("second", second)):
            shutil.rmtree(self.folder / name, ignore_errors=True)
            for path, data in files.items():
                file = self.folder / name / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
        done = subprocess.run(
            [SCRIPT, "--compare", self.folder / "first", self.folder / "second"],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def differs(self, first, second, *words):
        status, output = self.compare({"a": first}, {"a": second})
        self.assertEqual(status, 1, output)
        for word in words:
            self.assertIn(word, output)
        self.assertIn("some differ", output)

    def test_the_same_bytes(self):
        files = {"a.deb": deb_make(b"x"), "debug/b.deb": b"b", "SHA256SUMS": b"1"}
        status, output = self.compare(files, files)
        self.assertEqual((status, output), (0, "check_reproducible: 3 files, the same bytes\n"))

    def test_files_that_one_build_lacks(self):
        status, output = self.compare({"a": b"", "b": b""}, {"a": b"", "c/d": b""})
        self.assertEqual(status, 1)
        self.assertIn("b: only the first build makes it", output)
        self.assertIn("c/d: only the second build makes it", output)

    def test_plain_files(self):
        self.differs(b"one two", b"one too", "a: byte 5: b'wo' and b'oo'")
        self.differs(b"one", b"one two", "a: 3 bytes and 7 bytes")

    def test_members_of_archives(self):
        self.differs(
            tar_make([("f", b"1")]), tar_make([("f", b"2")]), "a: f: byte 0: b'1' and b'2'"
        )
        self.differs(tar_make([("f", b"1")]), tar_make([("f", b"1")], mtime=8), "a: f: ", "8")
        self.differs(
            tar_make([("f", b"1"), ("g", b"2")]),
            tar_make([("g", b"2"), ("f", b"1")]),
            "a: its members are in another order",
        )
        self.differs(
            tar_make([("f", b"1" * 999)], "w:xz"),
            tar_make([("f", b"1" * 999)], "w:gz"),
            "a: only its form differs",
        )
        self.differs(zip_make("f", b"1"), zip_make("f", b"2"), "a: f: byte 0")
        self.differs(zip_make("f", b"1"), zip_make("g", b"1"), "only the first has f", "has g")

    def test_packages_of_debian(self):
        one, two = (tar_make([("usr/f", text)], "w:xz") for text in (b"1", b"2"))
        self.differs(deb_make(one), deb_make(two), "a: data.tar.xz: usr/f: byte 0")
        self.differs(deb_make(one), deb_make(one, time="8"), "a: debian-binary: ")

    def test_sections_of_programs(self):
        one, two = elf_make(3), elf_make(4)
        status, output = self.compare({"a": one}, {"a": two})
        self.assertEqual(status, 1)
        self.assertRegex(output, r"a: section \d+ \.data: byte")
        self.assertNotIn(".text", output)

    def test_wrong_folders_are_refused(self):
        done = subprocess.run(
            [SCRIPT, "--compare", self.folder, self.folder / "missing"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not a folder", done.stderr)
        self.assertEqual(self.compare({}, {"a": b""})[0], 1)


class Twice(unittest.TestCase):
    """Builds a small project in the place of Geoid: `cmake` is a script that the test writes."""

    CMAKE = """#!/bin/sh
    case $1 in
    --preset) mkdir build-package ;;
    --build) %s >build-package/made ;;
    esac
    """
    PACKAGE = "#!/bin/sh\nmkdir -p $2 && cp $1/made $2 && echo $3 >$2/parts\n"

    def build(self, command, package=PACKAGE):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        tree, tools = folder / "tree", folder / "tools"
        for path, text in (
            (tree / "scripts/package", package),
            (tools / "cmake", self.CMAKE % command),
        ):
            path.parent.mkdir(parents=True)
            path.write_text(text, "utf-8")
            path.chmod(0o755)
        shutil.copy(SCRIPT, tree / "scripts")
        git = ["git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@localhost"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
            subprocess.run([*git, *words], check=True)
        (tree / "scripts/package").write_text("exit 1\n", "utf-8")  # not committed: not built
        done = subprocess.run(
            [tree / "scripts/check_reproducible", "--keep", folder / "kept", "tar"],
            env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "TZ": "UTC"},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def test_a_build_that_is_always_the_same(self):
        status, output = self.build("echo 1")
        self.assertEqual(status, 0, output)
        self.assertIn("2 files, the same bytes", output)

    def test_surroundings_differ(self):
        for command in (
            "pwd",
            "basename $PWD",
            "date -d @0 +%H",
            "umask",
            "echo $HOME",
            "echo $LC_ALL",
        ):
            status, output = self.build(command)
            self.assertEqual(status, 1, command)
            self.assertIn("made: byte", output, command)

    def test_ccache_is_off(self):
        status, output = self.build("test $CCACHE_DISABLE = 1")
        self.assertEqual(status, 0, output)

    def test_a_build_that_fails(self):
        status, output = self.build("echo broken >&2; false")
        self.assertEqual(status, 1)
        self.assertIn("cmake --build build-package", output)
        self.assertIn("broken", output)


if __name__ == "__main__":
    unittest.main()
