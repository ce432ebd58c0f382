"""Runs the steps of a tour: what programs do with a Python package. dpnp_tour.py and open3d_tour.py list such steps.

Each step runs in a process of its own: a crash or a hang costs that step alone.
"""
import os
import subprocess
import sys
import time
import traceback

from client import environment

SECONDS = 120  # that a step may take
STEPS = {}


def step(function):
    """Adds a function to the tour. It raises an exception if something is wrong."""
    STEPS[function.__name__] = function
    return function


def child(name):
    """Runs a step in the Python of the package."""
    try:
        STEPS[name]()
    except BaseException as error:  # any end of the step is its outcome
        lines = [line.strip() for line in traceback.format_exception_only(type(error), error)[-1].splitlines() if line.strip()]
        print(" | ".join(lines)[:300])
        sys.stdout.flush()
        os._exit(3)


def run(name, program, python, variables):
    """Runs a step in a process. Returns "", or why the step failed."""
    try:
        done = subprocess.run([python, os.path.abspath(program), "--step", name], env=variables, capture_output=True, text=True,
                              errors="replace", timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"not done after {SECONDS} s"
    if done.returncode == 0:
        return ""
    said = (done.stdout.strip() or done.stderr.strip() or "nothing").splitlines()
    return said[-1] if done.returncode == 3 else f"exit status {done.returncode}: {said[-1][:200]}"


def main(package, program, usage, known):
    """Runs all steps, or those that the command line names. `known`: {step that fails: why}. Returns the exit status."""
    arguments = [word for word in sys.argv[1:] if word != "--v2"]
    if arguments[:1] == ["--step"]:
        return child(arguments[1])
    if len(arguments) < 2:
        sys.exit(usage)
    venv, build, *steps = arguments
    variables = environment(venv, build, "--v2" in sys.argv)
    count = {"passed": 0, "known": 0, "FAILED": 0}
    for name in steps or STEPS:
        begin = time.monotonic()
        why = run(name, program, os.path.join(os.path.abspath(venv), "bin", "python"), variables)
        verdict = "passed" if not why else "known" if name in known else "FAILED"
        count[verdict] += 1
        note = "; passes now: take it out of KNOWN" if not why and name in known else ""
        print(f"{verdict} {name:18} {time.monotonic() - begin:6.1f} s  {why}{note}", flush=True)
    print(f"{package}: {count['passed']} steps passed, {count['known']} failed as known, {count['FAILED']} failed")
    return 1 if count["FAILED"] else 0
