"""scripts/check_abi finds each change that breaks programs of a release, and lets additions pass."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "scripts/check_abi")
COMPILER = os.environ.get("CC", "cc")
HAS_ABIDIFF = bool(shutil.which("abidiff") and shutil.which("abidw"))
HEADER = """
#include <stdint.h>
typedef enum _ze_kind_t {
    ZE_KIND_A = 1, ZE_KIND_B = 2, ZE_KIND_CURRENT = 2, ZE_KIND_FORCE_UINT32 = 0x7fffffff
} ze_kind_t;
typedef struct _ze_thing_t *ze_thing_t;
typedef struct _ze_desc_t { ze_kind_t kind; const void *next; uint64_t size; } ze_desc_t;
typedef int (*ze_first_t)(ze_thing_t thing);
typedef struct _ze_thing_dditable_t { ze_first_t first; ze_first_t second; } ze_thing_dditable_t;
"""
LOADER = """
#include <level_zero/api.h>
#define SHOWN __attribute__((visibility("default")))
SHOWN int zeThingCreate(const ze_desc_t *desc, ze_thing_t *thing) { *thing = 0; return desc->size != 0; }
SHOWN int zeThingGet(ze_thing_t thing, uint32_t count) { return thing && count; }
SHOWN int zeGetThingTable(ze_kind_t kind, ze_thing_dditable_t *table) { table->first = 0; return kind; }
"""
OTHER = """
int zeLayerA(void) { return 1; }
int zeLayerB(void) { return 2; }
"""
# Names of functions that only some tests export are in the version script, too.
MAP = """
{
    global:
        zeMany*;
        zeLayerA; zeLayerB;
        zeLayerC; zeLayerZ; zeThingGet2; zeThingNew; zeThingCreate; zeThingGet;
        zeGetThingTable;
    local:
        *;
};
"""
types = unittest.skipUnless(HAS_ABIDIFF, "abidiff is missing (package abigail-tools)")


class CheckAbi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.base = os.path.join(cls.folder.name, "base")
        cls.build_make(cls.base)
        cls.recorded = os.path.join(cls.folder.name, "recorded")
        if HAS_ABIDIFF:
            cls.run_script(cls.base, "--record", records=cls.recorded)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = work.name
        self.build = os.path.join(self.work, "build")
        self.records = os.path.join(self.work, "records")
        if HAS_ABIDIFF:
            shutil.copytree(self.recorded, self.records)
        else:  # a record of the symbols alone
            os.makedirs(os.path.join(self.records, "0.1.0"))
            for name, symbols in (("libze_loader", "zeGetThingTable zeThingCreate zeThingGet"),
                                  ("libze_other", "zeLayerA zeLayerB")):
                self.write(f"records/0.1.0/{name}.so.1.symbols", symbols.replace(" ", "\n"))
        shutil.copytree(self.base, self.build)

    def write(self, path, text):
        with open(os.path.join(self.work, path), "w", encoding="utf-8") as file:
            file.write(text)

    @staticmethod
    def library_make(build, name, source, *options, compiler=COMPILER, soname=None):
        path = os.path.join(build, "lib", f"{name}.so.1")
        subprocess.run(
            [compiler, "-g", "-shared", "-fPIC", "-fvisibility=default", *options,
             f"-I{build}/include", f"-Wl,-soname,{soname or os.path.basename(path)}", "-x", "c", "-",
             "-o", os.path.join(build, "lib", soname or os.path.basename(path))],
            input=source, text=True, check=True)
        return path

    @classmethod
    def build_make(cls, build):
        os.makedirs(os.path.join(build, "lib"))
        os.makedirs(os.path.join(build, "include/level_zero"))
        os.makedirs(os.path.join(build, "src/loader"))
        with open(os.path.join(build, "src/loader/loader.map"), "w", encoding="utf-8") as file:
            file.write(MAP)
        with open(os.path.join(build, "include/level_zero/api.h"), "w", encoding="utf-8") as file:
            file.write(HEADER)
        cls.library_make(build, "libze_loader", LOADER)
        cls.library_make(build, "libze_other", OTHER)

    @classmethod
    def run_script(cls, build, *arguments, records, **environment):
        done = subprocess.run(
            [sys.executable, SCRIPT, build, "--records", records, "--headers", f"{build}/include",
             "--scripts", f"{build}/src", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            env={**os.environ, **environment})
        return done.returncode, done.stdout

    def check(self, *arguments, **environment):
        return self.run_script(self.build, *arguments, records=self.records, **environment)

    def assert_found(self, text):
        status, output = self.check()
        self.assertEqual(status, 1, output)
        self.assertIn(text, output)

    def assert_passes(self, text=""):
        status, output = self.check()
        self.assertEqual(status, 0, output)
        self.assertIn(text, output)

    def change(self, old, new, *options, **named):
        """Builds the loader again, with another text of its header or source."""
        self.assertEqual((HEADER + LOADER).count(old), 1, old)
        with open(os.path.join(self.build, "include/level_zero/api.h"), "w", encoding="utf-8") as file:
            file.write(HEADER.replace(old, new))
        self.library_make(self.build, "libze_loader", LOADER.replace(old, new), *options, **named)

    # ---- symbols ----

    def test_the_same_libraries_pass(self):
        self.assert_passes("libze_loader.so.1: 3 symbols, 0 more than in ")

    def test_removed_symbols(self):
        self.change("zeThingGet(", "zeThingGet2(")
        self.assert_found("libze_loader.so.1: ERROR: zeThingGet is no longer exported")

    def test_removed_symbols_of_libraries_without_types(self):
        self.library_make(self.build, "libze_other", OTHER.replace("zeLayerB", "zeLayerC"))
        self.assert_found("libze_other.so.1: ERROR: zeLayerB is no longer exported")

    def test_hidden_symbols(self):
        self.library_make(self.build, "libze_other", OTHER, "-fvisibility=hidden")
        self.assert_found("libze_other.so.1: ERROR: zeLayerA is no longer exported")

    def test_added_symbols_pass(self):
        self.library_make(self.build, "libze_loader", LOADER + "SHOWN int zeThingNew(void) { return 1; }")
        self.assert_passes("libze_loader.so.1: 4 symbols, 1 more than in ")

    def test_symbols_that_nobody_meant(self):
        text = "zeManyMore is exported, but no header declares it and no version script"
        self.library_make(self.build, "libze_other", OTHER + "int zeManyMore(void) { return 3; }")
        self.assert_found(f"libze_other.so.1: ERROR: {text}")
        self.write("build/include/level_zero/more.h", "int zeManyMore(void);\n")
        self.assert_passes()

    def test_another_soname_is_not_compared(self):
        os.unlink(os.path.join(self.build, "lib/libze_other.so.1"))
        self.library_make(self.build, "libze_other", "int zeLayerZ;", soname="libze_other.so.2")
        self.assert_passes("libze_other.so.1: libze_other.so.2 takes its place")

    def test_missing_libraries(self):
        os.unlink(os.path.join(self.build, "lib/libze_other.so.1"))
        self.assert_found("libze_other.so.1: ERROR: is missing")

    def test_new_libraries_pass(self):
        self.library_make(self.build, "libze_new", OTHER)
        self.assert_passes()

    def test_wrong_sonames(self):
        path = self.library_make(self.build, "libze_other", OTHER, soname="libze_wrong.so.1")
        os.rename(os.path.join(self.build, "lib/libze_wrong.so.1"), path)
        self.assert_found(f"{path}: the soname is libze_wrong.so.1")

    def test_the_newest_release_counts(self):
        """Numbers of versions are compared as numbers."""
        first = os.path.join(self.records, os.listdir(self.records)[0])
        for name in ("1.9.0", "1.10.0"):
            shutil.copytree(first, os.path.join(self.records, name))
        self.write("records/1.9.0/libze_other.so.1.symbols", "zeLayerX\n")
        self.assert_passes("more than in 1.10.0")

    def test_a_missing_record(self):
        shutil.rmtree(self.records)
        self.assert_found("has no folder of a release")

    def test_a_folder_without_libraries(self):
        shutil.rmtree(os.path.join(self.build, "lib"))
        self.assert_found("has no libraries in lib")

    # ---- types ----

    @types
    def test_changed_structures(self):
        for new in ("uint64_t size; int more;", "uint32_t size;", "int64_t size;"):
            self.change("uint64_t size;", new)
            self.assert_found("'struct _ze_desc_t' changed")

    @types
    def test_changed_parameters(self):
        self.change("uint32_t count", "uint64_t count")
        self.assert_found("typedef name changed from uint32_t to uint64_t")

    @types
    def test_enumerators(self):
        self.change("ZE_KIND_CURRENT = 2", "ZE_KIND_C = 3, ZE_KIND_CURRENT = 3")
        self.assert_passes()
        self.change("ZE_KIND_B = 2", "ZE_KIND_B = 3")
        self.assert_found("'_ze_kind_t::ZE_KIND_B' from value '2' to '3'")

    @types
    def test_tables_grow_at_their_end(self):
        self.change("ze_first_t second;", "ze_first_t second; ze_first_t third;")
        self.assert_passes()

    @types
    def test_other_changes_of_tables(self):
        for old, new in (("ze_first_t second;", ""),
                         ("ze_first_t first;", "ze_first_t zeroth; ze_first_t first;"),
                         ("ze_first_t first; ze_first_t second;",
                          "int (*first)(int); ze_first_t second; ze_first_t third;")):
            self.change(old, new)
            self.assert_found("'struct _ze_thing_dditable_t' changed")

    @types
    def test_other_structures_must_not_grow(self):
        header = HEADER.replace("_ze_thing_dditable_t", "_ze_thing_t_callbacks")
        records = os.path.join(self.work, "renamed")
        for member in ("", " ze_first_t third;"):
            with open(os.path.join(self.build, "include/level_zero/api.h"), "w", encoding="utf-8") as file:
                file.write(header.replace("ze_first_t second;", f"ze_first_t second;{member}"))
            self.library_make(self.build, "libze_loader", LOADER)
            if not member:
                self.run_script(self.build, "--record", records=records)
        self.records = records
        self.assert_found("'struct _ze_thing_t_callbacks' changed")

    @types
    def test_compilers_and_optimisation_do_not_matter(self):
        for options in (("-O0", "-gdwarf-4"), ("-O2", "-gdwarf-5")):
            for compiler in ("gcc", "clang-22"):
                if shutil.which(compiler):
                    self.library_make(self.build, "libze_loader", LOADER, *options, compiler=compiler)
                    self.assert_passes()

    @types
    def test_records_are_reproducible(self):
        other = os.path.join(self.work, "elsewhere")
        shutil.copytree(self.build, other)
        self.library_make(other, "libze_loader", LOADER)
        status, output = self.run_script(other, "--record", records=os.path.join(self.work, "second"))
        self.assertEqual(status, 0, output)
        done = subprocess.run(["diff", "-r", self.records, os.path.join(self.work, "second")],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, "")

    @types
    def test_damaged_records(self):
        folder = os.path.join(self.records, os.listdir(self.records)[0])
        path = os.path.join(folder, "libze_loader.so.1.abi.xz")
        with open(path, "r+b") as file:
            file.seek(40)
            file.write(b"\0" * 8)
        self.assert_found("libze_loader.so.1.abi.xz: ")

    @types
    def test_libraries_without_debug_information(self):
        """Symbols are still compared."""
        self.library_make(self.build, "libze_loader", LOADER, "-g0")
        status, output = self.check()
        self.assertEqual(status, 77, output)
        self.assertIn("libze_loader.so.1: types are not compared: the library has no debug", output)
        status, output = self.check("--record")
        self.assertEqual(status, 1, output)
        self.assertIn("has no debug information: take a preset with it", output)
        self.library_make(self.build, "libze_other", "int zeLayerA;", "-g0")
        self.assert_found("libze_other.so.1: ERROR: zeLayerB is no longer exported")

    @types
    def test_abidiff_is_missing(self):
        tools = os.path.join(self.work, "tools")
        os.mkdir(tools)
        for tool in ("nm", "readelf"):
            os.symlink(shutil.which(tool), os.path.join(tools, tool))
        status, output = self.check(PATH=tools)
        self.assertEqual(status, 77, output)
        self.assertIn("abidiff is missing (package abigail-tools)", output)
        # An error in a library that comes before the loader.
        self.write(f"records/{os.listdir(self.records)[0]}/libze_a.so.1.symbols", "zeA\n")
        status, output = self.check(PATH=tools)
        self.assertEqual(status, 1, output)


if __name__ == "__main__":
    unittest.main()
