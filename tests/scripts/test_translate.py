"""The generator of functions that translate handles (scripts/gen/ddi_translate.py) stops where it would miss one: each case changes
a copy of the registry and must be refused with the place; what it can translate, it does."""
import os
import re
import shutil
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "scripts"))

from gen import ddi_translate  # noqa: E402
from gen.registry import Registry, RegistryError  # noqa: E402

OUTPUT = "  out ze_validate_runtime_requirements_result_t result\n"
REQUIREMENTS = "  in ze_module_handle_t requirementsSrc\n"


class Translate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(os.path.join(ROOT, "registry"), os.path.join(self.folder, "registry"))

    def generated(self, *changes):
        """Returns what is generated from the registry with changes: (file, old lines, new lines). The text
        behind " : " of the last old line does not matter."""
        for name, old, new in changes:
            path = os.path.join(self.folder, "registry", name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            text, count = re.subn(re.escape(old[:-1]) + r"(?: : [^\n]*)?\n", lambda _, new=new: new, text, count=1)
            self.assertEqual(count, 1, old)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        made = ddi_translate.generate(Registry(os.path.join(self.folder, "registry")))
        return made["ddi/loader_translate.c"] + made["ddi/loader_links.c"]

    def refused(self, *changes):
        with self.assertRaises(RegistryError) as caught:
            self.generated(*changes)
        self.assertIn("translated", str(caught.exception))
        self.assertIn(".txt", str(caught.exception))

    def test_the_registry_as_it_is(self):
        text = self.generated()
        self.assertIn("translate_zeCommandListAppendBarrier", text)
        self.assertNotIn("chain", text.split("translate_zeContextCreate(")[1].split("\n}\n")[0])

    def test_a_handle_that_a_structure_brings_back(self):
        self.refused(("core/device.txt", OUTPUT, OUTPUT + "  out ze_device_handle_t hDevice\n"))

    def test_an_array_of_handles_in_a_structure(self):
        self.refused(("core/device.txt", REQUIREMENTS, "  in ze_module_handle_t* requirementsSrc\n"))

    def test_two_handles_in_a_structure(self):
        self.refused(("core/device.txt", REQUIREMENTS, REQUIREMENTS + "  in ze_device_handle_t hDevice\n"))

    def test_a_structure_with_a_handle_in_another(self):
        self.refused(("core/device.txt", OUTPUT, OUTPUT + "  out ze_runtime_requirements_module_desc_t inner\n"))

    def test_an_array_of_structures_with_handles(self):
        self.refused(("core/device.txt", "  in const void* pObjDesc\n",
                      "  in uint32_t count\n  in range(0,count) ze_runtime_requirements_module_desc_t* pObjDesc\n"))

    def test_a_new_function_with_handles(self):
        function = "function zeDeviceGetCounterBasedEventMaxValue since 1.17\n"
        text = self.generated(
            ("core/device.txt", function, "function zeDeviceAskExp since 1.17\n  : Asks.\n  in ze_device_handle_t hDevice\n"
             "  in optional ze_event_handle_t hEvent\n  out ze_context_handle_t* phContext\n\n" + function),
            ("core/tables.txt", "pfnGetCounterBasedEventMaxValue zeDeviceGetCounterBasedEventMaxValue\n",
             "pfnGetCounterBasedEventMaxValue zeDeviceGetCounterBasedEventMaxValue\n  slot 1.17 pfnAskExp zeDeviceAskExp\n"))
        body = text.split("translate_zeDeviceAskExp(")[1]
        self.assertIn("geo_translate_in(lead, hEvent, &own_hEvent)", body)
        self.assertIn("geo_translate_out(lead, GEO_DDI_HANDLE_ze_context_handle_t, result, out_phContext, phContext)",
                      " ".join(body.split("}\n")[0].split()))

    def test_a_structure_with_a_handle_that_extends_another(self):
        text = self.generated(("core/device.txt", "  stype ZE_STRUCTURE_TYPE_RUNTIME_REQUIREMENTS_MODULE_DESC\n",
                               "  stype ZE_STRUCTURE_TYPE_RUNTIME_REQUIREMENTS_MODULE_DESC\n  extends ze_context_desc_t\n"))
        body = text.split("translate_zeContextCreate(")[1].split("\n}\n")[0]
        self.assertIn("geo_translate_chain_begin(&chain_desc, lead, desc, &link_desc)", body)
        self.assertIn("{ZE_STRUCTURE_TYPE_CONTEXT_DESC, sizeof(ze_context_desc_t), 0, 0, 0},", text)


if __name__ == "__main__":
    unittest.main()
