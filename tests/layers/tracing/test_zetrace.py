"""zetrace on programs whose calls and commands are known: what is in the trace, as Python's json reads it, and in the table.

Usage: test_zetrace.py BUILD [SANITIZER]
"""
import collections
import json
import os
import re
import resource
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

BUILD = os.path.abspath(sys.argv.pop(1))
SANITIZER = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else ""
ZETRACE = os.path.join(BUILD, "bin", "zetrace")
TRACED = os.path.join(BUILD, "tests", "layers_tracing_traced")
KERNEL = os.path.join(BUILD, "tests", "traced.spv")
SAXPY = os.path.join(BUILD, "examples", "saxpy")
KIB = 1024
PATIENCE = int(os.environ.get("GEOID_TEST_PATIENCE", "600"))  # seconds, after which a program hangs (tests/harness/patience.h)
# The child of a fork forgets the objects that it has from its parent, as it must; their memory is no leak to find.
FORGETS = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0",
           "TSAN_OPTIONS": os.environ.get("TSAN_OPTIONS", "") + ":die_after_fork=0"}


def finish(command, **options):
    """Runs a command as subprocess.run does. Ends it with all processes that it started when it hangs, and raises TimeoutExpired."""
    with subprocess.Popen(command, start_new_session=True, **options) as child:
        try:
            out, err = child.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            raise
        return subprocess.CompletedProcess(command, child.returncode, out, err)


TEXT = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}


class Run:
    """A program under zetrace, and what became of it."""

    def __init__(self, *program, options=(), environment=None):
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "trace.json")
            self.done = finish([ZETRACE, "-o", output, *options, *program], cwd=folder, env={**os.environ, **(environment or {})}, **TEXT)
            with open(output, encoding="utf-8") as stream:
                self.events = json.load(stream)
            self.left = sorted(os.listdir(folder))
        self.slices = [event for event in self.events if event["ph"] == "X"]
        self.calls = [event for event in self.slices if event["cat"] == "host"]
        self.commands = [event for event in self.slices if event["cat"] != "host"]

    def count(self, name):
        return sum(call["name"] == name for call in self.calls)

    def of(self, category):
        return [command for command in self.commands if command["cat"] == category]


