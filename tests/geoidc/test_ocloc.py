"""geoidc under the name ocloc: the outputs, messages and exit statuses that builds rely on.

Usage: test_ocloc.py BUILD SOURCE
"""
import os
import unittest

from geoidc import CONSTANTS, GEOIDC, OCLOC, WORK, WORK_CL, Case, spirv_words

# The low bytes of ocloc's error codes.
BUILD_FAILURE, INVALID_DEVICE, COMMAND_LINE, INVALID_FILE = -11 & 255, -33 & 255, -5150 & 255, -5151 & 255


class Ocloc(Case):
    def setUp(self):
        super().setUp()
        with open(WORK_CL, "rb") as source:
            self.write("work.cl", source.read())
        self.first = self.files()

    def files(self):
        return sorted(os.path.relpath(os.path.join(folder, name), self.folder)
                      for folder, _, names in os.walk(self.folder) for name in names)

    def made(self):
        return [name for name in self.files() if name not in self.first]

    def ocloc(self, *arguments, **more):
        done = self.run_program(OCLOC, *arguments, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, status, message, *arguments):
        done = self.run_program(OCLOC, *arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(message, done.stderr + done.stdout)
        self.assertEqual(self.made(), [])

    def test_compile_makes_binary_and_spirv(self):
        self.assertEqual(self.ocloc("compile", "-file", "work.cl", "-device", "skl"), "Build succeeded.\n")
        self.assertEqual(self.made(), ["work_skl.bin", "work_skl.spv"])
        self.assertEqual(self.host("native", "work_skl.bin", "work"), "ok\n")
        self.assertEqual(self.host("spirv", "work_skl.spv", "work"), "ok\n")

    def test_compile_is_the_default_command(self):
        self.ocloc("-file", "work.cl", "-device", "tgllp", "-q")
        self.assertEqual(self.made(), ["work_tgllp.bin", "work_tgllp.spv"])

    def test_only_spirv(self):
        self.assertEqual(self.ocloc("compile", "-file", "work.cl", "-device", "skl", "-spv_only", "-q"), "")
        self.assertEqual(self.made(), ["work_skl.spv"])
        self.ocloc("-file", "work.cl", "-spv_only", "-output_no_suffix")
        self.assertEqual(self.made(), ["work.spv", "work_skl.spv"])
        self.assertEqual(self.read("work.spv"), self.read("work_skl.spv"))
        self.ocloc("-file", "work.cl", "-spv_only", "-device", "dg1,acm-g10", "-output", "both")
        self.assertIn("both_dg1.spv", self.made())

    def test_names_and_folders(self):
        self.ocloc("compile", "-file", "work.cl", "-device", "acm-g10", "-output", "NAME", "-out_dir", "a/b/c")
        self.assertEqual(self.made(), ["a/b/c/NAME_dg2.bin", "a/b/c/NAME_dg2.spv"])
        self.ocloc("compile", "-file", "work.cl", "-device", "12.60.7", "-output", "NAME", "-output_no_suffix", "-out_dir", "d/")
        self.assertEqual(self.made()[2:], ["d/NAME.bin", "d/NAME.spv"])
        self.ocloc("compile", "-file", "work.cl", "-device", "pvc", "-o", "exact", "-out_dir", "e")
        self.assertEqual(self.made()[4:], ["e/exact"])
        self.assertEqual(self.host("native", "e/exact", "work"), "ok\n")

    def test_as_dpcpp_calls_it(self):
        done = self.ocloc("-output", self.path("img.out"), "-file", WORK, "-output_no_suffix", "-spirv_input", "-device", "pvc", "-options", "-g",
                          "-allow_caching")
        self.assertEqual(done, "Build succeeded.\n")
        self.assertEqual(self.made(), ["img.out"])
        self.assertEqual(self.host("native", "img.out", "work"), "ok\n")

    def test_as_yaksa_calls_it(self):
        """Its rule makes x.c of x.cl: `-out_dir DIR -output_no_suffix`, and takes x or x.bin."""
        os.mkdir(self.path("pup"))
        self.write("pup/k.cl", b'#include "inner.h"\nkernel void scale(global float *out, global const float *in, float factor)\n'
                               b"{ out[get_global_id(0)] = SCALED(in[get_global_id(0)], factor); }\n")
        os.mkdir(self.path("inc"))
        self.write("inc/inner.h", b"#define SCALED(x, y) ((x) * (y))\n")
        self.first = self.files()
        self.assertEqual(self.ocloc("compile", "-file", "pup/k.cl", "-device", "dg1", "-out_dir", "pup", "-output_no_suffix", "-q",
                                    "-options", "-I inc -cl-std=CL2.0"), "")
        self.assertEqual(self.made(), ["pup/k.bin", "pup/k.spv"])
        self.assertIn('"scale"', self.host("native", "pup/k.bin"))

    def test_several_devices_make_an_archive(self):
        """As yaksa calls it for several devices: it takes x.ar from the current folder."""
        self.assertEqual(self.ocloc("compile", "-file", "work.cl", "-device", "dg1,acm-g10,12.60.7"),
                         "Build succeeded for : dg1.\nBuild succeeded for : acm-g10.\nBuild succeeded for : pvc.\n")
        self.assertEqual(self.made(), ["work.ar"])
        names = self.run_program("ar", "t", "work.ar").stdout.split()
        self.assertEqual(names, ["64.12.10.0", "64.12.55.8", "64.12.60.7"])
        self.ocloc("-file", "work.cl", "-device", "dg1", "-output", "one", "-q")
        for name in names:
            self.assertEqual(self.run_program("ar", "p", "work.ar", name, text=False).stdout, self.read("one_dg1.bin"))
        self.assertEqual(self.host("native", "work.ar", "work"), "ok\n")
        self.assertEqual(self.ocloc("-file", "work.cl", "-device", "dg1,pvc", "-q", "-output", "NAME", "-out_dir", "a"), "")
        self.assertEqual(self.read("a/NAME")[:8], b"!<arch>\n")

    def test_an_archive_has_a_bound_on_its_devices(self):
        self.ocloc("-file", "work.cl", "-device", ",".join(["skl"] * 64), "-q")
        self.first = self.files()
        self.refused(COMMAND_LINE, "more than 64 devices", "-file", "work.cl", "-device", ",".join(["skl"] * 65))

    def test_options_reach_the_compilers(self):
        self.write("k.cl", b"kernel void k(global int *p) { *p = A + B; }\n")
        self.first = self.files()
        self.refused(BUILD_FAILURE, "Build failed with error code: -11", "-file", "k.cl", "-device", "skl", "-options", "-DA=1")
        self.ocloc("-file", "k.cl", "-device", "skl", "-options", "-DA=1 -cl-opt-disable", "-internal_options", "-DB=2")
        self.assertIn(b"-cl-opt-disable", self.read("k_skl.bin"))
        self.write("k_options.txt", b"/* a licence */\n-DA=3\n")
        self.write("k_internal_options.txt", b"-DB=4\n")
        self.ocloc("-file", "k.cl", "-device", "kbl", "-q")
        self.assertNotEqual(self.read("k_kbl.spv"), self.read("k_skl.spv"))
        text = self.geoidc("k_kbl.spv", "--emit", "ir", "--pass", "addresses", "-o", "-")
        self.assertRegex(text, r"OpStore .* 7 ")

    def test_wrong_files_and_devices(self):
        self.refused(INVALID_FILE, "Error: Input file nothing.cl missing.", "-file", "nothing.cl", "-device", "skl")
        self.refused(INVALID_DEVICE, "Could not determine device target: xyz.", "-file", "work.cl", "-device", "xyz")
        self.refused(COMMAND_LINE, "Device name missing", "-file", "work.cl")
        self.refused(COMMAND_LINE, "Input file name missing", "-device", "skl")
        self.refused(BUILD_FAILURE, "work.cl is not SPIR-V", "-file", "work.cl", "-device", "skl", "-spirv_input")
        self.write("bad.cl", b"kernel void k( {\n")
        self.first = self.files()
        self.refused(BUILD_FAILURE, "Build failed with error code: -11", "-file", "bad.cl", "-device", "skl")
        self.refused(INVALID_FILE, "Failed to create directory", "-file", "work.cl", "-device", "skl", "-out_dir", "work.cl/x")

    def test_unsupported_requests_are_refused(self):
        for arguments in (["-32"], ["-llvm_text"], ["-llvm_input"], ["-cpp_file"], ["-gen_file"], ["-options_name"],
                          ["-device_options", "skl", "-g"]):
            self.refused(COMMAND_LINE, f"Geoid's ocloc does not support {arguments[0]}", "-file", "work.cl", "-device", "skl", *arguments)
        for device in ("skl:", ":dg1", "skl:dg1", "*", "dg1,skl:"):
            self.refused(COMMAND_LINE, "Geoid's ocloc takes no range of devices", "-file", "work.cl", "-device", device)
        for device in ("dg1,", "dg1,xyz", ",dg1", ","):
            self.refused(INVALID_DEVICE, "Could not determine device target: ", "-file", "work.cl", "-device", device)
        for command in ("link", "asm", "multi", "validate", "concat"):
            self.refused(COMMAND_LINE, f"does not support the command {command}", command, "-file", "work.cl")
        self.refused(COMMAND_LINE, "Invalid option (arg 5): -zzz", "-file", "work.cl", "-device", "skl", "-zzz")
        self.refused(COMMAND_LINE, "The value is missing: -device", "-file", "work.cl", "-device")

    def test_ids(self):
        self.assertEqual(self.ocloc("ids", "dg1"), "Matched ids:\n12.10.0\n")
        self.assertEqual(self.ocloc("ids", "ACM_G10"), "Matched ids:\n12.55.8\n")
        self.refused(COMMAND_LINE, "Unknown acronym xyz", "ids", "xyz")
        self.refused(COMMAND_LINE, "Expected ocloc ids <acronym>.", "ids")

    def test_query(self):
        self.assertEqual(self.ocloc("query", "OCL_DRIVER_VERSION"), "")
        self.assertEqual(self.made(), ["OCL_DRIVER_VERSION"])
        self.assertRegex(self.read("OCL_DRIVER_VERSION"), rb"^\d+\.\d+\.\d+\0$")
        self.ocloc("query", "NEO_REVISION")
        self.assertRegex(self.read("NEO_REVISION"), rb"^[^\0]+\0$")
        self.first = self.files()
        self.refused(COMMAND_LINE, "Unknown argument SUPPORTED_DEVICES", "query", "SUPPORTED_DEVICES")
        self.refused(COMMAND_LINE, "Expected ocloc query <argument>", "query")

    def test_disasm(self):
        self.ocloc("-file", "work.cl", "-device", "skl", "-q")
        self.ocloc("disasm", "-file", "work_skl.bin", "-dump", "parts", "-device", "skl")
        self.assertIn("parts/text.asm", self.made())
        self.assertIn("\nkernel.scale:\n", self.read("parts/text.asm", "r"))
        self.first = self.files()
        self.refused(BUILD_FAILURE, "work.cl is not a native binary", "disasm", "-file", "work.cl")
        self.refused(INVALID_FILE, "cannot open nothing", "disasm", "-file", "nothing")
        self.refused(COMMAND_LINE, "-file", "disasm")

    def test_help(self):
        for arguments in ([], ["--help"], ["compile", "--help"]):
            self.assertIn("usage: ocloc [compile] -file FILE -device DEVICE", self.ocloc(*arguments))

    def test_any_link_of_that_name_works(self):
        os.symlink(GEOIDC, self.path("ocloc"))
        done = self.run_program(self.path("ocloc"), "ids", "pvc")
        self.assertEqual((done.returncode, done.stdout), (0, "Matched ids:\n12.60.7\n"))
        self.assertTrue(spirv_words(CONSTANTS))


if __name__ == "__main__":
    unittest.main()
