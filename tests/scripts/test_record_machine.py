#!/usr/bin/env python3
"""scripts/record_machine reads the files that sysman of the CPU reads, all of them and no others, writes what the trees' reader makes the
same files of, and tells nobody's name.

Usage: test_record_machine.py SYSMAN_WALK (tests/unit/backend/cpu/sysman/walk.c)
"""
import importlib.machinery
import importlib.util
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

WALK = sys.argv.pop(1)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "scripts", "record_machine")
TREES = os.path.join(ROOT, "tests", "fixtures", "sysman")
NOBODY = 65534
# What no fixture has: a thermal zone and no chip, a policy as before Linux 4.3; groups of both versions, ranks, events.
ZONE = """
/proc/stat cpu0 1 2 3 4 5 6 7
/sys/devices/system/cpu/cpu0/cpufreq/affected_cpus 0444 | 0
/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_min_freq 0444 | 800000
/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq 0444 | 2300000
/sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq 0644 | 800000
/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq 0644 | 2300000
/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq 0444 | 800000
/sys/class/thermal/thermal_zone3/type x86_pkg_temp
/sys/class/thermal/thermal_zone3/temp 41000
/sys/class/thermal/thermal_zone3/trip_point_0_type passive
/sys/class/thermal/thermal_zone3/trip_point_1_type critical
/sys/class/thermal/thermal_zone3/trip_point_1_temp 0444 | 105000
"""
REST = """
/proc/cpuinfo vendor_id	: GenuineIntel
/proc/stat cpu0 1 2 3 4 5 6 7
/proc/meminfo <<
MemTotal:       1000 kB
MemFree:        900 kB
.
/proc/self/cgroup <<
4:cpu,memory:/old/deep
0::/new/deep
.
/sys/fs/cgroup/memory/old/memory.limit_in_bytes 1000000
/sys/fs/cgroup/memory/old/memory.usage_in_bytes 1000
/sys/fs/cgroup/memory/old/memory.stat total_inactive_file 10
/sys/fs/cgroup/new/deep/memory.max 0644 | 900000
/sys/fs/cgroup/new/deep/memory.current 1000
/sys/fs/cgroup/new/deep/memory.stat 0444 <<
anon 5
inactive_file 10
.
/sys/devices/system/cpu/cpu0/topology/physical_package_id 0
/sys/devices/system/edac/mc/mc0/ce_count 3
/sys/devices/system/edac/mc/mc0/ue_count 0
/sys/devices/system/edac/mc/mc0/rank0/dimm_edac_mode SECDED
/sys/devices/system/edac/mc/mc0/rank0/dimm_mem_type Unbuffered-DDR3
/sys/class/hwmon/hwmon0/name k10temp
/sys/class/hwmon/hwmon0/device/numa_node 0
/sys/class/hwmon/hwmon0/temp1_input 0444 error EIO
/sys/class/hwmon/hwmon1/name odd
/sys/class/hwmon/hwmon1/fan1_input hex 31 32 33
/sys/class/hwmon/hwmon1/fan1_target hex
/sys/class/hwmon/hwmon1/pwm1 0644 | 0400 | 9
/sys/bus/event_source/devices/power/type 9
/sys/bus/event_source/devices/power/cpumask 0
/sys/bus/event_source/devices/power/format/event config:0-7
/sys/bus/event_source/devices/power/events/energy-pkg event=0x02
/sys/bus/event_source/devices/power/events/energy-pkg.scale 2.3283064365386962890625e-10
/sys/bus/event_source/devices/power/events/energy-pkg.unit Joules
/sys/bus/event_source/devices/uncore_imc/type 12
/sys/bus/event_source/devices/uncore_imc/cpumask 0
/sys/bus/event_source/devices/uncore_imc/format/event config:0-7
/sys/bus/event_source/devices/uncore_imc/events/data_reads event=0x01
/sys/bus/event_source/devices/uncore_imc/events/data_reads.unit MiB
/sys/bus/event_source/devices/uncore_imc/events/data_writes event=0x02
/sys/bus/event_source/devices/uncore_imc/events/data_writes.unit MiB
"""
# Whose it is. Each of SECRETS is somewhere in it.
SOMEBODYS = """
/proc/sys/kernel/hostname annas-laptop
/proc/stat cpu0 1 2 3 4 5 6 7
/proc/cpuinfo <<
processor	: 0
model name	: ARMv7 Processor rev 4 (v7l)

processor	: 1
model name	: ARMv7 Processor rev 4 (v7l)

Hardware	: BCM2835
Serial		: 00000000a1b2c3d4
.
/proc/meminfo <<
MemTotal:       1000 kB
MemFree:        900 kB
.
/proc/self/cgroup 0::/user.slice/user-1000.slice/run-secretjob.scope
/sys/fs/cgroup/user.slice/user-1000.slice/run-secretjob.scope/memory.max 0644 | 900000
/sys/fs/cgroup/user.slice/user-1000.slice/run-secretjob.scope/memory.current 700000
/sys/class/dmi/id/product_serial 0400 | PF2ABCDE-77
/sys/class/dmi/id/board_serial 0400 | Default string
/sys/class/dmi/id/sys_vendor made for annas-laptop
/sys/class/dmi/id/bios_version 12345678-1234-5678-9abc-123456789abc
/sys/firmware/dmi/entries/17-0/raw 0400 hex 11 17 28 00 00 10 fe ff 40 00 40 00 00 20 09 00 01 02 1a 80 00 6a 0a 53 45 43 52 45 54 2d 34 32 00 00
/sys/class/power_supply/pad-battery-a4:53:85:01:02:03/type Battery
/sys/class/power_supply/AC/type Mains
/sys/class/power_supply/AC/online 1
"""
SECRETS = ("annas", "a1b2c3d4", "secretjob", "PF2ABCDE", "77", "12345678-", "a4:53:85", "53 45 43", "SECRET")


