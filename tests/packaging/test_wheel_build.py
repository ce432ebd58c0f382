#!/usr/bin/env python3
"""The wheel of a build has what users need, and its programs use no file outside of it but those
of every system.

Usage: test_wheel_build.py BUILD CMAKE. The wheel is unpacked, not installed: no network is used.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

BUILD, CMAKE = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "packaging", "wheel"))
import elf  # noqa: E402

BYTES_MAX = 60 << 20
CLEAN = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("ZE", "OCL_", "LD_", "PYTHON"))
} | {"PYTHONDONTWRITEBYTECODE": "1", "GEOID_CACHE_SIZE": "off"}
BASE = tempfile.mkdtemp()
SITE = os.path.join(BASE, "site")
made = {}


def setUpModule():
    unittest.addModuleCleanup(shutil.rmtree, BASE)
    prefix = os.path.join(BASE, "prefix")
    subprocess.run(
        [CMAKE, "--install", BUILD, "--prefix", prefix],
        env={**os.environ, "DESTDIR": ""},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    made["path"] = subprocess.run(
        [os.path.join(ROOT, "packaging/wheel/build"), prefix, "-o", os.path.join(BASE, "out")],
        env=CLEAN,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.strip()
    shutil.rmtree(prefix)
    with zipfile.ZipFile(made["path"]) as archive:
        for entry in archive.infolist():
            os.chmod(archive.extract(entry, SITE), entry.external_attr >> 16 & 0o777)


def geoid(*words):
    return subprocess.run(
        [sys.executable, "-m", "geoid", *words],
        env=CLEAN | {"PYTHONPATH": SITE},
        capture_output=True,
        text=True,
        check=False,
    )


class Wheel(unittest.TestCase):
    def test_it_is_small_and_named_for_its_systems(self):
        self.assertLess(os.path.getsize(made["path"]), BYTES_MAX)
        self.assertRegex(
            os.path.basename(made["path"]), r"^geoid-[\d.]+-py3-none-manylinux_2_\d+_\w+\.whl$"
        )

    def test_every_library_is_inside_or_on_every_system(self):
        """The dynamic linker says where it finds each library, also those of libraries."""
        prefix = os.path.realpath(os.path.join(SITE, "geoid"))
        bundled = {name for _, _, names in os.walk(os.path.join(prefix, "lib")) for name in names}
        count = 0
        for folder, _, names in os.walk(prefix):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    if not elf.is_elf(file.read(4)):
                        continue
                count += 1
                text = (
                    subprocess.run(
                        [path],
                        env=CLEAN | {"LD_TRACE_LOADED_OBJECTS": "1"},
                        stdout=subprocess.PIPE,
                        text=True,
                        check=False,
                    ).stdout
                    if folder.endswith("bin")
                    else ""
                )
                self.assertNotIn("not found", text, path)
                for needed, found in re.findall(r"(\S+) => (/.*) \(0x", text):
                    self.assertEqual(
                        needed in bundled,
                        found.startswith(prefix + "/"),
                        f"{path}: {needed} => {found}",
                    )
        self.assertGreater(count, 12)

    def test_the_tools_start(self):
        for name in ("zeinfo", "zetop", "zetrace", "zedbg", "geoidc"):
            if os.path.exists(os.path.join(SITE, "geoid", "bin", name)):
                done = geoid(name, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""), name)
        self.assertRegex(geoid("zeinfo", "--list").stdout, r"\[gpu\] .*Geoid CPU")
        self.assertIn("usage: ocloc", geoid("ocloc", "--help").stdout)

    def test_kernels_are_built_and_run(self):
        program = os.path.join(BUILD, "examples", "saxpy")
        if not os.path.exists(program):
            self.skipTest("this build has no examples")
        done = geoid("run", program)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        loads = geoid("run", "env", "LD_DEBUG=libs", f"LD_DEBUG_OUTPUT={BASE}/debug", program)
        self.assertEqual(loads.returncode, 0)
        prefix = os.path.join(os.path.realpath(SITE), "geoid")
        text = ""
        for name in os.listdir(BASE):
            if name.startswith("debug."):
                with open(os.path.join(BASE, name), encoding="utf-8", errors="replace") as file:
                    text += file.read()
        for library in ("libze_loader.so.1", "libze_geoid.so.1", "libgeoid_compiler.so.1"):
            self.assertRegex(
                text,
                rf"calling init: {re.escape(prefix)}/\S*/{re.escape(library)}",
            )
        self.assertNotIn("libzstd", text)


if __name__ == "__main__":
    unittest.main()
