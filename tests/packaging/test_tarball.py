"""The archive with install.sh: it installs, upgrades, removes, and refuses what cannot work.

Usage: test_tarball.py BUILD
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fake  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None
TOOL = ROOT / "packaging/tarball/build"
REAL = ("zeinfo", "libze_loader", "libze_null")


def run(*command, **options):
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, **options
    )


def listing(folder):
    """Returns the relative paths of everything in a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


class Tarball(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.work.name).resolve()
        cls.installed = fake.fake_build(BUILD, cls.root / "fake", keep=REAL)
        made = run(TOOL, cls.root / "fake", "-o", cls.root / "out")
        if made.returncode:
            raise AssertionError(made.stdout + made.stderr)
        cls.archive = pathlib.Path(made.stdout.strip())
        with tarfile.open(cls.archive) as archive:
            cls.entries = archive.getmembers()
            archive.extractall(cls.root / "unpacked")
        cls.tree = cls.root / "unpacked" / cls.archive.name.removesuffix(".tar.gz")

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(dir=self.root))
        self.prefix = self.place / "a prefix"

    def install(self, *arguments, tree=None, **options):
        return run(
            "sh", (tree or self.tree) / "install.sh", "--prefix", self.prefix, *arguments, **options
        )

    def assert_refused(self, done, text, status=1):
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertIn(text, done.stderr)

    def changed(self, old, new):
        """Returns a copy of the unpacked archive whose install.sh has another text."""
        tree = self.place / "changed"
        shutil.copytree(self.tree, tree, symlinks=True)
        script = (tree / "install.sh").read_text("utf-8")
        self.assertEqual(script.count(old), 1)
        (tree / "install.sh").write_text(script.replace(old, new), "utf-8")
        return tree

    def test_installed_tools_work(self):
        done = self.install()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"was installed below {self.prefix}", done.stdout)
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("LD_", "ZE"))
        }
        shown = run(
            self.prefix / "bin/zeinfo", "--list", env={**environment, "ZE_ENABLE_NULL_DRIVER": "1"}
        )
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertRegex(shown.stdout, r"devices \[0\] +\[gpu\] Geoid null device")
        shown = run(
            self.prefix / "bin/zeinfo", "--why", env={**environment, "ZE_ENABLE_NULL_DRIVER": "1"}
        )
        self.assertIn(f"{self.prefix}/bin/../lib/libze_loader.so.1", shown.stdout)
        self.assertEqual(
            (self.prefix / "etc/OpenCL/vendors/geoid.icd").read_text("utf-8"),
            f"{self.prefix}/lib/libgeoid_opencl.so.1\n",
        )

    def test_no_file_is_lost(self):
        self.install()
        found = {
            path
            for path in listing(self.prefix)
            if (self.prefix / path).is_symlink() or not (self.prefix / path).is_dir()
        }
        expected = {path.removeprefix("usr/") for path in self.installed}
        self.assertEqual(
            found,
            expected
            | {"share/geoid/install.sh", "share/geoid/installed", "etc/OpenCL/vendors/geoid.icd"},
        )

    def test_uninstall_leaves_nothing(self):
        self.install()
        done = run("sh", self.prefix / "share/geoid/install.sh", "--uninstall")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(listing(self.place), [])

    def test_uninstall_keeps_what_others_have(self):
        (self.prefix / "lib/empty").mkdir(parents=True)
        (self.prefix / "bin").mkdir()
        (self.prefix / "bin/mine").touch()
        before = listing(self.prefix)
        self.install()
        (self.prefix / "include/level_zero/mine.h").touch()
        done = self.install("--uninstall")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            listing(self.prefix),
            sorted([*before, "include", "include/level_zero", "include/level_zero/mine.h"]),
        )

    def test_upgrade_removes_files_that_the_new_version_lacks(self):
        older = self.changed("set -eu", "set -eu ")
        (older / "lib/old").mkdir()
        (older / "lib/old/libold.so").touch()
        with open(older / "MANIFEST", "a", encoding="utf-8") as file:
            file.write("lib/old/libold.so\n")
        self.assertEqual(self.install(tree=older).returncode, 0)
        self.assertTrue((self.prefix / "lib/old/libold.so").exists())
        self.assertEqual(self.install().returncode, 0)
        self.assertFalse((self.prefix / "lib/old").exists())
        self.assertEqual(self.install("--uninstall").returncode, 0)
        self.assertFalse(self.prefix.exists())

    def test_running_programs_keep_their_files(self):
        self.install()
        with open(self.prefix / "lib/libze_loader.so.1", "rb") as old:
            self.install()
            self.assertNotEqual(
                os.fstat(old.fileno()).st_ino, os.stat(self.prefix / "lib/libze_loader.so.1").st_ino
            )

    def test_files_of_others_are_not_replaced(self):
        (self.prefix / "lib").mkdir(parents=True)
        (self.prefix / "lib/libze_loader.so.1").write_text("other", "utf-8")
        self.assert_refused(self.install(), "--force replaces them: lib/libze_loader.so.1")
        self.assertEqual(listing(self.prefix), ["lib", "lib/libze_loader.so.1"])
        self.assertEqual(self.install("--force").returncode, 0)

    def test_foreign_machines_are_refused(self):
        self.assert_refused(
            self.install(tree=self.changed("\nmachine=x86_64\n", "\nmachine=vax\n")),
            "this archive is for vax",
        )
        self.assertEqual(
            listing(self.place),
            sorted(["changed"] + [f"changed/{path}" for path in listing(self.tree)]),
        )

    def test_older_c_libraries_are_refused(self):
        needed = [
            line
            for line in (self.tree / "install.sh").read_text("utf-8").splitlines()
            if line.startswith("glibc=")
        ][0]
        self.assertGreaterEqual(tuple(map(int, needed.split()[0][6:].split("."))), (2, 34))
        for version in ("2.999", "3.0"):
            tree = self.changed(needed, f"glibc={version}")
            self.assert_refused(self.install(tree=tree), f"this archive needs {version}")
            shutil.rmtree(tree)
        self.assertEqual(self.install(tree=self.changed(needed, "glibc=1.999")).returncode, 0)

    def test_incomplete_archives_are_refused(self):
        tree = self.changed("set -eu", "set -eu ")
        (tree / "lib/libze_geoid.so.1").unlink()
        self.assert_refused(
            self.install(tree=tree), "lib/libze_geoid.so.1 is missing: unpack the archive again"
        )
        self.assertFalse(self.prefix.exists())

    def test_wrong_usage_is_refused(self):
        for arguments in (["--prefix"], ["--unknown"], ["--prefix", ""]):
            done = run("sh", self.tree / "install.sh", *arguments)
            self.assert_refused(done, "usage: install.sh", 2)
        self.assert_refused(self.install("--uninstall"), "does not exist")
        self.prefix.mkdir()
        self.assert_refused(self.install("--uninstall"), "has no installation of Geoid")
        self.assert_refused(
            run("sh", self.tree / "install.sh", "--prefix", self.tree),
            "is the unpacked archive: name another",
        )

    def test_entries_belong_to_root(self):
        for entry in self.entries:
            self.assertEqual((entry.uid, entry.gid, entry.uname), (0, 0, "root"), entry.name)
            if not entry.issym():
                self.assertIn(entry.mode, (0o755, 0o644), entry.name)
        self.assertEqual(len({entry.mtime for entry in self.entries}), 1)

    def test_same_build_gives_same_bytes(self):
        for path in (self.root / "fake/tree").rglob("*"):
            if not path.is_symlink():
                os.utime(path, (1, 1))
        made = run(
            TOOL,
            self.root / "fake",
            "-o",
            self.root / "second",
            umask=0o077,
            env={**os.environ, "TZ": "Asia/Tokyo"},
        )
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(
            (self.root / "second" / self.archive.name).read_bytes(), self.archive.read_bytes()
        )


if __name__ == "__main__":
    unittest.main()
