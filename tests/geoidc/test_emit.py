"""Every output of geoidc, checked by its use: binaries load and run, SPIR-V is valid, ptxas takes the PTX.

Usage: test_emit.py BUILD SOURCE
"""
import glob
import os
import re
import shutil
import unittest

from geoidc import CONSTANTS, FORMS, GEOIDC, LINES, WORK, WORK_CL, Case, spirv_words

PASSES = ["linking", "inlining", "simplify", "loops", "barriers", "addresses"]


def ptxas():
    return shutil.which("ptxas") or next(iter(glob.glob("/usr/local/cuda/bin/ptxas")), None)


class Native(Case):
    def test_native_binaries_run(self):
        for source in (WORK, WORK_CL):
            self.geoidc(source, "-o", "out.bin")
            self.assertEqual(self.host("native", "out.bin", "work"), "ok\n")

    def test_the_output_is_named_after_the_input(self):
        self.geoidc(WORK)
        self.assertEqual(self.host("native", "work.bin", "work"), "ok\n")

    def test_every_width_runs_and_is_kept(self):
        for width in (1, 2, 4, 8, 16, 32):
            self.geoidc(WORK, "--width", str(width), "-o", "out.bin")
            self.assertEqual(self.host("native", "out.bin", "work"), "ok\n")
            self.assertIn(f'"lanes": {width},', self.geoidc(WORK, "--width", str(width), "--report=json"))

    def test_a_level_is_kept(self):
        self.geoidc(WORK, "--target", "x86-64-v2", "-o", "out.bin")
        self.assertEqual(self.host("native", "out.bin", "work"), "ok\n")
        self.assertIn("# x86-64, x86-64-v2\n", self.geoidc("--emit", "asm", "out.bin", "-o", "-"))

    def test_native_is_this_machine(self):
        self.geoidc(WORK, "--target", "native", "-o", "named.bin")
        self.geoidc(WORK, "-o", "plain.bin")
        self.assertEqual(self.read("named.bin"), self.read("plain.bin"))

    def test_build_options_reach_the_compiler(self):
        self.geoidc(WORK, "-ze-opt-disable", "-o", "slow.bin")
        self.geoidc(WORK, "--options", "-ze-opt-disable", "-o", "same.bin")
        self.geoidc(WORK, "-o", "fast.bin")
        self.assertEqual(self.read("slow.bin"), self.read("same.bin"))
        self.assertIn(b"-ze-opt-disable", self.read("slow.bin"))
        self.assertNotEqual(self.read("slow.bin"), self.read("fast.bin"))
        done = self.run_program(GEOIDC, WORK, "--options", "-ze-odd-option", "-o", "odd.bin")
        self.assertEqual(done.returncode, 0)
        self.assertIn("-ze-odd-option", done.stderr)
        self.assertEqual(self.run_program(GEOIDC, "-q", WORK, "--options", "-ze-odd-option", "-o", "odd.bin").stderr, "")

    def test_a_profile_needs_no_variable(self):
        done = self.run_program(GEOIDC, WORK, "--options", "-zet-profile-flags 2", "-o", "out.bin")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.host("native", "out.bin", "profiles").split(), ["scale", "2", "pick", "2", "total", "2"])
        self.geoidc(WORK, "-o", "out.bin")
        self.assertEqual(self.host("native", "out.bin", "profiles").split(), ["scale", "0", "pick", "0", "total", "0"])

    def test_reports_and_forms_change_no_code(self):
        self.geoidc(WORK, "-o", "plain.bin")
        self.geoidc(WORK, "--report", "-o", "reported.bin")
        self.assertEqual(self.read("plain.bin"), self.read("reported.bin"))
        plain = self.geoidc(WORK, "--emit", "asm", "-o", "-")
        self.assertEqual(plain, self.geoidc("plain.bin", "--emit", "asm", "-o", "-"))
        self.geoidc(FORMS, "-o", "plain.bin")
        self.geoidc(FORMS, "--report", "-o", "reported.bin")
        self.assertEqual(self.read("plain.bin"), self.read("reported.bin"))

    def test_builds_in_a_process_give_the_same(self):
        for form in ("native", "ir", "llvm", "ptx"):
            here = self.run_program(GEOIDC, WORK, "--emit", form, "-o", "-", text=False)
            child = self.run_program(GEOIDC, WORK, "--emit", form, "-o", "-", text=False, GEOID_BUILD="process")
            self.assertEqual((here.returncode, child.returncode), (0, 0), child.stderr)
            self.assertEqual(here.stdout, child.stdout, form)
        here = self.geoidc(WORK, "--report=json")
        self.assertEqual(here, self.geoidc(WORK, "--report=json", GEOID_BUILD="process"))

    def test_standard_input_and_output(self):
        with open(WORK_CL, encoding="utf-8") as source:
            text = source.read()
        self.write("work.cl", text.encode())
        done = self.run_program("sh", "-c", f"'{GEOIDC}' -x cl - -o - <work.cl >out.bin")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.host("native", "out.bin", "work"), "ok\n")
        done = self.run_program("sh", "-c", f"'{GEOIDC}' - <'{WORK}' >out.bin")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.host("native", "out.bin", "work"), "ok\n")


