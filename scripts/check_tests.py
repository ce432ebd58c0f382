#!/usr/bin/env python3
"""Checks the shape of tests/: what lies there is built, and unit tests mirror the sources.

- Every folder of tests/unit that has tests has its folder in src/.
- Every CMakeLists.txt below tests/ is reached: the nearest one above it names its folder in an add_subdirectory().
- Every test_*.c below tests/unit is met by the rule of tests/unit/CMakeLists.txt, and elsewhere is named, or globbed, by
  the CMakeLists.txt of its folder.
Usage: check_tests.py [ROOT]; exit status 1 and one line per violation.
"""
import os
import re
import sys

LISTS = "CMakeLists.txt"


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def nearest_lists(root, folder):
    """The nearest folder from `folder` upwards that has a CMakeLists.txt, or None."""
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
                yield f"{folder}: there is no {mirrored} that these tests are of"
        elif tests:
            text = read(os.path.join(path, LISTS)) if LISTS in files else ""
            for name in tests:
                if name not in text and "test_*.c" not in text:
                    yield f"{folder}/{name}: is not built"
        if LISTS in files and folder != "tests":
            above = nearest_lists(root, os.path.dirname(folder))
            below = os.path.relpath(folder, above) if above else folder
            if not above or not re.search(rf"^\s*add_subdirectory\({re.escape(below)}\)", read(os.path.join(root, above, LISTS)), re.M):
                yield f"{folder}/{LISTS}: is not reached by an add_subdirectory()"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    found = sorted(violations(root))
    for text in found:
        print(text)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
