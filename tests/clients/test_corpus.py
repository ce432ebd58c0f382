#!/usr/bin/env python3
"""corpus.py and extract_spirv.py, on modules of our own: usage: test_corpus.py BUILD_MODULE FOLDER_WITH_SPV"""
import glob
import os
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
WORKER, FOLDER = sys.argv[1:3]

# A worker that obeys the name of the file.
STUB = """#!/usr/bin/env python3
import os, sys, time
for line in sys.stdin:
    name = os.path.basename(line.strip())
    if name.startswith("crash"):
        os.abort()
    while name.startswith("spin"):
        pass
    if name.startswith("sleep"):
        time.sleep(600)
    print("0x1\\t1000\\t0\\terror: OpFoo %17 at word 93: unknown" if name.startswith("bad") else "built\\t2000\\t1\\t", flush=True)
"""


def script(name, *arguments):
    done = subprocess.run([sys.executable, os.path.join(HERE, name), *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class Corpus(unittest.TestCase):
    def setUp(self):
        self.modules = sorted(glob.glob(os.path.join(FOLDER, "*.spv")))
        self.assertTrue(self.modules, f"no modules in {FOLDER}")
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.work = temporary.name

    def write(self, name, data):
        path = os.path.join(self.work, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def good(self):
        with open(self.modules[0], "rb") as file:
            return file.read()

    def test_modules_of_the_build_are_built(self):
        # The others are parts of a program, or meant to fail.
        apart = ("import", "link_", "pointer_", "cross_", "_bad.spv")
        whole = [path for path in self.modules if not any(word in os.path.basename(path) for word in apart)]
        code, out = script("corpus.py", "--require", "100", WORKER, *whole)
        self.assertEqual(code, 0, out)
        self.assertIn(f"{len(whole)} of {len(whole)} modules built (100.0 %)", out)

    def test_an_import_that_nobody_has_is_named(self):
        code, out = script("corpus.py", WORKER, *(path for path in self.modules if "import" in path))
        self.assertEqual(code, 0, out)
        self.assertRegex(out, r"(?m)^ +1  .*function other, imported by ")

    def test_what_is_no_module_has_its_cause(self):
        self.write("a.spv", self.good())
        self.write("b.spv", self.good()[:len(self.good()) // 8 * 4])
        self.write("c.spv", b"no module at all, but long enough")
        self.write("d.spv", b"")
        listing = os.path.join(self.work, "list")
        code, out = script("corpus.py", "--list", listing, "--require", "50", WORKER, self.work)
        self.assertEqual(code, 1, out)
        self.assertIn("1 of 4 modules built", out)
        with open(listing, encoding="utf-8") as file:
            outcomes = {os.path.basename(line.split("\t")[3]): line.split("\t")[0] for line in file}
        self.assertEqual(outcomes["a.spv"], "built")
        self.assertEqual(outcomes["d.spv"], "unreadable")
        self.assertTrue(outcomes["b.spv"].startswith("0x7"), outcomes)
        self.assertTrue(outcomes["c.spv"].startswith("0x7"), outcomes)

    def test_crashes_and_endless_builds_cost_one_module_each(self):
        stub = self.write("stub", STUB.encode())
        os.chmod(stub, os.stat(stub).st_mode | stat.S_IXUSR)
        for name in ("bad1", "bad2", "crash", "fine1", "fine2", "spin"):
            self.write(name + ".spv", self.good())
        code, out = script("corpus.py", "-j", "2", "--seconds", "2", "--wall", "600", stub, self.work)
        self.assertEqual(code, 0, out)
        self.assertIn("2 of 6 modules built", out)
        self.assertRegex(out, r"(?m)^ +1  crash: signal 6")
        self.assertRegex(out, r"(?m)^ +1  timeout: over 2 s")
        self.assertRegex(out, r"(?m)^ +2  error: OpFoo %N at word N: unknown")

    def test_a_build_that_does_nothing_ends(self):
        stub = self.write("stub", STUB.encode())
        os.chmod(stub, os.stat(stub).st_mode | stat.S_IXUSR)
        self.write("sleep.spv", self.good())
        code, out = script("corpus.py", "--seconds", "60", "--wall", "1", stub, self.work)
        self.assertEqual(code, 0, out)
        self.assertIn("0 of 1 modules built", out)
        self.assertRegex(out, r"(?m)^ +1  timeout: over 60 s")

    def test_a_sample_is_the_same_for_the_same_seed(self):
        stub = self.write("stub", STUB.encode())
        os.chmod(stub, os.stat(stub).st_mode | stat.S_IXUSR)
        for number in range(40):
            self.write(f"fine{number}.spv", self.good())
        lists = []
        for number, seed in enumerate(("4", "4", "5")):
            listing = os.path.join(self.work, f"list{number}")
            code, out = script("corpus.py", "--sample", "7", "--seed", seed, "--list", listing, stub, self.work)
            self.assertEqual(code, 0, out)
            self.assertIn("7 of 7 modules built", out)
            with open(listing, encoding="utf-8") as file:
                lists.append([line.split("\t")[3] for line in file])
        self.assertEqual(lists[0], lists[1])
        self.assertNotEqual(lists[0], lists[2])
        self.assertEqual(len(set(lists[0])), 7)

    def test_modules_are_found_inside_of_other_files(self):
        self.write("library", b"\x7fELF" + bytes(61) + self.good() + bytes(7) + self.good() + b"\x03\x02\x23\x07 not one")
        out_folder = os.path.join(self.work, "out")
        code, out = script("extract_spirv.py", out_folder, os.path.join(self.work, "library"))
        self.assertEqual((code, out.strip()), (0, "2 modules, 1 different"))
        (found,) = os.listdir(out_folder)
        with open(os.path.join(out_folder, found), "rb") as file:
            self.assertEqual(file.read(), self.good())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
