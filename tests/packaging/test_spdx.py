#!/usr/bin/env python3
"""SPDX documents name what is inside of libraries and programs, nothing else, and are valid.

Usage: test_spdx.py [BUILD]; without BUILD only small builds are tried.
"""

import contextlib
import copy
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and os.path.isdir(sys.argv[1]) else ""
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "packaging/spdx")
sys.dont_write_bytecode = True
sys.path.insert(0, FOLDER)
import document as spdx  # noqa: E402

loader = importlib.machinery.SourceFileLoader("spdx_make", os.path.join(FOLDER, "make"))
make = importlib.util.module_from_spec(importlib.util.spec_from_loader("spdx_make", loader))
loader.exec_module(make)

CACHE = """CMAKE_C_COMPILER:FILEPATH=gcc
CMAKE_CXX_COMPILER:FILEPATH=g++
LLVM_CONFIG:FILEPATH={folder}/llvm-config
LIBCLC_SPIRV:FILEPATH={folder}/clc.spv
SPIRV_GRAMMAR:FILEPATH={folder}/grammar.json
XXHASH_INCLUDE:PATH={folder}
"""
EDGE = """build {output}: {rule} a.o {inputs}
  LINK_FLAGS = -Wl,-z,relro {flags}
  LINK_LIBRARIES = {libraries}
{soname}
"""
ARCHIVE = b"!<arch>\nmember"
# The first bytes of xxHash's default secret, which every program has that uses its 64-bit hash.
XXHASH_MARK = bytes.fromhex("b8fe6c3923a44bbe7c01812cf721ad1c")


def run(*command, **options):
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, **options
    )


def names_of(document):
    return {one["name"] for one in document["packages"]}


def inside(document, name):
    """Returns {component: relationship} of a library or program."""
    by_id = {one["SPDXID"]: one["name"] for one in document["packages"]}
    return {
        by_id[one["relatedSpdxElement"]]: one["relationshipType"]
        for one in document["relationships"]
        if by_id.get(one["spdxElementId"]) == name
    }


def package_of(document, name):
    return next(one for one in document["packages"] if one["name"] == name)


