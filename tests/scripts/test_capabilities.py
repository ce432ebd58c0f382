"""What docs/user/features.md says of SPIR-V's capabilities is what the reader does (src/compiler/spirv/capability.c): those that are taken stand in
its first table, none of the second is. Names are Khronos'; younger ones are in src/compiler/ir/numbers.def.
"""
import os
import re
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "src", "compiler", "ir"))

from grammar import ROW_CAPABILITY  # noqa: E402


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as stream:
        return stream.read()


def taken():
    """The names of the reader's cases: of the header, and of numbers that it does not name."""
    source = read("src/compiler/spirv/capability.c")
    names = {constant: name for constant, _, name in ROW_CAPABILITY.findall(read("src/compiler/ir/numbers.def"))}
    younger = {names[constant] for constant in re.findall(r"case GEO_CAPABILITY_(\w+):", source)}
    return set(re.findall(r"case SpvCapability(\w+):", source)), younger


def table(head):
    """The names in the first column of a table, and its second column by them."""
    section = read("docs/user/features.md").split("## SPIR-V\n")[1].split("\n## ")[0]
    rows = section.split(f"| {head} |")[1].split("\n\n")[0]
    found = {}
    for names, note in re.findall(r"^\| (`.*`) \| ?(.*) ?\|$", rows, re.M):
        for name in re.findall(r"`(\w+)`", names):
            if name in found:
                raise ValueError(f"{name} stands twice")
            found[name] = note.strip()
    return found


class Capabilities(unittest.TestCase):
    def test_tables_are_true(self):
        header, younger = taken()
        documented, refused = table("capabilities that are taken"), table("capabilities that are refused")
        self.assertGreater(len(header), 60)
        self.assertGreater(len(younger), 30)
        self.assertEqual(header - set(documented), set(), "taken, and not in docs/user/features.md")
        self.assertEqual(set(documented) - header - younger, set(), "docs/user/features.md: not taken")
        self.assertEqual(set(refused) & (header | younger), set(), "docs/user/features.md: not refused")
        self.assertEqual([name for name, why in refused.items() if len(why) < 5], [])


if __name__ == "__main__":
    unittest.main()
