#!/usr/bin/env python3
"""as_machine.py on the recorded machines: usage: test_as_machine.py BUILD TREES"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TREES = pathlib.Path(sys.argv.pop())
BUILD = sys.argv.pop()
ZONE = "/sys/class/powercap/intel-rapl:0/"
POLICY = "/sys/devices/system/cpu/cpufreq/policy1/"


def run(tree, script, **environment):
    return subprocess.run([sys.executable, os.path.join(HERE, "as_machine.py"), BUILD, str(TREES / f"{tree}.tree"), "sh", "-c", script],
                          capture_output=True, text=True, check=False, env={**os.environ, **environment})


class AsMachine(unittest.TestCase):
    def said(self, tree, script):
        done = run(tree, script)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split("\n")[:-1]

    def test_files_are_those_of_the_tree(self):
        self.assertEqual(self.said("laptop", f"cat {ZONE}name {POLICY}affected_cpus; grep name /proc/cpuinfo"),
                         ["package-0", "1", "model name\t: 11th Gen Intel(R) Core(TM) i7-1185G7 @ 3.00GHz"])
        size = self.said("laptop", "stat -c %a-%s /sys/firmware/dmi/entries/17-0/raw")
        self.assertEqual(size, ["400-40"])

    def test_processors_stay_those_of_the_machine(self):
        online = pathlib.Path("/sys/devices/system/cpu/online").read_text(encoding="ascii").split()
        self.assertEqual(self.said("server2s", "cat /sys/devices/system/cpu/online"), online)

    def test_energy_rises_and_clocks_follow_their_range(self):
        script = f"""cd {POLICY}; first=$(cat {ZONE}energy_uj); echo 2000000 > scaling_min_freq
            until [ $(cat scaling_cur_freq) = 2000000 ] && [ $(cat {ZONE}energy_uj) -gt $first ]; do sleep 0.01; done; echo seen"""
        self.assertEqual(self.said("laptop", script), ["seen"])

    def test_a_request_follows_the_range_too(self):
        script = f"cd {POLICY}; echo 1600000 > scaling_max_freq; until [ $(cat scaling_setspeed) = 1600000 ]; do sleep 0.01; done"
        self.assertEqual(self.said("server2s", script), [])

    def test_nothing_is_changed_outside(self):
        before = os.listdir("/sys/class")
        with tempfile.TemporaryDirectory() as folder:
            done = run("laptop", f"echo 1 > {ZONE}enabled; : > /dev/shm/geoid-test-as-machine", TMPDIR=folder)
            self.assertEqual((done.returncode, os.listdir(folder)), (0, []), done.stderr)
        self.assertEqual(os.listdir("/sys/class"), before)
        self.assertFalse(os.path.exists("/dev/shm/geoid-test-as-machine"))

    def test_the_status_is_the_commands(self):
        self.assertEqual(run("vm", "exit 7").returncode, 7)


if __name__ == "__main__":
    if run("vm", "true").returncode == 77:
        sys.exit(77)
    unittest.main()
