#!/usr/bin/env python3
"""The registry keeps the specification's rules, and mistakes in its text are reported with file and line.

usage: test_registry.py [SOURCE_DIR]
"""

import os
import re
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = sys.argv.pop(1) if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
sys.path.insert(0, HERE)

from check_abi import table_path, version_of  # noqa: E402
from gen.ddi_checks import error_checks  # noqa: E402
from gen.ddi_data import Layout  # noqa: E402
from gen.registry import Registry, RegistryError, full_members  # noqa: E402

REGISTRY = Registry(os.path.join(ROOT, "registry"))
TYPE_KINDS = ("struct", "union", "enum", "handle", "alias", "callback")

# What the published API itself names against its rule. Nothing may be added here but with a new version.
ODD_MEMBERS = re.compile(
    r"(ze_device_compute_dotproduct_ext_properties_t|ze_device_vector_width_properties_ext_t"
    r"|ze_rtas_transform_float3x4_\w+|zes_overclock_properties_t|zes_control_property_t|zes_vf_property_t"
    r"|zesOverclock\w+|zesFrequencyOcSet\w+|zel\w+)\.\w+"
    r"|zeCommandListAppendMemoryFill(WithParameters)?\.pattern_size"
    r"|zeMemAlloc(Shared|Device|Host)\.(device|host)_desc|zet_debug_event_info_t\.page_fault")
ODD_ENUMS = {"zel_handle_type_t", "zel_tracer_reg_t"}
NO_RESULT = {"zeDriverGetDefaultContext", "zerTranslateDeviceHandleToIdentifier",
             "zerTranslateIdentifierToDeviceHandle", "zerGetDefaultContext",
             "zelSetDelayLoaderContextTeardown", "zelLoaderContextTeardown",
             "zelCheckIsLoaderInTearDown"}
COUNT_ELSEWHERE = {"ze_event_query_kernel_timestamps_results_ext_properties_t"}
PLAIN_PROPERTIES = {"ze_driver_extension_properties_t", "zes_driver_extension_properties_t"}


def members_of(item):
    return full_members(item) if item.kind in ("struct", "union") else getattr(item, "members", [])


class Names(unittest.TestCase):
    # GEN-2
    def test_functions_are_camel_case(self):
        for function in REGISTRY.kind("function"):
            self.assertRegex(function.name, r"^ze[lrst]?[A-Z][a-zA-Z0-9]*$")

    # GEN-2
    def test_types_are_snake_case_with_suffix(self):
        for item in REGISTRY.items:
            if item.kind in TYPE_KINDS:
                self.assertRegex(item.name, r"^ze[lrstx]?(_[a-z0-9]+)+_t$", item.where)
            if item.kind == "handle":
                self.assertTrue(item.name.endswith("_handle_t"), item.where)

    # GEN-2
    def test_macros_are_upper_case(self):
        for item in REGISTRY.kind("const") + REGISTRY.kind("extension"):
            self.assertRegex(item.name, r"^ZE[LRST]?(_[A-Z0-9]+)+$", item.where)

    # GEN-2
    def test_enumerators_begin_with_their_enumeration(self):
        for enum in REGISTRY.kind("enum"):
            prefix = enum.name[: -len("t")].upper()
            for value in enum.values:
                self.assertRegex(value.name, r"^[A-Z0-9_]+$", enum.where)
                if enum.name not in ODD_ENUMS:
                    self.assertTrue(value.name.startswith(prefix), f"{enum.where}: {value.name}")
            if enum.flags:
                self.assertEqual(enum.name, enum.flags[: -len("s_t")] + "_t", enum.where)

    # GEN-2
    def test_members_and_parameters_are_camel_case(self):
        odd = set()
        for item in REGISTRY.items:
            for member in members_of(item):
                if not re.fullmatch(r"[a-z][a-zA-Z0-9]*", member.name):
                    name = f"{item.name}.{member.name}"
                    self.assertRegex(name, f"^({ODD_MEMBERS.pattern})$", item.where)
                    odd.add(name)
        self.assertTrue(odd)


