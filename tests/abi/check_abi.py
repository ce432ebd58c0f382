#!/usr/bin/env python3
"""Proves that a set of headers has the binary interface of Level Zero, row by row of a table of facts.

usage: check_abi.py INCLUDE_DIR [CLANG [TABLE]]

Each row of the table (level_zero-<version>.tsv) becomes a static assertion in one C and one C++ file, which clang only checks.
Parameter names and macros are compared as text. Rows beyond the table are allowed: later versions only add. Headers of a
later version than the table's may also have longer dispatch tables, and other containers of tables by value; nothing else.

  enum TYPE NAME VALUE | struct TAG SIZE ALIGN | field TAG NAME OFFSET SIZE TYPE | function NAME RETURN (TYPE PARAM, ...)
  callback TYPE SIGNATURE | handle TYPE | alias TYPE TYPE | macro NAME VALUE
"""

import os
import re
import subprocess
import sys
import tempfile

HEADERS = ("ze_api.h", "zes_api.h", "zet_api.h", "zer_api.h", "ze_ddi_common.h",
           "loader/ze_loader.h", "layers/zel_tracing_api.h", "layers/zel_tracing_ddi.h",
           "layers/zel_tracing_register_cb.h")


def prologue():
    return ["#include <stdbool.h>", "#include <stddef.h>",
            "#define SAME(a, b) __builtin_types_compatible_p(a, b)"] + \
        [f"#include <level_zero/{header}>" for header in HEADERS]


def record(tag):
    """The struct of a table row; its tag has an underscore, but for two old ones of the loader."""
    keyword = "union" if tag in UNIONS else "struct"
    return f"{keyword} {tag}" if tag.startswith("zel_") and tag in PLAIN_TAGS else f"{keyword} _{tag}"


PLAIN_TAGS = {"zel_version", "zel_component_version"}
UNIONS = {"zet_value_t", "zet_debug_event_info_t", "zet_value_info_exp_t"}


def split_params(text):
    """'(A a, B *b)' -> [('A', 'a'), ('B *', 'b')]"""
    inside = text[1:-1].strip()
    if not inside:
        return []
    pairs = []
    for part in inside.split(","):
        m = re.fullmatch(r"\s*(.*?)(\w+)\s*", part)
        pairs.append((m[1].strip(), m[2]))
    return pairs


def version_of(text):
    """(1, 17) of level_zero-1.17.24.tsv and of ZE_MAKE_VERSION( 1, 17 )."""
    return tuple(int(n) for n in re.findall(r"\d+", text)[:2])


def may_differ(row):
    """Whether a later minor version changes the row: it names the newest version, or places tables one behind the other."""
    if row[0] == "enum":
        return row[2].endswith("_CURRENT")
    if row[0] == "macro":
        return row[1] == "ZE_API_VERSION_CURRENT_M"
    return row[0] in ("struct", "field") and re.fullmatch(r"ze[rst]?_dditable_t", row[1]) is not None


def c_condition_of_later(row):
    """The same for headers of a later version: a dispatch table may be longer, what it had stays in place."""
    if row[0] == "struct" and re.search(r"_dditable(_driver)?_t$", row[1]):
        return f"sizeof({record(row[1])}) >= {row[2]} && _Alignof({record(row[1])}) == {row[3]}"
    return c_condition(row)


def c_condition(row):
    """The condition that a row states, in C; None when another check proves it."""
    kind = row[0]
    if kind == "enum":
        return f"(long long)(int){row[2]} == {row[3]} && sizeof({row[1]}) == 4"
    if kind == "struct":
        return f"sizeof({record(row[1])}) == {row[2]} && _Alignof({record(row[1])}) == {row[3]}"
    if kind == "field":
        member = f"(({record(row[1])} *)0)->{row[2]}"
        return (f"offsetof({record(row[1])}, {row[2]}) == {row[3]} && sizeof({member}) == {row[4]} && "
                f"SAME(__typeof__({member}), {row[5]})")
    if kind == "function":
        types = ", ".join(t for t, _ in split_params(row[3])) or "void"
        return f"SAME(__typeof__({row[1]}), {row[2]} ({types}))"
    if kind == "handle":
        # A few plain structures have the name of a handle.
        return f"SAME({row[1]}, struct _{row[1]} *) || SAME({row[1]}, struct _{row[1]})"
    if kind in ("callback", "alias"):
        return f"SAME({row[1]}, {row[2]})"
    return None


