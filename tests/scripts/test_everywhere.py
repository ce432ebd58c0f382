"""Lists in tests that are about all functions of a kind name every function that the registry has of it.

Lists that the generator makes (scripts/gen/test_*.py) are complete by themselves. A sweep needs a call by hand for each function
that makes an object, with its counterpart; here the list of sweeps is compared with the registry.
"""
import glob
import os
import re
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "scripts"))

from gen.registry import Registry  # noqa: E402

REGISTRY = Registry(os.path.join(ROOT, "registry"))
SAME = {"zeContextCreate": "zeContextCreateEx", "zeImageViewCreateExp": "zeImageViewCreateExt",
        "zeRTASBuilderCreateExp": "zeRTASBuilderCreateExt",
        "zeRTASParallelOperationCreateExp": "zeRTASParallelOperationCreateExt"}  # one code, two names


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


class Everywhere(unittest.TestCase):
    # VAL-7
    def test_every_function_that_makes_an_object_is_swept(self):
        files = glob.glob(os.path.join(ROOT, "tests/unit/driver/test_sweep*.c"))
        texts = [read(path) for path in files]
        swept = {name for text in texts for name in re.findall(r'(?:OPERATION\(|\.name = )"(ze\w+)', text)}
        makers = {f.name for area in ("core", "runtime") for f in REGISTRY.kind("function", area)
                  if any(m.create for m in f.members)}
        missing = {name for name in makers if SAME.get(name, name) not in swept}
        self.assertGreater(len(makers), 30)
        self.assertEqual(missing, set())
        self.assertEqual(set(SAME) - makers, set())


if __name__ == "__main__":
    unittest.main()
