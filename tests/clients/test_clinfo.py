#!/usr/bin/env python3
"""What clinfo (Debian) shows of the OpenCL driver, compared with zeinfo: usage: test_clinfo.py BUILD

Skipped if clinfo is missing."""
import json
import os
import shutil
import subprocess
import sys
import unittest

BUILD = sys.argv.pop()


def read(*command):
    done = subprocess.run([os.path.join(BUILD, "bin", "geoid-run"), *command], capture_output=True, text=True, check=True)
    return done.stdout


def devices(text):
    """Returns one {name of a query: value} per device."""
    found = {}
    for line in text.splitlines():
        words = line.split(None, 2)
        if len(words) >= 2 and words[0].startswith("[") and words[1].startswith("CL_") and not words[0].endswith("*]"):
            found.setdefault(words[0], {})[words[1]] = words[2] if len(words) > 2 else ""
    return list(found.values())


class Clinfo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shown = devices(read("clinfo", "--raw"))
        drivers = json.loads(read(os.path.join(BUILD, "bin", "zeinfo"), "--json"))["drivers"]
        cls.expected = [device["properties"] for driver in drivers for device in driver.get("devices", [])]

    def test_devices_are_those_of_level_zero(self):
        self.assertEqual(len(self.shown), len(self.expected))
        for shown, expected in zip(self.shown, self.expected):
            self.assertEqual(shown["CL_DEVICE_NAME"], expected["name"])
            self.assertEqual(int(shown["CL_DEVICE_VENDOR_ID"], 16), int(expected["vendorId"], 16))
            self.assertEqual(shown["CL_DEVICE_UUID_KHR"].replace("-", ""), expected["uuid"])
            self.assertEqual(shown["CL_DEVICE_TYPE"], f"CL_DEVICE_TYPE_{expected['type']}")
            self.assertEqual(int(shown["CL_DEVICE_MAX_CLOCK_FREQUENCY"]), expected["coreClockRate"])
            self.assertEqual(int(shown["CL_DEVICE_MAX_MEM_ALLOC_SIZE"]), expected["maxMemAllocSize"])

    def test_both_lists_of_extensions_agree(self):
        for shown in self.shown:
            names = shown["CL_DEVICE_EXTENSIONS"].split()
            versions = [pair.split(":")[0] for pair in shown["CL_DEVICE_EXTENSIONS_WITH_VERSION"].split()]
            self.assertEqual(names, versions)
            self.assertIn("cl_khr_command_buffer", names)

    def test_no_query_fails(self):
        for shown in self.shown:
            self.assertEqual([], [name for name, value in shown.items() if "error" in value.lower() or "<" in value])


if __name__ == "__main__":
    if not shutil.which("clinfo"):
        print("clinfo is missing (scripts/deps installs it)")
        sys.exit(77)
    unittest.main(verbosity=2)
