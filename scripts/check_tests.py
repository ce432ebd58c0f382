#!/usr/bin/env python3
"""Checks that all tests below tests/ are built, and that unit tests mirror the sources.

- Each folder with tests below tests/unit has a folder of the same path below src/.
- Each CMakeLists.txt below tests/ is included by an add_subdirectory() of the nearest one above it.
- Each test_*.c outside tests/unit is named, or globbed, by the CMakeLists.txt of its folder.
  tests/unit/CMakeLists.txt finds those below tests/unit.
Usage: check_tests.py [ROOT]
Prints a line per violation; then the exit status is 1.
"""
import os
import re
import sys

LISTS = "CMakeLists.txt"


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def nearest_lists(root, folder):
    """Returns the nearest folder from `folder` upwards that has a CMakeLists.txt, or None."""
    while folder:
        if os.path.exists(os.path.join(root, folder, LISTS)):
            return folder
        folder = os.path.dirname(folder)
    return None


def violations(root):
    for path, _, files in os.walk(os.path.join(root, "tests")):
        folder = os.path.relpath(path, root)
        tests = [name for name in files if re.fullmatch(r"test_\w+\.c", name)]
        if folder.startswith(os.path.join("tests", "unit") + os.sep):
            mirrored = os.path.join("src", os.path.relpath(folder, os.path.join("tests", "unit")))
            if tests and not os.path.isdir(os.path.join(root, mirrored)):
                yield f"{folder}: has tests, but {mirrored} does not exist"
        elif tests:
            text = read(os.path.join(path, LISTS)) if LISTS in files else ""
            for name in tests:
                if name not in text and "test_*.c" not in text:
                    yield f"{folder}/{name}: is not built"
        if LISTS in files and folder != "tests":
            above = nearest_lists(root, os.path.dirname(folder))
            below = os.path.relpath(folder, above) if above else folder
            if not above or not re.search(rf"^\s*add_subdirectory\({re.escape(below)}\)", read(os.path.join(root, above, LISTS)), re.M):
                yield f"{folder}/{LISTS}: is not included by an add_subdirectory()"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    found = sorted(violations(root))
    for text in found:
        print(text)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
