#!/usr/bin/env python3
"""Builds every SPIR-V module of some folders and says how many succeed, and why the others do not.

usage: corpus.py [options] WORKER FILE_OR_FOLDER...

WORKER is the program build_module (in the build folder under tests/clients). Modules are built in worker processes
with limits on time and memory; a crash counts for the module that caused it, and a new worker goes on with the next.
Which driver is tested is what the loader finds: set LD_LIBRARY_PATH and ZE_ENABLE_ALT_DRIVERS.
extract_spirv.py fills a folder from any libraries.

  -j N             workers at once (default 1)
  --every N        take every Nth module only, starting with number --first (default 1, 0)
  --first N
  --sample N       take N modules at random; --seed S (default 4) makes it the same ones for the same names of files
  --seconds S      limit on processor time per module (default 20)
  --wall S         limit on the time that passes per module (default 10 times that: machines are busy)
  --memory MIB     memory limit per worker (default 2048)
  --list FILE      write "outcome<TAB>milliseconds<TAB>producer<TAB>file<TAB>reason" per module
  --markdown       tables as Markdown
  --require PCT    exit status 1 when less than PCT per cent were built
"""
import argparse
import collections
import os
import random
import re
import resource
import selectors
import struct
import subprocess
import sys
import time

# Tool numbers in the third word of a module, as registered with Khronos.
PRODUCERS = {6: "LLVM/SPIR-V translator", 7: "SPIR-V assembler", 17: "SPIR-V linker", 43: "LLVM SPIR-V back end"}
# What differs between failures of one cause: ids, numbers, offsets.
SPECIFIC = [(re.compile(r"%\d+|\bid \d+"), "%N"), (re.compile(r"0x[0-9a-fA-F]+"), "0xN"),
            (re.compile(r"(?<=word )\d+|(?<=offset )\d+|(?<=line )\d+"), "N")]
RECYCLE_AFTER = 500  # modules per worker: leaks of a client's process are not ours to measure here


def producer(path):
    with open(path, "rb") as file:
        head = file.read(20)
    if len(head) < 20:
        return "no header"
    _, version, generator = struct.unpack_from("<3I", head)
    tool, revision = generator >> 16, generator & 0xFFFF
    name = PRODUCERS.get(tool, f"tool {tool}")
    return f"{name} {revision}, SPIR-V {version >> 16 & 255}.{version >> 8 & 255}"


def cause(result, reason):
    """One name for all failures of a kind."""
    for pattern, word in SPECIFIC:
        reason = pattern.sub(word, reason)
    if result in ("crash", "timeout", "unreadable"):
        return f"{result}: {reason}" if reason else result
    return reason or result


