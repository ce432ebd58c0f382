#!/usr/bin/env python3
"""Debugs kernels with zedbg.

    run_zedbg.py BUILD PAGE [--update]

BUILD is the build folder. PAGE is docs/user/zedbg.md, whose transcripts are made here: --update
writes them. Exit status 77: a module is missing."""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

BUILD = os.path.abspath(sys.argv[1])
ZEDBG = os.path.join(BUILD, "bin", "zedbg")
STENCIL = os.path.join(BUILD, "tests", "gdb_host")
HOST = os.path.join(BUILD, "tests", "zedbg_host")
MODULES = os.path.join(BUILD, "tests", "gdb", "spirv")
KERNELS = os.path.join(BUILD, "tests", "zedbg", "spirv", "kernels.spv")
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels.cl")
FLAGS = "-g -ze-opt-disable"
# Work-item 13 of stencil.cl: its neighbours in distances 0 to 2 are 13, 12 and 11.
ITEM = 13
PATIENCE = 300  # seconds: only a hang takes so long


def total(item):
    return item + (item - 1) / 2 + (item - 2) / 3


def fail(text):
    print("FAILED: " + text)
    sys.exit(1)


def environment(lanes, threads=1, **more):
    return dict(os.environ, GEOID_LANES=str(lanes), GEOID_THREADS=str(threads), **more)


def zedbg(commands, program, lanes=1, threads=1, status=0, options=(), stdin=None):
    """Returns the lines that zedbg and the program print."""
    arguments = [ZEDBG, "--batch", "--echo", *options]
    for command in commands:
        arguments += ["-ex", command]
    result = subprocess.run(arguments + list(program), env=environment(lanes, threads), text=True,
                            input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            timeout=PATIENCE, check=False)
    if status is not None and result.returncode != status:
        fail("the exit status of zedbg is %d, not %d:\n%s" % (result.returncode, status,
                                                              result.stdout))
    return result.stdout.splitlines()


def stencil(module="stencil.O0.spv", flags=FLAGS):
    return [STENCIL, os.path.join(MODULES, module), flags]


def kernel(name, *more):
    return [HOST, KERNELS, FLAGS, name, *more]


def line_of(text):
    """Returns the number of the line of kernels.cl that has a text."""
    with open(SOURCE, encoding="utf-8") as source:
        for number, line in enumerate(source, 1):
            if text in line:
                return number
    return fail("kernels.cl has no line with " + text)


def expect_text(lines, *patterns):
    """Fails unless each pattern matches a whole line, one behind the other."""
    at = 0
    for pattern in patterns:
        while at < len(lines) and not re.fullmatch(pattern, lines[at]):
            at += 1
        if at == len(lines):
            fail("no line is \"%s\" here:\n%s" % (pattern, "\n".join(lines)))
        at += 1


def expect_value(lines, name, wanted):
    for line in reversed(lines):
        found = re.fullmatch(re.escape(name) + r" = (-?[\d.e+]+)", line)
        if found:
            if abs(float(found.group(1)) - wanted) > 1e-3:
                fail("%s is %s, not %g:\n%s" % (name, found.group(1), wanted, "\n".join(lines)))
            return
    fail("zedbg does not tell %s:\n%s" % (name, "\n".join(lines)))


# ---- every width ----

def width_check(lanes):
    """Stops a work-item in a function and in the kernel: lines, frames, locals, steps."""
    lines = zedbg([
        "break stencil.cl:10 if get_global_id(0) == %d" % ITEM, "run", "backtrace", "print value",
        "up", "print i", "print scale", "delete", "break stencil.cl:26 if i == %d" % ITEM,
        "continue", "locals", "print t.count", "print nearest[1]", "print ends.y",
        "print t.sum * scale + ends.x", "next", "print result", "print t.sum"], stencil(), lanes)
    expect_text(lines, r"Breakpoint 1 \(stencil\.cl:10\) waits for a module that has it\.",
                r"Thread \d+, work-item 13,0,0: breakpoint 1",
                r"weigh \(value=13, distance=0\) at stencil\.cl:10", r"10\t +return value .*",
                r"#0  weigh \(value=13, distance=0\) at stencil\.cl:10",
                r"#1  0x[0-9a-f]+ in stencil \(in=0x[0-9a-f]+, out=0x[0-9a-f]+, radius=2, "
                r"scale=10\) at stencil\.cl:21",
                r"Thread \d+, work-item 13,0,0: breakpoint 2", r"ends = \(float2\)\(13, 113\)",
                r"27\t +out\[i\] = .*")
    for name, value in (("value", ITEM), ("i", ITEM), ("scale", 10), ("t.sum", total(ITEM)),
                        ("t.count", 3), ("nearest[1]", 13 + 12 / 2), ("ends.y", ITEM + 100),
                        ("t.sum * scale + ends.x", 10 * total(ITEM) + ITEM),
                        ("result", 10 * total(ITEM) + ITEM)):
        expect_value(lines, name, value)
    print("%2d lanes: ok" % lanes)


