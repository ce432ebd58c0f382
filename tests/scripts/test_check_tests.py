"""scripts/check_tests.py finds tests that are not built and unit tests without a folder in src, and nothing in the tree."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SCRIPT = os.path.join(ROOT, "scripts", "check_tests.py")

TREE = {
    "src/base/log.c": "",
    "src/driver/mem/map.c": "",
    "tests/CMakeLists.txt": "add_subdirectory(unit)\nif(GEOID_FUZZ)\n    add_subdirectory(fuzz)\nendif()\nadd_subdirectory(api)\n"
                            "add_subdirectory(loader)\n",
    "tests/unit/CMakeLists.txt": "add_subdirectory(driver/mem)\n",
    "tests/unit/base/test_log.c": "",
    "tests/unit/driver/mem/CMakeLists.txt": "",
    "tests/unit/driver/mem/test_map.c": "",
    "tests/fuzz/CMakeLists.txt": "",
    "tests/api/CMakeLists.txt": "file(GLOB tests test_*.c)\n",
    "tests/api/test_device.c": "",
    "tests/loader/CMakeLists.txt": "geoid_loader_test(test_init.c)\n",
    "tests/loader/test_init.c": "",
}


class CheckTests(unittest.TestCase):
    def check(self, **changes):
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**TREE, **changes.get("files", {})}.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as stream:
                    stream.write(text)
            done = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    def assert_refused(self, path, text=""):
        status, output = self.check(files={path: text})
        self.assertEqual(status, 1, path)
        self.assertTrue(output.startswith(os.path.dirname(path)), output)

    def test_allowed(self):
        self.assertEqual(self.check(), (0, ""))

    def test_this_tree(self):
        done = subprocess.run([sys.executable, SCRIPT, ROOT], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_unit_tests_of_nothing(self):
        self.assert_refused("tests/unit/queue/test_ring.c")
        self.assert_refused("tests/unit/driver/cmd/test_ring.c")

    def test_folders_that_are_not_reached(self):
        self.assert_refused("tests/stress/CMakeLists.txt")
        self.assert_refused("tests/unit/base/CMakeLists.txt")
        self.assert_refused("tests/api/deep/CMakeLists.txt")

    def test_tests_that_are_not_built(self):
        self.assert_refused("tests/loader/test_exit.c")
        self.assert_refused("tests/other/test_exit.c")


if __name__ == "__main__":
    unittest.main()
