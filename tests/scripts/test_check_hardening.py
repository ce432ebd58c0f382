"""scripts/check_hardening finds each way in which a library or program can lack hardening, and nothing in one that has all."""
import os
import platform
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "check_hardening")
COMPILER = os.environ.get("CC", "cc")
X86_64 = platform.machine() == "x86_64"
HARD = ["-O2", "-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=3",
        "-Wl,-z,relro,-z,now,-z,noexecstack", *(["-fcf-protection=full"] if X86_64 else [])]
SOURCE = """
#include <stdio.h>
#include <string.h>
#ifndef KEPT
#define KEPT
#endif
__attribute__((visibility("default"))) KEPT int times;
__attribute__((visibility("default"))) int copy(const char *text)
{
    char room[64];
    times++;
    strcpy(room, text);
    return puts(room);
}
int main(int argc, char **argv) { return copy(argv[argc - 1]); }
"""


class CheckHardening(unittest.TestCase):
    def check(self, options, library=True):
        """Builds the source; the script's exit status and output."""
        with tempfile.TemporaryDirectory() as root:
            source, target = os.path.join(root, "x.c"), os.path.join(root, "x")
            with open(source, "w", encoding="utf-8") as stream:
                stream.write(SOURCE)
            kind = ["-shared", "-fPIC"] if library else ["-fPIE", "-pie"]
            subprocess.run([COMPILER, *HARD, *kind, *options, source, "-o", target], check=True)
            done = subprocess.run([sys.executable, SCRIPT, "--ships", "--file", target], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    def assert_found(self, text, *options, library=True):
        status, output = self.check(options, library)
        self.assertEqual(status, 1, f"nothing found with {options}")
        self.assertIn(text, output)
        self.assertIn(" 1 problems", output)

    def test_what_is_hardened_passes(self):
        for library in (True, False):
            status, output = self.check(["-Wl,-rpath,/usr/lib:$ORIGIN/../lib"], library)
            self.assertEqual(status, 0, output)

    def test_relocations(self):
        self.assert_found("binds lazily", "-Wl,-z,lazy")
        self.assert_found("no RELRO", "-Wl,-z,norelro")

    def test_stacks(self):
        self.assert_found("executable stack", "-Wl,-z,execstack")
        self.assert_found("no function has a stack protector", "-fno-stack-protector")

    def test_only_what_the_recipe_makes(self):
        with tempfile.TemporaryDirectory() as root:
            source = os.path.join(root, "x.c")
            with open(source, "w", encoding="utf-8") as stream:
                stream.write(SOURCE)
            for name, option in (("now", "-Wl,-z,now"), ("before", "-Wl,-z,lazy")):
                subprocess.run([COMPILER, *HARD, "-fPIE", "-pie", option, source, "-o", os.path.join(root, name)], check=True)
            for recipe, status in (("build now: link x.c\n", 0), ("build now before: link x.c\n", 1), ("build other: link x.c\n", 1)):
                with open(os.path.join(root, "build.ninja"), "w", encoding="utf-8") as stream:
                    stream.write(recipe)
                done = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, status, done.stdout)

    def test_search_paths(self):
        for path in ("/usr/lib:", ":/usr/lib", "/usr/lib::/opt", "lib", ".", "/usr/lib:../lib"):
            self.assert_found("working folder", f"-Wl,-rpath,{path}", library=False)
            self.assert_found("working folder", "-Wl,--disable-new-dtags", f"-Wl,-rpath,{path}")

    def test_programs_have_no_fixed_address(self):
        self.assert_found("position independent", "-fno-pie", "-no-pie", library=False)

    def test_calls_are_fortified(self):
        self.assert_found("fortified", "-U_FORTIFY_SOURCE")

    def test_data_of_threads(self):
        self.assert_found("thread-local data", "-DKEPT=_Thread_local")
        status, output = self.check(["-DKEPT=_Thread_local __attribute__((tls_model(\"initial-exec\")))"])
        self.assertEqual(status, 0, output)

    @unittest.skipUnless(X86_64, "landing pads of x86-64")
    def test_landing_pads(self):
        self.assert_found("endbr64", "-fcf-protection=none")


if __name__ == "__main__":
    unittest.main()