class Zetrace(unittest.TestCase):
    def good(self, run):
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.left, ["trace.json"])
        for event in run.slices:
            self.assertGreaterEqual(event["ts"], 0)
            self.assertGreaterEqual(event["dur"], 0)

    def test_calls_and_commands_are_all_there(self):
        run = Run(TRACED, "all")
        self.good(run)
        self.assertEqual(run.count("zeInit"), 1)
        self.assertEqual(run.count("zeCommandListAppendMemoryFill"), 101)
        self.assertEqual(run.count("zeCommandListAppendMemoryCopy"), 7)
        self.assertEqual(run.count("zeCommandQueueExecuteCommandLists"), 5)
        self.assertEqual(run.count("zeEventHostReset"), 5)
        self.assertEqual(run.count("zeCommandListAppendQueryKernelTimestamps"), 0)  # zetrace's own
        fills, copies = run.of("fill"), run.of("copy")
        self.assertEqual(collections.Counter(f["args"]["bytes"] for f in fills), {4 * KIB: 100, 32 * KIB: 5})
        self.assertEqual(collections.Counter((c["args"]["bytes"], c["args"]["from"] + c["args"]["to"]) for c in copies),
                         {(8 * KIB, "SS"): 5, (32 * KIB, "SS"): 5, (16 * KIB, "SM"): 5})
        self.assertNotIn("without times", run.done.stderr)

    def test_commands_run_after_they_were_submitted(self):
        run = Run(TRACED, "all")
        begins = {event["id"]: event for event in run.events if event["ph"] == "s"}
        ends = {event["id"]: event for event in run.events if event["ph"] == "f"}
        self.assertEqual(len(begins), len(run.commands))
        self.assertEqual(begins.keys(), ends.keys())
        for number, begin in begins.items():
            self.assertGreater(ends[number]["ts"], begin["ts"])
        executes = [(call["ts"], call["ts"] + call["dur"]) for call in run.calls if call["name"] == "zeCommandQueueExecuteCommandLists"]
        regular = sorted((c for c in run.commands if c["args"].get("bytes") == 32 * KIB), key=lambda c: c["ts"])
        for execute, pair in zip(executes, zip(regular[::2], regular[1::2])):
            for command in pair:
                self.assertGreater(command["ts"], execute[0])
        for one, other in zip(regular, regular[1:]):  # one queue
            self.assertLessEqual(round(one["ts"] + one["dur"], 3), other["ts"] + 0.001)

    @unittest.skipUnless(os.path.exists(SAXPY), "built without examples")
    def test_kernels_have_their_names(self):
        run = Run(SAXPY)
        self.good(run)
        kernels = run.of("kernel")
        self.assertEqual({kernel["name"] for kernel in kernels}, {"saxpy"})
        self.assertEqual(len(kernels), run.count("zeCommandListAppendLaunchKernel"))

    def test_the_table_agrees_with_the_trace(self):
        run = Run(TRACED, "all")
        lines = [line.split() for line in run.done.stderr.splitlines()]
        rows = {words[0]: words[1:] for words in lines if words and words[0].startswith("ze") and words[0] != "zetrace:" and len(words) == 6}
        names = collections.defaultdict(list)
        for call in run.calls:
            names[call["name"]].append(call["dur"])
        self.assertEqual(rows.keys(), names.keys())
        for name, times in names.items():
            self.assertEqual(int(rows[name][0]), len(times))
            for word, value in zip(rows[name][1:], (sum(times), sum(times) / len(times), min(times), max(times))):
                self.assertAlmostEqual(float(word), value, delta=0.1)
        fill = next(words for words in lines if words[:2] == ["fill", "S"])
        self.assertEqual([int(fill[2]), int(fill[7])], [105, 100 * 4 * KIB + 5 * 32 * KIB])

    def test_a_program_that_crashes_leaves_what_it_did(self):
        for what, number in (("crash", signal.SIGSEGV), ("kill", signal.SIGKILL)):
            run = Run(TRACED, what)
            self.assertEqual(run.done.returncode, 128 + number)
            self.assertEqual(run.count("zeCommandListAppendMemoryFill"), 100)
            self.assertEqual(len(run.of("fill")), 100)

    def test_threads_have_rows_of_their_own(self):
        run = Run(TRACED, "threads")
        self.good(run)
        rows = collections.Counter(call["tid"] for call in run.calls if call["name"] == "zeCommandListAppendMemoryFill")
        self.assertEqual(sorted(rows.values()), [100] * 8)
        self.assertEqual(len(run.of("fill")), 800)
        self.assertEqual(len({fill["tid"] for fill in run.of("fill")}), 8)  # a list each

    def test_children_are_traced_as_well(self):
        run = Run(TRACED, "fork", environment=FORGETS)
        self.good(run)
        by_process = collections.Counter(fill["pid"] for fill in run.of("fill"))
        self.assertEqual(sorted(by_process.values()), [4, 5])

    def test_descriptors_of_the_program_are_left_alone(self):
        run = Run(TRACED, "closing")
        self.good(run)
        self.assertEqual(run.count("zeContextGetStatus"), 10000)

    def test_programs_end_with_commands_that_nobody_waits_for(self):
        for what in ("open", "open-synchronous"):
            run = Run(TRACED, what, environment=FORGETS)
            self.good(run)
            self.assertEqual(run.count("zeCommandListAppendMemoryFill"), 2)
            self.assertEqual(run.count("zeEventQueryStatus"), 0)  # zetrace's own
            untimed = re.search(r"(\d+) commands? without times", run.done.stderr)
            self.assertEqual(len(run.of("fill")) + (int(untimed.group(1)) if untimed else 0), 2)

    @unittest.skipIf(SANITIZER, "the shell has no sanitizer, which the preloaded library needs")
    def test_program_and_environment_are_left_as_they_are(self):
        run = Run("/bin/sh", "-c", "echo out; echo \"$1\"; exit 7", "sh", "an argument")
        self.assertEqual(run.done.returncode, 7)
        self.assertEqual(run.done.stdout, "out\nan argument\n")
        self.assertEqual(run.events, [])

    def test_a_closed_pipe_leaves_no_folder_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            reader, writer = os.pipe()
            os.close(reader)
            done = finish([ZETRACE, "-o", "trace.json", TRACED, "all"], stderr=writer, cwd=folder)
            os.close(writer)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(os.listdir(folder), ["trace.json"])

    def test_pipes_and_devices_are_written_into(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            done = finish([ZETRACE, "-o", pipe, "true"], env={**os.environ, "TMPDIR": pipe}, **TEXT)
            self.assertIn("pipe/zetrace.", done.stderr)  # no folder beside the pipe, but one in TMPDIR, which is none
            with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
                try:
                    done = finish([ZETRACE, "-o", pipe, "--quiet", TRACED, "all"], env={**os.environ, "TMPDIR": folder})
                    self.assertEqual(done.returncode, 0)
                    self.assertGreater(len(json.loads(reader.communicate(timeout=PATIENCE)[0])), 100)
                finally:
                    reader.kill()  # without a writer it would wait for one
            self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))
            self.assertEqual(os.listdir(folder), ["pipe"])

    @unittest.skipIf(SANITIZER, "the shell has no sanitizer, which the preloaded library needs")
    def test_signals_of_the_program_are_what_they_were(self):
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            self.assertEqual(Run("/bin/sh", "-c", f"kill -{int(number)} $$").done.returncode, 128 + number)

    @unittest.skipIf(SANITIZER, "the shell has no sanitizer, which the preloaded library needs")
    def test_a_limit_on_files_ends_the_trace_and_not_the_program(self):
        run = Run("/bin/sh", "-c", f"ulimit -f 0; exec {TRACED} all")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.events, [])
        self.assertIn("recording stopped in process", run.done.stderr)

    def test_wrong_uses_are_told(self):
        sizes = [["--limit", size, "true"] for size in ("", "x", "-1", "5X", "5MB", "99999999999G", "99999999999999999999")]
        for arguments in ([], ["-o"], ["--unknown", "true"], ["--limit"], *sizes):
            done = finish([ZETRACE, *arguments], **TEXT)
            self.assertEqual(done.returncode, 2)
            self.assertIn("usage: zetrace", done.stderr)
        for arguments, problem in ((["--limit", "5X", "true"], "--limit must be a number of bytes such as 500000, 100K, 100M or 10G, not 5X"),
                                   (["-o"], "a value is missing after -o"), (["--unknown"], "unknown option --unknown"),
                                   (["--quiet"], "no program is given"), (["--from", "x", "y"], "unexpected argument y")):
            done = finish([ZETRACE, *arguments], **TEXT)
            self.assertIn(problem + "\nusage: zetrace", done.stderr)
        done = finish([ZETRACE, "--help"], **TEXT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--limit SIZE", done.stdout)
        done = Run("/no/such/program", options=["--quiet"]).done
        self.assertEqual(done.returncode, 127)
        self.assertIn("zetrace: cannot run /no/such/program: No such file or directory", done.stderr)

    def test_beside_the_validation_layer_nothing_is_wrong(self):
        run = Run(TRACED, "all", environment={"ZE_ENABLE_VALIDATION_LAYER": "1", "GEOID_VALIDATION": "all"})
        self.good(run)
        self.assertNotIn("error:", run.done.stderr)

    def test_a_limit_ends_the_trace_and_not_the_program(self):
        run = Run(TRACED, "calls", "100000", options=["--limit", "1M"])
        self.good(run)
        self.assertIn("recording stopped in process", run.done.stderr)
        self.assertIn(f"the limit of {KIB * KIB} bytes was reached", run.done.stderr)
        self.assertEqual(min(run.calls, key=lambda call: call["ts"])["name"], "zeInit")
        bytes_of_calls = 32 * len(run.calls)
        self.assertGreater(bytes_of_calls, KIB * KIB / 2)
        self.assertLess(bytes_of_calls, KIB * KIB)

    def test_a_limit_is_that_of_all_processes(self):
        run = Run(TRACED, "fork", options=["--limit", "64K"], environment=FORGETS)  # a chunk, which the parent has
        self.good(run)
        self.assertEqual(len({call["pid"] for call in run.calls}), 1)
        self.assertEqual(len(run.of("fill")), 5)
        self.assertEqual(run.done.stderr.count("recording stopped in process"), 1)
        self.assertNotIn("limit", Run(TRACED, "fork", options=["--limit", "1G"]).done.stderr)


class Metrics(unittest.TestCase):
    """zetrace --metrics on kernels whose numbers of work-items are known: 3 x 112, 5 x 2 x 80, and 144."""

    ITEMS = [112] * 3 + [80] * 10 + [144]

    def rows(self, run):
        """The rows of the table of metrics: name, then total (of a sum), mean, least and most, and the unit."""
        lines = run.done.stderr[run.done.stderr.index("\nmetrics of"):].splitlines()
        return {line.split()[0]: line.split()[1:] for line in lines if line.startswith("  ")}

    def counters(self, run, name):
        return [event for event in run.events if event["ph"] == "C" and event["name"] == name]

    def test_each_kernel_is_measured(self):
        run = Run(TRACED, "kernels", KERNEL, options=["--metrics", "Executor"])
        self.assertEqual((run.done.returncode, run.left), (0, ["trace.json"]), run.done.stderr)
        self.assertNotIn("without", run.done.stderr)
        self.assertIn("\nstep (14, ", run.done.stderr)
        rows = self.rows(run)
        self.assertEqual(rows["WorkItems"], [str(sum(self.ITEMS)), f"{sum(self.ITEMS) / 14:.3f}", "80", "144", "events"])
        self.assertEqual(rows["Kernels"], ["14", "1", "1", "1", "events"])
        self.assertEqual(rows["ActiveLanes"][:3], ["100", "100", "100"])  # a mean has no total
        self.assertNotIn("QueryBeginTime", rows)
        self.assertEqual(len(run.of("kernel")), 14)
        self.assertEqual(run.count("zetContextActivateMetricGroups"), 0)  # zetrace's own

    def test_the_trace_has_counters_of_the_kernels(self):
        run = Run(TRACED, "kernels", KERNEL, options=["--metrics", "Executor"])
        points = self.counters(run, "WorkItems")
        self.assertEqual(sorted(point["args"]["events"] for point in points), sorted(self.ITEMS + [0] * 14))
        begins = {kernel["ts"] for kernel in run.of("kernel")}
        ends = {round(kernel["ts"] + kernel["dur"], 3) for kernel in run.of("kernel")}
        for point in points:
            self.assertIn(point["ts"], begins if point["args"]["events"] else ends)

    def test_devices_are_sampled(self):
        run = Run(TRACED, "kernels", KERNEL, options=["--metrics", "Executor", "--metrics-interval", "1ms"])
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertIn("metrics of devices", run.done.stderr)
        rows = self.rows(run)
        self.assertEqual(rows["WorkItems"][0], str(sum(self.ITEMS)))
        self.assertEqual(rows["Kernels"][0], "14")
        points = self.counters(run, "WorkItems")
        self.assertEqual(sum(point["args"]["events"] for point in points), sum(self.ITEMS))
        self.assertTrue(all(point["ts"] >= 0 for point in points))
        self.assertLessEqual(max(kernel["ts"] for kernel in run.of("kernel")), max(point["ts"] for point in points if point["args"]["events"]) + 5000)

    def test_lost_samples_are_told(self):
        """Of records that the test writes: 2 losses of samples, and 3 kernels without metrics."""
        lost, unmeasured = (struct.pack("<HHI", kind, 8, number) for kind, number in ((8, 2), (7, 3)))
        chunk = struct.pack("<IIII", 0x7a740001, 1, 32, 0) + lost + unmeasured
        with tempfile.TemporaryDirectory() as folder:
            spool = os.path.join(folder, "spool")
            os.mkdir(spool)
            with open(os.path.join(spool, "1.1"), "wb") as stream:
                stream.write(chunk.ljust(1 << 16, b"\0"))
            done = finish([ZETRACE, "-o", os.path.join(folder, "trace.json"), "--from", spool], **TEXT)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("the memory for samples was full 2 times", done.stderr)
            self.assertIn("3 kernels without metrics", done.stderr)

    def test_groups_are_listed(self):
        done = finish([ZETRACE, "--list-metrics"], **TEXT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^.*: Executor, of each kernel: ")
        self.assertRegex(done.stdout, r"(?m)^.*: Executor, over time: ")
        self.assertRegex(done.stdout, r"(?m)^    WorkItems +events +Work-items of these launches$")

    def test_wrong_metrics_are_told(self):
        done = finish([ZETRACE, "--metrics", "Excutor", "true"], **TEXT)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "no device has a group of metrics Excutor of kernels: there is Executor, System")
        for interval in ("1", "0us", "us", "1x", "5s", "-1ms"):
            done = finish([ZETRACE, "--metrics", "Executor", "--metrics-interval", interval, "true"], **TEXT)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--metrics-interval must be a time such as 100us, 1ms or 1s, at most 4s, not " + interval, done.stderr)
        self.assertIn("--metrics-interval needs --metrics GROUP", finish([ZETRACE, "--metrics-interval", "1ms", "true"], **TEXT).stderr)
        self.assertIn("--from does not measure", finish([ZETRACE, "--metrics", "Executor", "--from", "x"], **TEXT).stderr)


class Roofline(unittest.TestCase):
    """The picture, and its table, of five launches of 1,024 items with 2 operations and 8 bytes each."""

    def test_kernels_stand_below_the_limits(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "roof.svg")
            run = Run(TRACED, "floats", KERNEL, options=["--roofline", picture])
            self.assertEqual(run.done.returncode, 0, run.done.stderr)
            root = xml.etree.ElementTree.parse(picture).getroot()
        space = "{http://www.w3.org/2000/svg}"
        texts = [text.text for text in root.iter(space + "text")]
        self.assertIn("scale", texts)
        self.assertEqual(len(list(root.iter(space + "circle"))), 1)
        for name in ("first cache", "second cache", "memory", "32 bits, fused:", "64 bits, fused:"):
            self.assertTrue(any(text.startswith(name) for text in texts), name)
        limits = [float(number) for number in re.search(r"limits of \d+ processors: ([\d.]+) .*?, ([\d.]+) .*?first cache (\d+), second cache "
                                                        r"(\d+), memory ([\d.]+) GB/s", run.done.stderr).groups()]
        self.assertTrue(all(limit > 0 for limit in limits), limits)
        row = re.search(r"^scale +(\d+) +(\d+) +([\d.]+) +([\d.]+)$", run.done.stderr, re.M)
        self.assertEqual([int(row.group(1)), int(row.group(2))], [2 * 1024, 8 * 1024])
        self.assertEqual(row.group(3), "0.250")
        times = [kernel["dur"] for kernel in run.of("kernel")]
        self.assertEqual(len(times), 5)
        self.assertAlmostEqual(float(row.group(4)), 5 * 2 * 1024 / sum(times) / 1000, delta=0.002)
        self.assertEqual(run.done.stdout.count("scaled"), 2)  # the program ran twice

    def test_without_operations_there_is_no_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "roof.svg")
            run = Run(TRACED, "kernels", KERNEL, options=["--roofline", picture])
            self.assertEqual(run.done.returncode, 1)
            self.assertIn("zetrace: no picture: no kernel has operations on floats", run.done.stderr)
            self.assertRegex(run.done.stderr, r"(?m)^step +has no operations on floats, or no accesses$")
            self.assertFalse(os.path.exists(picture))
        done = finish([ZETRACE, "--roofline", "x.svg", "--metrics", "Executor", "true"], **TEXT)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--roofline goes neither with --metrics nor with --from", done.stderr)