class Spirv(Case):
    def validate(self, name):
        if shutil.which("spirv-val"):
            done = self.run_program("spirv-val", "--target-env", "spv1.4", name)
            self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_spirv_of_opencl_is_valid_and_runs(self):
        self.geoidc(WORK_CL, "--emit", "spirv", "-o", "out.spv")
        self.validate("out.spv")
        self.assertEqual(self.host("spirv", "out.spv", "work"), "ok\n")

    def test_constants_are_written_into_it(self):
        self.geoidc(CONSTANTS, "--emit", "spirv", "-o", "out.spv")
        self.assertEqual(self.read("out.spv"), spirv_words(CONSTANTS))
        values = ["--spec", "3=0x7", "--spec", "4=-2", "--spec", "5=9.75", "--spec", "6=false", "--spec", "7=12.5"]
        for form, name in (("spirv", "spirv"), ("native", "native")):
            self.geoidc(CONSTANTS, "--emit", form, *values, "-o", "out")
            self.assertEqual(self.host(name, "out", "constants"), "7 -2 9 0 12\n")
        self.geoidc(CONSTANTS, "--emit", "spirv", *values, "-o", "out.spv")
        self.validate("out.spv")
        self.geoidc(CONSTANTS, "-o", "out")
        self.assertEqual(self.host("native", "out", "constants"), "30 40 5 1 1\n")

    def test_wrong_constants_are_refused(self):
        for value, reason in (("9=1", "the module lacks"), ("3=x", "is not an integer"), ("3=0x100000000", "does not fit"),
                              ("3=-2147483649", "does not fit"), ("6=2", "neither true nor false"), ("5=", "is not a number"),
                              ("3", "not of the form"), ("-3=1", "not of the form"), ("=1", "not of the form")):
            self.fails(2, reason, CONSTANTS, "--spec", value)


