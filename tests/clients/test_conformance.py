#!/usr/bin/env python3
"""conformance.py on a program that fails in every way: usage: test_conformance.py"""
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))

# Speaks like gtest; what a case does is its name.
STUB = '''#!/usr/bin/env python3
import os, sys, time
cases = ["good/0", "bad", "skip", "crash", "good/1", "hang", "big", "bad_too", "good/2"]
if "--gtest_list_tests" in sys.argv:
    print("Stub.\\n" + "\\n".join("  " + case + "  # GetParam() = 1" for case in cases))
    sys.exit(0)
if not os.path.exists("kernel.spv") or not os.path.exists("ipc/test_ipc_helper"):
    sys.exit("no kernel or no helper")
flags = [word.split("=")[1] for word in sys.argv if word.startswith("--gtest_flagfile=")][0]
for case in open(flags).read().strip().split("=")[1].split(":"):
    print("[ RUN      ] " + case, flush=True)
    name = case.split(".")[1]
    if name == "crash":
        os.abort()
    if name == "hang":
        time.sleep(60)
    if name == "big":
        data = bytearray(400 << 20)
        data[::4096] = b"1" * len(data[::4096])
        time.sleep(60)
    word = "  FAILED  " if "bad" in name else "  SKIPPED " if name == "skip" else "       OK "
    if name == "skip":
        print("/somewhere/stub.cpp:9: Skipped\\nno such class")
    if "bad" in name:
        print("/somewhere/stub.cpp:7: Failure\\nExpected: 0x%x" % id(case))
    print("[%s] %s%s (1 ms)" % (word, case, ", where GetParam() = 1" if "bad" in name else ""), flush=True)
'''


class Conformance(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        core = "conformance_tests/core"
        for path in (f"source/{core}/stub/kernels/kernel.spv", f"build/{core}/test_ipc/test_ipc_helper",
                     f"build/{core}/test_stub/test_stub"):
            file = self.root / path
            file.parent.mkdir(parents=True)
            file.write_text(STUB, encoding="ascii")
            file.chmod(file.stat().st_mode | stat.S_IXUSR)

    def tearDown(self):
        self.folder.cleanup()

    def test_parts_have_programs_and_helpers_of_their_own(self):
        sysman = self.root / "build/conformance_tests/sysman/test_sysman_device"
        sysman.mkdir(parents=True)
        for name in ("test_sysman_device", "test_sysman_device_helper_zesinit"):
            text = STUB.replace("ipc/test_ipc_helper", "sysman_device/test_sysman_device_helper_zesinit")
            (sysman / name).write_text(text, encoding="ascii")
            (sysman / name).chmod(0o755)
        done = self.run_script("--part", "sysman", "--limit", "3", "--memory", "200")
        self.assertIn("| test_sysman_device | 3 | 5 | 1 | 9 |", done.stdout)
        self.assertIn("1 x skipped stub.cpp:9 no such class\n        Stub.skip\n", done.stdout)
        self.assertEqual(done.stdout.count("| test_"), 1)

    def test_layers_have_no_folder_of_their_part(self):
        program = self.root / "build/layer_tests/tracing/test_stub_layer"
        program.parent.mkdir(parents=True)
        for name in ("test_stub_layer", "test_stub_layer_helper"):
            text = STUB.replace("ipc/test_ipc_helper", "tracing/test_stub_layer_helper")
            (program.parent / name).write_text(text, encoding="ascii")
            (program.parent / name).chmod(0o755)
        done = self.run_script("--part", "layers", "--limit", "3", "--memory", "200")
        self.assertIn("| test_stub_layer | 3 | 5 | 1 | 9 |", done.stdout)
        self.assertEqual(done.stdout.count("| test_"), 1)

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, os.path.join(HERE, "conformance.py"), str(self.root / "source"),
                               str(self.root / "build"), *arguments], capture_output=True, text=True, check=False)

    def test_every_case_is_accounted_for(self):
        for shard in ("400", "2"):
            done = self.run_script("--limit", "3", "--memory", "200", "--shard", shard)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("| test_stub | 3 | 5 | 1 | 9 |", done.stdout)
            self.assertIn("2 x stub.cpp:7 Expected: #\n        Stub.bad\n", done.stdout)
            self.assertIn("1 x crashed (-6)\n        Stub.crash\n", done.stdout)
            self.assertIn("1 x out of time (-9)\n        Stub.hang\n", done.stdout)
            self.assertIn("1 x too much memory (-9)\n        Stub.big\n", done.stdout)

    def test_a_program_that_does_not_begin_ends_the_run(self):
        (self.root / "source/conformance_tests/core/stub/kernels/kernel.spv").unlink()
        done = self.run_script("--limit", "3")
        self.assertIn("| test_stub | 0 | 9 | 0 | 9 |", done.stdout)
        self.assertIn("before the first case", done.stdout)

    def test_a_program_that_is_not_there_is_an_error(self):
        done = self.run_script("-p", "test_other")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not built: test_other", done.stderr)


if __name__ == "__main__":
    unittest.main()
