"""What the Python clients share: the environment in which SYCL's runtime finds our loader, our drivers and nothing else, and running a
package's own tests in it."""
import glob
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

SECONDS_PER_TEST = 240


def environment(venv, build, second_adapter=False):
    build, venv = os.path.abspath(build), os.path.abspath(venv)
    library = os.path.join(build, "lib")
    adapter = "1" if second_adapter else "0"
    return {**os.environ,
            "LD_LIBRARY_PATH": f"{library}:{os.path.join(venv, 'lib')}",
            "ZE_ENABLE_ALT_DRIVERS": os.path.join(library, "libze_geoid.so.1"),
            "GEOID_CACHE_SIZE": os.environ.get("GEOID_CACHE_SIZE", "off"),
            "ONEAPI_DEVICE_SELECTOR": "level_zero:gpu",
            "UR_LOADER_USE_LEVEL_ZERO_V2": adapter, "SYCL_UR_USE_LEVEL_ZERO_V2": adapter,
            "OCL_ICD_VENDORS": os.path.join(library, "OpenCL", "vendors"),  # Geoid's OpenCL driver alone, for oneMKL's transforms
            "PYTHONDONTWRITEBYTECODE": "1"}


def tests_folder(venv, package):
    """Where a package of the environment keeps its tests."""
    folders = glob.glob(os.path.join(glob.escape(os.path.abspath(venv)), "lib", "python3*", "site-packages", package, "tests"))
    if len(folders) != 1:
        sys.exit(f"{package}: its tests are not in {venv}")
    return folders[0]


def tests_run(venv, build, second_adapter, package, files, log_path, seconds, workers=2):
    """Runs the package's tests, all of them or those of some files, in `workers` processes. Returns
    {id: (outcome, first line of the reason)}. Ends the program if the run broke off."""
    folder = tests_folder(venv, package)
    with tempfile.TemporaryDirectory() as work:
        junit = os.path.join(work, "junit.xml")
        command = [os.path.join(os.path.abspath(venv), "bin", "python"), "-m", "pytest",
                   *(os.path.join(folder, file) for file in files or ["."]), f"--rootdir={folder}", "-n", str(workers), "-q", "--tb=short",
                   "-p", "no:cacheprovider", f"--timeout={SECONDS_PER_TEST}", "--timeout-method=thread", "--max-worker-restart=50",
                   f"--junitxml={junit}"]
        with open(log_path or os.path.join(work, "log"), "w+", encoding="utf-8") as log:
            try:
                subprocess.run(command, cwd=work, env=environment(venv, build, second_adapter), stdout=log, stderr=log,
                               timeout=seconds, check=False)
            except subprocess.TimeoutExpired:
                print(f"{package}: not through after {seconds} s")
            if not os.path.exists(junit):
                log.seek(0)
                sys.exit(f"{package}: the run broke off\n" + "".join(log.readlines()[-20:]))
        return outcomes(junit)


def outcomes(path):
    """The same from junit's file; an id is the module below the folder of tests, "::", the test's name with its parameters."""
    found = {}
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        state, why = "passed", ""
        for child in case:
            if child.tag in ("failure", "error", "skipped"):
                state = "skipped" if child.tag == "skipped" else "failed"
                why = (child.get("message") or "").strip().split("\n")[0][:160]
        name = f"{case.get('classname')}::{case.get('name')}"
        if found.get(name, ("passed",))[0] != "failed":
            found[name] = (state, why)
    return found