def items_check():
    """Work-items of one chunk have values of their own."""
    lines = zedbg(["break stencil.cl:26 if i == 13", "run", "info work-items", "focus 9",
                   "print t.sum", "focus 14,0,0", "print i", "print/l i", "lane 1", "print ends",
                   "focus 3", "info threads"], stencil(), 8, status=1)
    expect_text(lines, r"\* +\d+ +5  yes     13,0,0         13,0,0         0,0,0",
                r"Thread \d+, work-item 9,0,0: lane 1 of 8",
                re.escape("t.sum = 15.333334"), r"Thread \d+, work-item 14,0,0: lane 6 of 8",
                "i = 14", "work-item 8,0,0: i = 8", "work-item 15,0,0: i = 15",
                r"ends = \(float2\)\(9, 109\)",
                r"zedbg: work-item 3,0,0 is in no chunk that is stopped: .*",
                r"\* +\d+  0,0,\d,0 +stopped in stencil at stencil\.cl:26, work-item 9,0,0")
    print("two work-items: ok")


def barrier_check(lanes):
    """Behind a barrier, each chunk has its own variables. Local memory is the work-group's."""
    lines = zedbg(["break stencil.cl:40 if get_global_id(0) == %d" % ITEM, "run", "print own",
                   "print next", "print shared[%d]" % (ITEM + 1), "print factors[1]",
                   "x/16dw local:0", "x/4dw &shared[0]"], stencil(), lanes)
    for name, value in (("own", ITEM * 3), ("next", (ITEM + 1) * 5), ("factors[1]", 3),
                        ("shared[%d]" % (ITEM + 1), (ITEM + 1) * 5)):
        expect_value(lines, name, value)
    shared = [item * (2, 3, 5)[item % 3] for item in range(16)]
    expect_text(lines, *("local:0x%x:\t%s" % (16 * row, "\t".join(map(str, shared[4 * row:][:4])))
                         for row in range(4)), r"0x[0-9a-f]+:\t0\t3\t10\t6")
    print("%2d lanes, behind a barrier: ok" % lanes)


def hits_check(lanes, wanted):
    """No thread passes a breakpoint while another is stepped over it."""
    lines = zedbg(["break stencil.cl:10", "break stencil.cl:22 if t.count == -1", "run",
                   "continue 1000", "info breakpoints"], stencil(), lanes, threads=4)
    expect_text(lines, r"\[The program exited with code 0\]",
                r" +1  yes +%d  stencil\.cl:10.*" % wanted, r" +2  yes +0  stencil\.cl:22 if .*")
    print("%2d lanes, four threads: %d hits" % (lanes, wanted))


# ---- steps ----

def source_numbers(lines):
    return [int(line.split("\t")[0]) for line in lines if re.match(r"\d+\t", line)]


def pairs_joined(numbers):
    """Leaves out pairs of lines that repeat the pair before them. Without AVX-512, lanes store one
    after the other, so `next` shows the two lines of a branch once for each lane."""
    found = []
    for number in numbers:
        found.append(number)
        if len(found) >= 4 and found[-2:] == found[-4:-2]:
            del found[-2:]
    return found


def step_check():
    """A step follows the work-item in focus: it is off at lines 21 to 23 in distance 1."""
    lines = zedbg(["break stencil if get_global_id(0) == 0", "run"] + 32 * ["next"], stencil(), 8)
    wanted = [15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 19, 20, 24, 19, 20, 24]
    found = pairs_joined(source_numbers(lines))
    if found[:len(wanted)] != wanted:
        fail("the lines are %s, not %s" % (found, wanted))
    lines = zedbg(["break stencil.cl:21 if get_global_id(0) == 5", "run", "delete", "step", "step",
                   "finish", "next", "step 2", "stepi", "tbreak stencil.cl:27", "continue",
                   "info breakpoints", "continue"], stencil(), 8)
    expect_text(lines, r"21\t.*", r"weigh \(value=5, distance=0\) at stencil\.cl:9", r"9\t.*",
                r"10\t.*", r"stencil \(.*\) at stencil\.cl:21", r"21\t.*", r"22\t.*", r"2[24]\t.*",
                r"0x[0-9a-f]+ in stencil", r"27\t.*", "No breakpoints are set\\.",
                r"out\[5\] = 93, sums\[5\] = 37", r"\[The program exited with code 0\]")
    print("steps: ok")


def optimized_check(lanes):
    """Optimised code has lines and inlined calls."""
    lines = zedbg(["break weigh", "run", "bt", "up", "finish"], stencil("stencil.O2.spv", "-g"),
                  lanes, status=1)
    expect_text(lines, r"weigh \(.*\) at stencil\.cl:\d+", r"#0  weigh \(.*",
                r"#1  stencil \(in=0x.*\) at stencil\.cl:21", r"zedbg: `finish` has no meaning.*")
    print("%2d lanes, optimised: ok" % lanes)


# ---- values ----

def types_check(lanes):
    line = line_of("out[i] = letter")
    pairs = (
        ("letter", "100 'd'"), ("bytes", r"(uchar4)(1 '\001', 2 '\002', 3 '\003', 3 '\003')"),
        ("three", "(ushort3)(7, 8, 3)"), ("big", "-15000000000"), ("state", "FULL"),
        ("table", "{{1, 2, 3}, {4, 5, 3}}"), ("table[1][2] + 1", "4"),
        ("mixed", "{small = -3, both = {real = 3.5, bits = 1080033280}}"),
        ("list->next->key", "22"), ("*list->next", "{key = 22, next = 0x0}"),
        ("bytes.wx", r"(uchar4)(3 '\003', 1 '\001')"), ("(float)i / 2", "1.5"),
        ("(level)0", "EMPTY"), ("i == 3 && get_local_size(0) == 16", "1"))
    commands = ["break kernels.cl:%d if i == 3" % line, "run"]
    commands += ["print " + text for text, _ in pairs]
    commands += ["print/x mixed.both.bits", "print/d bytes.x", "whatis table", "whatis list",
                 "set var list->key = 5", "print list->key", "set var $rax = 77", "print $rax"]
    lines = zedbg(commands, kernel("types"), lanes)
    for text, value in pairs:
        value = value.replace("(uchar4)(3", "(uchar2)(3") if text == "bytes.wx" else value
        expect_text(lines, re.escape("%s = %s" % (text, value)))
    expect_text(lines, "mixed.both.bits = 0x40600000", "bytes.x = 1", r"table: int \[2\]\[3\], 24 bytes.*",
                r"list: node \*, 8 bytes.*", "list->key = 5", re.escape("$rax = 77"))
    print("%2d lanes, types: ok" % lanes)


def set_check(lanes):
    """A changed array is the one that the kernel uses."""
    lines = zedbg(["break stencil.cl:27 if i == 5", "run", "set var nearest[2] = 1000",
                   "print nearest", "continue"], stencil(), lanes)
    expect_text(lines, re.escape("nearest = {5, 7, 1000, 0}"), r"out\[5\] = 1085, sums\[5\] = 37")
    print("%2d lanes, set: ok" % lanes)


# ---- what goes wrong ----

