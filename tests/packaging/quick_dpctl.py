"""Runs a few files of dpctl's tests, with the Python and in the environment that run this program.

    quick_dpctl.py [LOG]

Nearly all of these tests must pass on a device of Level Zero, and none may fail: without a device
nearly all are skipped. One test builds an extension; it is left out if there is no C compiler.
LOG gets the output of pytest. run_chroot and run_wheel call this program.
tests/clients/run_dpctl.py runs all tests of dpctl.
"""

import collections
import os
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

FILES = ("device", "queue", "context", "usm", "kernel_submit")
LEAST_PASSED = 1000


def tests_folder():
    """Returns the folder of dpctl's tests, which its package brings. dpctl is not imported, so that
    the tests find it as a program does."""
    for folder in sys.path:
        found = os.path.join(folder, "dpctl", "tests")
        if os.path.isdir(found):
            return found
    sys.exit("quick_dpctl: dpctl is not installed for this Python")


def outcomes(path):
    """Returns how often each outcome occurred, by a report of pytest."""
    count = collections.Counter()
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        kinds = {child.tag for child in case} & {"failure", "error", "skipped"}
        count[min(kinds) if kinds else "passed"] += 1
    return count


def main():
    log = sys.argv[1] if len(sys.argv) > 1 else os.devnull
    folder = tests_folder()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as work, open(log, "w", encoding="utf-8") as output:
        report = os.path.join(work, "report.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=."]
        command += ["--timeout=240", "--timeout-method=thread", f"--junitxml={report}"]
        command += [f"test_sycl_{name}.py" for name in FILES]
        if not shutil.which("cc"):
            command += ["-k", "not cython_api"]
        done = subprocess.run(command, cwd=folder, stdout=output, stderr=output, check=False)
        if not os.path.exists(report):
            sys.exit(f"quick_dpctl: pytest ended with {done.returncode} and no report; see {log}")
        count = outcomes(report)
    bad = count["failure"] + count["error"]
    print(
        f"dpctl: {count['passed']} passed, {bad} failed, {count['skipped']} skipped, "
        f"{time.monotonic() - began:.1f} s"
    )
    return 1 if bad or count["passed"] < LEAST_PASSED else 0


if __name__ == "__main__":
    sys.exit(main())
