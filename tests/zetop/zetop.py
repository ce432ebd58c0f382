"""What the tests of zetop share: the program on the described backend, with a script for it (script.c)."""
import os
import subprocess
import sys

BUILD = os.path.abspath(sys.argv.pop(1))
ZETOP = os.path.join(BUILD, "bin", "zetop")
SCRIPT = os.path.join(BUILD, "tests", "libzetop_script.so")
DESCRIBED = os.path.join(BUILD, "tests", "libze_described.so.1")
MISSING_PID = 4194304  # no process has it: the highest is below
UUID = ["47656f69-6420-806e-8075-6c6c00000001", "47656f69-6420-806e-8075-6c6c00000101"]


def environment(script="", **more):
    """Two devices of two parts each, whatever the caller's environment is."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("ZE_", "ZES_", "ZEL_", "GEOID_", "LC_")) and name not in ("NO_COLOR", "TERM")}
    return {**kept, "LD_PRELOAD": SCRIPT, "ZETOP_SCRIPT": script, "LC_ALL": "C.UTF-8", "ZE_ENABLE_ALT_DRIVERS": DESCRIBED,
            "GEOID_DEVICES": "2x2", **more}


def run(*arguments, script="", preload=True, **more):
    given = environment(script, **more)
    if not preload:
        del given["LD_PRELOAD"]
    return subprocess.run([ZETOP, *arguments], capture_output=True, text=True, timeout=600, env=given, check=False)
