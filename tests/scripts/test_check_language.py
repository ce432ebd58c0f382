#!/usr/bin/env python3
"""scripts/check_language finds riddles, negations, long sentences, wide lines and bad commit subjects, and nothing else."""
import os
import subprocess
import tempfile
import unittest

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "check_language")
LIST = "scripts/check_language.todo"
LONG = "This sentence " + "goes on and on " * 8 + "."
PLAIN = """/* Returns the oldest free stamp. NULL: no stamp is free, and no longer than that.
 *
 *     Of a drawing   nothing is read
 */
#include "What a file this is.h"
int x; /* what the field holds */
const char *text = "zeEventCreate: index %u is out of range";
"""


class Tree:
    """A repository with one file and the list of files that may fail."""

    def __init__(self, folder):
        self.folder = folder
        self.git("init", "-q")
        self.write(LIST, "")
        self.write("scripts/check_language", "the script's place\n")
        self.commit("scripts: add the check")

    def git(self, *words):
        subprocess.run(["git", "-C", self.folder, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True, capture_output=True)

    def write(self, path, text):
        whole = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8") as stream:
            stream.write(text)

    def commit(self, subject):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject)

    def check(self, *words):
        done = subprocess.run([CHECK, *words], capture_output=True, text=True, check=False, env={**os.environ, "GEOID_LANGUAGE_ROOT": self.folder})
        return done.returncode, done.stdout


class CheckLanguage(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.tree = Tree(self.temporary.name)

    def kinds(self, path, text):
        self.tree.write(path, text)
        self.tree.commit("room: change a file")
        status, output = self.tree.check()
        found = [line.split(": ")[1] for line in output.split("\n") if line.startswith(path + ":")]
        self.assertEqual(status, 1 if found else 0, output)
        return found

    def test_plain_comments_and_drawings_pass(self):
        self.assertEqual(self.kinds("src/a.c", PLAIN), [])

    def test_a_help_text_is_divided_at_its_options(self):
        option = '    "  -%s, --option  print one line for each device of this machine\\n"\n'
        usage = 'const char usage[] =\n    "usage: tool [OPTION...]\\n"\n    "\\n"\n' + "".join(option % letter for letter in "abcde")
        self.assertEqual(self.kinds("tools/a.c", usage + ';\n'), [])
        self.assertEqual(self.kinds("tools/a.c", usage + '    "  -f, --file  who reads it is told: there is no file\\n";\n'), ["negation"])
        self.assertEqual(self.kinds("tools/a.c", usage + '    "\\n"\n    "What was refused is told.\\n";\n'), ["riddle"])

    def test_riddles_are_found_in_comments_of_every_language(self):
        self.assertEqual(self.kinds("src/a.c", "/* Of the owner: to the end. */\nint x; // Who waits is told.\n"), ["riddle", "riddle"])
        self.assertEqual(self.kinds("scripts/a.py", '"""What it does is told here."""\n# Those that wait are told.\n'), ["riddle", "riddle"])
        self.assertEqual(self.kinds("cmake/a.cmake", "# So many tests that none is left.\n"), ["riddle"])
        self.assertEqual(self.kinds("registry/a.txt", "  in x : What it is used for.\n"), ["riddle"])
        self.assertEqual(self.kinds("docs/a.md", "# What is missing\n\nIt is plain. One that is not is found.\n"), ["riddle"])

    def test_a_sentence_is_read_across_lines(self):
        self.assertEqual(self.kinds("src/a.c", "/* A line ends. What\n * follows is a riddle. */\n"), ["riddle"])

    def test_an_item_of_a_list_is_read_to_its_end(self):
        self.assertEqual(self.kinds("docs/a.md", "- **Item:** a line ends. What\n  follows is a riddle.\n- It is plain.\n"), ["riddle"])
        self.assertEqual(self.kinds("docs/a.md", "10. A line ends. What\n    follows is a riddle.\n"), [])  # the form of code
        self.assertEqual(self.kinds("src/a.c", "/* - a row of words. What\n *       a drawing says\n */\n"), [])

    def test_messages_are_read(self):
        self.assertEqual(self.kinds("src/a.c", 'const char *a = "this event "\n    "is no event";\n'), ["negation"])

    def test_negations_and_long_sentences_are_found(self):
        self.assertEqual(self.kinds("src/a.c", "/* The pool is no pool. It returns NULL where there is none. */\n"), ["negation", "negation"])
        self.assertEqual(self.kinds("src/a.c", f"/* {LONG} */\n"), ["long"])

    def test_wide_lines_are_found_in_documents_alone(self):
        wide = "word " * 12 + ". " + "Word " * 12
        self.assertEqual(self.kinds("docs/a.md", wide + "\n"), ["wide"])
        self.assertEqual(self.kinds("docs/a.md", f"| {wide} |\n"), [])
        self.assertEqual(self.kinds("scripts/a.py", f"# {wide}\n"), [])

    def test_other_rooms_are_not_read(self):
        self.assertEqual(self.kinds("tests/unit/a.c", "/* Of the owner: to the end. */\n"), [])
        self.assertEqual(self.kinds("docs/spec/a.md", "Of the owner: to the end.\n"), [])

    def test_the_list_only_shrinks(self):
        self.tree.write(LIST, "src/a.c\n")
        self.assertEqual(self.kinds("src/a.c", "/* Of the owner: to the end. */\n"), [])
        self.tree.write("src/a.c", "/* Runs to the end. */\n")
        status, output = self.tree.check()
        self.assertEqual(status, 1)
        self.assertIn("take it off", output)
        self.tree.git("rm", "-qf", "src/a.c")
        self.assertIn("is not there", self.tree.check()[1])

    def test_subjects_and_merges_since_the_check_are_judged(self):
        self.tree.commit("room: " + "x" * 66)
        self.assertEqual(self.tree.check()[0], 0)
        self.tree.commit("room: " + "x" * 67)
        status, output = self.tree.check()
        self.assertEqual(status, 1)
        self.assertIn("a subject of 73 characters", output)

    def test_merges_are_refused(self):
        self.tree.git("checkout", "-q", "-b", "side")
        self.tree.commit("room: one side")
        self.tree.git("checkout", "-q", "-")
        self.tree.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
        status, output = self.tree.check()
        self.assertEqual(status, 1)
        self.assertIn("a merge", output)


if __name__ == "__main__":
    unittest.main()
