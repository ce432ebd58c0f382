"""The commands of docs/user/getting-started.md work, and print what the page says.

Usage: test_start.py BUILD CMAKE            with BUILD, installed to ~/geoid as by the archive
       test_start.py --page PAGE KIND...    in the working folder, with what is installed. KIND is
                                            packages, wheel, install-packages or install-wheel

Commands are in blocks below <!-- run -->, or below <!-- run: KIND --> if they are for one way of
installing. All run in one shell, and each must succeed. A block below <!-- prints --> has what the
commands before it print. In it `...` stands for any text of a line, and a line of it for any lines;
the number of blanks does not matter.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "docs", "user", "getting-started.md")
BLOCK = re.compile(r"<!-- (run|prints)(?:: ([\w-]+))? -->\n\n((?:    .*\n|\n(?=    ))+)")
KINDS = {"archive", "packages", "wheel", "install-packages", "install-wheel"}
NOT_KEPT = ("GEOID_", "ZE", "LD_", "OCL_", "PYTHON", "CPATH", "LIBRARY_PATH")
MARK = "@@@ the block has succeeded"
# The pairs of programs that geoidc -g looks for, the newest first.
PAIRS = [(f"clang-{version}", f"llvm-spirv-{version}") for version in range(22, 13, -1)]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def steps(page, kinds):
    """Returns what is to be run for some kinds, as [commands, expected text or None]."""
    found = []
    for word, kind, text in BLOCK.findall(page):
        text = re.sub(r"^    ", "", text, flags=re.M)
        if kind and kind not in KINDS:
            raise ValueError(f"the page has a block for {kind}, which is no way of installing")
        if word == "prints":
            found[-1][1] = text
        elif not kind or kind in kinds:
            found.append([text, None])
    return found


def plain(text):
    """Returns a text whose lines have single blanks."""
    return "".join(" ".join(line.split()) + "\n" for line in text.strip().splitlines())


def prints(expected, output):
    """Returns whether an output is what the page says."""
    parts = []
    for line in plain(expected).splitlines():
        inner = "[^\n]*".join(map(re.escape, line.split("...")))
        parts.append("(?:[^\n]*\n)*" if line == "..." else inner + "\n")
    return re.fullmatch("".join(parts), plain(output)) is not None


def run(found, folder, environment):
    """Runs steps in one shell. Returns a text about what is wrong, or an empty one."""
    commands = "".join(f"{text}printf '\\n{MARK}\\n'\n" for text, _ in found)
    done = subprocess.run(
        ["bash", "-e", "-c", commands],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    outputs = done.stdout.split(f"\n{MARK}\n")
    wrong = ""
    for (text, expected), output in zip(found, outputs):
        if expected is not None and not prints(expected, output):
            wrong += f"---- this does not print what the page says:\n{text}{output}\n"
    if len(outputs) != len(found) + 1 or done.returncode:
        text = found[min(len(outputs), len(found)) - 1][0]
        wrong += f"---- a command fails (status {done.returncode}):\n{text}{outputs[-1]}\n"
    return wrong


class Start(unittest.TestCase):
    def test_the_commands_of_the_page(self):
        with tempfile.TemporaryDirectory(prefix="geoid-start-") as home:
            installed = subprocess.run(
                [CMAKE, "--install", BUILD, "--prefix", os.path.join(home, "geoid")],
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(installed.returncode, 0, installed.stdout + installed.stderr)
            kept = {name: os.environ[name] for name in os.environ if not name.startswith(NOT_KEPT)}
            environment = {**kept, "HOME": home, "GEOID_DEVICES": "1", "GEOID_NVIDIA": "off"}
            found = steps(read(PAGE), {"archive"})
            self.assertGreater(len(found), 8)
            # The Makefile of the examples works, too.
            found.append(["make -s && ./saxpy 1000 && ./smooth\n", "...\n0 of 1000000 ...\n"])
            self.assertEqual(run(found, home, environment), "")

    def test_every_block_is_known(self):
        page = read(PAGE)
        self.assertEqual(len(re.findall("<!-- (?:run|prints)", page)), len(BLOCK.findall(page)))
        for kind in ("packages", "wheel"):
            without = [text for text, _ in steps(page, {"archive"})]
            others = [text for text, _ in steps(page, {kind, f"install-{kind}"})]
            self.assertGreaterEqual(len(others), len(without) - 1, kind)

    def test_wrong_outputs_are_found(self):
        self.assertTrue(prints("a ... c\n...\nd\n", "a   b c\nx\ny\nd\n"))
        self.assertTrue(prints("a\n...\n", "a\n"))
        for output in ("a b c\nx\n", "a b\nd\n", "z\na b c\nd\n", ""):
            self.assertFalse(prints("a ... c\n...\nd\n", output), output)
        with tempfile.TemporaryDirectory() as folder:
            environment = {"PATH": os.environ["PATH"]}

            def problem(*found):
                return run([list(step) for step in found], folder, environment)

            self.assertEqual(problem(("cd /\n", None), ("pwd\n", "/\n")), "")
            self.assertIn("does not print", problem(("echo 1\n", "2\n")))
            self.assertIn("status 1", problem(("true\n", None), ("false\ntrue\n", None)))
            self.assertIn("status 3", problem(("exit 3\n", None), ("true\n", None)))


def main():
    if "--page" in sys.argv:
        page, kinds = sys.argv[2], set(sys.argv[3:])
        if sys.argv[1] != "--page" or not kinds or kinds - KINDS:
            sys.exit(__doc__)
        wrong = run(steps(read(page), kinds), ".", os.environ)
        print(wrong, end="")
        return 1 if wrong else 0
    if not any(all(map(shutil.which, pair)) for pair in PAIRS):
        print("skipped: the page needs clang-15 and llvm-spirv-15: scripts/deps installs them")
        return 77
    return unittest.main(exit=False).result.wasSuccessful() is not True


if __name__ == "__main__":
    if "--page" not in sys.argv:
        CMAKE = sys.argv.pop(2)
        BUILD = os.path.abspath(sys.argv.pop(1))
    sys.exit(main())