def fault_check(lanes):
    line = line_of("out[i] = value")
    lines = zedbg(["run", "focus 5", "print value", "print out", "continue"], kernel("reach"), lanes)
    who = "work-item 5,0,0" if lanes == 1 else "one of the work-items from 0,0,0 to 7,0,0"
    expect_text(lines, r"Thread \d+, %s: invalid access to memory at 0x[0-9a-f]+" % who,
                r"reach \(.*\) at kernels\.cl:%d" % line, r"%d\t +out\[i\] = value;" % line,
                r"Thread \d+, work-item 5,0,0: lane \d of %d" % lanes, "value = 10",
                r"out = 0x[0-9a-f]+", r"\[The program exited with code 3\]")
    print("%2d lanes, fault: ok" % lanes)


def plain_check():
    """A module without debug information."""
    lines = zedbg(["break sums", "break stencil.cl:10", "run", "backtrace", "locals", "next",
                   "print i", "info work-items", "disassemble", "stepi", "info modules",
                   "info registers rip", "info registers launch", "list", "continue"],
                  stencil("stencil.plain.spv", ""), 8, status=1)
    expect_text(lines, r"Thread \d+: breakpoint 1", r"sums \(\) at 0x[0-9a-f]+, without debug .*",
                r"#0  sums \(\) at .*", "zedbg: sums has no debug information",
                "zedbg: no line is known here: .*",
                "zedbg: i is not known: sums has no debug information",
                "zedbg: the work-items are not known here: .*", r"=> 0x[0-9a-f]+ <sums\+0>:\t.*",
                r"0x[0-9a-f]+ in sums", r" +1  0x[0-9a-f]+ +no", r" +0x[0-9a-f]+ kernel sums",
                r"rip +0x[0-9a-f]+ +\d+", r"local_size_x +0x10 +16",
                "zedbg: no line is in focus: .*", r"\[The program exited with code 0\]")
    print("no debug information: ok")


def program_check():
    """Programs that cannot be debugged."""
    for program, wanted in (
            (["/bin/echo", "hello"], "the program exited with code 0 and ran nothing.*"),
            (["false"], "the program exited with code 1 and ran nothing.*"),
            (["sh", "-c", "kill -9 $$"], "the program was killed by signal 9 .*"),
            (["/nonexistent"], "cannot run /nonexistent: No such file or directory")):
        expect_text(zedbg(["run"], program, status=1), "zedbg: " + wanted)
    for pid, wanted in ((os.getpid(), "process .* cannot be debugged: it must be started with .*"),
                        (2 ** 22 - 1, "process 4194303 does not exist")):
        expect_text(zedbg([], [], status=1, options=["--pid", str(pid)]), "zedbg: " + wanted)
    expect_text(zedbg(["run", "continue"], stencil(), status=1),
                r"\[The program exited with code 0\]", "zedbg: no program is debugged: .*")
    expect_text(zedbg(["run", "print 1"], kernel("none"), status=0), r"zeKernelCreate.*",
                r"\[The program exited with code 1\]", "print 1 = 1|1 = 1")
    print("programs: ok")


def usage_check():
    for arguments, status, wanted in (
            (["--help"], 0, "usage: zedbg "), (["--version"], 0, "zedbg "),
            (["--other"], 2, "zedbg: unknown option --other"),
            (["--pid"], 2, "zedbg: a value is missing after --pid"),
            (["--pid", "x"], 2, "zedbg: the process of --pid must be a number"),
            (["--pid", "1", "true"], 2, "zedbg: --pid does not run a program")):
        result = subprocess.run([ZEDBG, *arguments], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, check=False, timeout=PATIENCE)
        if result.returncode != status or not result.stdout.startswith(wanted):
            fail("zedbg %s ends with %d:\n%s" % (arguments, result.returncode, result.stdout))
    lines = zedbg(["help"], [])
    names = [line.split()[0] for line in lines if line.startswith("  ")]
    if len(names) < 30:
        fail("help lists %d commands" % len(names))
    for name in names:
        text = zedbg(["help " + name], [])
        if not text[1].startswith(name) or not text[-1].endswith("."):
            fail("help %s says %s" % (name, text))
    for command, wanted in (
            ("foo", 'the command "foo" does not exist: .*'), ("d", None), ("de", '"de" may be .*'),
            ("info", "a topic is expected: .*"), ("info x", 'unknown topic "x": .*'),
            ("break", "no program is debugged: .*"), ("break 3", "no file is known so far: .*"),
            ("break a b", '"a b" is not a place: .*'), ("break x if", "a condition is expected.*"),
            ("delete 9", "breakpoint 9 does not exist: .*"), ("delete x", "the breakpoint must be .*"),
            ("print", "an expression is expected"), ("print x", "x is not known: .*"),
            ("print/q 1", "print has no format /q: .*"), ("x", "an address is expected"),
            ("x/0x 1", "the count must be .*"), ("x 16", "memory cannot be read: .*"),
            ("set var 1", "an assignment is expected: .*"), ("run 1", "the command takes no .*"),
            ("run", "no program was given: .*"), ("focus a", "the global id .*"),
            ("focus 1,2,3,4", "the global id .*"), ("thread 99", "thread 99 does not exist: .*"),
            ("list", "no line is in focus: .*"), ("list nothing", "no function nothing .*"),
            ("directory", "a folder is expected"), ("disassemble", "no program is debugged.*"),
            ("kill", "no program is debugged: .*"), ("quit now", "the command takes no .*")):
        lines = zedbg([command], [], status=0 if wanted is None else 1)
        if wanted:
            expect_text(lines, "zedbg: " + wanted)
    print("usage: ok")


