"""Finds the platform tag of a wheel: the systems on which its files work.

Used by packaging/wheel/build and bundled.py.
"""

import re

# Libraries that every system has on which pip installs the wheel (PEP 600).
ALLOWED = {
    "libc.so.6",
    "libm.so.6",
    "libdl.so.2",
    "libpthread.so.0",
    "librt.so.1",
    "libutil.so.1",
    "libgcc_s.so.1",
    "libstdc++.so.6",
    "libatomic.so.1",
    "libz.so.1",
}
LINKER = re.compile(r"ld-linux[\w-]*\.so\.\d+")
# The second number of the oldest C library (2.x) of systems that have a version of the library.
# The versions of the C library say this themselves.
SYSTEMS = {
    "GCC": (((4, 7), 17), ((7, 0), 27), ((12, 0), 35), ((14, 0), 39)),
    "GLIBCXX": (
        ((3, 4, 19), 17),
        ((3, 4, 22), 24),
        ((3, 4, 24), 27),
        ((3, 4, 28), 31),
        ((3, 4, 29), 34),
        ((3, 4, 30), 35),
        ((3, 4, 33), 39),
    ),
    "CXXABI": (
        ((1, 3, 7), 17),
        ((1, 3, 10), 24),
        ((1, 3, 11), 27),
        ((1, 3, 12), 31),
        ((1, 3, 13), 34),
        ((1, 3, 15), 39),
    ),
    "ZLIB": (((1, 2, 5, 2), 17), ((1, 2, 9), 27), ((1, 2, 12), 37)),
    "LIBATOMIC": (((1, 2), 24),),
}
OLDEST = 17
RELATIVE_RELOCATIONS = 36  # the C library that has GLIBC_ABI_DT_RELR


class WheelError(Exception):
    """The wheel cannot be made; the text says why."""


def system_of(version):
    """Returns x of the oldest C library 2.x whose systems have this version of a symbol."""
    if version == "GLIBC_ABI_DT_RELR":
        return RELATIVE_RELOCATIONS
    family, _, number = version.partition("_")
    if not re.fullmatch(r"\d+(\.\d+)*", number):
        raise WheelError(f"the symbol version {version} is not known")
    parts = tuple(map(int, number.split(".")))
    if family == "GLIBC" and parts[0] == 2:
        return parts[1] if len(parts) > 1 else 0
    for newest, system in SYSTEMS.get(family, ()):
        if parts[: len(newest)] <= newest:
            return system
    raise WheelError(f"the symbol version {version} is not known")


def tag_of(files):
    """Returns the platform tag for the contents of ELF files: {name: Elf}."""
    machines = {file.machine for file in files.values()}
    if len(machines) != 1:
        raise WheelError(f"the files are for several processors: {', '.join(sorted(machines))}")
    newest = OLDEST
    for name, file in files.items():
        for library, version in file.versions():
            # Libraries in the wheel are those that it was built with: their versions do not matter.
            if library in ALLOWED or LINKER.fullmatch(library):
                try:
                    newest = max(newest, system_of(version))
                except WheelError as error:
                    raise WheelError(f"{name} needs {library}: {error}") from None
    return f"manylinux_2_{newest}_{machines.pop()}"
