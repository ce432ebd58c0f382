"""A small installed tree and its wheel, for tests of packaging/wheel.

The tree has libraries and programs of a few lines with the names of Geoid's. The C compiler that
makes them is the first argument of the program.
"""

import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

CC = sys.argv.pop(1)
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FOLDER = os.path.join(ROOT, "packaging", "wheel")
BUILD = os.path.join(FOLDER, "build")
sys.dont_write_bytecode = True
EPOCH = 1_600_000_000
CLEAN = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("ZE", "OCL_", "GEOID_", "LD_", "PYTHON"))
} | {"PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C"}


def module(path, name):
    loader = importlib.machinery.SourceFileLoader(name, path)
    found = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = found
    loader.exec_module(found)
    return found


wheel = module(BUILD, "wheel_build")
bundled, elf, spdx = (sys.modules[name] for name in ("bundled", "elf", "document"))


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def compile_c(path, text, *options):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run(
        [CC, "-g", "-x", "c", "-", "-o", path, *options], input=text, text=True, check=True
    )


def library(path, text, *options, soname=None):
    compile_c(
        path, text, "-shared", "-fPIC", f"-Wl,-soname,{soname or os.path.basename(path)}", *options
    )


TOOL = """
#include <stdio.h>
int zeInit(int), json_number(void);
int main(int count, char **words)
{
    printf("%s %d %d %d", words[0], count, zeInit(0), json_number());
    for (int i = 1; i < count; i++)
        printf(" <%s>", words[i]);
    puts("");
    return count > 1 && words[1][0] == '9' ? 9 : 0;
}
"""


def tree_make(prefix, others):
    """Makes an installed tree, and libraries of others in another folder."""
    lib = os.path.join(prefix, "lib")
    library(f"{others}/libelf.so.1", "int elf_number(void) { return 42; }")
    # It finds libelf.so.1 only if the wheel gives it a RUNPATH.
    library(
        f"{others}/libjansson.so.4",
        "int elf_number(void); int json_number(void) { return elf_number(); }",
        "-Wl,--no-as-needed",
        f"-L{others}",
        "-l:libelf.so.1",
    )
    library(
        f"{lib}/libze_loader.so.1.2",
        "int zeInit(int flags) { return flags + 7; }",
        soname="libze_loader.so.1",
    )
    os.symlink("libze_loader.so.1.2", f"{lib}/libze_loader.so.1")
    os.symlink("libze_loader.so.1", f"{lib}/libze_loader.so")
    library(
        f"{lib}/libze_geoid.so.1.0.0", "int driver(void) { return 1; }", soname="libze_geoid.so.1"
    )
    os.symlink("libze_geoid.so.1.0.0", f"{lib}/libze_geoid.so.1")
    write(f"{lib}/libze_geoid.so.1.0.0-gdb.py", "pass\n")
    for name in (
        "libgeoid_compiler.so.1",
        "libze_validation_layer.so.1",
        "libze_tracing_layer.so.1",
        "geoid/libzetrace_collector.so",
    ):
        library(f"{lib}/{name}", "int nothing(void) { return 0; }")
    library(f"{lib}/libgeoid_opencl.so.1", "int clIcdNumber(void) { return 3; }")
    write(f"{lib}/OpenCL/vendors/geoid.icd", "libgeoid_opencl.so.1\n")
    compile_c(f"{lib}/geoid/geoid-build", "int main(void) { return 0; }")
    with open(os.path.join(ROOT, "tools", "geoid-run", "geoid-run.in"), encoding="utf-8") as file:
        write(
            f"{prefix}/bin/geoid-run",
            file.read().replace("@GEOID_RUN_FOLDERS@", ' "$prefix/lib"'),
            0o755,
        )
    for name in ("zeinfo", "zetop", "geoidc"):
        tool_make(f"{prefix}/bin/{name}", lib, others)
    write(f"{prefix}/include/level_zero/ze_api.h", "int zeInit(int);\n")
    write(f"{prefix}/share/level_zero/python/ze.py", "pass\n")
    write(f"{prefix}/share/level_zero/python/__pycache__/ze.pyc", "")
    write(f"{prefix}/share/doc/geoid/examples/simulated/laptop.json", "{}\n")
    write(f"{prefix}/share/man/man7/geoid.7", ".TH GEOID 7\n")
    document_make(f"{prefix}/share/doc/geoid/geoid.spdx.json")


def document_make(path):
    """Writes an SPDX document that also names a program which the wheel leaves out."""
    components = {one.name: spdx.component_package(one, "1.2") for one in spdx.COMPONENTS}
    files = {
        "geoid-blocks": [("STATIC_LINK", "capstone")],
        "libgeoid_compiler.so.1": [("STATIC_LINK", "LLVM"), ("CONTAINS", "libclc")],
        "zeinfo": [],
    }
    used = {part for parts in files.values() for _, part in parts} | {spdx.HEADERS}
    spdx.write(spdx.document_make(files, {name: components[name] for name in used}), path)


def tool_make(path, lib, others, *options, rpath="$ORIGIN/../lib:$ORIGIN/../lib/geoid/bundled"):
    compile_c(
        path,
        TOOL,
        f"-L{lib}",
        "-l:libze_loader.so.1",
        f"-L{others}",
        "-l:libjansson.so.4",
        "-Wl,--allow-shlib-undefined",
        f"-Wl,--enable-new-dtags,-rpath,{rpath}",
        *options,
    )


BASE = tempfile.mkdtemp()


def module_set_up():
    """Makes the tree and its wheel. Programs with tests call it once, as setUpModule."""
    unittest.addModuleCleanup(shutil.rmtree, BASE)
    tree_make(Tree.prefix, Tree.others)
    write(os.path.join(BASE, "licence"), "Do what you like.\n")
    Tree.path = Tree.build(Tree.prefix, os.path.join(BASE, "out")).stdout.strip()


class Tree(unittest.TestCase):
    """Gives each test a folder, and a copy of the tree if it asks for one."""

    base, prefix, others = BASE, os.path.join(BASE, "prefix"), os.path.join(BASE, "others")

    @classmethod
    def build(
        cls, prefix, out, *options, licences=("libjansson.so.4", "libelf.so.1"), **environment
    ):
        given = [word for name in licences for word in ("--licence", f"{name}={cls.base}/licence")]
        done = subprocess.run(
            [sys.executable, BUILD, prefix, "-o", out, "--libraries", cls.others, *given, *options],
            capture_output=True,
            text=True,
            check=False,
            env=CLEAN | {"SOURCE_DATE_EPOCH": str(EPOCH)} | environment,
        )
        return done

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.assertTrue(self.path, "the wheel of the whole tree was not made")

    def copied(self):
        prefix = os.path.join(self.folder, "prefix")
        shutil.copytree(self.prefix, prefix, symlinks=True)
        return prefix

    def refused(self, prefix, *words, **options):
        """Checks that no wheel is made, and that the message has all words."""
        out = os.path.join(self.folder, "out")
        done = self.build(prefix, out, **options)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertTrue(done.stderr.startswith("packaging/wheel/build: "), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse(os.path.exists(out) and os.listdir(out))
