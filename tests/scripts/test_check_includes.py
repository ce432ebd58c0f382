"""scripts/check_includes.py finds every kind of violation, and nothing in what is allowed."""
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "check_includes.py")


class CheckIncludes(unittest.TestCase):
    def check(self, files):
        """Runs the script on a tree of {path: text}; its exit status and output."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as stream:
                    stream.write(text)
            done = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    headers = {"src/base/log.h": "", "src/backend/backend.h": "", "src/backend/cpu/cpu.h": "",
               "src/native/abi.h": "", "src/compiler/compiler.h": "", "src/driver/core/device.h": "",
               "src/driver/mem/memory.h": "", "src/driver/program/module.h": "", "src/driver/cmd/list.h": "",
               "src/driver/api/vendor.h": "", "src/compiler/lower/lower.h": "", "src/compiler/lower/machine.h": "",
               "src/compiler/lower/memory/atomic.h": "", "src/compiler/lower/cpu/frame/frame.h": "", "include/level_zero/ze_api.h": ""}

    def assert_allowed(self, path, *includes):
        status, output = self.check({**self.headers, path: "".join(f"#include {i}\n" for i in includes)})
        self.assertEqual(status, 0, output)

    def assert_refused(self, path, include):
        status, output = self.check({**self.headers, path: f"\n#  include {include}\n"})
        self.assertEqual(status, 1, f"{path} may include {include}")
        self.assertIn(f"{path}:2: ", output)

    def test_allowed(self):
        self.assert_allowed("src/driver/core/device.c", '"device.h"', '"base/log.h"', '"backend/backend.h"',
                            "<level_zero/ze_api.h>", "<stdio.h>")
        self.assert_allowed("src/driver/program/module.c", '"driver/mem/memory.h"', '"compiler/compiler.h"')
        self.assert_allowed("src/driver/api/ze/list.c", '"driver/cmd/list.h"', '"driver/program/module.h"')
        self.assert_allowed("src/backend/cpu/cpu.c", '"backend/cpu/cpu.h"', '"native/abi.h"', "<sched.h>")
        self.assert_allowed("src/compiler/codegen/emit.c", "<llvm-c/Core.h>", '"compiler/lower/lower.h"')
        self.assert_allowed("src/compiler/lower/memory/atomic.c", '"compiler/lower/machine.h"')
        self.assert_allowed("src/compiler/lower/cpu/frame/ids.c", '"compiler/lower/memory/atomic.h"', '"native/abi.h"')
        self.assert_allowed("tools/zeinfo/main.c", "<level_zero/ze_api.h>")

    def test_refused(self):
        self.assert_refused("src/driver/core/device.c", '"backend/cpu/cpu.h"')  # a concrete backend
        self.assert_refused("src/backend/cpu/topology.c", "<hwloc.h>")  # opens libraries that variables choose
        self.assert_refused("src/driver/cmd/list.c", '"driver/api/vendor.h"')  # upwards
        self.assert_refused("src/driver/program/module.c", '"driver/cmd/list.h"')
        self.assert_refused("src/driver/mem/memory.c", '"driver/program/module.h"')
        self.assert_refused("src/driver/program/kernel_launch.c", '"native/abi.h"')  # the CPU's contract
        self.assert_refused("src/driver/core/device.c", '"driver/mem/memory.h"')
        self.assert_refused("src/driver/core/device.c", '"compiler/compiler.h"')
        self.assert_refused("src/driver/mem/memory.c", '"compiler/lower/lower.h"')
        self.assert_refused("src/loader/init.c", '"driver/core/device.h"')
        self.assert_refused("src/loader/init.c", '"../driver/core/device.h"')  # by another path
        self.assert_refused("src/base/log.c", '"backend/backend.h"')
        self.assert_refused("src/compiler/spirv/reader.c", "<llvm-c/Core.h>")
        self.assert_refused("src/compiler/analysis/shape.c", '"compiler/lower/lower.h"')
        self.assert_refused("src/compiler/lower/memory/atomic.c", '"compiler/lower/cpu/frame/frame.h"')  # a machine
        self.assert_refused("src/compiler/lower/module.c", '"compiler/lower/cpu/frame/frame.h"')
        self.assert_refused("src/compiler/lower/memory/atomic.c", '"native/abi.h"')  # the CPU's calling contract
        self.assert_refused("src/compiler/analysis/ranges.c", '"native/abi.h"')  # the CPU's contract
        self.assert_refused("src/driver/api/api.c", "<cuda.h>")
        self.assert_refused("tools/zeinfo/main.c", '"base/log.h"')
        self.assert_refused("tests/api/test_device.c", '"driver/core/device.h"')

    def test_circle_of_folders(self):
        files = {"src/backend/cpu/x.h": "", "src/exec/job/y.h": "", "src/backend/cpu/x.c": '#include "exec/job/y.h"\n'}
        self.assertEqual(self.check(files)[0], 0)
        files["src/exec/job/y.c"] = '#include "backend/cpu/x.h"\n'
        status, output = self.check(files)
        self.assertEqual(status, 1)
        self.assertIn("src/backend/cpu/x.c:1: src/backend/cpu includes src/exec/job, which comes back", output)
        self.assertIn("src/exec/job/y.c:1: src/exec/job includes src/backend/cpu, which comes back", output)

    def test_folder_without_rule(self):
        status, output = self.check({"src/new/thing.c": ""})
        self.assertEqual(status, 1)
        self.assertIn("no rule for this folder", output)


if __name__ == "__main__":
    unittest.main()
