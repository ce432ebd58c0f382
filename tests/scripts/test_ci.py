"""The recipes of packaging/ci: docs/user/ci.md has their text, and their commands work.

Each command of a recipe runs as its CI system runs it, in a folder with a small program. Nothing is installed from the network: the
variable GEOID_PREFIX of the recipes names an installed Geoid, which is this build's.

Usage: test_ci.py BUILD CMAKE [--update]      --update writes the recipes into the page
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
RECIPES = os.path.join(ROOT, "packaging", "ci")
PAGE = os.path.join(ROOT, "docs", "user", "ci.md")
INCLUDED = re.compile(r"(<!-- file: packaging/ci/([\w.]+) -->\n\n```\w*\n)(.*?)(```\n)", re.S)
PROJECT = """cmake_minimum_required(VERSION 3.21)
project(program C)
find_package(LevelZero REQUIRED)
add_executable(program program.c)
target_link_libraries(program PRIVATE LevelZero::LevelZero)
enable_testing()
add_test(NAME filled COMMAND program)
"""
PROGRAM = """#include <level_zero/ze_api.h>
#include <string.h>
#define MUST(call) do { if ((call) != ZE_RESULT_SUCCESS) return __LINE__ % 250 + 1; } while (0)
int main(int argc, char **argv)
{
    ze_init_driver_type_desc_t types = {ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC, NULL, UINT32_MAX};
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    unsigned one = 1;
    void *memory;
    MUST(zeInitDrivers(&one, &driver, &types));
    one = 1;
    MUST(zeDeviceGet(driver, &one, &device));
    MUST(zeContextCreate(driver, &desc, &context));
    MUST(zeCommandListCreateImmediate(context, device, &queue, &list));
    MUST(zeMemAllocHost(context, &host, 4096, 64, &memory));
    MUST(zeCommandListAppendMemoryFill(list, memory, "x", 1, 4096, NULL, 0, NULL));
    one = memcmp(memory, "xxxx", 4) != 0;
    MUST(zeMemFree(context, memory));
    MUST(zeCommandListDestroy(list));
    MUST(zeContextDestroy(context));
    @WRONG@
    (void)argc, (void)argv;
    return (int)one;
}
"""
WRONG = "(void)zeContextGetStatus(context);"  # destroyed: an error that the program ignores


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def block(lines, at):
    """Returns the lines after `at` that are indented further, without their indentation."""
    edge = len(lines[at]) - len(lines[at].lstrip())
    found = []
    for line in lines[at + 1:]:
        if line.strip() and len(line) - len(line.lstrip()) <= edge:
            break
        found.append(line)
    inner = min(len(line) - len(line.lstrip()) for line in found if line.strip())
    return [line[inner:] for line in found]


def yaml_variables(text, key, workspace):
    """Returns the variables of a block `env:` or `variables:`."""
    lines = text.split("\n")
    at = next(number for number, line in enumerate(lines) if line.strip() == key)
    pairs = [line.split(": ", 1) for line in block(lines, at) if line.strip()]
    return {name: value.replace("${{ github.workspace }}", workspace).replace("$CI_PROJECT_DIR", workspace) for name, value in pairs}


def github(workspace):
    """Returns the variables, and the commands with the shell that runs them, of each step."""
    text = read(os.path.join(RECIPES, "github.yml"))
    lines, steps = text.split("\n"), []
    for number, line in enumerate(lines):
        found = re.match(r" +(?:- )?run: (.*)", line)
        if found:
            steps.append("\n".join(block(lines, number)) if found.group(1) == "|" else found.group(1))
    return yaml_variables(text, "env:", workspace), [(["bash", "-e", "-o", "pipefail", "-c"], step) for step in steps]


def gitlab(workspace):
    """All commands run in one shell."""
    text = read(os.path.join(RECIPES, "gitlab.yml"))
    lines, commands = text.split("\n"), []
    for key in ("before_script:", "script:"):
        at = next(number for number, line in enumerate(lines) if line.strip() == key)
        items = block(lines, at)
        for number, line in enumerate(items):
            if line == "- |":
                commands += block(items, number)
            elif line.startswith("- "):
                commands.append(line[2:])
    return yaml_variables(text, "variables:", workspace), [(["bash", "-e", "-o", "pipefail", "-c"], "\n".join(commands))]


def jenkins(workspace):
    text = read(os.path.join(RECIPES, "Jenkinsfile"))
    pairs = re.findall(r"^ +(GEOID_\w+) = ['\"](.*)['\"]$", text, re.M)
    variables = {name: value.replace("${WORKSPACE}", workspace) for name, value in pairs}
    # Groovy removes a backslash at the end of a line together with the line feed.
    return variables, [(["sh", "-xe", "-c"], step.replace("\\\n", "")) for step in re.findall(r"sh '''\n(.*?)'''", text, re.S)]


def docker(_workspace):
    text = re.sub(r"^#.*\n", "", read(os.path.join(RECIPES, "Dockerfile")), flags=re.M).replace("\\\n", "")
    path = re.search(r'^ENV PATH="(.*?)"', text, re.M).group(1)
    return {}, [(["sh", "-c"], f'PATH="{path}"; {command}') for command in re.findall(r"^RUN (.*)$", text, re.M)]


class Recipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = tempfile.mkdtemp(prefix="geoid-ci-")
        cls.prefix = os.path.join(cls.base, "prefix")
        done = subprocess.run([CMAKE, "--install", BUILD, "--prefix", cls.prefix], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.base)

    def project(self, wrong=""):
        folder = tempfile.mkdtemp(dir=self.base)
        for name, text in (("CMakeLists.txt", PROJECT), ("program.c", PROGRAM.replace("@WRONG@", wrong))):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as stream:
                stream.write(text)
        return folder

    def run_recipe(self, recipe, folder):
        """Runs the commands until one fails, and returns the exit status and what was printed."""
        variables, steps = recipe(folder)
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("GEOID_", "ZE_", "ZES_", "ZET_", "ZEL_", "LD_"))}
        added = os.path.join(folder, "path")
        environment = {**kept, **variables, "GEOID_PREFIX": self.prefix, "GITHUB_PATH": added, "GEOID_DEVICES": "1", "GEOID_NVIDIA": "off"}
        printed = ""
        self.assertTrue(steps)
        for shell, command in steps:
            if os.path.exists(added):  # GitHub puts these folders before PATH of the steps that follow
                environment["PATH"] = ":".join([*read(added).split(), kept["PATH"]])
            done = subprocess.run([*shell, command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            printed += done.stdout
            if done.returncode:
                return done.returncode, printed
        return 0, printed

    def works(self, recipe):
        folder = self.project()
        status, printed = self.run_recipe(recipe, folder)
        self.assertEqual(status, 0, printed)
        self.assertRegex(printed, r"ok +kernel")
        self.assertIn("100% tests passed", printed)
        suite = xml.etree.ElementTree.parse(os.path.join(folder, "reports", "junit.xml")).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("1", "0"))
        log = json.loads(read(os.path.join(folder, "reports", "validation.sarif")))
        self.assertEqual([result for result in log["runs"][0]["results"] if result["level"] == "error"], [])
        trace = json.loads(read(os.path.join(folder, "reports", "trace.json")))
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
        self.assertIn("zeCommandListAppendMemoryFill", {event.get("name") for event in events})
        self.assertIn("zeCommandListAppendMemoryFill", read(os.path.join(folder, "reports", "trace.txt")))

    def test_github(self):
        self.works(github)

    def test_gitlab(self):
        self.works(gitlab)

    def test_jenkins(self):
        self.works(jenkins)

    def test_docker(self):
        status, printed = self.run_recipe(docker, self.project())
        self.assertEqual(status, 0, printed)
        self.assertRegex(printed, r"ok +kernel")

    def test_wrong_calls_fail_the_job(self):
        for recipe in (github, gitlab, jenkins):
            folder = self.project(WRONG)
            status, printed = self.run_recipe(recipe, folder)
            self.assertNotEqual(status, 0, printed)
            self.assertIn('"ruleId":"destroyed-handle"', printed)
            self.assertIn("100% tests passed", printed)  # the program ignores the error
            self.assertTrue(os.path.exists(os.path.join(folder, "reports", "junit.xml")))

    def test_the_page_has_the_recipes(self):
        found = {name: text for _, name, text, _ in INCLUDED.findall(read(PAGE))}
        self.assertEqual(set(found), set(os.listdir(RECIPES)))
        for name, text in found.items():
            self.assertEqual(text, read(os.path.join(RECIPES, name)), f"run test_ci.py with --update: {name}")


def update():
    page = INCLUDED.sub(lambda found: found.group(1) + read(os.path.join(RECIPES, found.group(2))) + found.group(4), read(PAGE))
    with open(PAGE, "w", encoding="utf-8") as stream:
        stream.write(page)


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
        sys.exit(0)
    CMAKE = sys.argv.pop(2)
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main()