class Shapes(unittest.TestCase):
    # GEN-3
    def test_descriptors_begin_with_stype_and_constant_pnext(self):
        seen = 0
        for struct in REGISTRY.kind("struct"):
            if struct.name.endswith("_desc_t"):
                seen += 1
                first, second = members_of(struct)[:2]
                self.assertEqual(first.name, "stype", struct.where)
                self.assertEqual((second.ctype, second.name), ("const void*", "pNext"), struct.where)
        self.assertGreater(seen, 50)

    # GEN-3
    def test_properties_begin_with_stype_and_pnext(self):
        seen = 0
        for struct in REGISTRY.kind("struct"):
            if struct.name.endswith("_properties_t") and struct.name not in PLAIN_PROPERTIES:
                seen += 1
                first, second = members_of(struct)[:2]
                self.assertEqual(first.name, "stype", struct.where)
                self.assertEqual((second.ctype, second.name), ("void*", "pNext"), struct.where)
        self.assertGreater(seen, 50)

    # GEN-3
    def test_inputs_come_before_outputs(self):
        for function in REGISTRY.kind("function"):
            directions = [m.direction for m in function.members if m.direction != "inout"]
            if function.name != "zelLoaderGetVersions":
                self.assertEqual(directions, sorted(directions), function.where)

    # GEN-3
    def test_functions_return_a_result(self):
        for function in REGISTRY.kind("function"):
            self.assertEqual(function.returns == "ze_result_t", function.name not in NO_RESULT,
                             function.where)

    # GEN-2, GEN-3
    def test_every_extensible_struct_has_its_own_structure_type(self):
        seen = {}
        for struct in REGISTRY.kind("struct"):
            if struct.base and "_base_" not in struct.name:
                self.assertTrue(struct.stypes, struct.where)
            for stype in struct.stypes:
                self.assertTrue(struct.base, struct.where)
                self.assertNotIn(stype, seen, f"{struct.where} and {seen.get(stype)}")
                seen[stype] = struct.where
                values = REGISTRY.get(struct.api + "_structure_type_t").values
                self.assertIn(stype, [v.name for v in values], struct.where)

    # EXN-7
    def test_extension_structs_extend_extensible_structs(self):
        """Or functions that have a pNext of their own."""
        seen = 0
        for struct in REGISTRY.kind("struct"):
            for name in struct.extends:
                seen += 1
                base = REGISTRY.get(name)
                self.assertTrue(struct.base, struct.where)
                self.assertIsNotNone(base, f"{struct.where}: {name}")
                if base.kind == "function":
                    self.assertIn("pNext", [m.name for m in base.members], f"{struct.where}: {name}")
                else:
                    self.assertTrue(base.base, f"{struct.where}: {name}")
        self.assertGreater(seen, 50)

    def test_what_is_created_is_released(self):
        """Every type that some function creates is released by another, and the reverse."""
        created, released = set(), set()
        for function in REGISTRY.kind("function"):
            for member in function.members:
                if member.create or member.release:
                    item = REGISTRY.resolve(member.base)
                    (created if member.create else released).add(item.name if item else member.base)
                if member.create:
                    self.assertIn(member.direction, ("out", "inout"), function.where)
        self.assertEqual(created, released)
        self.assertGreater(len(created), 20)

    def test_conditions_of_errors_have_a_known_form(self):
        layout = Layout(REGISTRY)
        checks = [check for function, _, _ in layout.functions for check in error_checks(layout, function)]
        self.assertGreater(len(checks), 50)

    def test_ranges_name_a_sibling(self):
        """A count is another parameter, or a constant or expression of parameters."""
        for item in REGISTRY.items:
            for member in members_of(item):
                if member.range:
                    if item.name in COUNT_ELSEWHERE:
                        continue
                    name = re.sub(r"^\*", "", member.range[1])
                    siblings = [m.name for m in members_of(item)]
                    self.assertTrue(name in siblings or re.fullmatch(r"[\d.]+", name),
                                    f"{item.where}: {member.name} {member.range}")

    # GEN-12
    def test_result_codes_stand_in_their_groups(self):
        groups = {0x7000: 0, 0x7001: 0, 0x7002: 0, 0x7800: 0, 0x7FF0: 0}
        values = {v.name: v.number for v in REGISTRY.get("ze_result_t").values}
        self.assertEqual(values["ZE_RESULT_SUCCESS"], 0)
        self.assertEqual(values["ZE_RESULT_NOT_READY"], 1)
        for name, number in values.items():
            if number > 1 and number < 0x7FFFFFFE:
                self.assertIn(number >> 16, groups, name)
                groups[number >> 16] += 1
        self.assertTrue(all(groups.values()), groups)
        self.assertEqual(len(set(values.values())), len(values))

        def group(number):
            return {name.removeprefix("ZE_RESULT_") for name, value in values.items() if value >> 16 == number}
        self.assertLessEqual({"ERROR_DEVICE_LOST", "ERROR_OUT_OF_HOST_MEMORY", "ERROR_MODULE_BUILD_FAILURE"}, group(0x7000))
        self.assertEqual(group(0x7001), {"ERROR_INSUFFICIENT_PERMISSIONS", "ERROR_NOT_AVAILABLE"})
        self.assertEqual(group(0x7002), {"ERROR_DEPENDENCY_UNAVAILABLE", "WARNING_DROPPED_DATA"})
        validation = {name.removeprefix("ZE_RESULT_ERROR_") for name in values
                      if name.startswith(("ZE_RESULT_ERROR_INVALID_", "ZE_RESULT_ERROR_UNSUPPORTED_"))}
        self.assertLessEqual({"ERROR_" + name for name in validation}, group(0x7800))

    # GEN-11
    def test_one_enumeration_has_the_results_of_all_parts(self):
        values = {v.name for v in REGISTRY.get("ze_result_t").values}
        parts = {}
        for function in REGISTRY.kind("function"):
            for code, _ in function.errors:
                self.assertIn(code, values, function.where)
                parts.setdefault(function.api, set()).add(code)
        self.assertLessEqual({"ze", "zes", "zet"}, parts.keys())