def cpu_seconds(pid):
    """Processor time of a process so far; 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0


class Worker:
    def __init__(self, command, memory):
        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, preexec_fn=limit)
        os.set_blocking(self.process.stderr.fileno(), False)
        self.done, self.path, self.started, self.used = 0, None, 0.0, 0.0

    def give(self, path):
        self.path, self.started, self.used = path, time.monotonic(), cpu_seconds(self.process.pid)
        self.process.stdin.write(path.encode() + b"\n")
        self.process.stdin.flush()

    def is_late(self, seconds, wall):
        return (cpu_seconds(self.process.pid) - self.used > seconds or time.monotonic() - self.started > wall)

    def answer(self):
        """(outcome, ms, reason) once the module is through; the worker may have died of it."""
        line = self.process.stdout.readline().decode(errors="replace").rstrip("\n")
        if line:
            result, microseconds, _, reason = line.split("\t", 3)
            self.done += 1
            return result, int(microseconds) / 1000, reason
        status = self.process.wait()
        said = (self.process.stderr.read() or b"").decode(errors="replace").strip().splitlines()
        last = said[-1][:120] if said else ""
        return "crash", 0.0, (f"signal {-status}" if status < 0 else f"exit status {status}") + (f", {last}" if last else "")

    def end(self, kill=False):
        if kill:
            self.process.kill()
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


def build_all(paths, args):
    """Yields (path, outcome, milliseconds, reason) in the order in which they end."""
    queue, workers, ready = iter(paths), [], selectors.DefaultSelector()
    wall = args.wall or 10 * args.seconds

    def start():
        path = next(queue, None)
        if path is None:
            return
        worker = Worker([args.worker], args.memory << 20)
        workers.append(worker)
        ready.register(worker.process.stdout, selectors.EVENT_READ, worker)
        worker.give(path)

    def drop(worker, kill):
        ready.unregister(worker.process.stdout)
        workers.remove(worker)
        worker.end(kill)

    for _ in range(args.j):
        start()
    while workers:
        for key, _ in ready.select(timeout=0.2):
            worker = key.data
            outcome, ms, reason = worker.answer()
            yield worker.path, outcome, ms, reason
            path = None
            if outcome != "crash" and worker.done < RECYCLE_AFTER:
                path = next(queue, None)
            if path is not None:
                worker.give(path)
            else:
                drop(worker, kill=False)
                start()
        for worker in [w for w in workers if w.is_late(args.seconds, wall)]:
            yield worker.path, "timeout", args.seconds * 1000.0, f"over {args.seconds:g} s"
            drop(worker, kill=True)
            start()


def collect(paths):
    for path in paths:
        if os.path.isdir(path):
            for folder, folders, names in os.walk(path):
                folders.sort()
                yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".spv"))
        else:
            yield path


def table(title, header, rows, markdown):
    print(f"\n{title}\n" if markdown else f"\n{title}")
    if markdown:
        print("| " + " | ".join(header) + " |\n|" + "|".join("---" for _ in header) + "|")
    for row in rows:
        cells = [str(cell).replace("|", "\\|") if markdown else str(cell) for cell in row]
        print("| " + " | ".join(cells) + " |" if markdown else "  ".join(f"{cell:>7}" for cell in cells))


def report(results, markdown):
    causes, total, built, slow = collections.Counter(), collections.Counter(), collections.Counter(), []
    for path, outcome, ms, reason in results:
        made_by = producer(path)
        total[made_by] += 1
        if outcome == "built":
            built[made_by] += 1
            slow.append(ms)
        else:
            causes[cause(outcome, reason)] += 1
    table("By producer", ("built", "of", "producer"),
          [(built[name], total[name], name) for name, _ in total.most_common()], markdown)
    if causes:
        table("First causes of failure", ("modules", "cause"), [(n, name) for name, n in causes.most_common(60)], markdown)
    everything, good = sum(total.values()), sum(built.values())
    share = 100.0 * good / everything if everything else 0.0
    slow.sort()
    times = (f"; a build took {sum(slow) / len(slow):.0f} ms of processor time on average, {slow[len(slow) // 2]:.0f} ms in the median, "
             f"{slow[-1]:.0f} ms at most") if slow else ""
    print(f"\n{good} of {everything} modules built ({share:.1f} %){times}")
    return share


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-j", type=int, default=1)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--wall", type=float, default=0)
    parser.add_argument("--memory", type=int, default=2048)
    parser.add_argument("--list")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--require", type=float, default=0)
    parser.add_argument("worker")
    parser.add_argument("paths", nargs="+")
    args = parser.parse_args()
    paths = list(collect(args.paths))[args.first::args.every]
    if 0 < args.sample < len(paths):
        paths = random.Random(args.seed).sample(paths, args.sample)
    if not paths:
        sys.exit("corpus: no modules there")
    listing = open(args.list, "w", encoding="utf-8") if args.list else None
    results = []
    for path, outcome, ms, reason in build_all(paths, args):
        results.append((path, outcome, ms, reason))
        if listing:
            listing.write(f"{outcome}\t{ms:.1f}\t{producer(path)}\t{path}\t{reason}\n")
            listing.flush()
    return 0 if report(results, args.markdown) >= args.require else 1


if __name__ == "__main__":
    sys.exit(main())
