#!/usr/bin/env python3
"""Lists the files of the tree for other scripts: those that git tracks, or all of a source archive.

usage: scripts/tracked.py [--others]     prints relative paths, each with a zero byte behind it
       --others                          also those that git neither tracks nor ignores
"""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LEFT_OUT = ("build", ".git", "__pycache__")  # beginnings of names


def files(root=ROOT, others=False):
    """Returns the relative paths of the files that exist. In a tree without git these are all files
    outside of build folders. A repository around the tree does not count."""
    if os.path.exists(os.path.join(root, ".git")):
        options = ["-co", "--exclude-standard"] if others else []
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z", *options], check=True,
                                stdout=subprocess.PIPE).stdout.decode().split("\0")
        names = [name for name in listed if name]
    else:
        names = []
        for folder, below, found in os.walk(root):
            top = folder == root
            below[:] = [name for name in below
                        if not (name.startswith(LEFT_OUT) if top else name == "__pycache__")]
            names += [os.path.relpath(os.path.join(folder, name), root) for name in found]
    return sorted(name for name in names if os.path.isfile(os.path.join(root, name)))


def main():
    if sys.argv[1:] not in ([], ["--others"]):
        print(__doc__.partition("\n\n")[2], end="", file=sys.stderr)
        return 2
    sys.stdout.write("".join(f"{name}\0" for name in files(others=len(sys.argv) > 1)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
