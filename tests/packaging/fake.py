"""Makes a small build folder that installs the same files as a real one: the real texts, and tiny
libraries and programs of the real names. Packages of it are made in seconds, because nothing large
is compressed.
"""

import os
import pathlib
import subprocess

COMPILER = os.environ.get("CC", "cc")
INSTALL = """
if("${{CMAKE_INSTALL_COMPONENT}}" STREQUAL "multiarch")
    file(INSTALL DESTINATION "${{CMAKE_INSTALL_PREFIX}}" TYPE DIRECTORY
         FILES "{folder}/multiarch/usr/")
elseif(NOT CMAKE_INSTALL_COMPONENT)
    file(INSTALL DESTINATION "${{CMAKE_INSTALL_PREFIX}}" TYPE DIRECTORY
         FILES "{folder}/tree/usr/" USE_SOURCE_PERMISSIONS)
endif()
"""


def install(build, tree, *arguments):
    """Installs a build folder to usr below a tree."""
    subprocess.run(
        ["cmake", "--install", str(build), "--prefix", "/usr", *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "DESTDIR": str(tree)},
    )


def is_elf(path):
    if path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def soname(path):
    """Returns the options by which a library gets the name that the library at `path` has."""
    listed = subprocess.run(
        ["readelf", "-d", str(path)], capture_output=True, text=True, check=True
    ).stdout
    names = [line.split("[")[1].rstrip("]") for line in listed.splitlines() if "(SONAME)" in line]
    return [f"-Wl,-soname,{name}" for name in names]


def replace(path):
    """Replaces a library or program by a tiny one that prints or returns its own name."""
    library = ".so" in path.name
    kind = ["-shared", "-fPIC", *soname(path)] if library else []
    source = f'#include <stdio.h>\nconst char *geoid_fake(void) {{ return "{path.name}"; }}\n'
    source += "" if library else "int main(void) { return puts(geoid_fake()) < 0; }\n"
    mode = path.stat().st_mode
    path.unlink()
    subprocess.run(
        [
            COMPILER,
            "-g",
            "-x",
            "c",
            "-",
            *kind,
            "-Wl,--build-id=sha1",
            "-Wl,-rpath,$ORIGIN/../lib",
            "-o",
            str(path),
        ],
        input=source,
        text=True,
        check=True,
    )
    path.chmod(mode)


def fake_build(build, folder, keep=()):
    """Makes the small build folder. Files whose names begin with one of `keep` stay real. Returns
    the relative paths of its files, without folders."""
    folder = pathlib.Path(folder)
    install(build, folder / "tree")
    install(build, folder / "multiarch", "--component", "multiarch")
    files = sorted(
        path for path in (folder / "tree").rglob("*") if path.is_symlink() or not path.is_dir()
    )
    for path in files:
        if is_elf(path) and not path.name.startswith(tuple(keep)):
            replace(path)
    (folder / "cmake_install.cmake").write_text(INSTALL.format(folder=folder), encoding="utf-8")
    return [str(path.relative_to(folder / "tree")) for path in files]