class SmallBuild(unittest.TestCase):
    """A build folder of a few lines, with static libraries of a few bytes."""

    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.folder = os.path.realpath(work.name)
        self.others = os.path.join(self.folder, "others")
        self.build = os.path.join(self.folder, "build")
        os.makedirs(self.others)
        os.mkdir(self.build)
        self.write("build/CMakeCache.txt", CACHE.format(folder=self.folder))
        self.write("grammar.json", '{"major_version": 1, "minor_version": 6, "revision": 7}')
        self.write(
            "xxhash.h",
            "#define XXH_VERSION_MAJOR    0\n#define XXH_VERSION_MINOR    8\n"
            "#define XXH_VERSION_RELEASE  9\n",
        )
        self.write("clc.spv", "")
        self.write("llvm-config", "#!/bin/sh\necho 22.3.4\n")
        os.chmod(os.path.join(self.folder, "llvm-config"), 0o755)
        self.text = ""

    def write(self, path, content):
        with open(os.path.join(self.folder, path), "w", encoding="utf-8") as file:
            file.write(content)

    def archive(self, name, content=ARCHIVE):
        path = os.path.join(self.others, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def link(self, output, libraries="", flags="", language="C", inputs="", soname=None):
        self.text += EDGE.format(
            output=output,
            rule=f"{language}_SHARED_LIBRARY_LINKER__a-b_Release",
            inputs=inputs,
            libraries=libraries,
            flags=flags,
            soname=f"  SONAME = {soname}\n" if soname else "",
        )

    def make(self, status=0):
        """Makes the document; returns it, or what is said of an error."""
        self.write("build/build.ninja", self.text)
        path = os.path.join(self.folder, "out.json")
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(make.main([self.build, "-o", path]), status, errors.getvalue())
        if status:
            self.assertFalse(os.path.exists(path))
            return errors.getvalue()
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def test_static_libraries_are_components(self):
        zstd = self.archive("libzstd.a")
        self.archive("libLLVMCore.a")
        self.archive("libLLVMSupport.a")
        self.link(
            "lib/libgeoid_compiler.so.1.0.0",
            f"ours.a -L{self.others} -lLLVMCore -lLLVMSupport {zstd} -lm",
            soname="libgeoid_compiler.so.1",
        )
        self.link("bin/zeinfo", "lib/libze_loader.so.1 -ldl")
        document = self.make()
        self.assertEqual(
            inside(document, "libgeoid_compiler.so.1"),
            {"LLVM": "STATIC_LINK", "zstd": "STATIC_LINK"},
        )
        self.assertEqual(inside(document, "zeinfo"), {})
        llvm = package_of(document, "LLVM")
        self.assertEqual(llvm["versionInfo"], "22.3.4")
        self.assertEqual(llvm["sourceInfo"], "consists of libLLVMCore.a, libLLVMSupport.a")
        self.assertIn("LLVM-exception", package_of(document, "geoid")["licenseConcluded"])
        self.assertEqual(package_of(document, "zeinfo")["licenseConcluded"], "MIT")

    def test_shared_libraries_precede_static_ones_of_a_folder(self):
        for name in ("libcapstone.a", "libcapstone.so", "libzstd.a"):
            self.archive(name)
        later = os.path.join(self.folder, "later")
        os.mkdir(later)
        os.rename(self.archive("libzstd.so"), os.path.join(later, "libzstd.so"))
        self.link("bin/zedbg", f"-L{self.others} -L{later} -lcapstone -lzstd")
        self.assertEqual(inside(self.make(), "zedbg"), {"zstd": "STATIC_LINK"})

    def test_exact_names(self):
        for name in ("libcapstone.a", "libcapstone.so"):
            self.archive(name)
        self.link("bin/zedbg", f"-L{self.others} -l:libcapstone.a")
        self.assertEqual(inside(self.make(), "zedbg"), {"capstone": "STATIC_LINK"})

    def test_unknown_static_libraries_are_refused(self):
        self.link("bin/zeinfo", self.archive("libnew.a"))
        self.assertIn("libnew.a is linked, but packaging/spdx/document.py does not", self.make(1))

    def test_empty_static_libraries_are_nothing(self):
        self.link("bin/zeinfo", self.archive("libdl.a", b"!<arch>\n"))
        self.assertEqual(inside(self.make(), "zeinfo"), {})

    def test_the_library_of_cxx(self):
        self.link("lib/libx.so.1", language="CXX", flags="-static-libstdc++", soname="libx.so.1")
        self.link("lib/liby.so.1", language="CXX", soname="liby.so.1")
        self.link("lib/libz.so.1", flags="-static-libstdc++", soname="libz.so.1")
        document = self.make()
        self.assertEqual(inside(document, "libx.so.1"), {"libstdc++": "STATIC_LINK"})
        self.assertEqual(inside(document, "liby.so.1") | inside(document, "libz.so.1"), {})
        self.assertRegex(package_of(document, "libstdc++")["versionInfo"], r"^\d+")

    def test_options_that_change_what_is_static_are_refused(self):
        for flags in ("-static", "-Wl,-Bstatic"):
            self.text = ""
            self.link("bin/zeinfo", flags=flags)
            self.assertIn(f"the option {flags} is not understood", self.make(1))

    def test_data_and_headers_that_are_compiled_in(self):
        self.link("lib/libc.so.1", "src/libgeoid_compiler_core.a", soname="libc.so.1")
        self.link("bin/geoidc", "src/libgeoid_native.a")
        document = self.make()
        self.assertEqual(
            inside(document, "libc.so.1"), {"libclc": "CONTAINS", "SPIR-V grammar": "CONTAINS"}
        )
        self.assertEqual(inside(document, "geoidc"), {"xxHash": "CONTAINS"})
        self.assertEqual(package_of(document, "xxHash")["versionInfo"], "0.8.9")
        self.assertEqual(package_of(document, "SPIR-V grammar")["versionInfo"], "1.6.7")

    def test_tests_and_objects_are_left_out(self):
        self.link("tests/unit_x", self.archive("libcmocka.a"))
        self.link("bin/zeinfo")
        self.assertEqual(names_of(self.make()), {"geoid", "zeinfo", "oneAPI Level Zero"})

    def test_documents_are_valid_and_reproducible(self):
        self.link("bin/zedbg", self.archive("libcapstone.a"))
        document = self.make()
        self.assertEqual(spdx.problems(document), [])
        self.assertEqual(self.make(), document)
        self.text = ""
        self.link("bin/zedbg")
        self.assertNotEqual(self.make()["documentNamespace"], document["documentNamespace"])

    def test_the_time_is_that_of_the_release(self):
        self.link("bin/zedbg")
        self.write("build/build.ninja", self.text)
        path = os.path.join(self.folder, "out.json")
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1600000000", "TZ": "Asia/Tokyo"}
        run(os.path.join(FOLDER, "make"), self.build, "-o", path, env=environment)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(
                json.load(file)["creationInfo"]["created"], "2020-09-13T12:26:40Z"
            )

    def test_wrong_folders_are_refused(self):
        self.assertIn("links no libraries", self.make(1))
        os.unlink(os.path.join(self.build, "build.ninja"))
        done = run(os.path.join(FOLDER, "make"), self.build, "-o", "/nonexistent/x")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("is not configured for ninja", done.stderr)

    def test_packages_get_their_part(self):
        zstd, capstone = self.archive("libzstd.a"), self.archive("libcapstone.a")
        self.link("lib/libgeoid_compiler.so.1.0.0", zstd, soname="libgeoid_compiler.so.1")
        self.link("bin/zedbg", capstone)
        self.link("bin/zeinfo", "src/libgeoid_native.a")
        self.write("whole.json", spdx.text(self.make()))
        for files, expected in (
            (("zeinfo", "zedbg"), {"zeinfo", "zedbg", "capstone", "xxHash"}),
            (("libgeoid_compiler.so.1",), {"libgeoid_compiler.so.1", "zstd"}),
            (("ze_api.h",), {"oneAPI Level Zero"}),
            (("README.md", "zstd"), None),
        ):
            folder = tempfile.mkdtemp(dir=self.folder)
            os.mkdir(os.path.join(folder, "sub"))
            for name in files:
                with open(os.path.join(folder, "sub", name), "w", encoding="utf-8"):
                    pass
            path = os.path.join(folder, "part.json")
            whole = f"{self.folder}/whole.json"
            done = run(os.path.join(FOLDER, "select"), whole, folder, "-o", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(os.path.exists(path), expected is not None)
            if expected:
                with open(path, encoding="utf-8") as file:
                    part = json.load(file)
                self.assertEqual(names_of(part), expected | {"geoid"})
                self.assertEqual(spdx.problems(part), [])
                self.assertEqual(
                    "NCSA" in package_of(part, "geoid")["licenseConcluded"], "zedbg" in files
                )

    def test_wrong_documents_are_refused(self):
        self.write("whole.json", "{}")
        done = run(os.path.join(FOLDER, "select"), f"{self.folder}/whole.json", "/", "-o", "/x")
        self.assertEqual(done.returncode, 1)
        self.assertIn("spdxVersion is missing or wrong", done.stderr)


class Validity(unittest.TestCase):
    def setUp(self):
        components = {one.name: spdx.component_package(one, "1") for one in spdx.COMPONENTS}
        self.document = spdx.document_make({"zedbg": [("STATIC_LINK", "LLVM")]}, components)

    def assert_found(self, text):
        found = spdx.problems(self.document)
        self.assertTrue(any(text in one for one in found), f"{text}: {found}")

    def test_every_required_field(self):
        whole = copy.deepcopy(self.document)
        self.assertEqual(spdx.problems(whole), [])
        for field in ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace"):
            self.document = copy.deepcopy(whole)
            del self.document[field]
            self.assert_found(f"the document: {field} is missing or wrong")
        for field in ("created", "creators"):
            self.document = copy.deepcopy(whole)
            del self.document["creationInfo"][field]
            self.assert_found(f"creationInfo: {field} is missing or wrong")
        for field in ("name", "SPDXID", "downloadLocation"):
            self.document = copy.deepcopy(whole)
            del self.document["packages"][1][field]
            self.assert_found(f"{field} is missing or wrong")

    def test_identifiers_are_unique_and_known(self):
        self.document["packages"][2]["SPDXID"] = self.document["packages"][1]["SPDXID"]
        self.assert_found("occurs twice")
        self.document["relationships"][1]["relatedSpdxElement"] = "SPDXRef-nobody"
        self.assert_found("has an unknown end or type")
        del self.document["relationships"][0]
        self.assert_found("does not describe one package")

    def test_texts_of_other_licences_are_there(self):
        self.assertIn("LicenseRef-Public-Domain", self.document["packages"][0]["licenseConcluded"])
        self.document["hasExtractedLicensingInfos"] = []
        self.assert_found("the text of LicenseRef-Public-Domain is missing")

    def test_licences(self):
        for text in (
            "MIT",
            "MIT AND Apache-2.0 WITH LLVM-exception",
            "(GPL-2.0-or-later OR LGPL-3.0-or-later) AND MIT",
            "MIT AND (BSD-2-Clause OR (MIT AND NCSA))",
        ):
            self.assertIsNone(spdx.licence_problem(text), text)
        for text in (
            "",
            "Expat",
            "MIT AND",
            "AND MIT",
            "MIT BSD-2-Clause",
            "MIT WITH LLVM",
            "(MIT",
            "MIT)",
            "()",
            "mit",
            "MIT AND OR NCSA",
            "LicenseRef-Unknown",
        ):
            self.assertIsNotNone(spdx.licence_problem(text), text)

    def test_joined_licences(self):
        self.assertEqual(
            spdx.licences_join(["MIT AND NCSA", "NCSA", "MIT OR NCSA"]),
            "MIT AND NCSA AND (MIT OR NCSA)",
        )

    def test_components_are_those_of_notices(self):
        with open(os.path.join(ROOT, "NOTICES"), encoding="utf-8") as file:
            table = file.read().partition("\n(1) ")[0]
        rows = re.findall(r"^  \d\. (.+?)(?: \d+(?:\.\d+)?)?  ", table, re.M)
        self.assertEqual(sorted(rows), sorted(one.name for one in spdx.COMPONENTS))


@unittest.skipUnless(BUILD, "no build folder")
class RealBuild(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(BUILD, "geoid.spdx.json"), encoding="utf-8") as file:
            cls.document = json.load(file)
        cls.build = make.Build(BUILD)

    def targets(self):
        """Yields (name in the document, path below the build folder) of what is linked."""
        for target, _, _, text in self.build.edges:
            soname = re.search(r"^  SONAME = (.*)$", text, re.M)
            yield soname[1] if soname else os.path.basename(target), target

    def test_it_is_valid_and_up_to_date(self):
        self.assertEqual(spdx.problems(self.document), [])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.json")
            environment = {k: v for k, v in os.environ.items() if k != "SOURCE_DATE_EPOCH"}
            done = run(os.path.join(FOLDER, "make"), BUILD, "-o", path, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(json.load(file), self.document)

    def test_the_linker_reads_these_static_libraries(self):
        """The linker itself tells which static libraries it takes members of."""
        for name, target in self.targets():
            done = run("ninja", "-C", BUILD, "-t", "commands", "-s", target)
            command = done.stdout.strip().splitlines()[-1]
            with tempfile.TemporaryDirectory() as folder:
                command = command.replace(f" -o {target} ", f" -o {folder}/x -Wl,--trace ")
                self.assertIn("--trace", command)
                command = command.partition(" && ")[2].partition(" && ")[0]
                traced = run("sh", "-c", command, cwd=BUILD)
            self.assertEqual(traced.returncode, 0, traced.stderr)
            paths = set(re.findall(r"^\(?(/[^\s()]+\.a)\b", traced.stdout, re.M))
            others = {
                os.path.basename(path)
                for path in map(os.path.normpath, paths)
                if not path.startswith(BUILD + os.sep) and not make.is_empty(path)
            } - {"libgcc.a", "libgcc_eh.a", "libc_nonshared.a"}
            linked = {spdx.component_of_archive(one).name for one in others}
            parts = inside(self.document, name).items()
            stated = {part for part, kind in parts if kind == "STATIC_LINK"}
            self.assertEqual(linked, stated, f"{name}: {sorted(others)}")
            for one in others:
                component = package_of(self.document, spdx.component_of_archive(one).name)
                self.assertRegex(component["sourceInfo"], rf"\b{re.escape(one)}", name)

    def test_files_with_xxhash_are_listed(self):
        for name, target in self.targets():
            with open(os.path.join(BUILD, target), "rb") as file:
                found = XXHASH_MARK in file.read()
            parts = inside(self.document, name)
            self.assertEqual(found, "xxHash" in parts or "LLVM" in parts, name)  # LLVM has a copy

    def test_versions_are_known(self):
        for one in self.document["packages"]:
            self.assertRegex(one.get("versionInfo", ""), r"^\d", one["name"])


if __name__ == "__main__":
    unittest.main()