class OpenCL(Case):
    def test_options_reach_clang(self):
        self.write("more.h", b"#define VALUE 5\n")
        os.mkdir(self.path("inc"))
        self.write("inc/other.h", b"#define OTHER 6\n")
        self.write("k.cl", b'#include "more.h"\n#include <other.h>\n'
                           b"kernel void k(global int *p) { *p = VALUE + OTHER + FROM_LINE + FROM_TEXT + APART; }\n")
        text = self.geoidc("k.cl", "-Iinc", "-D", "APART=300", "-DFROM_LINE=1000", "--options", "-D FROM_TEXT=20000", "--emit", "ir", "--pass",
                           "addresses", "-o", "-")
        self.assertIn("OpStore", text)
        self.assertIn(str(5 + 6 + 1000 + 20000 + 300), text)

    def test_errors_of_clang_are_shown(self):
        self.write("bad.cl", b"kernel void k(global int *p) { *p = nothing; }\n")
        self.fails(1, r"bad.cl:1:.*error:.*nothing", "bad.cl")

    def test_a_missing_clang_is_explained(self):
        os.mkdir(self.path("empty"))
        self.fails(4, "needs clang .* package is clang-22", WORK_CL, PATH=self.path("empty"))
        self.fails(4, "--clang: /nowhere/clang is not a program", WORK_CL, "--clang", "/nowhere/clang")
        self.geoidc(WORK, PATH=self.path("empty"))  # SPIR-V needs none

    def test_a_clang_that_dies_is_a_failure(self):
        self.write("clang-22", b"#!/bin/sh\nkill -9 $$\n")
        os.chmod(self.path("clang-22"), 0o755)
        self.fails(1, "was ended by signal 9", WORK_CL, PATH=self.folder)

    def test_lines_need_a_translator_or_are_missed(self):
        if os.path.exists(LINES):
            self.geoidc(WORK_CL, "-g", "-o", "lines.bin")
            self.assertIn(b".debug_line", self.read("lines.bin"))
            self.assertEqual(self.host("native", "lines.bin", "work"), "ok\n")
        os.mkdir(self.path("bin"))
        os.symlink(shutil.which("clang-22"), self.path("bin/clang-22"))
        done = self.run_program(GEOIDC, WORK_CL, "-g", "-o", "plain.bin", PATH=self.path("bin"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: source lines need llvm-spirv", done.stderr)
        self.assertNotIn(b".debug_line", self.read("plain.bin"))


class Texts(Case):
    def test_ptx_is_taken_by_ptxas(self):
        for level in ("sm_80", "sm_90"):
            self.geoidc("--emit", "ptx", "--target", level, WORK, "-o", "out.ptx")
            text = self.read("out.ptx", "r")
            self.assertIn(f".target {level}\n", text)
            for kernel in ("scale", "pick", "total"):
                self.assertIn(f".entry {kernel}(", text)
            if ptxas():
                done = self.run_program(ptxas(), f"-arch={level}", "out.ptx", "-o", "out.cubin")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(".target sm_80\n", self.geoidc("--emit", "ptx", WORK, "-o", "-"))

    def test_binaries_for_gpus_hold_the_same_ptx(self):
        self.geoidc("--target", "sm_90", WORK, "-o", "out.bin")
        self.geoidc("--emit", "ptx", "--target", "sm_90", WORK, "-o", "out.ptx")
        self.assertEqual(self.geoidc("--emit", "asm", "out.bin", "-o", "-"), self.read("out.ptx", "r"))

    def test_models_are_in_the_order_of_passes(self):
        text = self.geoidc("--emit", "ir", WORK, "-o", "-")
        names = re.findall(r"^; ---- pass \d+: ([a-z0-9 -]+)", text, re.M)
        self.assertEqual([name for name in PASSES if name in names], PASSES)
        self.assertEqual(sorted(names.index(name) for name in PASSES), [names.index(name) for name in PASSES])
        numbers = [int(number) for number in re.findall(r"^; ---- pass (\d+):", text, re.M)]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        self.assertIn("kernel @total(", text)
        self.assertIn("no change\n", text)
        only = self.geoidc("--emit", "ir", "--pass", "barriers", WORK, "-o", "-")
        self.assertEqual(re.findall(r"^; ---- pass \d+: (.*)$", only, re.M), ["barriers"])
        self.assertIn(only, text)
        self.fails(2, "no pass of this name has run", "--emit", "ir", "--pass", "nothing", WORK)

    def test_llvm_is_lowered_and_optimised(self):
        lowered = self.geoidc("--emit", "llvm-lowered", WORK, "-o", "-")
        optimised = self.geoidc("--emit", "llvm", WORK, "-o", "-")
        for text in (lowered, optimised):
            self.assertIn("define hidden void @kernel.scale(", text)
        self.assertIn("alloca", lowered)
        self.assertLess(optimised.count("alloca"), lowered.count("alloca"))
        if shutil.which("llvm-as-22"):
            for text in (lowered, optimised):
                self.write("text.ll", text.encode())
                done = self.run_program("llvm-as-22", "text.ll", "-o", "text.bc")
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_assembly_names_functions_and_branches(self):
        text = self.geoidc("--emit", "asm", "--target", "x86-64-v3", WORK, "-o", "-")
        for kernel in ("scale", "pick", "total"):
            self.assertIn(f"\nkernel.{kernel}:\n", text)
        targets = set(re.findall(r"^ +[0-9a-f]+:  j\w+ (\.L[0-9a-f]+)", text, re.M))
        labels = set(re.findall(r"^(\.L[0-9a-f]+):", text, re.M))
        self.assertTrue(targets)
        self.assertEqual(targets, labels)
        for label in labels:
            self.assertRegex(text, rf"(?m)^{re.escape(label)}:\n +{label[2:]}:  ")
        self.assertIn("retq", text)
        self.assertIn("%ymm", text)
        self.assertNotIn(".byte", text)

    def test_assembly_is_that_of_objdump(self):
        if not shutil.which("llvm-objdump-22"):
            self.skipTest("llvm-objdump-22 is not installed")
        self.geoidc(WORK, "-o", "out.bin")
        wanted = self.run_program("llvm-objdump-22", "-d", "--no-show-raw-insn", "--mcpu=sapphirerapids", "out.bin").stdout
        wanted = [(int(at, 16), word) for at, word in re.findall(r"^ +([0-9a-f]+):\s+(\S+)", wanted, re.M)]
        found = [(int(at, 16), word) for at, word in
                 re.findall(r"^ +([0-9a-f]+):  (\S+)", self.geoidc("out.bin", "--emit", "asm", "-o", "-"), re.M)]
        self.assertEqual(found, wanted)


if __name__ == "__main__":
    unittest.main()
