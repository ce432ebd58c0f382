"""What the tests of geoidc share: the programs, the kernels and a folder for outputs."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
SOURCE = os.path.abspath(sys.argv.pop(1))
GEOIDC = os.path.join(BUILD, "bin", "geoidc")
OCLOC = os.path.join(BUILD, "lib", "geoid", "ocloc", "ocloc")
HOST = os.path.join(BUILD, "tests", "geoidc_host")
SPIRV = os.path.join(BUILD, "tests", "geoidc", "spirv")
KERNELS = os.path.join(SOURCE, "tests", "geoidc", "kernels")
WORK = os.path.join(SPIRV, "work.spv")
FORMS = os.path.join(SPIRV, "forms.spv")
CONSTANTS = os.path.join(SPIRV, "constants.spv")
WORK_CL = os.path.join(KERNELS, "work.cl")
LINES = os.path.join(SPIRV, "work.lines.spv")


def spirv_words(path):
    with open(path, "rb") as file:
        return file.read()


class Case(unittest.TestCase):
    """A test with a folder of its own, in which the programs run."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="geoidc-test-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def read(self, name, mode="rb"):
        with open(self.path(name), mode) as file:
            return file.read()

    def run_program(self, *arguments, text=True, **more):
        environment = {**os.environ, "TMPDIR": self.path("tmp"), **more}
        os.makedirs(self.path("tmp"), exist_ok=True)
        done = subprocess.run(arguments, cwd=self.folder, capture_output=True, text=text, timeout=600, env=environment,
                              stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(os.listdir(self.path("tmp")), [], "intermediate files were left")
        return done

    def geoidc(self, *arguments, **more):
        """Runs geoidc, which must succeed. Returns its standard output."""
        done = self.run_program(GEOIDC, *arguments, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fails(self, status, message, *arguments, **more):
        """Runs geoidc, which must fail with this exit status and message, and leave no output."""
        before = {name: self.read(name) for name in os.listdir(self.folder) if os.path.isfile(self.path(name))}
        done = self.run_program(GEOIDC, *arguments, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, message)
        self.assertEqual(done.stdout, "")
        after = {name: self.read(name) for name in os.listdir(self.folder) if os.path.isfile(self.path(name))}
        self.assertEqual(before, after, "a failed run changes no file")
        return done.stderr

    def host(self, *arguments, **more):
        done = self.run_program(HOST, *arguments, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout
