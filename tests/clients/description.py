"""A second reader of descriptions of simulated devices (docs/user/simulated.md), written from the document: what a device has to be, and what
its scripts say at a time.

A value is a pair (least, most): noise is only known by its bounds, all others are both.
"""
import json
import math

FOREVER = float("inf")


def load(path):
    """[(entry, index among its devices)] of all devices, in the order of listings."""
    with open(path, encoding="utf-8") as file:
        return [(entry, index) for entry in json.load(file)["devices"] for index in range(entry.get("count", 1))]


def number(value, index):
    """A number, or {"index": FACTOR, "plus": SUMMAND}."""
    if isinstance(value, dict):
        return value["index"] * index + value.get("plus", 0)
    return value


def text(value, index):
    return value.replace("{index}", str(index))


def times(pair, factor):
    return tuple(sorted((pair[0] * factor, pair[1] * factor)))


def plus(one, other):
    return one[0] + other[0], one[1] + other[1]


def word_at(script, seconds):
    """A word, or words, at a time."""
    if not isinstance(script, dict):
        return script
    now = script["steps"][0][1]
    for begin, value in script["steps"]:
        now = value if begin <= seconds else now
    return now


def at(script, seconds, index):
    """The value of a script."""
    if not isinstance(script, dict) or "index" in script:
        return (number(script, index),) * 2
    (kind, what), = script.items()
    if kind == "sum":
        total = (0, 0)
        for part in what:
            total = plus(total, at(part, seconds, index))
        return total
    if kind == "steps":
        return (word_at(script, seconds),) * 2
    if kind == "ramp":
        begin, end = what.get("start_s", 0), what["end_s"]
        share = min(max((seconds - begin) / (end - begin), 0), 1)
        first, last = number(what["from"], index), number(what["to"], index)
        return (first + (last - first) * share,) * 2
    if kind == "sine":
        return (what.get("mean", 0) + what["amplitude"] * math.sin(2 * math.pi * seconds / what["period_s"]),) * 2
    if kind == "noise":
        return what.get("mean", 0) - what["amplitude"], what.get("mean", 0) + what["amplitude"]
    if kind == "counter":
        count = plus(integral(what["rate_per_s"], seconds, index), (what.get("start", 0),) * 2)
        return tuple(value % 2 ** what["bits"] for value in count) if "bits" in what else count
    raise ValueError(f"script {kind}")


def integral(script, seconds, index):
    """Of a rate, from 0 on."""
    if not isinstance(script, dict) or "index" in script:
        return (number(script, index) * seconds,) * 2
    (kind, what), = script.items()
    if kind == "sum":
        total = (0, 0)
        for part in what:
            total = plus(total, integral(part, seconds, index))
        return total
    if kind == "steps":
        ends = [begin for begin, _ in what["steps"][1:]] + [FOREVER]
        pieces, begin = 0, 0
        for (_, value), end in zip(what["steps"], ends):
            pieces += value * max(min(end, seconds) - begin, 0)
            begin = max(begin, end)
        return (pieces,) * 2
    if kind == "ramp":
        begin, end = what.get("start_s", 0), what["end_s"]
        first, last = number(what["from"], index), number(what["to"], index)
        inside = min(max(seconds - begin, 0), end - begin)
        rising = first * inside + (last - first) / (end - begin) * inside * inside / 2
        return (first * min(seconds, begin) + rising + last * max(seconds - end, 0),) * 2
    if kind == "sine":
        turn = 2 * math.pi / what["period_s"]
        return (what.get("mean", 0) * seconds + what["amplitude"] / turn * (1 - math.cos(turn * seconds)),) * 2
    if kind == "noise":
        return times(at(script, 0, index), seconds)
    raise ValueError(f"rate {kind}")