class Extensions(unittest.TestCase):
    """Names of what belongs to an extension. The odd ones are published so."""

    ODD = {"ze_sub_allocation_t", "ze_ipc_mem_handle_type_flag_t", "zeMemGetIpcHandleWithProperties",
           "ze_device_readonly_memory_capability_t", "zeMemGetPitchFor2dImage",
           "ze_power_saving_hint_type_t", "ze_device_ip_version_version_t",
           "ze_executable_graph_handle_t", "zex_mem_graph_free_callback_fn_t", "zet_core_callbacks_t",
           "zetTracerExpCreate", "zetTracerExpDestroy", "zetTracerExpSetPrologues",
           "zetTracerExpSetEpilogues", "zetTracerExpSetEnabled"}

    def members(self):
        for item in REGISTRY.items:
            extension = item.extension
            if extension and item is not extension and item.api != "zel" and item.kind != "const":
                yield item, "EXP" if "_EXP_" in extension.name else "EXT"

    # EXN-4, EXN-5
    def test_members_carry_ext_or_exp(self):
        count = 0
        for item, suffix in self.members():
            if item.name in self.ODD:
                continue
            count += 1
            pattern = (suffix.capitalize() + r"\d?$" if item.kind == "function"
                       else f"_{suffix.lower()}" + r"(\d|_)")
            self.assertRegex(item.name, pattern, item.where)
        self.assertGreater(count, 200)

    # EXN-3
    def test_names_are_unique(self):
        names = [i.value for i in REGISTRY.kind("extension")]
        self.assertEqual(len(names), len(set(names)))
        seen = {}
        for item in REGISTRY.items:
            names = [v.name for v in getattr(item, "values", ())]
            names += [item.flags] if getattr(item, "flags", None) else []
            names.append(item.name)
            for name in names:
                self.assertNotIn(name, seen, f"{item.where} and {seen.get(name)}")
                seen[name] = item.where

    # EXN-6
    def test_enumerators_have_values_of_their_own(self):
        """But for the newest version and deprecated second names."""
        for enum in REGISTRY.kind("enum"):
            values = {}
            for value in enum.values:
                if value.name.endswith("_CURRENT") or value.deprecated is not None:
                    continue
                self.assertNotIn(value.number, values, f"{enum.where}: {value.name}")
                values[value.number] = value.name

    # EXN-8
    def test_published_extensions_are_described(self):
        described = {i.value.strip('"') for i in REGISTRY.kind("extension")}
        with open(os.path.join(HERE, "extensions-1.14.txt"), encoding="utf-8") as f:
            published = [line.split()[0] for line in f if line.strip() and not line.startswith("#")]
        self.assertEqual(len(published), 64)
        for name in published:
            self.assertIn(name, described)


