#!/usr/bin/env python3
"""pyzes, Intel's Python module for sysman, on the CPU and on simulated devices.

usage: run_pyzes.py VENV BUILD

Every function of it on every device, beside the system's files and the descriptions (pyzes_walk.py): the CPU, tests/simulated/everything.json,
sixteen devices of examples/simulated/server.json. Then its own examples, which must end well and report no error. pyzes opens the loader by the
path of Debian's package; an auditor of the dynamic linker (loader_path.c) hands it ours. Exit status 1 when something failed.
"""
import argparse
import json
import os
import re
import subprocess
import sys

from client import environment

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
SECONDS = 300
# What the examples may only ask of simulated devices: -a sets limits, ranges and ECC.
READING = ("-m", "-g", "-p", "-t", "-e")


def auditor_build(folder):
    library = os.path.join(folder, "loader_path.so")
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                    os.path.join(HERE, "loader_path.c"), "-o", library], check=True)
    return library


def description_make(source, path, count):
    """The description with another number of devices, each still linked with its opposite, and a clock by hand."""
    with open(source, encoding="utf-8") as file:
        described = json.load(file)
    described["clock"] = "manual"
    for entry in described["devices"]:
        entry["count"] = count
        for port in entry["fabric_port"]:
            port["remote"]["attach"]["plus"] = count - 1
    with open(path, "w", encoding="utf-8") as file:
        json.dump(described, file)
    return path


def python(venv, environ, *arguments):
    """The output, and whether it ended well."""
    command = [os.path.join(venv, "bin", "python"), *arguments]
    done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=False)
    return done.stdout, done.returncode == 0


def report(name, text, well, wanted):
    """wanted: a pattern of the output that says that something was done."""
    found = re.search(wanted, text, re.MULTILINE)
    print(f"{name}: {found.group(0) if found else 'no result'}{'' if well else ', FAILED'}")
    if not well or not found:
        print("\n".join(text.splitlines()[-20:]))
    return well and found is not None


def walk(venv, environ, name, *arguments):
    text, well = python(venv, environ, os.path.join(HERE, "pyzes_walk.py"), *arguments)
    return report(name, text, well, r"^[1-9]\d* devices, [1-9]\d* comparisons, 0 wrong$")


def example(venv, environ, name, *arguments):
    text, well = python(venv, environ, "-m", f"pyzes.examples.{name}", *arguments)
    errors = [line for line in text.splitlines() if re.match(r"\s*(ERROR|Traceback|.*failed with)", line)]
    if "GEOID_SIMULATED" not in environ:  # a CPU has no PCI address and no counters of its memory's traffic
        errors = [line for line in errors if not line.endswith("ZE_RESULT_ERROR_UNSUPPORTED_FEATURE")]
    return report(" ".join((name, *arguments)), "\n".join((text, *errors)), well and not errors, r"Device 0|Found [1-9]\d* device")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("venv")
    parser.add_argument("build")
    args = parser.parse_args()
    venv, build = os.path.abspath(args.venv), os.path.abspath(args.build)
    folder = os.path.join(build, "clients")
    os.makedirs(folder, exist_ok=True)
    cpu = {**environment(venv, build), "LD_AUDIT": auditor_build(folder), "CLIENT_LOADER": os.path.join(build, "lib", "libze_loader.so.1"),
           "GEOID_NVIDIA": "off"}
    everything = os.path.join(TREE, "tests", "simulated", "everything.json")
    sixteen = description_make(os.path.join(TREE, "examples", "simulated", "server.json"), os.path.join(folder, "sixteen.json"), 16)

    def simulated(path):
        return {**cpu, "GEOID_SIMULATED": path, "GEOID_SIMULATED_ONLY": "1"}
    results = [walk(venv, cpu, "the CPU", "cpu"), walk(venv, simulated(everything), "everything.json", "simulated", everything),
               walk(venv, simulated(sixteen), "sixteen devices", "simulated", sixteen),
               example(venv, cpu, "pyzes_example"), example(venv, simulated(everything), "pyzes_example")]
    results += [example(venv, cpu, "pyzes_black_box_test", option) for option in READING]
    results.append(example(venv, simulated(sixteen), "pyzes_black_box_test", "-a"))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