class Spool(unittest.TestCase):
    """What a zetrace left that could not write its trace: of a program of a million calls."""

    CALLS, FILLS = (1000000, 40000) if not SANITIZER else (100000, 4000)

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.done = finish([ZETRACE, "-o", cls.folder.name, "--quiet", TRACED, "calls", str(cls.CALLS)], **TEXT)
        found = re.search(r"records stay in (\S+)", cls.done.stderr)
        cls.spool = found.group(1) if found else ""
        cls.output = os.path.join(cls.folder.name, "trace.json")

    @classmethod
    def tearDownClass(cls):
        if cls.spool:
            shutil.rmtree(cls.spool)
        cls.folder.cleanup()

    def convert(self, *limit):
        """The result of zetrace --from; `limit` is one of the system's, and its value."""
        return finish([ZETRACE, "-o", self.output, "--quiet", "--from", self.spool],
                      preexec_fn=(lambda: resource.setrlimit(limit[0], (limit[1], limit[1]))) if limit else None, **TEXT)

    @unittest.skipIf(SANITIZER, "a sanitizer holds memory back")
    def test_the_program_does_not_grow(self):
        self.assertLess(int(self.done.stdout), 8 * KIB)  # of 36 MiB of records; what the driver takes, it takes without zetrace, too

    def test_a_trace_of_a_million_calls_needs_little_memory(self):
        done = self.convert(*(() if SANITIZER else (resource.RLIMIT_AS, 16 * KIB * KIB)))
        self.assertEqual(done.returncode, 0, done.stderr)
        calls, begins = 0, []
        with open(self.output, encoding="utf-8") as stream:
            for line in stream:
                calls += '"name":"zeContextGetStatus"' in line
                if '"cat":"fill"' in line:
                    begins.append(json.loads(line.rstrip(",\n"))["ts"])
        self.assertEqual(calls, self.CALLS)
        self.assertEqual(len(begins), self.FILLS)
        self.assertTrue(begins == sorted(begins))  # a difference would be long

    def test_a_trace_that_is_cut_off_is_repaired(self):
        done = self.convert(resource.RLIMIT_FSIZE, KIB * KIB)
        self.assertEqual(done.returncode, 1)
        self.assertIn("File too large", done.stderr)
        with open(self.output, encoding="utf-8") as stream:
            text = stream.read()
        events = json.loads(text[:text.rindex(",\n")] + "]")  # the rule of docs/user/tracing.md
        self.assertGreater(len(events), 1000)
        self.assertEqual(self.convert().returncode, 0)  # and the folder is still there
        with open(self.output, encoding="utf-8") as stream:
            self.assertEqual(sum(1 for line in stream if '"cat":"fill"' in line), self.FILLS)


class ForeignFolder(unittest.TestCase):
    """A folder of records that somebody else filled."""

    def test_only_regular_files_are_read_and_none_is_overwritten(self):
        with tempfile.TemporaryDirectory() as folder:
            spool, own, output = (os.path.join(folder, name) for name in ("spool", "own", "trace.json"))
            os.mkdir(spool)
            with open(own, "w", encoding="utf-8") as stream:
                stream.write("mine")
            os.mkfifo(os.path.join(spool, "1.pipe"))
            os.symlink("/dev/zero", os.path.join(spool, "2.zeros"))
            os.mkfifo(os.path.join(spool, ".room"))
            os.symlink(own, os.path.join(spool, ".sort"))
            done = finish([ZETRACE, "-o", output, "--quiet", "--from", spool], **TEXT)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(own, encoding="utf-8") as stream:
                self.assertEqual(stream.read(), "mine")


if __name__ == "__main__":
    unittest.main()
