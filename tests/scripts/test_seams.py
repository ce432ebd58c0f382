"""The seams of src/backend answer the whole specification: every function of their part of the API stands in the table of
one header, every answer that is named exists, every operation is an answer, and each header compiles alone.

Usage: test_seams.py [COMPILER]
"""
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SEAMS = ("image", "sysman", "metric", "debug")
COMPILER = sys.argv.pop(1) if len(sys.argv) > 1 else "cc"

# What may stand for an operation: the answer is there without one.
WORDS = {"driver", "description", "desc", "info", "limits", "record", "native", "layer"}
ROW = re.compile(r"^ \*   (z\w+) +((?:\w+\.\w+)(?:, \w+\.\w+)*|\w+)(?: |$)", re.M)
OPS = re.compile(r"struct geo_(\w+)_ops \{(.*?)\n\};", re.S)
MEMBER = re.compile(r"\(\*(?:const \*)?(\w+)\)\(")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as stream:
        return stream.read()


def seam(name):
    return read(f"src/backend/{name}.h")


def rows(name):
    """[(function or structure, [answer])] of the opening comment."""
    comment = seam(name).split("*/")[0]
    return [(what, answers.split(", ")) for what, answers in ROW.findall(comment)]


def operations(name):
    """{"power.energy"}: the members of every ops table, under the table's name without what the headers share."""
    found = set()
    for table, body in OPS.findall(seam(name)):
        short = table.removeprefix("sysman_") if name == "sysman" else table
        found |= {f"{short}.{member}" for member in MEMBER.findall(body)}
    return found


def functions(header):
    found = set(re.findall(rf"ZE_APICALL\s+({header}[A-Z]\w+)\(", read(f"include/level_zero/{header}_api.h")))
    assert len(found) > 50, f"{header}_api.h has another form than this test knows"
    return found


def extending(area, prefix):
    """Structures that the registry lets stand in the chain of one whose name begins so; of `area`'s files."""
    found = set()
    folder = os.path.join(ROOT, "registry", area)
    for name in sorted(os.listdir(folder)):
        for block in re.split(r"\n(?=\S)", read(f"registry/{area}/{name}")):
            head = re.match(r"struct (\w+)", block)
            if head and re.search(rf"^  extends {prefix}", block, re.M):
                found.add(head.group(1))
    return found


# Ends of life that no function asks for.
LIFE = {"sysman.open", "sysman.close", "sysman.device", "debug.info"}


class Seams(unittest.TestCase):
    def test_every_function_has_an_answer(self):
        image = {f for f in functions("ze") if re.search(r"Image|^zeSampler", f)}
        for names, wanted in ((("image",), image), (("sysman",), functions("zes")),
                              (("metric", "debug"), functions("zet"))):
            listed = [what for name in names for what, _ in rows(name) if "_" not in what]
            self.assertEqual(sorted(listed), sorted(set(listed)), f"{names}: a function stands there twice")
            self.assertEqual(wanted - set(listed), set(), f"{names}: functions without an answer")
            known = functions("ze") | functions("zes") | functions("zet")
            self.assertEqual(set(listed) - known, set(), f"{names}: not functions of the API")

    def test_every_chained_structure_has_an_answer(self):
        for name, wanted in (("image", extending("core", r"ze_(device_)?(image|pitched_alloc)")),
                             ("sysman", extending("sysman", "zes_")), ("metric", extending("tools", "zet_metric"))):
            listed = {what for what, _ in rows(name) if "_" in what}
            self.assertGreater(len(wanted), 3)
            self.assertEqual(wanted - listed, set(), f"{name}: structures without an answer")

    def test_every_answer_exists(self):
        for name in SEAMS:
            there = operations(name)
            for what, answers in rows(name):
                for answer in answers:
                    self.assertTrue(answer in there or answer in WORDS, f"{name}.h: {what}: there is no {answer}")

    def test_every_operation_is_an_answer(self):
        for name in SEAMS:
            named = {answer for _, answers in rows(name) for answer in answers}
            self.assertEqual(operations(name) - named - LIFE, set(), f"{name}.h: operations that no function ends in")

    def test_each_header_compiles_alone(self):
        for name in (*SEAMS, "backend", "command"):
            text = f'#include "backend/{name}.h"\n' * 2
            done = subprocess.run([COMPILER, "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                                   "-I", os.path.join(ROOT, "src"), "-I", os.path.join(ROOT, "include"), "-x", "c", "-"],
                                  input=text, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, f"{name}.h: {done.stderr}")


if __name__ == "__main__":
    unittest.main()
