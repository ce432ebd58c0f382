"""Finds the tests of the tree: their sources, their cases, and the requirements that cases name.

A test case is one of these functions:
- of a cmocka program: `void name(void **state)`
- of a program of tests/layers: `void name(struct faulty_world *world)`
- of a cmocka program by a macro of the same file whose first argument is the name: `CASE(name, ...)`
- of a Python test: `def test_name(self)`
The comment directly above it names the requirements that it tests: `/* MEM-2, MEM-17 */`,
`// MEM-2`, `# GEN-18`. `MEM-2..5` means all four. A mutant may name a clause of a requirement by
its letter in docs/spec/clauses.toml: `MEM-2b`.
"""

import fnmatch
import os
import re
import tomllib

SOURCE = (".c", ".py", ".sh")
COMMENT = r"(?:/\*(?:[^*]|\*(?!/))*\*/[ \t]*\n|(?:[ \t]*//[^\n]*\n)+)"
C_CASE = re.compile(rf"^({COMMENT})?(?:static )?void (\w+)\((?:void \*\*\w*|struct faulty_world \*world)\)", re.M)
MACRO = re.compile(r"^#define (\w+)\((\w+)[^)\n]*\)((?:.*\\\n)*.*)$", re.M)
PYTHON_CASE = re.compile(r"^((?:[ \t]*#[^\n]*\n)*)[ \t]*def (test_\w+)\(", re.M)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as stream:
        return stream.read()


def requirements(root):
    """Returns {id: text}, in the order of the document, and {area: title}."""
    text = read(os.path.join(root, "docs/spec/requirements.md"))
    found = dict(re.findall(r"^\| ([A-Z]{3}-\d+) \| (.*) \|$", text, re.M))
    titles = dict(re.findall(r"^### ([A-Z]{3}): (.*)$", text, re.M))
    return found, titles


def read_toml(path):
    """Returns the content of a TOML file, or an empty table if the file does not exist."""
    if not os.path.exists(path):
        return {}
    with open(path, "rb") as stream:
        return tomllib.load(stream)


def clauses(root):
    """Returns {id: {letter: text}} for the requirements whose clauses are listed."""
    return read_toml(os.path.join(root, "docs/spec/clauses.toml"))


def split_clause(name):
    """Splits `MEM-2b` into the id and the clause's letter, which is "" if the name has none."""
    match = re.fullmatch(r"([A-Z]{3}-\d+)([a-z])", name)
    return match.groups() if match else (name, "")


def ids_in(text):
    for area, first, last in re.findall(r"\b([A-Z]{3})-(\d+)(?:\.\.(\d+))?\b", text):
        for number in range(int(first), int(last or first) + 1):
            yield f"{area}-{number}"


def patterns(path, text):
    """Returns the patterns of the comment and the name of a case."""
    if path.endswith(".py"):
        return [PYTHON_CASE]
    makers = [name for name, case, body in MACRO.findall(text) if re.search(rf"\bvoid {case}\(void \*\*", body)]
    return [C_CASE, *(re.compile(rf"^({COMMENT})?{maker}\((\w+)", re.M) for maker in makers)]


def cases(path):
    """Returns {name of a case: ids in the comment directly above it}."""
    text, found = read(path), {}
    for pattern in patterns(path, text):
        for comment, name in pattern.findall(text):
            found.setdefault(name, []).extend(ids_in(comment))
    return found


def test_sources(root):
    """Returns {ctest name: source} of the tests that have cases.

    The name of a test in C follows from its path: tests/unit/a/b/test_x.c is unit_a_b_x. Names of
    Python tests, and of those in tests/compiler, are in the CMakeLists.txt that registers them."""
    found = {}
    for path in sources(root)[0]:
        folder, name = os.path.split(os.path.relpath(path, os.path.join(root, "tests")))
        if name.endswith(".py") or folder.startswith("compiler"):
            lists = os.path.join(os.path.dirname(path), "CMakeLists.txt")
            text = read(lists) if os.path.exists(lists) else ""
            for test in re.findall(rf"^\w+\((?:NAME )?(\w+) [^()]*\b{re.escape(name)}\b", text, re.M):
                found[test] = path
        elif re.fullmatch(r"(test|stress)_\w+\.c", name) and cases(path):
            stem = name.partition("_")[2].removesuffix(".c")
            found["_".join([*(folder.split(os.sep) if folder else []), stem])] = path
    return found


def source_of(tests, name):
    """Returns the source of a test of ctest, or None if it has no cases.

    A program may run as several tests: api_x_w8 runs api_x."""
    while name not in tests and "_" in name:
        name = name.rpartition("_")[0]
    return tests.get(name)


def sources(root):
    """Returns the sources of registered tests, and those that no CMakeLists.txt names."""
    names, result, orphans = {}, [], []
    for folder, _, files in os.walk(os.path.join(root, "tests")):
        if "CMakeLists.txt" in files:
            text = re.sub(r"#[^\n]*", "", read(os.path.join(folder, "CMakeLists.txt")))
            names[folder] = set(re.findall(r"[^\s()\"']+", text))
    for folder, _, files in os.walk(os.path.join(root, "tests")):
        for name in sorted(files):
            if name.endswith(SOURCE):
                path = os.path.join(folder, name)
                (result if is_registered(path, names) else orphans).append(path)
    return sorted(result), sorted(orphans)


def is_registered(path, names):
    """Returns whether the CMakeLists.txt of the file's folder, or of one above it, names the file.

    It may name it as a/b.c, b.c, *.c, ${VAR}/b.c or test_${name}.c; by its stem, from which a
    function makes the file name; or by a pattern of GLOB_RECURSE."""
    stem = os.path.splitext(os.path.basename(path))[0]
    folder = os.path.dirname(path)
    while True:
        words = names.get(folder, ())
        relative = os.path.relpath(path, folder)
        if "GLOB_RECURSE" in words:
            words = [*words, *("*/" + word for word in words if "*" in word)]
        for word in words:
            plain = re.sub(r"^(\$\{\w+\}/)+", "", word)
            plain = re.sub(r"\$\{\w+\}", "*", plain)  # test_${name}.c in a function
            if fnmatch.fnmatchcase(relative, plain) and plain.strip("*/") or plain == stem:
                return True
        parent = os.path.dirname(folder)
        if os.path.basename(folder) == "tests" or parent == folder:
            return False
        folder = parent
