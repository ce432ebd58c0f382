#!/usr/bin/env python3
"""The Python modules: what is in them is what C has, and programs run through them.

Usage: test_python.py MODULES LAYOUT SPIRV; MODULES is the folder of ze.py, LAYOUT a program (layout.c), SPIRV the module of
examples/saxpy.cl. The loader and a driver come from the environment.
"""
import ctypes
import importlib
import subprocess
import sys
import unittest

FOLDER, LAYOUT, SPIRV = sys.argv[1:4]
sys.dont_write_bytecode = True
sys.path.insert(0, FOLDER)
API = ("ze", "zes", "zet", "zer")
# What programs have no use for: drivers begin their handles with it.
NOT_BOUND = {"ze_handle_t"}


def module_of(name):
    return importlib.import_module(name[:3] if name[:3] in API else "ze")


def module_of_value(name):
    """Some names of tools begin like those of the core."""
    modules = [importlib.import_module(api) for api in API]
    return next((m for m in modules if hasattr(m, name)), modules[0])


class Layout(unittest.TestCase):
    """Against the table of C."""

    @classmethod
    def setUpClass(cls):
        lines = subprocess.run([LAYOUT], capture_output=True, text=True, check=True).stdout.splitlines()
        cls.rows = {kind: [] for kind in ("struct", "member", "value", "function")}
        for line in lines:
            kind, *fields = line.split()
            cls.rows[kind].append(fields)

    def test_nothing_is_missing_in_the_table(self):
        for kind, least in (("struct", 300), ("member", 1400), ("value", 1400), ("function", 478)):
            self.assertGreaterEqual(len(self.rows[kind]), least, kind)

    def test_structures_have_their_sizes(self):
        missing = set()
        for name, size in self.rows["struct"]:
            if not hasattr(module_of(name), name):
                missing.add(name)
            else:
                self.assertEqual(ctypes.sizeof(getattr(module_of(name), name)), int(size), name)
        self.assertEqual(missing, NOT_BOUND)

    def test_members_have_their_places(self):
        for struct, name, offset, size in self.rows["member"]:
            if struct in NOT_BOUND:
                continue
            member = getattr(getattr(module_of(struct), struct), name)
            self.assertEqual((member.offset, member.size), (int(offset), int(size)), f"{struct}.{name}")

    def test_structures_have_no_other_members(self):
        for struct, _ in self.rows["struct"]:
            if struct not in NOT_BOUND:
                fields = [f[0] for f in getattr(module_of(struct), struct)._fields_]
                self.assertEqual(fields, [m[1] for m in self.rows["member"] if m[0] == struct], struct)

    def test_enumerators_have_their_values(self):
        for name, value in self.rows["value"]:
            self.assertEqual(getattr(module_of_value(name), name), int(value), name)

    def test_functions_take_what_they_take(self):
        for name, *sizes in self.rows["function"]:
            function = getattr(module_of(name), name)
            self.assertEqual([ctypes.sizeof(t) for t in function.argtypes], [int(s) for s in sizes], name)

    def test_structures_know_their_type(self):
        import ze
        import zes
        self.assertEqual(ze.ze_context_desc_t().stype, ze.ZE_STRUCTURE_TYPE_CONTEXT_DESC)
        self.assertEqual(zes.zes_pci_properties_t().stype, zes.ZES_STRUCTURE_TYPE_PCI_PROPERTIES)
        self.assertEqual(ze.ze_context_desc_t(stype=5).stype, 5)
        self.assertEqual(ze.ze_context_desc_t(7).stype, 7)


