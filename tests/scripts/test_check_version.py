"""scripts/check_version finds each kind of place that states another version than CMakeLists.txt, and
nothing in the tree as it is."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPILER = os.environ.get("CC", "cc")
COPIED = ("CMakeLists.txt", "CHANGELOG.md", "README.md", "docs", "packaging")
LAYERED = ("ze_loader", "ze_validation_layer", "ze_tracing_layer")
LIBRARY = """
struct version { char name[64]; unsigned spec; int number[3]; };
int zelLoaderGetVersion(struct version *version)
{
    static const int numbers[] = {NUMBERS};
    for (int i = 0; i < 3; i++) {
        version->number[i] = numbers[i];
    }
    return RESULT;
}
"""


def stated(pattern):
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(pattern, file.read(), re.M)[1]


RELEASE = stated(r"^project\(geoid VERSION ([\d.]+)")
MAJOR, MINOR, PATCH = map(int, RELEASE.split("."))
BUILD_NUMBER = 40000 + 10000 * MAJOR + 100 * MINOR + 10 * PATCH
LOADER = stated(r"^set\(GEOID_LOADER_VERSION ([\d.]+)\)")


class CheckVersion(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.join(folder.name, "tree")
        self.build = os.path.join(folder.name, "build")
        os.mkdir(self.root)
        for name in COPIED:
            path = os.path.join(ROOT, name)
            copy = shutil.copytree if os.path.isdir(path) else shutil.copyfile
            copy(path, os.path.join(self.root, name))

    def edit(self, path, old, new):
        path = os.path.join(self.root, path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))

    def check(self, *arguments):
        done = subprocess.run(
            [sys.executable, os.path.join(ROOT, "scripts/check_version"), "--root", self.root, *arguments],
            capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def assert_found(self, *texts, arguments=()):
        status, output = self.check(*arguments)
        self.assertEqual(status, 1, output)
        for text in texts:
            self.assertIn(text, output)

    def assert_clean(self, *arguments):
        status, output = self.check(*arguments)
        self.assertEqual(status, 0, output)

    def build_make(self, numbers=LOADER, tool=RELEASE, driver=BUILD_NUMBER + 9, result=0,
                   compiler=RELEASE):
        """Makes a small build folder: a tool that prints a version, and libraries that answer one."""
        for folder in ("bin", "lib", "multiarch"):
            os.makedirs(os.path.join(self.build, folder), exist_ok=True)
        path = os.path.join(self.build, "bin/zeinfo")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n"
                       f"[ $1 = --json ] && echo '\"driverVersion\": \"0x{17 << 16 | driver:x}\"' ||"
                       f" echo 'zeinfo (Geoid) {tool}'\n")
        os.chmod(path, 0o755)
        first = None
        for name in LAYERED:
            path = os.path.join(self.build, "lib", f"lib{name}.so.{LOADER}")
            if first:
                shutil.copyfile(first, path)
            else:
                subprocess.run([COMPILER, "-shared", "-fPIC", f"-DNUMBERS={numbers.replace('.', ',')}",
                                f"-DRESULT={result}", "-x", "c", "-", "-o", path],
                               input=LIBRARY, text=True, check=True)
            first = path
            link = os.path.join(self.build, "lib", f"lib{name}.so.1")
            if not os.path.islink(link):
                os.symlink(os.path.basename(path), link)
        self.write("lib/libgeoid_compiler.so.1", f"\0geoid-compiler {compiler} llvm 22\0")
        for folder in ("", "multiarch"):
            for name in ("level-zero", "libze_loader"):
                self.write(os.path.join(folder, f"{name}.pc"), f"Name: x\nVersion: {LOADER}\n")
        self.write("LevelZeroConfigVersion.cmake", f'set(PACKAGE_VERSION "{LOADER}")\n')
        with open(os.path.join(self.root, "docs/user/debugging.md"), encoding="utf-8") as file:
            for name in re.findall(r"libze_geoid\.so\.1\.[\w.-]*py", file.read()):
                self.write(f"lib/{name}", "")

    def write(self, path, text):
        with open(os.path.join(self.build, path), "w", encoding="utf-8") as file:
            file.write(text)

    def test_the_tree_is_clean(self):
        self.assert_clean()

    def test_a_new_version_in_one_place_only(self):
        self.edit("CMakeLists.txt", f"geoid VERSION {RELEASE}", "geoid VERSION 9.8.7")
        self.assert_found(f"packaging/debian/changelog: {RELEASE} instead of 9.8.7",
                          f"CHANGELOG.md, first section: {RELEASE} instead of 9.8.7",
                          f"docs/user/install.md: {RELEASE} instead of 9.8.7")

    def test_a_new_version_of_the_loader_in_one_place_only(self):
        self.edit("CMakeLists.txt", f"LOADER_VERSION {LOADER}", "LOADER_VERSION 9.8.7")
        self.assert_found(f"CHANGELOG.md, first section: {LOADER} instead of 9.8.7",
                          f"docs/decisions/loader.md: {LOADER} instead of 9.8.7",
                          f"docs/user/tools.md: {LOADER} instead of 9.8.7")

    def test_a_version_that_is_not_stated(self):
        self.edit("CMakeLists.txt", f"geoid VERSION {RELEASE}", "geoid VERSION 9.8")
        self.assert_found("CMakeLists.txt has 0 lines like")

    def test_the_changelog_of_packages(self):
        self.edit("packaging/debian/changelog", f"({RELEASE}-1)", "(9.8.7-1)")
        self.assert_found(f"packaging/debian/changelog: 9.8.7 instead of {RELEASE}")

    def test_the_changelog(self):
        path = os.path.join(self.root, "CHANGELOG.md")
        for text, found in ((f"## [{RELEASE}] - 2027-01-31\n", None),
                            ("## [9.8.7] - 2027-01-31\n", f"9.8.7 instead of {RELEASE}"),
                            ("## [Unreleased]\n\n- Something.\n", "no version instead of"),
                            (f"## [Unreleased]\n\nThis will be {RELEASE}.\n", None),
                            (f"## [{RELEASE}]\n", "no version instead of")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"# Changelog\n\n{text}\n## [0.0.1] - 2026-01-01\n\n- (version 0.0.1)\n")
            if found:
                self.assert_found(f"CHANGELOG.md, first section: {found}")
            else:
                self.assert_clean()

    def test_names_of_files_in_documents(self):
        path = os.path.join(self.root, "docs/user/install.md")
        for name in ("geoid-9.8.7-linux-x86_64.tar.gz", "geoid-loader_9.8.7-1_amd64.deb",
                     "geoid_9.8.7.orig.tar.xz", "libze_loader.so.9.8.7", "the loader, version 9.8.7"):
            shutil.copyfile(os.path.join(ROOT, "docs/user/install.md"), path)
            with open(path, "a", encoding="utf-8") as file:
                file.write(f"\nTake {name}.\n")
            self.assert_found("docs/user/install.md: 9.8.7 instead of")

    def test_the_heading_of_the_decision(self):
        self.edit("docs/decisions/loader.md", "## The loader's component version is", "## The version is")
        self.assert_found("docs/decisions/loader.md: the heading with the loader's version is missing")

    def test_a_build_that_agrees(self):
        self.build_make()
        self.assert_clean(self.build)

    def test_tools(self):
        self.build_make(tool="9.8.7")
        self.assert_found(f"zeinfo --version: 9.8.7 instead of {RELEASE}", arguments=[self.build])
        os.unlink(os.path.join(self.build, "bin/zeinfo"))
        self.assert_found(f"zeinfo' instead of {RELEASE}", arguments=[self.build])

    def test_versions_of_drivers(self):
        for number in (BUILD_NUMBER - 1, BUILD_NUMBER + 10):
            self.build_make(driver=number)
            for name in ("ze_geoid", "ze_null"):
                self.assert_found(f"lib{name}.so.1, build of the driver: {number} instead of",
                                  arguments=[self.build])
        self.build_make()
        with open(os.path.join(self.build, "bin/zeinfo"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho no driver >&2\nexit 3\n")
        self.assert_found("shows no version: no driver\n(exit status 3)", arguments=[self.build])

    def test_answers_of_libraries(self):
        self.build_make(numbers="9.8.7")
        for name in LAYERED:
            self.assert_found(f"lib{name}.so.{LOADER}, zelLoaderGetVersion: 9.8.7 instead of {LOADER}",
                              arguments=[self.build])

    def test_libraries_that_do_not_answer(self):
        self.build_make(result=5)
        self.assert_found(f"zelLoaderGetVersion: error 5 instead of {LOADER}", arguments=[self.build])
        path = os.path.join(self.build, "lib", f"libze_tracing_layer.so.{LOADER}")
        subprocess.run([COMPILER, "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", path], check=True)
        self.assert_found(f"{path}: zelLoaderGetVersion cannot be called", arguments=[self.build])

    def test_the_name_of_the_compiler(self):
        self.build_make(compiler="9.8.7")
        self.assert_found(f"libgeoid_compiler.so.1: 9.8.7 instead of {RELEASE}", arguments=[self.build])

    def test_names_of_libraries(self):
        self.build_make()
        path = os.path.join(self.build, "lib/libze_loader.so")
        os.rename(f"{path}.{LOADER}", f"{path}.9.8.7")
        os.unlink(f"{path}.1")
        os.symlink("libze_loader.so.9.8.7", f"{path}.1")
        self.assert_found(f"libze_loader.so.9.8.7: 9.8.7 instead of {LOADER}", arguments=[self.build])

    def test_names_of_other_libraries_in_documents(self):
        self.build_make()
        self.edit("docs/user/debugging.md", "libze_geoid.so.1.", "libze_geoid.so.9.")
        self.assert_found("docs/user/debugging.md: the build has no libze_geoid.so.9.",
                          arguments=[self.build])

    def test_files_for_pkg_config_and_cmake(self):
        for path in ("level-zero.pc", "multiarch/libze_loader.pc", "LevelZeroConfigVersion.cmake"):
            self.build_make()
            self.write(path, 'Version: 9.8.7\nset(PACKAGE_VERSION "9.8.7")\n')
            self.assert_found(f"{path}: 9.8.7 instead of {LOADER}", arguments=[self.build])


if __name__ == "__main__":
    unittest.main()
