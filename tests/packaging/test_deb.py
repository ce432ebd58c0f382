"""Packages of Debian, made of a small build that installs the same files as the real one.

Usage: test_deb.py BUILD
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fake  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "packaging/spdx"))
import document as spdx  # noqa: E402

BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None
TOOL = ROOT / "packaging/deb/build"
NAMES = {
    "geoid-loader",
    "geoid-driver",
    "geoid-compiler",
    "geoid-tools",
    "geoid-dev",
    "geoid-opencl-icd",
}
LIBRARIES = "usr/lib/x86_64-linux-gnu"


def run(*command, **options):
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, **options
    )


def field(package, name):
    return run("dpkg-deb", "-f", package, name).stdout.strip()


def contents(package):
    """Returns the paths of the files of a package, without folders and its own documents."""
    listed = run("dpkg-deb", "-c", package).stdout.splitlines()
    paths = [
        line.split(maxsplit=5)[5].split(" -> ")[0].removeprefix("./")
        for line in listed
        if not line.startswith("d")
    ]
    return [path for path in paths if not path.startswith("usr/share/doc/")]


def place(path):
    """Returns where packages have a file of an installation with libraries in usr/lib."""
    path = re.sub(r"^usr/lib/(?!x86_64-linux-gnu/)", LIBRARIES + "/", path)
    path = re.sub(r"^usr/etc/", "etc/", path)
    path = re.sub(r"^usr/share/zsh/site-functions/", "usr/share/zsh/vendor-completions/", path)
    path = re.sub(r"^(usr/share/man/.*)", r"\1.gz", path)
    return re.sub(rf"^{LIBRARIES}/(.*-gdb\.py)", rf"usr/share/gdb/auto-load/{LIBRARIES}/\1", path)


class Deb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.work.name)
        cls.installed = fake.fake_build(BUILD, cls.root / "fake")
        made = run(TOOL, cls.root / "fake", "-o", cls.root / "first")
        if made.returncode:
            raise AssertionError(made.stdout + made.stderr)
        found = {path.name.split("_")[0]: path for path in (cls.root / "first").glob("*.deb")}
        cls.packages = found
        cls.symbols = {
            path.name.split("_")[0]: path for path in (cls.root / "first/debug").iterdir()
        }

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def unpack(self, name):
        tree = self.root / "unpacked" / name
        if not tree.exists():
            package = self.symbols.get(name) or self.packages[name]
            tree.parent.mkdir(exist_ok=True)
            self.assertEqual(run("dpkg-deb", "-x", package, tree).returncode, 0)
        return tree

    def test_all_packages_are_made(self):
        self.assertEqual(set(self.packages), NAMES)

    def test_each_file_is_in_one_package(self):
        owners = {}
        for name, package in self.packages.items():
            for path in contents(package):
                self.assertNotIn(path, owners, f"both {owners.get(path)} and {name} have {path}")
                owners[path] = name
        expected = {place(path) for path in self.installed} | {"etc/profile.d/geoid.sh"}
        # No package has the files that packaging/debian/not-installed lists.
        expected -= {
            f"{LIBRARIES}/lib{name}.so"
            for name in ("geoid_compiler", "geoid_opencl", "ze_geoid", "ze_null")
        }
        expected = {path for path in expected if not path.startswith("usr/share/doc/")}
        self.assertEqual(set(owners), expected)

    def test_each_package_lists_what_is_inside(self):
        """The documents of all packages together name the same as that of the build."""
        with open(self.root / "fake/tree/usr/share/doc/geoid/geoid.spdx.json", "rb") as file:
            whole = json.load(file)
        everything = {one["name"] for one in whole["packages"]}
        found = set()
        for name, package in self.packages.items():
            folder = self.unpack(name) / f"usr/share/doc/{name}"
            document = json.loads((folder / f"{name}.spdx.json").read_text("utf-8"))
            self.assertEqual(spdx.problems(document), [], name)
            files = {os.path.basename(path) for path in contents(package)}
            named = {one["name"] for one in document["packages"]}
            self.assertEqual(named & files, everything & files, name)
            found |= named
            if named - files - {"geoid"}:
                self.assertTrue((folder / "NOTICES.gz").exists(), name)
        self.assertEqual(found, everything)

    def test_examples_are_in_one_folder_and_not_compressed(self):
        installed = [pathlib.Path(path) for path in self.installed]
        folder = pathlib.Path("usr/share/doc/geoid/examples")
        expected = {path.relative_to(folder) for path in installed if folder in path.parents}
        self.assertIn(pathlib.Path("smooth.cl"), expected)
        self.assertIn(pathlib.Path("simulated/server.json"), expected)
        for name in self.packages:
            packaged = self.unpack(name) / f"usr/share/doc/{name}/examples"
            found = {path.relative_to(packaged) for path in packaged.rglob("*") if path.is_file()}
            self.assertEqual(found, expected if name == "geoid-dev" else set(), name)

    def test_same_build_gives_same_bytes(self):
        for path in (self.root / "fake/tree").rglob("*"):
            if not path.is_symlink():
                os.utime(path, (1, 1))
        environment = {
            **os.environ,
            "TZ": "Asia/Tokyo",
            "LC_ALL": "C",
            "SOURCE_DATE_EPOCH": "77",
            "GEOID_BUILD": "/",
            "DEB_BUILD_OPTIONS": "nostrip noautodbgsym",
        }
        made = run(
            TOOL,
            self.root / "fake",
            "-o",
            self.root / "second",
            cwd="/",
            env=environment,
            umask=0o077,
        )
        self.assertEqual(made.returncode, 0, made.stderr)
        first, second = (
            {path.relative_to(top): path.read_bytes() for path in top.rglob("*.deb")}
            for top in (self.root / "first", self.root / "second")
        )
        self.assertEqual(set(second), set(first))
        for name, data in first.items():
            self.assertEqual(second[name], data, f"{name} differs")

    def test_loader_and_headers_take_the_place_of_those_of_debian(self):
        loader = re.search(
            r"^set\(GEOID_LOADER_VERSION (.*)\)", (ROOT / "CMakeLists.txt").read_text("utf-8"), re.M
        )[1]
        for name, others in (
            ("geoid-loader", ("level-zero", "libze1")),
            ("geoid-dev", ("level-zero-devel", "libze-dev")),
        ):
            package = self.packages[name]
            self.assertEqual(
                field(package, "Provides"), ", ".join(f"{other} (= {loader})" for other in others)
            )
            for relation in ("Conflicts", "Replaces"):
                self.assertEqual(field(package, relation), ", ".join(others))
        self.assertEqual(field(self.packages["geoid-opencl-icd"], "Provides"), "opencl-icd")

    def test_packages_of_one_version_belong_together(self):
        project = re.search(
            r"^project\(geoid VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text("utf-8"), re.M
        )[1]
        version = field(self.packages["geoid-driver"], "Version")
        self.assertTrue(version.startswith(project + "-"), version)
        self.assertIn(
            f"geoid-compiler (= {version})", field(self.packages["geoid-driver"], "Depends")
        )
        self.assertIn(f"geoid-loader (= {version})", field(self.packages["geoid-dev"], "Depends"))
        for name in ("geoid-tools", "geoid-opencl-icd"):
            self.assertIn(f"geoid-loader (= {version})", field(self.packages[name], "Depends"))
            self.assertNotIn("libze1", field(self.packages[name], "Depends"))

    def test_files_of_etc_are_configuration(self):
        for name, package in self.packages.items():
            files = sorted("/" + path for path in contents(package) if path.startswith("etc/"))
            self.assertEqual(
                run("dpkg-deb", "-I", package, "conffiles").stdout.split(), files, name
            )

    def test_file_for_opencl_names_the_library_alone(self):
        tree = self.unpack("geoid-opencl-icd")
        self.assertEqual(
            (tree / "etc/OpenCL/vendors/geoid.icd").read_text("utf-8"), "libgeoid_opencl.so.1\n"
        )

    def test_programs_search_no_folder_of_their_own(self):
        for name in self.packages:
            for path in filter(fake.is_elf, self.unpack(name).rglob("*")):
                self.assertNotIn("RUNPATH", run("readelf", "-d", path).stdout, path)

    def test_debug_symbols_are_apart(self):
        for name in self.packages:
            objects = [path for path in self.unpack(name).rglob("*") if fake.is_elf(path)]
            for path in objects:
                self.assertNotIn(".debug_info", run("readelf", "-SW", path).stdout, path)
                build_id = re.search(r"Build ID: (\w+)", run("readelf", "-n", path).stdout)[1]
                debug = (
                    self.unpack(f"{name}-dbgsym")
                    / f"usr/lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug"
                )
                self.assertIn(".debug_info", run("readelf", "-SW", debug).stdout, path)

    def test_link_named_ocloc_leads_to_geoidc(self):
        tree = self.unpack("geoid-tools")
        self.assertEqual(
            (tree / LIBRARIES / "geoid/ocloc/ocloc").resolve(), tree / "usr/bin/geoidc"
        )

    def test_pkg_config_and_cmake_know_the_folder(self):
        tree = self.unpack("geoid-dev")
        environment = {**os.environ, "PKG_CONFIG_LIBDIR": str(tree / LIBRARIES / "pkgconfig")}
        shown = run("pkg-config", "--variable=libdir", "libze_loader", env=environment).stdout
        self.assertEqual(shown.strip(), "/" + LIBRARIES)
        self.assertEqual(
            run(
                "pkg-config", "--variable=includedir", "level-zero", env=environment
            ).stdout.strip(),
            "/usr/include",
        )
        both = self.root / "both"
        for name in ("geoid-dev", "geoid-loader"):
            run("dpkg-deb", "-x", self.packages[name], both)
        # A script of CMake cannot add targets, which only a project has.
        (self.root / "find.cmake").write_text(
            "function(add_library)\nendfunction()\nfunction(set_target_properties)\n"
            "endfunction()\nfind_package(LevelZero REQUIRED)\nmessage(${LevelZero_LIBRARY})\n",
            "utf-8",
        )
        found = run(
            "cmake",
            f"-DLevelZero_DIR={both / LIBRARIES / 'cmake/LevelZero'}",
            "-P",
            self.root / "find.cmake",
        )
        self.assertIn(f"{both}/{LIBRARIES}/libze_loader.so.", found.stderr)

    def test_login_shells_name_the_driver_for_other_loaders(self):
        system = self.root / "system"
        script = (self.unpack("geoid-driver") / "etc/profile.d/geoid.sh").read_text("utf-8")
        self.assertEqual(script.count(" /usr/"), 2)
        script = (
            script.replace(" /usr/", f" {system}/usr/") + 'echo "${ZE_ENABLE_ALT_DRIVERS-none}"\n'
        )
        library, document = (
            system / LIBRARIES / "libze_geoid.so.1",
            system / "usr/share/doc/geoid-loader/copyright",
        )

        def shown(**variables):
            return run(
                "sh", "-eu", input=script, env={"PATH": os.environ["PATH"], **variables}
            ).stdout.strip()

        self.assertEqual(shown(), "none", "without the driver")
        for path in (library, document):
            path.parent.mkdir(parents=True)
        library.touch()
        self.assertEqual(shown().split(",")[-1], "libze_geoid.so.1")
        self.assertEqual(shown().split(",")[0], "libze_intel_gpu.so.1")
        self.assertEqual(shown(ZE_ENABLE_ALT_DRIVERS=""), "")
        self.assertEqual(shown(ZE_ENABLE_ALT_DRIVERS="libmine.so"), "libmine.so")
        document.touch()
        self.assertEqual(shown(), "none", "with Geoid's loader")

    def test_wrong_arguments_are_refused(self):
        for arguments, text in (
            (["/nonexistent"], "is not a build folder"),
            ([self.root / "fake", "--version", "99.0-1"], "is not one of"),
            ([self.root / "fake", "--version", "0.1 0"], "is not a version of a package"),
        ):
            done = run(TOOL, *arguments, "-o", self.root / "refused")
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn(text, done.stderr)
        self.assertFalse(
            (self.root / "refused").exists() and any((self.root / "refused").iterdir())
        )

    def test_incomplete_builds_are_refused(self):
        broken = self.root / "broken"
        broken.mkdir()
        (broken / "cmake_install.cmake").write_text(
            'file(INSTALL DESTINATION "/usr" FILES /nonexistent)\n', "utf-8"
        )
        done = run(TOOL, broken, "-o", self.root / "refused")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is it built completely?", done.stderr)


if __name__ == "__main__":
    for tool in ("dh", "chrpath", "dpkg-deb"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is missing: scripts/deps --package installs it")
            sys.exit(77)
    unittest.main()
