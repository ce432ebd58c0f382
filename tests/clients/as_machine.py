#!/usr/bin/env python3
"""Runs a command on this machine as if its sensors were those of a described one.

    as_machine.py BUILD TREE COMMAND [ARGUMENT ...]

TREE is one of tests/fixtures/sysman, which BUILD/tests/sysman_walk makes files of. Those below /sys, and /proc/cpuinfo, take the
place of the machine's in a mount namespace that the command alone has: nothing is changed outside, and it ends with the
command. The processors and what they do (/proc/stat, /proc/meminfo, their places in caches and nodes, control groups) stay the
machine's; /dev/shm is empty, so other users of the device are not seen. What a live system moves is moved: energy counters
rise by 20 W, clocks stay in the range that is set. For root.
Its exit status is the command's; 77: that cannot be done here.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

KEPT = ("devices/system/cpu", "devices/system/node")  # of this machine; described files are laid over them
MOUNTED = ("fs",)  # likewise, as they are
MOVING = ("/proc/stat", "/proc/meminfo")
POLICIES = "sys/devices/system/cpu/cpufreq/policy*"
TICK_S = 0.01
WATTS = 20


def copy_kept(root):
    """Files of sysfs that can be read, as files; links to folders inside are followed once."""
    for kept in KEPT:
        for folder, names, files in os.walk(f"/sys/{kept}"):
            target = root / "sys" / pathlib.Path(folder).relative_to("/sys")
            target.mkdir(parents=True, exist_ok=True)
            names[:] = [name for name in names if name not in ("power", "subsystem", "driver", "cpufreq")]
            for name in files:
                try:
                    (target / name).write_bytes(pathlib.Path(folder, name).read_bytes())
                except OSError:
                    pass


def machine_make(build, tree, root):
    copy_kept(root)
    with tempfile.TemporaryDirectory(prefix="geoid-tree-") as files:
        subprocess.run([build / "tests/sysman_walk", "--write", files, tree], check=True)
        shutil.copytree(files, root, symlinks=True, dirs_exist_ok=True)


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def machine_show(root):
    for name in MOUNTED:
        (root / "sys" / name).mkdir(exist_ok=True)
        mount("--rbind", f"/sys/{name}", str(root / "sys" / name))
    for file in (root / "proc").rglob("*"):
        if file.is_file() and f"/{file.relative_to(root)}" not in MOVING:
            mount("--bind", str(file), f"/{file.relative_to(root)}")
    mount("--rbind", str(root / "sys"), "/sys")
    mount("-t", "tmpfs", "machine", "/dev/shm")


def number_of(file):
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


class Mover:
    """What moves by itself: energy, and clocks that follow their range."""

    def __init__(self, root):
        self.start = time.monotonic()
        self.zones = [(file, number_of(file), number_of(file.with_name("max_energy_range_uj")))
                      for file in root.glob("sys/class/powercap/*/energy_uj")]
        clocks = (*root.glob(f"{POLICIES}/scaling_cur_freq"), *root.glob(f"{POLICIES}/scaling_setspeed"))
        self.clocks = [(file, number_of(file)) for file in clocks]

    def move(self):
        used = int((time.monotonic() - self.start) * WATTS * 1e6)
        for file, first, span in self.zones:
            if first is not None:
                value = first + used
                file.write_text(f"{value % (span + 1) if span else value}\n", encoding="ascii")
        for file, clock in self.clocks:
            low, high = (number_of(file.with_name(f"scaling_{end}_freq")) for end in ("min", "max"))
            if None not in (clock, low, high):
                file.write_text(f"{min(max(clock, low), high)}\n", encoding="ascii")


def run(build, tree, command):
    root = pathlib.Path(tempfile.mkdtemp(prefix="geoid-machine-"))
    mount("-t", "tmpfs", "machine", str(root))
    try:
        machine_make(build, tree, root)
        mover = Mover(root)
        machine_show(root)
        process = subprocess.Popen(command)
        while process.poll() is None:
            mover.move()
            time.sleep(TICK_S)
        return process.returncode
    finally:
        subprocess.run(["umount", "-l", str(root)], check=False)
        shutil.rmtree(root, ignore_errors=True)


def main():
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    if os.environ.pop("AS_MACHINE_INSIDE", None):
        return run(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
    possible = os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "true"], check=False).returncode == 0
    if not possible:
        print("as_machine: no namespace of mounts here: needs root", file=sys.stderr)
        return 77
    return subprocess.run(["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv],
                          env={**os.environ, "AS_MACHINE_INSIDE": "1"}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
