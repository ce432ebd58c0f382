#!/usr/bin/env python3
"""Runs the programs of oneapi-src/level-zero-tests and says what failed, by cause.

    conformance.py SOURCE BUILD [--part core|sysman|tools|layers] [-p PROGRAM ...] [--filter GTEST_FILTER] [--limit S] [--memory MIB]

SOURCE is a checkout of the tests, BUILD the folder they were built in. Every program runs in shards
of cases, each in a process of its own with a limit on time and memory; after a crash, a hang or too
much memory the run goes on behind the case that did it. Programs look for kernels and helpers in the
current folder, so one is made with links to them and to pictures. LD_LIBRARY_PATH and ZE_ENABLE_ALT_DRIVERS choose
the driver as always. Prints a line per program, then causes with the number of cases and an example.
The exit status says whether the programs could be run, not whether all cases passed.
"""

import argparse
import collections
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

TESTS = ("conformance_tests", "negative_tests")
LAYERS = "layer_tests"
MEDIA = "mediadata/merged"
HELPERS = {"device": "test_device", "ipc": "test_ipc", "memory": "test_memory",
           "process": "test_multiprocess", "fabric": "test_fabric", "sysman_device": "test_sysman_device",
           "debug": "debug", "metrics": "metrics", "tracing": "tracing"}
BEGIN = re.compile(r"\[ RUN      \] (\S+)")
END = re.compile(r"\[ +(OK|FAILED|SKIPPED) +\] ([^ ,]+).*\(\d+ ms\)")
PLACE = re.compile(r"([\w.]+\.[ch]pp:\d+): (?:Failure|Skipped)\n((?:.*\n?){1,8})")
WORDS = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}
KEPT_LINES = 60


def folder_make(source, build, part, folder):
    """The current folder of all programs: kernels, pictures, and helpers in folders of their own."""
    for file in (*source.glob(f"{TESTS[0]}/{part}/*/kernels/*.spv"), *source.glob(f"{TESTS[0]}/*/*/kernels/*.spv"),
                 *source.glob(f"{MEDIA}/*/*")):
        link = folder / file.name
        if not link.exists():
            link.symlink_to(file.resolve())
    for name, program in HELPERS.items():
        (folder / name).mkdir()
        for helper in (*build.glob(f"{TESTS[0]}/*/{program}/*"), *build.glob(f"{LAYERS}/{program}/*")):
            if "_helper" in helper.name or helper.name == "child_debugger":
                (folder / name / helper.name).symlink_to(helper.resolve())


def programs_find(build, part):
    folders = [build / LAYERS] if part == "layers" else [build / tests / part for tests in TESTS]
    found = {path.name: path.resolve() for folder in folders for path in sorted(folder.glob("*/test_*"))
             if path.is_file() and os.access(path, os.X_OK)}
    return {name: path for name, path in found.items() if "_helper" not in name}


def cases_list(program, wanted, folder):
    text = subprocess.run([program, "--gtest_list_tests", f"--gtest_filter={wanted}"], cwd=folder,
                          capture_output=True, text=True, timeout=120, check=False).stdout
    suite, cases = "", []
    for line in text.splitlines():
        name = line.split("#")[0].strip()
        if re.fullmatch(r"[\w/]+\.", name) and not line.startswith(" "):
            suite = name
        elif suite and line.startswith("  "):
            cases.append(suite + name)
    return cases


class Shard:
    """One process: results of the cases it came to, and the case it stopped in, if it did."""

    def __init__(self, program, cases, folder):
        self.results = {}
        self.current = None
        self.text = []
        with tempfile.NamedTemporaryFile("w", suffix=".flags", delete=False) as flags:
            flags.write("--gtest_filter=" + ":".join(cases) + "\n")
        self.flags = flags.name
        self.process = subprocess.Popen([program, f"--gtest_flagfile={self.flags}"], cwd=folder,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        start_new_session=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for raw in self.process.stdout:
            line = raw.decode(errors="replace")
            begin, end = BEGIN.search(line), END.search(line)
            if begin:
                self.current, self.text = begin[1], []
            elif end and end[2] == self.current:
                self.results[self.current] = (WORDS[end[1]], "".join(self.text))
                self.current = None
            elif len(self.text) < KEPT_LINES:
                self.text.append(line)

    def memory_mib(self):
        try:
            status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        except OSError:
            return 0
        return sum(int(kib) for kib in re.findall(r"Rss(?:Anon|Shmem):\s+(\d+)", status)) >> 10

    def run(self, limit_s, limit_mib):
        deadline, why = time.monotonic() + limit_s, "crashed"
        while self.process.poll() is None:
            time.sleep(0.05)
            if time.monotonic() > deadline:
                why = "out of time"
            elif self.memory_mib() > limit_mib:
                why = "too much memory"
            if why != "crashed":
                break
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # helpers that were left behind, too
        except ProcessLookupError:
            pass
        status = self.process.wait()
        self.reader.join(5)
        os.unlink(self.flags)
        if self.current:
            self.results[self.current] = (why, f"{why} ({status})\n" + "".join(self.text))


def program_run(program, cases, folder, args):
    results, left = {}, list(cases)
    while left:
        part, left = left[:args.shard], left[args.shard:]
        shard = Shard(program, part, folder)
        shard.run(args.limit, args.memory)
        results.update(shard.results)
        rest = [case for case in part if case not in shard.results]
        if len(rest) == len(part):  # it did not even begin: do not try that for ever
            results[rest.pop(0)] = ("crashed", "before the first case\n" + "".join(shard.text))
        left = rest + left
    return results


def cause_of(text):
    place = PLACE.search(text)
    if not place:
        return text.splitlines()[0] if text.strip() else "no message"
    message = re.split(r"\n\[|^\S+\.[ch]pp:\d+: Failure", place[2], flags=re.MULTILINE)[0]
    message = re.sub(r"0x[0-9a-f]+|\d+\.\d+", "#", message)
    return f"{place[1]} " + " ".join(message.split())[:200]


def report(name, cases, results):
    count = collections.Counter(results[case][0] for case in cases)
    failed = len(cases) - count["passed"] - count["skipped"]
    print(f"| {name} | {count['passed']} | {failed} | {count['skipped']} | {len(cases)} |")
    causes = collections.defaultdict(list)
    for case in cases:
        state, text = results[case]
        if state != "passed":
            causes[("skipped " if state == "skipped" else "") + cause_of(text)].append(case)
    for cause, those in sorted(causes.items(), key=lambda item: -len(item[1])):
        print(f"    {len(those)} x {cause}\n        {those[0]}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--part", choices=("core", "sysman", "tools", "layers"), default="core")
    parser.add_argument("-p", "--program", action="append")
    parser.add_argument("--filter", default="*")
    parser.add_argument("--limit", type=int, default=300, help="seconds of a shard")
    parser.add_argument("--memory", type=int, default=3072, help="MiB of a process")
    parser.add_argument("--shard", type=int, default=400, help="cases of a shard")
    args = parser.parse_args()
    programs = programs_find(args.build, args.part)
    chosen = args.program or list(programs)
    missing = [name for name in chosen if name not in programs]
    if missing or not chosen:
        print("not built: " + (", ".join(missing) or f"anything in {args.build}"), file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        folder_make(args.source, args.build, args.part, pathlib.Path(folder))
        for name in chosen:
            cases = cases_list(programs[name], args.filter, folder)
            report(name, cases, program_run(programs[name], cases, folder, args))
    return 0


if __name__ == "__main__":
    sys.exit(main())
