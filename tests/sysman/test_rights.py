#!/usr/bin/env python3
"""Who may what, by the system's own files: sysman's answers, zetop and zeinfo as root and as somebody who owns nothing, over this machine's
/sys and over trees that are mounted in its place, also without any and read-only, each in a mount name space of its own.

Usage: test_rights.py BUILD; skipped (77) for who may not mount.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
TREES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "sysman")
ASKER, WALK = (os.path.join(BUILD, "tests", name) for name in ("sysman_asker", "sysman_walk"))
ZETOP, ZEINFO = (os.path.join(BUILD, "bin", name) for name in ("zetop", "zeinfo"))
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]
SUCCESS, REFUSED, UNSUPPORTED, UNAVAILABLE = 0, 0x70010000, 0x78000003, 0x70010001
MOUNTS = {"bind": 'mount --bind "$TREE/sys" /sys', "none": "mount -t tmpfs none /sys",
          "read-only": 'mount --bind "$TREE/sys" /sys && mount -o remount,bind,ro /sys', "own": "true"}
ENERGY = "/sys/class/powercap/intel-rapl:0/energy_uj"


def environment(tree):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ZE_", "ZES_", "ZEL_", "GEOID_", "LC_"))}
    return {**kept, "TREE": tree, "LC_ALL": "C.UTF-8", "GEOID_NVIDIA": "off", "GEOID_DEVICES": "1",
            "ZE_ENABLE_ALT_DRIVERS": os.path.join(BUILD, "lib", "libze_geoid.so.1")}


def run(how, *command, tree="", nobody=False):
    """In a name space where /sys is what `how` says."""
    words = ["unshare", "--mount", "sh", "-c", MOUNTS[how] + ' && exec "$@"', "sh", *(NOBODY if nobody else []), *command]
    return subprocess.run(words, capture_output=True, text=True, timeout=300, env=environment(tree), check=False)


class Rights(unittest.TestCase):
    def setUp(self):
        self.folders = []

    def tearDown(self):
        for folder in self.folders:
            shutil.rmtree(folder)

    def tree(self, name):
        """A folder with a fixture's files, which others may enter."""
        folder = tempfile.mkdtemp(prefix="geoid-rights-")
        os.chmod(folder, 0o755)
        self.folders.append(folder)
        subprocess.run([WALK, "--write", folder, os.path.join(TREES, name + ".tree")], check=True)
        return folder

    def answers(self, how, tree="", nobody=False, change=True):
        """what -> (result, value or text)"""
        done = run(how, ASKER, *(["--set"] if change else []), tree=tree, nobody=nobody)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.findall(r"^(\S+) (0x[0-9a-f]+) ?(.*)$", done.stdout, re.M)
        return {what: (int(result, 16), text) for what, result, text in found}

    def expect(self, answer, result, text=""):
        self.assertEqual(answer[0], result, answer)
        self.assertIn(text, answer[1])

    def number(self, tree, path):
        with open(tree + path, encoding="utf-8") as file:
            return int(file.read())

    def test_root_reads_and_sets(self):
        tree = self.tree("laptop")
        energy, limit = self.number(tree, ENERGY), self.number(tree, "/sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw")
        found = self.answers("bind", tree)
        self.expect(found["power[0].energy"], SUCCESS, str(energy))
        self.expect(found["power[0].set"], SUCCESS)
        self.expect(found["frequency[0].set"], SUCCESS)
        self.assertEqual(self.number(tree, "/sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw"), limit + 1000000)

    # SYC-30
    def test_others_are_told_the_file(self):
        found = self.answers("bind", self.tree("laptop"), nobody=True)
        self.expect(found["power[0].energy"], REFUSED, ENERGY + ": Permission denied")
        self.expect(found["power[0].control"], SUCCESS, "1")
        self.expect(found["power[0].limit"], SUCCESS)
        self.expect(found["power[0].set"], REFUSED, "/sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw")
        self.expect(found["frequency[0].set"], REFUSED, "/sys/devices/system/cpu/cpufreq/policy0/scaling_")
        self.expect(found["fan[0].set"], REFUSED, "/sys/class/hwmon/hwmon5/pwm1_enable")
        for what in ("power[0].limit", "frequency[0].state", "temperature[0].state", "fan[0].state", "memory[0].state"):
            self.expect(found[what], SUCCESS)
        self.expect(found["device[0].ecc"], UNSUPPORTED, "no error correction")
        self.expect(found["memory[0].bandwidth"], UNSUPPORTED, "counters")

    def test_counts_of_errors_are_not_everybodys_to_clear(self):
        tree = self.tree("server2s")
        found = self.answers("bind", tree, nobody=True)
        self.expect(found["ras[0].state"], SUCCESS)
        self.expect(found["ras[0].set"], REFUSED, "/sys/devices/system/edac/mc/mc0/reset_counters")
        self.expect(found["device[0].ecc"], SUCCESS)
        self.expect(self.answers("bind", tree)["ras[0].set"], SUCCESS)

    def test_what_is_mounted_read_only_is_read(self):
        tree = self.tree("laptop")
        before = self.number(tree, "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq")
        found = self.answers("read-only", tree)
        self.expect(found["power[0].energy"], SUCCESS, str(self.number(tree, ENERGY)))
        self.expect(found["power[0].control"], SUCCESS, "1")
        self.expect(found["power[0].set"], REFUSED, "constraint_0_power_limit_uw: Read-only file system")
        self.expect(found["frequency[0].set"], REFUSED, "/sys/devices/system/cpu/cpufreq/policy0/scaling_")
        self.assertEqual(self.number(tree, "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq"), before)

    def test_without_sys_there_is_what_proc_tells(self):
        for nobody in (False, True):
            found = self.answers("none", nobody=nobody)
            self.assertEqual([what for what in found if what.startswith(("power", "frequency", "temperature", "fan", "ras"))], [])
            self.expect(found["device[0].ecc"], UNSUPPORTED, "no error correction")
            self.expect(found["memory[0].bandwidth"], UNSUPPORTED)
            self.expect(found["memory[0].state"], SUCCESS)
            self.expect(found["engine[0].activity"], SUCCESS)

    def test_this_machine_answers_anybody(self):
        for nobody in (False, True):
            found = self.answers("own", nobody=nobody, change=False)
            self.assertGreater(len(found), 3)
            for what, (result, text) in found.items():
                self.assertIn(result, (SUCCESS, REFUSED, UNSUPPORTED, UNAVAILABLE), what)
                self.assertNotEqual(text, "", what)

    def test_zetop_tells_what_is_refused(self):
        tree = self.tree("laptop")
        done = run("bind", ZETOP, "--batch", "--delay", "0.1", "--format", "text", tree=tree, nobody=True)
        self.assertEqual(done.returncode, 0)
        self.assertIn(ENERGY + ": Permission denied", done.stderr)
        self.assertRegex(done.stdout, rf"refused +power: error_insufficient_permissions: .*{re.escape(ENERGY)}")
        self.assertNotIn("energy ", done.stdout)
        self.assertIn("limit sustained 28.0 W", done.stdout)
        done = run("bind", ZETOP, "--batch", "--delay", "0.1", "--format", "text", tree=tree)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("energy ", done.stdout)

    def test_programs_work_for_anybody_and_over_any_sys(self):
        tree = self.tree("laptop")
        for how in MOUNTS:
            for nobody in (False, True):
                for command in ([ZETOP, "--batch", "--delay", "0.1", "--format", "json"], [ZEINFO]):
                    done = run(how, *command, tree=tree, nobody=nobody)
                    self.assertEqual(done.returncode, 0, (how, nobody, command, done.stderr))
                    self.assertNotEqual(done.stdout, "")


def possible():
    """Whether this process may mount, and somebody else start what was built."""
    return all(shutil.which(name) for name in ("unshare", "setpriv")) and run("none", ZEINFO, "--version", nobody=True).returncode == 0


if __name__ == "__main__":
    if not possible():
        print("skipped: it takes root, mount name spaces and a build folder that everybody may enter")
        sys.exit(77)
    unittest.main()
