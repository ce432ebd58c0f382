"""Bad input, bad output and wrong usage of geoidc: a clear error, an exit status, and nothing half-written.

Usage: test_files.py BUILD SOURCE
"""
import os
import random
import resource
import stat
import unittest

from geoidc import CONSTANTS, GEOIDC, OCLOC, SOURCE, WORK, WORK_CL, Case, spirv_words

MIB = 1 << 20


class Inputs(Case):
    def test_files_that_cannot_be_read(self):
        self.fails(3, "cannot open nothing.spv: No such file", "nothing.spv")
        os.mkdir(self.path("folder.spv"))
        self.fails(3, "folder.spv is a folder", "folder.spv")
        self.write("locked.spv", spirv_words(WORK))
        os.chmod(self.path("locked.spv"), 0)
        if not os.access(self.path("locked.spv"), os.R_OK):
            done = self.run_program(GEOIDC, "locked.spv")
            self.assertEqual(done.returncode, 3)
            self.assertIn("cannot open locked.spv: Permission denied", done.stderr)

    def test_files_of_other_kinds(self):
        self.write("empty.spv", b"")
        self.fails(1, "empty.spv is empty", "empty.spv")
        self.write("text.spv", b"kernel void k() {}")
        self.fails(1, "neither SPIR-V nor a native binary; OpenCL C has the extension .cl", "text.spv")
        self.write("code.bc", b"BC\xc0\xde" + bytes(64))
        self.fails(1, "bitcode of LLVM; llvm-spirv converts it", "code.bc")
        self.fails(1, "work.cl is not SPIR-V", "-x", "spirv", WORK_CL)
        self.geoidc(WORK, "-o", "out.bin")
        self.fails(2, "is a native binary already: only --emit asm takes it", "out.bin")
        self.fails(1, "does not have the form of a native binary", "--emit", "asm", "/proc/self/exe")

    def test_modules_that_are_broken(self):
        module = spirv_words(WORK)
        for count in (4, 16, 19, 20, 21, 100, len(module) // 2, len(module) - 4, len(module) - 1):
            self.write("cut.spv", module[:count])
            self.assertIn("error: ", self.fails(1, ".", "cut.spv"))
        self.write("magic.spv", b"\x04\x02\x23\x07" + module[4:])
        self.fails(1, "neither SPIR-V nor", "magic.spv")
        self.write("order.spv", module[3::-1] + module[4:])
        self.fails(1, "error: ", "order.spv")
        swapped = b"".join(module[at:at + 4][::-1] for at in range(0, len(module), 4))
        self.write("swapped.spv", swapped)
        self.geoidc("swapped.spv", "-o", "swapped.bin")
        self.assertEqual(self.host("native", "swapped.bin", "work"), "ok\n")

    def test_modules_and_binaries_that_are_damaged_crash_nothing(self):
        chance = random.Random(34)
        module = spirv_words(CONSTANTS)
        self.geoidc(WORK, "-o", "good.bin")
        binary = self.read("good.bin")
        for number in range(60):
            bad = bytearray(module if number % 2 else binary)
            for _ in range(1 + number % 3):
                bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
            self.write("bad", bytes(bad))
            done = self.run_program(GEOIDC, "bad", "--emit", "asm", "-o", "-", text=False)
            self.assertIn(done.returncode, (0, 1), (number, done.stderr))
            if done.returncode:
                self.assertTrue(done.stderr)
                self.assertEqual(done.stdout, b"")

    def test_binaries_that_are_cut_are_refused(self):
        self.geoidc(WORK, "-o", "good.bin")
        binary = self.read("good.bin")
        for count in (0, 1, 63, 64, 200, len(binary) // 2, len(binary) - 1):
            self.write("cut.bin", binary[:count])
            self.fails(1, "empty|form of a native binary|neither SPIR-V", "--emit", "asm", "cut.bin")

    def test_huge_files_are_refused_before_they_are_read(self):
        with open(self.path("huge.spv"), "wb") as file:
            file.truncate(513 * MIB)
        done = self.run_program(GEOIDC, "huge.spv")
        self.assertEqual(done.returncode, 3)
        self.assertIn("huge.spv is too large: at most 512 MiB are read", done.stderr)
        done = self.run_program("sh", "-c", f"head -c 540000000 /dev/zero | '{GEOIDC}' -")
        self.assertEqual(done.returncode, 3)
        self.assertIn("- is too large", done.stderr)

    def test_modules_that_need_others(self):
        self.write("import.cl", b"int other(int x);\nkernel void k(global int *p) { *p = other(*p); }\n")
        self.geoidc("import.cl", "-q", "-o", "import.bin")
        self.fails(1, "is imported", "--emit", "ptx", "import.cl")


class Outputs(Case):
    def test_an_output_is_replaced_as_a_whole(self):
        self.write("out.bin", b"old")
        os.chmod(self.path("out.bin"), 0o640)
        os.link(self.path("out.bin"), self.path("other"))
        self.geoidc(WORK, "-o", "out.bin")
        self.assertEqual(self.host("native", "out.bin", "work"), "ok\n")
        self.assertEqual(self.read("other"), b"old")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("out.bin")).st_mode), 0o640)
        self.assertEqual(sorted(os.listdir(self.folder)), ["other", "out.bin", "tmp"])

    def test_outputs_that_cannot_be_written(self):
        self.fails(3, "cannot write nowhere/out.bin: No such file", WORK, "-o", "nowhere/out.bin")
        os.mkdir(self.path("folder"))
        self.fails(3, "cannot write folder: it is a folder", WORK, "-o", "folder")
        self.assertEqual(sorted(os.listdir(self.folder)), ["folder", "tmp"])
        self.assertEqual(self.run_program(GEOIDC, WORK, "-o", "/dev/full").returncode, 3)
        done = self.run_program("sh", "-c", f"'{GEOIDC}' --report '{WORK}' >/dev/full")
        self.assertEqual(done.returncode, 3)
        self.assertIn("cannot write standard output: No space left", done.stderr)

    def test_a_full_disk_leaves_the_old_output(self):
        self.write("out.bin", b"old")
        done = self.run_program("sh", "-c", f"ulimit -f 2; trap '' XFSZ; '{GEOIDC}' '{WORK}' -o out.bin")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("cannot write out.bin: File too large", done.stderr)
        self.assertEqual(self.read("out.bin"), b"old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["out.bin", "tmp"])

    def test_a_failed_build_leaves_the_old_output(self):
        self.write("out.bin", b"old")
        self.write("cut.spv", spirv_words(WORK)[:400])
        self.fails(1, "error: ", "cut.spv", "-o", "out.bin")
        self.fails(1, "is not one of .*x86-64-v3", WORK, "-o", "out.bin", "--target", "pentium")
        self.fails(1, "is not one of sm_80 sm_90", WORK, "--emit", "ptx", "--target", "sm_20", "-o", "out.bin")
        self.assertEqual(self.read("out.bin"), b"old")

    def test_devices_are_written(self):
        self.geoidc(WORK, "-o", "/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))


class Usage(Case):
    def test_wrong_usage(self):
        for arguments, message in (
                ([], "INPUT: is missing"), (["--nothing", WORK], "--nothing: is not an option"),
                (["-zzz", WORK], "-zzz: is not an option"), (["--emit", "exe", WORK], "--emit 'exe': is not one of native"),
                (["--emit"], "--emit: its value is missing"), (["-o"], "-o: its value is missing"), (["-D"], "-D: its value is missing"),
                (["-o", "", WORK], "is not the name of a file"), ([WORK, WORK], "is a second input"),
                (["--width", "3", WORK], "--width '3': is not 0, 1, 2"), (["--width", "64", WORK], "is not 0, 1, 2"),
                (["--width", "-1", WORK], "is not 0, 1, 2"), (["-x", "c", WORK], "-x 'c': is neither cl nor spirv"),
                (["--report=xml", WORK], "--report 'xml': is neither text nor json"),
                (["--emit", "asm", "--target", "sm_90", WORK], "is a GPU, which needs --emit ptx or native"),
                (["--report", "--target", "sm_90", "--emit", "native", WORK], "is for CPUs"), (["--width", "8", "--target", "sm_90", WORK], "is for CPUs"),
                (["--emit", "ptx", "--target", "x86-64-v3", WORK], "is not a GPU"),
                (["--emit", "ptx", "--report", WORK], "is for CPUs"), (["--emit", "ptx", "--width", "8", WORK], "is for CPUs"),
                (["--pass", "sroa", WORK], "needs --emit ir"), (["--report-file", "x", WORK], "needs --report")):
            error = self.fails(2, ".", *arguments)
            self.assertIn(message, error)
            self.assertIn("\nusage: geoidc ", error)

    def test_help_and_version(self):
        text = self.geoidc("--help")
        for option in ("--emit", "--target", "--width", "--spec", "--options", "-g", "--pass", "--report", "--output", "--clang", "Exit status"):
            self.assertIn(option, text)
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()))
        self.assertRegex(self.geoidc("--version"), r"^geoidc \(Geoid\) \d")

    def test_the_manual_has_every_option(self):
        with open(os.path.join(SOURCE, "packaging", "manual", "geoidc.1"), encoding="utf-8") as file:
            manual = file.read().replace("\\-", "-")
        for line in self.geoidc("--help").splitlines():
            if line.startswith("  -"):
                for option in line[2:21].split():
                    if option.startswith("-"):
                        self.assertIn(option.split("[")[0].split("=")[0].rstrip(".,"), manual)

    def test_a_missing_compiler_is_explained(self):
        self.fails(4, "compiler's library did not load: .*nowhere.so", WORK, GEOID_COMPILER="/nowhere.so")
        loader = os.path.join(os.path.dirname(OCLOC), "..", "..", "libze_loader.so.1")
        self.fails(4, "of another version of Geoid", WORK, GEOID_COMPILER=os.path.abspath(loader))

    def test_memory_that_is_short_is_an_error(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (200 * MIB, 200 * MIB))
        import subprocess
        done = subprocess.run([GEOIDC, WORK, "-o", self.path("out.bin")], capture_output=True, text=True, check=False, preexec_fn=limit,
                              env={**os.environ})
        if done.returncode == 0:
            self.skipTest("this build needs less memory")
        self.assertIn(done.returncode, (1, 4, 5), done.stderr)
        self.assertTrue(done.stderr)
        self.assertFalse(os.path.exists(self.path("out.bin")))


if __name__ == "__main__":
    unittest.main()
