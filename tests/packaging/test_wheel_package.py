#!/usr/bin/env python3
"""The Python package does what docs/user/install.md says: its command, and geoid.activate.

Usage: test_wheel_package.py CC. The libraries are those of wheel_tree.py, which only say that they
were called.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import unittest
import zipfile

import wheel_tree
from wheel_tree import CLEAN, Tree, library, wheel, write

setUpModule = wheel_tree.module_set_up


class Package(Tree):
    """The package, unpacked as pip does, in a folder whose name shells would take apart."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.site = os.path.join(cls.base, "it's a $folder!")
        with zipfile.ZipFile(cls.path) as archive:
            for entry in archive.infolist():
                os.chmod(archive.extract(entry, cls.site), entry.external_attr >> 16 & 0o777)
        cls.lib = os.path.join(os.path.realpath(cls.site), "geoid", "lib")
        cls.fake = os.path.join(cls.base, "fake")
        library(f"{cls.fake}/libze_loader.so.1", "int zeInit(int flags) { return flags - 1; }")
        library(
            f"{cls.fake}/libur_adapter_level_zero_v2.so.0", "int urAdapterGet(void) { return 0; }"
        )

    def python(self, *words, **environment):
        return subprocess.run(
            [sys.executable, *words],
            capture_output=True,
            text=True,
            check=False,
            env=CLEAN | {"PYTHONPATH": self.site} | environment,
        )

    def geoid(self, *words, **environment):
        return self.python("-m", "geoid", *words, **environment)

    def code(self, text, **environment):
        done = self.python("-c", "import ctypes, os, sys\nimport geoid\n" + text, **environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""), text)
        return done.stdout

    # -- the command --

    def test_run_starts_a_program(self):
        done = self.geoid(
            "run",
            sys.executable,
            "-c",
            "import ctypes, sys; print(ctypes.CDLL('libze_loader.so.1').zeInit(1)); sys.exit(5)",
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (5, "8\n", ""))
        done = self.geoid("run", "/nowhere/program")
        self.assertEqual(done.returncode, 127)

    def test_run_keeps_signals_as_they_were(self):
        done = self.geoid("run", "sh", "-c", "grep SigIgn /proc/self/status")
        ignored = int(done.stdout.split()[1], 16)
        self.assertFalse(
            ignored >> (signal.SIGPIPE - 1) & 1 or ignored >> (signal.SIGXFSZ - 1) & 1
        )

    def test_tools_start(self):
        done = self.geoid("zeinfo", "a b", "--list")
        self.assertEqual(
            (done.returncode, done.stdout),
            (0, f"{os.path.dirname(self.lib)}/bin/zeinfo 3 7 42 <a b> <--list>\n"),
        )
        self.assertEqual(self.geoid("zetop", "9").returncode, 9)
        self.assertEqual(self.geoid("ocloc", "x").stdout, "ocloc 2 7 42 <x>\n")
        self.assertRegex(self.geoid("check").stdout, "zeinfo 2 7 42 <--check>")
        done = self.geoid("zedbg")
        self.assertEqual(
            (done.returncode, done.stderr), (127, "geoid: zedbg is not part of this package\n")
        )

    def test_commands_have_the_names_of_the_tools(self):
        script = f"{self.folder}/zetop"
        write(
            script,
            f"#!{sys.executable}\nimport sys\nfrom geoid.__main__ import tool\nsys.exit(tool())\n",
            0o755,
        )
        done = subprocess.run(
            [script, "q"],
            env=CLEAN | {"PYTHONPATH": self.site},
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        self.assertEqual(done.stdout, f"{os.path.dirname(self.lib)}/bin/zetop 2 7 42 <q>\n")

    def test_a_tool_that_cannot_start_says_so(self):
        shutil.copytree(self.site, f"{self.folder}/site")
        os.chmod(f"{self.folder}/site/geoid/bin/zeinfo", 0o644)
        done = self.geoid("zeinfo", PYTHONPATH=f"{self.folder}/site")
        self.assertEqual(done.returncode, 126)
        self.assertRegex(done.stderr, "^geoid: cannot start .*/bin/zeinfo: Permission denied\n$")

    def test_wrong_commands_are_refused(self):
        for words in (
            (),
            ("strange",),
            ("libraries", "more"),
            ("env", "--strange"),
            ("env", "--sh", "--csh"),
        ):
            done = self.geoid(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertTrue(done.stderr)

    def test_folders_and_version_are_printed(self):
        self.assertEqual(self.geoid("libraries").stdout, f"{self.lib}\n")
        with open(
            self.geoid("include").stdout.strip() + "/level_zero/ze_api.h", encoding="utf-8"
        ) as file:
            self.assertIn("zeInit", file.read())
        self.assertTrue(os.path.exists(self.geoid("modules").stdout.strip() + "/ze.py"))
        laptop = self.geoid("examples").stdout.strip() + "/simulated/laptop.json"
        self.assertTrue(os.path.exists(laptop))
        self.assertEqual(self.geoid("--version").stdout, f"geoid {wheel.versions.release()}\n")
        self.assertIn("usage: geoid", self.geoid("--help").stdout)
        self.assertEqual(
            self.code("print(geoid.__version__, geoid.libraries())"),
            f"{wheel.versions.release()} {self.lib}\n",
        )

    def test_a_reader_that_has_gone_is_no_trouble(self):
        done = subprocess.run(
            ["sh", "-c", '"$0" -m geoid --help | true; exit 0', sys.executable],
            capture_output=True,
            text=True,
            check=False,
            env=CLEAN | {"PYTHONPATH": self.site, "PYTHONUNBUFFERED": "1"},
        )
        self.assertEqual(done.stderr, "")

    # -- variables --

    def started(self, shell, **environment):
        """Returns the variables that a command leaves in the environment of a program."""
        done = subprocess.run(
            [*shell, "env", "-0"], env=environment, stdout=subprocess.PIPE, check=True
        )
        found = dict(part.split("=", 1) for part in done.stdout.decode().split("\0") if part)
        return {
            name: value
            for name, value in found.items()
            if name not in ("_", "PWD", "SHLVL", "OLDPWD")
        }

    def test_variables_are_those_of_geoid_run(self):
        base = {"PATH": os.environ["PATH"]}
        for user in (
            {},
            {"LD_LIBRARY_PATH": "/a:/b"},
            {"ZE_ENABLE_ALT_DRIVERS": "mine.so", "ZEL_LIBRARY_PATH": "/c"},
            {"OCL_ICD_VENDORS": "/d"},
            {"OCL_ICD_FILENAMES": "e.so", "ZE_ENABLE_ALT_DRIVERS": ""},
            {"LD_LIBRARY_PATH": ""},
        ):
            wanted = self.started([f"{self.site}/geoid/bin/geoid-run"], **base, **user)
            changes = json.loads(
                self.code(f"import json; print(json.dumps(geoid.variables({user!r})))")
            )
            self.assertEqual(base | user | changes, wanted, user)

    def test_env_sets_variables_in_shells(self):
        base = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": self.site,
            "PYTHONDONTWRITEBYTECODE": "1",
            "LD_LIBRARY_PATH": "/a:/b",
        }
        wanted = self.started([f"{self.site}/geoid/bin/geoid-run"], **base)
        found = self.started(
            ["sh", "-c", 'eval "$("$0" -m geoid env)"; exec "$@"', sys.executable], **base
        )
        self.assertEqual(found, wanted)
        if shutil.which("fish"):
            text = f"{sys.executable} -m geoid env --fish | source; exec env -0"
            found = self.started(["fish", "-c", text], **base)
            self.assertLessEqual(wanted.items(), found.items())

    def test_env_has_other_forms(self):
        values = json.loads(self.geoid("env", "--json").stdout)
        self.assertEqual(values["LD_LIBRARY_PATH"], self.lib)
        self.assertIn(f"ZEL_LIBRARY_PATH={self.lib}\n", self.geoid("env", "--github").stdout)
        quoted = self.lib.replace("'", "'\\''").replace("!", "\\!")
        self.assertIn(f"setenv ZEL_LIBRARY_PATH '{quoted}'\n", self.geoid("env", "--csh").stdout)
        quoted = self.lib.replace("'", "\\'")
        self.assertIn(f"set -gx ZEL_LIBRARY_PATH '{quoted}'\n", self.geoid("env", "--fish").stdout)
        self.assertIn(
            "LD_LIBRARY_PATH<<END_\n" + self.lib + ":/a\nEND\n/b\nEND_\n",
            self.geoid("env", "--github", LD_LIBRARY_PATH="/a\nEND\n/b").stdout,
        )

    def test_no_path_is_added_twice(self):
        self.assertEqual(
            json.loads(self.geoid("env", "--json", LD_LIBRARY_PATH=f"{self.lib}:/a").stdout)[
                "LD_LIBRARY_PATH"
            ],
            f"{self.lib}:/a",
        )

    # -- activate --

    LOADS = "print(ctypes.CDLL('libze_loader.so.1').zeInit(0))\n"

    def test_activate_loads_geoid(self):
        self.assertNotEqual(
            self.python("-c", "import ctypes; ctypes.CDLL('libgeoid_opencl.so.1')").returncode, 0
        )
        text = (
            "geoid.activate()\n" + self.LOADS + "print(ctypes.CDLL(None).zeInit(3))\n"
            "print(ctypes.CDLL('libgeoid_opencl.so.1').clIcdNumber())\n"
            "print(hasattr(ctypes.CDLL(None), 'clIcdNumber'))\n"
            "print(all(os.environ[name] == value for name, value in geoid.variables().items()))\n"
            "print(os.environ['ZE_ENABLE_ALT_DRIVERS'])\n"
        )
        self.assertEqual(self.code(text), f"7\n10\n3\nFalse\nTrue\n{self.lib}/libze_geoid.so.1\n")

    def test_activate_sets_the_variables_of_c(self):
        text = (
            "geoid.activate()\nget = ctypes.CDLL(None).getenv\nget.restype = ctypes.c_char_p\n"
            "print(get(b'ZE_ENABLE_ALT_DRIVERS').decode())"
        )
        self.assertEqual(self.code(text), f"{self.lib}/libze_geoid.so.1\n")

    def test_activate_reaches_later_processes(self):
        text = (
            "geoid.activate()\nimport subprocess\nsys.stdout.flush()\n"
            "child = 'import ctypes; print(ctypes.CDLL(\"libze_loader.so.1\").zeInit(1))'\n"
            "subprocess.run([sys.executable, '-c', child])"
        )
        self.assertEqual(self.code(text), "8\n")

    def test_activate_twice_changes_nothing(self):
        self.assertEqual(
            self.code(
                "geoid.activate()\nbefore = dict(os.environ)\n"
                "geoid.activate()\nprint(before == dict(os.environ))\n" + self.LOADS
            ),
            "True\n7\n",
        )

    def test_activate_in_a_child_of_fork(self):
        for before in ("geoid.activate()", "pass"):
            text = (
                before
                + "\nif os.fork() == 0:\n    geoid.activate()\n    "
                + self.LOADS
                + "    sys.stdout.flush()\n    os._exit(0)\nos.wait()"
            )
            self.assertEqual(self.code(text), "7\n")

    def test_activate_keeps_what_the_user_chose(self):
        text = (
            "geoid.activate()\n"
            "print(os.environ['ZE_ENABLE_ALT_DRIVERS'], os.environ.get('OCL_ICD_VENDORS'))\n"
            + self.LOADS
            + "try:\n    ctypes.CDLL('libgeoid_opencl.so.1')\n"
            "except OSError:\n    print('not loaded')"
        )
        self.assertEqual(
            self.code(text, ZE_ENABLE_ALT_DRIVERS="mine.so", OCL_ICD_FILENAMES="other.so"),
            "mine.so None\n7\nnot loaded\n",
        )
        self.assertEqual(
            self.code(text, ZE_ENABLE_ALT_DRIVERS="mine.so", OCL_ICD_VENDORS="/d"),
            "mine.so /d\n7\nnot loaded\n",
        )

    def test_activate_under_geoid_run(self):
        done = self.geoid(
            "run",
            sys.executable,
            "-c",
            "import ctypes, os, geoid\n"
            "ctypes.CDLL('libze_loader.so.1')\nbefore = dict(os.environ)\n"
            "geoid.activate()\nprint(before == dict(os.environ))",
        )
        self.assertEqual((done.stdout, done.stderr), ("True\n", ""))

    def refuses(self, before):
        text = (
            f"{before}\nold = dict(os.environ)\n"
            "try:\n    geoid.activate()\nexcept RuntimeError as error:\n    print(error)\n"
            "print(old == dict(os.environ))"
        )
        lines = self.code(text).splitlines()
        self.assertEqual(len(lines), 2, lines)
        self.assertEqual(lines[1], "True")
        self.assertIn("geoid run PROGRAM", lines[0])
        return lines[0]

    def test_activate_refuses_another_loader(self):
        path = f"{self.fake}/libze_loader.so.1"
        self.assertIn(
            f"another loader is loaded already: {path}", self.refuses(f"ctypes.CDLL({path!r})")
        )

    def test_activate_refuses_when_sycl_has_searched(self):
        path = f"{self.fake}/libur_adapter_level_zero_v2.so.0"
        self.assertIn(
            f"SYCL has already searched for devices ({path} is loaded)",
            self.refuses(f"ctypes.CDLL({path!r})"),
        )
        # With Geoid's loader SYCL has found Geoid.
        self.assertEqual(
            self.code(f"geoid.activate()\nctypes.CDLL({path!r})\ngeoid.activate()\n" + self.LOADS),
            "7\n",
        )

    def test_activate_says_that_a_library_is_missing(self):
        shutil.copytree(self.site, f"{self.folder}/site")
        os.unlink(f"{self.folder}/site/geoid/lib/libze_loader.so.1")
        done = self.python("-c", "import geoid; geoid.activate()", PYTHONPATH=f"{self.folder}/site")
        self.assertRegex(
            done.stderr,
            r"OSError: geoid.activate: .*/libze_loader.so.1 is missing: install geoid again\n$",
        )


if __name__ == "__main__":
    unittest.main()