def recorder():
    loader = importlib.machinery.SourceFileLoader("record_machine", SCRIPT)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("record_machine", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def files_below(folder):
    """path -> mode and bytes; of what cannot be read, mode and the error"""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            mode = stat.S_IMODE(os.stat(path).st_mode)
            try:
                with open(path, "rb") as file:
                    found[path[len(folder):]] = mode, file.read()
            except OSError as error:
                found[path[len(folder):]] = mode, error.errno
    return found


class RecordMachine(unittest.TestCase):
    def setUp(self):
        self.base = tempfile.mkdtemp(prefix="geoid-record-")
        os.chmod(self.base, 0o755)
        self.made = 0

    def tearDown(self):
        shutil.rmtree(self.base)

    def run_tool(self, *words, **options):
        return subprocess.run(words, check=True, capture_output=True, text=True, **options).stdout

    def new(self, end=""):
        self.made += 1
        return os.path.join(self.base, f"{self.made}{end}")

    def folder_of(self, tree):
        """The folder that the trees' reader makes of a tree's path, or of its text."""
        if "\n" in tree:
            path = self.new(".tree")
            with open(path, "w", encoding="utf-8") as file:
                file.write(tree)
            tree = path
        folder = self.new()
        os.mkdir(folder)
        self.run_tool(WALK, "--write", folder, tree)
        return folder

    def record(self, folder, *options):
        path = self.new(".tree")
        self.run_tool(sys.executable, SCRIPT, "--root", folder, *options, path)
        with open(path, encoding="utf-8") as file:
            return file.read()

    def values(self, folder):
        return self.run_tool(WALK, folder).replace(folder, "").splitlines()

    def trees(self):
        return [os.path.join(TREES, name) for name in sorted(os.listdir(TREES))] + [ZONE, REST]

    def looked_for(self):
        """What sysman looked for in all trees, also where it is not: files, and folders that were listed."""
        files, folders = set(), set()
        for tree in self.trees():
            folder = self.folder_of(tree)
            for line in self.run_tool(WALK, "--files", "--set", folder).splitlines():
                kind, _, path = line.partition(" ")
                (files if kind == "file" else folders).add(path)
        return files, folders

    def patterns(self):
        """Regular expressions of what the recorder reads."""
        module = recorder()
        for folder, names in module.FILES.items():
            for name in names:
                text = module.form(f"{folder}/{name}".replace("{GROUP}", "\0")).pattern
                yield f"{folder}/{name}", re.compile(text.replace("\0", r"(/.+)?"))

    def test_it_reads_all_that_sysman_looks_for(self):
        files, folders = self.looked_for()
        patterns = list(self.patterns())
        files = {path for path in files if not path.startswith("/dev/shm")}  # the census: processes, which are no recording's
        self.assertGreater(len(files), 300)
        self.assertEqual([path for path in sorted(files) if not any(form.fullmatch(path) for _, form in patterns)], [])
        listed = {text[:re.search(r"/[^/]*[*#]", text).start()] for text, _ in patterns if re.search("[*#]", text)}
        listed.add("/dev/shm")
        self.assertEqual([path for path in sorted(folders) if path not in listed and not re.fullmatch("/sys/class/hwmon/hwmon[0-9]+", path)], [])

    def test_it_reads_nothing_that_sysman_does_not_look_for(self):
        files, _ = self.looked_for()
        self.assertEqual([text for text, form in self.patterns() if not any(form.fullmatch(path) for path in files)], [])

    def test_what_is_recorded_is_what_was_there(self):
        patterns = [form for _, form in self.patterns()]
        for tree in self.trees():
            first = self.folder_of(tree)
            text = self.record(first, "--unmasked")
            self.assertIn("NOT MASKED", text)
            second = self.folder_of(text)
            there = {path: what for path, what in files_below(first).items() if any(form.fullmatch(path) for form in patterns)}
            found = files_below(second)
            self.assertEqual(sorted(there), sorted(found))
            for path, (mode, data) in there.items():
                whole = path not in ("/proc/cpuinfo", "/proc/stat") and mode & 0o444
                self.assertEqual((mode, data if whole else 0), (found[path][0], found[path][1] if whole else 0), path)
            self.assertEqual(self.values(first), self.values(second))

    def test_processors_that_say_the_same_are_one_line(self):
        text = self.record(self.folder_of(os.path.join(TREES, "server2s.tree")))
        self.assertIn("\n/sys/devices/system/cpu/cpu{0-3}/topology/physical_package_id 0444 | 0\n", text)
        self.assertIn("\n/sys/devices/system/cpu/cpufreq/policy{0-7}/affected_cpus 0444 | @\n", text)

    def test_it_says_what_was_refused(self):
        name, folder, module = "/sys/devices/system/edac/mc/mc0/ce_count", self.folder_of(REST), recorder()
        root = os.geteuid() == 0
        mode = 0o400 if root else 0o040
        os.chmod(folder + name, mode)
        if root:
            os.seteuid(NOBODY)
        try:
            lines = [f"{path} {text}" for path, text in module.record(folder, True)]
        finally:
            if root:
                os.seteuid(0)
        self.assertIn(f"{name} {mode:04o} refused", lines)
        again = files_below(self.folder_of("\n".join(lines) + "\n"))
        self.assertEqual(again[name][0], mode)

    def test_it_says_what_could_not_be_read(self):
        text = self.record(self.folder_of(REST))
        self.assertRegex(text, r"\n/sys/class/hwmon/hwmon0/temp1_input 0[0-7]{3} error EIO\n")

    def test_it_tells_nobodys_name(self):
        folder = self.folder_of(SOMEBODYS)
        text = self.record(folder)
        self.assertEqual([secret for secret in SECRETS if secret in text], [])
        whole = self.record(folder, "--unmasked")
        self.assertEqual([secret for secret in SECRETS[:-1] if secret not in whole], [])

    def test_what_is_masked_means_the_same(self):
        folder = self.folder_of(SOMEBODYS)
        before, after = self.values(folder), self.values(self.folder_of(self.record(folder)))
        changed = [(one, two) for one, two in zip(before, after, strict=True) if one != two]
        self.assertEqual(changed, [("device.serial PF2ABCDE-77", "device.serial XX1XXXXX-11"),
                                   ("device.brand made for annas-laptop", "device.brand made for host"),
                                   ("firmware[0].version 12345678-1234-5678-9abc-123456789abc",
                                    "firmware[0].version 00000000-0000-0000-0000-000000000000")])
        self.assertIn("memory[0].free 200000", after)

    def test_fillers_of_serial_numbers_are_sysmans(self):
        with open(os.path.join(ROOT, "src/backend/cpu/sysman/whole.c"), encoding="utf-8") as file:
            table = re.search(r"fillers\[\] = \{(.*?)\}", file.read(), re.S)[1]
        self.assertEqual(set(re.findall(r'"([^"]*)"', table)), set(recorder().FILLERS))

    def test_this_machine_can_be_recorded(self):
        text = self.run_tool(sys.executable, SCRIPT, "-")
        here, there = self.values("/"), self.values(self.folder_of(text))
        model = [line for line in here if line.startswith("device.model")]
        self.assertEqual(model, [line for line in there if line.startswith("device.model")])
        names = re.compile(r"\w+\[\d+\]\.name (?!kernels$|copies$)")  # but for the census'
        self.assertEqual([line for line in here if names.match(line)], [line for line in there if names.match(line)])


if __name__ == "__main__":
    unittest.main()
