"""Each extension of the registry is reported by the driver, or docs/user/features.md says why not; never both. What is reported has
a version that the registry knows, and all of its functions; those that clients ask for by name are found when they do something.

Usage: test_extensions.py BUILD
"""
import ctypes
import os
import re
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUILD = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, os.path.join(ROOT, "scripts"))

from gen.registry import Registry  # noqa: E402

REGISTRY = Registry(os.path.join(ROOT, "registry"))
# What programs of others look up by name; success means to them that it works.
WANTED = ("zexDriverImportExternalPointer", "zexDriverReleaseImportedPointer", "zexMemGetIpcHandles", "zexMemOpenIpcHandles",
          "zexCounterBasedEventCreate2", "zeCommandListAppendHostFunction", "zeKernelSetGlobalOffsetExp", "zeCommandListImmediateAppendCommandListsExp",
          "zeEventPoolGetIpcHandle", "zeCommandListGetNextCommandIdExp", "zeCommandListGetNextCommandIdWithKernelsExp",
          "zeCommandListUpdateMutableCommandsExp", "zeCommandListUpdateMutableCommandSignalEventExp",
          "zeCommandListUpdateMutableCommandWaitEventsExp", "zeCommandListUpdateMutableCommandKernelsExp",
          "zeGraphCreateExp", "zeCommandListBeginGraphCaptureExp", "zeCommandListBeginCaptureIntoGraphExp", "zeCommandListEndGraphCaptureExp",
          "zeCommandListInstantiateGraphExp", "zeCommandListAppendGraphExp", "zeGraphDestroyExp", "zeExecutableGraphDestroyExp",
          "zeCommandListIsGraphCaptureEnabledExp", "zeGraphIsEmptyExp", "zeGraphDumpContentsExp", "zeCommandListGetGraphExp",
          "zeGraphSetDestructionCallbackExp", "zeGraphGetIdExt", "zeExecutableGraphGetSourceGraphExt", "zeGraphGetPrimaryCommandListExt")
ASKED = ("zeIntelGetDriverVersionString", "zeImageGetDeviceOffsetExp", "zeMemGetPitchFor2dImage")


class Extension(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 256), ("version", ctypes.c_uint32)]


class Driver:
    """The driver of this build, through the loader."""

    def __init__(self):
        for key in [k for k in os.environ if k.startswith(("ZE_", "ZES_", "ZET_", "ZEL_", "GEOID_"))]:
            del os.environ[key]
        os.environ["ZE_ENABLE_ALT_DRIVERS"] = os.path.join(BUILD, "lib", "libze_geoid.so.1")
        self.loader = ctypes.CDLL(os.path.join(BUILD, "lib", "libze_loader.so.1"))
        self.check(self.loader.zeInit(0))
        self.check(self.loader.zesInit(0))
        self.handle = self.first("zeDriverGet")
        self.sysman = self.first("zesDriverGet")

    @staticmethod
    def check(result):
        if result != 0:
            raise RuntimeError(f"a call gave {result:#x}")

    def first(self, function):
        count, handle = ctypes.c_uint32(1), ctypes.c_void_p()
        self.check(getattr(self.loader, function)(ctypes.byref(count), ctypes.byref(handle)))
        return handle

    def extensions(self, function, handle):
        count = ctypes.c_uint32(0)
        self.check(getattr(self.loader, function)(handle, ctypes.byref(count), None))
        rows = (Extension * count.value)()
        self.check(getattr(self.loader, function)(handle, ctypes.byref(count), rows))
        return {row.name.decode(): row.version for row in rows}

    def address(self, name):
        """Of a function by name; None when there is none."""
        found = ctypes.c_void_p()
        result = self.loader.zeDriverGetExtensionFunctionAddress(self.handle, name.encode(), ctypes.byref(found))
        return found.value if result == 0 else None

    def implemented(self, name):
        status = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint32))(
            self.address("geoidDriverGetFunctionStatus"))
        does = ctypes.c_uint32(0)
        return status(name.encode(), ctypes.byref(does)) == 0 and does.value == 1


def reasons():
    """name -> why it is not reported"""
    with open(os.path.join(ROOT, "docs/user/features.md"), encoding="utf-8") as stream:
        section = stream.read().split("## Extensions\n")[1].split("\n## ")[0]
    found = {}
    for names, why in re.findall(r"^\| (`.*`) \| (.*) \|$", section, re.M):
        for name in re.findall(r"`(\w+)`", names):
            if name in found:
                raise ValueError(f"{name} stands twice")
            found[name] = why
    return found


class Extensions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = Driver()
        cls.core = cls.driver.extensions("zeDriverGetExtensionProperties", cls.driver.handle)
        cls.sysman = cls.driver.extensions("zesDriverGetExtensionProperties", cls.driver.sysman)
        cls.reported = {**cls.core, **cls.sysman}
        cls.known = {item.value.strip('"'): item for item in REGISTRY.kind("extension")}

    # EXN-8
    def test_each_is_reported_or_explained(self):
        why = reasons()
        self.assertEqual(set(why) - set(self.known), set(), "docs/user/features.md: not in the registry")
        self.assertEqual(set(self.reported) & set(why), set(), "docs/user/features.md: reported after all")
        self.assertEqual(set(self.known) - set(self.reported) - set(why), set(), "neither reported nor explained")
        self.assertEqual([name for name, text in why.items() if len(text) < 5], [])

    # EXN-2, EXN-3
    def test_what_is_reported_is_in_the_registry(self):
        for reported, prefix in ((self.core, ("ZE_", "ZET_")), (self.sysman, "ZES_")):
            self.assertTrue(reported)
            for name, version in reported.items():
                self.assertIn(name, self.known)
                self.assertTrue(name.startswith(prefix), name)
                versions = {value.number for enum in REGISTRY.kind("enum") if enum.extension is self.known[name]
                            for value in enum.values if value.form == "version"}
                self.assertIn(version, versions, name)

    def test_functions_of_what_is_reported_do_something(self):
        for name in self.reported:
            for function in REGISTRY.kind("function"):
                if function.extension is self.known[name]:
                    self.assertTrue(self.driver.implemented(function.name), f"{name}: {function.name}")

    def test_names_are_found_when_they_do_something(self):
        for name in WANTED:
            self.assertIsNotNone(self.driver.address(name), name)
        for name in ASKED:
            self.assertEqual(self.driver.address(name) is not None, self.driver.implemented(name), name)


if __name__ == "__main__":
    unittest.main()
