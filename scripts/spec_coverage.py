#!/usr/bin/env python3
"""Prints how many requirements of docs/spec/requirements.md the tests prove, by area.

usage: spec_coverage.py [--missing [AREA...]] [--by-test] [--root DIR] [--min AREA=PERCENT...]

A requirement counts when a comment in a test names it: `/* MEM-12, MEM-17 */` or `// MEM-12` in C and shaders, `# GEN-18` in
Python and shell. `MEM-12..15` means all four. Only files that belong to a registered test count: those that a CMakeLists.txt
under tests/ names, outright or by a GLOB pattern. --min makes it fail when an area is below a percentage. Ids that do not
exist are errors: a test proves nothing when it names nothing.
"""

import argparse
import fnmatch
import os
import re
import sys

SOURCE = (".c", ".h", ".cl", ".cpp", ".cc", ".py", ".sh", ".spvasm")
C_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
HASH_COMMENT = re.compile(r"\"\"\".*?\"\"\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|#[^\n]*", re.S)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def requirements(root):
    """id -> text, in the order of the document, and area -> title"""
    text = read(os.path.join(root, "docs/spec/requirements.md"))
    found = dict(re.findall(r"^\| ([A-Z]{3}-\d+) \| (.*) \|$", text, re.M))
    titles = dict(re.findall(r"^### ([A-Z]{3}): (.*)$", text, re.M))
    return found, titles


def comments(path):
    """The text of all comments of a file; string literals do not count."""
    text = read(path)
    c_like = path.endswith((".c", ".h", ".cl", ".cpp", ".cc"))
    pattern, starts = (C_COMMENT, ("/*", "//")) if c_like else (HASH_COMMENT, ("#",))
    if path.endswith(".spvasm"):
        pattern, starts = re.compile(r";[^\n]*"), (";",)
    return "\n".join(m[0] for m in pattern.finditer(text) if m[0].startswith(starts))


def registered(root):
    """Files under tests/ that a CMakeLists.txt there names."""
    names = {}
    for folder, _, files in os.walk(os.path.join(root, "tests")):
        if "CMakeLists.txt" in files:
            text = re.sub(r"#[^\n]*", "", read(os.path.join(folder, "CMakeLists.txt")))
            names[folder] = set(re.findall(r"[^\s()\"']+", text))
    result, orphans = [], []
    for folder, _, files in os.walk(os.path.join(root, "tests")):
        for name in sorted(files):
            if not name.endswith(SOURCE):
                continue
            path = os.path.join(folder, name)
            (result if is_named(path, names) else orphans).append(path)
    return result, orphans


def is_named(path, names):
    """Named by the CMakeLists.txt of its own folder or of one above it: a/b.c, b.c, *.c, ${VAR}/b.c, test_${name}.c; or by
    its stem, where a helper makes the file name of it."""
    stem = os.path.splitext(os.path.basename(path))[0]
    folder = os.path.dirname(path)
    while True:
        if folder in names:
            relative = os.path.relpath(path, folder)
            for word in names[folder]:
                plain = re.sub(r"^(\$\{\w+\}/)+", "", word)
                plain = re.sub(r"\$\{\w+\}", "*", plain)  # a helper's test_${name}.c
                if fnmatch.fnmatchcase(relative, plain) and plain != "*" or plain == stem:
                    return True
        parent = os.path.dirname(folder)
        if os.path.basename(folder) == "tests" or parent == folder:
            return False
        folder = parent


def ids_in(text):
    for area, first, last in re.findall(r"\b([A-Z]{3})-(\d+)(?:\.\.(\d+))?\b", text):
        for number in range(int(first), int(last or first) + 1):
            yield f"{area}-{number}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--missing", nargs="*", metavar="AREA", help="list what no test names")
    parser.add_argument("--by-test", action="store_true", help="list the ids of each test file")
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--min", nargs="*", default=[], metavar="AREA=PERCENT")
    arguments = parser.parse_args()
    root = arguments.root
    wanted, titles = requirements(root)
    if not wanted:
        sys.exit("spec-coverage: docs/spec/requirements.md names no requirement")
    areas = {i.split("-")[0] for i in wanted}
    files, orphans = registered(root)
    covered, unknown = {}, []
    for path in files:
        for name in ids_in(comments(path)):
            if name in wanted:
                covered.setdefault(name, set()).add(path)
            elif name.split("-")[0] in areas:
                unknown.append(f"{os.path.relpath(path, root)}: there is no requirement {name}")
    total = {area: [0, 0] for area in titles}
    for name in wanted:
        count = total[name.split("-")[0]]
        count[0] += name in covered
        count[1] += 1
    for area, (have, all_) in total.items():
        print(f"{area}  {have:3} / {all_:3}  {100 * have // all_:3} %  {titles[area]}")
    have = len(covered)
    print(f"all  {have:3} / {len(wanted):3}  {100 * have // len(wanted):3} %")
    if arguments.missing is not None:
        for name, text in wanted.items():
            if name not in covered and name.split("-")[0] in (arguments.missing or areas):
                print(f"{name}: {text}")
    if arguments.by_test:
        for path in files:
            mine = [n for n in wanted if path in covered.get(n, ())]
            if mine:
                print(f"{os.path.relpath(path, root)}: {', '.join(mine)}")
    ignored = [p for p in orphans if any(n in wanted for n in ids_in(comments(p)))]
    for path in ignored:
        print(f"ignored (in no registered test): {os.path.relpath(path, root)}")
    for line in unknown:
        print("error: " + line)
    low = []
    for rule in arguments.min:
        area, _, percent = rule.partition("=")
        if area not in total or 100 * total[area][0] < float(percent) * total[area][1]:
            low.append(rule)
    if low:
        print("error: below the wanted share: " + " ".join(low))
    sys.exit(1 if unknown or low else 0)


if __name__ == "__main__":
    main()
