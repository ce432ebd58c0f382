"""Libraries of others that the wheel brings, and their licences. Used by packaging/wheel/build."""

import os
import re
import subprocess

import elf
from tag import ALLOWED, LINKER, WheelError

# Below the folder of libraries. tools/CMakeLists.txt puts it into the RUNPATH of tools.
FOLDER = "geoid/bundled"
# Libraries that may be copied into the wheel: their licences allow it.
BUNDLED = {
    "libjansson.so.4": "MIT",
    "libncursesw.so.6": "X11-distribute-modifications-variant",
    "libtinfo.so.6": "X11-distribute-modifications-variant",
    "libdw.so.1": "GPL-2.0-or-later OR LGPL-3.0-or-later",
    "libelf.so.1": "GPL-2.0-or-later OR LGPL-3.0-or-later",
    "liblzma.so.5": "LicenseRef-Public-Domain",
    "libbz2.so.1.0": "bzip2-1.0.6",
    "libcapstone.so.4": "BSD-3-Clause AND NCSA",
    "libzstd.so.1": "BSD-3-Clause",
}


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise WheelError(f"cannot read {path}: {error.strerror}") from None


def parse(files):
    found = {}
    for name, data in files.items():
        if elf.is_elf(data):
            try:
                found[name] = elf.Elf(data)
            except elf.ElfError as error:
                raise WheelError(f"{name} {error}") from None
    return found


def machine_folders(machine):
    for top in ("/usr/lib", "/lib"):
        yield f"{top}/{machine}-linux-gnu"
    yield from ("/usr/lib64", "/lib64", "/usr/lib", "/lib")


def library_find(name, machine, folders):
    for folder in (*folders, *machine_folders(machine)):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            data = read(path)
            if elf.is_elf(data) and elf.Elf(data).machine == machine:
                return path, data
    raise WheelError(
        f"{name} for {machine} is in no folder of libraries: name its folder by --libraries"
    )


def bundle(files, libdir, folders):
    """Returns {library: (path of its origin, bytes)} of all libraries that the wheel must bring."""
    parsed = parse(files)
    inside = {os.path.basename(name) for name in parsed}
    machine = next(iter(parsed.values())).machine
    copies, queue = {}, sorted(
        (needed, name) for name, file in parsed.items() for needed in file.needed()
    )
    while queue:
        needed, by = queue.pop(0)
        if needed in inside or needed in ALLOWED or needed in copies or LINKER.fullmatch(needed):
            continue
        if needed not in BUNDLED:
            raise WheelError(
                f"{by} needs {needed}, which is neither part of every system nor in the list of "
                "libraries that the wheel may bring"
            )
        origin, data = library_find(needed, machine, folders)
        copies[needed] = (origin, data)
        queue += sorted((further, needed) for further in elf.Elf(data).needed())
    reachable_check(parsed, copies, libdir)
    return copies


def reachable_check(parsed, copies, libdir):
    """Checks that files find the copies that they need. Tools have RUNPATH; libraries of Geoid are
    loaded by programs, which must not get copies of libraries that they use, too."""
    for name, file in parsed.items():
        wanted = sorted(copies.keys() & set(file.needed()))
        folder = os.path.dirname(name)
        places = {
            os.path.normpath(part.replace("${ORIGIN}", folder).replace("$ORIGIN", folder))
            for part in file.search_path()
        }
        if wanted and (not name.startswith("bin/") or f"{libdir}/{FOLDER}" not in places):
            raise WheelError(
                f"{name} needs {', '.join(wanted)}, and would not find it in the wheel: only tools "
                f"whose RUNPATH has the folder {FOLDER} can need copies"
            )


def licence_find(library, origin, given):
    """Returns (name, bytes) of the files that state the licence of a copied library."""
    if library in given:
        return [(f"{library}.txt", read(given[library]))]
    package = package_of(origin)
    path = f"/usr/share/doc/{package}/copyright"
    if not package or not os.path.exists(path):
        raise WheelError(
            f"the licence of {library} ({origin}) is not known: name its file by "
            f"--licence {library}=FILE"
        )
    text = read(path)
    found = [(f"{library}.txt", text)]
    for name in sorted(set(re.findall(rb"/usr/share/common-licenses/([\w.+-]*\w)", text))):
        common = os.path.join("/usr/share/common-licenses", name.decode())
        if os.path.exists(common):
            found.append((f"common/{name.decode()}", read(common)))
    return found


def package_of(path):
    """Returns the package of Debian that a file came with, or None."""
    for name in (
        path,
        os.path.realpath(path),
        path.replace("/usr/lib/", "/lib/", 1),
        os.path.realpath(path).replace("/usr/lib/", "/lib/", 1),
    ):
        try:
            done = subprocess.run(
                ["dpkg-query", "-S", name],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                check=False,
            )
        except OSError:
            return None
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    return None


def version_of(package):
    """Returns source package and version, for people who want the source of a copied library."""
    if not package:
        return "unknown"
    done = subprocess.run(
        ["dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", package],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.stdout if done.returncode == 0 else "unknown"


def origins_text(copies):
    lines = [
        "Libraries of others in the folder bundled, which the tools use. They are copies without",
        "debug information. A copy that needs another one has a RUNPATH, too. The files of their",
        "names state their licences. Their sources are the source packages below, of Debian unless",
        "stated otherwise.",
        "",
        "library  licence  source package and version",
    ]
    lines += [
        f"{name}  {BUNDLED[name]}  {version_of(package_of(origin))}"
        for name, (origin, _) in sorted(copies.items())
    ]
    return ("\n".join(lines) + "\n").encode()
