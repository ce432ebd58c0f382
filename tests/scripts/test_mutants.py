"""Entries of mutants that do not fit the tree are named; a run tells what a test catches from what it lets pass, and leaves the tree
as it was.

Usage: test_mutants.py [SOURCE_DIR]
"""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = sys.argv.pop(1) if sys.argv[1:] and not sys.argv[1].startswith("-") else os.path.dirname(os.path.dirname(HERE))

TREE = {
    "docs/spec/clauses.toml": "[AAA-1]\na = 'First.'\nb = 'Second.'\n",
    "docs/spec/requirements.md": "### AAA: First\n| AAA-1 | One. |\n| AAA-2 | Two. |\n",
    "CMakePresets.json": """{"version": 4, "configurePresets": [{"name": "default", "generator": "Ninja", "binaryDir": "${sourceDir}/build"}]}""",
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.25)
project(small C)
enable_testing()
add_library(ze_loader SHARED src/word.c)
foreach(name ze_geoid ze_null ze_validation_layer ze_tracing_layer geoid_compiler layers_tracing_traced zetop_script)
    add_custom_target(${name})
endforeach()
add_test(NAME scripts_word COMMAND /bin/grep -q right $<TARGET_FILE:ze_loader>)
# Writes a result, with which the next test compares.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/results/one-lane)
add_test(NAME scripts_one COMMAND /bin/sh -c "grep -ao right $1 >$2/\${CORPUS_SINGLE:-one-lane}/word" sh $<TARGET_FILE:ze_loader>
         ${CMAKE_BINARY_DIR}/results)
add_test(NAME scripts_eight COMMAND /bin/sh -c "grep -ao right $1 | cmp - $2/one-lane/word" sh $<TARGET_FILE:ze_loader>
         ${CMAKE_BINARY_DIR}/results)
set_tests_properties(scripts_one PROPERTIES ENVIRONMENT GEOID_LANES=1)
set_tests_properties(scripts_eight PROPERTIES DEPENDS scripts_one)
add_subdirectory(tests/unit)
""",
    "tests/unit/CMakeLists.txt": """# test_*.c
add_executable(unit_value test_value.c ../../value.c %s)
target_compile_options(unit_value PRIVATE -Wall -Wextra -Werror)
target_link_libraries(unit_value cmocka)
add_test(NAME unit_value COMMAND unit_value)
""" % os.path.join(ROOT, "tests/harness/filter.c"),
    "value.c": "int one(int unused);\nint one(int unused)\n{\n    int used = unused - unused;\n    return 1 + used;\n}\n"
               "int two(void);\nint two(void)\n{\n    return 2;\n}\n",
    "src/word.c": "const char word[] = \"right\";\n",
    "tests/unit/test_value.c": """#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

int one(int);
int two(void);

/* AAA-1 */
static void one_is_one(void **state)
{
    (void)state;
    assert_int_equal(one(7), 1);
}

/* AAA-2 */
static void two_is_positive(void **state)
{
    (void)state;
    assert_true(two() > 0);
}

/* Passes when it is run for the second time. */
static void five_needs_a_second_run(void **state)
{
    (void)state;
    FILE *before = fopen("ran", "r"), *now = fopen("ran", "w");
    assert_non_null(now);
    fclose(now);
    assert_non_null(before);
    fclose(before);
    assert_int_equal(two(), 2);
}

static void six_fails(void **state)
{
    (void)state;
    assert_int_equal(two(), 6);
}

static void three_is_left_out(void **state)
{
    (void)state;
    skip();
}

