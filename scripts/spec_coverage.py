#!/usr/bin/env python3
"""Prints how many requirements of docs/spec/requirements.md are proven and named, by area.

- named: the comment directly above a test case names the requirement (scripts/testcases.py).
- proven: a mutant (tests/mutants) names the requirement and a case that names it. So in
  `make test-long` this case fails if the requirement is broken. If docs/spec/clauses.toml lists
  clauses of the requirement, each clause needs a mutant (`MEM-2b`).
- apart: not counted, because a test of the implementation cannot show it. The reasons are in
  docs/spec/not_tested.toml.

usage: spec_coverage.py [--missing [AREA...]] [--unproven [AREA...]] [--by-test] [--root DIR]
                        [--min AREA=PERCENT...] [--proof ID...]

Errors: unknown ids and clauses, ids that are apart but tested, and areas with less than the
percentage of --min named.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import testcases  # noqa: E402


def apart(root):
    """Returns {id, or id and letter of a clause: (kind, reason)} of docs/spec/not_tested.toml."""
    tables = testcases.read_toml(os.path.join(root, "docs/spec/not_tested.toml"))
    return {name: (kind, reason) for kind, table in tables.items() for name, reason in table.items()}


def mutants(root):
    folder = os.path.join(root, "tests/mutants")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if name.endswith(".toml"):
            yield from testcases.read_toml(os.path.join(folder, name)).get("mutant", [])


def named_ids(paths):
    """Returns {id: {(path, case)}}: the cases that name it."""
    found = {}
    for path in paths:
        for case, ids in testcases.cases(path).items():
            for name in ids:
                found.setdefault(name, set()).add((path, case))
    return found


def proofs(root, named):
    """Returns {id: {letter of a clause, or "": names of the mutants that prove it}}."""
    tests = testcases.test_sources(root)
    found = {}
    for mutant in mutants(root):
        paths = {testcases.source_of(tests, test) for test in mutant["tests"]}
        for name, letter in map(testcases.split_clause, mutant["ids"]):
            if any(path in paths and (not mutant["cases"] or case in mutant["cases"]) for path, case in named.get(name, ())):
                found.setdefault(name, {}).setdefault(letter, []).append(mutant.get("name", ""))
    return found


class Coverage:
    def __init__(self, root):
        self.root = root
        self.wanted, self.titles = testcases.requirements(root)
        if not self.wanted:
            sys.exit("spec-coverage: docs/spec/requirements.md names no requirement")
        self.files, self.orphans = testcases.sources(root)
        self.cases = named_ids(self.files)
        self.clauses = testcases.clauses(root)
        everything = apart(root)
        self.apart = {name: why for name, why in everything.items() if not testcases.split_clause(name)[1]}
        self.clauses_apart = everything.keys() - self.apart.keys()
        self.counted = [name for name in self.wanted if name not in self.apart]
        self.named = {name for name in self.counted if name in self.cases}
        self.proofs = proofs(root, self.cases)
        self.proven = {name for name in self.named if name in self.proofs and not any(self.unproven_clauses(name))}

    def unproven_clauses(self, name):
        """Returns the letters of the clauses that no mutant proves and that are not apart."""
        known = self.proofs.get(name, {})
        return [letter for letter in self.clauses.get(name, ()) if letter not in known and name + letter not in self.clauses_apart]

    def of(self, area):
        mine = [name for name in self.counted if area in (name.split("-")[0], "all")]
        rest = sum(area in (name.split("-")[0], "all") for name in self.apart)
        return sum(name in self.proven for name in mine), sum(name in self.named for name in mine), len(mine), rest

    def errors(self):
        areas = {name.split("-")[0] for name in self.wanted}
        for name in sorted({*self.cases, *self.apart}):
            if name.split("-")[0] in areas and name not in self.wanted:
                where = ", ".join(sorted({os.path.relpath(path, self.root) for path, _ in self.cases.get(name, ())}))
                yield f"{where or 'docs/spec/not_tested.toml'}: unknown requirement {name}"
        for name in self.apart:
            for path, case in sorted(self.cases.get(name, ())):
                yield f"{os.path.relpath(path, self.root)}: {case} names {name}, which is apart"
        yield from self.clause_errors()

    def clause_errors(self):
        for name, mine in self.clauses.items():
            if name not in self.wanted:
                yield f"docs/spec/clauses.toml: unknown requirement {name}"
            if name in self.apart:
                yield f"docs/spec/clauses.toml: {name} is apart as a whole"
            if list(mine) != [chr(ord("a") + index) for index in range(len(mine))] or len(mine) < 2:
                yield f"docs/spec/clauses.toml: {name} needs two or more clauses, lettered a, b, c ..."
        for whole in sorted(self.clauses_apart):
            name, letter = testcases.split_clause(whole)
            if letter not in self.clauses.get(name, ()):
                yield f"docs/spec/not_tested.toml: docs/spec/clauses.toml lists no clause {letter} of {name}"
            elif letter in self.proofs.get(name, ()):
                yield f"docs/spec/not_tested.toml: a mutant proves {whole}, which is apart"

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
                open_clauses = [f"clause {letter}: {coverage.clauses[name][letter]}" for letter in coverage.unproven_clauses(name)]
                print(f"{name}: {coverage.wanted[name]}" + "".join(f"\n    {text}" for text in [*where, *open_clauses]))
    if arguments.by_test:
        for path in coverage.files:
            for case, ids in testcases.cases(path).items():
                if any(name in coverage.named for name in ids):
                    print(f"{os.path.relpath(path, coverage.root)}: {case}: "
                          + ", ".join(name + (" proven" if name in coverage.proven else "") for name in dict.fromkeys(ids)))


def print_proofs(coverage, wishes):
    for name, text in coverage.wanted.items():
        if name in wishes or name.split("-")[0] in wishes:
            print(f"{name}: {text}")
            mine = coverage.proofs.get(name, {})
            for letter, clause in {"": "", **coverage.clauses.get(name, {})}.items():
                if clause or letter in mine:
                    names = ", ".join(mine.get(letter, ["apart" if name + letter in coverage.clauses_apart else "no mutant"]))
                    print(f"    {letter} {clause}: {names}" if letter else f"    {names}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--missing", nargs="*", metavar="AREA",
                        help="list the requirements that no case names")
    parser.add_argument("--unproven", nargs="*", metavar="AREA",
                        help="list the requirements that cases name and no mutant proves")
    parser.add_argument("--by-test", action="store_true", help="list the ids of each case")
    parser.add_argument("--proof", nargs="+", default=[], metavar="ID",
                        help="list the mutants of an id, or of all ids of an area, by clause")
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--min", nargs="*", default=[], metavar="AREA=PERCENT",
                        help="fail if less than PERCENT of the area's requirements are named")
    arguments = parser.parse_args()
    coverage = Coverage(arguments.root)
    print_table(coverage)
    print_lists(coverage, arguments)
    print_proofs(coverage, arguments.proof)
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
        errors.append("fewer requirements are named than --min demands: " + " ".join(low))
    for line in errors:
        print("error: " + line)
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
