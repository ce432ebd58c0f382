#!/usr/bin/env python3
"""Runs zeinfo, the examples and the API tests under Debian's own loader (package libze1, version 1.8).

usage: debian_loader.py [--all] BUILD_FOLDER

Without --all, the tests of COMPILED are left out.

The package is downloaded with apt and unpacked in the build folder, never installed. That loader lacks several hundred functions
of today's API: the tests get them from a small library made here, in which each of them skips the test case that calls it. Three
are made of what the old loader has, because the test harness itself needs them. Exit status 77: there is no such package here.
"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

SKIP = 77
LOADER = "libze_loader.so.1"

# What the harness calls for every case, in terms of the old functions.
SHIM = """
/* Made by debian_loader.py: the functions that the loader under test lacks. */
#include <stddef.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

extern void _skip(const char *file, int line);
extern int zeInit(uint32_t flags);
extern int zeDriverGet(uint32_t *count, void **drivers);
extern int zeDriverGetExtensionFunctionAddress(void *driver, const char *name, void **function);

#define UNSUPPORTED 0x78000003

static pid_t owner;
__attribute__((constructor)) static void remember(void) { owner = getpid(); }

static void absent(const char *name)
{
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state); /* the line is written in full */
    printf("needs %s\\n", name);
    fflush(stdout);
    pthread_setcancelstate(state, &state);
    if (getpid() != owner) {
        _exit(126);
    }
    _skip(name, 0);
}

static void *driver_function(const char *name)
{
    static void *driver;
    uint32_t one = 1;
    void *function = NULL;
    if (!driver) {
        zeDriverGet(&one, &driver);
    }
    return driver && zeDriverGetExtensionFunctionAddress(driver, name, &function) == 0 ? function : NULL;
}

int zeInitDrivers(uint32_t *count, void **drivers, void *desc)
{
    if (!(((uint32_t *)desc)[4] & 1)) {
        absent("zeInitDrivers without the GPU flag");
    }
    int result = zeInit(0);
    return result ? result : zeDriverGet(count, drivers);
}

int zeDriverGetLastErrorDescription(void *driver, const char **text)
{
    int (*get)(void *, const char **) = driver_function("zeDriverGetLastErrorDescription");
    return get ? get(driver, text) : UNSUPPORTED;
}

int zeCommandListHostSynchronize(void *list, uint64_t timeout)
{
    int (*wait)(void *, uint64_t) = driver_function("zeCommandListHostSynchronize");
    return wait ? wait(list, timeout) : UNSUPPORTED;
}

#define ABSENT(name) int name(void) { absent(#name); return UNSUPPORTED; }
"""
IN_SHIM = {"zeInitDrivers", "zeDriverGetLastErrorDescription", "zeCommandListHostSynchronize"}
# The sets of drivers that a program runs with; a case has to pass with one of them. With two drivers this loader wraps handles: then
# it neither looks at null handles nor wraps the build log of a module that did not build. Some cases are about several drivers.
ALONE, BOTH = (["geoid"], ["null"]), (["geoid", "null"],)
ARRANGEMENTS = {"api_driver": ALONE + BOTH, "api_process": BOTH}
# Cases that may fail by that loader's own fault.
THEIRS = {
    # At exit it frees what calls go through; one that another thread makes just then crashes in it (seen in one of 2,400 exits).
    "exit_never_hangs_or_crashes",
}

# Tests of what the compiler makes of kernels. They take two thirds of the time. The loader has little to do with them: the other tests
# call the same functions of it.
COMPILED = re.compile("api_spirv_(ahead|atomics|barrier|cache|deferred.*|endless|float|half|image|memory|parallel|pointer|producers|rays"
                      "|residency|restricted|scopes|service|subgroups)")


def skip(why):
    print(f"debian_loader: skipped, {why}")
    sys.exit(SKIP)


def package_unpack(folder):
    """The folder with Debian's loader in it."""
    libraries = os.path.join(folder, "root", "usr", "lib", "x86_64-linux-gnu")
    if os.path.exists(os.path.join(libraries, LOADER)):
        return libraries
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        skip("there is no apt here")
    os.makedirs(folder, exist_ok=True)
    done = subprocess.run(["apt-get", "download", "libze1"], cwd=folder, capture_output=True, text=True, check=False)
    packages = sorted(name for name in os.listdir(folder) if name.startswith("libze1_"))
    if done.returncode or not packages:
        skip("apt does not offer libze1: " + (done.stderr.strip().splitlines() or ["no reason given"])[-1])
    subprocess.run(["dpkg-deb", "-x", os.path.join(folder, packages[-1]), os.path.join(folder, "root")], check=True)
    if not os.path.exists(os.path.join(libraries, LOADER)):
        skip(f"{packages[-1]} holds no {LOADER} for this machine")
    return libraries


def exports(library):
    """Names of the API's functions that a loader exports."""
    out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\b(ze[a-z]?[A-Z]\w+)", out))


def settings(build):
    """Name of a test -> its variables: how many devices there are, and how they are shown."""
    done = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    wanted = ("GEOID_DEVICES=", "ZE_FLAT_DEVICE_HIERARCHY=")
    return {test["name"]: dict(text.split("=", 1) for entry in test.get("properties", []) if entry["name"] == "ENVIRONMENT"
                               for text in entry["value"] if text.startswith(wanted))
            for test in json.loads(done.stdout)["tests"]}


