#!/usr/bin/env python3
"""Prints how many requirements of docs/spec/requirements.md are proven, by area: proven / named / total.

named   the comment directly above a test case names the requirement (scripts/testcases.py says how)
proven  a mutant names it, too (tests/mutants), together with a case that does: a break that `make test-long` has seen this case find
apart   not of the total: what a test of the implementation cannot show, by the reasons of docs/spec/not_tested.toml

usage: spec_coverage.py [--missing [AREA...]] [--unproven [AREA...]] [--by-test] [--root DIR] [--min AREA=PERCENT...]

--min makes it fail when less than a percentage of an area is named. Ids that do not exist, and ids that are apart and tested
all the same, are errors.
"""

import argparse
import os
import sys
import tomllib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import testcases  # noqa: E402


def read_toml(path):
    if not os.path.exists(path):
        return {}
    with open(path, "rb") as stream:
        return tomllib.load(stream)


def apart(root):
    """id -> (kind, reason)"""
    tables = read_toml(os.path.join(root, "docs/spec/not_tested.toml"))
    return {name: (kind, reason) for kind, table in tables.items() for name, reason in table.items()}


def mutants(root):
    folder = os.path.join(root, "tests/mutants")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if name.endswith(".toml"):
            yield from read_toml(os.path.join(folder, name)).get("mutant", [])


def named_ids(paths):
    """id -> {(path, case)}"""
    found = {}
    for path in paths:
        for case, ids in testcases.cases(path).items():
            for name in ids:
                found.setdefault(name, set()).add((path, case))
    return found


def proven_ids(root, named):
    tests = testcases.test_sources(root)
    found = set()
    for mutant in mutants(root):
        paths = {testcases.source_of(tests, test) for test in mutant["tests"]}
        for name in mutant["ids"]:
            if any(path in paths and (not mutant["cases"] or case in mutant["cases"]) for path, case in named.get(name, ())):
                found.add(name)
    return found


class Coverage:
    def __init__(self, root):
        self.root = root
        self.wanted, self.titles = testcases.requirements(root)
        if not self.wanted:
            sys.exit("spec-coverage: docs/spec/requirements.md names no requirement")
        self.files, self.orphans = testcases.sources(root)
        self.cases = named_ids(self.files)
        self.apart = apart(root)
        self.counted = [name for name in self.wanted if name not in self.apart]
        self.named = {name for name in self.counted if name in self.cases}
        self.proven = proven_ids(root, self.cases) & self.named

    def of(self, area):
        mine = [name for name in self.counted if area in (name.split("-")[0], "all")]
        rest = sum(area in (name.split("-")[0], "all") for name in self.apart)
        return sum(name in self.proven for name in mine), sum(name in self.named for name in mine), len(mine), rest

    def errors(self):
        areas = {name.split("-")[0] for name in self.wanted}
        for name in sorted({*self.cases, *self.apart}):
            if name.split("-")[0] in areas and name not in self.wanted:
                where = ", ".join(sorted({os.path.relpath(path, self.root) for path, _ in self.cases.get(name, ())}))
                yield f"{where or 'docs/spec/not_tested.toml'}: there is no requirement {name}"
        for name in self.apart:
            for path, case in sorted(self.cases.get(name, ())):
                yield f"{os.path.relpath(path, self.root)}: {case} names {name}, which is apart"

    def unregistered(self):
        for path in self.orphans:
            if any(name in self.wanted for ids in testcases.cases(path).values() for name in ids):
                yield f"ignored (in no registered test): {os.path.relpath(path, self.root)}"


def print_table(coverage):
    for area in [*coverage.titles, "all"]:
        proven, named, total, rest = coverage.of(area)
        share = 100 * proven // total if total else 100
        print(f"{area}  {proven:3} / {named:3} / {total:3}  {share:3} %  {coverage.titles.get(area, 'proven / named / total')}"
              + (f" ({rest} apart)" if rest else ""))


def print_lists(coverage, arguments):
    for wish, names, known in ((arguments.missing, coverage.counted, coverage.named),
                               (arguments.unproven, coverage.named, coverage.proven)):
        for name in coverage.wanted if wish is not None else ():
            if name in names and name not in known and (not wish or name.split("-")[0] in wish):
                where = sorted(f"{os.path.basename(path)}: {case}" for path, case in coverage.cases.get(name, ()))
                print(f"{name}: {coverage.wanted[name]}" + "".join(f"\n    {text}" for text in where))
    if arguments.by_test:
        for path in coverage.files:
            for case, ids in testcases.cases(path).items():
                if any(name in coverage.named for name in ids):
                    print(f"{os.path.relpath(path, coverage.root)}: {case}: "
                          + ", ".join(name + (" proven" if name in coverage.proven else "") for name in dict.fromkeys(ids)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--missing", nargs="*", metavar="AREA", help="list what no case names")
    parser.add_argument("--unproven", nargs="*", metavar="AREA", help="list what cases name and no mutant proves")
    parser.add_argument("--by-test", action="store_true", help="list the ids of each case")
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--min", nargs="*", default=[], metavar="AREA=PERCENT")
    arguments = parser.parse_args()
    coverage = Coverage(arguments.root)
    print_table(coverage)
    print_lists(coverage, arguments)
    for line in coverage.unregistered():
        print(line)
    errors = list(coverage.errors())
    low = []
    for rule in arguments.min:
        area, _, percent = rule.partition("=")
        _, named, total, _ = coverage.of(area)
        if area not in coverage.titles or 100 * named < float(percent) * total:
            low.append(rule)
    if low:
        errors.append("below the wanted share: " + " ".join(low))
    for line in errors:
        print("error: " + line)
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