# ---- other processes, the terminal ----

def interrupt_check():
    """A signal stops a kernel that does not end; the debugger ends it by a write to memory."""
    child = subprocess.Popen(
        [ZEDBG, "--batch", "--echo", "-ex", "run", "-ex", "print out[1] > 0", "-ex",
         "set var out[0] = 1", "-ex", "continue", *kernel("spin")], env=environment(1),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = []
    for line in child.stdout:
        lines.append(line.rstrip("\n"))
        if line == "spins\n":
            child.send_signal(signal.SIGINT)
    if child.wait() != 0:
        fail("interrupted:\n" + "\n".join(lines))
    expect_text(lines, r"Thread \d+, work-item 0,0,0: interrupted",
                r"spin \(out=0x[0-9a-f]+\) at kernels\.cl:\d+", r"out\[1\] > 0 = 1",
                r"\[The program exited with code 0\]")
    print("interrupt: ok")


def attach_check():
    """A debugger comes to a process that runs a kernel, and leaves it."""
    host = subprocess.Popen(kernel("spin"), env=environment(1, ZET_ENABLE_PROGRAM_DEBUGGING="1"),
                            stdout=subprocess.PIPE, text=True)
    host.stdout.readline()
    line = line_of("out[1]++")
    lines = zedbg(["break %d" % line, "continue", "next", "next", "set var out[0] = 1", "kill",
                   "detach", "backtrace"], [], status=1, options=["--pid", str(host.pid)])
    output = host.communicate(timeout=PATIENCE)[0]
    expect_text(lines, r"\[Process %d is debugged\]" % host.pid,
                r"Thread \d+, work-item 0,0,0: interrupted",
                r"Thread \d+, work-item 0,0,0: breakpoint 1", r"%d\t.*" % line,
                "zedbg: zedbg did not start the program: .*",
                r"\[Process %d continues without a debugger\]" % host.pid,
                "zedbg: no program is debugged: .*")
    if host.returncode != 0 or "out[2] = 0" not in output:
        fail("the process ends with %d: %s" % (host.returncode, output))
    print("attach: ok")


def stdin_check():
    lines = zedbg(["run"], kernel("types", "read"), stdin="from the user\n")
    expect_text(lines, "read: from the user", r"\[The program exited with code 0\]")
    print("standard input: ok")


def read_until(terminal, text):
    """Returns what a terminal shows up to a text."""
    shown = ""
    end = time.monotonic() + PATIENCE
    while text not in shown:
        if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
            fail("the terminal does not show %s:\n%s" % (text, shown))
        shown += os.read(terminal, 1000).decode()
    return shown


def terminal_check():
    """Ctrl-C on a terminal stops kernels, and the program lives on."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(environment(1))
        os.execv(ZEDBG, [ZEDBG, *kernel("spin")])
    read_until(terminal, "(zedbg) ")
    os.write(terminal, b"\x03")
    read_until(terminal, "(zedbg) ")
    os.write(terminal, b"run\n")
    read_until(terminal, "spins")
    os.write(terminal, b"\x03")
    shown = read_until(terminal, "(zedbg) ")
    os.write(terminal, b"set var out[0] = 1\n")
    read_until(terminal, "(zedbg) ")
    os.write(terminal, b"continue\n")
    shown += read_until(terminal, "(zedbg) ")
    os.write(terminal, b"quit\n")
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0:
        fail("zedbg fails on a terminal")
    for wanted in ("work-item 0,0,0: interrupted", "[The program exited with code 0]"):
        if wanted not in shown:
            fail("%s is missing on the terminal:\n%s" % (wanted, shown))
    print("terminal: ok")


def end_check():
    """A program that zedbg started ends with it."""
    child = subprocess.Popen([ZEDBG, "--batch", "-ex", "run", *kernel("spin")], env=environment(1),
                             stdout=subprocess.PIPE, text=True)
    child.stdout.readline()
    child.terminate()
    if child.wait(PATIENCE) != 128 + signal.SIGTERM:
        fail("a signal ends zedbg with %d" % child.returncode)
    child.stdout.read()  # ends when the program has closed it, too
    print("end: ok")


def killed_check():
    """A program that is killed while its kernel is stopped."""
    child = subprocess.Popen([ZEDBG, "--batch", "-x", "-", *stencil()], env=environment(8),
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
    child.stdin.write("break stencil.cl:20\nrun\ninfo program\n")
    child.stdin.flush()
    for line in child.stdout:
        found = re.match(r"Process (\d+), started by zedbg", line)
        if found:
            os.kill(int(found.group(1)), signal.SIGKILL)
            break
    output = child.communicate("continue\n", timeout=PATIENCE)[0]
    expect_text(output.splitlines(), r"\[The program was killed by signal 9 \(Killed\)\]")
    print("killed: ok")


# ---- the transcripts of the page ----

TRANSCRIPT = re.compile(r"<!-- transcript: (\d+) lanes, (\w+) -->\n\n((?:    .*\n)+)")


def transcript_make(lanes, name, old):
    commands = re.findall(r"^    \(zedbg\) (.*)$", old, re.M)
    program = stencil() if name == "stencil" else kernel(name)
    text = "\n".join(zedbg(commands, program, lanes, status=None))
    text = re.sub(r"0x[0-9a-f]{6,}", "0x...", text)
    text = re.sub(r"\bThread \d+", "Thread 0", text)
    text = re.sub(r"^([* ] +)\d+( +\d+  (?:yes|no|\?) )", r"\g<1>0\2", text, flags=re.M)
    return "".join("    %s\n" % line.rstrip() for line in text.expandtabs(8).splitlines())


def page_check(page, update):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    made = TRANSCRIPT.sub(lambda found: "<!-- transcript: %s lanes, %s -->\n\n%s" % (
        found.group(1), found.group(2),
        transcript_make(int(found.group(1)), found.group(2), found.group(3))), text)
    if len(TRANSCRIPT.findall(text)) < 3:
        fail("the page has too few transcripts")
    if update:
        with open(page, "w", encoding="utf-8") as file:
            file.write(made)
    elif made != text:
        for old, new in zip(text.splitlines(), made.splitlines()):
            if old != new:
                fail("the page says\n%s\nbut zedbg says\n%s\n(--update)" % (old, new))
        fail("the page's transcripts are of another length (--update)")
    print("the page's transcripts are what zedbg prints")


def main():
    if not os.path.exists(KERNELS) or not os.path.exists(os.path.join(MODULES, "stencil.O0.spv")):
        print("skipped: no clang-15 or llvm-spirv-15, which write the debug information")
        sys.exit(77)
    if "--update" in sys.argv:
        page_check(sys.argv[2], True)
        return
    usage_check()
    program_check()
    for lanes in (1, 4, 8, 16, 32):
        width_check(lanes)
    items_check()
    for lanes in (1, 8):
        barrier_check(lanes)
        types_check(lanes)
        set_check(lanes)
        fault_check(lanes)
        optimized_check(lanes)
    hits_check(1, 93)
    hits_check(8, 12)
    step_check()
    plain_check()
    interrupt_check()
    attach_check()
    stdin_check()
    terminal_check()
    end_check()
    killed_check()
    page_check(sys.argv[2], False)


main()
