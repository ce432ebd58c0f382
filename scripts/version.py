#!/usr/bin/env python3
"""Prints the version of Geoid, or with --loader that of the loader's component.

CMakeLists.txt states both; scripts/check_version finds other places that differ.
"""
import email.utils
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RELEASE = r"^project\(geoid VERSION (\d+\.\d+\.\d+)[ )]"
LOADER = r"^set\(GEOID_LOADER_VERSION (\d+\.\d+\.\d+)\)"


class VersionError(Exception):
    """CMakeLists.txt does not state a version in the expected form."""


def stated(root, pattern):
    with open(os.path.join(root, "CMakeLists.txt"), encoding="utf-8") as file:
        found = re.findall(pattern, file.read(), re.M)
    if len(found) != 1:
        raise VersionError(f"CMakeLists.txt has {len(found)} lines like {pattern}, not one")
    return found[0]


def release(root=ROOT):
    """Returns the version of Geoid that the sources state: the next release, or the last one."""
    return stated(root, RELEASE)


def loader(root=ROOT):
    """Returns the version of the loader's component (docs/decisions/loader.md)."""
    return stated(root, LOADER)


def seconds(root=ROOT):
    """Returns the time of the newest entry of the packages' changelog, in seconds since 1970."""
    path = os.path.join(root, "packaging/debian/changelog")
    with open(path, encoding="utf-8") as file:
        found = re.search(r"^ -- .*>  (.*)$", file.read(), re.M)
    if not found:
        raise VersionError(f"{path} has no date")
    return int(email.utils.parsedate_to_datetime(found[1]).timestamp())


def main():
    if sys.argv[1:] not in ([], ["--loader"]):
        print("usage: scripts/version.py [--loader]", file=sys.stderr)
        return 2
    try:
        print(loader() if len(sys.argv) > 1 else release())
    except VersionError as error:
        print(f"scripts/version.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
