#!/usr/bin/env python3
"""Debugs kernels with gdb.

    run_gdb.py HOST MODULES PAGE [--update]

HOST is the program host.c, MODULES the folder of the modules stencil.O0.spv, stencil.O2.spv (with
debug information) and stencil.plain.spv (as O2, without). PAGE is docs/user/debugging.md, whose
transcripts are made here: --update writes them. Exit status 77: gdb or a module is missing."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(FOLDER, "..", "..", "tools", "gdb", "geoid-gdb.py")
NOISE = re.compile(r"\[New |\[Thread |\[Switching|Using host libthread|warning: Error disabling|"
                   r"\[Inferior|No source file named|Function .* not defined|warning: Probes-based|"
                   r"warning: GDB: Failed to set controlling")
# Work-item 13 of stencil.cl: its neighbours in distances 0 to 2 are 13, 12 and 11.
SUM = 13 + 12 / 2 + 11 / 3
ITEM = 13


def fail(text):
    print("FAILED: " + text)
    sys.exit(1)


def skip(text):
    print("skipped: " + text)
    sys.exit(77)


def environment(lanes, **more):
    return dict(os.environ, GEOID_LANES=str(lanes), GEOID_THREADS="1", GEOID_CACHE_SIZE="off",
                DEBUGINFOD_URLS="", **more)


def gdb_run(host, module, flags, lanes, commands):
    """Returns what gdb prints for the commands, without what differs between runs."""
    with tempfile.NamedTemporaryFile("w", suffix=".gdb") as file:
        file.write("\n".join(commands))
        file.flush()
        result = subprocess.run(
            ["gdb", "-q", "-nx", "-batch", "-iex", "set auto-load python-scripts off", "-x",
             os.path.join(FOLDER, "drive.py"), "--args", host, module, flags],
            env=environment(lanes, GEOID_GDB_COMMANDS=file.name, GEOID_GDB_SCRIPT=SCRIPT),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if "ptrace: Operation not permitted" in result.stdout:
        skip("gdb may not trace programs here")
    text = re.sub(r"0x[0-9a-f]{6,}", "0x...", result.stdout)
    text = re.sub(r"(?<=[ \"])/\S*/(?=[\w.]+)", "", text)
    lines = [line.rstrip() for line in text.expandtabs(4).splitlines() if line.strip()]
    return [line for line in lines if not NOISE.match(line)]


# ---- every width ----

def number_after(lines, name):
    for line in reversed(lines):
        found = re.match(re.escape(name) + r" = (-?[\d.e+]+)$", line)
        if found:
            return float(found.group(1))
    fail("gdb does not tell %s:\n%s" % (name, "\n".join(lines)))


def expect(lines, name, wanted):
    found = number_after(lines, name)
    if abs(found - wanted) > 1e-3:
        fail("%s is %g, not %g:\n%s" % (name, found, wanted, "\n".join(lines)))


def width_check(host, module, lanes):
    """Stops work-item 13 at the last value of its sum, in the kernel and in a function."""
    lines = gdb_run(host, module, "-g -ze-opt-disable", lanes, [
        "break stencil.cl:10 if $geoid_item(%d)" % ITEM, "run", "bt 2", "geoid focus %d" % ITEM,
        "geoid print value", "up", "geoid print i", "geoid print scale", "delete",
        "break stencil.cl:26 if $geoid_item(%d)" % ITEM, "continue", "geoid print t.sum",
        "geoid print t.count", "geoid print nearest[1]", "geoid print ends.y",
        "geoid print t.sum * scale + ends.x", "next", "geoid print result", "geoid locals"])
    text = "\n".join(lines)
    for wanted in (r"#0 .*weigh \(.*at stencil\.cl:10", r"#1 .*stencil \(.*at stencil\.cl:21",
                   r"ends = \(float2\)\(13, 113\)"):
        if not re.search(wanted, text):
            fail("%d lanes: %s is missing:\n%s" % (lanes, wanted, text))
    for name, value in (("value", ITEM), ("i", ITEM), ("scale", 10), ("t.sum", SUM),
                        ("t.count", 3), ("nearest[1]", 13 + 12 / 2), ("ends.y", ITEM + 100),
                        ("t.sum * scale + ends.x", 10 * SUM + ITEM), ("result", 10 * SUM + ITEM)):
        expect(lines, name, value)
    print("%2d lanes: ok" % lanes)


def barrier_check(host, module, lanes):
    """Behind a barrier, each chunk has its own variables. Local memory and constants have names."""
    lines = gdb_run(host, module, "-g -ze-opt-disable", lanes, [
        "break stencil.cl:40 if $geoid_item(%d)" % ITEM, "run", "geoid focus %d" % ITEM,
        "geoid print own", "geoid print next", "geoid print shared[%d]" % (ITEM + 1),
        "geoid print factors[1]"])
    for name, value in (("own", ITEM * 3), ("next", (ITEM + 1) * 5), ("factors[1]", 3),
                        ("shared[%d]" % (ITEM + 1), (ITEM + 1) * 5)):
        expect(lines, name, value)
    print("%2d lanes, behind a barrier: ok" % lanes)


def optimized_check(host, module, lanes):
    """Optimised code has lines and inlined calls."""
    lines = gdb_run(host, module, "-g", lanes, ["break stencil.cl:10", "run", "bt 2"])
    text = "\n".join(lines)
    if not re.search(r"#0 .*weigh \(.*stencil\.cl:10\n#1 .*stencil \(", text):
        fail("%d lanes, optimised: no inlined frame:\n%s" % (lanes, text))
    print("%2d lanes, optimised: ok" % lanes)


# ---- the same code ----

def section_of(elf, wanted):
    table, = struct.unpack_from("<Q", elf, 0x28)
    count, names = struct.unpack_from("<HH", elf, 0x3c)
    strings, = struct.unpack_from("<Q", elf, table + 64 * names + 24)
    for i in range(count):
        name, _, _, _, offset, size = struct.unpack_from("<IIQQQQ", elf, table + 64 * i)
        end = elf.index(b"\0", strings + name)
        if elf[strings + name:end].decode() == wanted:
            return elf[offset:offset + size]
    return None


def object_of(host, module, lanes):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([host, module], env=environment(lanes, GEOID_DUMP=folder), check=True,
                       stdout=subprocess.DEVNULL)
        objects = [name for name in os.listdir(folder) if name.endswith(".o")]
        with open(os.path.join(folder, objects[0]), "rb") as file:
            return file.read()


def code_check(host, modules, lanes):
    """Debug information changes no byte of optimised code."""
    debug = object_of(host, os.path.join(modules, "stencil.O2.spv"), lanes)
    plain = object_of(host, os.path.join(modules, "stencil.plain.spv"), lanes)
    if not section_of(debug, ".debug_info") or section_of(plain, ".debug_info"):
        fail("%d lanes: the wrong module has debug information" % lanes)
    if section_of(debug, ".text") != section_of(plain, ".text"):
        fail("%d lanes: debug information changes the code" % lanes)
    print("%2d lanes: the code is the same with debug information" % lanes)


def file_check(host, module, lanes):
    """A program that reads ELF files finds names and lines of kernels in the file that code is
    mapped from. The kernel of `sums` begins on another line than that of `stencil`."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([host, module, "-g"], env=environment(lanes, GEOID_CODE_FOLDER=folder),
                       check=True, stdout=subprocess.DEVNULL)
        files = os.listdir(folder)
        if len(files) != 1:
            fail("%d lanes: code is mapped from %d files" % (lanes, len(files)))
        text = subprocess.run(
            ["gdb", "-q", "-nx", "-batch", "-ex", "info line stencil.cl:26", "-ex",
             "info line stencil.cl:39", os.path.join(folder, files[0])],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    for line, kernel in (26, "stencil"), (39, "sums"):
        if not re.search(r"Line %d of .*stencil\.cl\" starts at address 0x\w+ <%s\+" %
                         (line, kernel), text):
            fail("%d lanes: line %d of kernel %s is not in the file:\n%s" % (lanes, line, kernel,
                                                                            text))
    print("%2d lanes: lines of kernels are in the file that code is mapped from" % lanes)


# ---- the transcripts of the page ----

TRANSCRIPT = re.compile(r"<!-- transcript: (\d+) lanes -->\n\n((?:    .*\n)+)")


def transcript_make(host, module, lanes, old):
    commands = re.findall(r"^    \(gdb\) (.*)$", old, re.M)
    return "".join("    %s\n" % line for line in
                   gdb_run(host, module, "-g -ze-opt-disable", lanes, commands))


def page_check(host, module, page, update):
    with open(page) as file:
        text = file.read()
    made = TRANSCRIPT.sub(lambda found: "<!-- transcript: %s lanes -->\n\n%s" % (
        found.group(1), transcript_make(host, module, int(found.group(1)), found.group(2))), text)
    if not TRANSCRIPT.search(text):
        fail("the page has no transcripts")
    if update:
        with open(page, "w") as file:
            file.write(made)
    elif made != text:
        for old, new in zip(text.splitlines(), made.splitlines()):
            if old != new:
                fail("the page says\n%s\nbut gdb says\n%s\n(--update)" % (old, new))
        fail("the page's transcripts are of another length (--update)")
    print("the page's transcripts are what gdb prints")


def main():
    host, modules, page = sys.argv[1:4]
    module = os.path.join(modules, "stencil.O0.spv")
    if not shutil.which("gdb"):
        skip("gdb is not installed")
    with open("/proc/self/status", encoding="ascii") as status:
        if not re.search(r"^TracerPid:\t0$", status.read(), re.M):
            skip("another program traces this one (as_level), so gdb cannot")
    if not os.path.exists(module):
        skip("no clang-15 or llvm-spirv-15, which write the debug information")
    for lanes in (1, 4, 8, 16, 32):
        width_check(host, module, lanes)
    for lanes in (1, 8):
        barrier_check(host, module, lanes)
        optimized_check(host, os.path.join(modules, "stencil.O2.spv"), lanes)
        code_check(host, modules, lanes)
        file_check(host, os.path.join(modules, "stencil.O2.spv"), lanes)
    page_check(host, module, page, "--update" in sys.argv)


main()
