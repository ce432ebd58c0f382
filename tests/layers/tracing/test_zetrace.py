"""zetrace on programs whose calls and commands are known: what is in the trace, as Python's json reads it, and in the table.

Usage: test_zetrace.py BUILD
"""
import collections
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
ZETRACE = os.path.join(BUILD, "bin", "zetrace")
TRACED = os.path.join(BUILD, "tests", "layers_tracing_traced")
KIB = 1024


class Run:
    """A program under zetrace, and what became of it."""

    def __init__(self, *program, options=(), environment=None):
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "trace.json")
            self.done = subprocess.run([ZETRACE, "-o", output, *options, *program], capture_output=True, text=True, timeout=600, cwd=folder,
                                       env={**os.environ, **(environment or {})})
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

    def test_kernels_have_their_names(self):
        run = Run(os.path.join(BUILD, "examples", "saxpy"))
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
        run = Run(TRACED, "fork")
        self.good(run)
        by_process = collections.Counter(fill["pid"] for fill in run.of("fill"))
        self.assertEqual(sorted(by_process.values()), [4, 5])

    def test_program_and_environment_are_left_as_they_are(self):
        run = Run("/bin/sh", "-c", "echo out; echo \"$1\"; exit 7", "sh", "an argument")
        self.assertEqual(run.done.returncode, 7)
        self.assertEqual(run.done.stdout, "out\nan argument\n")
        self.assertEqual(run.events, [])

    def test_a_limit_on_files_ends_the_trace_and_not_the_program(self):
        run = Run("/bin/sh", "-c", f"ulimit -f 0; exec {TRACED} all")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.events, [])
        self.assertIn("no more is recorded", run.done.stderr)

    def test_wrong_uses_are_told(self):
        for arguments in ([], ["-o"], ["--unknown", "true"]):
            done = subprocess.run([ZETRACE, *arguments], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertIn("usage: zetrace", done.stderr)
        self.assertEqual(Run("/no/such/program", options=["--quiet"]).done.returncode, 127)

    def test_beside_the_validation_layer_nothing_is_wrong(self):
        run = Run(TRACED, "all", environment={"ZE_ENABLE_VALIDATION_LAYER": "1", "GEOID_VALIDATION": "all"})
        self.good(run)
        self.assertNotIn("error:", run.done.stderr)


if __name__ == "__main__":
    unittest.main()
