#!/usr/bin/env python3
"""Tests geoid-blocks on the kernels of counted.cl.

The truth about each block comes from the processor: the same code runs unchanged, with a trap after
each instruction (counted.c). Some blocks are also counted by hand here. Every width and every level
that this machine has is tested, with SPIR-V by both producers.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(sys.argv.pop(1)).resolve()
UPDATE = "--update" in sys.argv and not sys.argv.remove("--update")
HERE = Path(__file__).resolve().parent
PAGE = HERE / "../../../docs/user/instrumentation.md"
MANUAL = HERE / "../../../packaging/manual/geoid-blocks.1"
PROGRAM = BUILD / "tests/layers_instrument_counted"
SPIRV = BUILD / "tests/layers/instrument"
WIDTHS = (1, 8, 16)
ITEMS, NUMBER = 48, 27  # as in counted.c
LEVELS = (("x86-64-v2", "sse4_2"), ("x86-64-v3", "avx2"), ("x86-64-v4", "avx512vl"),
          ("x86-64-v4-vnni", "avx512_vnni"), ("x86-64-v4-fp16", "avx512_fp16"))


def levels():
    flags = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.M)[1].split()
    if not re.search(r"^TracerPid:\t0$", Path("/proc/self/status").read_text(), re.M):
        print("levels: all but the first skipped: as_level hides what this processor has")
        flags = [LEVELS[0][1]]
    for level, flag in LEVELS:
        if flag in flags:
            yield level
        else:
            print(f"levels: {level} skipped: this processor lacks it")


def run(command, **environment):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          env={**os.environ, **{k: str(v) for k, v in environment.items()}})
    if done.returncode:
        raise AssertionError(f"{command}: exit status {done.returncode}: {done.stderr}")
    return done


def report_read(text):
    """The counts of a report by block, and the source lines."""
    counts, lines = {}, {}
    for count, block, line in re.findall(r"^ *(\d+)  (\S+\+0x[0-9a-f]+) *(\S*)$", text, re.M):
        counts[block] = int(count)
        lines[block] = line
    return counts, lines


def collatz(value):
    steps = 0
    while value != 1:
        value = 3 * value + 1 if value % 2 else value // 2
        steps += 1
    return steps


class Blocks(unittest.TestCase):
    def counted(self, spirv, **environment):
        """What the program prints, counts and lines, with geoid-blocks."""
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "report")
            done = run([BUILD / "bin/geoid-blocks", "-o", report, PROGRAM, spirv], **environment)
            text = report.read_text()
        self.assertNotIn("not counted", text)
        return done.stdout, *report_read(text)

    def stepped(self, spirv, **environment):
        """What the program prints, and how often each instruction ran."""
        with tempfile.TemporaryDirectory() as folder:
            steps = Path(folder, "steps")
            done = run([PROGRAM, spirv], STEPPED=steps, GEOID_PERF=1,
                       ZET_ENABLE_PROGRAM_INSTRUMENTATION=1, **environment)
            rows = [line.rsplit(" ", 1) for line in steps.read_text().splitlines()]
        return done.stdout, {name.removeprefix("kernel."): int(count) for name, count in rows}

    def compare(self, spirv, **environment):
        environment["GEOID_THREADS"] = 1  # one call for all groups
        printed, counts, _ = self.counted(spirv, **environment)
        expected, steps = self.stepped(spirv, **environment)
        self.assertEqual(printed, expected)
        self.assertGreater(sum(count > 0 for count in counts.values()), 40)
        for block, count in counts.items():
            self.assertEqual(count, steps.get(block, 0), block)
        # no instruction runs more often than the block that it is in
        last = {}
        for block in sorted(counts, key=lambda name: int(name.split("+")[1], 16)):
            last.setdefault(block.split("+")[0], []).append(block)
        for place, hits in steps.items():
            name, offset = place.split("+")
            leaders = [b for b in last[name] if int(b.split("+")[1], 16) <= int(offset, 16)]
            self.assertEqual(hits, counts[leaders[-1]], place)
        return counts

    # PIN-1, PIN-6
    def test_counts_are_those_of_a_processor_that_steps(self):
        for width in WIDTHS:
            for name in ("counted", "counted_lines"):
                spirv = SPIRV / f"{name}.spv"
                if spirv.exists():
                    with self.subTest(width=width, spirv=name):
                        self.compare(spirv, GEOID_LANES=width)

    def test_counts_are_right_at_every_level(self):
        for level in levels():
            with self.subTest(level=level):
                self.compare(SPIRV / "counted.spv", GEOID_CPU=level, GEOID_LANES=8)

    # PIN-1, PIN-6: with several threads, too
    def test_counts_are_those_by_hand(self):
        for width in WIDTHS:
            _, counts, _ = self.counted(SPIRV / "counted.spv", GEOID_LANES=width)
            steps = [collatz(i % NUMBER + 1) for i in range(ITEMS)]
            # the kernel does not depend on its groups, so vectors reach across them
            turns = sum(max(steps[i:i + width]) for i in range(0, ITEMS, width))
            found = {count for block, count in counts.items() if block.startswith("collatz+")}
            self.assertIn(turns, found, f"width {width}")

    def test_blocks_have_source_lines(self):
        spirv = SPIRV / "counted_lines.spv"
        if not spirv.exists():
            self.skipTest("no llvm-spirv-15")
        _, _, lines = self.counted(spirv, GEOID_LANES=1)
        text = (HERE / "counted.cl").read_text().splitlines()
        known = {int(line.split(":")[1]) for line in lines.values() if line.startswith("counted.cl:")}
        loop = next(i for i, line in enumerate(text, 1) if "while (value != 1)" in line)
        self.assertTrue(known & {loop, loop + 1, loop + 2}, known)
        self.assertGreater(sum(bool(line) for line in lines.values()), len(lines) // 5)

    def test_without_debug_information_there_are_no_lines(self):
        _, _, lines = self.counted(SPIRV / "counted.spv")
        self.assertEqual(set(lines.values()), {""})

    def test_the_page_shows_what_the_tool_prints(self):
        spirv = SPIRV / "counted_lines.spv"
        if not spirv.exists() or "x86-64-v2" not in levels():
            self.skipTest("no llvm-spirv-15, or a processor without the level of the page")
        done = run([BUILD / "bin/geoid-blocks", PROGRAM, spirv], GEOID_CPU="x86-64-v2",
                   GEOID_LANES=1, GEOID_THREADS=1)
        rows = [f"    {line}" for line in done.stderr.splitlines() if "collatz" in line]
        self.assertGreater(len(rows), 3)
        page = PAGE.read_text()
        start = page.index("\n", page.index("    $ GEOID_CPU=x86-64-v2 ")) + 1
        end = page.index("\n\n", start - 1)
        made = page[:start] + "\n".join(rows) + page[end:]
        if UPDATE:
            PAGE.write_text(made)
        self.assertEqual(made, page if not UPDATE else made)

    def test_the_program_ends_as_without_the_tool(self):
        done = subprocess.run([BUILD / "bin/geoid-blocks", "sh", "-c", "exit 7"])
        self.assertEqual(done.returncode, 7)

    def test_the_manual_has_every_option(self):
        manual = MANUAL.read_text().replace("\\-", "-")
        done = subprocess.run([BUILD / "bin/geoid-blocks", "--help"], capture_output=True, text=True)
        options = re.findall(r"^  (-\S+)", done.stdout, re.M)
        self.assertEqual(options, ["-o", "--version", "--help"])
        for option in options:
            self.assertIn(option, manual)

    def test_wrong_usage_is_refused(self):
        for arguments, status in (([], 2), (["-x", "true"], 2), (["-o"], 2), (["--help"], 0),
                                  (["/nothing/here"], 127)):
            done = subprocess.run([BUILD / "bin/geoid-blocks", *arguments], capture_output=True)
            self.assertEqual(done.returncode, status, arguments)


if __name__ == "__main__":
    unittest.main()
