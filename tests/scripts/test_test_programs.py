"""scripts/test_programs lists the files of tests, explains itself, and says what is wrong with a folder."""
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "test_programs")
LISTS = """cmake_minimum_required(VERSION 3.25)
project(small NONE)
enable_testing()
foreach(name one two)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/data/${name} COMMAND ${CMAKE_COMMAND} -E touch data/${name} VERBATIM)
    add_custom_target(make_${name} DEPENDS ${CMAKE_BINARY_DIR}/data/${name})
    add_test(NAME unit_${name} COMMAND cat ${CMAKE_BINARY_DIR}/data/${name})
endforeach()
add_test(NAME api_all COMMAND ls ${CMAKE_BINARY_DIR}/data)
add_test(NAME scripts_none COMMAND true)
"""


class TestPrograms(unittest.TestCase):
    def run_with(self, *arguments):
        done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def run_in(self, folder, *arguments):
        with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as stream:
            stream.write(LISTS)
        build = os.path.join(folder, "build")
        subprocess.run(["cmake", "-G", "Ninja", "-S", folder, "-B", build], capture_output=True, check=True)
        return self.run_with(build, *arguments)

    def test_help_is_the_text_of_its_head(self):
        for option in ("-h", "--help"):
            status, output, errors = self.run_with(option)
            self.assertEqual((status, errors), (0, ""))
            self.assertIn("scripts/test_programs BUILD ARGUMENT...", output)

    def test_without_arguments_it_fails_and_explains_itself(self):
        status, output, errors = self.run_with()
        self.assertEqual((status, output), (1, ""))
        self.assertIn("scripts/test_programs BUILD ARGUMENT...", errors)

    def test_other_folders_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            status, output, errors = self.run_with(folder)
        self.assertEqual((status, output), (1, ""))
        self.assertTrue(errors.startswith(f"test_programs: {folder} is not a build folder of ninja: "))

    def test_files_and_folders_of_the_selected_tests_are_listed(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.run_in(folder, "-R", "unit_one"), (0, "data/one\n", ""))
            self.assertEqual(self.run_in(folder, "-R", "api"), (0, "data/one\ndata/two\n", ""))

    def test_a_selection_without_files_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.run_in(folder, "-R", "none"), (1, "", "test_programs: no program belongs to these tests\n"))


if __name__ == "__main__":
    unittest.main()