def shim_build(folder, missing):
    source, library = os.path.join(folder, "absent.c"), os.path.join(folder, "libabsent.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SHIM)
        file.writelines(f"ABSENT({name})\n" for name in sorted(missing - IN_SHIM))
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-w", "-o", library, source], check=True)
    return library


class Run:
    """The programs of a build under the loader; counts what went wrong."""

    def __init__(self, build, libraries):
        self.build, self.failed = build, 0
        self.cases = {"passed": 0, "needs": 0, "theirs": 0, "failed": 0}
        self.environment = {**os.environ, "LD_LIBRARY_PATH": libraries, "GEOID_BUILD_DIR": build}

    def run(self, command, drivers, **variables):
        libraries = ",".join(os.path.join(self.build, "lib", f"libze_{name}.so.1") for name in drivers)
        environment = {**self.environment, "ZE_ENABLE_ALT_DRIVERS": libraries, **variables}
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", timeout=1000,
                                  check=False)
            return done.returncode, done.stdout + done.stderr
        except subprocess.TimeoutExpired as late:
            return "timeout", (late.stdout or b"").decode(errors="replace")

    def fail(self, name, why, out):
        self.failed += 1
        print(f"FAILED {name}: {why}")
        print("\n".join("    " + line for line in out.splitlines()[-40:]))

    def program(self, command, expect=()):
        code, out = self.run(command, ["geoid"])
        absent = [text for text in expect if text not in out]
        if code != 0 or absent:
            self.fail(os.path.basename(command[0]), f"exit status {code}, not in its output: {absent}", out)

    def tests(self, programs, shim):
        """Runs several test programs at a time, as many as there are processors. `programs`: arguments of `test` but the last."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for (path, _, _), (verdicts, why, out) in zip(programs, pool.map(lambda program: self.test(*program, shim), programs)):
                for verdict in verdicts.values():
                    self.cases[verdict] += 1
                if why:
                    self.fail(os.path.basename(path), why, out)

    def test(self, path, arrangements, variables, shim):
        """Runs a test program with each set of drivers. Returns the verdict of each case, why the program failed ("" if it passed)
        and its output. A case that failed after a child process called a function that the loader lacks counts as "needs". So do
        all cases of a program whose set-up calls such a function."""
        verdicts, outputs, broken = {}, [], False
        for drivers in arrangements:
            _, out = self.run([path], drivers, LD_PRELOAD=shim, **variables)
            if re.search(r"needs \w+$", out, re.M) and "GROUP SETUP" in out and "] 0 test(s) run." in out:
                verdicts.update({f"the {text} cases of the program": "needs" for text in re.findall(r"Running (\d+) test", out)})
            cases = re.findall(r"^\[ RUN +\] (.*)\n((?:.*\n)*?)\[ +(OK|SKIPPED|FAILED) +\]", out, re.M)
            broken |= f"] {len(cases)} test(s) run." not in out  # cases of one driver leave none for the other
            outputs.append(out)
            for name, said, word in cases:
                needs = word == "SKIPPED" or re.search("^needs ", said, re.M)
                verdict = "passed" if word == "OK" else "needs" if needs else "theirs" if name in THEIRS else "failed"
                verdicts[name] = min(verdict, verdicts.get(name, "failed"), key=list(self.cases).index)
        failed = [name for name, verdict in verdicts.items() if verdict == "failed"]
        why = f"broke off: {broken}, failed: {failed}" if failed or broken or not verdicts else ""
        return verdicts, why, "\n".join(outputs)


def main():
    everything = sys.argv[1:2] == ["--all"]
    if len(sys.argv) != 2 + everything:
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[-1])
    folder = os.path.join(build, "tests", "clients", "debian")
    libraries = package_unpack(folder)
    ours, theirs = (exports(os.path.join(place, LOADER)) for place in (os.path.join(build, "lib"), libraries))
    shim = shim_build(folder, ours - theirs)
    print(f"Debian's loader has {len(ours & theirs)} of our {len(ours)} functions")

    run = Run(build, libraries)
    zeinfo = os.path.join(build, "bin", "zeinfo")
    run.program([zeinfo], expect=("Geoid CPU",))
    run.program([zeinfo, "--why"], expect=(libraries,))
    for example in ("saxpy", "matmul", "nbody"):
        path = os.path.join(build, "examples", example)
        if os.path.exists(path):
            run.program([path])
    tests, variables = os.path.join(build, "tests"), settings(build)
    names = sorted(name for name in os.listdir(tests) if re.fullmatch(r"api_\w+", name) and
                   (everything or not COMPILED.fullmatch(name)))
    run.tests([(os.path.join(tests, name), ARRANGEMENTS.get(name, ALONE), variables.get(name, {})) for name in names], shim)
    print("API test cases: {passed} passed, {failed} failed, {needs} need functions that this loader lacks, "
          "{theirs} fail by its own fault".format(**run.cases))
    if not run.cases["passed"]:
        run.failed += 1
        print("FAILED: no test case ran")
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
