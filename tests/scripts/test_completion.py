"""scripts/completion: its files are up to date, and the shells that are installed complete options, values, programs and files with them."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SCRIPT = os.path.join(ROOT, "scripts", "completion")
FILES = os.path.join(ROOT, "packaging", "completion")
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import toolhelp  # noqa: E402

COMPLETE = """
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
_geoid
((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
"""


def options_of(tool):
    return {name for option in toolhelp.of_tool(tool).options if not option.open for name in option.names}


def bash(*words, folder=ROOT, script=COMPLETE):
    """Returns what bash proposes for the last word of a line."""
    done = subprocess.run(["bash", "--norc", "-c", script, "bash", os.path.join(FILES, "geoid.bash"), *words], cwd=folder,
                          capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        raise AssertionError(done.stderr)
    return set(done.stdout.splitlines())


class Completion(unittest.TestCase):
    def test_the_files_of_the_tree_are_up_to_date(self):
        done = subprocess.run([sys.executable, SCRIPT, "--verify"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_file_that_is_out_of_date_is_found(self):
        with tempfile.TemporaryDirectory() as root:
            for folder in ("tools", "packaging"):
                shutil.copytree(os.path.join(ROOT, folder), os.path.join(root, folder))
            path = os.path.join(root, "tools", "zetop", "options.c")
            with open(path, encoding="utf-8") as stream:
                text = stream.read()
            for change, status, output in (
                    (text.replace("-b, --batch  ", "-b, --batches"), 1, "".join(
                        f"packaging/completion/{name} is out of date: run scripts/completion\n" for name in ("geoid.bash", "_geoid", "geoid.fish"))),
                    (text.replace("text, csv (one", "text, tsv (one"), 1, "scripts/completion: the help of zetop --format does not name csv\n")):
                self.assertNotEqual(change, text)
                with open(path, "w", encoding="utf-8") as stream:
                    stream.write(change)
                done = subprocess.run([sys.executable, SCRIPT, "--verify"], capture_output=True, text=True, check=False,
                                      env={**os.environ, "GEOID_TOOLS_ROOT": root})
                self.assertEqual((done.returncode, done.stdout + done.stderr), (status, output))

    def test_bash_knows_every_tool(self):
        lines = bash(script='source "$1"; complete -p')
        for tool in toolhelp.SOURCES:
            self.assertIn(f"complete -o bashdefault -o filenames -F _geoid {tool}", lines)

    def test_bash_completes_every_option(self):
        for tool in toolhelp.SOURCES:
            self.assertEqual(bash(tool, "--"), {name for name in options_of(tool) if name.startswith("--")}, tool)
            self.assertEqual(bash(f"/opt/geoid/bin/{tool}", "-"), options_of(tool))
        self.assertEqual(bash("zeinfo", "--"), {"--list", "--functions", "--why", "--check", "--timeout", "--json", "--version", "--help"})
        self.assertEqual(bash("zeinfo", "--list", "--j"), {"--json"})

    def test_bash_completes_values(self):
        self.assertEqual(bash("zetop", "--batch", "--format", ""), {"text", "csv", "json"})
        self.assertEqual(bash("zetop", "-f", "c"), {"csv"})
        self.assertEqual(bash("geoidc", "--emit", "=", "llvm"), {"llvm", "llvm-lowered"})
        self.assertEqual(bash("geoidc", "--report", "="), {"text", "json"})
        self.assertEqual(bash("geoidc", "--width", ""), {"0", "1", "2", "4", "8", "16", "32"})
        self.assertEqual(bash("zetop", "--delay", ""), set())

    def test_bash_completes_files_and_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "workshop"))
            with open(os.path.join(folder, "work.cl"), "w", encoding="utf-8"):
                pass
            self.assertEqual(bash("geoidc", "work", folder=folder), {"work.cl", "workshop"})
            self.assertEqual(bash("geoidc", "--report", "work", folder=folder), {"work.cl", "workshop"})
            self.assertEqual(bash("zetrace", "-o", "work", folder=folder), {"work.cl", "workshop"})
            self.assertEqual(bash("zetrace", "--from", "work", folder=folder), {"workshop"})
            self.assertEqual(bash("zeinfo", "work", folder=folder), set())
            self.assertEqual(bash("zetrace", "-o", "trace.json", "cat", "work", folder=folder), {"work.cl", "workshop"})

    def test_bash_completes_programs(self):
        self.assertIn("python3", bash("geoid-run", "pytho"))
        self.assertIn("python3", bash("zetrace", "--limit", "1M", "--quiet", "pytho"))
        self.assertIn("python3", bash("zetrace", "--", "pytho"))
        self.assertEqual(bash("geoid-run", "python3", "--"), set())  # options of the program, not of geoid-run
        self.assertEqual(bash("zedbg", "--pid", "=", "5", "-ex", "run", "--ba"), {"--batch"})

    def test_bash_leaves_programs_to_their_own_completion(self):
        script = '_command_offset() { COMPREPLY=("offset $1"); }\n' + COMPLETE
        self.assertEqual(bash("zetrace", "-o", "x.json", "python3", "-", script=script), {"offset 3"})

    def test_zsh_takes_the_file(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed")
        done = subprocess.run(["zsh", "-f", "-c", "fpath=($1 $fpath); autoload -Uz compinit; compinit -u -D; autoload +X _geoid; "
                               "print -r -- $_comps[zeinfo] $_comps[zetop]", "zsh", FILES], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "_geoid _geoid\n", ""))

    def test_fish_completes_every_option(self):
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")
        with tempfile.TemporaryDirectory() as home:
            for tool in toolhelp.SOURCES:
                found = set()
                for start in ("-", "--"):
                    done = subprocess.run(["fish", "--no-config", "-c", f"source $argv[1]; complete -C '{tool} {start}'", os.path.join(FILES, "geoid.fish")],
                                          capture_output=True, text=True, check=False, env={**os.environ, "HOME": home})
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    found |= {line.split("\t")[0] for line in done.stdout.splitlines()}
                self.assertEqual(options_of(tool) - found, set(), tool)


if __name__ == "__main__":
    unittest.main()
