"""Reports of geoidc: their values are those of the driver, their reasons those of the compiler.

Usage: test_report.py BUILD SOURCE [--update]. --update writes the transcripts of docs/user/geoidc.md.
"""
import json
import os
import re
import sys
import unittest

UPDATE = "--update" in sys.argv
if UPDATE:
    sys.argv.remove("--update")

from geoidc import FORMS, LINES, SOURCE, WORK, Case  # noqa: E402

PAGE = os.path.join(SOURCE, "docs", "user", "geoidc.md")
TRANSCRIPT = re.compile(r"<!-- transcript -->\n\n((?:    .*\n|\n(?=    ))+)")


class Reports(Case):
    def report(self, *arguments):
        return json.loads(self.geoidc("--report=json", *arguments))

    def kernel(self, name, *arguments):
        found = [kernel for kernel in self.report(*arguments)["kernels"] if kernel["name"] == name]
        self.assertEqual(len(found), 1)
        return found[0]

    def classes(self, kernel):
        return [(access["op"], access["class"]) for access in kernel["accesses"]]

    def test_properties_are_those_of_the_driver(self):
        for module in (WORK, FORMS):
            for more in ([], ["--width", "4"], ["-ze-opt-disable"]):
                self.geoidc(module, "-o", "out.bin", *more)
                wanted = json.loads(self.host("native", "out.bin"))
                report = self.report(module, *more)
                self.assertEqual({kernel["name"]: kernel["properties"] for kernel in report["kernels"]}, wanted)
        self.assertEqual(wanted["group"]["requiredSubgroupSize"], 8)
        self.assertEqual(json.loads(self.host("spirv", WORK))["total"]["localMemSize"], 256)

    def test_the_width_has_reasons(self):
        for level, lanes in (("x86-64-v2", 4), ("x86-64-v3", 8), ("x86-64-v4", 16)):
            report = self.report(WORK, "--target", level)
            self.assertEqual(report["target"], level)
            scale = report["kernels"][0]
            self.assertEqual(scale["lanes"], lanes)
            self.assertEqual(scale["width"], [{"lanes": lanes, "why": "a vector register holds so many values of 32 bits"}])
        for kernel, arguments, lanes, why in (
                ("scale", (WORK, "--width", "4"), 4, "the build asks for it"),
                ("scale", (WORK, "-ze-opt-disable"), 1, "the code is not optimised"),
                ("total", (WORK, "--target", "x86-64-v3"), 16, "the loops over work-items between barriers take fewer turns"),
                ("group", (FORMS,), 8, "sub-group operations: it is the sub-group size"),
                ("narrow", (FORMS, "--target", "x86-64-v3"), 2, "the required work-group has no more work-items along x"),
                ("count", (FORMS, "--target", "x86-64-v3"), 1, "work-items take less time one after another"),
                ("wide", (FORMS, "--target", "x86-64-v3"), 32, "more work-items hide the latency")):
            found = self.kernel(kernel, *arguments)
            self.assertEqual(found["lanes"], lanes, kernel)
            self.assertEqual(found["width"][-1]["lanes"], lanes, kernel)
            self.assertIn(why, found["width"][-1]["why"])

    def test_cost_models_tell_their_numbers(self):
        cost = self.kernel("count", FORMS, "--target", "x86-64-v3")["costs"][0]
        self.assertEqual((cost["model"], cost["lanes"]), ("one lane", 8))
        self.assertLess(5 * cost["items"], 4 * cost["chunk"])  # items save a fifth
        self.assertGreater(100 * cost["lane_by_lane"], 45 * cost["chunk"])
        cost = self.kernel("wide", FORMS, "--target", "x86-64-v3")["costs"][-1]
        self.assertEqual((cost["model"], cost["lanes"]), ("latency", 8))
        for once, twice in zip(cost["times"], cost["times"][1:]):
            self.assertLess(5 * twice, 8 * once)

    def test_accesses_have_classes(self):
        kernel = self.kernel("classes", FORMS, "--target", "x86-64-v4")
        found = self.classes(kernel)
        self.assertEqual(sorted(found), sorted([("load", "uniform"), ("load", "consecutive"), ("load", "reversed"), ("load", "strided"),
                                                ("load", "consecutive"), ("load", "gathered"), ("store", "consecutive")]))
        self.assertEqual({access["space"] for access in kernel["accesses"]}, {"global"})
        self.assertEqual({access["bytes"] for access in kernel["accesses"]}, {4})
        for level, way in (("x86-64-v2", "lane by lane"), ("x86-64-v3", "gathered")):
            self.assertIn(("load", way), self.classes(self.kernel("classes", FORMS, "--target", level)))
        self.assertEqual({name for _, name in self.classes(self.kernel("classes", FORMS, "--width", "1"))}, {"scalar"})
        atomics = self.classes(self.kernel("count", FORMS, "--width", "8"))
        self.assertIn(("OpAtomicIIncrement", "lane by lane"), atomics)

    def test_masks_regions_and_code(self):
        pick = self.kernel("pick", WORK, "--target", "x86-64-v3")
        self.assertEqual(pick["masks"], {"blocks": 3, "masked": 1})
        self.assertEqual(len(pick["branches"]), 1)
        masked = {(access["op"], access["class"]): access["masked"] for access in pick["accesses"]}
        self.assertFalse(masked["load", "consecutive"])
        self.assertTrue(masked["load", "gathered"])
        total = self.kernel("total", WORK, "--target", "x86-64-v3")
        self.assertEqual(len(total["barriers"]), 2)
        self.assertGreater(total["regions"]["count"], 1)
        self.assertIn("barriers", total["uses"])
        self.assertIn({"level": "group", "name": "regions"}, total["variants"])
        scale = self.kernel("scale", WORK)
        self.assertGreater(scale["code"]["instructions"], 10)
        self.assertEqual(scale["masks"]["masked"], 0)
        self.assertNotIn("hindrances", scale)
        self.assertEqual([argument["kind"] for argument in scale["arguments"]], ["global", "global", "value"])

    def test_the_form_is_that_of_usual_launches(self):
        found = [(variant["level"], variant["name"]) for variant in self.kernel("classes", FORMS, "--target", "x86-64-v3")["variants"]]
        self.assertEqual(found, [("group", "straight"), ("chunks", "rows"), ("row", "mixed"), ("large ids", "items")])

    def test_spills_are_counted(self):
        body = "".join(f"    float v{i} = in[i + {i} * n];\n" for i in range(40))
        total = " * ".join(f"(v{i} - v{(i + 7) % 40})" for i in range(40))
        self.write("spill.cl", f"""kernel void spill(global float *out, global const float *in, int n)
{{
    int i = get_global_id(0);
{body}    out[i] = {total};
}}
""".encode())
        kernel = self.kernel("spill", "spill.cl", "--target", "x86-64-v2")
        small = self.kernel("scale", WORK, "--target", "x86-64-v2")["code"]
        large = kernel["code"]
        # most of the kernel's own frame, and slots of the function that runs other launches
        self.assertIn(kernel["properties"]["spillMemSize"], range(large["stack"] // 2, 2 * large["stack"]))
        self.assertEqual(self.kernel("total", WORK, "--target", "x86-64-v3")["properties"]["spillMemSize"], 0)
        self.assertGreater(large["reloads"], small["reloads"] + 20)
        self.assertGreater(large["spills"], small["spills"] + 10)
        self.assertGreater(large["stack"], small["stack"])

    def test_hindrances_are_named(self):
        text = self.geoidc("--report", FORMS, "--target", "x86-64-v3")
        self.assertIn("load: work-items access memory that is apart, by a gather or scatter", text)
        self.assertIn("work-items run one at a time: work-items take less time one after another", text)

    def test_functions_that_are_not_inlined_have_an_entry(self):
        steps = "".join(f"    s = s * s + p[(int)s & {mask}] + sqrt(s);\n" for mask in range(1, 40))
        calls = " + ".join(f"work(p + {at}, o[i + {at}])" for at in range(8))
        self.write("calls.cl", f"""__attribute__((noinline)) float work(global const float *p, float s)
{{
{steps}    return s;
}}
kernel void many(global float *o, global const float *p)
{{
    int i = get_global_id(0);
    o[i] = {calls};
}}
""".encode())
        report = self.report("calls.cl", "--target", "x86-64-v3")
        self.assertEqual([function["name"] for function in report["functions"]], ["work"])
        self.assertEqual(self.classes(report["functions"][0]), [("load", "gathered")] * 39)
        self.assertEqual([call["callee"] for call in report["kernels"][0]["calls"]], ["work"] * 8)
        text = self.geoidc("--report", "calls.cl", "--target", "x86-64-v3")
        self.assertIn("a call of work, which is not inlined", text)
        self.assertIn("\nfunction work\n", text)

    def test_lines_are_those_of_the_source(self):
        if not os.path.exists(LINES):
            self.skipTest("no clang-15 or llvm-spirv-15, which write source lines")
        pick = self.kernel("pick", LINES, "--target", "x86-64-v3")
        self.assertTrue(pick["branches"][0]["file"].endswith("kernels/work.cl"))
        self.assertEqual(pick["branches"][0]["line"], 12)
        lines = {(access["op"], access["class"]): access["line"] for access in pick["accesses"]}
        self.assertEqual(lines, {("load", "consecutive"): 12, ("load", "gathered"): 13, ("store", "consecutive"): 13})
        total = self.kernel("total", LINES, "--target", "x86-64-v3")
        self.assertEqual([barrier["line"] for barrier in total["barriers"]], [22, 27])

    def test_names_cannot_control_a_terminal(self):
        self.write("k.cl", b"kernel void plain_name(global int *p) { *p = 1; }\n")
        self.geoidc("k.cl", "--emit", "spirv", "-o", "k.spv")
        module = self.read("k.spv")
        for old in (b"plain_name",):
            self.assertIn(old, module)
            module = module.replace(old, b"a\x1b[2J\"\\\xffz!")
        self.write("odd.spv", module)
        text = self.geoidc("--report", "odd.spv")
        self.assertIn("kernel a\\x1b[2J", text)
        self.assertNotIn("\x1b", text)
        kernel = self.report("odd.spv")["kernels"]
        self.assertEqual(len(kernel), 1)
        self.assertIn("width", kernel[0])

    def test_a_report_goes_to_a_file(self):
        self.assertEqual(self.geoidc("--report", "--report-file", "report.txt", WORK), "")
        self.assertIn("kernel scale\n", self.read("report.txt", "r"))
        self.assertEqual(self.geoidc("--report=json", "--report-file", "report.json", WORK, "-o", "out.bin"), "")
        self.assertEqual(len(json.loads(self.read("report.json"))["kernels"]), 3)
        self.assertEqual(self.host("native", "out.bin", "work"), "ok\n")
        self.fails(2, "the report is on standard output too", "--report", "-o", "-", WORK)

    def test_the_page_shows_real_reports(self):
        if not os.path.exists(LINES):
            self.skipTest("no clang-15 or llvm-spirv-15, which write source lines")
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        os.symlink(LINES, self.path("work.spv"))
        made = TRANSCRIPT.sub(lambda found: "<!-- transcript -->\n\n" + self.transcript(found.group(1)), page)
        self.assertRegex(page, TRANSCRIPT)
        if UPDATE:
            with open(PAGE, "w", encoding="utf-8") as file:
                file.write(made)
            return
        self.assertEqual(made, page, "run test_report.py with --update")

    def transcript(self, old):
        command = re.match(r"    \$ geoidc (.*)\n", old).group(1)
        output = self.geoidc(*command.split())
        lines = [f"    {line}".rstrip() for line in [f"$ geoidc {command}", *output.splitlines()]]
        return "\n".join(lines) + "\n"


if __name__ == "__main__":
    unittest.main()