static void four_waits_for_so_long(void **state)
{
    (void)state;
    assert_true(two() == 2 || atoi(getenv("GEOID_TEST_PATIENCE")) != 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_is_one), cmocka_unit_test(two_is_positive),
                                       cmocka_unit_test(three_is_left_out), cmocka_unit_test(four_waits_for_so_long),
                                       cmocka_unit_test(five_needs_a_second_run), cmocka_unit_test(six_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
"""}


def entry(name, old, new, case, **more):
    fields = {"name": name, "ids": [], "file": "value.c", "old": old, "new": new, "tests": ["unit_value"], "cases": [case], **more}
    return "[[mutant]]\n" + "".join(f"{key} = {value!r}\n" for key, value in fields.items())


class Mutants(unittest.TestCase):
    def run_on(self, mutants, *arguments):
        """Status, output, and whether the tree is what it was."""
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**TREE, "tests/mutants/first.toml": mutants}.items():
                path = os.path.join(root, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as stream:
                    stream.write(text)
            done = subprocess.run([sys.executable, os.path.join(ROOT, "scripts/mutants"), "--root", root, *arguments],
                                  capture_output=True, text=True, check=False)
            with open(os.path.join(root, "value.c"), encoding="utf-8") as stream:
                self.assertEqual(stream.read(), TREE["value.c"])
            return done.returncode, done.stdout + done.stderr

    def problem(self, mutants, text):
        status, output = self.run_on(mutants, "--check")
        self.assertEqual(status, 1, output)
        self.assertIn(text, output)

    def test_a_good_entry_is_accepted(self):
        for ids in (["AAA-1"], ["AAA-1b"]):
            status, output = self.run_on(entry("zero", "return 1 + used", "return 0", "one_is_one", ids=ids), "--check")
            self.assertEqual(status, 0, output)

    def test_entries_that_do_not_fit_are_named(self):
        good = ("zero", "return 1 + used", "return 0", "one_is_one")
        self.problem(entry("zero", "return", "return 0 *", "one_is_one"), "its old text occurs 2 times in value.c")
        self.problem(entry("zero", "return 3", "return 0", "one_is_one"), "its old text occurs 0 times in value.c")
        self.problem(entry("zero", "return 2", "return 2", "one_is_one"),
                     "old and new text are equal")
        self.problem(entry(*good) + entry(*good), "the name is taken")
        self.problem(entry(*good, file="other.c"), "other.c does not exist")
        self.problem(entry(*good[:3], "three"), "no case three")
        self.problem(entry(*good, tests=["unit_other"]), "unknown test unit_other")
        self.problem(entry(*good, tests=[]), "names no test")
        self.problem(entry(*good, ids=["AAA-9"]), "unknown requirement AAA-9")
        self.problem(entry(*good, ids=["AAA-2"]), "none of its cases names AAA-2")
        self.problem(entry(*good, ids=["AAA-1c"]), "docs/spec/clauses.toml lists no clause c of AAA-1")
        self.problem(entry(*good, outcome="sometimes"), "outcome is one of")
        self.problem(entry(*good, extra="x"), "unknown key extra")

    def test_what_is_caught_and_what_survives(self):
        status, output = self.run_on(
            entry("zero", "return 1 + used", "return 0", "one_is_one")
            + entry("three", "return 2", "return 3", "two_is_positive")
            + entry("dead", "return 2", "return *(volatile int *)0", "two_is_positive")
            + entry("dead_as_said", "return 2", "return *(volatile int *)0", "two_is_positive", outcome="crash")
            + entry("endless", "return 2", "for (;;) {}", "two_is_positive", outcome="hang")
            + entry("nonsense", "return 2", "return x", "two_is_positive")
            + entry("left_out", "return 2", "return 3", "three_is_left_out")
            + entry("second_run", "return 2", "return 3", "five_needs_a_second_run")
            + entry("six", "return 2", "return 3", "six_fails")
            + entry("short_waits", "return 2", "return 3", "four_waits_for_so_long"), "--run", "--patience", "3")
        self.assertEqual(status, 1, output)
        for line in ("caught    first: zero", "SURVIVED  first: three", "WRONG END first: dead ", "caught    first: dead_as_said",
                     "caught    first: endless", "NOT BUILT first: nonsense", "without a mutant: unit_value three_is_left_out: skip",
                     "SKIPPED   first: left_out", "caught    first: second_run", "without a mutant: unit_value six_fails: fail", "NO BASE   first: six",
                     "caught    first: short_waits", "10 mutants: 1 NO BASE, 1 NOT BUILT, 1 SKIPPED, 1 SURVIVED, 1 WRONG END, 5 caught"):
            self.assertIn(line.lower(), output.lower(), output)

    def test_races_are_run_several_times(self):
        """The first run passes, the second fails."""
        race = ("return 2", "int access(const char *, int), creat(const char *, unsigned), was = access(\"ran\", 0) == 0; "
                            "return creat(\"ran\", 0600) < 0 || was ? 0 : 2", "two_is_positive")
        status, output = self.run_on(entry("race", *race, outcome="any"), "--run")
        self.assertEqual(status, 0, output)
        status, output = self.run_on(entry("race", *race), "--run")
        self.assertIn("SURVIVED  first: race", output)

    def test_libraries_are_built_for_scripts_that_look_at_them(self):
        status, output = self.run_on("[[mutant]]\n" + "".join(f"{key} = {value!r}\n" for key, value in {
            "name": "wrong", "ids": [], "file": "src/word.c", "old": "right", "new": "wrong", "tests": ["scripts_word"], "cases": []}.items()),
            "--run")
        self.assertEqual(status, 0, output)

    def test_results_of_a_mutant_are_kept_from_other_tests(self):
        mutants = "".join("[[mutant]]\n" + "".join(f"{key} = {value!r}\n" for key, value in {
            "name": test, "ids": [], "file": "src/word.c", "old": "right", "new": "wrong", "tests": [test], "cases": []}.items())
                          for test in ("scripts_eight", "scripts_one"))
        mutants += mutants.replace("'scripts_eight'", "'again'", 1).replace("'scripts_one'", "'last'", 1)
        status, output = self.run_on(mutants, "--run")
        self.assertEqual(status, 0, output)

    def test_libraries_are_not_built_for_unit_tests_that_need_none(self):
        status, output = self.run_on(entry("zero", "return 1 + used", "return 0", "one_is_one",
                                           also=[{"file": "src/word.c", "old": "right", "new": "right\" nonsense"}])
                                     .replace("'file':", "file =").replace("'old':", "old =").replace("'new':", "new ="), "--run")
        self.assertEqual(status, 0, output)

    def test_workers_run_all_mutants_in_copies_of_their_own(self):
        status, output = self.run_on(
            entry("zero", "return 1 + used", "return 0", "one_is_one")
            + entry("three", "return 2", "return 3", "two_is_positive")
            + entry("nonsense", "return 2", "return x", "two_is_positive"), "--run", "--workers", "2")
        self.assertEqual(status, 1, output)
        self.assertIn("3 mutants: 1 not built, 1 survived, 1 caught", output.lower())

    def test_a_run_with_many_parts_left_can_be_ended(self):
        with tempfile.TemporaryDirectory() as root:
            long = "return 3; /* " + 60000 * "x" + " */"  # more than a pipe holds
            mutants = "".join(entry(f"long_{i}", "return 2;", long, "two_is_positive") for i in range(8))
            for name, text in {**TREE, "tests/mutants/first.toml": mutants}.items():
                path = os.path.join(root, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as stream:
                    stream.write(text)
            with subprocess.Popen([sys.executable, os.path.join(ROOT, "scripts/mutants"), "--root", root, "--run", "--workers", "2"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as child:
                try:
                    child.stdout.readline()  # a verdict
                    child.terminate()
                    child.communicate(timeout=40)
                finally:
                    child.kill()
            self.assertNotEqual(child.returncode, 0)

    def test_only_those_that_are_asked_for_run(self):
        status, output = self.run_on(entry("zero", "return 1 + used", "return 0", "one_is_one") + entry("three", "return 2", "return 3", "two_is_positive"),
                                     "--run", "zer*")
        self.assertEqual(status, 0, output)
        self.assertIn("1 mutants: 1 caught", output)


if __name__ == "__main__":
    unittest.main()
