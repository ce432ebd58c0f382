"""What `zeinfo --check` finds: each part works, or is made to fail in the way that users see it fail.

Usage: test_check.py BUILD
"""
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
ZEINFO = os.path.join(BUILD, "bin", "zeinfo")
LIBRARIES = os.path.join(BUILD, "lib")
DRIVER = os.path.join(LIBRARIES, "libze_geoid.so.1")
NULL = os.path.join(LIBRARIES, "libze_null.so.1")
COMPILER = os.path.join(LIBRARIES, "libgeoid_compiler.so.1")
FAKES = os.path.join(BUILD, "tests", "loader")
DENY = os.path.join(BUILD, "tests", "deny")
ALONE = ("ZE_", "ZES_", "ZET_", "ZEL_", "OCL_ICD_", "LD_LIBRARY_PATH")


def environment(**variables):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ALONE)}
    chosen = {**kept, "ZE_ENABLE_ALT_DRIVERS": DRIVER, "GEOID_CACHE_SIZE": "off", **variables}
    return {name: value for name, value in chosen.items() if value is not None}


def limit(**limits):
    """Returns a function that sets limits in the child: limit(NOFILE=200)."""
    def set_all():
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))
    return set_all


def run(*arguments, zeinfo=ZEINFO, before=(), limits=None, **variables):
    return subprocess.run([*before, zeinfo, *arguments], env=environment(**variables), capture_output=True, text=True,
                          preexec_fn=limits, check=False)


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="geoid-check-")
        self.addCleanup(shutil.rmtree, self.folder)

    def check(self, **options):
        """Returns the findings of each name and the exit status, which fits them."""
        done = run("--check", "--json", *options.pop("arguments", ()), **options)
        if done.returncode == 77:
            self.skipTest(done.stderr)
        answer = json.loads(done.stdout)
        found = {}
        for finding in answer["checks"]:
            self.assertIn(finding["outcome"], ("ok", "note", "failed"))
            self.assertTrue(finding["detail"])
            self.assertTrue(finding["outcome"] != "failed" or finding["remedy"], finding)
            found.setdefault(finding["name"], []).append(finding)
        outcomes = [finding["outcome"] for finding in answer["checks"]]
        self.assertEqual(answer["failed"], outcomes.count("failed"))
        self.assertEqual(answer["notes"], outcomes.count("note"))
        self.assertEqual(done.returncode, 1 if answer["failed"] else 0, done.stdout)
        return found

    def one(self, found, name, outcome, detail="", remedy=""):
        """Wants one finding of this name, and returns it."""
        self.assertEqual([finding["outcome"] for finding in found.get(name, [])], [outcome], found)
        for pattern, text in ((detail, found[name][0]["detail"]), (remedy, found[name][0].get("remedy", ""))):
            self.assertTrue(re.search(pattern, text), f"{pattern} is not in: {text}")
        return found[name][0]

    def link(self, path, *names):
        """Puts a library or program at names[-1] of the case's folder, without copying where that is possible."""
        target = os.path.join(self.folder, *names)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        try:
            os.link(os.path.realpath(path), target)
        except OSError:
            shutil.copy(os.path.realpath(path), target)
        return target

    def test_everything_works(self):
        found = self.check()
        self.one(found, "loader", "ok", r"/libze_loader\.so\.1, version \d+\.\d+\.\d+$")
        self.one(found, "driver", "ok", rf"^0: {re.escape(DRIVER)}, Level Zero \d+\.\d+, 1 device$")
        device = self.one(found, "device", "ok", r"^0\.0: \[gpu\] ")
        self.one(found, "kernel", "ok", rf"^{re.escape(device['detail'])}: built in \d+ ms, 4096 results are right$")
        self.one(found, "compiler", "ok", r"/libgeoid_compiler\.so\.1: ")
        self.one(found, "build process", "ok", "a child process built the kernel$")
        self.one(found, "cache", "note", "GEOID_CACHE_SIZE")
        self.one(found, "validation", "ok")
        for name in ("programs", "OpenCL", "debugger", "counters", "shared memory", "memory", "limits", "processors"):
            self.assertIn(found[name][0]["outcome"], ("ok", "note"))
        self.assertNotIn("library", found)

    def test_text_has_a_line_for_each_thing(self):
        done = run("--check", GEOID_COMPILER="/nowhere/compiler.so")
        self.assertEqual(done.returncode, 1)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"^ok      loader         /")
        at = next(number for number, line in enumerate(lines) if line.startswith("failed  compiler       "))
        self.assertIn("/nowhere/compiler.so", lines[at])
        self.assertRegex(lines[at + 1], "^ {23}-> .*GEOID_COMPILER")
        self.assertRegex(lines[-1], r"^3 failed, \d+ notes?, \d+ ok$")

    def test_several_devices_are_tried(self):
        found = self.check(GEOID_DEVICES="2", ZE_ENABLE_ALT_DRIVERS=f"{DRIVER},{NULL}")
        self.assertEqual([finding["outcome"] for finding in found["driver"]], ["ok", "ok"])
        self.assertEqual(len(found["device"]), 4)
        details = [(finding["outcome"], re.match(r"[^:]*", finding["detail"]).group()) for finding in found["kernel"]]
        self.assertEqual(details, [("ok", "0.0"), ("ok", "0.1"), ("note", "driver 1")])
        self.assertEqual(len(found["compiler"]), 2)

    def test_a_driver_that_only_manages_runs_no_kernel(self):
        laptop = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "simulated", "laptop.json")
        found = self.check(GEOID_SIMULATED=laptop, GEOID_SIMULATED_ONLY="1")
        self.one(found, "kernel", "note", "only be managed")

    def test_a_missing_compiler_fails(self):
        found = self.check(GEOID_COMPILER="/nowhere/compiler.so")
        self.one(found, "compiler", "failed", "^the compiler library did not load: /nowhere/compiler.so", "GEOID_COMPILER")
        self.one(found, "kernel", "failed", "zeModuleCreate: ERROR_DEPENDENCY_UNAVAILABLE: error: .*/nowhere/compiler.so: ")
        self.one(found, "build process", "failed")
        self.one(found, "validation", "ok")

    def test_a_build_process_that_cannot_start_fails(self):
        compiler = self.link(COMPILER, "libgeoid_compiler.so.1")
        found = self.check(GEOID_COMPILER=compiler)
        self.one(found, "compiler", "ok", re.escape(compiler))
        self.one(found, "kernel", "ok")
        self.one(found, "build process", "failed", "no child process: .*geoid-build: No such file", "geoid-build.*ulimit -u")

    def test_wrong_results_fail(self):
        # The loader replaces the handles, so the null driver cannot say that its launches do nothing.
        found = self.check(ZE_ENABLE_ALT_DRIVERS=f"{NULL},{DRIVER}", ZE_ENABLE_LOADER_DRIVER_DDI_PATH="0")
        details = {finding["outcome"]: finding["detail"] for finding in found["kernel"]}
        self.assertRegex(details["failed"], r"^0\.0: .*: result 0 is 0xffffffff, not 0xffff61c9$")
        self.assertRegex(details["ok"], r"^1\.0: ")

    def test_a_missing_driver_fails(self):
        found = self.check(ZE_ENABLE_ALT_DRIVERS="/nowhere/libze_none.so")
        self.one(found, "driver", "failed", "^no driver: ERROR_UNINITIALIZED: ", "ZE_ENABLE_ALT_DRIVERS")
        self.one(found, "library", "note", r"^/nowhere/libze_none\.so is not loaded: ", "zeinfo --why")
        self.assertNotIn("device", found)
        self.assertNotIn("kernel", found)

    def test_absent_drivers_of_others_are_no_findings(self):
        found = self.check(ZE_ENABLE_ALT_DRIVERS=None, GEOID_DRIVER_PATH=self.folder)
        self.assertIn(("ok", True), [(driver["outcome"], "libze_geoid.so.1" in driver["detail"]) for driver in found["driver"]])
        self.assertNotIn("is not loaded", " ".join(finding["detail"] for finding in found.get("library", ())))

    def test_a_mask_that_selects_nothing_fails(self):
        found = self.check(ZE_AFFINITY_MASK="7")
        self.one(found, "driver", "failed", "ZE_AFFINITY_MASK selects no device", "unset ZE_AFFINITY_MASK")
        self.assertNotIn("device", found)

    def test_a_driver_that_crashes_fails(self):
        found = self.check(ZE_ENABLE_ALT_DRIVERS=os.path.join(FAKES, "libfake_crash.so"))
        self.one(found, "driver", "failed", r"^the initialisation of the drivers ended with signal 11 \(", "GEOID_LOG")

    def test_a_driver_that_hangs_fails(self):
        found = self.check(arguments=("--timeout", "1"), FAKE_STUCK_FD="2", ZE_ENABLE_ALT_DRIVERS=os.path.join(FAKES, "libfake_stuck.so"))
        self.one(found, "driver", "failed", "^no answer within 1 s: the initialisation of the drivers$",
                 "GEOID_DRIVER_INIT_TIMEOUT")
        self.one(found, "shared memory", "ok")

    def test_a_cache_that_works_has_path_size_and_limit(self):
        cache = os.path.join(self.folder, "cache")
        os.mkdir(cache, 0o700)
        with open(os.path.join(cache, "0123456789abcdef.geoid"), "wb") as stream:
            stream.write(bytes(3 << 20))
        found = self.check(GEOID_CACHE_SIZE="100", GEOID_CACHE_DIR=cache)
        self.one(found, "cache", "ok", rf"^{re.escape(cache)}: 3\.0 of 100 MiB$")
        self.assertEqual(os.listdir(cache), ["0123456789abcdef.geoid"])  # the file that was tried is gone

    def test_a_cache_that_cannot_be_written_fails(self):
        shared = os.path.join(self.folder, "shared")
        os.mkdir(shared)
        os.chmod(shared, 0o777)
        blocked = os.path.join(self.folder, "file")
        with open(blocked, "w", encoding="utf-8"):
            pass
        for folder, reason in ((shared, "others may write"), (f"{blocked}/cache", "Not a directory"), ("cache", "not an absolute path"),
                               ("/proc/self/attr", "Permission denied|No such file|not permitted")):
            found = self.check(GEOID_CACHE_SIZE="100", GEOID_CACHE_DIR=folder)
            self.one(found, "cache", "failed", rf"^{re.escape(folder)}: .*({reason})", "GEOID_CACHE_DIR")
            self.one(found, "kernel", "ok")

    def test_a_missing_layer_fails(self):
        zeinfo = self.link(ZEINFO, "bin", "zeinfo")
        self.link(os.path.join(LIBRARIES, "libze_loader.so.1"), "lib", "libze_loader.so.1")
        found = self.check(zeinfo=zeinfo)
        self.one(found, "loader", "ok", re.escape(self.folder))
        self.one(found, "validation", "failed", "does not report", "libze_validation_layer.so.1")
        self.one(found, "driver", "ok")

    def test_programs_find_the_loader(self):
        found = self.check(LD_LIBRARY_PATH=LIBRARIES)
        self.one(found, "programs", "ok", rf"this loader: {re.escape(LIBRARIES)}/libze_loader")
        other = self.check(LD_LIBRARY_PATH=self.folder)
        listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=False, env={**os.environ, "PATH": "/sbin:/usr/sbin"})
        self.one(other, "programs", "note", "find another loader: /" if "libze_loader.so.1 " in listed.stdout else "find no loader$", "geoid-run")

    def test_opencl(self):
        if self.check()["OpenCL"][0]["detail"].startswith("libOpenCL"):
            self.skipTest("no loader of OpenCL is installed")
        found = self.check(OCL_ICD_VENDORS=os.path.join(LIBRARIES, "OpenCL", "vendors"), LD_LIBRARY_PATH=LIBRARIES)
        self.one(found, "OpenCL", "ok", "Geoid")
        self.one(self.check(OCL_ICD_VENDORS=self.folder), "OpenCL", "note", "there is no .*geoid.icd", "geoid-opencl-icd")
        with open(os.path.join(self.folder, "geoid.icd"), "w", encoding="utf-8") as stream:
            stream.write("/nowhere/libgeoid_opencl.so.1\n")
        self.one(self.check(OCL_ICD_VENDORS=self.folder), "OpenCL", "failed",
                 "geoid.icd names /nowhere/libgeoid_opencl.so.1, which does not work: /nowhere", "geoid-opencl-icd")

    def test_what_the_system_refuses(self):
        before = (DENY, "ptrace", "perf_event_open", "memfd_create", "--")
        found = self.check(before=before)
        self.one(found, "debugger", "note", "^ptrace is refused: Operation not permitted", "SYS_PTRACE")
        self.one(found, "counters", "note", "Operation not permitted.*perf_event_paranoid", "perf_event_paranoid")
        self.one(found, "shared memory", "failed", "memory files cannot be made: Operation not permitted", "seccomp")

    def test_limits_are_noted(self):
        found = self.check(limits=limit(NOFILE=200))
        self.one(found, "limits", "note", "ulimit -n: 200,", "ulimit -n")
        found = self.check(limits=limit(FSIZE=1 << 40))
        self.one(found, "limits", "note", "ulimit -f: 1048576 MiB", "ulimit -f")
        found = self.check(limits=limit(AS=1 << 46))
        self.one(found, "memory", "note", "ulimit -v: 67108864 MiB", "ulimit -v")

    def test_processors_are_counted(self):
        cpu = min(os.sched_getaffinity(0))
        found = self.check(limits=lambda: os.sched_setaffinity(0, {cpu}))
        self.one(found, "processors", "ok", r"may use 1 of \d+ CPUs")

    def test_output_that_is_lost_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([ZEINFO, "--check"], env=environment(), stdout=full, check=False)
        self.assertEqual(done.returncode, 1)

    def test_wrong_usage(self):
        for arguments, text in ((("--check", "--list"), "--check cannot be combined"), (("--timeout", "5"), "--timeout requires --check"),
                                (("--check", "--timeout", "0"), "'0' is not a number"), (("--check", "--timeout", "2x"), "'2x' is not")):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
