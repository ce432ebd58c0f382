"""The variables by which programs find Geoid. They are those that bin/geoid-run sets, and a test
compares both."""

import os

from geoid import _tree

# With one of these the user has chosen OpenCL drivers.
OPENCL = ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES")


def opencl_vendors():
    """Returns the folder of the file by which loaders of OpenCL find Geoid's driver."""
    return os.path.join(_tree.libraries(), "OpenCL", "vendors")


def variables(environment=None):
    """Returns {name: value} of the variables that let a new process use Geoid.

    `environment` is what the process would have without them, by default that of this process.
    Drivers that it chooses by ZE_ENABLE_ALT_DRIVERS, OCL_ICD_VENDORS or OCL_ICD_FILENAMES stay
    chosen: these variables are then not in the result."""
    environment = os.environ if environment is None else environment
    folder = _tree.libraries()
    path = environment.get("LD_LIBRARY_PATH", "")
    if path.split(":")[0] != folder:
        path = f"{folder}:{path}" if path else folder
    found = {"LD_LIBRARY_PATH": path, "ZEL_LIBRARY_PATH": folder}
    if not environment.get("ZE_ENABLE_ALT_DRIVERS"):
        found["ZE_ENABLE_ALT_DRIVERS"] = os.path.join(folder, "libze_geoid.so.1")
    if not any(environment.get(name) for name in OPENCL) and os.path.exists(
        os.path.join(opencl_vendors(), "geoid.icd")
    ):
        found["OCL_ICD_VENDORS"] = opencl_vendors()
    return found
