#!/usr/bin/env python3
"""The libraries that programs load need nothing that a supported system may lack.

Usage: test_needs.py BUILD STATIC; STATIC is 1 if the compiler could be linked with the archive of
zstd, and empty otherwise.
"""

import os
import sys
import unittest

BUILD, STATIC = sys.argv.pop(1), sys.argv.pop(1)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "packaging", "wheel"))
import elf  # noqa: E402
import tag  # noqa: E402


def library(name):
    with open(os.path.join(BUILD, "lib", name), "rb") as file:
        return elf.Elf(file.read())


class Needs(unittest.TestCase):
    @unittest.skipUnless(STATIC, "zstd or LLVM could not be linked statically")
    def test_the_compiler_needs_libraries_of_every_system(self):
        needed = library("libgeoid_compiler.so.1").needed()
        others = [
            name for name in needed if name not in tag.ALLOWED and not tag.LINKER.fullmatch(name)
        ]
        self.assertEqual(others, [])

    @unittest.skipUnless(STATIC, "zstd or LLVM could not be linked statically")
    def test_the_compiler_runs_where_the_driver_runs(self):
        """LLVM alone would need a newer C library."""
        compiler, driver = (
            max(tag.system_of(version) for _, version in library(name).versions())
            for name in ("libgeoid_compiler.so.1", "libze_geoid.so.1")
        )
        self.assertLessEqual(compiler, driver)


if __name__ == "__main__":
    unittest.main()