class Words(unittest.TestCase):
    def test_everything_is_described(self):
        for item in REGISTRY.items:
            if item.kind in TYPE_KINDS + ("function", "const"):
                self.assertTrue(item.doc, item.where)
        for value in REGISTRY.get("ze_result_t").values:
            self.assertTrue(value.doc or value.form == "force", value.name)

    def test_names_in_descriptions_exist(self):
        known = {"ze_callbacks_t"}
        for item in REGISTRY.items:
            known.add(item.name)
            known.update(v.name for v in getattr(item, "values", ()))
        for item in REGISTRY.items:
            texts = item.doc + item.rules
            texts += [m.doc for m in getattr(item, "members", ())]
            texts += [v.doc for v in getattr(item, "values", ())]
            texts.append((item.deprecated or "").partition("use ")[2])
            for name in re.findall(r"\b(?:ze[lrst]?[A-Z]\w+|ze[lrst]?_\w+_t|ZE[LRST]?_[A-Z]\w+)\b",
                                   " ".join(texts)):
                environment = name.startswith(("ZE_FLAT", "ZE_AFFINITY", "ZES_ENABLE"))
                extension = re.match(r"ZE[ST]?_(extension|experimental)_", name)
                self.assertTrue(name in known or environment or extension, f"{item.where}: {name}")


class Tables(unittest.TestCase):
    # GEN-6
    def test_every_function_has_one_slot(self):
        slots = [f for t in REGISTRY.kind("table") for _, _, f in t.slots]
        self.assertEqual(len(slots), len(set(slots)))
        for function in REGISTRY.kind("function"):
            if function.api != "zel":
                self.assertIn(function.name, slots)
        for name in slots:
            self.assertEqual(REGISTRY.get(name).kind, "function")

    # GEN-6
    def test_functions_are_those_of_the_published_interface(self):
        """The table of the interface is an oracle of its own: none is missing, none was made up (but in a later version)."""
        with open(table_path(), encoding="utf-8") as f:
            rows = [line.split("\t") for line in f]
        published = {r[1] for r in rows if r[0] == "function" and not r[1].endswith("ProcAddrTable")}
        tables = {f for t in REGISTRY.kind("table") for _, _, f in t.slots}
        published = {n for n in published if not n.startswith("zel")}
        ours = {n for n in tables if not n.startswith("zel")}
        if version_of(os.path.basename(table_path())) < REGISTRY.version:
            added = ours - published
            self.assertLessEqual(published, ours)
            self.assertEqual(added, {n for n in ours if REGISTRY.get(n).since == REGISTRY.version})
        else:
            self.assertEqual(published, ours)

    # GEN-7
    def test_tables_only_grow(self):
        layout = Layout(REGISTRY)
        for _, _, table in layout.tables:
            sizes = [layout.prefix(table, m) for m in range(REGISTRY.version[1] + 1)]
            self.assertEqual(sizes, sorted(sizes), table.where)
            self.assertEqual(sizes[-1], len(table.slots), table.where)

    # GEN-7
    def test_no_slot_is_older_than_its_function(self):
        for table in REGISTRY.kind("table"):
            for since, _, name in table.slots:
                self.assertGreaterEqual(since, REGISTRY.get(name).since, f"{table.where}: {name}")

    def test_traced_functions_exist(self):
        for name in REGISTRY.traced:
            self.assertEqual(REGISTRY.get(name).kind, "function")


