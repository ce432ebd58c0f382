#!/usr/bin/env python3
"""dpctl's own test suite on the driver of a build, compared with what is known of it.

usage: run_dpctl.py VENV BUILD [--v2] [--log FILE]

--v2 takes Unified Runtime's second Level Zero adapter. Exit status 1 when a test failed that dpctl_known.txt does not allow, when one
of those that must pass did not, or when fewer tests passed than on a good day: a device that is not found skips nearly all of them.
"""
import argparse
import collections
import os
import sys

from client import tests_run

HERE = os.path.dirname(os.path.abspath(__file__))
LEAST_PASSED = 1500
SECONDS = 1800


def known_read():
    rules = {}
    with open(os.path.join(HERE, "dpctl_known.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                rule, test = line.strip().split(" ", 1)
                rules[test] = rule
    return rules


def judge(found, rules):
    """Lines about what is wrong."""
    wrong = [f"failed: {name}: {why}" for name, (state, why) in found.items() if state == "failed" and name not in rules]
    wrong += [f"has to pass: {name}: {' '.join(found.get(name, ('not run', '')))}" for name, rule in rules.items()
              if rule == "must" and found.get(name, ("",))[0] != "passed"]
    passed = sum(state == "passed" for state, _ in found.values())
    if passed < LEAST_PASSED:
        wrong.append(f"only {passed} tests passed, {LEAST_PASSED} are the least")
    return wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("venv")
    parser.add_argument("build")
    parser.add_argument("--v2", action="store_true")
    parser.add_argument("--log")
    args = parser.parse_args()
    found = tests_run(args.venv, args.build, args.v2, "dpctl", [], args.log, SECONDS)
    wrong = judge(found, known_read())
    for line in wrong[:40]:
        print(line)
    count = collections.Counter(state for state, _ in found.values())
    print(f"dpctl, Level Zero adapter v{2 if args.v2 else 1}: {count['passed']} passed, {count['failed']} failed, "
          f"{count['skipped']} skipped, {len(wrong)} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
