"""Runs the rows of bench/table.h in several peers (bench/peer.h), and collects their times.

All peers open a row, and their results are compared. Then they take turns, with a few launches
each, so that other work on the machine affects all of them. A time is the median of launches."""
import fnmatch
import math
import os
import statistics
import subprocess
import time

ROUNDS, LEAST, ROUND_MS = 5, 2, 25
SLOW_MS = 300  # if the first launch takes longer, there is only one round
# The number of values of each kind of digest, and how many values of "most" may differ.
VALUES, MAY_DIFFER = {"bits": 1, "near": 5, "most": 64}, 8
# The allowed error of float results by table, relative to the length of the vector of results.
ROUNDING = {"kernels": 2e-5, "second": 2e-5, "maths": 1e-3}


class PeerFailed(Exception):
    pass


class Peer:
    """A program that serves rows. The first command starts it, and the next one if it has ended."""

    def __init__(self, name, command, environment, core=None):
        self.name, self.command, self.environment, self.core = name, command, environment, core
        self.process = None

    def ask(self, line):
        if not self.process:
            pin = (lambda: os.sched_setaffinity(0, {self.core})) if self.core is not None else None
            self.process = subprocess.Popen(self.command + ["serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                            text=True, env={**os.environ, **self.environment}, preexec_fn=pin)
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().split()
        except BrokenPipeError:
            answer = []
        if not answer:
            _, text = self.process.communicate()
            status, self.process = self.process.returncode, None
            raise PeerFailed(f"{self.name} ends with {status}: {text.strip()[-300:]}")
        return answer

    def close(self):
        if self.process:
            self.process.communicate()
            self.process = None


def names(program, table, patterns):
    """Returns the rows of a table that match one of the patterns, or all rows without patterns."""
    done = subprocess.run([program, "list"], capture_output=True, text=True, check=True)
    rows = [words[1] for words in map(str.split, done.stdout.splitlines()) if words[0] == table]
    return [row for row in rows if not patterns or any(fnmatch.fnmatch(row, pattern) for pattern in patterns)]


def digests(words):
    """Splits the words of an answer. Returns [(kind, values)]."""
    found, rest = [], words
    while rest:
        size = VALUES[rest[0]]
        found.append((rest[0], rest[1:1 + size]))
        rest = rest[1 + size:]
    return found


def agree(one, other, rounding):
    for (kind, a), (_, b) in zip(one, other):
        if kind == "bits":
            if a != b:
                return False
            continue
        a, b = [float(x) for x in a], [float(x) for x in b]
        if kind == "most":
            if sum(not abs(x - y) <= rounding * max(abs(x), abs(y)) for x, y in zip(a, b)) > MAY_DIFFER:
                return False
            continue
        if any(math.isnan(x) != math.isnan(y) or abs(x - y) > rounding * max(a[-1], b[-1]) for x, y in zip(a, b)):
            return False
    return True


def odd_ones(results, rounding):
    """Returns the peers whose results agree with the fewest others, or both if two differ."""
    votes = {name: sum(agree(own, other, rounding) for other in results.values()) for name, own in results.items()}
    most = max(votes.values(), default=0)
    return [name for name, count in votes.items() if count < most or (count == 1 and len(votes) > 1)]


class Measured:
    """The times in milliseconds by peer and row, and the failures as texts."""

    def __init__(self, peers):
        self.times, self.faults = {peer.name: {} for peer in peers}, []

    def fault(self, row, text):
        self.faults.append(f"{row}: {text}")


def measure_row(row, peers, rounding, measured):
    opened = {}
    for peer in peers:
        try:
            answer = peer.ask(f"open {row}")
        except PeerFailed as error:
            measured.fault(row, error)
            continue
        if answer[0] == "opened":
            opened[peer] = (float(answer[1]), digests(answer[2:]))
    odd = odd_ones({peer.name: result for peer, (_, result) in opened.items()}, rounding)
    if odd:
        measured.fault(row, "the result differs from the others': " + ", ".join(odd))
    samples = {peer: [] for peer in opened}
    for turn in range(ROUNDS):
        for peer, (first_ms, _) in list(opened.items()):
            slow = first_ms > SLOW_MS
            if slow and turn > 0:
                continue
            try:
                samples[peer] += map(float, peer.ask(f"time {1 if slow else LEAST} {ROUND_MS}")[1:])
            except PeerFailed as error:
                measured.fault(row, error)
                del opened[peer], samples[peer]
            time.sleep(0.001)  # lets its threads go to sleep
    for peer in opened:
        peer.ask("close")
        if peer.name not in odd:
            measured.times[peer.name][row] = statistics.median(samples[peer])


def measure(peers, rows, table):
    """Measures rows of a table. Returns a Measured."""
    measured = Measured(peers)
    try:
        for row in rows:
            measure_row(row, peers, ROUNDING[table], measured)
    finally:
        for peer in peers:
            peer.close()
    return measured


def save(measured, path):
    """Writes the times in milliseconds: a header, and a line per row with a column per peer.

    A missing time is "-"."""
    peers = [name for name, times in measured.times.items() if times]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\t".join(["row", *peers]) + "\n")
        for row in dict.fromkeys(row for times in measured.times.values() for row in times):
            file.write("\t".join([row, *(f"{measured.times[p][row]:.6f}" if row in measured.times[p] else "-" for p in peers)]) + "\n")
