"""Finds the files of the package, which have the layout of an installed Geoid."""

import os

from geoid._build import LIBDIR


def prefix():
    """Returns the folder that has bin, include and share. Symbolic links are resolved, as
    bin/geoid-run does."""
    return os.path.dirname(os.path.realpath(__file__))


def libraries():
    """Returns the folder of libze_loader.so.1 and the libraries that it opens."""
    return os.path.join(prefix(), *LIBDIR.split("/"))


def include():
    """Returns the folder for -I: it has level_zero/ze_api.h."""
    return os.path.join(prefix(), "include")


def modules():
    """Returns the folder for PYTHONPATH: it has ze.py, the functions of Level Zero for Python."""
    return os.path.join(prefix(), "share", "level_zero", "python")


def examples():
    """Returns the folder of the examples: programs in C with kernels, and simulated devices."""
    return os.path.join(prefix(), "share", "doc", "geoid", "examples")


def tool(name):
    """Returns the path of a program, whether or not this package has it."""
    return os.path.join(prefix(), "bin", name)