class Headers(unittest.TestCase):
    # GEN-20
    def test_applications_see_no_dispatch_tables(self):
        folder = os.path.join(ROOT, "include", "level_zero")
        for name in ("ze_api.h", "zes_api.h", "zet_api.h", "zer_api.h", "loader/ze_loader.h",
                     "layers/zel_tracing_api.h"):
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                text = f.read()
            self.assertNotIn("_ddi", text.replace("_ddi_handle", "").replace("_ddi_ext", ""), name)

    def test_headers_define_only_reserved_names(self):
        folder = os.path.join(ROOT, "include", "level_zero")
        for path, _, files in os.walk(folder):
            for name in files:
                with open(os.path.join(path, name), encoding="utf-8") as f:
                    text = f.read()
                # what older texts had under a name is a macro, be it a type or a function
                macros = r"^(_?ZE[LRST]?_|ze_\w+_t$|ze[A-Z])" if path.endswith("compat") else r"^_?ZE[LRST]?_"
                for macro in re.findall(r"^#define (\w+)", text, re.M):
                    self.assertRegex(macro, macros, name)
                for function in re.findall(r"ZE_APICALL (\w+)\(", text):
                    self.assertRegex(function, r"^ze[lrst]?[A-Z]", name)


class Mistakes(unittest.TestCase):
    """Each text is wrong in one way; the message names file and line."""

    def read(self, text):
        with tempfile.TemporaryDirectory() as root:
            with open(os.path.join(root, "index.txt"), "w", encoding="utf-8") as f:
                f.write("spec 1.0.0\narea core\n  part\n")
            with open(os.path.join(root, "part.txt"), "w", encoding="utf-8") as f:
                f.write(text)
            return Registry(root)

    def assert_refused(self, text, line):
        with self.assertRaises(RegistryError) as caught:
            self.read(text)
        self.assertIn(f"part.txt:{line}", str(caught.exception))

    def test_a_right_text_is_read(self):
        registry = self.read("struct ze_a_desc_t desc since 1.3\n"
                             "  : What it is.\n"
                             "  in optional range(0,count) const uint32_t* pData since 1.4 : the data\n"
                             "  in uint32_t count\n")
        struct = registry.get("ze_a_desc_t")
        self.assertEqual((struct.base, struct.since, struct.doc), ("desc", (1, 3), ["What it is."]))
        data = struct.members[0]
        self.assertEqual((data.ctype, data.name, data.range, data.optional, data.since, data.doc),
                         ("const uint32_t*", "pData", ("0", "count"), True, (1, 4), "the data"))

    # GEN-25
    def test_an_array_that_may_be_null_has_an_error_or_a_reason(self):
        head = "function zeA since 1.0\n  : Does it.\n  in optional uint32_t numData\n"
        array = "  in optional range(0,numData) const uint32_t* pData\n"
        error = "  error ERROR_INVALID_SIZE when (nullptr == pData) && (0 < numData)\n"
        self.assert_refused(head + array, 1)
        self.assert_refused(head + array + error.replace("pData", "pOther"), 1)
        self.assert_refused(head + array + error + "  null pData : Nothing is read.\n", 1)
        self.assert_refused(head + array + "  null pData\n", 5)
        self.assert_refused(head.replace("optional uint32_t", "uint32_t*") + array.replace("num", "*num"), 1)
        self.read(head + array + error)
        self.read(head + array + "  null pData : Nothing is read.\n")
        self.read(head + array.replace("optional ", ""))
        self.read(head.replace("in optional uint32_t", "inout uint32_t*") + array.replace("num", "*num").replace("in ", "inout "))

    def test_mistakes_are_reported_where_they_are(self):
        self.assert_refused("\nnonsense ze_a_t\n", 2)
        self.assert_refused("  in uint32_t count\n", 1)
        self.assert_refused("handle ze_a_handle_t\nhandle ze_a_handle_t\n", 2)
        self.assert_refused("struct ze_a_t since x.y\n", 1)
        self.assert_refused("struct ze_a_t\n  in uint32_t\n", 2)
        self.assert_refused("struct ze_a_t\n  value 1 ZE_A\n", 2)
        self.assert_refused("struct ze_a_t sometimes\n", 1)
        self.assert_refused("enum ze_a_t\n  value 1\n", 2)
        self.assert_refused("table ze_a_dditable_t A\n", 1)
        self.assert_refused("table ze_a_dditable_t A zeGetAProcAddrTable\n  slot 1.0 pfnB\n", 2)


if __name__ == "__main__":
    unittest.main()
