#!/usr/bin/env python3
"""level_zero/compat/ze_api_0_9.h has every name of the texts 0.91 and 0.95, and each can be used, in C and in C++.

usage: test_compat.py SOURCE COMPILER
names-0.9.txt was read off the texts, not off the header or the registry.
"""

import functools
import os
import re
import subprocess
import sys
import unittest

SOURCE, COMPILER = sys.argv[1], sys.argv[2]
HERE = os.path.dirname(os.path.abspath(__file__))
HEADER = os.path.join(SOURCE, "include/level_zero/compat/ze_api_0_9.h")
INCLUDE = "-I" + os.path.join(SOURCE, "include")
FLAGS = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-value", "-Wno-unused-function", "-fsyntax-only", INCLUDE]


def names():
    with open(os.path.join(HERE, "names-0.9.txt"), encoding="utf-8") as f:
        return [line.strip() for line in f if line.strip() and not line.startswith("#")]


def compile_text(text, language, body):
    lines = ["#include <level_zero/compat/ze_api_0_9.h>"] + body
    standard = "-std=c++14" if language == "c++" else "-std=c11"
    return subprocess.run([COMPILER, "-x", language, standard, f"-DZE_API_0_9={text}", *FLAGS, "-"],
                          input="\n".join(lines) + "\n", text=True, capture_output=True)


def use(name):
    """A declaration that does not compile without the name."""
    if name.endswith("_t"):
        return f"extern {name} use_{name};"
    if name.startswith("ZE_"):
        return f"static inline int use_{name}(void) {{ return (int)({name}); }}"
    return f"static inline int use_{name}(void) {{ return &{name} != 0; }}"


class Compat(unittest.TestCase):
    @staticmethod
    @functools.lru_cache
    def known(text):
        """The names that the header declares for one text."""
        listing = subprocess.run([COMPILER, "-x", "c", "-std=c11", f"-DZE_API_0_9={text}", "-dD", "-E", INCLUDE, "-"],
                                 input="#include <level_zero/compat/ze_api_0_9.h>\n", text=True, capture_output=True, check=True)
        return set(re.findall(r"\w+", listing.stdout))

    def test_every_name_of_the_texts_is_there(self):
        with open(HEADER, encoding="utf-8") as f:
            gone = set(re.findall(r"^ \*   (\w+): ", f.read(), re.M))
        known = self.known(91) | self.known(95)
        self.assertEqual([n for n in names() if n not in known and n not in gone], [])
        self.assertLess(len(gone), 5)

    def test_each_can_be_used(self):
        used = set()
        for text in (91, 95):
            have = [n for n in names() if n in self.known(text)]
            for language in ("c", "c++"):
                result = compile_text(text, language, [use(n) for n in have])
                self.assertEqual(result.returncode, 0, f"{text}, {language}:\n{result.stderr}")
            used |= set(have)
        self.assertGreater(len(used), 130)

    def test_a_name_that_is_not_there_is_noticed(self):
        self.assertNotEqual(compile_text(95, "c", [use("ze_no_such_thing_t")]).returncode, 0)
        # What only the other text has does not leak in.
        self.assertNotEqual(compile_text(95, "c", [use("zeEventGetTimestamp")]).returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
