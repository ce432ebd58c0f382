"""Tools find libraries in the folder to which packages of Debian move them.

Usage: test_folders.py BUILD MULTIARCH
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MULTIARCH = sys.argv.pop(2) if len(sys.argv) > 2 else None
BUILD = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None


class Folders(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)
        self.prefix = pathlib.Path(self.work.name).resolve()
        self.libraries = self.prefix / "lib" / MULTIARCH
        (self.libraries / "geoid").mkdir(parents=True)
        (self.prefix / "bin").mkdir()
        for tool in ("geoid-blocks", "geoid-run", "zeinfo", "zetrace"):
            if (BUILD / "bin" / tool).exists():
                shutil.copy(BUILD / "bin" / tool, self.prefix / "bin")
        for name in (
            "libze_loader.so.1",
            "libze_null.so.1",
            "libze_geoid.so.1",
            "libze_tracing_layer.so.1",
        ):
            shutil.copy(BUILD / "lib" / name, self.libraries)
        for library in (BUILD / "lib/geoid").glob("*.so"):
            shutil.copy(library, self.libraries / "geoid")

    def started(self, tool, *arguments):
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("LD_", "ZE", "OCL_"))
        }
        environment = {**kept, "LD_LIBRARY_PATH": str(self.libraries), "ZE_ENABLE_NULL_DRIVER": "1"}
        return subprocess.run(
            [self.prefix / "bin" / tool, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def test_zetrace_finds_its_collector(self):
        done = self.started(
            "zetrace",
            "-o",
            str(self.prefix / "trace.json"),
            str(self.prefix / "bin/zeinfo"),
            "--list",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("zeDeviceGet", (self.prefix / "trace.json").read_text("utf-8"))

    def test_geoid_blocks_finds_its_layer(self):
        if not (self.prefix / "bin/geoid-blocks").exists():
            self.skipTest("this build has no geoid-blocks")
        self.assertEqual(self.started("geoid-blocks", "true").returncode, 0)
        (self.libraries / "geoid/libgeoid_blocks_layer.so").unlink()
        self.assertEqual(self.started("geoid-blocks", "true").returncode, 126)

    def test_geoid_run_finds_loader_and_driver(self):
        done = self.started(
            "geoid-run", "sh", "-c", 'echo "$LD_LIBRARY_PATH $ZE_ENABLE_ALT_DRIVERS"'
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            done.stdout, f"{self.libraries}:{self.libraries} {self.libraries}/libze_geoid.so.1\n"
        )


if __name__ == "__main__":
    unittest.main()
