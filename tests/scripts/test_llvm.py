"""The reduced cases of docs/dev/llvm still show what they are about: see its README. Skipped (77) without LLVM's tools.

Usage: test_llvm.py
"""
import glob
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FOLDER = os.path.join(ROOT, "docs", "dev", "llvm")
TABLE = os.path.join(ROOT, "src", "compiler", "lower", "llvm_faults.def")
LLC = ["llc-22", "-mcpu=x86-64-v4", "-filetype=null"]


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def words(text, key):
    return re.findall(rf"^; {key}: (.*)$", text, re.M)


def limit():
    """Ends a program that runs for ever, by SIGXCPU."""
    resource.setrlimit(resource.RLIMIT_CPU, (5, 10))


def seconds(count, terms, *options):
    """Processor time of llc, the least of two runs."""
    made = subprocess.run([sys.executable, os.path.join(FOLDER, "chain.py"), str(count), str(terms)], capture_output=True, check=True).stdout
    least = None
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([*LLC, *options], input=made, check=True)
        took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        least = took if least is None else min(least, took)
    return least


class Faults(unittest.TestCase):
    def test_cases_show_their_fault(self):
        cases = sorted(glob.glob(os.path.join(FOLDER, "*.ll")))
        self.assertGreaterEqual(len(cases), 7)
        for case in cases:
            with self.subTest(os.path.basename(case)):
                text = read(case)
                (run,), (shows,) = words(text, "run"), words(text, "shows")
                if shows == "no end":
                    done = subprocess.run(run.split(), input=text, capture_output=True, text=True, check=False, preexec_fn=limit)
                    self.assertEqual(done.returncode, -signal.SIGXCPU)
                    continue
                out = subprocess.run(run.split(), input=text, capture_output=True, text=True, check=True).stdout
                self.assertRegex(out, shows)
                for lacks in words(text, "lacks"):
                    self.assertNotRegex(out, lacks)

    @unittest.skipUnless("GEOID_TEST_TIMES" in os.environ, "needs a processor that does nothing else")
    def test_a_chain_takes_the_square_of_its_length(self):
        few, many = (seconds(count, count, "-x86-machine-combiner=0") for count in (2000, 8000))
        self.assertGreater(many, 7 * few)

    @unittest.skipUnless("GEOID_TEST_TIMES" in os.environ, "needs a processor that does nothing else")
    def test_a_block_is_counted_for_each_change(self):
        self.assertGreater(seconds(8000, 40), 1.5 * seconds(8000, 40, "-x86-machine-combiner=0"))

    def test_each_row_of_the_table_has_a_case(self):
        told = read(os.path.join(FOLDER, "README.md"))
        for row in re.findall(r"^GEO_LLVM_FAULT\((\w+)", read(TABLE), re.M):
            self.assertTrue(f"`{row}`" in told or f"]({row.lower()}." in told, row)


if __name__ == "__main__":
    if not all(shutil.which(tool) for tool in ("llc-22", "opt-22")):
        print("llc-22 and opt-22 are not here")
        sys.exit(77)
    unittest.main()
