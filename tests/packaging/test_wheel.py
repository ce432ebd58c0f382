#!/usr/bin/env python3
"""packaging/wheel makes a correct wheel of a small installed tree, and refuses others.

Usage: test_wheel.py CC
"""

import base64
import csv
import email
import hashlib
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import unittest
import unittest.mock
import zipfile

import wheel_tree
from wheel_tree import CLEAN, Tree, bundled, compile_c, elf, library, spdx, tool_make, wheel

setUpModule = wheel_tree.module_set_up


class Archive(Tree):
    def test_the_same_tree_gives_the_same_bytes(self):
        prefix = self.copied()
        for folder, _, names in os.walk(prefix):
            for name in names:
                os.utime(os.path.join(folder, name), (1, 2), follow_symlinks=False)
        os.chmod(os.path.join(prefix, "include/level_zero/ze_api.h"), 0o600)
        other = self.build(prefix, os.path.join(self.folder, "out")).stdout.strip()
        self.assertEqual(os.path.basename(other), os.path.basename(self.path))
        with open(self.path, "rb") as first, open(other, "rb") as second:
            self.assertEqual(
                hashlib.sha256(first.read()).digest(), hashlib.sha256(second.read()).digest()
            )

    def test_record_states_every_file(self):
        with zipfile.ZipFile(self.path) as archive:
            names = archive.namelist()
            own = next(name for name in names if name.endswith(".dist-info/RECORD"))
            rows = list(csv.reader(io.StringIO(archive.read(own).decode())))
            self.assertEqual(sorted(row[0] for row in rows), sorted(names))
            for name, digest, size in rows:
                data = archive.read(name)
                if name == own:
                    self.assertEqual((digest, size), ("", ""))
                else:
                    text = (
                        base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
                    )
                    self.assertEqual((digest, size), (f"sha256={text}", str(len(data))))

    def test_entries_have_fixed_times_and_modes(self):
        with zipfile.ZipFile(self.path) as archive:
            entries = archive.infolist()
        self.assertEqual({entry.date_time for entry in entries}, {(2020, 9, 13, 12, 26, 40)})
        programs = {entry.filename for entry in entries if entry.external_attr >> 16 == 0o100755}
        self.assertEqual({entry.external_attr >> 16 for entry in entries}, {0o100755, 0o100644})
        self.assertEqual(
            programs,
            {f"geoid/bin/{name}" for name in ("geoid-run", "zeinfo", "zetop", "geoidc")}
            | {"geoid/lib/geoid/geoid-build"},
        )

    def test_libraries_have_the_one_name_by_which_they_are_needed(self):
        with zipfile.ZipFile(self.path) as archive:
            names = [name for name in archive.namelist() if name.startswith("geoid/lib/libze_")]
        self.assertEqual(
            sorted(map(os.path.basename, names)),
            [
                "libze_geoid.so.1",
                "libze_geoid.so.1-gdb.py",
                "libze_loader.so.1",
                "libze_tracing_layer.so.1",
                "libze_validation_layer.so.1",
            ],
        )

    def test_metadata_is_complete(self):
        with zipfile.ZipFile(self.path) as archive:
            info = next(
                name for name in archive.namelist() if name.endswith("/METADATA")
            ).rpartition("/")[0]
            head = email.message_from_bytes(archive.read(f"{info}/METADATA"))
            tags = email.message_from_bytes(archive.read(f"{info}/WHEEL"))
            commands = archive.read(f"{info}/entry_points.txt").decode().split("\n")
            self.assertEqual(head["Name"], "geoid")
            self.assertEqual(f"geoid-{head['Version']}.dist-info", info)
            for name in head.get_all("License-File"):
                self.assertTrue(archive.read(f"{info}/licenses/{name}"))
            self.assertEqual(
                {"LICENSE", "NOTICES", "bundled/README"} - set(head.get_all("License-File")), set()
            )
            self.assertIn("LGPL-3.0-or-later", head["License-Expression"])
            self.assertIn(b"libjansson.so.4", archive.read(f"{info}/licenses/bundled/README"))
            self.assertEqual(
                archive.read(f"{info}/licenses/bundled/libjansson.so.4.txt"), b"Do what you like.\n"
            )
            self.assertIn(
                b".TH", archive.read(f"geoid-{head['Version']}.data/data/share/man/man7/geoid.7")
            )
        self.assertEqual((tags["Root-Is-Purelib"], tags["Wheel-Version"]), ("false", "1.0"))
        self.assertEqual(os.path.basename(self.path), f"geoid-{head['Version']}-{tags['Tag']}.whl")
        self.assertIn("geoid = geoid.__main__:main", commands)
        self.assertIn("zeinfo = geoid.__main__:tool", commands)
        self.assertNotIn("zedbg = geoid.__main__:tool", commands)

    def test_the_document_is_about_the_files_of_the_wheel(self):
        with zipfile.ZipFile(self.path) as archive:
            info = next(
                name for name in archive.namelist() if name.endswith("/METADATA")
            ).rpartition("/")[0]
            document = json.loads(archive.read(f"{info}/sboms/geoid.spdx.json"))
            head = email.message_from_bytes(archive.read(f"{info}/METADATA"))
        self.assertEqual(spdx.problems(document), [])
        self.assertEqual(
            {one["name"] for one in document["packages"]},
            {"geoid", "libgeoid_compiler.so.1", "zeinfo", "LLVM", "libclc", "oneAPI Level Zero"}
            | {"libelf.so.1", "libjansson.so.4"},
        )
        self.assertEqual(head["License-Expression"], document["packages"][0]["licenseConcluded"])
        self.assertIn("Spencer-94", head["License-Expression"])

    def test_a_tree_without_the_document_is_refused(self):
        prefix = os.path.join(self.folder, "prefix")
        shutil.copytree(self.prefix, prefix, symlinks=True)
        path = f"{prefix}/share/doc/geoid/geoid.spdx.json"
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"packages": []}')
        self.refused(prefix, "geoid.spdx.json")
        os.unlink(path)
        self.refused(prefix, "geoid.spdx.json: No such file or directory")

    def test_copies_have_no_debug_information(self):
        with zipfile.ZipFile(self.path) as archive, open(
            f"{self.prefix}/lib/libze_loader.so.1", "rb"
        ) as file:
            self.assertIn(b".debug_info", file.read())
            for name in archive.namelist():
                data = archive.read(name)
                self.assertFalse(elf.is_elf(data) and b".debug_info" in data, name)

    def test_source_archives_have_the_time_of_the_release(self):
        with unittest.mock.patch.object(wheel, "ROOT", self.folder):
            os.makedirs(os.path.join(self.folder, "packaging/debian"))
            path = os.path.join(self.folder, "packaging/debian/changelog")
            with open(path, "w", encoding="utf-8") as file:
                file.write(" -- A <a@b>  Sun, 13 Sep 2020 12:26:40 +0000\n")
            with unittest.mock.patch.dict(os.environ):
                os.environ.pop("SOURCE_DATE_EPOCH", None)
                self.assertEqual(wheel.time_read(), 1_600_000_000)

    def test_no_time_means_no_wheel(self):
        self.refused(self.prefix, "SOURCE_DATE_EPOCH", SOURCE_DATE_EPOCH="yesterday")

    def test_a_tree_with_another_folder_of_libraries(self):
        prefix = os.path.join(self.folder, "prefix")
        shutil.copytree(self.prefix, prefix, symlinks=True)
        os.makedirs(f"{prefix}/lib64")
        os.rename(f"{prefix}/lib", f"{prefix}/lib64/here")
        for name in ("zeinfo", "zetop", "geoidc"):
            tool_make(
                f"{prefix}/bin/{name}",
                f"{prefix}/lib64/here",
                self.others,
                rpath="$ORIGIN/../lib64/here:$ORIGIN/../lib64/here/geoid/bundled",
            )
        done = self.build(prefix, self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        with zipfile.ZipFile(done.stdout.strip()) as archive:
            self.assertIn(b'LIBDIR = "lib64/here"', archive.read("geoid/_build.py"))
            self.assertIn("geoid/lib64/here/libze_loader.so.1", archive.namelist())

    def test_an_incomplete_tree_is_refused(self):
        self.refused(self.folder, "libze_loader.so.1 is not below")
        prefix = self.copied()
        os.unlink(f"{prefix}/lib/libze_tracing_layer.so.1")
        self.refused(prefix, "libze_tracing_layer.so.1")


class Libraries(Tree):
    def test_a_library_that_systems_lack_is_refused(self):
        prefix = self.copied()
        library(f"{self.folder}/libstrange.so.3", "int strange(void) { return 0; }")
        library(
            f"{prefix}/lib/libze_validation_layer.so.1",
            "int strange(void); int f(void) { return strange(); }",
            f"-L{self.folder}",
            "-l:libstrange.so.3",
        )
        self.refused(prefix, "libze_validation_layer.so.1", "libstrange.so.3")

    def test_a_library_of_geoid_may_not_need_a_copy(self):
        prefix = self.copied()
        library(
            f"{prefix}/lib/libgeoid_compiler.so.1",
            "int json_number(void); int f(void) { return json_number(); }",
            f"-L{self.others}",
            "-l:libjansson.so.4",
            "-Wl,-rpath,$ORIGIN/geoid/bundled",
        )
        self.refused(prefix, "libgeoid_compiler.so.1", "libjansson.so.4")

    def test_a_tool_that_would_not_find_a_copy_is_refused(self):
        prefix = self.copied()
        tool_make(f"{prefix}/bin/zetop", f"{prefix}/lib", self.others, rpath="$ORIGIN/../lib")
        self.refused(prefix, "zetop", "libjansson.so.4", "RUNPATH")

    def test_a_copy_without_a_licence_is_refused(self):
        self.refused(self.prefix, "licence of libelf.so.1", licences=("libjansson.so.4",))

    def test_a_library_that_is_nowhere_is_refused(self):
        shutil.copytree(self.others, f"{self.folder}/others")
        prefix = self.copied()
        library(f"{self.folder}/libcapstone.so.4", "int cs(void) { return 0; }")
        tool_make(
            f"{prefix}/bin/zetop",
            f"{prefix}/lib",
            self.others,
            "-Wl,--no-as-needed",
            f"-L{self.folder}",
            "-l:libcapstone.so.4",
        )
        original, bundled.machine_folders = bundled.machine_folders, lambda machine: ()
        self.addCleanup(setattr, bundled, "machine_folders", original)
        with self.assertRaisesRegex(wheel.WheelError, "libcapstone.so.4 .*--libraries"):
            bundled.bundle(wheel.tree_collect(prefix, "lib"), "lib", [self.others])

    def test_licences_of_debian_come_with_those_that_they_cite(self):
        path = shutil.which("dpkg-query") and "/usr/share/doc/libc6/copyright"
        if (
            not path
            or not os.path.exists(path)
            or bundled.package_of("/lib/x86_64-linux-gnu/libc.so.6") != "libc6"
        ):
            self.skipTest("no package libc6 of Debian for x86-64")
        found = dict(bundled.licence_find("libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6", {}))
        with open(path, "rb") as file:
            self.assertEqual(found["libc.so.6.txt"], file.read())
        self.assertTrue(any(name.startswith("common/") for name in found))


class File:
    """An ELF file that needs some versions."""

    def __init__(self, machine, *versions):
        self.machine, self.needs = machine, versions

    def versions(self):
        return set(self.needs)


class Tag(unittest.TestCase):
    def tag(self, *versions):
        return wheel.tag_of({"a": File("x86_64", *versions)})

    def test_the_newest_version_counts(self):
        self.assertEqual(self.tag(), "manylinux_2_17_x86_64")
        self.assertEqual(self.tag(("libc.so.6", "GLIBC_2.2.5")), "manylinux_2_17_x86_64")
        self.assertEqual(
            self.tag(
                ("libc.so.6", "GLIBC_2.4"), ("libc.so.6", "GLIBC_2.34"), ("libc.so.6", "GLIBC_2.9")
            ),
            "manylinux_2_34_x86_64",
        )
        self.assertEqual(
            wheel.tag_of(
                {
                    "a": File("aarch64", ("libm.so.6", "GLIBC_2.29")),
                    "b": File("aarch64", ("libc.so.6", "GLIBC_2.38")),
                }
            ),
            "manylinux_2_38_aarch64",
        )

    def test_versions_of_other_libraries_count(self):
        self.assertEqual(
            self.tag(("libc.so.6", "GLIBC_2.28"), ("libstdc++.so.6", "GLIBCXX_3.4.30")),
            "manylinux_2_35_x86_64",
        )
        self.assertEqual(
            self.tag(("libz.so.1", "ZLIB_1.2.0"), ("libgcc_s.so.1", "GCC_4.2.0")),
            "manylinux_2_17_x86_64",
        )
        self.assertEqual(self.tag(("libc.so.6", "GLIBC_ABI_DT_RELR")), "manylinux_2_36_x86_64")
        self.assertEqual(self.tag(("ld-linux-x86-64.so.2", "GLIBC_2.35")), "manylinux_2_35_x86_64")

    def test_versions_of_libraries_in_the_wheel_do_not_count(self):
        self.assertEqual(self.tag(("libdw.so.1", "ELFUTILS_0.171")), "manylinux_2_17_x86_64")

    def test_unknown_versions_are_refused(self):
        for version in ("GLIBC_PRIVATE", "GLIBC_3.0", "GLIBCXX_9.0", "STRANGE_1.0"):
            with self.assertRaisesRegex(wheel.WheelError, f"a needs libc.so.6: .*{version}"):
                self.tag(("libc.so.6", version))

    def test_files_for_two_processors_are_refused(self):
        with self.assertRaisesRegex(wheel.WheelError, "aarch64, x86_64"):
            wheel.tag_of({"a": File("x86_64"), "b": File("aarch64")})


class Format(Tree):
    def test_files_are_read_as_readelf_reads_them(self):
        if not shutil.which("readelf"):
            self.skipTest("readelf is missing")
        for path in (f"{self.prefix}/bin/zeinfo", f"{self.others}/libjansson.so.4", sys.executable):
            with open(path, "rb") as file:
                found = elf.Elf(file.read())
            text = subprocess.run(
                ["readelf", "-dVW", path], env=CLEAN, stdout=subprocess.PIPE, text=True, check=True
            ).stdout
            self.assertEqual(found.needed(), re.findall(r"\(NEEDED\).*\[(.*)\]", text))
            self.assertEqual(
                found.search_path(),
                (
                    ":".join(re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", text)).split(":")
                    if "PATH)" in text
                    else []
                ),
            )
            versions, library_name = set(), None
            for line in text.partition("Version needs section")[2].splitlines():
                library_name = next(iter(re.findall(r"File: (\S+)", line)), library_name)
                versions.update((library_name, name) for name in re.findall(r" Name: (\S+)", line))
            self.assertEqual(found.versions(), versions)

    def test_damaged_files_are_refused(self):
        with open(f"{self.others}/libjansson.so.4", "rb") as file:
            data = file.read()
        dice = random.Random(5)
        refused = 0
        for turn in range(600):
            broken = bytearray(data[: dice.randrange(len(data))] if turn % 2 else data)
            for _ in range(turn % 5):
                if len(broken) > 5:
                    broken[dice.randrange(4, min(len(broken), 1024))] = dice.randrange(256)
            try:
                found = elf.Elf(bytes(broken))
                found.needed(), found.soname(), found.search_path(), found.versions()
            except elf.ElfError:
                refused += 1
        self.assertGreater(refused, 100)

    def test_a_damaged_file_in_the_tree_is_named(self):
        prefix = self.copied()
        with open(f"{prefix}/bin/zetop", "r+b") as file:
            file.truncate(100)
        self.refused(prefix, "bin/zetop is damaged")

    def test_a_library_gets_a_search_path(self):
        path = f"{self.folder}/libjansson.so.4"
        shutil.copy(f"{self.others}/libelf.so.1", self.folder)
        with open(f"{self.others}/libjansson.so.4", "rb") as file:
            data = file.read()
        changed = elf.runpath_add(data, "$ORIGIN")
        with open(path, "wb") as file:
            file.write(changed)
        self.assertEqual(elf.Elf(changed).search_path(), ["$ORIGIN"])
        self.assertEqual(elf.Elf(changed).needed(), elf.Elf(data).needed())
        text = f"import ctypes; print(ctypes.CDLL({path!r}).json_number())"
        self.assertEqual(
            subprocess.run(
                [sys.executable, "-c", text],
                env=CLEAN,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            ).stdout,
            "42\n",
        )
        with self.assertRaisesRegex(elf.ElfError, "search path already"):
            elf.runpath_add(changed, "/lib")

    def test_a_program_gets_no_search_path(self):
        compile_c(f"{self.folder}/program", "int main(void) { return 0; }", "-no-pie")
        with open(f"{self.folder}/program", "rb") as file, self.assertRaisesRegex(
            elf.ElfError, "not a shared library"
        ):
            elf.runpath_add(file.read(), "$ORIGIN")


if __name__ == "__main__":
    unittest.main()
