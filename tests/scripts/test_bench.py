"""bench/rows.py accepts results that agree, and finds the peer whose results differ. With a build folder, also: scripts/bench has
the rows of both sets of kernels, and the rows of the second set have C beside them."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import rows  # noqa: E402

BUILD = sys.argv.pop(1) if len(sys.argv) > 1 and os.path.isdir(sys.argv[1]) else None
ROUNDING = rows.ROUNDING["second"]


def most(*values):
    """A digest of 64 sums, which starts with these."""
    return rows.digests(["most", *map(str, values), *["1.5"] * (64 - len(values))])


class Digests(unittest.TestCase):
    def test_several_digests_are_split(self):
        words = ["bits", "ab12", "near", "1", "2", "3", "4", "5", "most", *["1"] * 64, "bits", "cd"]
        self.assertEqual([(kind, len(values)) for kind, values in rows.digests(words)],
                         [("bits", 1), ("near", 5), ("most", 64), ("bits", 1)])

    def test_a_few_sums_may_differ(self):
        few, many = [9.0] * rows.MAY_DIFFER, [9.0] * (rows.MAY_DIFFER + 1)
        self.assertTrue(rows.agree(most(), most(*few), ROUNDING))
        self.assertFalse(rows.agree(most(), most(*many), ROUNDING))
        self.assertFalse(rows.agree(most(), most(*[float("nan")] * len(many)), ROUNDING))

    def test_the_odd_peer_is_found(self):
        results = {"geoid": most(), "Intel": most(*[9.0] * 20), "C": most()}
        self.assertEqual(rows.odd_ones(results, ROUNDING), ["Intel"])


class Names(unittest.TestCase):
    def test_rows_are_those_of_one_table(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "peer")
            with open(program, "w", encoding="utf-8") as stream:
                stream.write("#!/bin/sh\necho kernels one\necho second two\necho second three\necho maths four\n")
            os.chmod(program, 0o755)
            self.assertEqual(rows.names(program, "second", None), ["two", "three"])
            self.assertEqual(rows.names(program, "second", ["t[hx]*"]), ["three"])


@unittest.skipUnless(BUILD and os.path.exists(os.path.join(BUILD, "bench", "bench_host")), "no build folder with benchmarks")
class Rows(unittest.TestCase):
    def setUp(self):
        self.program = os.path.join(BUILD, "bench", "bench_host")

    def test_sets_have_their_rows(self):
        self.assertIn("sgemm_naive", rows.names(self.program, "kernels", None))
        second = rows.names(self.program, "second", None)
        self.assertGreaterEqual(len(second), 40)
        self.assertNotIn("sgemm_naive", second)
        self.assertEqual(rows.names(self.program, "second", ["gemv_[hi]*"]), ["gemv_item", "gemv_half"])

    def test_the_second_set_has_c_beside_it(self):
        names = rows.names(self.program, "second", None)
        commands = "".join(f"open {name}\nclose\n" for name in names)
        done = subprocess.run([self.program, "serve"], input=commands, capture_output=True, text=True, check=True)
        answers = [line.split()[0] for line in done.stdout.splitlines()]
        self.assertEqual(answers, ["opened", "closed"] * len(names))

    def test_an_unknown_set_is_refused(self):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "bench"), BUILD, "--set", "third"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("third", done.stderr)


if __name__ == "__main__":
    unittest.main()