class Calls(unittest.TestCase):
    """Through the loader, to a driver that computes."""

    @classmethod
    def setUpClass(cls):
        cls.ze = importlib.import_module("ze")

    def good(self, result):
        self.assertEqual(result, self.ze.ZE_RESULT_SUCCESS, repr(result))

    def first_driver(self):
        ze = self.ze
        desc = ze.ze_init_driver_type_desc_t(flags=ze.ZE_INIT_DRIVER_TYPE_FLAG_GPU)
        count = ctypes.c_uint32(0)
        self.good(ze.zeInitDrivers(count, None, desc))
        self.assertGreaterEqual(count.value, 1)
        drivers = (ze.ze_driver_handle_t * count.value)()
        self.good(ze.zeInitDrivers(count, drivers, desc))
        return drivers[0]

    def first_device(self, driver):
        ze = self.ze
        count = ctypes.c_uint32(0)
        self.good(ze.zeDeviceGet(driver, count, None))
        devices = (ze.ze_device_handle_t * count.value)()
        self.good(ze.zeDeviceGet(driver, count, devices))
        return devices[0]

    def test_devices_are_listed(self):
        ze = self.ze
        properties = ze.ze_device_properties_t()
        extended = ze.ze_device_luid_ext_properties_t()
        properties.pNext = ctypes.cast(ctypes.pointer(extended), ctypes.c_void_p)
        self.good(ze.zeDeviceGetProperties(self.first_device(self.first_driver()), properties))
        self.assertIn(b"Geoid", properties.name)
        self.assertEqual(properties.type, ze.ZE_DEVICE_TYPE_GPU)
        self.assertEqual(ze.ze_device_type_v(properties.type).name, "ZE_DEVICE_TYPE_GPU")
        self.assertTrue(properties.flags & ze.ZE_DEVICE_PROPERTY_FLAG_INTEGRATED)

    def test_versions_are_told(self):
        ze = self.ze
        driver = self.first_driver()
        version = ze.ze_api_version_t()
        self.good(ze.zeDriverGetApiVersion(driver, version))
        self.assertEqual(version.value, ze.ZE_API_VERSION_CURRENT)
        self.assertEqual(ze.ZE_MAKE_VERSION(ze.ZE_MAJOR_VERSION(version.value), ze.ZE_MINOR_VERSION(version.value)),
                         version.value)
        count = ctypes.c_size_t(0)
        self.good(ze.zelLoaderGetVersions(count, None))
        versions = (ze.zel_component_version_t * count.value)()
        self.good(ze.zelLoaderGetVersions(count, versions))
        self.assertEqual(versions[0].component_name, b"loader")

    def test_results_have_names_and_types_are_checked(self):
        ze = self.ze
        result = ze.zeDeviceGet(None, ctypes.c_uint32(0), None)
        self.assertEqual(result.name, "ZE_RESULT_ERROR_INVALID_NULL_HANDLE")
        with self.assertRaises(ctypes.ArgumentError):
            ze.zeDeviceGet(self.first_device(self.first_driver()), ctypes.c_uint32(0), None)
        with self.assertRaises(ctypes.ArgumentError):
            ze.zeDriverGet(ctypes.c_uint64(0), None)

    def test_other_modules_have_their_functions_and_those_of_the_core(self):
        zes, zer, zet = (importlib.import_module(name) for name in ("zes", "zer", "zet"))
        self.good(zes.zesInit(0))
        count = ctypes.c_uint32(0)
        self.good(zes.zesDriverGet(count, None))
        self.assertGreaterEqual(count.value, 1)
        driver = self.first_driver()
        device = self.first_device(driver)
        number = zer.zerTranslateDeviceHandleToIdentifier(device)
        self.assertEqual(zer.zerTranslateIdentifierToDeviceHandle(number).value, device.value)
        self.assertIsInstance(zer.zerGetDefaultContext(), self.ze.ze_context_handle_t)
        self.assertEqual(zer.zeDefaultGPUImmediateCommandQueueDesc.flags,
                         self.ze.ZE_COMMAND_QUEUE_FLAG_IN_ORDER | self.ze.ZE_COMMAND_QUEUE_FLAG_COPY_OFFLOAD_HINT)
        self.assertIs(zet.zeInit, self.ze.zeInit)

    def test_callbacks_are_called(self):
        ze = self.ze
        driver = self.first_driver()
        device = self.first_device(driver)
        context, commands = ze.ze_context_handle_t(), ze.ze_command_list_handle_t()
        self.good(ze.zeContextCreate(driver, ze.ze_context_desc_t(), context))
        queue = ze.ze_command_queue_desc_t(mode=ze.ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS)
        self.good(ze.zeCommandListCreateImmediate(context, device, queue, commands))
        seen = []
        callback = ze.ze_host_function_callback_t(seen.append)
        self.good(ze.zeCommandListAppendHostFunction(commands, callback, 77, None, None, 0, None))
        self.assertEqual(seen, [77])
        self.good(ze.zeCommandListDestroy(commands))
        self.good(ze.zeContextDestroy(context))

    def test_a_kernel_runs(self):
        ze = self.ze
        count, factor = 1000, 2.5
        driver = self.first_driver()
        device = self.first_device(driver)
        context, module, kernel = ze.ze_context_handle_t(), ze.ze_module_handle_t(), ze.ze_kernel_handle_t()
        commands = ze.ze_command_list_handle_t()
        self.good(ze.zeContextCreate(driver, ze.ze_context_desc_t(), context))
        with open(SPIRV, "rb") as stream:
            code = stream.read()
        desc = ze.ze_module_desc_t(format=ze.ZE_MODULE_FORMAT_IL_SPIRV, inputSize=len(code),
                                   pInputModule=(ctypes.c_uint8 * len(code)).from_buffer_copy(code))
        self.good(ze.zeModuleCreate(context, device, desc, module, None))
        self.good(ze.zeKernelCreate(module, ze.ze_kernel_desc_t(pKernelName=b"saxpy"), kernel))
        arrays = []
        for value in (lambda i: i, lambda i: 1000 - i):
            pointer = ctypes.c_void_p()
            self.good(ze.zeMemAllocShared(context, ze.ze_device_mem_alloc_desc_t(), ze.ze_host_mem_alloc_desc_t(),
                                          4 * count, 64, device, pointer))
            array = (ctypes.c_float * count).from_address(pointer.value)
            array[:] = [value(i) for i in range(count)]
            arrays.append((pointer, array))
        for index, argument in enumerate((ctypes.c_float(factor), arrays[0][0], arrays[1][0], ctypes.c_uint32(count))):
            self.good(ze.zeKernelSetArgumentValue(kernel, index, ctypes.sizeof(argument), ctypes.byref(argument)))
        self.good(ze.zeKernelSetGroupSize(kernel, 100, 1, 1))
        queue = ze.ze_command_queue_desc_t(mode=ze.ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS)
        self.good(ze.zeCommandListCreateImmediate(context, device, queue, commands))
        self.good(ze.zeCommandListAppendLaunchKernel(commands, kernel, ze.ze_group_count_t(10, 1, 1), None, 0, None))
        self.assertEqual(list(arrays[1][1]), [factor * i + 1000 - i for i in range(count)])
        for pointer, _ in arrays:
            self.good(ze.zeMemFree(context, pointer))
        for destroy, handle in ((ze.zeCommandListDestroy, commands), (ze.zeKernelDestroy, kernel),
                                (ze.zeModuleDestroy, module), (ze.zeContextDestroy, context)):
            self.good(destroy(handle))


class Import(unittest.TestCase):
    """Types need no loader."""

    def test_modules_are_imported_without_a_loader(self):
        code = "import ctypes, ze, zes, zet, zer; print(ctypes.sizeof(ze.ze_device_properties_t)); zer.zeInit(0)"
        done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, cwd=FOLDER, check=False,
                              env={"PYTHONDONTWRITEBYTECODE": "1", "LD_LIBRARY_PATH": "/nowhere"})
        self.assertGreater(int(done.stdout), 300, done.stderr)
        if done.returncode:  # a system may have one
            self.assertIn("libze_loader.so.1", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