def cpp_condition(row):
    """In C++ an enumerator has the type of its enumeration."""
    return f"__is_same(decltype({row[2]}), {row[1]})" if row[0] == "enum" else None


def failed_rows(rows, condition, clang, include, language, work):
    """Compiles one assertion per row; the rows whose line has an error."""
    lines = prologue()
    place = {}
    for number, row in enumerate(rows):
        text = condition(row)
        if text:
            place[len(lines) + 1] = number
            keyword = "static_assert" if language == "c++" else "_Static_assert"
            lines.append(f'{keyword}({text}, "");')
    path = os.path.join(work, "abi." + ("cpp" if language == "c++" else "c"))
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    done = subprocess.run([clang, "-x", language, "-I", include, "-fsyntax-only", "-ferror-limit=0",
                           "-fno-caret-diagnostics", path], capture_output=True, text=True, check=False)
    failed, foreign = set(), []
    for line in done.stderr.splitlines():
        m = re.match(r"(.*?):(\d+):\d+: (?:fatal )?error: ", line)
        if m and m[1] == path and int(m[2]) in place:
            failed.add(place[int(m[2])])
        elif m:
            foreign.append(line)
    if foreign or (done.returncode != 0 and not failed):
        sys.exit("check_abi: the headers do not compile\n" + "\n".join(foreign or [done.stderr]))
    return failed


def declared_params(include):
    """Function name -> list of parameter names, read from the text of the headers."""
    found = {}
    for folder, below, files in os.walk(include):
        below[:] = [name for name in below if name != "compat"]  # what maps older names declares nothing
        for name in files:
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", f.read(), flags=re.S)
            for m in re.finditer(r"\b(ze\w+)\s*\(([^()]*)\)\s*;", text):
                inside = m[2].strip()
                params = [] if inside in ("", "void") else inside.split(",")
                found[m[1]] = [re.search(r"(\w+)\s*$", p)[1] for p in params]
    return found


def defined_macros(clang, include, work):
    path = os.path.join(work, "macros.c")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(prologue()) + "\n")
    out = subprocess.run([clang, "-E", "-dM", "-I", include, path], capture_output=True, text=True,
                         check=True).stdout
    return dict(m.groups() for m in re.finditer(r"^#define (\w+)[ ]?(.*)$", out, re.M))


def table_path():
    """The one table beside this script: level_zero-<version of the specification>.tsv."""
    here = os.path.dirname(os.path.abspath(__file__))
    [name] = [n for n in os.listdir(here) if n.startswith("level_zero-") and n.endswith(".tsv")]
    return os.path.join(here, name)


def main():
    include = sys.argv[1]
    clang = sys.argv[2] if len(sys.argv) > 2 else "clang-22"
    table = sys.argv[3] if len(sys.argv) > 3 else table_path()
    with open(table, encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f if line.strip()]
    if not rows:
        sys.exit("check_abi: the table is empty")
    with tempfile.TemporaryDirectory() as work:
        # GEN-18: sizes, offsets, values and signatures are those of the platform's C ABI.
        macros = defined_macros(clang, include, work)
        later = version_of(macros["ZE_API_VERSION_CURRENT_M"]) > version_of(os.path.basename(table))
        if later:
            rows = [row for row in rows if not may_differ(row)]
        failed = failed_rows(rows, c_condition_of_later if later else c_condition, clang, include, "c", work)
        failed |= failed_rows(rows, cpp_condition, clang, include, "c++", work)
        params = declared_params(include)
    for number, row in enumerate(rows):
        if row[0] == "function" and params.get(row[1]) != [n for _, n in split_params(row[3])]:
            failed.add(number)
        elif row[0] == "macro" and macros.get(row[1]) != (row[2] if len(row) > 2 else ""):
            failed.add(number)
    for number in sorted(failed)[:40]:
        print("differs: " + "\t".join(rows[number]))
    of = "an earlier version's " if later else ""
    print(f"check_abi: {len(rows) - len(failed)} of {of}{len(rows)} rows hold")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
