"""Lets a running process use Geoid.

The dynamic linker reads LD_LIBRARY_PATH only when a process starts. But it loads no second library
of a name (SONAME) that is loaded already. So Geoid's loader is loaded here by its path, and later
requests for libze_loader.so.1 get it.
"""

import ctypes
import os

from geoid import _tree
from geoid._variables import opencl_vendors, variables

LOADER = "libze_loader.so.1"
OPENCL_DRIVER = "libgeoid_opencl.so.1"
# SYCL's adapters for Level Zero. They search for the loader once, when SYCL searches for devices.
ADAPTERS = ("libur_adapter_level_zero.so", "libur_adapter_level_zero_v2.so")
ADVICE = (
    "Call geoid.activate() before anything searches for devices, best before other imports, or "
    "start the program with: geoid run PROGRAM"
)


def activate():
    """Lets this process, and processes that it starts later, use Geoid.

    Call it before dpctl, dpnp, JAX or another user of Level Zero, SYCL or OpenCL searches for
    devices, best before they are imported. A second call changes nothing. A child of fork has
    what its parent had, and may call it, too.

    It sets os.environ as `geoid run` does (see geoid.variables), and loads Geoid's loader and
    OpenCL driver. Values of ZE_ENABLE_ALT_DRIVERS, OCL_ICD_VENDORS and OCL_ICD_FILENAMES that
    the user set are kept.

    Raises RuntimeError, and changes nothing, if another libze_loader.so.1 is loaded, or if SYCL
    has searched for devices without Geoid. Raises OSError if a library of Geoid is missing.

    It cannot do the following; `geoid run PROGRAM` can:
    - reach libraries that open the loader by another name, such as libze_loader.so,
    - reach a program that has started before and that this process only talks to,
    - notice that OpenCL drivers were listed before. Such a list stays as it is.
    """
    folder = _tree.libraries()
    loader = os.path.join(folder, LOADER)
    if not os.path.exists(loader):
        raise OSError(f"geoid.activate: {loader} is missing: install geoid again")
    loaded = loaded_path(LOADER)
    if loaded is None:
        adapter = next(filter(None, map(mapped_path, ADAPTERS)), None)
        if adapter:
            raise RuntimeError(
                f"geoid.activate: SYCL has already searched for devices ({adapter} is loaded). "
                + ADVICE
            )
    elif not is_same(loaded, loader):
        raise RuntimeError(f"geoid.activate: another loader is loaded already: {loaded}. {ADVICE}")

    changes = variables()
    ctypes.CDLL(loader, ctypes.RTLD_GLOBAL)
    # Loaders of OpenCL open the driver by its name, which geoid.icd states. It stays local, because
    # its functions have the names of the OpenCL loader's.
    driver = os.path.join(folder, OPENCL_DRIVER)
    if os.path.exists(driver) and is_opencl_ours({**os.environ, **changes}):
        ctypes.CDLL(driver, ctypes.RTLD_LOCAL)
    os.environ.update(changes)


def is_opencl_ours(environment):
    return environment.get("OCL_ICD_VENDORS") == opencl_vendors() and not environment.get(
        "OCL_ICD_FILENAMES"
    )


def is_same(first, second):
    try:
        return os.path.samefile(first, second)
    except OSError:  # the loaded file was deleted, for example by an update
        return False


class Place(ctypes.Structure):
    """Dl_info of dlfcn.h."""

    _fields_ = [
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    ]


def loaded_path(name):
    """Returns the path of the loaded library that has this name, or None."""
    try:
        library = ctypes.CDLL(name, os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return None
    place, symbol = Place(), getattr(library, "zeInit", None)
    if (
        symbol
        and ctypes.CDLL(None).dladdr(ctypes.cast(symbol, ctypes.c_void_p), ctypes.byref(place))
        and place.file
    ):
        return os.fsdecode(place.file)
    return name


def mapped_path(name):
    """Returns the path of a mapped file whose name begins so, or None."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            path = line.rstrip("\n").partition("/")[2]
            if path.rpartition("/")[2].startswith(name):
                return "/" + path
    return None
